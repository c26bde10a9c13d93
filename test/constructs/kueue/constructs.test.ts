import { Construct } from 'constructs';
import { App, Chart } from 'cdk8s';
import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Accelerator, type Amounts, kubeflow, kueue, Scheduling } from '../../../src';
import { amountsOf } from '../../../src/constructs/pods/amounts';
import { type JsonObject } from '../../../src/facts/api/schema';
import { checkTree } from '../../../src/checks/synth/check-tree';
import { valueAt } from '../../../src/manifests/pointer';
import { asObject } from '../../../src/manifests/read';
import { parseYaml } from '../../../src/manifests/yaml';
import { samples } from '../../support/samples';

const { AdmissionCheck, ClusterQueue, Cohort, LocalQueue, ResourceFlavor, Topology, WorkloadPriorityClass } = kueue;

function made(build: (chart: Chart) => unknown): readonly JsonObject[] {
  const chart = new Chart(new App(), 'test', { namespace: 'ml' });
  build(chart);
  expect(checkTree(chart).findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
  return chart.toJson() as JsonObject[];
}

const specOf = (build: (chart: Chart) => unknown): JsonObject => made(build)[0]?.spec as JsonObject;
const h100 = ResourceFlavor.fromName('h100');
const a100 = ResourceFlavor.fromName('a100');

const FIXED = resolve(__dirname, '../../fixtures/manifests/corrected/topology-and-kueue.yaml');

test('topology-and-kueue.yaml is what the constructs say', () => {
  const objects = made((chart) => {
    const topology = new Topology(chart, 'fabric', {
      levels: ['example.com/topology-block', 'example.com/topology-rack', 'kubernetes.io/hostname'],
    });
    const flavor = new ResourceFlavor(chart, 'h100', {
      nodeLabels: { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3' },
      topology,
      tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
    });
    const clusterQueue = new ClusterQueue(chart, 'h100-pool', {
      cohort: Cohort.fromName('company'),
      flavors: [
        {
          flavor,
          nominalQuota: { cpu: 512, memory: '4Ti', accelerators: Accelerator.nvidia({ count: 64 }) },
          borrowingLimit: { accelerators: Accelerator.nvidia({ count: 16 }) },
        },
      ],
      preemption: { reclaimWithinCohort: 'Any', withinClusterQueue: 'LowerPriority' },
    });
    new LocalQueue(chart, 'blue', { namespace: 'team-blue', clusterQueue });
  });
  const wanted = parseYaml(readFileSync(FIXED, 'utf8'), FIXED)
    .manifests.map(({ object }) => object)
    .filter(({ kind }) => kind !== 'HyperNode');
  expect(objects).toEqual(wanted);
});

test('resource groups follow from the quotas: flavors that share resources are together, in one order', () => {
  const spec = specOf(
    (chart) =>
      new ClusterQueue(chart, 'q', {
        flavors: [
          { flavor: h100, nominalQuota: { cpu: 1, accelerators: Accelerator.nvidia({ count: 8 }) } },
          { flavor: ResourceFlavor.fromName('any'), nominalQuota: { memory: '1Ti' } },
          { flavor: a100, nominalQuota: { accelerators: Accelerator.nvidia({ count: 4 }), cpu: 2 } },
        ],
      }),
  );
  expect(spec.resourceGroups).toEqual([
    {
      coveredResources: ['cpu', 'nvidia.com/gpu'],
      flavors: [
        {
          name: 'h100',
          resources: [
            { name: 'cpu', nominalQuota: '1' },
            { name: 'nvidia.com/gpu', nominalQuota: '8' },
          ],
        },
        {
          name: 'a100',
          resources: [
            { name: 'cpu', nominalQuota: '2' },
            { name: 'nvidia.com/gpu', nominalQuota: '4' },
          ],
        },
      ],
    },
    { coveredResources: ['memory'], flavors: [{ name: 'any', resources: [{ name: 'memory', nominalQuota: '1Ti' }] }] },
  ]);
});

test('quotas that do not go together are refused with the way out', () => {
  const queue =
    (...flavors: readonly kueue.FlavorQuotas[]): (() => unknown) =>
    () =>
      made((chart) => new ClusterQueue(chart, 'q', { flavors }));
  expect(
    queue(
      { flavor: h100, nominalQuota: { cpu: 1, accelerators: Accelerator.nvidia({ count: 8 }) } },
      { flavor: a100, nominalQuota: { accelerators: Accelerator.nvidia({ count: 8 }) } },
    ),
  ).toThrow(
    'The flavor a100 has no quota for cpu, which h100 has. Flavors that share a resource must have the same resources: set 0 for a resource that the flavor does not have.',
  );
  expect(
    queue(
      { flavor: h100, nominalQuota: { accelerators: Accelerator.nvidia({ count: 8 }) } },
      { flavor: a100, nominalQuota: { accelerators: Accelerator.nvidia({ count: 8 }), cpu: 1 } },
    ),
  ).toThrow('The flavor h100 has no quota for cpu, which a100 has.');
  expect(
    queue(
      { flavor: h100, nominalQuota: { accelerators: Accelerator.nvidia({ count: 8 }) } },
      { flavor: h100, nominalQuota: { cpu: 8 } },
    ),
  ).toThrow('The flavor h100 is listed twice.');
  expect(queue({ flavor: h100, nominalQuota: {} })).toThrow('The flavor h100 has no quotas');
  expect(queue({ flavor: h100, nominalQuota: { cpu: 8 }, borrowingLimit: { memory: '1Gi' } })).toThrow(
    'flavor h100: borrowingLimit names memory, which nominalQuota does not contain. Add it to nominalQuota, with 0 if there is none.',
  );
});

test('all that a queue can say is said', () => {
  const spec = specOf((chart) => {
    const check = AdmissionCheck.fromName('autoscale');
    new ClusterQueue(chart, 'q', {
      cohort: Cohort.fromName('all'),
      namespaces: ['ml', 'nlp'],
      queueingStrategy: 'StrictFIFO',
      stopPolicy: 'Hold',
      fairSharingWeight: 2,
      admissionScope: 'UsageBasedAdmissionFairSharing',
      admissionChecks: [AdmissionCheck.fromName('budget'), { check, onFlavors: [h100] }],
      preemption: { reclaimWithinCohort: 'LowerPriority', borrowWithinCohort: { maxPriority: 10 } },
      flavorFungibility: {
        whenCanBorrow: 'TryNextFlavor',
        whenCanPreempt: 'TryNextFlavor',
        preference: 'PreemptionOverBorrowing',
      },
    }).addFlavor({
      flavor: h100,
      nominalQuota: { accelerators: Accelerator.nvidia({ count: 8 }) },
      lendingLimit: { accelerators: Accelerator.nvidia({ count: 4 }) },
    });
  });
  expect(spec).toMatchObject({
    cohortName: 'all',
    queueingStrategy: 'StrictFIFO',
    stopPolicy: 'Hold',
    fairSharing: { weight: '2' },
    namespaceSelector: {
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['ml', 'nlp'] }],
    },
    admissionScope: { admissionMode: 'UsageBasedAdmissionFairSharing' },
    admissionChecksStrategy: { admissionChecks: [{ name: 'budget' }, { name: 'autoscale', onFlavors: ['h100'] }] },
    preemption: {
      reclaimWithinCohort: 'LowerPriority',
      borrowWithinCohort: { policy: 'LowerPriority', maxPriorityThreshold: 10 },
    },
    flavorFungibility: { preference: 'PreemptionOverBorrowing' },
  });
  expect(valueAt(spec, '/resourceGroups/0/flavors/0/resources/0')).toEqual({
    name: 'nvidia.com/gpu',
    nominalQuota: '8',
    lendingLimit: '4',
  });
});

test('what is named comes first, and the workload last', () => {
  const kinds = made((chart) => {
    const clusterQueue = new ClusterQueue(chart, 'training', {
      cohort: new Cohort(chart, 'all', { parent: new Cohort(chart, 'root') }),
    });
    const localQueue = new LocalQueue(chart, 'team', { clusterQueue });
    const priority = new WorkloadPriorityClass(chart, 'high', { value: 100 });
    const levels = new Topology(chart, 'racks', { levels: ['rack'] });
    const flavor = new ResourceFlavor(chart, 'h100', { nodeLabels: { gpu: 'h100' }, topology: levels });
    clusterQueue.addFlavor({
      flavor,
      nominalQuota: {
        cpu: 64,
        memory: '1Ti',
        accelerators: Accelerator.nvidia({ count: 64 }),
      },
    });
    new kubeflow.PyTorchJob(chart, 'train', {
      nodes: 2,
      image: 'x',
      command: ['torchrun', 'train.py'],
      accelerators: Accelerator.nvidia({ count: 8 }),
      sharedMemory: '1Gi',
      resources: { cpu: 8, memory: '64Gi' },
      scheduling: Scheduling.kueue(localQueue, { workloadPriorityClass: priority, topology: { required: 'rack' } }),
    });
  }).map(({ kind, metadata }) => `${kind as string} ${asObject(metadata).name as string}`);
  const before = (first: string, then: string): void => expect(kinds.indexOf(first)).toBeLessThan(kinds.indexOf(then));
  before('Topology racks', 'ResourceFlavor h100');
  before('ResourceFlavor h100', 'ClusterQueue training');
  before('Cohort root', 'Cohort all');
  before('Cohort all', 'ClusterQueue training');
  before('ClusterQueue training', 'LocalQueue team');
  before('LocalQueue team', 'PyTorchJob train');
  before('WorkloadPriorityClass high', 'PyTorchJob train');
});

test('a cohort comes after its parent and its flavors, wherever they are in the tree', () => {
  const names = made((chart) => {
    const early = new Construct(chart, 'early');
    const late = new Construct(chart, 'late');
    const parent = new Cohort(late, 'root');
    const flavor = new ResourceFlavor(late, 'h100', { nodeLabels: { gpu: 'h100' } });
    new Cohort(early, 'all', { parent, flavors: [{ flavor, nominalQuota: { cpu: 64 } }] });
  }).map(({ metadata }) => asObject(metadata).name);
  expect(names.indexOf('all')).toBe(2);
});

test('whatever the quotas, no rule of any domain objects to what the constructs make', () => {
  const amount = fc.integer({ min: 0, max: 4096 });
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const limited = fc.record({
    nominal: amount,
    borrowing: fc.option(amount, { nil: undefined }),
    lends: fc.option(share, { nil: undefined }),
  });
  const statement = fc.record({
    resources: fc.uniqueArray(
      fc.constantFrom('cpu', 'memory', 'nvidia.com/gpu', 'rdma/hca', 'pods', 'example.com/thing'),
      {
        minLength: 1,
      },
    ),
    quotas: fc.array(limited, { minLength: 1, maxLength: 6 }),
    weight: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
    reclaim: fc.constantFrom('Never', 'LowerPriority', 'Any'),
    levels: fc.uniqueArray(fc.constantFrom('block', 'rack', 'example.com/row'), { minLength: 1 }),
    host: fc.boolean(),
  });
  fc.assert(
    fc.property(statement, ({ resources, quotas, weight, reclaim, levels, host }) => {
      made((chart) => {
        const topology = new Topology(chart, 'racks', {
          levels: [...levels, ...(host ? ['kubernetes.io/hostname'] : [])],
        });
        const cohort = new Cohort(chart, 'all', { fairSharingWeight: weight });
        const clusterQueue = new ClusterQueue(chart, 'q', {
          cohort,
          fairSharingWeight: weight,
          preemption: {
            reclaimWithinCohort: reclaim as 'Any',
            borrowWithinCohort: reclaim === 'Never' ? undefined : 'LowerPriority',
          },
        });
        quotas.forEach(({ nominal, borrowing, lends }, index) => {
          const amounts = (count: number | undefined): Amounts | undefined =>
            count === undefined
              ? undefined
              : amountsOf(
                  Object.fromEntries(resources.map((name) => [name, name === 'memory' ? `${count}Gi` : `${count}`])),
                );
          const flavor = new ResourceFlavor(chart, `f${index}`, { nodeLabels: { pool: `p${index}` }, topology });
          clusterQueue.addFlavor({
            flavor,
            nominalQuota: amounts(nominal) ?? {},
            borrowingLimit: amounts(borrowing),
            lendingLimit: amounts(lends === undefined ? undefined : Math.floor(nominal * lends)),
          });
        });
        new LocalQueue(chart, 'team', { clusterQueue });
      });
    }),
    { seed: 20261120, numRuns: samples(60) },
  );
});
