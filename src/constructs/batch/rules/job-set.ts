/**
 * JS1, JS3 to JS5, JS7 and JS10: replicated jobs, their names and their order.
 */
import { type ObjectRule, type Rule, type RuleFacts, type Violation } from '../../../checks/rule';
import { dns1035Label, dnsSubdomain, domainPrefixedPath, labelValue } from '../../../checks/server/syntax';
import { asInteger, asObject, asString, objectsAt, stringsIn } from '../../../manifests/read';
import {
  JOB_SET_KIND,
  JOB_SET_PROJECT,
  jobSetOf,
  type JobSetView,
  mountedVolumes,
  podHost,
  subdomainOf,
} from '../job-set-view';

export const JOB_SET_WEBHOOK = `${JOB_SET_PROJECT}, pkg/webhooks/jobset_webhook.go`;
const MAX_INT_32 = 2_147_483_647;

type JobSetRuleFacts = Omit<RuleFacts, 'source' | 'tier' | 'severity'> &
  Partial<Pick<RuleFacts, 'source' | 'tier' | 'severity'>>;

export function jobSetRule(facts: JobSetRuleFacts, check: (view: JobSetView) => Iterable<Violation>): ObjectRule {
  return {
    source: JOB_SET_WEBHOOK,
    tier: 'webhook',
    severity: 'error',
    ...facts,
    on: 'object',
    kinds: [JOB_SET_KIND],
    check: (manifest) => check(jobSetOf(manifest)),
  };
}

const firstDependsOnNothing = jobSetRule(
  {
    id: 'batch/jobset-first-job-depends-on-nothing',
    row: 'JS1',
    summary: 'The first replicated job of a JobSet has no dependsOn.',
    why: 'A job may only wait for one before it in the list; the webhook refuses even an empty list here.',
    fix: 'Take dependsOn out, or move the job behind those that it waits for.',
  },
  function* ({ jobs }) {
    const [first] = jobs;
    if (first?.value.dependsOn === undefined || first.value.dependsOn === null) {
      return;
    }
    yield {
      path: `${first.path}/dependsOn`,
      message: `The first replicated job, ${first.name}, has a dependsOn.`,
      expected: 'no dependsOn',
    };
  },
);

const dependsOnEarlier = jobSetRule(
  {
    id: 'batch/jobset-depends-on-earlier-job',
    row: 'JS1',
    otherTiers: ['advice'],
    summary: 'dependsOn names replicated jobs that stand earlier in the list.',
    why: "The webhook refuses other names. It takes the job's own name, and the job then waits for itself for ever.",
    fix: 'Name an earlier job, or change the order of the list.',
  },
  function* ({ jobs }) {
    for (const [index, job] of jobs.entries()) {
      const earlier = jobs.slice(0, index).map(({ name }) => name);
      for (const { value, path } of objectsAt(job.value, '/dependsOn')) {
        const name = asString(value.name);
        if (name === undefined || earlier.includes(name)) {
          continue;
        }
        yield {
          path: `${job.path}${path}/name`,
          message:
            name === job.name
              ? `Job ${name} waits for itself.`
              : `Job ${job.name} waits for ${name}, which is no job before it.`,
          found: name,
          expected: earlier.length === 0 ? 'no dependsOn' : `one of ${earlier.join(', ')}`,
          tier: name === job.name ? 'advice' : 'webhook',
        };
      }
    }
  },
);

const namesFit = jobSetRule(
  {
    id: 'batch/jobset-names-fit',
    row: 'JS3',
    summary:
      'The longest names that a JobSet derives, <set>-<job>-<index> and <set>-<job>-<index>-<pod>-xxxxx, are DNS-1035 labels of at most 63 characters.',
    why: 'They name Jobs, pods and host names; the webhook refuses the JobSet.',
    fix: 'Shorten the name of the JobSet or of the job; begin with a letter and use lower-case letters, digits and hyphens.',
  },
  function* (view) {
    if (view.name === '') {
      return;
    }
    for (const job of view.jobs) {
      const jobName = `${view.name}-${job.name}-${job.replicas - 1}`;
      const host =
        job.indexed && job.completions !== undefined
          ? `${podHost(view.name, job.name, job.replicas - 1, job.completions - 1)}-abcde`
          : jobName;
      const judged = [jobName, host].map((name) => [name, dns1035Label(name)] as const);
      const [longest, complaint] = judged.find(([, said]) => said !== undefined) ?? [];
      if (longest === undefined || complaint === undefined) {
        continue;
      }
      yield {
        path: `${job.path}/name`,
        message: `"${longest}" is derived from the names of the JobSet and of the job; it must ${complaint}.`,
        found: job.name,
        expected: longest.length > 63 ? `names shorter by ${longest.length - 63}` : 'DNS-1035 labels',
      };
    }
  },
);

const networkNamesValid = jobSetRule(
  {
    id: 'batch/jobset-subdomain-valid',
    row: 'JS3',
    summary: 'network.subdomain is a DNS-1035 label, since a Service is named after it.',
    why: 'The webhook refuses another.',
    fix: 'Begin with a letter; use lower-case letters, digits and hyphens, at most 63 of them.',
  },
  function* ({ spec }) {
    const subdomain = asString(asObject(spec.network).subdomain);
    if (subdomain === undefined || subdomain === '') {
      return;
    }
    const complaint = dns1035Label(subdomain);
    if (complaint === undefined) {
      return;
    }
    yield {
      path: '/spec/network/subdomain',
      message: `The subdomain "${subdomain}" must ${complaint}.`,
      found: subdomain,
    };
  },
);

const groupNameValid = jobSetRule(
  {
    id: 'batch/jobset-group-name-valid',
    row: 'JS3',
    summary: 'groupName of a replicated job is a DNS-1035 label.',
    why: 'It becomes the value of a label; the webhook refuses another.',
    fix: 'Begin with a letter; use lower-case letters, digits and hyphens. Or leave it out.',
  },
  function* ({ jobs }) {
    for (const { value, path } of jobs) {
      const group = asString(value.groupName);
      const complaint = group === undefined ? undefined : dns1035Label(group);
      if (complaint !== undefined) {
        yield {
          path: `${path}/groupName`,
          message: `The group name "${group ?? ''}" must ${complaint}.`,
          found: group,
        };
      }
    }
  },
);

const podsCountable = jobSetRule(
  {
    id: 'batch/jobset-pods-countable',
    row: 'JS4',
    summary: 'replicas times parallelism of a replicated job is at most 2147483647.',
    why: 'The webhook refuses more.',
    fix: 'Lower replicas or parallelism.',
  },
  function* ({ jobs }) {
    for (const { name, path, replicas, parallelism } of jobs) {
      if (replicas * parallelism <= MAX_INT_32) {
        continue;
      }
      yield {
        path: `${path}/replicas`,
        message: `Job ${name} would run ${replicas * parallelism} pods at a time.`,
        found: replicas,
        expected: `at most ${MAX_INT_32}`,
      };
    }
  },
);

const targetsExist = jobSetRule(
  {
    id: 'batch/jobset-policy-targets-exist',
    row: 'JS5',
    summary: 'Success and failure policies target replicated jobs of the same JobSet.',
    why: 'The webhook refuses a name that no job has.',
    fix: 'Name a replicated job of this JobSet.',
  },
  function* ({ spec, jobs }) {
    const names = jobs.map(({ name }) => name);
    const places = [
      { path: '/spec/successPolicy', targets: asObject(spec.successPolicy).targetReplicatedJobs },
      ...objectsAt(spec, '/failurePolicy/rules').map(({ value, path }) => ({
        path: `/spec${path}`,
        targets: value.targetReplicatedJobs,
      })),
    ];
    for (const { path, targets } of places) {
      for (const [index, target] of stringsIn(targets).entries()) {
        if (names.includes(target)) {
          continue;
        }
        yield {
          path: `${path}/targetReplicatedJobs/${index}`,
          message: `No replicated job is called "${target}".`,
          found: target,
          expected: `one of ${names.join(', ')}`,
        };
      }
    }
  },
);

const coordinatorExists = jobSetRule(
  {
    id: 'batch/jobset-coordinator-exists',
    row: 'JS7',
    summary:
      'The coordinator is a pod that there will be: an index of an Indexed job with completions, of a replicated job of the JobSet.',
    why: 'The webhook refuses another; the address of the coordinator is written into a label of every pod.',
    fix: 'Name a replicated job, an index below its replicas and a pod index below its completions.',
  },
  function* (view) {
    const coordinator = asObject(view.spec.coordinator);
    const name = asString(coordinator.replicatedJob);
    if (name === undefined) {
      return;
    }
    const path = '/spec/coordinator';
    const job = view.jobs.find((candidate) => candidate.name === name);
    const jobIndex = asInteger(coordinator.jobIndex) ?? 0;
    const podIndex = asInteger(coordinator.podIndex) ?? 0;
    if (job === undefined) {
      yield {
        path: `${path}/replicatedJob`,
        message: `No replicated job is called "${name}".`,
        found: name,
        expected: view.jobs.map((other) => other.name).join(' or '),
      };
      return;
    }
    if (jobIndex < 0 || jobIndex >= job.replicas) {
      yield {
        path: `${path}/jobIndex`,
        message: `Job ${name} has ${job.replicas} replicas, none with index ${jobIndex}.`,
        found: jobIndex,
        expected: `0 to ${job.replicas - 1}`,
      };
    } else if (!job.indexed || job.completions === undefined) {
      yield {
        path: job.jobPath,
        message: `The job ${name} of the coordinator must be Indexed and state its completions.`,
        expected: 'completionMode: Indexed, completions: N',
      };
    } else if (podIndex < 0 || podIndex >= job.completions) {
      yield {
        path: `${path}/podIndex`,
        message: `Job ${name} has ${job.completions} completions, no pod ${podIndex}.`,
        found: podIndex,
        expected: `0 to ${job.completions - 1}`,
      };
    }
    const endpoint = `${podHost(view.name, name, jobIndex, podIndex)}.${subdomainOf(view)}`;
    const complaint = view.name === '' ? undefined : labelValue(endpoint);
    if (complaint !== undefined) {
      yield {
        path,
        message: `The coordinator's address "${endpoint}" becomes the value of a label, which must ${complaint}.`,
        expected: 'shorter names',
      };
    }
  },
);

const managedBy = jobSetRule(
  {
    id: 'batch/jobset-managed-by-valid',
    row: 'JS10',
    summary: 'managedBy is a domain, a slash and a path, of at most 63 characters.',
    why: 'The webhook refuses another.',
    fix: 'Leave it out, or name the manager, for example kueue.x-k8s.io/multikueue.',
  },
  function* ({ spec }) {
    const manager = asString(spec.managedBy);
    if (manager === undefined) {
      return;
    }
    const complaint =
      domainPrefixedPath(manager) ?? (manager.length > 63 ? 'be at most 63 characters long' : undefined);
    if (complaint !== undefined) {
      yield { path: '/spec/managedBy', message: `managedBy "${manager}" must ${complaint}.`, found: manager };
    }
  },
);

const restartPolicy = jobSetRule(
  {
    id: 'batch/jobset-restart-policy-fits-job',
    row: 'JS10',
    summary:
      'Pods of a JobSet have restartPolicy OnFailure or Never, and Never stands there in words where a job has a podFailurePolicy.',
    why: 'JobSet fills in OnFailure. The Jobs that it makes are then refused by the API server, and the JobSet stays without pods.',
    source: `${JOB_SET_WEBHOOK} (Default); Kubernetes, pkg/apis/batch/validation/validation.go`,
    fix: 'Write restartPolicy: Never into the pod template.',
  },
  function* ({ jobs }) {
    for (const { name, job, podSpec, podSpecPath } of jobs) {
      const policy = asString(podSpec.restartPolicy) || 'OnFailure';
      if (
        policy === 'Never' ||
        (policy === 'OnFailure' && (job.podFailurePolicy === undefined || job.podFailurePolicy === null))
      ) {
        continue;
      }
      const path = podSpec.restartPolicy === undefined ? podSpecPath : `${podSpecPath}/restartPolicy`;
      yield {
        path,
        message:
          policy === 'OnFailure'
            ? `Job ${name} has a podFailurePolicy, which needs restartPolicy Never; JobSet fills in OnFailure.`
            : `Job ${name} has restartPolicy ${policy}, which no Job takes.`,
        found: podSpec.restartPolicy,
        expected: 'restartPolicy: Never',
      };
    }
  },
);

const claimNames = jobSetRule(
  {
    id: 'batch/jobset-claim-templates-fit',
    row: 'JS9',
    summary:
      'Templates of volumeClaimPolicies have names that are unique and short, that no pod volume has, and that a container mounts.',
    why: "The claim <template>-<set> is mounted into all pods under the template's name; the webhook refuses what clashes, is never mounted, or is longer than 63 characters.",
    fix: 'Give each template a name of its own and mount it in a container.',
  },
  function* (view) {
    const seen = new Set<string>();
    for (const policy of objectsAt(view.spec, '/volumeClaimPolicies')) {
      for (const template of objectsAt(policy.value, '/templates')) {
        const name = asString(asObject(template.value.metadata).name) ?? '';
        const path = `/spec${policy.path}${template.path}/metadata/name`;
        const complaint = dnsSubdomain(name);
        if (seen.has(name)) {
          yield { path, message: `Two templates are called "${name}".`, found: name };
        }
        if (complaint !== undefined) {
          yield { path, message: `The name "${name}" of the template must ${complaint}.`, found: name };
        }
        if (view.name !== '' && `${name}-${view.name}`.length > 63) {
          yield {
            path,
            message: `The claim would be called "${name}-${view.name}", which has more than 63 characters.`,
            found: name,
          };
        }
        for (const job of view.jobs) {
          for (const volume of objectsAt(job.podSpec, '/volumes')) {
            if (volume.value.name !== name) {
              continue;
            }
            yield {
              path: `${job.podSpecPath}${volume.path}/name`,
              message: `The volume "${name}" has the name of a claim template.`,
              found: name,
            };
          }
        }
        if (!view.jobs.some((job) => mountedVolumes(job).has(name))) {
          yield { path, message: `No container mounts "${name}".`, found: name };
        }
        seen.add(name);
      }
    }
  },
);

export const jobSetRules: readonly Rule[] = [
  firstDependsOnNothing,
  dependsOnEarlier,
  namesFit,
  networkNamesValid,
  groupNameValid,
  podsCountable,
  targetsExist,
  coordinatorExists,
  claimNames,
  managedBy,
  restartPolicy,
];
