import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject } from '../../../src/facts/api/schema';
import { writeSnapshot } from '../../../src/manifests/snapshot/cluster-snapshot';
import { smallSnapshot } from '../../support/small-snapshot';
import { Workplace } from './fake-terminal';

const GPU = 'nvidia.com/gpu';
const RECENT = new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');
const before = (hours: number): string =>
  new Date(Date.parse(RECENT) - hours * 3_600_000).toISOString().replace('.000Z', 'Z');

function node(name: string): JsonObject {
  return { metadata: { name }, status: { allocatable: { cpu: '64', memory: '512Gi', pods: '110', [GPU]: '8' } } };
}

interface PodOptions {
  readonly gpus: number;
  readonly hours?: number;
  readonly priority?: number;
  readonly namespace?: string;
  readonly node?: string;
  readonly message?: string;
  readonly owner?: JsonObject;
}

function pod(name: string, { gpus, hours = 1, priority = 0, namespace = 'research', ...more }: PodOptions): JsonObject {
  const scheduled: JsonObject =
    more.node === undefined
      ? {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: more.message ?? '',
          lastTransitionTime: before(hours),
        }
      : { type: 'PodScheduled', status: 'True' };
  return {
    metadata: {
      name,
      namespace,
      creationTimestamp: before(hours),
      ...(more.owner !== undefined && { ownerReferences: [more.owner] }),
    },
    spec: {
      priority,
      containers: [{ name: 'main', resources: { limits: { [GPU]: String(gpus) } } }],
      ...(more.node !== undefined && { nodeName: more.node }),
    },
    status: { phase: more.node === undefined ? 'Pending' : 'Running', conditions: [scheduled] },
  };
}

const MESSAGE = '0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) were unschedulable.';
const JOB = { apiVersion: 'batch/v1', kind: 'Job', name: 'sweep', controller: true };

/** Two nodes of eight devices, one in use; pods that wait in the queue `default`. */
const PODS: readonly JsonObject[] = [
  pod('holder', { gpus: 8, node: 'a', hours: 9 }),
  pod('urgent', { gpus: 9, hours: 1, priority: 1000, message: MESSAGE }),
  pod('older', { gpus: 9, hours: 5, message: MESSAGE }),
  pod('big', { gpus: 9, hours: 3, message: MESSAGE }),
  pod('small', { gpus: 1, hours: 2 }),
  pod('sweep-a', { gpus: 9, hours: 2, message: MESSAGE, owner: JOB }),
  pod('sweep-b', { gpus: 9, hours: 2, message: MESSAGE, owner: JOB }),
  pod('big', { gpus: 1, hours: 1, namespace: 'other' }),
];

function workload(name: string, gpus: number, conditions: readonly JsonObject[]): JsonObject {
  return {
    metadata: {
      name: `job-${name}-1a2b3`,
      namespace: 'team',
      creationTimestamp: before(4),
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name, controller: true }],
    },
    spec: {
      active: true,
      queueName: 'main',
      podSets: [
        {
          name: 'main',
          count: 2,
          template: { spec: { containers: [{ name: 'main', resources: { requests: { [GPU]: String(gpus) } } }] } },
        },
      ],
    },
    status: { conditions: [...conditions], requeueState: { count: 2 } },
  };
}

const NO_QUOTA = {
  type: 'QuotaReserved',
  status: 'False',
  reason: 'Pending',
  message: `couldn't assign flavors to pod set main: insufficient unused quota for ${GPU} in flavor h100, 4 more needed`,
  lastTransitionTime: before(2),
};

const LISTS = [
  { apiVersion: 'v1', kind: 'Node', plural: 'nodes', items: [node('a'), node('b')] },
  { apiVersion: 'v1', kind: 'Pod', plural: 'pods', items: PODS },
  {
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'ClusterQueue',
    plural: 'clusterqueues',
    items: [
      {
        metadata: { name: 'team-cq' },
        spec: {
          resourceGroups: [
            {
              coveredResources: [GPU],
              flavors: [{ name: 'h100', resources: [{ name: GPU, nominalQuota: '4' }] }],
            },
          ],
        },
        status: {
          conditions: [
            {
              type: 'Active',
              status: 'False',
              reason: 'FlavorNotFound',
              message: "Can't admit new workloads: references missing ResourceFlavor(s): h100.",
            },
          ],
        },
      },
    ],
  },
  {
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'LocalQueue',
    plural: 'localqueues',
    items: [{ metadata: { name: 'main', namespace: 'team' }, spec: { clusterQueue: 'team-cq' } }],
  },
  {
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'Workload',
    plural: 'workloads',
    items: [workload('tune', 4, [NO_QUOTA])],
  },
  {
    apiVersion: 'scheduling.volcano.sh/v1beta1',
    kind: 'PodGroup',
    plural: 'podgroups',
    items: [
      {
        metadata: { name: 'train-8e1f', namespace: 'team', creationTimestamp: before(6) },
        spec: { minMember: 8, queue: 'default' },
        status: {
          phase: 'Pending',
          conditions: [
            {
              type: 'Unschedulable',
              status: 'True',
              reason: 'NotEnoughResources',
              message: 'queue resource quota insufficient: insufficient cpu',
            },
          ],
        },
      },
    ],
  },
];

function event(kind: string, name: string, reason: string, message: string, more: JsonObject = {}): JsonObject {
  const [namespace, short = ''] = name.split('/');
  return {
    metadata: { name: `${short}.${reason}.${message.length}`, namespace },
    involvedObject: { kind, namespace, name: short },
    reason,
    message,
    reportingComponent: 'kube-scheduler',
    firstTimestamp: before(2),
    lastTimestamp: before(1),
    count: 7,
    ...more,
  };
}

const EVENTS: readonly JsonObject[] = [
  event('Pod', 'research/urgent', 'FailedScheduling', MESSAGE),
  event('Pod', 'research/urgent', 'Failed', 'Failed to pull image with token hunter2'),
  event(
    'Pod',
    'research/urgent',
    'NotTriggerScaleUp',
    "pod didn't trigger scale-up:\n\u001b[31m 1 max node group size reached",
    {
      reportingComponent: 'cluster-autoscaler',
      count: 1,
      lastTimestamp: before(2),
    },
  ),
  event('Pod', 'research/sweep-a', 'FailedScheduling', 'no room'),
  event('Pod', 'research/sweep-b', 'FailedScheduling', 'no room', { firstTimestamp: before(4), lastTimestamp: RECENT }),
  event('Job', 'research/sweep', 'Unschedulable', 'the gang does not fit', {
    count: 1,
    firstTimestamp: before(3),
    lastTimestamp: before(3),
  }),
  event('Workload', 'team/job-tune-1a2b3', 'Pending', "couldn't assign flavors"),
  event('ClusterQueue', '/team-cq', 'Pending', 'the queue is full', { reportingComponent: 5 }),
  event('Pod', 'research/lost', 'FailedScheduling', 'of a pod that does not exist'),
  ...Array.from({ length: 15 }, (_, index) =>
    event('Pod', 'research/older', 'FailedScheduling', `try ${String(index).padStart(2, '0')}`, {
      lastTimestamp: new Date(Date.parse(RECENT) - index * 60_000).toISOString(),
    }),
  ),
];

const EVENT_LIST = { apiVersion: 'v1', kind: 'Event', plural: 'events', items: EVENTS };

/** Times differ from run to run. */
function timeless(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME').trim();
}

describe('gantry explain --cluster', () => {
  const place = new Workplace();
  const file = 'prod.gantry.json';
  const explain = (...words: readonly string[]): ReturnType<Workplace['run']> =>
    place.run(['explain', ...words, '--cluster', file]);

  beforeAll(() => {
    place.write(
      file,
      Buffer.from(writeSnapshot(smallSnapshot({ takenAt: RECENT, lists: LISTS }), { compressed: false })).toString(),
    );
  });
  afterAll(() => place.remove());

  it('says of a pod why it waits, since when, who is before it, and what was tried', async () => {
    const { status, out, err } = await explain('pod/research/big');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    const rows = out.split('\n').map((line) => line.trim().replace(/ {2,}/, ': '));
    expect(rows[0]).toBe('Pod research/big');
    expect(rows).toContain('state: pending');
    expect(rows).toContain(`since: ${before(3)} (3 h)`);
    expect(rows).toContain('pods: 0 of 1 placed, 1 required, 9 devices');
    expect(rows).toContain('before it: research/urgent (priority 1000), research/older (older)');
    expect(rows).toContain(`tried: Pod research/big: PodScheduled, Unschedulable, since ${before(3)}: ${MESSAGE}`);
    expect(out).toMatch(/reason +.*nvidia\.com\/gpu/);
    expect(out).toMatch(/kube-scheduler\/insufficient-device: /);
    expect(out).toMatch(/kube-scheduler\/unschedulable-nodes: /);
  });

  it.each([
    ['pod/research/big', []],
    ['po/big', ['-n', 'research']],
    ['pods/big', ['--namespace', 'research']],
    ['research/big', []],
    ['big', ['-n', 'research']],
  ])('finds the pod by %s %j', async (what, more) => {
    expect((await explain(what, ...more)).out).toMatch(/^Pod research\/big\n/);
  });

  it.each(['pod/research/big', 'queue/default'])('prints of %s what the page shows', async (what) => {
    const page = readFileSync(join(__dirname, '../../../docs/explain.md'), 'utf8');
    const [, shown = ''] = page.split(`$ gantry explain ${what} --cluster prod.gantry.json\n`);
    expect(timeless((await explain(what)).out)).toBe(timeless(shown.split('```')[0]));
  });

  const withEvents = (...words: readonly string[]): ReturnType<Workplace['run']> => {
    const snapshot = smallSnapshot({ takenAt: RECENT, lists: [...LISTS, EVENT_LIST] });
    place.write('events.json', writeSnapshot(snapshot, { compressed: false }).toString());
    return place.run(['explain', ...words, '--cluster', 'events.json']);
  };
  const tried = async (what: string): Promise<readonly string[]> =>
    (await withEvents(what)).out
      .split('\n')
      .filter((line) => line.startsWith('  tried'))
      .map((line) => line.replace(/^ +tried +/, ''));

  it('shows events about a pod, without what its condition says already, and none about its image', async () => {
    expect(await tried('pod/research/urgent')).toEqual([
      `Pod research/urgent: PodScheduled, Unschedulable, since ${before(1)}: ${MESSAGE}`,
      `Pod research/urgent: event FailedScheduling of kube-scheduler, 7 times, since ${before(2)}, last at ${before(1)}`,
      expect.stringMatching(
        /^Pod research\/urgent: event NotTriggerScaleUp of cluster-autoscaler, at [^ ]+: pod didn't trigger scale-up:[ -~]*1 max node group size reached$/,
      ),
    ]);
  });

  it('joins equal events about the pods of a gang, and shows those about its job', async () => {
    expect(await tried('job/research/sweep')).toEqual([
      expect.stringContaining('2 pods: PodScheduled'),
      `2 pods: event FailedScheduling of kube-scheduler, 14 times, since ${before(4)}, last at ${RECENT}: no room`,
      `Job research/sweep: event Unschedulable of kube-scheduler, at ${before(3)}: the gang does not fit`,
    ]);
  });

  it('shows the newest ten events', async () => {
    const [condition, ...events] = await tried('pod/research/older');
    expect(condition).toContain('PodScheduled');
    expect(events.map((text) => text.slice(-2))).toEqual(['00', '01', '02', '03', '04', '05', '06', '07', '08', '09']);
  });

  it('shows events about a Workload and a queue', async () => {
    expect((await tried('workload/team/job-tune-1a2b3')).join('\n')).toContain(
      'Workload team/job-tune-1a2b3: event Pending of kube-scheduler, 7 times',
    );
    expect((await tried('clusterqueue/team-cq')).at(-1)).toMatch(
      /^ClusterQueue team-cq: event Pending, 7 times, since .*: the queue is full$/,
    );
  });

  it('says when an event was first and last seen, as JSON', async () => {
    const { out } = await withEvents('pod/research/urgent', '--format', 'json');
    expect(JSON.parse(out)).toMatchObject({
      tried: [
        { condition: 'PodScheduled' },
        {
          condition: 'Event',
          reason: 'FailedScheduling',
          source: 'kube-scheduler',
          count: 7,
          since: before(2),
          last: before(1),
        },
        {
          reason: 'NotTriggerScaleUp',
          source: 'cluster-autoscaler',
          messages: [{ id: expect.any(String) as string }, { id: 'cluster-autoscaler/maximum-size' }],
        },
      ],
    });
  });

  it('reads events of the other API in what kubectl printed', async () => {
    const other = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'e', namespace: 'research' },
      eventTime: before(3),
      regarding: { kind: 'Pod', namespace: 'research', name: 'big' },
      reportingController: 'gantry.dev/scheduler',
      reason: 'FailedScheduling',
      note: 'queue is full',
      series: { count: 3, lastObservedTime: before(1) },
    };
    const items = LISTS.slice(0, 2).flatMap((list) =>
      list.items.map((item) => ({ apiVersion: list.apiVersion, kind: list.kind, ...item })),
    );
    place.write('kubectl.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...items, other] }));
    const { out } = await place.run(['explain', 'pod/research/big', '--cluster', 'kubectl.json']);
    expect(out).toContain(
      `event FailedScheduling of gantry.dev/scheduler, 3 times, since ${before(3)}, last at ${before(1)}: queue is full`,
    );
  });

  it('says the same as JSON', async () => {
    const { out } = await explain('pod/research/big', '--format', 'json');
    expect(JSON.parse(out)).toMatchObject({
      cluster: 'prod',
      at: RECENT,
      workload: { kind: 'Pod', name: 'research/big', state: 'pending', running: false, since: before(3), devices: 9 },
      reason: { message: expect.stringContaining(GPU) as string },
      before: [{ name: 'research/urgent', priority: 1000 }, { name: 'research/older' }],
      tried: [
        {
          condition: 'PodScheduled',
          names: ['research/big'],
          messages: [{ id: 'kube-scheduler/insufficient-device' }, { id: 'kube-scheduler/unschedulable-nodes' }],
        },
      ],
    });
  });

  it('says that a pod which waits has a place now, and which', async () => {
    const { out } = await explain('small');
    expect(out).toMatch(/state +pending in the cluster; the plan starts it now, on b \(1 pod\)/);
    expect(out).not.toMatch(/before it/);
  });

  it('says that a pod runs', async () => {
    expect((await explain('pod/holder')).out).toMatch(/state +running on a \(1 pod\)/);
  });

  it('explains the job of pods, and what was tried for all of them once', async () => {
    const { out } = await explain('jobs.batch/sweep');
    expect(out).toMatch(/^Job research\/sweep\n/);
    expect(out).toMatch(/tried +2 pods: PodScheduled, Unschedulable/);
    expect(out.match(/ {2}tried /g)).toHaveLength(1);
  });

  it.each(['job/team/tune', 'workload/team/job-tune-1a2b3', 'job/tune'])(
    'plans %s, which Kueue holds back without pods',
    async (what) => {
      const { out } = await explain(what);
      expect(out).toMatch(/state +pending/);
      expect(out).toMatch(/queue +team-cq: nvidia\.com\/gpu 0 of 4 allocated/);
      expect(out).toMatch(/pods +0 of 2 placed, 2 required, 8 devices/);
      expect(out).toMatch(/kueue\/unused-quota: /);
      expect(out).toMatch(/tried .*Requeued.*requeued 2 times/);
    },
  );

  it('says of a pod group without pods what its scheduler says', async () => {
    const { out } = await explain('podgroup/team/train-8e1f');
    expect(out).toMatch(/^PodGroup team\/train-8e1f\n {2}state +Pending; it has no pods yet/);
    expect(out).toMatch(/volcano\/queue-quota: /);
  });

  it.each(['queue/default', 'default'])('lists by %s who waits in a queue, in their order', async (what) => {
    const { out } = await explain(what);
    expect(out).toMatch(/^Queue default\n/);
    expect([...out.matchAll(/ \d\. +(\S+)/g)].map(([, name]) => name)).toEqual([
      'research/urgent',
      'research/older',
      'research/big',
      'research/sweep',
    ]);
    expect(out).toMatch(/running +research\/holder\n/);
    expect(out).toMatch(/starts now +other\/big, research\/small\n/);
  });

  it.each(['localqueue/team/main', 'lq/main', 'clusterqueue/team-cq'])(
    'explains %s, and why it is not active',
    async (what) => {
      const { out } = await explain(what);
      expect(out).toMatch(/^Queue team-cq\n/);
      expect(out).toMatch(/kueue\/flavors-missing: /);
    },
  );

  it('lists a queue as JSON', async () => {
    const { out } = await explain('queue/default', '--format', 'json');
    const found = JSON.parse(out) as { readonly waiting: readonly JsonObject[]; readonly queue: JsonObject };
    expect(found.queue.name).toBe('default');
    expect(found.waiting[0]).toMatchObject({ name: 'research/urgent', priority: 1000, since: before(1) });
  });

  it.each([
    ['pod/research/bigg', 'not found in prod (did you mean '],
    ['pod/big', 'several objects have this name: pod/other/big, pod/research/big; add the namespace'],
    ['pod//big', 'not found in prod'],
    ['a/b/c/d', 'not found in prod'],
    ['localqueue/none', 'not found in prod'],
  ])('one line for %s', async (what, message) => {
    const { status, err } = await explain(what);
    expect({ status, lines: err.trim().split('\n').length }).toEqual({ status: 2, lines: 1 });
    expect(err).toContain(message);
  });

  it('takes what kubectl printed', async () => {
    const items = LISTS.flatMap(({ apiVersion, kind, items: own }) =>
      own.map((item) => ({ apiVersion, kind, ...item })),
    );
    place.write('list.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const { out } = await place.run(['explain', 'pod/research/big', '--cluster', 'list.json']);
    expect(out).toMatch(/^Pod research\/big\n/);
    expect(out).toMatch(/kube-scheduler\/insufficient-device: /);
  });

  it('shows control characters of names and messages, and does not send them', async () => {
    const evil = pod('evil', { gpus: 9, message: '\u001b[2J\u0007Insufficient nvidia.com/gpu' });
    const lists = [LISTS[0], { apiVersion: 'v1', kind: 'Pod', plural: 'pods', items: [evil] }];
    place.write(
      'evil.json',
      Buffer.from(writeSnapshot(smallSnapshot({ takenAt: RECENT, lists }), { compressed: false })).toString(),
    );
    const { out } = await place.run(['explain', 'pod/evil', '--cluster', 'evil.json']);
    expect(out).toContain('Insufficient nvidia.com/gpu');
    expect(out.replace(/\n/g, '')).not.toMatch(/\p{Cc}/u);
  });
});
