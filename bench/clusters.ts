/**
 * Measures a plan over many clusters: worker clusters of MultiKueue, each with as many nodes of eight GPUs, and jobs in queues that may run in the worker
 * clusters of one MultiKueueConfig.
 *
 * Options: `--clusters N` (20), `--nodes N` of each (10000), `--jobs N` (100), `--pods N` of each job (16). Prints one line of JSON.
 */
import { parseArgs } from 'node:util';
import { type JsonObject } from '../src/facts/api/schema';
import { ManifestSet } from '../src/manifests/manifest-set';
import { readCluster } from '../src/planning/cluster';
import { planClusters } from '../src/planning/clusters/plan-clusters';
import { manifestOf } from '../test/support/manifest-of';
import { machine } from './machine';

/** A MultiKueueConfig names at most this many. */
const MOST_WORKERS = 20;
const TEAM = 'research';
const KUEUE = 'kueue.x-k8s.io/v1beta2';

const { values } = parseArgs({
  options: {
    clusters: { type: 'string', default: '20' },
    nodes: { type: 'string', default: '10000' },
    jobs: { type: 'string', default: '100' },
    pods: { type: 'string', default: '16' },
  },
});
const [clusters, nodes, jobs, pods] = [values.clusters, values.nodes, values.jobs, values.pods].map(Number);
const groups = Math.ceil(clusters / MOST_WORKERS);

const nameOf = (cluster: number): string => `worker-${cluster}`;
const object = (
  apiVersion: string,
  kind: string,
  name: string,
  spec: JsonObject,
  more: JsonObject = {},
): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name, ...more },
  spec,
});

function queueObjects(group: number, checks: readonly string[]): readonly JsonObject[] {
  const name = `group-${group}`;
  const quota = [{ name: 'nvidia.com/gpu', nominalQuota: 1e9 }];
  return [
    object(KUEUE, 'ClusterQueue', name, {
      resourceGroups: [{ coveredResources: ['nvidia.com/gpu'], flavors: [{ name: 'any', resources: quota }] }],
      ...(checks.length > 0 && {
        admissionChecksStrategy: { admissionChecks: checks.map((check) => ({ name: check })) },
      }),
    }),
    object(KUEUE, 'LocalQueue', name, { clusterQueue: name }, { namespace: TEAM }),
  ];
}

function managerObjects(): readonly JsonObject[] {
  return Array.from({ length: groups }, (_, group) => {
    const name = `group-${group}`;
    const from = group * MOST_WORKERS;
    const workers = Array.from({ length: Math.min(MOST_WORKERS, clusters - from) }, (__, i) => nameOf(from + i));
    return [
      object(KUEUE, 'MultiKueueConfig', name, { clusters: workers }),
      object(KUEUE, 'AdmissionCheck', name, {
        controllerName: 'kueue.x-k8s.io/multikueue',
        parameters: { apiGroup: 'kueue.x-k8s.io', kind: 'MultiKueueConfig', name },
      }),
      ...queueObjects(group, [name]),
    ];
  }).flat();
}

function job(index: number): JsonObject {
  const limits = { cpu: '16', memory: '128Gi', 'nvidia.com/gpu': '8' };
  return object(
    'batch/v1',
    'Job',
    `job-${index}`,
    {
      parallelism: pods,
      completions: pods,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'x', resources: { limits } }] } },
    },
    { namespace: TEAM, labels: { 'kueue.x-k8s.io/queue-name': `group-${index % groups}` } },
  );
}

function clusterText(count: number): string {
  return JSON.stringify({
    pools: [{ name: 'h100', count, accelerator: 'H100-SXM-80GB', racks: { size: 8 } }],
  });
}

const cpu = (): number => process.cpuUsage().user / 1e6;
const began = cpu();
const workers = Array.from({ length: clusters }, (_, index) => {
  const state = readCluster(clusterText(nodes), `${nameOf(index)}.json`);
  return {
    name: nameOf(index),
    state: { ...state, objects: [...state.objects, ...queueObjects(Math.floor(index / MOST_WORKERS), [])] },
  };
});
const manager = readCluster(clusterText(1), 'hub.json');
const named = [{ name: 'hub', state: { ...manager, objects: [...manager.objects, ...managerObjects()] } }, ...workers];
const read = cpu();
const set = new ManifestSet(Array.from({ length: jobs }, (_, index) => manifestOf(job(index))));
const plan = planClusters(set, named);
const planned = cpu();
process.stdout.write(
  `${JSON.stringify({
    clusters,
    nodes,
    jobs,
    pods,
    placed: plan.gangs.filter(({ cluster }) => cluster !== undefined).length,
    readSeconds: Math.round((read - began) * 10) / 10,
    planSeconds: Math.round((planned - read) * 10) / 10,
    megabytes: Math.round(process.memoryUsage().rss / 1e6),
    machine: machine(),
  })}\n`,
);
