/**
 * `npm run bench:check`: what checks cost, beside plain cdk8s synth. Every run is a process of its own, and all kinds of run take turns, so that the
 * load of the machine is shared; figures are medians. What checks add to a synth is the median of the pairs, in processor time.
 * The speed beside kubeconform is measured where `npm run test:e2e` has built it.
 *
 * Options: `--runs N` (default 5), `--sizes 1000,10000`, `--part synth,cold,import,kubeconform` (default all), `--json FILE`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { table } from '../src/interfaces/cli/table';
import { besideKubeconform, type Measured } from './check-kubeconform';
import { type Kind, type Measurement } from './check-run';
import { median } from './machine';

const KINDS: readonly Kind[] = ['synth', 'synth with checks', 'checks alone', 'checks from YAML'];
const ROOT = join(__dirname, '..');
const COLD_RUNS = 20;

/** What the project holds itself to. */
const TARGETS = { addedShare: 0.25, coldSeconds: 0.2, linearity: 1.3, loading: 1.5 };
/** How many times as fast as kubeconform, by the clock. */
const BESIDE_TARGETS: Partial<Record<Measured, number>> = {
  'schema, 2 threads': 2,
  'schema, cel, server, 2 threads': 2,
  'all tiers, 2 threads': 1,
};
const PARTS = ['synth', 'cold', 'import', 'kubeconform'] as const;
type Part = (typeof PARTS)[number];

/** The one small file of the cold start. */
const SMALL = `apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: research}
spec:
  nprocPerNode: "8"
  pytorchReplicaSpecs:
    Master: &role
      replicas: 1
      restartPolicy: OnFailure
      template:
        spec:
          containers:
          - name: pytorch
            image: registry.example.com/train:1.4.2
            command: [torchrun, train.py]
            resources: {limits: {nvidia.com/gpu: 8}}
    Worker: *role
`;

interface Row extends Measurement {
  readonly kind: Kind;
  readonly objects: number;
}

const { values } = parseArgs({
  options: {
    runs: { type: 'string' },
    sizes: { type: 'string' },
    part: { type: 'string', default: PARTS.join() },
    json: { type: 'string' },
  },
});
const wanted = values.part.split(',');
const unknown = wanted.find((part) => !PARTS.some((known) => known === part));
if (unknown !== undefined) {
  console.error(`bench:check: --part ${unknown}: unknown part; known are ${PARTS.join(', ')}`);
  process.exit(2);
}
const runs = Number(values.runs ?? 5);
const sizes = (values.sizes ?? '1000,10000').split(',').map(Number);

/** Programs whose time to load is compared: the constructs of the README, and cdk8s-plus-28, each with cdk8s. */
const LOADED = {
  gantry: "const { Accelerator, kubeflow, Team } = require('cdk8s-gantry'); new Set([Accelerator, kubeflow, Team]);",
  plus: "require('cdk8s-plus-28')",
  everything: "const gantry = require('cdk8s-gantry'); Object.keys(gantry).map((name) => gantry[name]);",
} as const;

// What is measured is the compiled package; a type error does not keep it from being compiled.
for (const command of [
  ['tsc', '--build', 'tsconfig.json'],
  ['tsx', 'projen/runtime/bundle.ts'],
]) {
  spawnSync(join(ROOT, 'node_modules', '.bin', command[0]), command.slice(1), { cwd: ROOT, stdio: 'inherit' });
}
const isWanted = (part: Part): boolean => wanted.includes(part);
const measured = isWanted('synth')
  ? sizes.flatMap((objects) => Array.from({ length: runs }, () => measurements(objects)).flat())
  : [];
const rows = isWanted('synth') ? sizes.flatMap((objects) => KINDS.map((kind) => medianRow(kind, objects))) : [];
const cold = isWanted('cold') ? coldStart() : undefined;
const loading = isWanted('import') ? loadingTimes() : undefined;
const beside = isWanted('kubeconform') ? besideKubeconform(Math.max(...sizes), runs) : undefined;
report();

/** One run of each kind. */
function measurements(objects: number): readonly Row[] {
  return KINDS.map((kind) => {
    process.stderr.write(`${kind}, ${objects} objects\n`);
    const words = ['--import', 'tsx', join(__dirname, 'check-run.ts'), kind, String(objects)];
    const measurement = JSON.parse(
      execFileSync(process.execPath, words, {
        cwd: ROOT,
        encoding: 'utf8',
        maxBuffer: 1e9,
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    ) as Measurement;
    return { ...measurement, kind, objects };
  });
}

function runsOf(kind: Kind, objects: number): readonly Row[] {
  return measured.filter((row) => row.kind === kind && row.objects === objects);
}

function medianRow(kind: Kind, objects: number): Row {
  const of = runsOf(kind, objects);
  return {
    kind,
    objects,
    seconds: median(of.map(({ seconds }) => seconds)),
    cpuSeconds: median(of.map(({ cpuSeconds }) => cpuSeconds)),
    peakMiB: median(of.map(({ peakMiB }) => peakMiB)),
    findings: of[0].findings,
  };
}

/** Processor time that checks add to a synth, by pairs of runs. */
function addedShares(objects: number): readonly number[] {
  const plain = runsOf('synth', objects);
  return runsOf('synth with checks', objects).map(({ cpuSeconds }, run) => cpuSeconds / plain[run].cpuSeconds - 1);
}

/** Seconds from start to answer of the compiled command on one small file, and of Node alone, in turns. */
function coldStart(): Readonly<Record<'first' | 'later' | 'nodeAlone', number>> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'));
  const file = join(folder, 'job.yaml');
  writeFileSync(file, SMALL);
  const check = [join(ROOT, 'bin', 'gantry'), 'check', file];
  const once = (words: readonly string[], env: NodeJS.ProcessEnv = {}): number => {
    const start = process.hrtime.bigint();
    spawnSync(process.execPath, words, { stdio: 'ignore', env: { ...process.env, XDG_CACHE_HOME: folder, ...env } });
    return Number(process.hrtime.bigint() - start) / 1e9;
  };
  try {
    once(check);
    const turns = Array.from({ length: COLD_RUNS }, () => ({
      first: once(check, { NODE_DISABLE_COMPILE_CACHE: '1' }),
      later: once(check),
      nodeAlone: once(['-e', '0']),
    }));
    const of = (what: keyof (typeof turns)[number]): number => median(turns.map((turn) => turn[what]));
    return { first: of('first'), later: of('later'), nodeAlone: of('nodeAlone') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** CPU seconds of programs that only load what they name, beside that of Node itself; one after the other, so that load of the machine is shared. */
function loadingTimes(): Readonly<Record<keyof typeof LOADED, number>> {
  const once = (program: string): number => {
    const { stdout } = spawnSync(
      process.execPath,
      ['-e', `${program}; const { user, system } = process.cpuUsage(); process.stdout.write(String(user + system));`],
      { cwd: ROOT, encoding: 'utf8' },
    );
    return Number(stdout) / 1e6;
  };
  const times = Object.values(LOADED).map((): number[] => []);
  for (let run = 0; run < COLD_RUNS; run++) {
    Object.values(LOADED).forEach((program, index) => times[index].push(once(program)));
  }
  const [gantry, plus, everything] = times.map(median);
  return { gantry, plus, everything };
}

function report(): void {
  console.log(`${cpus().length} x ${cpus()[0].model}, Node ${process.version}, medians of ${runs}\n`);
  if (rows.length > 0) {
    const cells = rows.map(({ kind, objects, seconds, cpuSeconds, peakMiB }) => [
      String(objects),
      kind,
      seconds.toFixed(2),
      cpuSeconds.toFixed(2),
      Math.round(objects / seconds).toString(),
      peakMiB.toFixed(0),
    ]);
    console.log(table(['objects', 'what', 'seconds', 'CPU s', 'objects/s', 'peak MiB'], cells, { color: false }));
  }
  const verdicts = [...synthVerdicts(), ...coldVerdicts(), ...loadingVerdicts(), ...besideVerdicts()];
  console.log(
    table(
      ['target', 'measured', 'wanted', ''],
      verdicts.map(([what, found, target, met]) => [what, found, target, target === '' ? '' : met ? 'met' : 'MISSED']),
      { color: false },
    ),
  );
  if (values.json !== undefined) {
    const addedShare = addedShares(Math.max(...sizes));
    const text = JSON.stringify(
      { rows, coldSeconds: cold, loading, addedShares: addedShare, linearity: linearity(), beside },
      undefined,
      2,
    );
    writeFileSync(values.json, `${text}\n`);
  }
}

type Verdict = readonly [what: string, found: string, wanted: string, met: boolean];

function linearity(): number {
  const [small, large] = [Math.min(...sizes), Math.max(...sizes)];
  return secondsOf('checks alone', large) / secondsOf('checks alone', small) / (large / small);
}

function synthVerdicts(): readonly Verdict[] {
  if (rows.length === 0) {
    return [];
  }
  const [small, large] = [Math.min(...sizes), Math.max(...sizes)];
  const pairs = addedShares(large);
  const added = median(pairs);
  return [
    [
      `checks add to synth, CPU (pairs: ${pairs.map((share) => `${(share * 100).toFixed(0)} %`).join(', ')})`,
      `${(added * 100).toFixed(0)} %`,
      `< ${TARGETS.addedShare * 100} %`,
      added < TARGETS.addedShare,
    ],
    [
      `checks, ${large} to ${small} objects, per object`,
      `x ${linearity().toFixed(2)}`,
      `< x ${TARGETS.linearity}`,
      linearity() < TARGETS.linearity,
    ],
  ];
}

function coldVerdicts(): readonly Verdict[] {
  return cold === undefined
    ? []
    : [
        [
          'check of one small file, compiled code kept',
          `${cold.later.toFixed(2)} s`,
          `< ${TARGETS.coldSeconds} s`,
          cold.later < TARGETS.coldSeconds,
        ],
        ['the same on the first run', `${cold.first.toFixed(2)} s`, '', true],
        ['Node alone', `${cold.nodeAlone.toFixed(2)} s`, '', true],
      ];
}

function loadingVerdicts(): readonly Verdict[] {
  return loading === undefined
    ? []
    : [
        [
          'load Team and kubeflow, to cdk8s-plus-28',
          `x ${(loading.gantry / loading.plus).toFixed(2)}`,
          `< x ${TARGETS.loading}`,
          loading.gantry / loading.plus < TARGETS.loading,
        ],
        ['load every export, to cdk8s-plus-28', `x ${(loading.everything / loading.plus).toFixed(2)}`, '', true],
      ];
}

/** Rates beside kubeconform, by the clock and by processor time; the targets are by the clock. */
function besideVerdicts(): readonly Verdict[] {
  if (!isWanted('kubeconform')) {
    return [];
  }
  if (beside === undefined) {
    return [['beside kubeconform', 'not measured: kubeconform is not built', '', true]];
  }
  const { kubeconform, kinds, valid, objects, gantry } = beside;
  const per = (rate: number): string => `${Math.round(rate).toLocaleString('en')}/s`;
  return [
    [
      `kubeconform, warm (${kinds} kinds, ${valid} of ${objects} valid)`,
      `${per(kubeconform.warm)}, ${per(kubeconform.warmPerCpuSecond)} of CPU`,
      '',
      true,
    ],
    ...Object.entries(gantry).map(([what, { warm, warmPerCpuSecond }]): Verdict => {
      const ratio = warm / kubeconform.warm;
      const target = BESIDE_TARGETS[what as Measured];
      return [
        `Gantry, warm, ${what}`,
        `x ${ratio.toFixed(2)} (${per(warm)}), CPU x ${(warmPerCpuSecond / kubeconform.warmPerCpuSecond).toFixed(2)}`,
        target === undefined ? '' : `>= x ${target}`,
        target === undefined || ratio >= target,
      ];
    }),
  ];
}

function secondsOf(kind: Kind, objects: number): number {
  return rows.find((row) => row.kind === kind && row.objects === objects)?.seconds ?? Number.NaN;
}
