/**
 * The engines that can schedule TrainJobs and the pods of their runtimes, and the options that each accepts: the runtime sets the scheduler,
 * the TrainJob the gang.
 */
import { type Gang } from '../pods';
import { type EnginesOf, KUEUE_WHOLE_OR_NOT, type SchedulingMeans } from '../workload/scheduling-means';
import { type RuntimeReference } from './runtime-reference';

const ALL_NODES = { elastic: 'all of its nodes train together' };

export const TRAIN_JOB_SCHEDULING = {
  volcano: {
    group: 'controller',
    refuses: {
      ...ALL_NODES,
      topology: 'the runtime sets the topology. Set the scheduling, or networkTopology, on a TrainingRuntime',
    },
  },
  kueue: KUEUE_WHOLE_OR_NOT,
  kai: {},
  'pod-group': 'it cannot set the PodGroup in the pods of its runtime. Use scheduler-plugins, Volcano, or Gantry',
  'scheduler-plugins': { group: 'controller', refuses: ALL_NODES },
  gantry: { refuses: ALL_NODES },
} as const satisfies SchedulingMeans;

/** Engines that can schedule a TrainJob. */
export type TrainJobEngine = EnginesOf<typeof TRAIN_JOB_SCHEDULING>;

const SIZE_OF_JOB = { elastic: 'its TrainJobs set the number of nodes' };

export const RUNTIME_SCHEDULING = {
  volcano: { group: 'controller', refuses: SIZE_OF_JOB },
  kueue: 'Kueue reads the queue of TrainJobs. Set the scheduling on the TrainJobs',
  kai: {},
  'pod-group':
    'its TrainJobs share one template, and all pods of a template name the same PodGroup. Use scheduler-plugins, Volcano, or Gantry',
  'scheduler-plugins': { group: 'controller', refuses: SIZE_OF_JOB },
  gantry: { refuses: SIZE_OF_JOB },
} as const satisfies SchedulingMeans;

/** Engines that can schedule the pods of a training runtime. */
export type RuntimeEngine = EnginesOf<typeof RUNTIME_SCHEDULING>;

/** The nodes of a TrainJob; `undefined` where their number is nowhere stated. The launcher of MPI is made once the others are ready. */
export function gangOfNodes(name: string, nodes: number | undefined, { policy }: RuntimeReference): Gang | undefined {
  if (nodes === undefined) {
    return undefined;
  }
  return { name, minMember: policy === 'mpi' ? Math.max(1, nodes - 1) : nodes, members: nodes };
}
