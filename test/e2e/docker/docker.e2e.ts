/**
 * The Docker runner against a real engine: what a user sees, and what is left after each unplanned end.
 */
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildEngine, whyNoEngine } from './programs';
import { IMAGE, LiveEngine } from './live-engine';
import { LiveRunner, until } from './live-runner';

const reason = whyNoEngine();
const suite = reason === undefined ? describe : describe.skip;

let engine: LiveEngine;
let runner: LiveRunner;

suite('the Docker runner', () => {
  beforeAll(async () => {
    const programs = buildEngine((line) => process.stdout.write(`${line}\n`));
    engine = await LiveEngine.start(programs, 2);
  }, 1_800_000);

  afterAll(async () => {
    await engine?.stop();
  });

  beforeEach(async () => {
    runner = new LiveRunner(engine.host);
    await runner.start();
  });

  afterEach(async () => {
    await runner.stop();
    await engine.clear();
  });

  /** Queues `sh -c SCRIPT`. */
  async function queue(script: string, ...flags: readonly string[]): Promise<string> {
    const { out, err, status } = await runner.gantry(
      'run',
      '-d',
      '--network',
      'none',
      '-v',
      `${runner.shared}:/shared`,
      ...flags,
      IMAGE,
      'sh',
      '-c',
      script,
    );
    if (status !== 0) {
      throw new Error(err);
    }
    return out.trim();
  }

  /** Runs until the test writes the file, so that nothing depends on how long the test takes. */
  const UNTIL_WRITTEN = 'until [ -e /shared/go ]; do sleep 0.1; done';
  const RECORD = 'echo $GANTRY_TASK/$GANTRY_ATTEMPT >> /shared/ran';
  const recorded = (): readonly string[] => {
    try {
      return readFileSync(join(runner.shared, 'ran'), 'utf8').trim().split('\n').sort();
    } catch {
      return [];
    }
  };

  test('a task gets a device, its output and its exit status reach the command line, and its container is removed', async () => {
    const script = 'echo to-stdout; echo to-stderr >&2; env | grep GIVEN; exit 3';
    const printed = await runner.gantry('run', '--gpus', '1', '--network', 'none', IMAGE, 'sh', '-c', script);
    expect(printed).toMatchObject({ status: 3, out: 'to-stdout\nGIVEN_0=1\n' });
    expect(printed.err).toMatch(/to-stderr\n[^]*task 1 failed \(exit 3\): exited with code 3\n$/);
    await until(
      'the container is removed',
      async () => (await engine.ask<unknown[]>('GET', '/containers/json?all=1')).length === 0,
    );
    expect((await runner.gantry('logs', '1')).out).toBe('to-stdout\nGIVEN_0=1\n');
  });

  test('no device is given twice, and tasks without devices run beside them', async () => {
    const script =
      'env | grep GIVEN | while read given; do mkdir /shared/$given || echo twice >> /shared/ran; done; sleep 0.3; env | grep GIVEN | while read given; do rmdir /shared/$given; done';
    const ids: string[] = [];
    for (let index = 0; index < 8; index++) {
      ids.push(await queue(script, '--gpus', index % 4 === 3 ? '2' : '1'));
    }
    ids.push(await queue('true'));
    expect((await runner.ended(...ids)).map(({ state }) => state)).toEqual(ids.map(() => 'succeeded'));
    expect(recorded()).toEqual([]);
  });

  test('a task of higher priority goes first, and stops one that may be stopped, which is queued again', async () => {
    const low = await queue(
      'trap "exit 0" TERM; sleep 300 & wait',
      '--gpus',
      '2',
      '--priority',
      'low',
      '--preemptible',
    );
    await until('it runs', async () => (await runner.task(low)).state === 'running');
    const high = await queue('true', '--gpus', '1', '--priority', 'high');
    expect((await runner.ended(high))[0].state).toBe('succeeded');
    await until('it runs again', async () => (await runner.task(low)).state === 'running');
    expect(await runner.task(low)).toMatchObject({ preemptions: 1, attempt: 2, failures: 0 });
    expect((await runner.gantry('cancel', low)).status).toBe(0);
    expect((await runner.ended(low))[0].state).toBe('canceled');
  });

  test('failures are told apart: program, memory, time limit, image, command', async () => {
    const program = await queue('exit 7');
    const memory = await queue('tail /dev/zero', '--memory', '16Mi');
    const time = await queue('sleep 60', '--timeout', '1s', '--grace-period', '0');
    const { out: image } = await runner.gantry('run', '-d', '--network', 'none', 'localhost:1/none:1', 'true');
    const { out: command } = await runner.gantry('run', '-d', '--network', 'none', IMAGE, '/no/such/program');
    const tasks = await runner.ended(program, memory, time, image.trim(), command.trim());
    expect(tasks.map(({ state, failure }) => [state, failure?.class])).toEqual([
      ['failed', 'program'],
      ['failed', 'oom'],
      ['failed', 'timeout'],
      ['failed', 'image'],
      ['failed', 'program'],
    ]);
  });

  test('an array runs each of its tasks once, and a task after it starts when all have succeeded', async () => {
    await queue(
      'echo element $GANTRY_ARRAY_INDEX >> /shared/ran',
      '--gpus',
      '1',
      '--array',
      '0-4',
      '--name',
      'counted',
    );
    const after = await queue('wc -l < /shared/ran', '--after', 'counted');
    const never = await queue('true', '--after', await queue('exit 1'));
    const [last, given] = await runner.ended(after, never);
    expect(recorded()).toEqual([0, 1, 2, 3, 4].map((index) => `element ${index}`));
    expect((await runner.gantry('logs', last.id)).out).toBe('5\n');
    expect(given).toMatchObject({ state: 'failed', failure: { class: 'dependency' } });
  });

  test('a runner that is killed at any moment loses no task and runs none twice', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 8; index++) {
      ids.push(await queue(`${RECORD}; sleep 0.5`, '--gpus', '1'));
    }
    // From before the first container is created to after the last one has ended, in uneven steps.
    for (const pause of [0, 30, 90, 170, 260, 350, 470, 610]) {
      await sleep(pause);
      await runner.kill();
      await runner.start();
    }
    const tasks = await runner.ended(...ids);
    expect(tasks.map(({ state, attempt }) => [state, attempt])).toEqual(ids.map(() => ['succeeded', 1]));
    expect(recorded()).toEqual(ids.map((id) => `${id}/1`).sort());
  });

  test('a task that ended while no runner ran is known afterwards, with its output', async () => {
    const id = await queue(`${UNTIL_WRITTEN}; echo late; exit 5`);
    await until('it runs', async () => (await runner.task(id)).state === 'running');
    await runner.kill();
    writeFileSync(join(runner.shared, 'go'), '');
    await until(
      'its container ended',
      async () => (await engine.ask<unknown[]>('GET', '/containers/json')).length === 0,
    );
    await runner.start();
    expect((await runner.ended(id))[0]).toMatchObject({ state: 'failed', exitCode: 5 });
    await until('its output is kept', async () => (await runner.gantry('logs', id)).out === 'late\n');
  });

  test('an engine that is killed does not make a task run twice, unless the task allows it', async () => {
    const once = await queue(`${RECORD}; sleep 300`);
    const again = await queue(
      `${RECORD}; [ $GANTRY_ATTEMPT = 2 ] || sleep 300`,
      '--retries',
      '1',
      '--retry-on',
      'infra',
    );
    await until('both run', () => Promise.resolve(recorded().length === 2));
    await engine.kill();
    await engine.startAgain();
    const [first, second] = await runner.ended(once, again);
    expect(first).toMatchObject({ state: 'failed', attempt: 1, failure: { class: 'engine' } });
    expect(second).toMatchObject({ state: 'succeeded', attempt: 2 });
    expect(recorded()).toEqual([`${once}/1`, `${again}/1`, `${again}/2`].sort());
  });

  test('a process that a killed engine started and did not write down is ended before its device is free', async () => {
    const script = `${RECORD}; while true; do date +%s%N > /shared/alive; sleep 0.05; done`;
    const beats = (): string => {
      try {
        return readFileSync(join(runner.shared, 'alive'), 'utf8');
      } catch {
        return '';
      }
    };
    engine.killAtNextStart();
    const id = await queue(script, '--gpus', '2');
    await until('the engine was killed', () => Promise.resolve(engine.wasKilledAtStart));
    await until('the process runs on', () => Promise.resolve(beats() !== ''));
    engine.forgetTasks();
    await engine.startAgain();
    const next = await queue('true', '--gpus', '1');
    expect((await runner.ended(id))[0]).toMatchObject({ state: 'failed', attempt: 1, failure: { class: 'engine' } });
    const last = beats();
    expect((await runner.ended(next))[0].state).toBe('succeeded');
    await sleep(300);
    expect(beats()).toBe(last);
    expect(recorded()).toEqual([`${id}/1`]);
  });

  test('a container that is removed by hand is a failure of its task, and its device is free again', async () => {
    const id = await queue('sleep 300', '--gpus', '2');
    await until('it runs', async () => (await runner.task(id)).state === 'running');
    const [{ id: container }] = (await runner.task(id)).containers;
    await engine.ask('DELETE', `/containers/${container}?force=1`);
    expect((await runner.ended(id))[0]).toMatchObject({ state: 'failed', failure: { class: 'lost' } });
    expect((await runner.ended(await queue('true', '--gpus', '2')))[0].state).toBe('succeeded');
  });

  test('a second runner on the engine refuses to start, and so does one on the same store', async () => {
    const second = new LiveRunner(engine.host);
    const words = ['serve', '--config', join(second.folder, 'runner.yaml')];
    const refused = await second.gantry(...words);
    expect(refused.status).toBe(2);
    expect(refused.err).toMatch(/the engine at unix:.* is used by the runner whose tasks are in .*--adopt/);
    const same = await second.gantry('serve', '--config', join(runner.folder, 'runner.yaml'));
    expect(same.status).toBe(2);
    expect(same.err).toMatch(/tasks\.db: another runner has it open/);
    await second.stop();
  });

  test('a store that was cut is refused, and running tasks are found again from their containers', async () => {
    const id = await queue(`${RECORD}; ${UNTIL_WRITTEN}; echo found`, '--gpus', '1');
    await until('it runs', () => Promise.resolve(recorded().length === 1));
    await runner.kill();
    const store = join(runner.folder, 'state', 'tasks.db');
    truncateSync(store, 4096);
    const refused = await runner.gantry('serve', '--config', join(runner.folder, 'runner.yaml'));
    expect([refused.status, refused.err]).toEqual([2, expect.stringMatching(/tasks\.db: damaged/)]);
    rmSync(join(runner.folder, 'state'), { recursive: true });
    await runner.start('--adopt');
    expect(await runner.task(id)).toMatchObject({ containers: [{ devices: ['nvidia.com/gpu=0'] }] });
    writeFileSync(join(runner.shared, 'go'), '');
    expect((await runner.ended(id))[0]).toMatchObject({ state: 'succeeded', attempt: 1 });
    expect(recorded()).toEqual([`${id}/1`]);
    const next = await queue('true');
    expect(Number(next)).toBeGreaterThan(Number(id));
  });

  test('a device that falls off the bus ends its task, which goes on with another device, and a thermal slowdown passes', async () => {
    const report = join(runner.folder, 'report.xml');
    const gpu = (index: number, fault = 'Not Active'): string =>
      `<gpu id="00000000:0${index}:00.0"><product_name>NVIDIA X</product_name><uuid>GPU-${index}</uuid>` +
      `<clocks_event_reasons><clocks_event_reason_hw_thermal_slowdown>${fault}</clocks_event_reason_hw_thermal_slowdown></clocks_event_reasons></gpu>`;
    const show = (...gpus: readonly string[]): void =>
      writeFileSync(report, `<nvidia_smi_log>${gpus.join('')}</nvidia_smi_log>`);
    show(gpu(0), gpu(1));
    runner.install('nvidia-smi', `[ "$1" = -q ] && cat ${report}`);
    await runner.kill();
    await runner.start();
    const id = await queue(
      '[ $GANTRY_ATTEMPT = 2 ] || sleep 300',
      '--gpus',
      '1',
      '--retries',
      '1',
      '--grace-period',
      '0',
    );
    await until('it runs', async () => (await runner.task(id)).state === 'running');
    expect((await runner.task(id)).containers[0].devices).toEqual(['GPU-0']);
    show(gpu(1));
    const [task] = await runner.ended(id);
    expect(task).toMatchObject({ state: 'succeeded', attempt: 2, containers: [{ devices: ['GPU-1'] }] });
    await until('the device is out of service', async () =>
      /out of service: it is no longer listed/.test((await runner.gantry('top')).out),
    );
    show(gpu(0), gpu(1, 'Active'));
    const states = async (): Promise<readonly string[]> => (await runner.client.devices()).map(({ state }) => state);
    await until('the faults are seen', async () => (await states()).join() === 'free,out of service');
    show(gpu(0), gpu(1));
    await until('both are in service', async () => (await states()).join() === 'free,free');
  });

  test('the host is checked, and what is missing has a command that mends it', async () => {
    const { out } = await runner.gantry('check', '--format', 'json');
    const checks = JSON.parse(out) as { name: string; state: string; fix?: string }[];
    expect(checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'engine version',
        'cgroup',
        'swap accounting',
        'runtimes',
        'devices',
        'open files',
        'disk',
      ]),
    );
    expect(checks.filter(({ state, fix, name }) => state !== 'ok' && fix === undefined && name !== 'engine')).toEqual(
      [],
    );
    expect((await runner.gantry('check')).out).toMatch(/^ok {7}devices: 2, of these 2 by CDI; CDI folders: .*cdi/m);
  });

  test('containers of others keep their devices', async () => {
    const body = {
      Image: IMAGE,
      Cmd: ['sleep', '300'],
      HostConfig: { NetworkMode: 'none', DeviceRequests: [{ Driver: 'cdi', DeviceIDs: ['nvidia.com/gpu=0'] }] },
    };
    const { Id } = await engine.ask<{ Id: string }>('POST', '/containers/create', JSON.stringify(body));
    await engine.ask('POST', `/containers/${Id}/start`);
    await runner.kill();
    await runner.start();
    const id = await queue('true', '--gpus', '1');
    const [task] = await runner.ended(id);
    expect(task.containers[0].devices).toEqual(['nvidia.com/gpu=1']);
    const { out } = await runner.gantry('top');
    expect(out).toMatch(/0 .* used by others/);
  });
});
