/**
 * One workload of each kind, of four pods where the kind says so: for the table of who can schedule what.
 */
import { type Chart } from 'cdk8s';
import { CronJob, Job, JobSet, LeaderWorkerSet } from '../../src/constructs/batch';
import { JAXJob, MPIJob, MPIJobV1, PaddleJob, PyTorchJob, TFJob, XGBoostJob } from '../../src/constructs/kubeflow';
import { Accelerator, PodTemplate, type Scheduling } from '../../src/constructs/pods';
import { RayCluster, RayJob, RayService } from '../../src/constructs/ray';
import { ClusterTrainingRuntime, MlPolicy, TrainJob, TrainingRuntime } from '../../src/constructs/trainer';
import { Job as VolcanoJob, JobPlugin, Policy } from '../../src/constructs/volcano';

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

export type MakeWorkload = (chart: Chart, scheduling?: Scheduling) => unknown;

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
  'Volcano Job': (chart, scheduling) =>
    new VolcanoJob(chart, 'train', {
      scheduling,
      plugins: [JobPlugin.svc({ publishNotReadyAddresses: true })],
      policies: [Policy.onEvents(['PodEvicted', 'PodFailed'], 'RestartJob')],
      tasks: [{ name: 'node', replicas: 4, template: new PodTemplate(POD) }],
    }),
};
