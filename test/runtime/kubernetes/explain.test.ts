import { type JsonObject } from '../../../src/facts/api/schema';
import { type ApiRequest } from '../../../src/runtime/api/client';
import { ServerClock } from '../../../src/runtime/api/clock';
import { Explainer, type Waiting } from '../../../src/runtime/kubernetes/explain';
import { until } from '../fake-server';
import { enqueued, type GangProgress, podGroupStatus } from '../../../src/runtime/kubernetes/pod-group-status';

describe('the reasons that owners of pods read', () => {
  const clock = { time: 1000, monotonic: () => clock.time, wall: () => 1_767_225_600_000 };
  let sent: { method: string; path: string; body: JsonObject }[];
  let explainer: Explainer;
  let running: Promise<void>;
  let leads: boolean;

  beforeEach(() => {
    clock.time = 1000;
    sent = [];
    leads = true;
    explainer = new Explainer({
      client: {
        request: <T>(method: string, path: string, { body }: ApiRequest = {}) => {
          sent.push({ method, path, body: body as JsonObject });
          return Promise.resolve({} as T);
        },
      },
      leads: () => leads,
      serverClock: new ServerClock(clock),
      identity: 'me',
      limits: () => ({ repeatSeconds: 300, writesPerSecond: 10_000 }),
      onError: () => undefined,
      clock,
    });
    running = explainer.run();
  });
  afterEach(async () => {
    explainer.stop();
    await running;
  });

  const waiting = (message: string, conditions: JsonObject[] = []): Waiting => ({
    gang: 'default/a',
    reason: 'no-fit',
    message,
    pods: ['a-0', 'a-1'].map((name) => ({ namespace: 'default', name, uid: name, raw: { status: { conditions } } })),
  });
  const tellOf = (list: readonly Waiting[]): void => {
    list.forEach((one) => explainer.waits(one));
    explainer.forgetOthers(new Set(list.map(({ gang }) => gang)));
  };
  const settle = (): Promise<void> => until(() => explainer.isIdle);
  const conditions = (): typeof sent => sent.filter(({ path }) => path.endsWith('/status'));
  const events = (): typeof sent => sent.filter(({ path }) => path.includes('/events'));

  it('are a condition on each pod and one event for the gang', async () => {
    tellOf([waiting('1 of 2 pods fit.')]);
    await settle();
    expect(conditions().map(({ path }) => path)).toEqual([
      '/api/v1/namespaces/default/pods/a-0/status',
      '/api/v1/namespaces/default/pods/a-1/status',
    ]);
    expect((conditions()[0].body.status as JsonObject).conditions).toEqual([
      expect.objectContaining({
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: '1 of 2 pods fit. (no-fit)',
      }),
    ]);
    expect(events()).toHaveLength(1);
    expect(events()[0].body).toMatchObject({
      reason: 'FailedScheduling',
      type: 'Warning',
      note: '1 of 2 pods fit. (no-fit)',
    });
  });

  it.each([1024, 1025])('are cut to what an event takes: %d characters', async (length) => {
    const reason = ' (no-fit)';
    const message = 'x'.repeat(length - reason.length);
    tellOf([waiting(message)]);
    await settle();
    const { note } = events()[0].body;
    expect(note).toBe(length === 1024 ? `${message}${reason}` : `${`${message}${reason}`.slice(0, 1023)}…`);
    expect(note).toHaveLength(1024);
  });

  it('are not written by a replica that does not lead', async () => {
    leads = false;
    tellOf([waiting('x')]);
    await settle();
    expect(sent).toEqual([]);
  });

  it('are not said again while they are the same, and the condition says so already', async () => {
    tellOf([waiting('x')]);
    await settle();
    clock.time += 10_000;
    tellOf([waiting('x', [{ type: 'PodScheduled', status: 'False', message: 'x (no-fit)' }])]);
    await settle();
    expect(sent).toHaveLength(3);
  });

  it('keep the time since when the pod waits', async () => {
    const since = '2020-01-01T00:00:00Z';
    const known = { type: 'PodScheduled', status: 'False', message: 'before', lastTransitionTime: since };
    tellOf([waiting('now', [known])]);
    await settle();
    const [{ body }] = conditions();
    expect(body.status).toMatchObject({ conditions: [{ status: 'False', lastTransitionTime: since }] });
  });

  it('that change with every cycle are said no more often than every five seconds', async () => {
    for (let i = 0; i < 10; i++) {
      tellOf([{ ...waiting('x'), reason: `reason-${i}` }]);
      await settle();
      clock.time += 1000;
    }
    expect(events().map(({ body }) => body.note)).toEqual(['x (reason-0)', 'x (reason-5)']);
  });

  it('that only change their words are said no more often than once a minute', async () => {
    for (let i = 0; i < 13; i++) {
      tellOf([waiting(`${i} of 100 nodes`)]);
      await settle();
      clock.time += 10_000;
    }
    expect(events().map(({ body }) => body.note)).toEqual([
      '0 of 100 nodes (no-fit)',
      '6 of 100 nodes (no-fit)',
      '12 of 100 nodes (no-fit)',
    ]);
  });

  it('of one namespace do not keep those of others waiting', async () => {
    const of = (namespace: string, index: number): Waiting => ({
      gang: `${namespace}/${index}`,
      reason: 'no-fit',
      message: 'x',
      pods: [{ namespace, name: `p-${index}`, uid: `${namespace}-${index}`, raw: {} }],
    });
    tellOf([...Array.from({ length: 50 }, (_, i) => of('crowd', i)), of('other', 0), of('other', 1)]);
    await settle();
    const places = (list: typeof sent): number[] =>
      list.flatMap(({ path }, i) => (path.includes('/namespaces/other/') ? [i] : []));
    // The first write may be under way before the others are known.
    expect(Math.max(...places(events()))).toBeLessThanOrEqual(4);
    expect(Math.max(...places(conditions()))).toBeLessThanOrEqual(4);
    expect([events().length, conditions().length]).toEqual([52, 52]);
  });

  it('that stay are counted up in the event that there is, once in a while', async () => {
    tellOf([waiting('x')]);
    await settle();
    clock.time += 301_000;
    tellOf([waiting('x')]);
    await settle();
    expect(events().map(({ method }) => method)).toEqual(['POST', 'PATCH']);
    expect(events()[1].body).toMatchObject({ series: { count: 2 } });
  });

  it.each([
    [3_000_000, 'PATCH'],
    [3_000_001, 'POST'],
  ])(
    'that come again after %d milliseconds are written with %s: the API server deletes old events',
    async (later, method) => {
      tellOf([waiting('x')]);
      await settle();
      clock.time += later;
      tellOf([{ ...waiting('other'), gang: 'default/b' }]);
      await settle();
      tellOf([waiting('x')]);
      await settle();
      expect(events().map((event) => event.method)).toEqual(['POST', 'POST', method]);
    },
  );
});

describe('the status of a PodGroup', () => {
  const NOW = '2026-01-01T00:00:00Z';
  const progress = (more: Partial<GangProgress>): GangProgress => ({
    minimum: 2,
    placed: 0,
    running: 0,
    succeeded: 0,
    failed: 0,
    ...more,
  });

  it('of Volcano has its phases and conditions, and keeps those of others', () => {
    const object = { status: { phase: 'Pending', conditions: [{ type: 'Other', status: 'True' }] } };
    expect(podGroupStatus('volcanoPodGroups', object, progress({ message: 'no room' }), NOW)).toEqual({
      subresource: '',
      body: {
        status: {
          phase: 'Inqueue',
          conditions: [
            { type: 'Other', status: 'True' },
            {
              type: 'Unschedulable',
              status: 'True',
              reason: 'NotEnoughResources',
              message: 'no room',
              lastTransitionTime: NOW,
            },
          ],
        },
      },
    });
    expect(podGroupStatus('volcanoPodGroups', {}, progress({ placed: 2, running: 1 }), NOW)?.body.status).toMatchObject(
      { phase: 'Running', running: 1 },
    );
  });

  it('of scheduler-plugins and of Kubernetes in their words', () => {
    expect(podGroupStatus('schedulerPluginsPodGroups', {}, progress({ placed: 2 }), NOW)).toEqual({
      subresource: '/status',
      body: { status: { phase: 'Scheduled' } },
    });
    expect(podGroupStatus('nativePodGroups', {}, progress({ message: 'no room' }), NOW)?.body.status).toMatchObject({
      conditions: [{ type: 'PodGroupScheduled', status: 'False', reason: 'Unschedulable', message: 'no room' }],
    });
  });

  it('is not written when it is so already', () => {
    const first = podGroupStatus('nativePodGroups', {}, progress({ message: 'no room' }), NOW)!;
    expect(
      podGroupStatus('nativePodGroups', first.body, progress({ message: 'no room' }), '2026-01-02T00:00:00Z'),
    ).toBeUndefined();
  });

  it('lets Volcano make the pods of a job that has none', () => {
    expect(enqueued({ status: { phase: 'Pending' } })).toEqual({
      subresource: '',
      body: { status: { phase: 'Inqueue' } },
    });
    expect(enqueued({})).toBeDefined();
    expect(enqueued({ status: { phase: 'Inqueue' } })).toBeUndefined();
  });
});
