/**
 * GpuPlatform: everything that one statement becomes, for each system that can schedule it.
 */
import { App, Chart } from 'cdk8s';
import { type JsonObject } from '../../../src/facts/api/schema';
import { Plan } from '../../../src/planning/cluster/plan-on-synth';
import { TrainingOperatorRelease } from '../../../src/constructs/charts';
import { Sharing } from '../../../src/constructs/gpu-operator';
import { Accelerator } from '../../../src/constructs/pods';
import { Team } from '../../../src/constructs/tenancy';
import { Queue } from '../../../src/constructs/volcano';
import { PyTorchJob } from '../../../src/constructs/kubeflow';
import { asObject } from '../../../src/manifests/read';
import { Ipam } from '../../../src/constructs/networking';
import {
  GantrySystem,
  GpuPlatform,
  type GpuPlatformProps,
  KueueSystem,
  PlatformNetwork,
  type UsualRung,
} from '../../../src/constructs/platform';
import { type QueueEngine } from '../../../src/constructs/resources/queue-references';
import { Testing } from '../../../src/interfaces/testing';

type Props = GpuPlatformProps<'training' | 'shared', 'research' | 'applied'>;

const BASE: Props = {
  pools: {
    training: { nodes: 16, accelerator: 'H100-SXM-80GB', devices: 8, cpu: 160, memory: '1536Gi', nodesPerRack: 4 },
    shared: {
      nodes: 2,
      accelerator: 'L40S',
      devices: 4,
      cpu: 96,
      memory: '768Gi',
      sharing: Sharing.timeSlicing({ replicas: 4 }),
    },
  },
  teams: {
    research: { deserved: { training: 10, shared: 1 }, guarantee: { training: 4 } },
    applied: { deserved: { training: 6, shared: 1 }, capability: { training: 12 } },
  },
};

function platform(more: Partial<Props> = {}): {
  readonly app: App;
  readonly platform: GpuPlatform<'training' | 'shared', 'research' | 'applied', UsualRung, QueueEngine>;
} {
  const app = new App();
  return { app, platform: new GpuPlatform(app, 'platform', { ...BASE, ...more }) };
}

function withJob(more: Partial<Props> = {}, nodes = 4): App {
  const made = platform(more);
  const { research } = made.platform.teams;
  new TrainingOperatorRelease(made.platform.nodes, 'training-operator');
  new PyTorchJob(research.chart, 'train', {
    ...research.wholeNode('training'),
    image: 'registry.example.com/train:1',
    command: ['torchrun', 'train.py'],
    nodes,
    scheduling: research.scheduling,
  });
  return made.app;
}

const find = (objects: readonly JsonObject[], kind: string, name: string): JsonObject =>
  objects.find((object) => object.kind === kind && asObject(object.metadata).name === name) ?? {};

const infiniband = PlatformNetwork.infiniband({ interfaces: ['ib0', 'ib1'] });
const roce = PlatformNetwork.roce({
  interface: 'ens1f0',
  ipam: Ipam.whereabouts({ range: '10.20.0.0/16' }),
  global: { repository: 'registry.example.com/mellanox', version: 'network-operator-v26.4.1' },
});

test.each<[string, Partial<Props>]>([
  ['Volcano', {}],
  ['Kueue', { scheduling: new KueueSystem() }],
  ['Gantry', { scheduling: new GantrySystem() }],
  ['Volcano over InfiniBand, delivered by Flux', { network: infiniband, delivery: { through: 'flux' } }],
  [
    'Kueue over RoCE, delivered by Argo CD',
    { scheduling: new KueueSystem(), network: roce, delivery: { through: 'argo-cd', also: [{ chart: 'keda' }] } },
  ],
  ['no monitoring and no tuning', { monitoring: false, tuning: false }],
])('a platform with %s, and a job on it, has no finding', (_, props) => {
  const app = withJob(props);
  expect(Testing.check(app).findings).toEqual([]);
  // Charts come in an order in which they can be applied.
  expect(app.charts.length).toBeGreaterThan(3);
});

test('shares are stated in nodes, and queue, quota and GPUs follow', () => {
  const objects = Testing.synth(platform().app);
  expect(find(objects, 'Queue', 'research').spec).toMatchObject({
    deserved: { cpu: '1696', 'nvidia.com/gpu': '80', 'nvidia.com/gpu.shared': '16' },
    guarantee: { resource: { 'nvidia.com/gpu': '32' } },
  });
  expect(find(objects, 'ResourceQuota', 'applied-quota').spec).toMatchObject({
    hard: { 'requests.nvidia.com/gpu': '96' },
  });
  expect(find(objects, 'Queue', 'ai').spec).toMatchObject({
    capability: { 'nvidia.com/gpu': '128', 'nvidia.com/gpu.shared': '32' },
  });
});

test('with Kueue a team borrows up to what it may have at most, and lends all but what is kept for it', () => {
  const objects = Testing.synth(platform({ scheduling: new KueueSystem() }).app);
  const text = JSON.stringify(find(objects, 'ClusterQueue', 'research'));
  expect(text).toContain('{"borrowingLimit":"0","lendingLimit":"48","name":"nvidia.com/gpu","nominalQuota":"80"}');
  expect(JSON.stringify(find(objects, 'ClusterQueue', 'applied'))).toContain(
    '{"borrowingLimit":"48","name":"nvidia.com/gpu","nominalQuota":"48"}',
  );
});

test('what was made can be read back, also by name', () => {
  const { platform: made } = platform();
  expect(made.team('research').queue.name).toBe('research');
  expect(made.team('research').team.namespace.name).toBe('research');
  expect(made.pool('shared').operatorPool?.nodeLabels).toEqual({ 'nvidia.com/device-plugin.config': 'shared' });
  expect(made.helmCommands).toContain('volcano');
  expect(made.team('research').queue.engine).toBe('volcano');
  expect(() => made.team('sales' as 'research')).toThrow('unknown team "sales". The platform has research, applied.');
});

test('a pool that shares its GPUs has no whole node to give', () => {
  const { research } = platform().platform.teams;
  expect(research.share('shared').accelerators).toBeDefined();
  expect(() => research.wholeNode('night' as 'shared')).toThrow(
    'team research: unknown pool "night". The platform has training, shared.',
  );
  expect(() => research.wholeNode('shared')).toThrow('pool shared exposes nvidia.com/gpu.shared, not whole GPUs.');
});

test('a job is planned on the platform that it is written for: one that can never fit is an error at its construct', () => {
  const cluster = platform().platform.cluster;
  expect(cluster.nodes).toHaveLength(21);
  const fits = withJob();
  Plan.against(cluster).on(fits);
  expect(Testing.check(fits).findings).toEqual([]);
  const large = withJob({}, 17);
  Plan.against(cluster).on(large);
  expect(Testing.check(large).findings).toContainEqual(
    expect.objectContaining({ rule: 'cluster/gang-fits', construct: expect.stringContaining('train') as string }),
  );
});

test('the scheduler that comes with the platform has its place in the plan, on nodes without GPUs', () => {
  const made = platform({ scheduling: new GantrySystem() });
  Plan.against(made.platform.cluster).on(made.app);
  expect(Testing.check(made.app).findings).toEqual([]);
});

test.each<[string, Partial<Props>, string]>([
  [
    'more nodes than there are',
    { teams: { ...BASE.teams, applied: { deserved: { training: 17 } } } },
    'team applied: deserved must be less than or equal to the nodes of the pool training (17 > 16)',
  ],
  [
    'more together than there is',
    { teams: { ...BASE.teams, applied: { deserved: { training: 7 } } } },
    'the deserved shares of the teams add up to 17 nodes of the pool training, which has 16',
  ],
  [
    'part of a node for a team',
    { teams: { ...BASE.teams, applied: { deserved: { training: 0.5 } } } },
    'team applied: deserved of the pool training must be a whole number',
  ],
  [
    'less at most than is deserved',
    { teams: { ...BASE.teams, applied: { deserved: { training: 6 }, capability: { training: 2 } } } },
    'team applied: capability must not be less than deserved (2 < 6 nodes of training)',
  ],
  [
    'more kept than is deserved',
    { teams: { ...BASE.teams, applied: { deserved: { training: 2 }, guarantee: { training: 4 } } } },
    'team applied: guarantee must not exceed deserved (4 > 2 nodes of training)',
  ],
  [
    'an accelerator that is unknown',
    { pools: { ...BASE.pools, shared: { ...BASE.pools.shared, accelerator: 'L40Z' } } },
    'pool shared: unknown accelerator "L40Z"',
  ],
  [
    'an accelerator whose boards differ',
    { pools: { ...BASE.pools, shared: { ...BASE.pools.shared, accelerator: 'H200' } } },
    'pool shared: accelerator "H200" is ambiguous: use H200-SXM-141GB or H200-NVL.',
  ],
  [
    'a fraction of a node',
    { pools: { ...BASE.pools, shared: { ...BASE.pools.shared, nodes: 1.5 } } },
    'pool shared: nodes must be a whole number greater than 0, not 1.5',
  ],
])('%s is refused in words', (_, props, message) => {
  expect(() => platform(props)).toThrow(message);
});

describe('a share that no pool of the platform can count', () => {
  const findings = (add: (chart: Chart) => void): readonly string[] => {
    const app = new App();
    new GpuPlatform(app, 'platform', { pools: { ...BASE.pools, slices: SLICES }, teams: {} });
    add(new Chart(app, 'own'));
    return Testing.check(app)
      .findings.filter(({ rule }) => rule === 'devices/share-offered')
      .map(
        ({ severity, construct, message, expected }) =>
          `${severity} ${construct ?? ''}: ${message} (${expected ?? ''})`,
      );
  };
  const OFFERED = 'nvidia.com/gpu, nvidia.com/gpu.shared, nvidia.com/mig-1g.10gb';

  test.each<[string, Accelerator, string]>([
    ['of another vendor', Accelerator.amd({ count: 8 }), `amd.com/gpu, so the share can never be used (${OFFERED})`],
    [
      'of another MIG profile',
      Accelerator.mig({ profile: '3g.40gb', count: 2 }),
      'nvidia.com/mig-3g.40gb, so the share can never be used (nvidia.com/mig-1g.10gb)',
    ],
  ])('%s, in a queue and in the quota of a team', (_what, accelerators, message) => {
    expect(
      findings((chart) => {
        new Queue(chart, 'q', { capability: { accelerators } });
        new Team(chart, 'other', { quota: { accelerators }, queue: false });
      }),
    ).toEqual([
      `warning own/q/Resource: no node offers ${message}`,
      `warning own/other/quota/Resource: no node offers ${message}`,
    ]);
  });

  test('of a product that no pool has, although the resource is offered', () => {
    expect(
      findings((chart) => {
        new Queue(chart, 'q', {
          deserved: { accelerators: Accelerator.nvidia({ count: 8, product: 'A100-SXM4-80GB' }) },
        });
      }),
    ).toEqual([
      'warning own/q/Resource: the shares are amounts of A100-SXM-80GB, but no node has this accelerator (H100-SXM-80GB, L40S)',
    ]);
  });

  test('what the pools offer is nothing to report', () => {
    expect(
      findings((chart) => {
        new Queue(chart, 'q', {
          deserved: {
            accelerators: [
              Accelerator.nvidia({ count: 8, product: 'H100-SXM-80GB' }),
              Accelerator.timeSliced(),
              Accelerator.mig({ profile: '1g.10gb', count: 7 }),
            ],
          },
        });
      }),
    ).toEqual([]);
  });
});

const SLICES = {
  nodes: 1,
  accelerator: 'H100-SXM-80GB',
  devices: 8,
  cpu: 160,
  memory: '1536Gi',
  sharing: Sharing.mig({ gpu: 'H100-SXM-80GB', layout: { '1g.10gb': 7 } }),
};
