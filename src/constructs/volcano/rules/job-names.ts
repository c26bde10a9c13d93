/**
 * Names of a job at their longest: pods, the Service, volumes and the rest are named after it, and what is too long is refused only
 * when they are made.
 */
import { cite } from '../../../facts/upstream';
import { type ObjectRule } from '../../../checks/rule';
import { asArray } from '../../../manifests/read';
import { podName } from '../job-spec';
import { JOB_WEBHOOK, jobRule } from './job-rule';

const LABEL_LENGTH = 63;
const DNS_1035_LABEL = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;
/** Volumes that the controller adds for `spec.volumes` are named `<job>-<12 characters>`. */
const VOLUME_SUFFIX = '-000000000000';

const serviceName = jobRule(
  {
    id: 'volcano/job-name-serves-as-host',
    concerns: ['plugins'],
    row: 'VJ9',
    tier: 'webhook',
    severity: 'error',
    summary: 'The name of a job with the svc plugin is a DNS label that begins with a letter.',
    why: "The plugin names a Service and the pods' subdomain after the job. The webhook takes the job; its Service, or its pods, are refused later.",
    source: `${cite('volcano')}, pkg/controllers/job/plugins/svc/svc.go; Kubernetes names of Services and subdomains`,
    fix: 'Use lower case letters, digits and `-`, a letter first, no dot.',
  },
  function* (job) {
    if (job.jobName === '' || !job.running.has('svc') || DNS_1035_LABEL.test(job.jobName)) {
      return;
    }
    yield {
      path: '/metadata/name',
      message: `"${job.manifest.id.name}" cannot name a Service`,
      found: job.manifest.id.name,
      expected: 'a DNS label',
    };
  },
);

const derivedNames = jobRule(
  {
    id: 'volcano/job-derived-names-fit',
    row: 'VJ9',
    tier: 'webhook',
    severity: 'error',
    summary: "The names that are made from a job's name have at most 63 characters.",
    why: 'The job is taken, and what it needs is refused when it is made: the job stays without pods.',
    source: `${cite('volcano')}, pkg/controllers/job (job_controller_util.go createJobPod, plugins/svc, plugins/ssh, plugins/ray)`,
    fix: "Shorten the job's name.",
  },
  function* (job) {
    if (job.jobName === '') {
      return;
    }
    const names = [
      ...(job.running.has('svc') ? [{ name: `${job.jobName}-svc`, of: 'volume of the svc plugin' }] : []),
      ...(job.running.has('ssh') ? [{ name: `${job.jobName}-ssh`, of: 'volume of the ssh plugin' }] : []),
      ...(job.running.has('ray') ? [{ name: `${job.jobName}-head-svc`, of: 'Service of the ray plugin' }] : []),
      ...(asArray(job.spec.volumes).length > 0 ? [{ name: `${job.jobName}${VOLUME_SUFFIX}`, of: 'volumes' }] : []),
    ].filter(({ name }) => name.length > LABEL_LENGTH);
    const longest = names.sort((left, right) => right.name.length - left.name.length)[0];
    if (longest === undefined) {
      return;
    }
    const room = job.manifest.id.name.length - (longest.name.length - LABEL_LENGTH);
    yield {
      path: '/metadata/name',
      message: `the ${longest.of} would be named ${longest.name}, ${longest.name.length} characters`,
      found: job.manifest.id.name,
      expected: `a name of at most ${room} characters`,
    };
  },
);

const podNames = jobRule(
  {
    id: 'volcano/job-pod-names-fit',
    row: 'VJ10',
    tier: 'webhook',
    severity: 'error',
    summary: "The names of a job's pods, `<job>-<task>-<index>`, have at most 63 characters.",
    why:
      "The webhook refuses a longer one. It looks at the task's position instead of the last index, so with svc, where a pod's name is its " +
      'host name, the last pods may still be refused later.',
    source: `${JOB_WEBHOOK}, validateK8sPodNameLength; pkg/controllers/job/plugins/svc/svc.go OnPodCreate`,
    fix: 'Shorten the name of the job or of the task.',
  },
  function* (job) {
    if (job.jobName === '') {
      return;
    }
    for (const task of job.tasks) {
      const asJudged = podName(job.jobName, task.name, task.index);
      const last = podName(job.jobName, task.name, Math.max(0, task.replicas - 1));
      const name =
        asJudged.length > LABEL_LENGTH
          ? asJudged
          : job.running.has('svc') && task.podSpec.hostname === undefined
            ? last
            : '';
      if (name.length <= LABEL_LENGTH) {
        continue;
      }
      yield {
        path: `${task.path}/name`,
        message: `the pod name ${name} has ${name.length} characters`,
        found: name,
        expected: `at most ${LABEL_LENGTH} characters`,
      };
    }
  },
);

export const jobNameRules: readonly ObjectRule[] = [serviceName, derivedNames, podNames];
