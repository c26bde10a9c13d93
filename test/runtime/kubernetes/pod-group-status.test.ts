/**
 * The status of PodGroups of three projects, by how far the gang is.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import {
  enqueued,
  type GangProgress,
  type PodGroupCollection,
  podGroupStatus,
} from '../../../src/runtime/kubernetes/pod-group-status';

const NOW = '2026-01-01T00:00:00Z';
const EARLIER = '2025-01-01T00:00:00Z';
const NONE: GangProgress = { minimum: 2, placed: 0, running: 0, succeeded: 0, failed: 0 };
const statusOf = (collection: PodGroupCollection, progress: Partial<GangProgress>, status: JsonObject = {}): unknown =>
  podGroupStatus(collection, { status }, { ...NONE, ...progress }, NOW)?.body.status;

describe('the phase', () => {
  test.each<[Partial<GangProgress>, string, string]>([
    [{}, 'Inqueue', 'Pending'],
    [{ placed: 1 }, 'Inqueue', 'Pending'],
    [{ placed: 2 }, 'Running', 'Scheduled'],
    [{ placed: 2, running: 1 }, 'Running', 'Scheduled'],
    [{ placed: 2, running: 2 }, 'Running', 'Running'],
    [{ placed: 1, running: 1, succeeded: 1 }, 'Running', 'Scheduled'],
    [{ succeeded: 2 }, 'Inqueue', 'Pending'],
    [{ minimum: 0 }, 'Inqueue', 'Pending'],
    [{ minimum: 0, placed: 1 }, 'Running', 'Scheduled'],
    [{ minimum: 0, placed: 1, running: 1 }, 'Running', 'Running'],
    [{ minimum: 1, placed: 1, failed: 1 }, 'Running', 'Scheduled'],
  ])('with %j is %s in Volcano, and %s in scheduler-plugins', (progress, volcano, plugins) => {
    expect(statusOf('volcanoPodGroups', progress)).toMatchObject({ phase: volcano });
    expect(statusOf('schedulerPluginsPodGroups', progress)).toMatchObject({ phase: plugins });
  });
});

test('counts are written unless they are zero', () => {
  const progress = { running: 1, succeeded: 2, failed: 3 };
  expect(statusOf('schedulerPluginsPodGroups', progress)).toEqual({ phase: 'Pending', ...progress });
  expect(statusOf('schedulerPluginsPodGroups', {})).toEqual({ phase: 'Pending' });
  expect(statusOf('volcanoPodGroups', progress)).toEqual({ phase: 'Inqueue', ...progress });
});

describe("Volcano's conditions", () => {
  it('say why a gang waits, or that it is scheduled', () => {
    expect(statusOf('volcanoPodGroups', { message: 'no room' })).toEqual({
      phase: 'Inqueue',
      conditions: [
        {
          type: 'Unschedulable',
          status: 'True',
          reason: 'NotEnoughResources',
          message: 'no room',
          lastTransitionTime: NOW,
        },
      ],
    });
    expect(statusOf('volcanoPodGroups', { placed: 2 })).toEqual({
      phase: 'Running',
      conditions: [
        {
          type: 'Scheduled',
          status: 'True',
          reason: 'tasks in gang are ready to be scheduled',
          lastTransitionTime: NOW,
        },
      ],
    });
  });

  it('of other types are kept', () => {
    const other = { type: 'Other', status: 'True' };
    expect(statusOf('volcanoPodGroups', { placed: 2 }, { conditions: [other] })).toMatchObject({
      conditions: [other, { type: 'Scheduled' }],
    });
  });
});

describe('the condition of a PodGroup of Kubernetes', () => {
  const of = (progress: Partial<GangProgress>, status?: JsonObject): unknown =>
    (statusOf('nativePodGroups', progress, status) as JsonObject | undefined)?.conditions;
  const condition = (status: string, reason: string, message: string, lastTransitionTime = NOW): JsonObject => ({
    type: 'PodGroupScheduled',
    status,
    reason,
    message,
    lastTransitionTime,
  });

  it('is true once the gang has its minimum', () => {
    expect(of({})).toEqual([condition('False', 'Unschedulable', '')]);
    expect(of({ message: 'no room' })).toEqual([condition('False', 'Unschedulable', 'no room')]);
    expect(of({ placed: 2 })).toEqual([condition('True', 'Scheduled', '')]);
    expect(of({ placed: 2, message: 'one more waits' })).toEqual([condition('True', 'Scheduled', 'one more waits')]);
  });

  it('keeps its time until its status changes', () => {
    const before = { conditions: [condition('False', 'Unschedulable', 'no room', EARLIER)] };
    expect(of({ message: 'other room' }, before)).toEqual([condition('False', 'Unschedulable', 'other room', EARLIER)]);
    expect(of({ placed: 2 }, before)).toEqual([condition('True', 'Scheduled', '')]);
  });
});

test('nothing is written that is there already', () => {
  for (const collection of ['volcanoPodGroups', 'schedulerPluginsPodGroups', 'nativePodGroups'] as const) {
    const progress = { ...NONE, placed: 2, running: 2 };
    const first = podGroupStatus(collection, {}, progress, EARLIER)!;
    expect(first.subresource).toBe(collection === 'volcanoPodGroups' ? '' : '/status');
    const object = { status: { ...(first.body.status as JsonObject), more: 1 } };
    expect(podGroupStatus(collection, object, progress, NOW)).toBeUndefined();
    expect(podGroupStatus(collection, object, { ...progress, running: 1, placed: 1 }, NOW)).toBeDefined();
  }
});

test.each([
  [undefined, true],
  ['', true],
  ['Pending', true],
  ['Inqueue', false],
  ['Running', false],
])('a PodGroup without pods in phase %j goes on: %s', (phase, goesOn) => {
  const object: JsonObject = phase === undefined ? {} : { status: { phase } };
  expect(enqueued(object)).toEqual(goesOn ? { subresource: '', body: { status: { phase: 'Inqueue' } } } : undefined);
});
