/**
 * Distributed PaddlePaddle on the training-operator: collective training of workers, or with parameter servers.
 */
import { type Construct } from 'constructs';
import { type MetricSpec } from '../../facts/api/types/autoscaling/v2';
import { PaddleJob as PaddleJobKind, type PaddleJobSpec } from '../../facts/api/types/kubeflow.org/v1';
import { type PodProps } from '../pods';
import { Workload, type WorkloadChoice } from '../workload/workload';
import { requireElasticRange } from './elastic-policy';
import { FRAMEWORKS } from './frameworks';
import { type OperatorJobProps, referencesOfRoles, rolesOf, type RoleStatement, runPolicyFor } from './operator-job';
import { gangOfRoles, PADDLE_JOB_SCHEDULING, type PaddleJobEngine } from './scheduling';
import { publicClass } from '../resources/public-class';

/** How the number of workers of a PaddleJob may change. */
export interface PaddleElasticProps {
  /** Fewest workers with which training goes on, at least 1. */
  readonly min: number;
  /** Most workers that take part. */
  readonly max: number;
  /** Restarts after which the job fails. @default - the operator's */
  readonly maxRestarts?: number;
  /** Metrics by which a HorizontalPodAutoscaler sets the number of workers. @default - no autoscaler */
  readonly metrics?: readonly MetricSpec[];
}

/** Props of a PaddleJob. */
export interface PaddleJobProps extends OperatorJobProps<PaddleJobSpec, PaddleJobEngine> {
  /** Workers. Of an elastic job: with how many it begins. */
  readonly nodes: number;
  /** Parameter servers, the role Master; what is different in them. @default - none: collective training */
  readonly servers?: Partial<PodProps> & {
    /** Number of parameter servers. @default 1 */
    readonly replicas?: number;
  };
  /** Lets workers come and go. @default - all from the beginning to the end */
  readonly elastic?: PaddleElasticProps;
}

/**
 * A PaddleJob (`kubeflow.org/v1`). The operator sets `PADDLE_MASTER`, `PADDLE_NNODES` and `PADDLE_JOB_ID`, which
 * `python -m paddle.distributed.launch` reads.
 *
 * @example new kubeflow.PaddleJob(chart, 'ocr', { nodes: 2, image, command: ['python', '-m', 'paddle.distributed.launch', 'train.py'] });
 */
@publicClass('kubeflow.PaddleJob')
export class PaddleJob extends Workload<PaddleJobKind, PaddleJobSpec, PaddleJobEngine> {
  /** @throws if a number of pods is not a whole number of at least 1, or `nodes` lies outside of the elastic range */
  constructor(scope: Construct, id: string, props: PaddleJobProps) {
    super(scope, id, {
      kind: PaddleJobKind,
      selects: (name) => ({ 'training.kubeflow.org/job-name': name }),
      props,
      render: (choice) => specOf(props, choice),
      means: PADDLE_JOB_SCHEDULING,
      gangs: (name) => [gangOfRoles(name, props, rolesOfRange(props, 'max'), rolesOfRange(props, 'min'))],
      references: referencesOfRoles(props, rolesFor(props)),
    });
  }
}

function specOf(props: PaddleJobProps, choice: WorkloadChoice): PaddleJobSpec {
  const { elastic, nodes } = props;
  if (elastic !== undefined) {
    requireElasticRange(elastic, nodes);
  }
  const roles = rolesFor(props);
  return {
    elasticPolicy: elastic && {
      minReplicas: elastic.min,
      maxReplicas: elastic.max,
      maxRestarts: elastic.maxRestarts,
      metrics: elastic.metrics,
    },
    runPolicy: runPolicyFor(props, rolesOfRange(props, 'min'), choice),
    paddleReplicaSpecs: rolesOf(FRAMEWORKS.PaddleJob, props, roles, choice),
  };
}

function rolesFor({ nodes, servers }: PaddleJobProps): readonly RoleStatement[] {
  const { replicas = 1, ...changes } = servers ?? {};
  return [
    ...(servers === undefined ? [] : [{ name: 'Master', replicas, changes }]),
    { name: 'Worker', replicas: nodes },
  ];
}

/** The roles when an elastic job has the fewest, or the most, nodes. */
function rolesOfRange(props: PaddleJobProps, bound: 'min' | 'max'): readonly RoleStatement[] {
  return rolesFor({ ...props, nodes: props.elastic?.[bound] ?? props.nodes });
}
