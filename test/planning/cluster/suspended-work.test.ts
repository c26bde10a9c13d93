/**
 * Jobs that Kueue suspends have no pods, and wait all the same: the plan reads what they need from their Workloads.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { clusterOfObjects, planOf, type ClusterPlan } from '../../../src/planning/cluster';
import { gpus, nodeObject, setOf } from './builders';

const GPU = 'nvidia.com/gpu';

function workload(job: string, more: { readonly status?: JsonObject; readonly active?: boolean } = {}): JsonObject {
  return {
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'Workload',
    metadata: {
      name: `job-${job}-1a2b3`,
      namespace: 'research',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: job, controller: true }],
    },
    spec: {
      active: more.active ?? true,
      podSets: [
        {
          name: 'main',
          count: 1,
          template: { spec: { containers: [{ name: 'main', resources: { requests: { [GPU]: '8' } } }] } },
        },
      ],
    },
    status: more.status ?? {},
  };
}

function condition(type: string): JsonObject {
  return { conditions: [{ type, status: 'True' }] };
}

function job(name: string): ManifestSet {
  return setOf(`apiVersion: batch/v1
kind: Job
metadata: { name: ${name}, namespace: research }
spec: { template: { spec: ${gpus(8, 'restartPolicy: Never, ')} } }
`);
}

/** On one node of eight devices. */
function plan(set: ManifestSet, ...objects: readonly JsonObject[]): ClusterPlan {
  const node = nodeObject('n', { status: { allocatable: { cpu: '96', memory: '1Ti', pods: '110', [GPU]: '8' } } });
  return planOf(set, clusterOfObjects([node, ...objects], 'prod'));
}

function states({ view }: ClusterPlan): Readonly<Record<string, string>> {
  return Object.fromEntries(view.gangs.map(({ name, state }) => [name, state]));
}

const NOTHING = new ManifestSet([]);

test('without manifests, they are planned under the names of their jobs', () => {
  const { asked, view } = plan(NOTHING, workload('train'));
  expect(asked.map((one) => [one.view.name, one.view.state])).toEqual([['research/train', 'placed']]);
  expect(view.gangs[0]).toMatchObject({ kind: 'Job', namespace: 'research' });
});

test('a younger job of the manifests waits behind one', () => {
  expect(states(plan(job('next')))).toEqual({ 'research/next': 'placed' });
  expect(states(plan(job('next'), workload('train')))).toEqual({
    'research/next': 'pending',
    'research/train': 'placed',
  });
});

test('a job of the manifests that is in the cluster already is planned once', () => {
  expect(states(plan(job('train'), workload('train')))).toEqual({ 'research/train': 'placed' });
});

test.each([
  ['has quota: its pods are there or come', workload('train', { status: condition('QuotaReserved') })],
  ['has finished', workload('train', { status: condition('Finished') })],
  ['is not active', workload('train', { active: false })],
])('one that %s does not wait', (_, object) => {
  expect(states(plan(NOTHING, object))).toEqual({});
});

test('one whose job has pods is planned by its pods', () => {
  const pod: JsonObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'train-x',
      namespace: 'research',
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'train', controller: true }],
    },
    spec: { containers: [{ name: 'main', resources: { requests: { [GPU]: '4' } } }] },
    status: { phase: 'Pending' },
  };
  const { view } = plan(NOTHING, pod, workload('train'));
  expect(view.gangs.map(({ name, state }) => [name, state])).toEqual([['research/train', 'placed']]);
});

test('Workloads of one name in two namespaces have names of their own', () => {
  const other = workload('train');
  const elsewhere: JsonObject = { ...other, metadata: { ...(other.metadata as JsonObject), namespace: 'serving' } };
  expect(Object.keys(states(plan(NOTHING, other, elsewhere))).sort()).toEqual(['research/train', 'serving/train']);
});
