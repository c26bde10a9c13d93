/**
 * Which of several clusters runs each workload.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { parseYaml } from '../../../src/manifests/yaml';
import { clusterOfObjects } from '../../../src/planning/cluster';
import { type ClustersPlan, type NamedCluster, planClusters } from '../../../src/planning/clusters/plan-clusters';
import { gpus, nodeObject, setOf } from '../cluster/builders';

const WORKERS = ['east', 'west', 'north', 'south'];

/** The objects of a manager cluster: one queue whose workloads are sent to the workers, and one whose stay. */
function hub({ workers = WORKERS.slice(0, 2), quota = 64, dispatcher = '' } = {}): string {
  return `
apiVersion: kueue.x-k8s.io/v1beta2
kind: MultiKueueConfig
metadata: {name: workers}
spec: {clusters: [${workers.join(', ')}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: elsewhere}
spec: {controllerName: kueue.x-k8s.io/multikueue, parameters: {apiGroup: kueue.x-k8s.io, kind: MultiKueueConfig, name: workers}}
---
${queue('sent', quota, 'admissionChecksStrategy: {admissionChecks: [{name: elsewhere}]}, ')}
---
${queue('kept', 8)}
${
  dispatcher === ''
    ? ''
    : `---
apiVersion: v1
kind: ConfigMap
metadata: {name: kueue-manager-config, namespace: kueue-system}
data:
  controller_manager_config.yaml: |
    apiVersion: config.kueue.x-k8s.io/v1beta2
    kind: Configuration
    multiKueue: ${dispatcher}
`
}`;
}

function queue(name: string, quota: number, more = ''): string {
  return `
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: ${name}}
spec: {${more}resourceGroups: [{coveredResources: [nvidia.com/gpu], flavors: [{name: any, resources: [{name: nvidia.com/gpu, nominalQuota: ${quota}}]}]}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: ${name}, namespace: ml}
spec: {clusterQueue: ${name}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: any}
spec: {}`;
}

const job = (name: string, pods: number, more: { readonly queue?: string; readonly gpus?: number } = {}): string => `
apiVersion: batch/v1
kind: Job
metadata: {name: ${name}, namespace: ml${more.queue === '' ? '' : `, labels: {kueue.x-k8s.io/queue-name: ${more.queue ?? 'sent'}}`}}
spec: {parallelism: ${pods}, completions: ${pods}, completionMode: Indexed, template: {spec: ${gpus(more.gpus ?? 8, 'restartPolicy: Never, ')}}}`;

const objectsOf = (text: string): readonly JsonObject[] =>
  parseYaml(text, 'x.yaml').manifests.map(({ object }) => object);

/** A cluster with so many nodes of eight GPUs, and further objects. */
function named(name: string, nodes: number, objects = queue('sent', 640)): NamedCluster {
  const own = Array.from({ length: nodes }, (_, index) => nodeObject(`${name}-${index}`));
  return { name, state: clusterOfObjects([...own, ...objectsOf(objects)], name) };
}

const placesOf = ({ gangs }: ClustersPlan): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(gangs.map(({ view, cluster }) => [view.name, cluster]));

describe('with MultiKueue', () => {
  it('names the only worker in which a job fits', () => {
    const plan = planClusters(setOf(job('big', 4), job('own', 1, { queue: 'kept' })), [
      named('hub', 1, hub()),
      named('east', 2),
      named('west', 4),
    ]);
    expect(placesOf(plan)).toEqual({ 'ml/big': 'west', 'ml/own': 'hub' });
    expect(plan.gangs[0]).toMatchObject({ alternatives: [], unknown: [], refusals: [] });
    expect(plan.clusters.map(({ name, role }) => [name, role])).toEqual([
      ['hub', 'manager'],
      ['east', 'worker'],
      ['west', 'worker'],
    ]);
    expect(plan.clusters[2].plan.asked.map(({ view }) => [view.name, view.where.length])).toEqual([['ml/big', 4]]);
    expect(plan.good).toBe(true);
  });

  it('says which workers Kueue may choose, and counts the job once', () => {
    const plan = planClusters(setOf(job('a', 2), job('b', 2), job('c', 2)), [
      named('hub', 0, hub()),
      named('east', 2),
      named('west', 2),
    ]);
    expect(plan.gangs.map(({ view, cluster, alternatives }) => [view.name, cluster, alternatives])).toEqual([
      ['ml/a', 'east', []],
      ['ml/b', 'west', []],
      ['ml/c', undefined, []],
    ]);
    expect(plan.gangs[2].refusals.map(({ cluster }) => cluster)).toEqual(['east', 'west']);
    expect(plan.good).toBe(false);
    const [alone] = planClusters(setOf(job('a', 2)), [
      named('hub', 0, hub()),
      named('east', 2),
      named('west', 2),
    ]).gangs;
    expect(alone).toMatchObject({ cluster: 'east', alternatives: ['west'] });
  });

  it('asks no worker while the quota of the manager is used up', () => {
    const plan = planClusters(setOf(job('a', 2), job('b', 2)), [
      named('hub', 0, hub({ quota: 16 })),
      named('east', 8),
      named('west', 8),
    ]);
    expect(placesOf(plan)).toEqual({ 'ml/a': 'east', 'ml/b': undefined });
    expect(plan.gangs[1].refusals).toMatchObject([{ cluster: 'hub' }]);
  });

  it('does not count a worker without the local queue of the job', () => {
    const plan = planClusters(setOf(job('a', 1)), [
      named('hub', 0, hub()),
      named('east', 8, queue('another', 64)),
      named('west', 8),
    ]);
    expect(plan.gangs[0]).toMatchObject({ cluster: 'west', alternatives: [] });
    const none = planClusters(setOf(job('a', 1)), [
      named('hub', 0, hub({ workers: ['east'] })),
      named('east', 8, queue('another', 64)),
    ]);
    expect(none.gangs[0].refusals).toEqual([{ cluster: 'east', message: 'The cluster has no LocalQueue ml/sent.' }]);
  });

  it('does not send the queues of the manager to the workers', () => {
    const plan = planClusters(setOf(hub({ quota: 64 }), job('a', 2)), [
      named('hub', 0, ''),
      named('east', 2, queue('sent', 8)),
      named('west', 2, queue('sent', 16)),
    ]);
    expect(placesOf(plan)).toEqual({ 'ml/a': 'west' });
  });

  it('follows the rounds of the incremental dispatcher', () => {
    const clusters = (dispatcher: string): readonly NamedCluster[] => [
      named('hub', 0, hub({ workers: WORKERS, dispatcher })),
      ...WORKERS.map((name) => named(name, 1)),
    ];
    const first = (dispatcher: string): unknown => planClusters(setOf(job('a', 1)), clusters(dispatcher)).gangs[0];
    expect(first('{}')).toMatchObject({ cluster: 'east', alternatives: ['west', 'north', 'south'] });
    const incremental = 'dispatcherName: kueue.x-k8s.io/multikueue-dispatcher-incremental';
    expect(first(`{${incremental}}`)).toMatchObject({ cluster: 'east', alternatives: ['west', 'north'] });
    expect(first(`{${incremental}, incrementalDispatcherConfig: {stepSize: 1}}`)).toMatchObject({
      cluster: 'east',
      alternatives: [],
    });
  });

  it('names a worker that is not given', () => {
    const plan = planClusters(setOf(job('a', 1)), [named('hub', 0, hub()), named('west', 1)]);
    expect(plan.gangs[0]).toMatchObject({ cluster: 'west', unknown: ['east'] });
  });

  it('says that no configuration names a cluster', () => {
    const plan = planClusters(setOf(job('a', 1)), [named('hub', 0, hub()), named('east', 1), named('other', 9)]);
    expect(plan.notes).toEqual(['No MultiKueueConfig names the cluster other, so nothing is sent there.']);
  });
});

describe('without MultiKueue', () => {
  it('places each job in the first cluster in which it fits, beside those before it', () => {
    const plan = planClusters(
      setOf(job('a', 2, { queue: '' }), job('b', 1, { queue: '' }), job('c', 3, { queue: '' })),
      [named('east', 2, ''), named('west', 4, '')],
    );
    expect(placesOf(plan)).toEqual({ 'ml/a': 'east', 'ml/b': 'west', 'ml/c': 'west' });
    expect(plan.clusters.map(({ role }) => role)).toEqual(['cluster', 'cluster']);
  });
});
