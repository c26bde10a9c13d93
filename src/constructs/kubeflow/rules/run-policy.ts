/**
 * KT7, KT9, KT13 and KT15: run policy, restart policy and gang scheduling.
 */
import { type JsonValue } from '../../../facts/api/schema';
import { type Rule } from '../../../checks/rules/rule';
import { asInteger, asObject, asString } from '../../../manifests/read';
import { CLEAN_POD_POLICIES, JOB_MANAGERS, REPLICA_RESTART_POLICIES } from '../frameworks';
import { elasticRange, podCount } from '../training-job';
import { jobRule } from './job-rule';
import { counted, oneOf } from '../../../facts/words';
import { fieldOf } from '../../../manifests/pointer';

const managedByKnown = jobRule(
  {
    id: 'managed-by-known',
    concerns: ['managedBy'],
    row: 'KT7',
    tier: 'webhook',
    otherTiers: ['advice'],
    severity: 'error',
    summary: 'runPolicy.managedBy must be kubeflow.org/training-operator or kueue.x-k8s.io/multikueue.',
    why: 'The webhook rejects other managers; where it does not check (JAXJob, MPIJob), the operator ignores the job and waits for a manager that does not exist.',
    source: 'pkg/common/util/webhooks.go, ValidateRunPolicy',
    fix: `Remove runPolicy.managedBy, or set it to ${oneOf(JOB_MANAGERS)}.`,
  },
  function* (job) {
    const manager = asString(job.runPolicy.managedBy);
    if (manager === undefined || JOB_MANAGERS.some((known) => known === manager)) {
      return;
    }
    yield {
      path: '/spec/runPolicy/managedBy',
      message: `unsupported managedBy "${manager}"`,
      found: manager,
      expected: oneOf(JOB_MANAGERS),
      tier: job.framework.refusesUnknownManager ? 'webhook' : 'advice',
    };
  },
);

const cleanPodPolicyKnown = jobRule(
  {
    id: 'clean-pod-policy-known',
    concerns: ['cleanPodPolicy'],
    row: 'KT9',
    tier: 'advice',
    severity: 'error',
    summary: 'cleanPodPolicy must be None, Running, or All.',
    why: 'The schema accepts any string; the operator treats an unknown value as All and deletes every pod with its log when the job finishes.',
    source: 'pkg/controller.v1/common/job.go, DeletePodsAndServices',
    fix: 'Set runPolicy.cleanPodPolicy to None, Running, or All.',
  },
  function* (job) {
    const places: [string, JsonValue | undefined][] = [
      ['/spec/runPolicy/cleanPodPolicy', job.runPolicy.cleanPodPolicy],
    ];
    if (job.framework.kind === 'MPIJob') {
      places.push(['/spec/cleanPodPolicy', job.spec.cleanPodPolicy]);
    }
    for (const [path, value] of places) {
      const policy = asString(value);
      if (policy === undefined || CLEAN_POD_POLICIES.some((known) => known === policy)) {
        continue;
      }
      yield {
        path,
        message: `unsupported cleanPodPolicy "${policy}"`,
        found: policy,
        expected: oneOf(CLEAN_POD_POLICIES),
      };
    }
  },
);

const restartPolicyKnown = jobRule(
  {
    id: 'restart-policy-known',
    concerns: ['restartPolicy'],
    row: 'KT9',
    tier: 'webhook',
    severity: 'error',
    summary: 'The restartPolicy of a role must be Always, OnFailure, Never, or ExitCode.',
    why: 'The schema accepts any string; the operator copies it into the pods, which the API server then rejects.',
    source: 'pkg/core/pod.go, SetRestartPolicy',
    fix: 'Set restartPolicy to Always, OnFailure, Never, or ExitCode.',
  },
  function* (job) {
    for (const role of job.roles) {
      const policy = asString(role.value.restartPolicy);
      if (policy === undefined || policy === '' || REPLICA_RESTART_POLICIES.some((known) => known === policy)) {
        continue;
      }
      yield {
        path: `${role.path}/restartPolicy`,
        message: `unsupported restartPolicy "${policy}"`,
        found: policy,
        expected: oneOf(REPLICA_RESTART_POLICIES),
      };
    }
  },
);

const restartPolicyOnRole = jobRule(
  {
    id: 'restart-policy-on-role',
    concerns: ['restartPolicy'],
    row: 'KT9',
    tier: 'advice',
    severity: 'warning',
    summary: 'The restart policy must be set on the role, not in its pod template.',
    why: 'The operator overwrites the restartPolicy of the template with that of the role, or with its default.',
    source: 'pkg/controller.v1/common/pod.go, createNewPod',
    fix: 'Move restartPolicy from template.spec to the role.',
  },
  function* (job) {
    for (const role of job.roles) {
      const written = asString(role.podSpec.restartPolicy);
      const effective = asString(role.value.restartPolicy) || job.framework.restartPolicy;
      if (written === undefined || written === (effective === 'ExitCode' ? 'Never' : effective)) {
        continue;
      }
      yield {
        path: `${role.podSpecPath}/restartPolicy`,
        message: `restartPolicy "${written}" in the pod template has no effect, because the role "${role.name}" uses ${effective}`,
        found: written,
        expected: `restartPolicy of ${fieldOf(role.path)}`,
      };
    }
  },
);

const jobCanEnd = jobRule(
  {
    id: 'restart-policy-lets-job-end',
    concerns: ['restartPolicy'],
    row: 'KT9',
    tier: 'advice',
    severity: 'warning',
    summary: 'The training pods of a job must not restart after success.',
    why: 'With restartPolicy Always a container that has completed starts again, so the job never succeeds.',
    source: 'pkg/core/pod.go, SetRestartPolicy',
    fix: 'Set restartPolicy to OnFailure, Never, or ExitCode.',
  },
  function* (job) {
    for (const role of job.roles) {
      // Parameter servers and MPI workers serve until the job is over.
      if (role.value.restartPolicy !== 'Always' || role.name === 'PS' || job.framework.kind === 'MPIJob') {
        continue;
      }
      yield {
        path: `${role.path}/restartPolicy`,
        message: `the role "${role.name}" restarts its containers after success, so the job does not complete`,
        found: 'Always',
        expected: 'OnFailure, Never, or ExitCode',
      };
    }
  },
);

const exitCodeMeaning = jobRule(
  {
    id: 'exit-code-restart-is-for-signals',
    concerns: ['restartPolicy'],
    row: 'KT15',
    tier: 'advice',
    severity: 'info',
    summary: 'restartPolicy ExitCode should be used only if exit codes 128 to 255 are to restart a pod.',
    why: 'Codes 1 to 127 count as permanent and fail the job. A Python exception exits with 1, a process killed by a signal with 128 or more.',
    source: 'pkg/util/train/train_util.go, IsRetryableExitCode',
    fix: 'Set restartPolicy: OnFailure to retry after exceptions, or make the program exit with code 128 or higher when a retry can help.',
  },
  function* (job) {
    for (const role of job.roles) {
      if (role.value.restartPolicy !== 'ExitCode') {
        continue;
      }
      yield {
        path: `${role.path}/restartPolicy`,
        message: `pods of the role "${role.name}" are restarted only after exit codes 128 to 255, and codes 1 to 127 fail the job`,
        found: 'ExitCode',
      };
    }
  },
);

const minAvailableFits = jobRule(
  {
    id: 'gang-min-available-fits',
    concerns: ['minAvailable'],
    row: 'KT13',
    tier: 'advice',
    severity: 'error',
    summary: 'schedulingPolicy.minAvailable must be the number of pods of the job, or in the range of an elastic job.',
    why: 'It becomes the minMember of the PodGroup: with more than the number of pods the gang is never scheduled; with fewer, part of a static job starts and holds its GPUs while it waits.',
    source: 'pkg/controller.v1/common/job.go, ReconcileJobs',
    fix: 'Set schedulingPolicy.minAvailable to the number of pods, or remove it for the default, which is all pods.',
  },
  function* (job) {
    const minAvailable = asInteger(asObject(job.runPolicy.schedulingPolicy).minAvailable);
    if (minAvailable === undefined || job.roles.length === 0) {
      return;
    }
    const pods = podCount(job);
    const path = '/spec/runPolicy/schedulingPolicy/minAvailable';
    if (minAvailable > pods) {
      yield {
        path,
        message: `minAvailable is ${minAvailable}, but the job has ${counted(pods, 'pod')}, so the gang never starts`,
        found: minAvailable,
        expected: `at most ${pods}`,
        fix: `Set schedulingPolicy.minAvailable to ${pods}, or remove it for the default, which is all pods.`,
      };
      return;
    }
    // Workers of a parameter-server job need not start together; the other kinds rendezvous with all.
    if (job.framework.kind === 'TFJob' || job.framework.kind === 'MPIJob' || minAvailable < 0) {
      return;
    }
    const least = elasticRange(job)?.min ?? pods;
    if (minAvailable >= least) {
      return;
    }
    yield {
      path,
      message: `minAvailable is ${minAvailable}, but training starts only with ${counted(least, 'pod')}, so a smaller gang holds its devices while it waits`,
      found: minAvailable,
      expected: least === pods ? String(pods) : `${least} to ${pods}`,
      fix: `Set schedulingPolicy.minAvailable to ${least === pods ? pods : `a number from ${least} to ${pods}`}, or remove it for the default, which is all pods.`,
      severity: 'warning',
    };
  },
);

/** Schedulers that the operator's flag `--gang-scheduler-name` is given for. */
const GANG_SCHEDULERS = new Set(['volcano', 'scheduler-plugins', 'scheduler-plugins-scheduler']);

const gangStatedWhole = jobRule(
  {
    id: 'gang-scheduling-stated',
    concerns: ['schedulingPolicy', 'schedulerName'],
    row: 'KT13',
    tier: 'advice',
    severity: 'info',
    summary:
      'A job that is scheduled as a gang must set both schedulerName in its roles and runPolicy.schedulingPolicy.',
    why: 'Both have an effect only if the operator runs with --gang-scheduler-name: without the flag no PodGroup is created from schedulingPolicy, and Volcano schedules each pod separately.',
    source: 'pkg/controller.v1/common/job.go, ReconcileJobs; cmd/training-operator.v1/main.go',
    fix: 'Set both runPolicy.schedulingPolicy and schedulerName: volcano in each role, and start the operator with --gang-scheduler-name=volcano.',
  },
  function* (job) {
    const policy = job.runPolicy.schedulingPolicy;
    const schedulers = job.roles.map((role) => asString(role.podSpec.schedulerName) ?? '');
    if (policy !== undefined && schedulers.every((name) => name === '')) {
      yield {
        path: '/spec/runPolicy/schedulingPolicy',
        message:
          'no role sets schedulerName, so schedulingPolicy has an effect only if the operator runs with --gang-scheduler-name',
        expected: 'schedulerName in each role',
        fix: 'Set schedulerName: volcano in each role, and start the operator with --gang-scheduler-name=volcano.',
      };
    }
    const gang = schedulers.find((name) => GANG_SCHEDULERS.has(name));
    if (policy === undefined && gang !== undefined) {
      yield {
        path: '/spec',
        message:
          `the roles set schedulerName "${gang}", but schedulingPolicy is not set, so pods are scheduled separately ` +
          'unless the operator runs with --gang-scheduler-name',
        expected: 'runPolicy.schedulingPolicy with queue and minAvailable',
        fix: `Set runPolicy.schedulingPolicy with a queue and minAvailable: ${podCount(job)}.`,
      };
    }
  },
);

export const runPolicyRules: readonly Rule[] = [
  managedByKnown,
  cleanPodPolicyKnown,
  restartPolicyKnown,
  restartPolicyOnRole,
  jobCanEnd,
  exitCodeMeaning,
  minAvailableFits,
  gangStatedWhole,
];
