/**
 * Distributed TensorFlow on the training-operator: workers, and where the strategy has them parameter servers, a chief, an evaluator.
 */
import { type Construct } from 'constructs';
import { TFJob as TFJobKind, type TFJobSpec } from '../../facts/api/types/kubeflow.org/v1';
import { type PodProps } from '../pods';
import { Workload, type WorkloadChoice } from '../workload/workload';
import { FRAMEWORKS } from './frameworks';
import { type OperatorJobProps, referencesOfRoles, rolesOf, type RoleStatement, runPolicyFor } from './operator-job';
import { gangOfRoles, OPERATOR_JOB_SCHEDULING, type OperatorJobEngine } from './scheduling';
import { publicClass } from '../resources/public-class';

/** A role with what is different in it. */
export interface TFRoleProps extends Partial<PodProps> {
  /** Number of pods. @default 1 */
  readonly replicas?: number;
}

/** Props of a TFJob. */
export interface TFJobProps extends OperatorJobProps<TFJobSpec, OperatorJobEngine> {
  /** Worker pods. */
  readonly workers: number;
  /** Pods that hold the variables, for the parameter server strategy. @default - none */
  readonly parameterServers?: TFRoleProps;
  /** The pod that writes checkpoints and whose end is the job's end. @default - none: worker 0 is chief */
  readonly chief?: Partial<PodProps>;
  /** A pod that evaluates checkpoints beside the training. @default - none */
  readonly evaluator?: Partial<PodProps>;
  /** When the job has succeeded: with the chief (or worker 0), or with all workers. @default 'chief' */
  readonly succeedsWith?: 'chief' | 'all-workers';
  /** Lets the number of workers change while the job runs. @default false */
  readonly dynamicWorkers?: boolean;
}

/**
 * A TFJob (`kubeflow.org/v1`). The operator writes `TF_CONFIG` into every pod.
 *
 * @example
 * new kubeflow.TFJob(chart, 'ranking', {
 *   workers: 4, parameterServers: { replicas: 2, accelerators: undefined }, image, command: ['python', 'train.py'],
 * });
 */
@publicClass('kubeflow.TFJob')
export class TFJob extends Workload<TFJobKind, TFJobSpec, OperatorJobEngine> {
  /** @throws if a number of pods is not a whole number of at least 1 */
  constructor(scope: Construct, id: string, props: TFJobProps) {
    super(scope, id, {
      kind: TFJobKind,
      selects: (name) => ({ 'training.kubeflow.org/job-name': name }),
      props,
      render: (choice) => specOf(props, choice),
      means: OPERATOR_JOB_SCHEDULING,
      gangs: (name) => [gangOfRoles(name, props, rolesFor(props))],
      references: referencesOfRoles(props, rolesFor(props)),
    });
  }
}

function specOf(props: TFJobProps, choice: WorkloadChoice): TFJobSpec {
  const roles = rolesFor(props);
  return {
    successPolicy: props.succeedsWith === 'all-workers' ? 'AllWorkers' : undefined,
    enableDynamicWorker: props.dynamicWorkers,
    runPolicy: runPolicyFor(props, roles, choice),
    tfReplicaSpecs: rolesOf(FRAMEWORKS.TFJob, props, roles, choice),
  };
}

function rolesFor({ workers, parameterServers, chief, evaluator }: TFJobProps): readonly RoleStatement[] {
  const { replicas: servers = 1, ...serverChanges } = parameterServers ?? {};
  return [
    ...(chief === undefined ? [] : [{ name: 'Chief', replicas: 1, changes: chief }]),
    ...(parameterServers === undefined ? [] : [{ name: 'PS', replicas: servers, changes: serverChanges }]),
    { name: 'Worker', replicas: workers },
    ...(evaluator === undefined ? [] : [{ name: 'Evaluator', replicas: 1, changes: evaluator }]),
  ];
}
