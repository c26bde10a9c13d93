/**
 * Distributed JAX on the training-operator.
 */
import { type Construct } from 'constructs';
import { JAXJob as JAXJobKind, type JAXJobSpec } from '../../facts/api/types/kubeflow.org/v1';
import { Workload } from '../workload/workload';
import { FRAMEWORKS } from './frameworks';
import { type OperatorJobProps, referencesOfRoles, rolesOf, runPolicyFor } from './operator-job';
import { gangOfRoles, OPERATOR_JOB_SCHEDULING, type OperatorJobEngine } from './scheduling';
import { publicClass } from '../resources/public-class';

/** Props of a JAXJob. */
export interface JAXJobProps extends OperatorJobProps<JAXJobSpec, OperatorJobEngine> {
  /** Pods, one JAX process in each. */
  readonly nodes: number;
}

/**
 * A JAXJob (`kubeflow.org/v1`). The operator sets `COORDINATOR_ADDRESS`, `COORDINATOR_PORT`, `NUM_PROCESSES` and `PROCESS_ID`, which the
 * program hands to `jax.distributed.initialize`.
 *
 * @example new kubeflow.JAXJob(chart, 'gemma', { nodes: 4, image: 'registry.example.com/gemma:1', command: ['python', 'train.py'] });
 */
@publicClass('kubeflow.JAXJob')
export class JAXJob extends Workload<JAXJobKind, JAXJobSpec, OperatorJobEngine> {
  /** @throws if `nodes` is not a whole number of at least 1 */
  constructor(scope: Construct, id: string, props: JAXJobProps) {
    const roles = [{ name: 'Worker', replicas: props.nodes }];
    super(scope, id, {
      kind: JAXJobKind,
      selects: (name) => ({ 'training.kubeflow.org/job-name': name }),
      props,
      render: (choice) => ({
        runPolicy: runPolicyFor(props, roles, choice),
        jaxReplicaSpecs: rolesOf(FRAMEWORKS.JAXJob, props, roles, choice),
      }),
      means: OPERATOR_JOB_SCHEDULING,
      gangs: (name) => [gangOfRoles(name, props, roles)],
      references: referencesOfRoles(props, roles),
    });
  }
}
