/**
 * The commands of `gantry docker` as a person uses them: on a terminal, with mistakes, and with the options of `run` that other suites do not use.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PlanAnswer, type TaskAnswer } from '../../../src/runtime/docker/service/answers';
import { IMAGE, LiveEngine } from './live-engine';
import { LiveRunner, type Printed, until } from './live-runner';
import { buildEngine, whyNoEngine } from './programs';
import { CTRL_C, Pty, whyNoTerminal } from './pty';

const suite = whyNoEngine() === undefined ? describe : describe.skip;
const onTerminal = whyNoTerminal() === undefined ? test : test.skip;
const QUIET = ['--network', 'none'];
const LONG = 'while true; do sleep 1; done';

/** Words, and what the line says. */
const REFUSALS: readonly (readonly [readonly string[], RegExp])[] = [
  [['run', '--gpus', 'all', IMAGE], /^--gpus all: must be a number; "gantry docker top" lists the devices$/],
  [['run', '--gpus', '-1', IMAGE], /^--gpus -1: must be a whole number$/],
  [['run', '--gpus', '65', IMAGE], /^--gpus: must be a whole number from 1 to 64$/],
  [['run', '--gpus', '1', '--mig', '1g.10gb', IMAGE], /^--gpus and --mig: only one of them can be set$/],
  [['run', '--mig', '9x', IMAGE], /^--mig: must be a MIG profile such as 1g\.10gb$/],
  [['run', '--array', '0-99999', IMAGE], /^--array 0-99999: must be at most 10000 indices/],
  [['run', '--array', '5-1', IMAGE], /^--array 5-1: /],
  [['run', '--retries', '-1', IMAGE], /^--retries -1: must be a whole number$/],
  [['run', '--retries', '1000000', IMAGE], /^--retries: must be a whole number from 0 to 1000$/],
  [['run', '--replicas', '0', IMAGE], /^--replicas: must be a whole number from 1 to 64$/],
  [['run', '--timeout', '-5s', IMAGE], /^--timeout -5s: must be a duration such as 90s, 12h, or 2d$/],
  [['run', '--timeout', '999999h', IMAGE], /^--timeout in seconds: must be a number from 1 to \d+$/],
  [['run', '--memory', '1', IMAGE], /^--memory in bytes: must be a whole number from 6291456 to \d+$/],
  [['run', '--cpus', '-1', IMAGE], /^--cpus -1: must be a number greater than 0$/],
  [
    ['run', '--tenant', 'mallory', IMAGE],
    /^tenant "mallory": not found; tenants are default, bob\. Name one of them with --tenant, or add it to runner\.yaml$/,
  ],
  [['run', '--priority', 'urgent', IMAGE], /^priority "urgent": not found; priorities are low, normal, high$/],
  [['run', '--name', 'a\u001b[31mb', IMAGE], /^--name: must consist of lowercase letters.* not "a\\u001b\[31mb"$/],
  [['run', '--after', '9999', IMAGE], /^--after: task "9999" not found$/],
  [['run', '--volume', '/a:b', IMAGE], /^--volume: must be SOURCE:\/TARGET/],
  [['run', '--retry-on', 'luck', IMAGE], /^--retry-on: unknown class "luck"; classes are program, oom/],
  [['run', 'a b'], /^image: must be the name of an image$/],
  [['run', '-it', IMAGE], /^unknown option "-it"/],
  [['run'], /^missing required argument "image"$/],
  [['logs', '1', '--replica', '7'], /^replica: must be 0$/],
  [['logs', '1', '--attempt', 'x'], /^attempt: must be /],
  [['show', '\u001b[31m'], /^task "\\u001b\[31m": not found$/],
  [['show', '../..'], /^task "\.\.\/\.\.": not found$/],
  [['drain', ''], /^device: must not be empty$/],
  [['drain', '99'], /^device "99": not found$/],
  [['list', '--limit', '99999'], /^--limit 99999: must be a whole number from 1 to 10000$/],
  [['list', '--format', 'xml'], /Allowed choices are text, json\.$/],
  [['frobnicate'], /^unknown command "frobnicate"$/],
];

let engine: LiveEngine;
let runner: LiveRunner;

suite('the commands of the Docker runner', () => {
  beforeAll(async () => {
    engine = await LiveEngine.start(
      buildEngine((line) => process.stdout.write(`${line}\n`)),
      2,
    );
    runner = new LiveRunner(engine.host, () => ({ tenants: { default: {}, bob: { limit: { gpus: 1 } } } }));
    await runner.start();
  }, 1_800_000);

  afterAll(async () => {
    await runner?.stop();
    await engine?.stop();
  });

  afterEach(async () => {
    const open = await runner.client.list({ limit: '100', states: 'queued,starting,running,stopping' });
    await Promise.all(open.map(({ id }) => runner.client.cancel(id)));
    await runner.ended(...open.map(({ id }) => id));
  });

  async function queue(script: string, ...flags: readonly string[]): Promise<string> {
    const words = ['run', '-d', ...QUIET, '--grace-period', '0', ...flags, IMAGE, 'sh', '-c', script];
    const { out, err, status } = await runner.gantry(...words);
    expect([status, err]).toEqual([0, '']);
    return out.trim();
  }

  async function runs(id: string): Promise<void> {
    await until(`task ${id} runs`, async () => (await runner.task(id)).state === 'running');
  }

  async function json<T>(...words: readonly string[]): Promise<T> {
    const [word, ...rest] = words;
    return JSON.parse((await runner.gantry(word, '--format', 'json', ...rest)).out) as T;
  }

  onTerminal(
    'Ctrl-C leaves the task running and says how to come back, and that command goes on with its output',
    async () => {
      const script = 'for i in $(seq 100); do echo line $i; sleep 0.5; done';
      const run = new Pty(runner.socket, 80, 'run', ...QUIET, '--grace-period', '0', IMAGE, 'sh', '-c', script);
      await run.shows(/line 2/);
      run.type(CTRL_C);
      expect(await run.status()).toBe(130);
      const [, id] = /task (\d+) keeps running\. Follow it: gantry docker logs -f \1 /.exec(run.screen) ?? [];
      expect((await runner.task(id)).state).toBe('running');
      const logs = new Pty(runner.socket, 80, 'logs', '-f', id);
      await logs.shows(/line 1\r\n[^]*line 4\r\n/);
      expect((await runner.task(id)).state).toBe('running');
      await runner.client.cancel(id);
      expect(await logs.status()).toBe(0);
      expect(logs.screen).not.toContain('\ufffd');
    },
  );

  onTerminal('tables fit a narrow and a wide terminal, and the narrow one goes without columns', async () => {
    const command = `: ${'a long command '.repeat(12)}`;
    const running = await queue(
      `${command}; ${LONG}`,
      '--gpus',
      '2',
      '--name',
      'a-name-that-is-longer-than-most-names-are',
    );
    await runs(running);
    for (const name of ['one', 'two']) {
      await queue(command, '--gpus', '1', '--name', name);
    }
    for (const columns of [40, 60, 80, 120, 200]) {
      for (const word of ['list', 'queue', 'top']) {
        const table = new Pty(runner.socket, columns, word);
        expect(await table.status()).toBe(0);
        const [head, ...rows] = word === 'top' ? table.lines.slice(1) : table.lines;
        expect({ columns, word, wide: [head, ...rows].filter((line) => line.length > columns) }).toEqual({
          columns,
          word,
          wide: [],
        });
        expect(head.split(/ +/)[0]).toBe(word === 'top' ? 'GPU' : 'ID');
      }
    }
  });

  test('wait exits with the status of the task, or of the first one that did not succeed', async () => {
    const [good, bad, worse] = [await queue('true'), await queue('exit 7'), await queue('exit 9')];
    const canceled = await queue(LONG);
    const early = await queue(LONG, '--gpus', '3');
    expect((await runner.gantry('wait', good)).status).toBe(0);
    expect(await runner.gantry('wait', good, worse, bad)).toMatchObject({
      status: 9,
      out: `${good} succeeded\n${worse} failed (exit 9)\n${bad} failed (exit 7)\n`,
    });
    const array = await queue('exit $((GANTRY_ARRAY_INDEX * 4))', '--array', '0-1');
    expect((await runner.gantry('wait', array)).status).toBe(4);
    const waits = runner.gantry('wait', canceled);
    await runs(canceled);
    await runner.gantry('cancel', canceled, early);
    expect((await waits).status).toBe(137);
    // It never ran, so that it has no status.
    expect((await runner.gantry('wait', early)).status).toBe(1);
  });

  test('a drained device gets no task, what runs on it goes on, and it is used again after resume', async () => {
    const running = await queue(LONG, '--gpus', '1');
    await runs(running);
    const [{ devices, deviceIndices }] = (await runner.task(running)).containers;
    const [index] = deviceIndices;
    expect((await runner.gantry('drain', String(index))).out).toBe(`${index} drained; still on it: ${running}\n`);
    const waiting = await queue('true', '--gpus', '2');
    const beside = await queue('true', '--gpus', '1');
    const [{ containers }] = await runner.ended(beside);
    expect(containers[0].devices).not.toEqual(devices);
    expect((await runner.task(running)).state).toBe('running');
    await runner.gantry('cancel', running);
    await runner.ended(running);
    expect(await runner.task(waiting)).toMatchObject({ state: 'queued' });
    expect((await runner.gantry('plan', waiting)).out).toMatch(/^Waits: too few devices are free; it needs 1 more\n/);
    expect((await runner.gantry('resume', devices[0])).out).toMatch(/ (free|used)/);
    expect((await runner.ended(waiting))[0].state).toBe('succeeded');
  });

  test('tasks without devices run while all devices are in use, and see none', async () => {
    await runs(await queue(LONG, '--gpus', '2'));
    const script = 'echo $NVIDIA_VISIBLE_DEVICES; env | grep -c GIVEN';
    const printed = await runner.gantry('run', ...QUIET, '--gpus', '0', IMAGE, 'sh', '-c', script);
    expect(printed).toMatchObject({ status: 1, out: 'void\n0\n' });
  });

  test('replicas start together on different devices, and when one fails, the others are stopped', async () => {
    const script =
      'echo $GANTRY_REPLICA of $GANTRY_REPLICAS; [ $GANTRY_REPLICA = 0 ] || { sleep 1; exit 5; }; sleep 300';
    const id = await queue(script, '--gpus', '1', '--replicas', '2');
    const [task] = await runner.ended(id);
    expect(task).toMatchObject({ state: 'failed', exitCode: expect.any(Number) as number });
    expect(new Set(task.containers.flatMap(({ devices }) => devices)).size).toBe(2);
    for (const replica of [0, 1]) {
      expect((await runner.gantry('logs', id, '--replica', String(replica))).out).toBe(`${replica} of 2\n`);
    }
  });

  test('a task that keeps failing is tried as often as it may, and is then marked failed', async () => {
    const id = await queue('echo $GANTRY_ATTEMPT; exit 4', '--retries', '1', '--retry-on', 'program');
    const other = await queue('exit 4', '--retries', '3', '--retry-on', 'oom,infra');
    expect(await runner.ended(id, other)).toMatchObject([
      { state: 'failed', attempt: 2, failures: 2, failure: { class: 'program' } },
      { state: 'failed', attempt: 1, failures: 1 },
    ]);
    expect((await runner.gantry('logs', id, '--attempt', '1')).out).toBe('1\n');
    expect((await runner.gantry('logs', id)).out).toBe('2\n');
  });

  test('plan and dry run name the devices, or the reason, the earliest start, and what would help', async () => {
    const free = await runner.gantry('run', '--dry-run', '--gpus', '2', IMAGE, 'true');
    expect(free.out).toBe('Starts now:\n  nvidia.com/gpu=0, nvidia.com/gpu=1\n');
    const dry = await runner.gantry('run', '--dry-run', '--tenant', 'bob', '--gpus', '2', IMAGE, 'true');
    expect(dry.out).toBe(
      'Waits: it would exceed the limit of tenant bob by 1 GPU\nWhat would help:\n  Fits if the limit of tenant bob is raised by 1 GPU.\n',
    );
    const running = await queue(LONG, '--gpus', '2', '--timeout', '1h');
    await runs(running);
    const waiting = await queue('true', '--gpus', '2');
    const { startAt = '', waits, wouldHelp } = await json<PlanAnswer>('plan', waiting);
    const { startedAt = '' } = await runner.task(running);
    expect(Math.abs(Date.parse(startAt) - Date.parse(startedAt) - 3_600_000)).toBeLessThan(60_000);
    expect({ waits, wouldHelp }).toEqual({
      waits: 'too few devices are free; it needs 2 more',
      wouldHelp: ['Fits with 2 more GPUs.', 'Starts when running tasks have reached their time limits.'],
    });
    expect((await runner.gantry('plan', waiting)).out).toContain(`Earliest start: ${startAt}\n`);
    const never = await runner.gantry('run', '--dry-run', '--gpus', '3', IMAGE, 'true');
    expect(never.out).toBe('Waits: cannot start on this host: it needs 3 GPUs; the host has 2\n');
    expect((await runner.gantry('queue')).out).toMatch(/EARLIEST[^]* in \d+m/);
    expect(await json<readonly TaskAnswer[]>('list', '--all')).not.toContainEqual(
      expect.objectContaining({ tenant: 'bob' }),
    );
  });

  test('the fields of --format json are these, since programs read them', async () => {
    const running = await queue(LONG, '--gpus', '1', '--name', 'held', '--cpus', '1', '--memory', '64Mi');
    await runs(running);
    const waiting = await queue('true', '--gpus', '2');
    const failed = await queue('exit 3');
    await runner.ended(failed);
    const fields = (value: unknown): readonly string[] => Object.keys(value as object).sort();
    const task = [
      'attempt',
      'command',
      'containers',
      'failures',
      'id',
      'image',
      'preemptions',
      'priority',
      'replicas',
      'request',
      'state',
      'submittedAt',
      'tenant',
    ];
    const [held] = await json<readonly TaskAnswer[]>('show', 'held');
    expect(fields(held)).toEqual([...task, 'cpus', 'memoryBytes', 'name', 'startedAt'].sort());
    expect(fields(held.containers[0])).toEqual([
      'cpus',
      'deviceIndices',
      'devices',
      'id',
      'index',
      'memoryNodes',
      'state',
    ]);
    const [ended] = await json<readonly TaskAnswer[]>('wait', failed);
    expect(fields(ended)).toEqual([...task, 'endedAt', 'exitCode', 'failure', 'startedAt'].sort());
    const listed = await json<readonly TaskAnswer[]>('list', '--all', '--limit', '3');
    expect(listed.map(({ id, state }) => [id, state])).toEqual([
      [failed, 'failed'],
      [waiting, 'queued'],
      [running, 'running'],
    ]);
    const [queued] = await json<readonly unknown[]>('queue');
    expect(fields(queued)).toEqual([...task, 'plan'].sort());
    expect(fields(await json('plan', waiting))).toEqual(['stops', 'waits', 'wouldHelp']);
    expect(fields(await json('run', '--dry-run', IMAGE))).toEqual(['starts', 'stops', 'wouldHelp']);
    const top = await json<{ readonly devices: readonly unknown[]; readonly host: unknown }>('top');
    expect(fields(top)).toEqual(['devices', 'engine', 'host', 'isConnected', 'open', 'version']);
    expect(fields(top.host)).toEqual(['cpus', 'devices', 'memoryBytes', 'name']);
    expect(fields(top.devices[0])).toEqual(['id', 'index', 'state', 'tasks']);
    const [check] = await json<readonly unknown[]>('check');
    expect(fields(check)).toEqual(['found', 'name', 'state']);
    const [canceled] = await json<readonly TaskAnswer[]>('cancel', waiting);
    expect(fields(canceled)).toEqual([...task, 'endedAt'].sort());
  });

  test('what cannot be is refused in one line that names the option', async () => {
    for (const [words, expected] of REFUSALS) {
      expectRefused(words, await runner.gantry(...words), expected);
    }
  });

  test('a socket without a runner, an address of another program, and a broken runner.yaml are refused in one line', async () => {
    for (const [socket, problem] of [
      ['/nonexistent', /no runner listens here\. Start one with "gantry docker serve"\.$/],
      [engine.socket, /docker\.sock: the server that listens here is not a runner$/],
    ] as const) {
      expectRefused([socket], await runner.gantry('--socket', socket, 'list'), problem);
    }
    for (const [text, problem] of [
      ['tenants: [', /runner\.yaml/],
      ['tint: red', /unknown field "tint"/],
      ['tenants: { "A\u001b": {} }', /control character U\+001B/],
      ['state: -1', /state/],
    ] as const) {
      const file = join(runner.folder, 'bad-runner.yaml');
      writeFileSync(file, text);
      expectRefused([text], await runner.gantry('serve', '--config', file), problem);
    }
  });

  test('what tenants write does not steer the terminal of the reader', async () => {
    const id = await queue(`: '\u001b]0;owned\u0007'; exit 1`);
    await runner.ended(id);
    for (const words of [
      ['list', '--all'],
      ['show', id],
    ]) {
      expect((await runner.gantry(...words)).out).toContain("'\ufffd]0;owned\ufffd'");
    }
  });
});

function expectRefused(words: readonly string[], { status, out, err }: Printed, expected: RegExp): void {
  expect({ words, status, out, lines: err.trimEnd().split('\n') }).toEqual({
    words,
    status: 2,
    out: '',
    lines: [expect.stringMatching(/^gantry: /)],
  });
  expect(err.trimEnd().replace(/^gantry: /, '')).toMatch(expected);
  expect(err).not.toMatch(/(?!\n)\p{Cc}/u);
}
