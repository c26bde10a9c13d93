/**
 * Names of a job at their longest: pods, the Service, volumes and the rest are named after it, and what is too long is refused only
 * when they are made.
 */
import { shortenBy } from '../../../checks/rules/field-fix';
import { cite } from '../../../facts/upstream';
import { type ObjectRule } from '../../../checks/rules/rule';
import { asArray } from '../../../manifests/read';
import { podName } from '../job-spec';
import { JOB_WEBHOOK, namedJobRule } from './job-rule';

const LABEL_LENGTH = 63;
const DNS_1035_LABEL = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;
/** Volumes that the controller adds for `spec.volumes` are named `<job>-<12 characters>`. */
const VOLUME_SUFFIX = '-000000000000';

const serviceName = namedJobRule(
  {
    id: 'volcano/job-name-serves-as-host',
    concerns: ['plugins'],
    row: 'VJ9',
    tier: 'webhook',
    severity: 'error',
    summary: 'The name of a job with the svc plugin must be a DNS-1035 label, which starts with a letter.',
    why: 'The plugin names a Service and the subdomain of the pods after the job. The webhook accepts the job, but its Service or its pods are rejected later.',
    source: `${cite('volcano')}, pkg/controllers/job/plugins/svc/svc.go; Kubernetes names of Services and subdomains`,
    fix: 'Set metadata.name to lowercase letters, digits, and "-", starting with a letter and without dots.',
  },
  function* (job) {
    if (job.jobName === '' || !job.running.has('svc') || DNS_1035_LABEL.test(job.jobName)) {
      return;
    }
    yield {
      path: '/metadata/name',
      message: `the name "${job.manifest.id.name}" must be a valid Service name, because a plugin creates a Service with it`,
      found: job.manifest.id.name,
      expected: 'a DNS-1035 label',
    };
  },
);

const derivedNames = namedJobRule(
  {
    id: 'volcano/job-derived-names-fit',
    row: 'VJ9',
    tier: 'webhook',
    severity: 'error',
    summary: "The names that are derived from a job's name must be no more than 63 characters.",
    why: 'The job is accepted, but an object that it needs is rejected when it is created: the job stays without pods.',
    source: `${cite('volcano')}, pkg/controllers/job (job_controller_util.go createJobPod, plugins/svc, plugins/ssh, plugins/ray)`,
    fix: 'Shorten metadata.name of the job.',
  },
  function* (job) {
    if (job.jobName === '') {
      return;
    }
    const names = [
      ...(job.running.has('svc') ? [{ name: `${job.jobName}-svc`, of: "svc plugin's volume name" }] : []),
      ...(job.running.has('ssh') ? [{ name: `${job.jobName}-ssh`, of: "ssh plugin's volume name" }] : []),
      ...(job.running.has('ray') ? [{ name: `${job.jobName}-head-svc`, of: "ray plugin's Service name" }] : []),
      ...(asArray(job.spec.volumes).length > 0 ? [{ name: `${job.jobName}${VOLUME_SUFFIX}`, of: 'volume name' }] : []),
    ].filter(({ name }) => name.length > LABEL_LENGTH);
    const longest = names.sort((left, right) => right.name.length - left.name.length)[0];
    if (longest === undefined) {
      return;
    }
    const room = job.manifest.id.name.length - (longest.name.length - LABEL_LENGTH);
    yield {
      path: '/metadata/name',
      message: `the ${longest.of} "${longest.name}" must be no more than 63 characters, but has ${longest.name.length}`,
      found: job.manifest.id.name,
      expected: `a name of at most ${room} characters`,
      fix: `Shorten metadata.name to at most ${room} characters.`,
    };
  },
);

const podNames = namedJobRule(
  {
    id: 'volcano/job-pod-names-fit',
    row: 'VJ10',
    tier: 'webhook',
    severity: 'error',
    summary: "The names of a job's pods, `<job>-<task>-<index>`, must be no more than 63 characters.",
    why:
      'The webhook rejects a longer name. It counts the position of the task instead of the last index, so with svc, where the pod name is also the ' +
      'host name, the last pods may still be rejected later.',
    source: `${JOB_WEBHOOK}, validateK8sPodNameLength; pkg/controllers/job/plugins/svc/svc.go OnPodCreate`,
    fix: 'Shorten metadata.name of the job or the name of the task in spec.tasks.',
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
        message: `the pod name "${name}" must be no more than ${LABEL_LENGTH} characters, but has ${name.length}`,
        found: name,
        expected: `at most ${LABEL_LENGTH} characters`,
        fix: shortenBy('metadata.name of the job or the name of the task', name, LABEL_LENGTH),
      };
    }
  },
);

export const jobNameRules: readonly ObjectRule[] = [serviceName, derivedNames, podNames];
