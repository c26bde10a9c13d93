/**
 * What the job kinds of the training-operator (and the MPIJob of the mpi-operator) share as constructs: a run policy, and roles, each
 * with a number of pods from one template.
 */
import { type PodProps, type SchedulingEngine } from '../pods';
import { type WorkloadChoice, type WorkloadProps } from '../workload/workload';
import { requireWholeNumber } from '../workload/whole-number';
import { type Framework, type ReplicaRestartPolicy } from './frameworks';
import { type ReplicaSpec, replicaSpecOf, roleTemplate } from './replica-spec';
import { type RunPolicy, runPolicyOf, type RunPolicyProps } from './run-policy';

/** What all roles of a job share. */
export interface RolesProps extends PodProps {
  /**
   * When the operator restarts a pod.
   * @default - the framework's: OnFailure for PyTorch and Paddle, Never for the others
   */
  readonly restartPolicy?: ReplicaRestartPolicy;
  /** Port of the rendezvous. On the host network two jobs on a node need two. @default - the operator's own */
  readonly port?: number;
}

/** Props that all kinds of the training-operator share. */
export interface OperatorJobProps<Spec, Engine extends SchedulingEngine>
  extends RolesProps, RunPolicyProps, WorkloadProps<Spec, Engine> {}

/** A role as a job states it. */
export interface RoleStatement {
  readonly name: string;
  readonly replicas: number;
  /** What is different in this role. @default - nothing */
  readonly changes?: Partial<PodProps>;
}

/** @throws if a count is not a whole number of at least 1 */
export function rolesOf(
  framework: Framework,
  props: RolesProps,
  roles: readonly RoleStatement[],
  choice: WorkloadChoice,
): Readonly<Record<string, ReplicaSpec>> {
  for (const { name, replicas } of roles) {
    requireWholeNumber(`${name} replicas`, replicas);
  }
  const { restartPolicy = framework.restartPolicy, port } = props;
  return Object.fromEntries(
    roles.map(({ name, replicas, changes }) => [
      name,
      replicaSpecOf({ framework, replicas, restartPolicy, template: roleTemplate(props, changes), port }, choice),
    ]),
  );
}

export function runPolicyFor(
  props: RunPolicyProps,
  roles: readonly RoleStatement[],
  choice: WorkloadChoice,
): RunPolicy | undefined {
  const pods = roles.reduce((sum, { replicas }) => sum + replicas, 0);
  return runPolicyOf(props, { pods, scheduling: choice.scheduling, priorityClass: choice.priorityClass });
}

/** Whatever the templates of the roles refer to. */
export function referencesOfRoles(props: PodProps, roles: readonly RoleStatement[]): readonly object[] {
  return roles.flatMap(({ changes }) => roleTemplate(props, changes).references);
}
