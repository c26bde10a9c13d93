/**
 * The life of a task, event by event.
 */
import fc from 'fast-check';
import { backoffSeconds, failureOf, startFailure, type Failure } from '../../../src/runtime/docker/task/failure';
import { next, type TaskEvent } from '../../../src/runtime/docker/task/life';
import { isEnded, type Task, type TaskSpec } from '../../../src/runtime/docker/task/task';
import { PLACE, queued } from './tasks';
import { samples } from '../../support/samples';

const PROGRAM: Failure = { class: 'program', message: 'exited with code 1', exitCode: 1 };

function after(changes: Partial<TaskSpec>, ...events: readonly TaskEvent[]): Task {
  return events.reduce(next, queued(1, changes));
}

const place = (count = 1): TaskEvent => ({
  kind: 'place',
  at: 2000,
  placements: Array.from({ length: count }, () => PLACE),
});
const created = (member = 0): TaskEvent => ({ kind: 'created', member, container: `c${member}` });
const started = (member = 0): TaskEvent => ({ kind: 'started', member, at: 3000 });
const exited = (failure?: Failure, at = 9000, member = 0): TaskEvent => ({
  kind: 'exited',
  member,
  at,
  random: 0.5,
  ...(failure === undefined ? { code: 0 } : { failure }),
});
const RUNNING = [place(), created(), started()];
const stop = (reason: 'preempt' | 'timeout' | 'device', at = 5000): TaskEvent => ({ kind: 'stop', reason, at });

test('a task is placed, starts, and succeeds', () => {
  expect(after({}, place())).toMatchObject({ state: 'starting', attempt: 1, members: [{ state: 'planned' }] });
  expect(after({}, ...RUNNING)).toMatchObject({ state: 'running', startedAt: 3000, members: [{ container: 'c0' }] });
  expect(after({}, ...RUNNING, exited())).toMatchObject({ state: 'succeeded', endedAt: 9000 });
});

test('a gang runs when all of its containers run, and one that fails stops the others', () => {
  const two = [place(2), created(0), created(1), started(0)];
  expect(after({ replicas: 2 }, ...two).state).toBe('starting');
  expect(after({ replicas: 2 }, ...two, started(1)).state).toBe('running');
  const half = [...two, started(1), exited(PROGRAM)];
  expect(after({ replicas: 2 }, ...half)).toMatchObject({ state: 'stopping', stop: { reason: 'failed' } });
  const killed: Failure = { class: 'program', message: 'exited with code 143' };
  expect(after({ replicas: 2 }, ...half, exited(killed, 9500, 1))).toMatchObject({ state: 'failed', failure: PROGRAM });
  expect(after({ replicas: 2 }, ...two, started(1), exited(), exited(undefined, 9600, 1)).state).toBe('succeeded');
});

test('only the classes that the task names are tried again, and only as often as it says', () => {
  const oom: Failure = { class: 'oom', message: 'ran out of memory' };
  expect(after({ retries: 1 }, ...RUNNING, exited(oom)).state).toBe('failed');
  const again = after({ retries: 1 }, ...RUNNING, exited(PROGRAM));
  expect(again).toMatchObject({ state: 'queued', failures: 1, notBefore: 9000 + 2500 });
  expect([...RUNNING, exited(PROGRAM)].reduce(next, again)).toMatchObject({ state: 'failed', failures: 2, attempt: 2 });
});

test('a task that was stopped for another is queued again, even if it stopped in good order', () => {
  for (const end of [exited(), exited(PROGRAM)]) {
    expect(after({}, ...RUNNING, stop('preempt'), end)).toMatchObject({ state: 'queued', preemptions: 1, failures: 0 });
  }
  expect(after({}, ...RUNNING, stop('preempt'), exited(undefined, 4000)).state).toBe('succeeded');
});

test('a time limit is a failure, even if the program stopped in good order', () => {
  expect(after({ timeLimitSeconds: 2 }, ...RUNNING, stop('timeout'), exited())).toMatchObject({
    state: 'failed',
    failure: { class: 'timeout' },
  });
});

test('a device that failed is avoided by the next attempt', () => {
  const failed = after({ retries: 1 }, ...RUNNING, stop('device'), exited(PROGRAM));
  expect(failed).toMatchObject({ state: 'queued', avoid: ['gpu-0'], failure: { class: 'device' } });
  expect(after({ retries: 1 }, ...RUNNING, exited(PROGRAM)).avoid).toBeUndefined();
});

test('an attempt of which nothing was started does not count', () => {
  expect(after({}, place(), { kind: 'withdraw', at: 3000 })).toMatchObject({
    state: 'queued',
    attempt: 0,
    members: [],
  });
  expect(after({}, place(), created(), { kind: 'withdraw', at: 3000 }).state).toBe('starting');
  expect(after({}, place(), { kind: 'cancel', at: 2500 }, { kind: 'withdraw', at: 3000 }).state).toBe('canceled');
});

test('a task can be canceled at every moment of its life, and stays canceled', () => {
  expect(after({}, { kind: 'cancel', at: 1 })).toMatchObject({ state: 'canceled', endedAt: 1 });
  expect(after({}, ...RUNNING, { kind: 'cancel', at: 5000 }, exited()).state).toBe('canceled');
  expect(after({}, ...RUNNING, stop('preempt'), { kind: 'cancel', at: 6000 }, exited()).state).toBe('canceled');
});

test('whatever is reported in whatever order, an end is final, and no event is counted twice', () => {
  const event = fc.oneof(
    fc.constantFrom<TaskEvent>(
      place(2),
      created(0),
      created(1),
      started(0),
      started(1),
      stop('preempt'),
      stop('timeout'),
    ),
    fc.constantFrom<TaskEvent>(exited(), exited(PROGRAM), exited(PROGRAM, 9100, 1), exited(undefined, 9100, 1)),
    fc.constantFrom<TaskEvent>({ kind: 'cancel', at: 7000 }, { kind: 'withdraw', at: 7000 }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      let task = queued(1, { replicas: 2, retries: 2 });
      for (const one of events) {
        const now = next(task, one);
        if (isEnded(task)) {
          expect(now).toBe(task);
        }
        if (one.kind !== 'place' && one.kind !== 'withdraw') {
          expect(now.attempt).toBe(task.attempt);
          // A report that comes twice says nothing new, unless the task was canceled in between.
          expect(next(now, one)).toEqual(now);
        }
        expect(now.failures).toBeLessThanOrEqual(3);
        expect(isEnded(now)).toBe(now.endedAt !== undefined);
        task = now;
      }
    }),
    { numRuns: samples(500), seed: 15 },
  );
});

test('the wait before another attempt is between nothing and a bound that doubles, up to ten minutes', () => {
  expect([1, 2, 3, 8, 99].map((failures) => backoffSeconds(failures, 0.5))).toEqual([2.5, 5, 10, 300, 300]);
  expect(backoffSeconds(4, 0)).toBe(0);
});

test.each([
  [{ code: 0, oomKilled: false }, undefined],
  [{ code: 1, oomKilled: false }, 'program'],
  [{ code: 137, oomKilled: true }, 'oom'],
  [{ code: 137, oomKilled: false }, 'program'],
  [{ code: 137, oomKilled: false, engineStopped: true }, 'engine'],
  [{ code: 1, oomKilled: false, engineStopped: true }, 'program'],
  [
    { code: 128, oomKilled: false, error: 'CDI device injection failed: unresolvable CDI devices nvidia.com/gpu=9' },
    'device',
  ],
])('an end %j is of class %s', (exit, expected) => {
  expect(failureOf(exit)?.class).toBe(expected);
});

test('what the engine says about a start is told apart', () => {
  expect(startFailure('could not select device driver "" with capabilities: [[gpu]]').class).toBe('device');
  expect(startFailure('OCI runtime create failed: exec: "x": executable file not found in $PATH').class).toBe(
    'program',
  );
  expect(
    startFailure('error setting rlimits for ready process: error setting rlimit type 8: operation not permitted'),
  ).toEqual({
    class: 'engine',
    message: expect.stringMatching(/not permitted\. Set "lockMemory: false" in runner\.yaml/) as string,
  });
  expect(startFailure('driver failed\nprogramming\tconnectivity')).toEqual({
    class: 'engine',
    message: 'driver failed programming connectivity',
  });
});
