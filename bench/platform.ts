/**
 * A platform of any size for the benchmarks: the same objects on every machine, and nothing in them that a check would refuse.
 */
import { ApiObject, App, Chart } from 'cdk8s';

const CHARTS = 10;

/** Objects of one team: its namespace with a quota, a limit range and a queue, and then its work. */
const TEAM = 100;

/** The Deployment of a Service is this many objects before it. */
const SERVED = 3;

/** An app with this many objects, by teams, in ten charts. */
export function platform(objects: number, outdir: string): App {
  const app = new App({ outdir });
  const charts = Array.from({ length: CHARTS }, (_, index) => new Chart(app, `part-${index}`));
  for (let index = 0; index < objects; index++) {
    const team = Math.floor(index / TEAM);
    const { apiVersion, kind, ...rest } = objectOf(index % TEAM, `team-${team}`);
    new ApiObject(charts[team % CHARTS], `object-${index}`, { apiVersion, kind, ...rest });
  }
  return app;
}

interface AnyObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly [key: string]: unknown;
}

/**
 * After the first four, of sixteen objects: four PyTorchJobs, three Volcano Jobs, three Deployments, two Services and four config maps.
 */
function objectOf(index: number, team: string): AnyObject {
  const labels = { 'app.kubernetes.io/part-of': team };
  const metadata = { name: `${team}-${index}`, namespace: team, labels };
  if (index === 0) {
    return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: team, labels } };
  }
  if (index === 1) {
    return quota(metadata);
  }
  if (index === 2) {
    return limits(metadata);
  }
  if (index === 3) {
    return queue(team, labels);
  }
  const turn = index % 16;
  if (turn < 4) {
    return pytorchJob(metadata);
  }
  if (turn < 7) {
    return volcanoJob(metadata, team);
  }
  if (turn < 10) {
    return deployment(metadata);
  }
  if (turn < 12) {
    return service(metadata, `${team}-${index - SERVED}`);
  }
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
    data: { 'config.json': JSON.stringify({ index, team }), mode: 'train' },
  };
}

function queue(name: string, labels: Readonly<Record<string, string>>): AnyObject {
  const spec = {
    weight: 1 + (name.length % 7),
    reclaimable: true,
    capability: { cpu: '4096', memory: '32Ti', 'nvidia.com/gpu': '4096' },
  };
  return { apiVersion: 'scheduling.volcano.sh/v1beta1', kind: 'Queue', metadata: { name, labels }, spec };
}

function quota(metadata: AnyObject['metadata']): AnyObject {
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata,
    spec: { hard: { 'requests.nvidia.com/gpu': '4096', pods: '5000', 'count/jobs.batch': '100' } },
  };
}

function limits(metadata: AnyObject['metadata']): AnyObject {
  const limit = {
    type: 'Container',
    default: { cpu: '4', memory: '16Gi' },
    defaultRequest: { cpu: '1', memory: '4Gi' },
  };
  return { apiVersion: 'v1', kind: 'LimitRange', metadata, spec: { limits: [limit] } };
}

function container(name: string, gpus: number): object {
  const resources = { cpu: '8', memory: '64Gi', ...(gpus > 0 ? { 'nvidia.com/gpu': gpus } : {}) };
  return {
    name,
    image: 'registry.example.com/train:1.4.2',
    command: ['python', 'train.py'],
    env: [
      { name: 'NCCL_DEBUG', value: 'WARN' },
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ],
    resources: { requests: resources, limits: resources },
    volumeMounts: [{ name: 'shm', mountPath: '/dev/shm' }],
  };
}

function podSpec(name: string, gpus: number, more: object = {}): object {
  return {
    containers: [container(name, gpus)],
    volumes: [{ name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '16Gi' } }],
    tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
    ...more,
  };
}

function pytorchJob(metadata: AnyObject['metadata']): AnyObject {
  const role = (replicas: number): object => ({
    replicas,
    restartPolicy: 'OnFailure',
    template: { spec: podSpec('pytorch', 8) },
  });
  const spec = {
    nprocPerNode: '8',
    runPolicy: { cleanPodPolicy: 'None' },
    pytorchReplicaSpecs: { Master: role(1), Worker: role(7) },
  };
  return { apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob', metadata, spec };
}

function volcanoJob(metadata: AnyObject['metadata'], queueName: string): AnyObject {
  const task = (name: string, replicas: number): object => ({
    name,
    replicas,
    template: { spec: podSpec(name, 8, { restartPolicy: 'OnFailure' }) },
  });
  const plugins = { pytorch: ['--master=master', '--worker=worker', '--port=23456'], svc: [] };
  const policies = [
    { event: 'PodEvicted', action: 'RestartJob' },
    { event: 'PodFailed', action: 'RestartJob' },
  ];
  const tasks = [task('master', 1), task('worker', 3)];
  const spec = { minAvailable: 4, schedulerName: 'volcano', queue: queueName, plugins, policies, tasks };
  return { apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', metadata, spec };
}

function deployment(metadata: AnyObject['metadata']): AnyObject {
  const labels = { app: metadata.name };
  const spec = {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: podSpec('server', 1) },
  };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec };
}

function service(metadata: AnyObject['metadata'], app: string): AnyObject {
  const spec = { selector: { app }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] };
  return { apiVersion: 'v1', kind: 'Service', metadata, spec };
}
