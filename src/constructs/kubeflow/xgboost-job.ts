/**
 * Distributed XGBoost on the training-operator.
 */
import { known } from '../../manifests/values/deferred';
import { type Construct } from 'constructs';
import { XGBoostJob as XGBoostJobKind, type XGBoostJobSpec } from '../../facts/api/types/kubeflow.org/v1';
import { type PodProps } from '../pods';
import { Workload } from '../workload/workload';
import { requireWholeNumber } from '../workload/whole-number';
import { FRAMEWORKS } from './frameworks';
import { type OperatorJobProps, referencesOfRoles, rolesOf, type RoleStatement, runPolicyFor } from './operator-job';
import { gangOfRoles, OPERATOR_JOB_SCHEDULING, type OperatorJobEngine } from './scheduling';
import { publicClass } from '../resources/public-class';

/** Props of an XGBoostJob. */
export interface XGBoostJobProps extends OperatorJobProps<XGBoostJobSpec, OperatorJobEngine> {
  /** Pods that train together: the Master, which runs the tracker and trains too, and the Workers. */
  readonly nodes: number;
  /** What is different in the Master. @default - nothing */
  readonly master?: Partial<PodProps>;
}

/**
 * An XGBoostJob (`kubeflow.org/v1`). The operator sets `MASTER_ADDR`, `MASTER_PORT`, `WORLD_SIZE`, `RANK` and the workers' addresses.
 *
 * @example new kubeflow.XGBoostJob(chart, 'churn', { nodes: 3, image: 'registry.example.com/churn:2', command: ['python', 'train.py'] });
 */
@publicClass('kubeflow.XGBoostJob')
export class XGBoostJob extends Workload<XGBoostJobKind, XGBoostJobSpec, OperatorJobEngine> {
  /** @throws if `nodes` is not a whole number of at least 1 */
  constructor(scope: Construct, id: string, props: XGBoostJobProps) {
    const roles = rolesFor(props);
    super(scope, id, {
      kind: XGBoostJobKind,
      selects: (name) => ({ 'training.kubeflow.org/job-name': name }),
      props,
      render: (choice) => {
        requireWholeNumber('nodes', props.nodes);
        return {
          runPolicy: runPolicyFor(props, roles, choice),
          xgbReplicaSpecs: rolesOf(FRAMEWORKS.XGBoostJob, props, roles, choice),
        };
      },
      means: OPERATOR_JOB_SCHEDULING,
      gangs: (name) => [gangOfRoles(name, props, roles)],
      references: referencesOfRoles(props, roles),
    });
  }
}

function rolesFor({ nodes, master }: XGBoostJobProps): readonly RoleStatement[] {
  known('nodes', nodes);
  return [
    { name: 'Master', replicas: 1, changes: master },
    ...(nodes === 1 ? [] : [{ name: 'Worker', replicas: nodes - 1 }]),
  ];
}
