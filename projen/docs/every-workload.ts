/**
 * One workload of each kind, of four pods where the kind says so: for the table of who can schedule what.
 */
import { Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import { CronJob, Job, JobSet, LeaderWorkerSet } from '../../src/constructs/batch';
import { JAXJob, MPIJob, MPIJobV1, PaddleJob, PyTorchJob, TFJob, XGBoostJob } from '../../src/constructs/kubeflow';
import { Accelerator, PodTemplate, type Scheduling } from '../../src/constructs/pods';
import { RayCluster, RayJob, RayService } from '../../src/constructs/ray';
import { ClusterTrainingRuntime, MlPolicy, TrainJob, TrainingRuntime } from '../../src/constructs/trainer';
import {
  CronJob as VolcanoCronJob,
  Job as VolcanoJob,
  JobPlugin,
  JobTemplate,
  Policy,
} from '../../src/constructs/volcano';
import { ScaledJob, Triggers } from '../../src/constructs/keda';
import { SpotJob } from '../../src/constructs/node-tuning';
import { type QueueReference } from '../../src/constructs/resources/queue-references';
import { Deployment, KnativeFeatureSwitches, KnativeService } from '../../src/constructs/serving';

const POD = {
  image: 'registry.example.com/train:1',
  command: ['torchrun', 'train.py'],
  accelerators: Accelerator.nvidia({ count: 8 }),
  sharedMemory: '64Gi',
  resources: { cpu: 8, memory: '100Gi' },
};
const RAY = {
  rayVersion: '2.52.0',
  head: { image: 'rayproject/ray:2.52.0' },
  workers: [{ ...POD, command: undefined, groupName: 'gpu', replicas: 3 }],
};

const VOLCANO_JOB = {
  plugins: [JobPlugin.svc({ publishNotReadyAddresses: true })],
  policies: [Policy.onEvents(['PodEvicted', 'PodFailed'], 'RestartJob')],
  tasks: [{ name: 'node', replicas: 4, template: new PodTemplate(POD) }],
};

/** A workload of whichever kind; a TrainingRuntime has no `submitTo`. */
export type MadeWorkload = Construct & { submitTo?(queue: QueueReference): unknown };

/**
 * Makes a workload with any choice: `never` is a choice of every kind for the compiler, so that the constructs' own errors are seen.
 */
export type MakeWorkload = (chart: Chart, scheduling?: Scheduling<never>) => MadeWorkload;

export const EVERY_WORKLOAD: Readonly<Record<string, MakeWorkload>> = {
  Job: (chart, scheduling) => new Job(chart, 'train', { ...POD, parallelism: 4, scheduling }),
  CronJob: (chart, scheduling) =>
    new CronJob(chart, 'train', { ...POD, schedule: '@daily', parallelism: 4, scheduling }),
  JobSet: (chart, scheduling) =>
    new JobSet(chart, 'train', { scheduling, jobs: [{ ...POD, jobName: 'node', nodes: 4 }] }),
  LeaderWorkerSet: (chart, scheduling) => new LeaderWorkerSet(chart, 'train', { ...POD, groupSize: 4, scheduling }),
  'LeaderWorkerSet, several groups': (chart, scheduling) =>
    new LeaderWorkerSet(chart, 'train', { ...POD, groupSize: 4, groups: 2, scheduling }),
  PyTorchJob: (chart, scheduling) => new PyTorchJob(chart, 'train', { ...POD, nodes: 4, scheduling }),
  TFJob: (chart, scheduling) => new TFJob(chart, 'train', { ...POD, workers: 4, scheduling }),
  XGBoostJob: (chart, scheduling) => new XGBoostJob(chart, 'train', { ...POD, nodes: 4, scheduling }),
  PaddleJob: (chart, scheduling) => new PaddleJob(chart, 'train', { ...POD, nodes: 4, scheduling }),
  JAXJob: (chart, scheduling) => new JAXJob(chart, 'train', { ...POD, nodes: 4, scheduling }),
  MPIJob: (chart, scheduling) => new MPIJob(chart, 'train', { ...POD, workers: 4, scheduling }),
  'MPIJob v1': (chart, scheduling) => new MPIJobV1(chart, 'train', { ...POD, workers: 4, scheduling }),
  TrainJob: (chart, scheduling) => {
    // A runtime of the cluster, of which it is not known who schedules its pods.
    const runtime = ClusterTrainingRuntime.fromName('torch-distributed', 'torch');
    return new TrainJob(chart, 'train', { ...POD, runtime, nodes: 4, scheduling });
  },
  TrainingRuntime: (chart, scheduling) =>
    new TrainingRuntime(chart, 'train', { ...POD, policy: MlPolicy.torch(), scheduling }),
  RayCluster: (chart, scheduling) => new RayCluster(chart, 'train', { ...RAY, scheduling }),
  RayJob: (chart, scheduling) =>
    new RayJob(chart, 'train', { entrypoint: 'python train.py', cluster: RAY, scheduling }),
  RayService: (chart, scheduling) => {
    const serveConfig = { applications: [{ name: 'a', import_path: 'a:b' }] };
    return new RayService(chart, 'train', { serveConfig, cluster: RAY, scheduling });
  },
  'Volcano Job': (chart, scheduling) => new VolcanoJob(chart, 'train', { ...VOLCANO_JOB, scheduling }),
  'Volcano CronJob': (chart, scheduling) =>
    new VolcanoCronJob(chart, 'train', { schedule: '@daily', job: VOLCANO_JOB, scheduling }),
  'Volcano JobTemplate': (chart, scheduling) => new JobTemplate(chart, 'train', { ...VOLCANO_JOB, scheduling }),
  Deployment: (chart, scheduling) => new Deployment(chart, 'train', { ...POD, replicas: 4, scheduling }),
  'Knative Service': (chart, scheduling) => {
    const service = new KnativeService(chart, 'train', { ...POD, scheduling });
    // One ConfigMap of the cluster, for the services of all charts.
    const { root } = chart.node;
    const known = root.node.tryFindChild('knative')?.node.tryFindChild('features');
    const features = known ?? new KnativeFeatureSwitches(new Chart(root, 'knative'), 'features');
    (features as KnativeFeatureSwitches).addService(service);
    return service;
  },
  ScaledJob: (chart, scheduling) =>
    new ScaledJob(chart, 'train', {
      ...POD,
      scheduling,
      triggers: [Triggers.cron({ timezone: 'Etc/UTC', start: '0 8 * * *', end: '0 18 * * *', desiredReplicas: 4 })],
    }),
  SpotJob: (chart, scheduling) => new SpotJob(chart, 'train', { ...POD, on: 'gke', completions: 4, scheduling }),
};
