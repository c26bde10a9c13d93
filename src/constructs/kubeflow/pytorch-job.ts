/**
 * Distributed PyTorch on the training-operator: the given number of nodes run one command, each with the same template.
 *
 * Roles, replicas, processes per node, gang size and scheduler are derived from it, and the command needs no option that repeats
 * them: the operator hands them to torchrun as `PET_*`.
 */
import { known } from '../../manifests/values/deferred';
import { type Construct } from 'constructs';
import { PyTorchJob as PyTorchJobKind, type PyTorchJobSpec } from '../../facts/api/types/kubeflow.org/v1';
import { type PodProps } from '../pods';
import { Workload, type WorkloadChoice } from '../workload/workload';
import { requireWholeNumber } from '../workload/whole-number';
import { type ElasticProps, elasticPolicyOf } from './elastic-policy';
import { FRAMEWORKS } from './frameworks';
import { type OperatorJobProps, referencesOfRoles, rolesOf, type RoleStatement } from './operator-job';
import { runPolicyOf } from './run-policy';
import { gangOfRoles, OPERATOR_JOB_SCHEDULING, type OperatorJobEngine } from './scheduling';
import { publicClass } from '../resources/public-class';

const FRAMEWORK = FRAMEWORKS.PyTorchJob;

/** Props of a PyTorchJob. */
export interface PyTorchJobProps extends OperatorJobProps<PyTorchJobSpec, OperatorJobEngine> {
  /** Pods that train together. Of an elastic job: with how many it begins. */
  readonly nodes: number;
  /** Lets nodes come and go. @default - static: all nodes from the beginning to the end */
  readonly elastic?: ElasticProps;
  /** Processes in each pod. @default - one for each accelerator; `auto` where the template asks for none */
  readonly processesPerNode?: number | 'auto' | 'cpu' | 'gpu';
  /** What is different in the first node of a static job. @default - nothing */
  readonly master?: Partial<PodProps>;
}

/**
 * A PyTorchJob (`kubeflow.org/v1`).
 *
 * A static job is a Master and `nodes - 1` Workers, an elastic one Workers only.
 *
 * @example
 * new kubeflow.PyTorchJob(chart, 'llama-70b', {
 *   nodes: 8, image: 'registry.example.com/llama:1', command: ['torchrun', 'train.py'],
 *   accelerators: Accelerator.nvidia({ count: 8 }), sharedMemory: '64Gi',
 * }).submitTo(research.queue);
 */
@publicClass('kubeflow.PyTorchJob')
export class PyTorchJob extends Workload<PyTorchJobKind, PyTorchJobSpec, OperatorJobEngine> {
  /** Nodes at the beginning. */
  readonly nodes: number;
  /** Processes that train together at the beginning; `undefined` where each node counts its own (`auto`). */
  readonly worldSize: number | undefined;

  /** @throws if `nodes` is not a whole number of at least 1, or lies outside of the elastic range */
  constructor(scope: Construct, id: string, props: PyTorchJobProps) {
    super(scope, id, {
      kind: PyTorchJobKind,
      selects: (name) => ({ 'training.kubeflow.org/job-name': name }),
      props,
      render: (choice) => specOf(props, choice),
      means: OPERATOR_JOB_SCHEDULING,
      gangs: (name) => [gangOfRoles(name, props, rolesOfRange(props, 'max'), rolesOfRange(props, 'min'))],
      references: referencesOfRoles(props, rolesFor(props)),
    });
    this.nodes = props.nodes;
    const processes = Number(processesPerNode(props));
    this.worldSize = Number.isInteger(processes) ? processes * props.nodes : undefined;
  }
}

function specOf(props: PyTorchJobProps, choice: WorkloadChoice): PyTorchJobSpec {
  const { nodes, elastic } = props;
  requireWholeNumber('nodes', nodes);
  return {
    nprocPerNode: processesPerNode(props),
    elasticPolicy: elastic === undefined ? undefined : elasticPolicyOf(elastic, nodes),
    runPolicy: runPolicyOf(props, {
      pods: elastic?.min ?? nodes,
      scheduling: choice.scheduling,
      priorityClass: choice.priorityClass,
    }),
    pytorchReplicaSpecs: rolesOf(FRAMEWORK, props, rolesFor(props), choice),
  };
}

function processesPerNode({ processesPerNode: stated, accelerators }: PyTorchJobProps): string {
  return String(stated ?? accelerators?.count ?? 'auto');
}

function rolesFor({ nodes, elastic, master }: PyTorchJobProps): readonly RoleStatement[] {
  known('nodes', nodes);
  if (elastic !== undefined) {
    return [{ name: 'Worker', replicas: nodes }];
  }
  return [
    { name: 'Master', replicas: 1, changes: master },
    ...(nodes === 1 ? [] : [{ name: 'Worker', replicas: nodes - 1 }]),
  ];
}

/** The roles when an elastic job has the fewest, or the most, nodes. */
function rolesOfRange(props: PyTorchJobProps, bound: 'min' | 'max'): readonly RoleStatement[] {
  return rolesFor({ ...props, nodes: props.elastic?.[bound] ?? props.nodes });
}
