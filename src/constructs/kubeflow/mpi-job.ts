/**
 * MPI: a launcher that runs `mpirun`, and workers that it reaches. Two projects define the kind and cannot live in one cluster: the
 * mpi-operator (`v2beta1`, over ssh) and the training-operator (`v1`, over kubectl exec).
 */
import { type Construct } from 'constructs';
import { MPIJob as MPIJobV1Kind, type MPIJobSpec as MPIJobV1Spec } from '../../facts/api/types/kubeflow.org/v1';
import { MPIJob as MPIJobKind, type MPIJobSpec } from '../../facts/api/types/kubeflow.org/v2beta1';
import { type PodProps } from '../pods';
import { Workload, type WorkloadChoice, type WorkloadProps } from '../workload/workload';
import { requireWholeNumber } from '../workload/whole-number';
import { FRAMEWORKS } from './frameworks';
import { referencesOfRoles, rolesOf, type RoleStatement, runPolicyFor } from './operator-job';
import { type MpiJobManager } from './mpi-operator-facts';
import { type RunPolicyProps } from './run-policy';
import {
  gangOfRoles,
  MPI_JOB_SCHEDULING,
  MPI_JOB_V1_SCHEDULING,
  type MpiJobEngine,
  type MpiJobV1Engine,
} from './scheduling';
import { publicClass } from '../resources/public-class';

/** What both operators know. The command is the launcher's: `mpirun` and the program. */
export interface MPIJobBaseProps extends PodProps {
  /** Worker pods: the nodes that compute. */
  readonly workers: number;
  /** Processes on each worker. @default - one for each accelerator; 1 where the template asks for none */
  readonly slotsPerWorker?: number;
  /**
   * What is different in the launcher.
   * @default - no accelerators, RDMA and shared memory, 1 CPU and 2 GiB
   */
  readonly launcher?: Partial<PodProps>;
  /** What is different in the workers. @default - no command: the operator's, which waits for the launcher */
  readonly worker?: Partial<PodProps>;
}

/** Props of an MPIJob. */
export interface MPIJobProps
  extends MPIJobBaseProps, Omit<RunPolicyProps, 'managedBy'>, WorkloadProps<MPIJobSpec, MpiJobEngine> {
  /** Implementation of MPI in the image. @default OpenMPI */
  readonly implementation?: 'OpenMPI' | 'Intel' | 'MPICH';
  /** Where the ssh keys are mounted: the home of the user that the image runs as. @default '/root/.ssh' */
  readonly sshAuthMountPath?: string;
  /** Makes the launcher compute too: it gets the accelerators, and the host file lists it. @default false */
  readonly launcherComputes?: boolean;
  /** When the launcher is made. @default - at startup */
  readonly launcherCreation?: 'AtStartup' | 'WaitForWorkersReady';
  /** Restart policy of the pods. @default Never */
  readonly restartPolicy?: 'Never' | 'OnFailure';
  /** Who reconciles the job; cannot be changed later. @default - the mpi-operator */
  readonly managedBy?: MpiJobManager;
}

/**
 * An MPIJob of the mpi-operator (`kubeflow.org/v2beta1`).
 *
 * @example
 * new kubeflow.MPIJob(chart, 'nccl-tests', {
 *   workers: 4, image: 'registry.example.com/nccl-tests:1', command: ['mpirun', '/opt/nccl-tests/all_reduce_perf', '-b', '8', '-e', '8G'],
 *   accelerators: Accelerator.nvidia({ count: 8 }),
 * });
 */
@publicClass('kubeflow.MPIJob')
export class MPIJob extends Workload<MPIJobKind, MPIJobSpec, MpiJobEngine> {
  /** @throws if a number of pods or slots is not a whole number of at least 1 */
  constructor(scope: Construct, id: string, props: MPIJobProps) {
    const roles = rolesFor(props, props.launcherComputes === true);
    super(scope, id, {
      kind: MPIJobKind,
      selects: (name) => ({ 'training.kubeflow.org/job-name': name }),
      props,
      render: (choice) => specOf(props, roles, choice),
      means: MPI_JOB_SCHEDULING,
      gangs: (name) => [gangOfRoles(name, props, roles, atStart(props, roles))],
      references: referencesOfRoles(props, roles),
    });
  }
}

/** A launcher that is made when the workers are ready cannot be waited for. */
function atStart({ launcherCreation }: MPIJobProps, roles: readonly RoleStatement[]): readonly RoleStatement[] {
  return launcherCreation === 'WaitForWorkersReady' ? roles.filter(({ name }) => name !== 'Launcher') : roles;
}

function specOf(props: MPIJobProps, roles: readonly RoleStatement[], choice: WorkloadChoice): MPIJobSpec {
  const { managedBy, ...policy } = props;
  const runPolicy = runPolicyFor(policy, atStart(props, roles), choice);
  return {
    slotsPerWorker: slotsOf(props),
    mpiImplementation: props.implementation,
    sshAuthMountPath: props.sshAuthMountPath,
    runLauncherAsWorker: props.launcherComputes,
    launcherCreationPolicy: props.launcherCreation,
    runPolicy: managedBy === undefined ? runPolicy : { ...runPolicy, managedBy },
    // The operator's own schedulingPolicy goes by the same names.
    mpiReplicaSpecs: rolesOf(
      FRAMEWORKS.MPIJob,
      { ...props, restartPolicy: props.restartPolicy ?? 'Never' },
      roles,
      choice,
    ),
  };
}

/** Props of an MPIJobV1. */
export interface MPIJobV1Props extends MPIJobBaseProps, RunPolicyProps, WorkloadProps<MPIJobV1Spec, MpiJobV1Engine> {
  /** When the operator restarts a pod. @default Never */
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never' | 'ExitCode';
}

/**
 * An MPIJob of the training-operator (`kubeflow.org/v1`). Prefer `MPIJob`: this one starts its workers through the API server.
 *
 * @example
 * new kubeflow.MPIJobV1(chart, 'allreduce', {
 *   workers: 2,
 *   slotsPerWorker: 8,
 *   image,
 *   accelerators: Accelerator.nvidia({ count: 8 }),
 *   launcher: { command: ['mpirun', 'all_reduce_perf', '-g', '1'] },
 * });
 */
@publicClass('kubeflow.MPIJobV1')
export class MPIJobV1 extends Workload<MPIJobV1Kind, MPIJobV1Spec, MpiJobV1Engine> {
  /** @throws if a number of pods or slots is not a whole number of at least 1 */
  constructor(scope: Construct, id: string, props: MPIJobV1Props) {
    const roles = rolesFor(props, false);
    super(scope, id, {
      kind: MPIJobV1Kind,
      selects: (name) => ({ 'training.kubeflow.org/job-name': name }),
      title: 'MPIJob of kubeflow.org/v1',
      props,
      render: (choice) => ({
        slotsPerWorker: slotsOf(props),
        runPolicy: runPolicyFor(props, roles, choice),
        mpiReplicaSpecs: rolesOf(FRAMEWORKS.MPIJob, props, roles, choice),
      }),
      means: MPI_JOB_V1_SCHEDULING,
      gangs: (name) => [gangOfRoles(name, props, roles)],
      references: referencesOfRoles(props, roles),
    });
  }
}

function slotsOf({ slotsPerWorker, accelerators }: MPIJobBaseProps): number {
  const slots = slotsPerWorker ?? accelerators?.count ?? 1;
  requireWholeNumber('slotsPerWorker', slots);
  return slots;
}

/** The launcher only starts the others, so it asks for little; workers wait for it, so they have no command of their own. */
function rolesFor({ workers, launcher, worker }: MPIJobBaseProps, launcherComputes: boolean): readonly RoleStatement[] {
  const idle: Partial<PodProps> = {
    accelerators: undefined,
    rdma: undefined,
    sharedMemory: undefined,
    resources: { cpu: 1, memory: '2Gi' },
  };
  return [
    { name: 'Launcher', replicas: 1, changes: { ...(launcherComputes ? {} : idle), ...launcher } },
    { name: 'Worker', replicas: workers, changes: { command: undefined, args: undefined, ...worker } },
  ];
}
