/**
 * The command line on random inputs: texts, YAML, JSON, flags, cluster files, snapshots, baselines, definitions, scenarios, sizings, and histories of jobs
 * (CSV, openb), with deep nesting and aliases that expand, compressed or not, in files of any name. Whatever they say, the answer is an exit status
 * of 0, 1 or 2, no stack trace, and no character that steers a terminal, in less than five seconds. `npm run test:fuzz` runs 10,000 of them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Random } from '../../support/random';
import { EDGES, mutated, TextGenerator } from '../../e2e/yaml/texts';
import { Workplace } from './fake-terminal';

const COUNT = Number(process.env.GANTRY_FUZZ ?? 250);
const SEED = Number(process.env.GANTRY_FUZZ_SEED ?? 1);
/** Processor time of one input at most, milliseconds: what else the machine does changes nothing. */
const LONGEST = 5000;

const CORPUS = join(__dirname, '../../e2e/corpus');
const MANIFESTS = readdirSync(CORPUS)
  .sort()
  .flatMap((file) => readFileSync(join(CORPUS, file), 'utf8').split(/^---\n/m))
  .filter((text) => text.includes('kind:') && text.length < 3000);

const CLUSTERS = [
  'pools:\n- {name: h100, count: 4, accelerator: H100-SXM-80GB}\nqueues:\n- {name: a, deserved: {nvidia.com/gpu: 8}}\n',
  'name: c\npools:\n- {name: cpu, count: 2, cpu: 8, memory: 32Gi}\n',
];
const SCENARIOS = [
  'name: s\ncluster: {pools: [{name: h100, count: 2, accelerator: H100-SXM-80GB}]}\ngangs:\n- {name: a, replicas: 2, gpus: 8, arrivesAt: 0, runsFor: 60}\nexpect:\n- {gang: a, placed: true}\n',
];
const SIZINGS = [
  'pools: [{name: h100, accelerator: H100-SXM-80GB, count: 1, max: 2, pricePerHour: 9}]\nqueues: [{name: a}]\n' +
    'gangs: [{name: g, queue: a, gpus: 8, duration: {median: 1h, p95: 2h}, repeat: {perHour: 0.5}}]\n' +
    'targets: [{wait: 1h}]\nrun: {for: 4h}\nsearch: {replications: 2}\n',
];
/** A scenario that replays the file of the input. */
const HISTORY =
  'name: h\ncluster: {pools: [{name: h100, count: 2, accelerator: H100-SXM-80GB}], queues: [{name: a}]}\njobs: a.yaml\n';
const HISTORIES = [
  'submitted,duration,pods,devices,queue\n0,60,2,8,a\n90s,15m,1,4,\n2026-01-01T00:00:00Z,1h,1,1,a\n',
  'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n' +
    'p0,12000,16384,1,1000,,LS,Running,0,12537496,0\np1,6000,12288,1,460,V100M16|V100M32,BE,Succeeded,427061,12902960,427061\n',
];
/** Texts of the commands that read one kind of file. */
const BASES: Readonly<Record<string, readonly string[]>> = {
  simulate: SCENARIOS,
  size: SIZINGS,
  jobs: HISTORIES,
};
const WORDS = [
  'toString',
  'constructor',
  '__proto__',
  'null',
  '1e999',
  '-1',
  '1000000000',
  '""',
  '[]',
  '{}',
  'yes',
  '0x10',
  "'\\0'",
  'é',
];
const FLAGS = [
  ...[
    '--only',
    '--k8s',
    '--crd',
    '--ignore',
    '--fail-on',
    '--format',
    '--exclude',
    '--config',
    '--baseline',
    '--output',
  ],
  ...[
    '--quiet',
    '--no-color',
    '--update-baseline',
    '--values',
    '--set',
    '--release',
    '--cluster',
    '--policy',
    '--what-if',
    '--bogus',
  ],
];
const VALUES = [
  'schema,cel',
  '1.34',
  'a.yaml',
  'x=y',
  'warning,not-checked',
  'json',
  'sarif',
  '**',
  'gone',
  '',
  '-',
  'best-fit',
  'drain=x',
];

/** Names of files, which reach messages. */
const NAMES = [
  'a.yaml',
  'a.yaml',
  'a\u001b[8m\u0007b.yaml',
  'a\nb.yaml',
  '\u202eb.yaml',
  '-a.yaml',
  'a:1:b.yaml',
  'a.json',
];

/** Flags and commands that read a file beside manifests. */
const READERS: readonly (readonly string[])[] = [
  ['check', 'good.yaml', '--config'],
  ['check', 'good.yaml', '--baseline'],
  ['check', 'good.yaml', '--crd'],
  ['check', 'good.yaml', '--cluster'],
  ['plan', 'good.yaml', '--cluster'],
  ['diff', 'good.yaml'],
  ['explain'],
  ['adopt'],
];

class Fuzz {
  private readonly random = new Random(SEED);
  private readonly generator = new TextGenerator(this.random);

  /** Words of a command line, and the file that it reads. */
  next(): { readonly words: readonly string[]; readonly text: string; readonly name?: string } {
    const { random } = this;
    const command = random.pick([
      ...Array<string>(5).fill('check'),
      'plan',
      'simulate',
      'size',
      'jobs',
      'reader',
      'reader',
    ]);
    const text = this.text(command);
    switch (command) {
      case 'plan':
        return {
          words: ['plan', 'a.yaml', '--cluster', random.chance(0.5) ? 'a.yaml' : 'cluster.yaml', ...this.flags()],
          text,
        };
      case 'simulate':
        return { words: ['simulate', 'a.yaml', ...this.flags()], text };
      case 'size':
        return { words: ['size', 'a.yaml', ...this.flags()], text };
      case 'jobs':
        return { words: ['simulate', 'history.yaml', ...this.flags()], text };
      case 'reader': {
        const compressed = random.chance(0.2) ? '.gz' : '';
        const name = `${random.pick(NAMES)}${compressed}`;
        return { words: [...random.pick(READERS), `./${name}`], text, name };
      }
      default:
        return { words: ['check', random.pick(['a.yaml', '.']), ...this.flags()], text };
    }
  }

  private flags(): readonly string[] {
    const { random } = this;
    const count = random.chance(0.7) ? 0 : 1 + random.below(3);
    return Array.from({ length: count }, () => [
      random.pick(FLAGS),
      ...(random.chance(0.7) ? [random.pick(VALUES)] : []),
    ]).flat();
  }

  /** A text that is deep, or that becomes large when it is read. */
  private large(base: string): string {
    const { random } = this;
    const depth = 10 ** (1 + random.below(5));
    const [open, close] = random.pick([
      ['[', ']'],
      ['{"a":', '}'],
      ['{a: ', '}'],
      ['- ', ''],
      ['a:\n ', ''],
      ['!!a ', ''],
      ['&a [', '*a]'],
    ]);
    const aliases = [...'abcdefghi'].map((name, index, all) => {
      const earlier = index === 0 ? 'x' : `*${all[index - 1] ?? 'a'}`;
      return `${name}: &${name} [${Array<string>(9).fill(earlier).join(', ')}]\n`;
    });
    const text = random.chance(0.3)
      ? aliases.join('')
      : `a: ${open.repeat(depth)}1${close.repeat(random.chance(0.7) ? depth : 0)}\n`;
    return random.chance(0.5) ? `${base}\n${text}` : text;
  }

  private text(command: string): string {
    const { random } = this;
    const base =
      command === 'plan' && random.chance(0.5)
        ? random.pick(CLUSTERS)
        : Object.hasOwn(BASES, command)
          ? random.pick(BASES[command])
          : random.chance(0.75)
            ? random.pick(MANIFESTS)
            : random.chance(0.5)
              ? random.pick(EDGES)
              : this.generator.text();
    switch (random.below(5)) {
      case 4:
        return this.large(base);
      case 0:
        return mutated(base, random, EDGES);
      case 1:
        return base.replace(command === 'jobs' ? /[^,\n]+/g : /: [^\n{[]+/g, (found) =>
          random.chance(0.1) ? `${found.startsWith(':') ? ': ' : ''}${random.pick(WORDS)}` : found,
        );
      case 2:
        return base.replace(/[A-Za-z]+(?=:)/g, (found) =>
          random.chance(0.06) ? random.pick(WORDS.slice(0, 3)) : found,
        );
      default:
        return Array.from({ length: 1 + random.below(60) }, () =>
          String.fromCharCode(random.below(random.chance(0.9) ? 127 : 60000)),
        )
          .join('')
          .replace(/\p{Surrogate}/gu, '?');
    }
  }
}

test(
  `${COUNT} random inputs with seed ${SEED} end well`,
  async () => {
    const place = new Workplace();
    const fuzz = new Fuzz();
    const wrong: unknown[] = [];
    const statuses = new Map<number, number>();
    place.write('cluster.yaml', CLUSTERS[0] ?? '');
    place.write('good.yaml', MANIFESTS[0] ?? '');
    place.write('history.yaml', HISTORY);
    // What is loaded on demand is loaded before anything is timed.
    await place.run(['check', 'good.yaml']);
    for (let index = 0; index < COUNT; index++) {
      const { words, text, name = 'a.yaml' } = fuzz.next();
      writeFileSync(join(place.folder, name), name.endsWith('.gz') ? gzipSync(text) : text);
      const before = process.cpuUsage();
      const { status, out, err } = await place.run(words, { env: {} });
      const { user, system } = process.cpuUsage(before);
      const took = (user + system) / 1000;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const hasTrace = /bug in Gantry|\n\s+at \S.*\.[jt]s:\d+:\d+|"failed": true|the rule \S+ failed/.test(out + err);
      // A report that goes to a file leaves nothing to print.
      const isSilent = status === 2 && out === '' && err === '' && !words.includes('--output');
      // JSON and SARIF keep the characters of values, other than those that JSON escapes.
      const forPeople = words.includes('json') || words.includes('sarif') ? err : out + err;
      const steers = /[\p{Cc}\p{Bidi_Control}]/u.test(forPeople.replace(/[\n\t]/g, ''));
      if (hasTrace || ![0, 1, 2].includes(status) || took > LONGEST || isSilent || steers) {
        wrong.push({ index, words, text: text.slice(0, 5000), status, took, said: (out + err).slice(0, 2000) });
      }
    }
    place.remove();
    expect(wrong).toEqual([]);
    expect([...statuses.keys()].sort()).toEqual([0, 1, 2]);
  },
  60 * 60_000,
);
