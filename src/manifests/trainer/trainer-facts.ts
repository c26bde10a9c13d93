/**
 * Names and closed lists of Kubeflow Trainer that its CRDs do not hold.
 * Source: `pkg/constants/constants.go`, `manifests/base/runtimes`.
 */
import { cite } from '../../facts/upstream';

export const TRAINER = cite('kubeflow-trainer-v2');
export const TRAINER_GROUP = 'trainer.kubeflow.org';

/** Label of a job template in a runtime that says what of a TrainJob it becomes. */
export const ANCESTOR_LABEL = 'trainer.kubeflow.org/trainjob-ancestor-step';
export const SUPPORT_LABEL = 'trainer.kubeflow.org/support';
/** The ancestors that there are, and the container that each must have. */
export const ANCESTOR_CONTAINERS: Readonly<Record<string, string>> = {
  trainer: 'node',
  'dataset-initializer': 'dataset-initializer',
  'model-initializer': 'model-initializer',
};
/** Job and container of the nodes that train. */
export const NODE = 'node';
export const LAUNCHER = 'launcher';
/** The volume that initializers and nodes share. */
export const INITIALIZER_VOLUME = 'initializer';
export const VOLCANO_QUEUE_ANNOTATION = 'scheduling.volcano.sh/queue-name';

/** What decides how the nodes of a runtime find each other. */
export const ML_POLICIES = ['torch', 'mpi', 'jax', 'xgboost', 'flux'] as const;
/** A policy of a training runtime that sets up one framework. */
export type MlPolicyName = (typeof ML_POLICIES)[number];

/** Variables that a policy sets, and that the webhook refuses in `spec.trainer.env`. */
export const RESERVED_VARIABLES: Readonly<Record<MlPolicyName, readonly string[]>> = {
  torch: ['PET_NNODES', 'PET_NPROC_PER_NODE', 'PET_NODE_RANK', 'PET_MASTER_ADDR', 'PET_MASTER_PORT'],
  mpi: [
    'OMPI_MCA_orte_default_hostfile',
    'OMPI_MCA_plm_rsh_args',
    'OMPI_MCA_orte_keep_fqdn_hostnames',
    'OMPI_MCA_orte_set_default_slots',
  ],
  jax: [],
  xgboost: ['DMLC_TRACKER_URI', 'DMLC_TRACKER_PORT', 'DMLC_TASK_ID', 'DMLC_NUM_WORKER'],
  flux: [],
};

export interface BuiltInRuntime {
  readonly policy: MlPolicyName;
  /** Jobs and their containers. */
  readonly jobs: Readonly<Record<string, readonly string[]>>;
  /** Whether dataset and model can be fetched first. */
  readonly initializers: boolean;
}

const NODES: Readonly<Record<string, readonly string[]>> = { node: ['node'] };
const INITIALIZED = {
  ...NODES,
  'dataset-initializer': ['dataset-initializer'],
  'model-initializer': ['model-initializer'],
};
const LAUNCHED = { node: ['node'], launcher: ['node'] };
const TORCHTUNE: BuiltInRuntime = { policy: 'torch', jobs: INITIALIZED, initializers: true };

/** The ClusterTrainingRuntimes that Trainer is installed with. */
export const BUILT_IN_RUNTIMES = {
  'torch-distributed': { policy: 'torch', jobs: NODES, initializers: false },
  'jax-distributed': { policy: 'jax', jobs: NODES, initializers: false },
  'xgboost-distributed': { policy: 'xgboost', jobs: NODES, initializers: false },
  'deepspeed-distributed': { policy: 'mpi', jobs: LAUNCHED, initializers: false },
  'mlx-distributed': { policy: 'mpi', jobs: LAUNCHED, initializers: false },
  'torchtune-llama3.2-1b': TORCHTUNE,
  'torchtune-llama3.2-3b': TORCHTUNE,
  'torchtune-qwen2.5-1.5b': TORCHTUNE,
} satisfies Readonly<Record<string, BuiltInRuntime>>;
/** A ClusterTrainingRuntime that Kubeflow Trainer installs. */
export type BuiltInRuntimeName = keyof typeof BUILT_IN_RUNTIMES;

export function builtInRuntime(name: string): BuiltInRuntime | undefined {
  return Object.entries(BUILT_IN_RUNTIMES).find(([known]) => known === name)?.[1];
}

export const TORCHTUNE_MODELS = ['llama3_2/1B', 'llama3_2/3B', 'llama3_3/70B', 'qwen2_5/1.5B'];
/** The one model that trains on several nodes. */
export const TORCHTUNE_MULTI_NODE_MODEL = 'llama3_3/70B';
/** Settings that the runtime manages. */
export const TORCHTUNE_MANAGED = [
  'output_dir',
  'tokenizer.path',
  'checkpointer.checkpoint_dir',
  'tokenizer.merges_file',
];
