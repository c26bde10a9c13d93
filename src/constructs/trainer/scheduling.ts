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
      topology: 'the runtime says it. Give the choice, or networkTopology, to a TrainingRuntime',
    },
  },
  kueue: KUEUE_WHOLE_OR_NOT,
  kai: {},
  'pod-group': 'it cannot make the pods of its runtime name a PodGroup. Choose scheduler-plugins, Volcano or Gantry',
  'scheduler-plugins': { group: 'controller', refuses: ALL_NODES },
  gantry: { refuses: ALL_NODES },
} as const satisfies SchedulingMeans;

/** Engines that can schedule a TrainJob. */
export type TrainJobEngine = EnginesOf<typeof TRAIN_JOB_SCHEDULING>;

const SIZE_OF_JOB = { elastic: 'its TrainJobs say how many nodes they have' };

export const RUNTIME_SCHEDULING = {
  volcano: { group: 'controller', refuses: SIZE_OF_JOB },
  kueue: 'Kueue reads the queue on TrainJobs. Give the choice to them',
  kai: {},
  'pod-group':
    'its TrainJobs share one template, in which pods can name one PodGroup only. Choose scheduler-plugins, Volcano or Gantry',
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
