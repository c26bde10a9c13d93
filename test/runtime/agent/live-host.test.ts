/**
 * The files of the machine that runs the tests: real throttling of a process in a cgroup of the test, and the pressure of the node.
 *
 * The throttling needs the right to make a cgroup with a CPU limit (cgroup v1, as root); without it, that test says so and ends.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HostFiles } from '../../../src/runtime/agent/host/host-files';
import { Judge } from '../../../src/runtime/agent/judge/conditions';

const CPU = '/sys/fs/cgroup/cpu';
const UID = `0ff1ce00-0000-4000-8000-${process.pid.toString(16).padStart(12, '0')}`;
/** As the kubelet with the driver cgroupfs makes it. */
const PODS = join(CPU, 'kubepods');
const POD = join(PODS, `pod${UID}`);
const CONTAINER = join(POD, 'c0ffee'.repeat(10) + 'cafe');

const live = new HostFiles('/');
afterAll(() => live.kept.close());

function canLimit(): boolean {
  try {
    mkdirSync(CONTAINER, { recursive: true });
    writeFileSync(join(CONTAINER, 'cpu.cfs_period_us'), '10000');
    writeFileSync(join(CONTAINER, 'cpu.cfs_quota_us'), '1000');
    return existsSync(join(CONTAINER, 'cpu.stat'));
  } catch {
    return false;
  }
}

function remove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It is not there, or is not ours.
  }
}

describe('a process at its CPU limit', () => {
  let child: ChildProcess | undefined;
  afterAll(async () => {
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    for (const folder of [CONTAINER, POD, PODS]) {
      remove(folder);
      await sleep(50);
    }
  });

  test('is seen by the agent, from the kernel to the condition, and is over when it ends', async () => {
    if (!canLimit()) {
      process.stdout.write('SKIPPED live throttling: no cgroup with a CPU limit can be made here\n');
      return;
    }
    child = spawn(process.execPath, ['-e', 'setTimeout(() => { for (;;); }, 200)'], { stdio: 'ignore' });
    writeFileSync(join(CONTAINER, 'cgroup.procs'), String(child.pid));
    const judge = new Judge({ devices: new Map() });
    const podNames = new Map([[UID, { namespace: 'research', name: 'loader' }]]);
    const look = (): string => {
      const cgroups = live.cgroups.read();
      const found = judge.judge({ at: 0, failures: [], cgroups, podNames });
      const { status, message } = found.find(({ type }) => type === 'CpuThrottled')!;
      return `${status} ${message}`;
    };
    const until = async (pattern: RegExp): Promise<string> => {
      for (let tries = 0, last = ''; ; tries++) {
        // More than the 20 CPU periods of 10 ms that the condition needs.
        await sleep(250);
        last = look();
        if (pattern.test(last) || tries > 120) {
          return last;
        }
      }
    };
    expect(await until(/^True/)).toMatch(/^True CPU limits throttle containers: .*research\/loader in \d+%/);
    child.kill('SIGKILL');
    await once(child, 'exit');
    remove(CONTAINER);
    expect(await until(/^False/)).toMatch(/^False /);
  }, 90_000);
});

test('the pressure of this machine, where its kernel reports it', () => {
  if (!existsSync('/proc/pressure/cpu')) {
    process.stdout.write('SKIPPED live pressure: the kernel has no PSI\n');
    return;
  }
  const before = live.pressure().cpu;
  const end = Date.now() + 300;
  while (Date.now() < end) {
    // The processor is busy.
  }
  const after = live.pressure().cpu;
  expect(after!.some.totalSeconds).toBeGreaterThanOrEqual(before!.some.totalSeconds);
  expect(after!.some.avg60).toBeGreaterThanOrEqual(0);
  expect(after!.some.avg60).toBeLessThanOrEqual(1);
});
