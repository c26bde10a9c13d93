/**
 * The view, over random clusters and manifests: it conserves what nodes and devices have, and is the same for the same input.
 */
import * as fc from 'fast-check';
import { type ClusterView, occupantsOf, planOf } from '../../../src/planning/cluster';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { clusterOfObjects } from '../../../src/planning/cluster/from-objects';
import { clusterOf, setOf } from './builders';
import { everyVendor } from '../../support/scenes';
import { samples } from '../../support/samples';

const pool = fc.record({
  count: fc.integer({ min: 1, max: 6 }),
  perNode: fc.constantFrom(1, 4, 8),
  racks: fc.integer({ min: 1, max: 3 }),
  flavour: fc.constantFrom('', 'mig: {1g.10gb: 4, 3g.40gb: 1}', 'replicas: 4'),
});

const workload = fc.record({
  kind: fc.constantFrom('Deployment', 'PyTorchJob'),
  pods: fc.integer({ min: 1, max: 8 }),
  ask: fc.constantFrom(
    'nvidia.com/gpu: 1',
    'nvidia.com/gpu: 8',
    'nvidia.com/mig-1g.10gb: 1',
    'nvidia.com/mig-3g.40gb: 1',
    'nvidia.com/gpu: 1, nvidia.com/gpumem: 30000',
    'cpu: 40',
  ),
  priority: fc.constantFrom('low', 'high'),
});

type Workload = typeof workload extends fc.Arbitrary<infer T> ? T : never;

const manifest = ({ kind, pods, ask, priority }: Workload, index: number): string => {
  const template = `{spec: {priorityClassName: ${priority}, containers: [{name: c, image: x, resources: {limits: {${ask}}}}]}}`;
  return kind === 'Deployment'
    ? `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w${index}}\nspec: {replicas: ${pods}, template: ${template}}`
    : `apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: w${index}}\nspec: {pytorchReplicaSpecs: {Worker: {replicas: ${pods}, template: ${template}}}}`;
};

const pools = fc.array(pool, { minLength: 1, maxLength: 3 });
const workloads = fc.array(workload, { minLength: 1, maxLength: 8 });

const world = fc.tuple(pools, workloads).map(([shapes, asked]) => ({
  cluster: clusterOf(
    `pools:\n${shapes
      .map(
        ({ count, perNode, racks, flavour }, index) =>
          `  - {name: pool${index}, count: ${count}, accelerator: H100-SXM-80GB, perNode: ${perNode}, racks: {count: ${racks}, name: r${index}-#}${flavour === '' ? '' : `, ${flavour}`}}`,
      )
      .join('\n')}`,
  ),
  set: setOf(
    'apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 9',
    'apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: low}\nvalue: 1',
    ...asked.map(manifest),
  ),
}));

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** What must hold in any view. */
function holds(view: ClusterView): void {
  for (const node of view.nodes) {
    node.used.forEach((used, index) => expect(used).toBeLessThanOrEqual(node.allocatable[index]));
    for (const occupants of occupantsOf(view, node)) {
      expect(sum(occupants.map(({ share }) => share))).toBeLessThanOrEqual(1000);
    }
    for (const { gang } of node.pods) {
      expect(view.gangs[gang ?? -1]).toBeDefined();
    }
  }
  const device = view.resources.indexOf('nvidia.com/gpu');
  expect(sum(view.pools.map(({ devices }) => devices))).toBe(sum(view.nodes.map(({ devices }) => devices.length)));
  const used = device < 0 ? 0 : sum(view.nodes.map((node) => node.used[device]));
  expect(sum(view.pools.map(({ devicesUsed }) => devicesUsed))).toBeCloseTo(used, 3);
  expect(view.fragmentation.devices).toBe(sum(view.pools.map(({ devices }) => devices)));
  expect(sum(view.pools.map(({ nodes }) => nodes))).toBe(view.nodes.length);
  for (const gang of view.gangs) {
    expect(sum(gang.where.map(([, pods]) => pods))).toBe(gang.placed);
    expect(sum(gang.roles.map(({ placed }) => placed))).toBe(gang.placed);
    expect(gang.placed === 0 || gang.placed >= gang.minimum).toBe(true);
    expect(gang.state === 'pending').toBe(gang.placed === 0);
    if (gang.state === 'pending') {
      expect(gang.pending?.message).toMatch(/\.$/);
    }
  }
  const pods = view.resources.indexOf('pods');
  expect(sum(view.nodes.map(({ used }) => used[pods]))).toBe(sum(view.gangs.map(({ placed }) => placed)));
}

it('conserves what nodes, devices, pools and gangs have', () => {
  fc.assert(
    fc.property(world, ({ cluster, set }) => holds(planOf(set, cluster).view)),
    { seed: 23, numRuns: samples(60) },
  );
});

it('is the same bytes for the same input, and plain JSON', () => {
  fc.assert(
    fc.property(world, ({ cluster, set }) => {
      const { view } = planOf(set, cluster);
      const text = JSON.stringify(view);
      expect(
        JSON.stringify(
          planOf(new ManifestSet(set.manifests), { ...cluster, nodes: [...cluster.nodes].reverse() }).view,
        ),
      ).toBe(text);
      expect(JSON.parse(text)).toEqual(view);
    }),
    { seed: 31, numRuns: samples(30) },
  );
});

it('names the holders of each device, parts and instances too', () => {
  const set = setOf(
    'apiVersion: v1\nkind: Pod\nmetadata: {name: part, annotations: {gpu-fraction: "0.5"}}\nspec: {containers: [{name: c, image: x}]}',
  );
  const { view } = planOf(set, clusterOf('pools: [{name: one, accelerator: H100-SXM-80GB, perNode: 2}]'));
  expect(
    occupantsOf(view, view.nodes[0]).map((occupants) => occupants.map(({ pod, share }) => [pod.name, share])),
  ).toEqual([[['default/part', 500]], []]);
});

describe('pods with manifests of their own', () => {
  const bare = (name: string): string =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, labels: {gantry.dev/gang: g}}\n` +
    'spec: {schedulerName: gantry, containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: 1}}}]}';

  it('have their own names in the plan', () => {
    const set = setOf([bare('first'), bare('second')].join('\n---\n'));
    const { decision } = planOf(set, clusterOf('pools: [{name: one, accelerator: H100-SXM-80GB, perNode: 2}]'));
    expect(decision.bindings.map(({ pod }) => pod).sort()).toEqual(['default/first', 'default/second']);
  });

  it('are those that the cluster has already, and the others are still placed', () => {
    const running = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'second', namespace: 'default', labels: { 'gantry.dev/gang': 'g' } },
      spec: {
        schedulerName: 'gantry',
        nodeName: 'n-0',
        containers: [{ name: 'c', image: 'x', resources: { limits: { 'nvidia.com/gpu': '1' } } }],
      },
      status: { phase: 'Running' },
    };
    const node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n-0', labels: {} },
      status: {
        allocatable: { cpu: '8', memory: '64Gi', pods: '20', 'nvidia.com/gpu': '2' },
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    };
    const set = setOf([bare('first'), bare('second')].join('\n---\n'));
    const { decision, view } = planOf(set, clusterOfObjects([node, running], 'live'));
    expect(decision.bindings.map(({ pod }) => pod)).toEqual(['default/first']);
    expect(view.gangs[0]).toMatchObject({ pods: 2, placed: 2 });
  });
});

it('says in sentences why nodes are excluded, and which one is nearest', () => {
  const set = setOf(
    'apiVersion: v1\nkind: Pod\nmetadata: {name: big}\nspec: {nodeSelector: {zone: a}, containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: 4}}}]}',
  );
  const cluster = clusterOf(
    'pools: [{name: a, labels: {zone: a}, accelerator: H100-SXM-80GB, perNode: 2}, {name: b, count: 3, labels: {zone: b}, accelerator: H100-SXM-80GB}]',
  );
  expect(planOf(set, cluster).view.gangs[0].pending?.excluded).toEqual([
    '3 of 4 nodes do not have the label zone=a.',
    '1 of 4 nodes do not have enough free nvidia.com/gpu.',
    'Nearest node a-1 lacks 2 nvidia.com/gpu.',
  ]);
});

test('a gang that requests cores of devices says how many, and one that requests devices does not', () => {
  const gangs = everyVendor().gangs.map(({ name, devices, deviceUnits }) => [name, devices, deviceUnits] as const);
  expect(gangs.filter(([, , deviceUnits]) => deviceUnits !== undefined)).toEqual([
    ['team/trn2-13', 0, '12 Neuron cores'],
  ]);
  expect(gangs.find(([name]) => name === 'team/h100-0')).toEqual(['team/h100-0', 8, undefined]);
});
