/**
 * Processes that a killed engine does not know of: no device is free before they have ended.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HIDDEN_PROCESSES, type HostProcesses, localProcesses } from '../../../src/runtime/docker/engine/processes';
import { OutOfService } from '../../../src/runtime/docker/runner/out-of-service';
import { type Parts } from '../../../src/runtime/docker/runner/parts';
import { Settler } from '../../../src/runtime/docker/runner/settler';
import { TaskStore } from '../../../src/runtime/docker/store/store';
import { type Member } from '../../../src/runtime/docker/task/task';
import { PLACE } from './tasks';

const CONTAINER = 'c0ffee'.repeat(10);
const MEMBER: Member = { ...PLACE, index: 0, state: 'created', container: CONTAINER };

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gantry-leftovers-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function processAt(pid: number, comm: string, cgroup: string, state = 'S'): void {
  mkdirSync(join(folder, String(pid)));
  writeFileSync(join(folder, String(pid), 'comm'), `${comm}\n`);
  writeFileSync(join(folder, String(pid), 'cgroup'), cgroup);
  writeFileSync(join(folder, String(pid), 'stat'), `${pid} (${comm}) ${state} 1 1`);
}

test('processes are found by the id in their cgroup, with both cgroup drivers, and zombies hold nothing', () => {
  processAt(1, 'init', '0::/init.scope\n');
  processAt(10, 'dockerd', '0::/system.slice/docker.service\n');
  processAt(20, 'python) Z', `0::/system.slice/docker-${CONTAINER}.scope\n`);
  processAt(21, 'python', `9:memory:/docker/${CONTAINER}\n1:name=systemd:/docker/${CONTAINER}\n`);
  processAt(22, 'python', `0::/docker/${CONTAINER}\n`, 'Z');
  processAt(23, 'other', `0::/docker/${'beef'.repeat(16)}\n`);
  mkdirSync(join(folder, 'sys'));
  expect(localProcesses(folder).of(CONTAINER)).toEqual([20, 21]);
});

test('where no engine is seen, nothing is known of its processes', () => {
  processAt(1, 'gantry', '0::/\n');
  expect(localProcesses(folder).of(CONTAINER)).toBeUndefined();
});

function settlerWith(processes: HostProcesses): {
  settler: Settler;
  store: TaskStore;
  outOfService: OutOfService;
  looks: () => number;
} {
  const store = TaskStore.open(join(folder, 'state'));
  const outOfService = new OutOfService(store);
  let looks = 0;
  const parts = { options: { processes, log: () => undefined }, outOfService, lookAgain: () => looks++ };
  return { settler: new Settler(parts as unknown as Parts), store, outOfService, looks: () => looks };
}

test('a process that the engine does not know of is ended, and holds its device until it is gone', () => {
  const killed: number[] = [];
  let left = [42];
  const { settler, outOfService, looks } = settlerWith({ of: () => left, kill: (pid) => killed.push(pid) });
  expect(settler.isGone({ id: '7' }, MEMBER)).toBe(false);
  expect([killed, looks()]).toEqual([[42], 1]);
  expect([...outOfService.quarantined]).toEqual([
    ['gpu-0', expect.stringMatching(/^process 42 of container c0ffeec0ffee of task 7 runs/)],
  ]);
  left = [];
  expect(settler.isGone({ id: '7' }, MEMBER)).toBe(true);
  expect([...outOfService.all]).toEqual([]);
});

test('where processes cannot be seen the device is quarantined, also after a restart, until it is resumed', () => {
  const { settler, store } = settlerWith(HIDDEN_PROCESSES);
  expect(settler.isGone({ id: '7' }, MEMBER, true)).toBe(true);
  expect(settler.isGone({ id: '7' }, MEMBER)).toBe(true);
  const again = new OutOfService(store);
  expect([...again.quarantined]).toEqual([['gpu-0', expect.stringMatching(/end it, then resume the device/)]]);
  again.resume('gpu-0');
  expect(new OutOfService(store).all.size).toBe(0);
});
