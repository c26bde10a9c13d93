/**
 * FabricTest: a program of nccl-tests on the nodes of one topology domain, whose result is compared with what the fabric must deliver.
 */
import { Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { type Affinity } from '../../facts/api/types/core/v1';
import { MPIJob } from '../kubeflow';
import { type Accelerator, NodeSelection, type PodProps, Scheduling, type SharedMemory } from '../pods';
import { type NamespacedObjectProps } from '../resources/object-props';
import { type PriorityClassReference } from '../resources/references';
import { publicClass } from '../resources/public-class';
import { bytesOf, type ByteSize, shown } from '../resources/quantities';
import { type QueueReference, requireQueue } from '../resources/queue-references';
import { type Scheduled, type Unscheduled } from '../workload/scheduled';
import { requireWholeNumber } from '../workload/whole-number';
import { fabricScript } from './fabric-script';
import { TRAINING_LABEL, TrainingTopology } from './topology';

/**
 * A collective operation that a FabricTest can measure.
 *
 * @beta
 */
export type FabricCollective = 'all-reduce' | 'all-gather' | 'reduce-scatter' | 'all-to-all';

/** Programs of nccl-tests. */
const PROGRAMS: Readonly<Record<FabricCollective, string>> = {
  'all-reduce': 'all_reduce_perf',
  'all-gather': 'all_gather_perf',
  'reduce-scatter': 'reduce_scatter_perf',
  'all-to-all': 'alltoall_perf',
};

/**
 * The domain whose fabric is measured.
 *
 * @beta
 */
export interface FabricDomain {
  /** Node label of the level, such as `topology.kubernetes.io/rack`. */
  readonly level: string;
  /** Value of the label. @default - any one domain that has the nodes free */
  readonly name?: string;
}

/**
 * Props of a FabricTest.
 *
 * @beta
 */
export interface FabricTestProps
  extends Omit<PodProps, 'command' | 'args' | 'accelerators' | 'sharedMemory'>, NamespacedObjectProps {
  /** Nodes that take part, each with one pod. */
  readonly nodes: number;
  /** Devices of each node: all that the node has, or the test measures a part of it. Each device is one rank. */
  readonly accelerators: Accelerator;
  /** Size of `/dev/shm`, through which the ranks of a node exchange data. @default '8Gi', a part of the memory */
  readonly sharedMemory?: ByteSize | SharedMemory;
  /** Bus bandwidth that the fabric must deliver, in GB/s, as nccl-tests reports it: an average over all sizes. */
  readonly expectedBusBandwidth: number;
  /** Where the nodes are. @default - anywhere */
  readonly domain?: FabricDomain;
  /** The collective operation. @default 'all-reduce' */
  readonly collective?: FabricCollective;
  /**
   * Messages from the smallest to the greatest size, each twice as large as the one before. Small messages measure latency and lower the
   * average. @default - from 1Gi to 8Gi
   */
  readonly messageSizes?: {
    /** The smallest message. */
    readonly min: ByteSize;
    /** The greatest message. */
    readonly max: ByteSize;
  };
  /** Repetitions that are measured for each size. @default 20 */
  readonly iterations?: number;
  /** Folder of the programs of nccl-tests in the image. @default - the programs are in PATH */
  readonly programFolder?: string;
  /** Priority of the pods. @default - the cluster's default class, if any */
  readonly priorityClass?: PriorityClassReference;
  /** Time after which the test fails: a fabric that loses packets can hang NCCL. @default Duration.minutes(15) */
  readonly activeDeadline?: Duration;
  /** Time after its end at which the test is deleted. @default - it stays, and with it the result */
  readonly ttlAfterFinished?: Duration;
}

/**
 * A test of the fabric between nodes: an MPIJob that runs a collective operation of nccl-tests and fails if the bus bandwidth is lower than
 * expected. The condition of the MPIJob is the result (`Succeeded` or `Failed`), and the termination message of the launcher has the numbers.
 *
 * The image must have Open MPI, an ssh server, and nccl-tests built with MPI (or rccl-tests for AMD GPUs). The mpi-operator runs the test.
 *
 * @beta
 * @example
 * new FabricTest(chart, 'rack-7', {
 *   image: 'registry.example.com/nccl-tests:2.17',
 *   nodes: 4,
 *   accelerators: Accelerator.nvidia({ count: 8 }),
 *   rdma: Rdma.sriov({ network: 'rail', resource: 'nvidia.com/rail', count: 8 }),
 *   resources: { cpu: 32, memory: '256Gi' },
 *   domain: { level: 'topology.kubernetes.io/rack', name: 'rack-7' },
 *   expectedBusBandwidth: 350,
 * });
 */
@publicClass('FabricTest')
export class FabricTest extends Construct {
  /** The MPIJob that runs the test. */
  readonly job: MPIJob;
  /** Devices that take part. */
  readonly ranks: number;
  private readonly domain: FabricDomain | undefined;

  /** @throws if a number is out of range, or the smallest message is larger than the greatest */
  constructor(scope: Construct, id: string, props: FabricTestProps) {
    super(scope, id);
    const { nodes, accelerators, domain, rdma, nccl = rdma?.nccl, nodeSelection = [], tolerations = [] } = props;
    requireWholeNumber('nodes', nodes);
    requireWholeNumber('accelerators.count', accelerators.count);
    const name = props.name ?? id;
    this.domain = domain;
    this.ranks = nodes * accelerators.count;
    const devices = accelerators.toPod({ hostNetwork: false });
    const selections = 'toPod' in nodeSelection ? [nodeSelection] : nodeSelection;
    this.job = new MPIJob(this, 'Job', {
      ...props,
      name,
      workers: nodes,
      sharedMemory: props.sharedMemory ?? '8Gi',
      command: ['/bin/sh', '-c', fabricScript(), 'fabric-test', ...argumentsOf(props, this.ranks)],
      // The launcher may run on any node, and starts nothing before the workers run. It tolerates their nodes, for queues that place it there.
      nodeSelection: [],
      affinity: undefined,
      launcherCreation: 'WaitForWorkersReady',
      launcher: { nccl, tolerations: [...(devices.tolerations ?? []), ...tolerations] },
      worker: {
        nodeSelection: [
          ...selections,
          ...(domain?.name === undefined ? [] : [NodeSelection.labels({ [domain.level]: domain.name })]),
        ],
        affinity: placed(name, domain, props.affinity),
        podLabels: { [TRAINING_LABEL]: name, ...(props.podLabels as Readonly<Record<string, string>> | undefined) },
      },
      backoffLimit: 0,
      cleanPodPolicy: 'Running',
      activeDeadline: props.activeDeadline ?? Duration.minutes(15),
    });
  }

  /** Name of the MPIJob. */
  get name(): string {
    return this.job.name;
  }

  /**
   * Sends the test through a queue, whose engine decides how it is scheduled. The queue is written before it.
   *
   * @throws if it is scheduled already, or an MPIJob cannot be scheduled by the queue's engine
   */
  submitTo(this: Unscheduled, queue: QueueReference): this & Scheduled;
  submitTo(queue: QueueReference): this {
    requireQueue('submitTo', queue, ['volcano', 'kueue', 'kai', 'gantry']);
    const chosen = Scheduling.of(queue);
    const topology = topologyOf(this.domain);
    const scheduling =
      topology?.isKnownTo(chosen.engine, 'MPIJob') === true ? chosen.withTopology(topology.toChoice()) : chosen;
    this.job.scheduleBy(scheduling);
    return this;
  }
}

/** The level, where the scheduler selects the domain. */
function topologyOf(domain: FabricDomain | undefined): TrainingTopology | undefined {
  return domain === undefined || domain.name !== undefined ? undefined : TrainingTopology.required(domain.level);
}

/** Each worker on a node of its own: two on one node would measure that node. */
function placed(name: string, domain: FabricDomain | undefined, stated: Affinity = {}): Affinity {
  const affinity = topologyOf(domain)?.toAffinity(name, 'MPIJob', stated) ?? stated;
  const { podAntiAffinity = {} } = affinity;
  return {
    ...affinity,
    podAntiAffinity: {
      ...podAntiAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: [
        ...(podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution ?? []),
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { [TRAINING_LABEL]: name } } },
      ],
    },
  };
}

/** Arguments of the script: what is expected, and the command line of the program. */
function argumentsOf(props: FabricTestProps, ranks: number): readonly string[] {
  const { expectedBusBandwidth, collective = 'all-reduce', iterations = 20, programFolder } = props;
  if (!Number.isFinite(expectedBusBandwidth) || expectedBusBandwidth <= 0) {
    throw new Error(
      `expectedBusBandwidth must be a number of GB/s greater than 0, not ${shown(expectedBusBandwidth)}.`,
    );
  }
  requireWholeNumber('iterations', iterations);
  const { min, max } = props.messageSizes ?? { min: '1Gi', max: '8Gi' };
  const [smallest, greatest] = [bytesOf('messageSizes.min', min), bytesOf('messageSizes.max', max)];
  if (smallest < 1n || smallest > greatest) {
    throw new Error(
      `messageSizes.min must be greater than 0 and not exceed messageSizes.max, but they are ${shown(min)} and ${shown(max)}.`,
    );
  }
  const program = `${programFolder === undefined ? '' : `${programFolder.replace(/\/+$/, '')}/`}${PROGRAMS[collective]}`;
  const sizes = ['-b', sizeText(smallest), '-e', sizeText(greatest), '-f', '2'];
  return [String(expectedBusBandwidth), String(ranks), program, ...sizes, '-g', '1', '-n', String(iterations)];
}

const UNITS = [
  ['G', 1n << 30n],
  ['M', 1n << 20n],
  ['K', 1n << 10n],
] as const;

/** A size as nccl-tests reads it: its suffixes are powers of 1024. */
function sizeText(bytes: bigint): string {
  const unit = UNITS.find(([, factor]) => bytes % factor === 0n);
  return unit === undefined ? String(bytes) : `${bytes / unit[1]}${unit[0]}`;
}
