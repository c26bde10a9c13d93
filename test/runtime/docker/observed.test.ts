/**
 * What containers mean that are found: the table of every state of a container and every state of its task.
 */
import { disposalOf, observed } from '../../../src/runtime/docker/runner/observed';
import { taskOfLabels } from '../../../src/runtime/docker/runner/adopt';
import { containerSpec, LABELS } from '../../../src/runtime/docker/runner/container-spec';
import { next } from '../../../src/runtime/docker/task/life';
import { type Task } from '../../../src/runtime/docker/task/task';
import { PLACE, queued } from './tasks';

const NOW = 50_000;
const state = (Status: string, more: object = {}): Parameters<typeof observed>[0] => ({
  State: {
    Status,
    OOMKilled: false,
    ExitCode: 0,
    Error: '',
    StartedAt: '1970-01-01T00:00:20Z',
    FinishedAt: '1970-01-01T00:00:40Z',
    ...more,
  },
});
const calm = { now: NOW, stopping: false };

test('a container that was never started waits, fails with what the engine says, or ends with its task', () => {
  expect(observed(state('created'), calm)).toEqual({ kind: 'nothing' });
  expect(observed(state('created', { Error: 'no space' }), calm)).toMatchObject({
    kind: 'ended',
    failure: { class: 'engine' },
  });
  expect(observed(state('created'), { now: NOW, stopping: true })).toEqual({ kind: 'ended', at: NOW });
});

test('a container that a killed engine calls running, without the time of a start, is not known to have been started', () => {
  const found = state('running', { StartedAt: '0001-01-01T00:00:00Z', Running: true });
  expect(observed(found, calm)).toEqual({ kind: 'nothing' });
  expect(observed(found, { now: NOW, stopping: true })).toEqual({ kind: 'ended', at: NOW });
  expect(observed(state('running'), calm)).toEqual({ kind: 'running', at: 20_000 });
});

test('a start that was given up with the runner is no failure: nothing ran', () => {
  expect(observed(state('created', { Error: 'Canceled: context canceled' }), calm)).toEqual({ kind: 'nothing' });
});

test('ends are dated by the engine; those in an outage of the engine are the fault of the engine', () => {
  expect(observed(state('exited'), calm)).toEqual({ kind: 'ended', at: 40_000, code: 0 });
  const outage = { from: 30_000, to: 45_000 };
  expect(observed(state('exited', { ExitCode: 137 }), { ...calm, outage })).toMatchObject({
    failure: { class: 'engine' },
  });
  expect(observed(state('exited', { ExitCode: 137 }), { ...calm, outage: { from: 41_000, to: 45_000 } })).toMatchObject(
    {
      failure: { class: 'program' },
    },
  );
  expect(observed(undefined, { ...calm, said: 137 })).toMatchObject({ failure: { class: 'lost', exitCode: 137 } });
});

const placed = next(queued(7), { kind: 'place', at: 1, placements: [PLACE] });
const running = [
  { kind: 'created', member: 0, container: 'c' } as const,
  { kind: 'started', member: 0, at: 2 } as const,
].reduce<Task>(next, placed);
const ended = next(running, { kind: 'exited', member: 0, at: 3, code: 0, random: 0 });

test.each<[string, Task | undefined, string, string, number, string]>([
  ['its own', running, 'c', 'running', 1, 'leave'],
  ['its own, ended', running, 'c', 'exited', 1, 'leave'],
  ['of a task that ended', ended, 'c', 'exited', 1, 'clean'],
  ['never started, of a queued task', queued(7), 'x', 'created', 1, 'remove'],
  ['never started, of no task', undefined, 'x', 'created', 1, 'remove-and-enter'],
  ['of no task', undefined, 'x', 'running', 1, 'enter'],
  ['of an attempt that the store has not seen', queued(7), 'x', 'running', 1, 'enter'],
  ['of a placed attempt', placed, 'x', 'running', 1, 'enter'],
  ['of another attempt that still runs', running, 'x', 'running', 0, 'stop'],
  ['of another attempt that has ended', running, 'x', 'exited', 0, 'clean'],
  ['still running, of a task that ended', ended, 'x', 'running', 1, 'stop'],
])('a container %s', (_, task, container, listed, attempt, expected) => {
  expect(disposalOf({ container, attempt, member: 0, state: listed }, task)).toBe(expected);
});

test('a task is the same after a round through the labels of its container', () => {
  const host = {
    inventory: { name: 'h', devices: [], cpus: [], memoryBytes: 0 },
    cdi: new Set<string>(),
    runner: 'r',
    lockMemory: true,
  };
  const { Labels } = containerSpec(placed, placed.members[0], host);
  const entered = taskOfLabels(Labels, 'c', undefined);
  expect(entered).toEqual({ ...placed, members: [{ ...PLACE, index: 0, state: 'created', container: 'c' }] });
  expect(taskOfLabels({ ...Labels, [LABELS.document]: '{' }, 'c', undefined)).toBeUndefined();
  expect(taskOfLabels({ ...Labels, [LABELS.task]: '8' }, 'c', undefined)).toBeUndefined();
});
