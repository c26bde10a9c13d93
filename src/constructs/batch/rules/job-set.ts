/**
 * JS1, JS3 to JS5, JS7 and JS10: replicated jobs, their names and their order.
 */
import { fixesByField, shortenBy } from '../../../checks/rules/field-fix';
import { nearName } from '../../../checks/rules/near-name';
import { type ObjectRule, type Rule, type RuleFacts, type Violation } from '../../../checks/rules/rule';
import { dns1035Label, dnsSubdomain, domainPrefixedPath, labelValue } from '../../../manifests/values/name-syntax';
import { fieldOf } from '../../../manifests/pointer';
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
import { groupBy } from '../../../facts/collections';
import { counted, oneOfStrings } from '../../../facts/words';

const JOB_SET_WEBHOOK = `${JOB_SET_PROJECT}, pkg/webhooks/jobset_webhook.go`;
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
    summary: 'The first replicated job of a JobSet must not have dependsOn.',
    why: 'A job may depend only on previous jobs in the list; the webhook rejects even an empty list here.',
    fix: 'Remove dependsOn from the first replicated job, or move that job after the jobs that it depends on.',
  },
  function* ({ jobs }) {
    const [first] = jobs;
    if (first?.value.dependsOn === undefined || first.value.dependsOn === null) {
      return;
    }
    yield {
      path: `${first.path}/dependsOn`,
      message: `dependsOn must not be set for the first replicated job, "${first.name}"`,
    };
  },
);

const dependsOnEarlier = jobSetRule(
  {
    id: 'batch/jobset-depends-on-earlier-job',
    row: 'JS1',
    otherTiers: ['advice'],
    summary: 'dependsOn must name replicated jobs earlier in the list.',
    why: "The webhook rejects other names. It accepts the job's own name, but the job then waits for itself forever.",
    fix: 'Set dependsOn[].name to a replicated job that is listed earlier, or move that job before this one.',
  },
  function* ({ jobs }) {
    // The first job must not have dependsOn at all, which another rule reports.
    for (const [index, job] of [...jobs.entries()].slice(1)) {
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
              ? `the replicated job "${name}" depends on itself, so it never starts`
              : `the replicated job "${job.name}" depends on "${name}", which is not listed before it`,
          found: name,
          expected: oneOfStrings(earlier),
          tier: name === job.name ? 'advice' : 'webhook',
        };
      }
    }
  },
);

const NAMES_FIX =
  'Set metadata.name and replicatedJobs[].name to short names of lowercase letters, digits, and hyphens that start with a letter.';

/** The field with the characters that the derived name must not have: that of the JobSet, that of the job, or both. */
function wrongNameFix(set: string, job: string, index: number): string {
  const inSet = dns1035Label(set);
  const inJob = dns1035Label(`a${job}`);
  if ((inSet === undefined) === (inJob === undefined)) {
    return NAMES_FIX;
  }
  return inSet === undefined
    ? `Set replicatedJobs[${index}].name to ${nearName(inJob ?? '', job) ?? 'a name such as workers'}.`
    : `Set metadata.name to ${nearName(inSet, set) ?? 'a unique name such as train-70b'}.`;
}

const namesFit = jobSetRule(
  {
    id: 'batch/jobset-names-fit',
    row: 'JS3',
    summary:
      'The longest names that a JobSet derives, <set>-<job>-<index> and <set>-<job>-<index>-<pod>-xxxxx, must be DNS-1035 labels of no more than 63 characters.',
    why: 'They are names of Jobs, pods, and hosts; the webhook rejects the JobSet.',
    fix: NAMES_FIX,
  },
  function* (view) {
    if (view.name === '') {
      return;
    }
    for (const [index, job] of view.jobs.entries()) {
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
        message: `the name "${longest}", derived from the names of the JobSet and the replicated job, must ${complaint}`,
        found: job.name,
        expected: 'a DNS-1035 label of at most 63 characters',
        fix:
          longest.length > 63
            ? shortenBy('metadata.name of the JobSet or replicatedJobs[].name', longest, 63)
            : wrongNameFix(view.name, job.name, index),
      };
    }
  },
);

/** An index of the coordinator that is not below the replicas or completions of its job. */
function indexProblem(field: string, index: number, noun: string, count: number, job: string): Violation {
  const has = `the replicated job "${job}" has ${counted(count, noun)}`;
  if (count === 0) {
    return {
      message: `${has}, so it has no pod for ${field} ${index}`,
      found: index,
      fix: `Set ${noun}s of the replicated job "${job}" to at least ${Math.max(index, 0) + 1}.`,
    };
  }
  const isOne = count === 1;
  return {
    message: `${field} must be ${isOne ? '0' : `between 0 and ${count - 1}`}, because ${has}`,
    found: index,
    expected: isOne ? '0' : `0 to ${count - 1}`,
  };
}

const networkNamesValid = jobSetRule(
  {
    id: 'batch/jobset-subdomain-valid',
    row: 'JS3',
    summary: 'network.subdomain must be a DNS-1035 label, because a Service has that name.',
    why: 'The webhook rejects any other subdomain.',
    fix: 'Set network.subdomain to lowercase letters, digits, and hyphens, at most 63, starting with a letter.',
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
      message: `the subdomain "${subdomain}" must ${complaint}`,
      found: subdomain,
    };
  },
);

const groupNameValid = jobSetRule(
  {
    id: 'batch/jobset-group-name-valid',
    row: 'JS3',
    summary: 'groupName of a replicated job must be a DNS-1035 label.',
    why: 'It becomes a label value; the webhook rejects any other name.',
    fix: 'Set groupName to lowercase letters, digits, and hyphens, starting with a letter, or remove it.',
  },
  function* ({ jobs }) {
    for (const { value, path } of jobs) {
      const group = asString(value.groupName);
      const complaint = group === undefined ? undefined : dns1035Label(group);
      if (complaint !== undefined) {
        yield {
          path: `${path}/groupName`,
          message: `the group name "${group ?? ''}" must ${complaint}`,
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
    summary: 'replicas times parallelism of a replicated job must be at most 2147483647.',
    why: 'The webhook rejects more pods.',
    fix: 'Lower replicas or template.spec.parallelism of the replicated job.',
  },
  function* ({ jobs }) {
    for (const { name, path, replicas, parallelism } of jobs) {
      if (replicas * parallelism <= MAX_INT_32) {
        continue;
      }
      yield {
        path: `${path}/replicas`,
        message: `the replicated job "${name}" runs too many pods at a time: replicas (${replicas}) × parallelism (${parallelism}) = ${replicas * parallelism}`,
        found: replicas,
        expected: `at most ${MAX_INT_32} pods`,
      };
    }
  },
);

const targetsExist = jobSetRule(
  {
    id: 'batch/jobset-policy-targets-exist',
    row: 'JS5',
    summary: 'Success and failure policies must target replicated jobs of the same JobSet.',
    why: 'The webhook rejects a name that no job has.',
    fix: 'Set targetReplicatedJobs to names of entries in spec.replicatedJobs.',
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
          message: `unknown replicated job "${target}"`,
          found: target,
          ...(names.length === 0
            ? {}
            : {
                expected: oneOfStrings(names),
                fix: `Set targetReplicatedJobs[${index}] to ${oneOfStrings(names)}, or remove it.`,
              }),
        };
      }
    }
  },
);

const LABEL_LENGTH = 63;
/** What the address of a coordinator consists of. */
const COORDINATOR_PARTS = 'metadata.name of the JobSet, coordinator.replicatedJob, or network.subdomain';

const coordinatorExists = jobSetRule(
  {
    id: 'batch/jobset-coordinator-exists',
    row: 'JS7',
    summary:
      'The coordinator must be a pod of the JobSet: an index of an Indexed job with completions, in a replicated job.',
    why: 'The webhook rejects any other; the address of the coordinator becomes a label of every pod.',
    fix: 'Set coordinator.replicatedJob to the name of a replicated job, jobIndex to less than its replicas, and podIndex to less than its completions.',
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
        message: `unknown replicated job "${name}"`,
        found: name,
        ...(view.jobs.length === 0 ? {} : { expected: oneOfStrings(view.jobs.map((other) => other.name)) }),
        fix:
          view.jobs.length === 0
            ? 'Set coordinator.replicatedJob to the name of an entry in spec.replicatedJobs.'
            : `Set coordinator.replicatedJob to ${oneOfStrings(view.jobs.map((other) => other.name))}.`,
      };
      return;
    }
    if (jobIndex < 0 || jobIndex >= job.replicas) {
      yield {
        path: `${path}/jobIndex`,
        ...indexProblem('jobIndex', jobIndex, 'replica', job.replicas, name),
      };
    } else if (!job.indexed || job.completions === undefined) {
      yield {
        path: job.jobPath,
        message: `the replicated job "${name}", which the coordinator refers to, must set completionMode: Indexed and completions`,
        expected: 'completionMode: Indexed, completions: N',
        fix: `Set completionMode: Indexed and completions in the template of the replicated job "${name}".`,
      };
    } else if (podIndex < 0 || podIndex >= job.completions) {
      yield {
        path: `${path}/podIndex`,
        ...indexProblem('podIndex', podIndex, 'completion', job.completions, name),
      };
    }
    const endpoint = `${podHost(view.name, name, jobIndex, podIndex)}.${subdomainOf(view)}`;
    const complaint = view.name === '' ? undefined : labelValue(endpoint);
    if (complaint !== undefined) {
      yield {
        path,
        message: `the coordinator address "${endpoint}" becomes a label value, so it must ${complaint.replace(/^be empty, or /, '')}`,
        fix:
          endpoint.length > LABEL_LENGTH
            ? shortenBy(COORDINATOR_PARTS, endpoint, LABEL_LENGTH)
            : 'Set network.subdomain, metadata.name, and the name of the replicated job to DNS labels.',
      };
    }
  },
);

const managedBy = jobSetRule(
  {
    id: 'batch/jobset-managed-by-valid',
    row: 'JS10',
    summary: 'managedBy must be a domain, a slash, and a path, of no more than 63 characters.',
    why: 'The webhook rejects any other value.',
    fix: 'Remove spec.managedBy, or set it to the name of the controller that manages the JobSet, for example kueue.x-k8s.io/multikueue.',
  },
  function* ({ spec }) {
    const manager = asString(spec.managedBy);
    if (manager === undefined) {
      return;
    }
    const complaint =
      domainPrefixedPath(manager) ?? (manager.length > 63 ? 'be no more than 63 characters' : undefined);
    if (complaint !== undefined) {
      yield { path: '/spec/managedBy', message: `managedBy "${manager}" must ${complaint}`, found: manager };
    }
  },
);

const restartPolicy = jobSetRule(
  {
    id: 'batch/jobset-restart-policy-fits-job',
    row: 'JS10',
    summary:
      'Pods of a JobSet must have restartPolicy OnFailure or Never, and must set Never explicitly if a job has a podFailurePolicy.',
    why: 'JobSet sets OnFailure by default. The API server then rejects the Jobs that it creates, and the JobSet has no pods.',
    source: `${JOB_SET_WEBHOOK} (Default); Kubernetes, pkg/apis/batch/validation/validation.go`,
    fix: 'Set restartPolicy: Never in the pod template.',
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
            ? `the podFailurePolicy of the replicated job "${name}" requires restartPolicy Never, but ${podSpec.restartPolicy === undefined ? 'the default of JobSet is OnFailure' : 'it is OnFailure'}`
            : `unsupported restartPolicy "${policy}" in the replicated job "${name}"`,
        found: podSpec.restartPolicy,
        expected: policy === 'OnFailure' ? 'Never' : 'OnFailure or Never',
      };
    }
  },
);

const claimNames = fixesByField(
  jobSetRule(
    {
      id: 'batch/jobset-claim-templates-fit',
      row: 'JS9',
      summary:
        'Templates of volumeClaimPolicies must have unique short names that differ from pod volumes, and a container must mount them.',
      why: "The claim <template>-<set> is mounted into all pods under the template's name; the webhook rejects names that conflict, are never mounted, or are longer than 63 characters.",
      fix: 'Set templates[].metadata.name of volumeClaimPolicies to a unique name, and add the name to the volumeMounts of a container.',
    },
    function* (view) {
      const seen = new Set<string>();
      const mounted = new Set(view.jobs.flatMap((job) => [...mountedVolumes(job)]));
      const volumes = groupBy(
        view.jobs.flatMap((job) =>
          objectsAt(job.podSpec, '/volumes').map(({ value, path }) => ({
            name: value.name,
            path: `${job.podSpecPath}${path}/name`,
          })),
        ),
        ({ name }) => name,
      );
      for (const policy of objectsAt(view.spec, '/volumeClaimPolicies')) {
        for (const template of objectsAt(policy.value, '/templates')) {
          const name = asString(asObject(template.value.metadata).name) ?? '';
          const path = `/spec${policy.path}${template.path}/metadata/name`;
          const complaint = dnsSubdomain(name);
          if (seen.has(name)) {
            yield { path, message: `duplicate claim template "${name}"`, found: name };
          }
          if (complaint !== undefined) {
            yield { path, message: `the template name "${name}" must ${complaint}`, found: name };
          }
          if (view.name !== '' && `${name}-${view.name}`.length > 63) {
            yield {
              path,
              message: `the claim name "${name}-${view.name}" must be no more than 63 characters`,
              found: name,
              fix: shortenBy('templates[].metadata.name or metadata.name of the JobSet', `${name}-${view.name}`, 63),
            };
          }
          // A duplicate of the template was reported above.
          for (const volume of seen.has(name) ? [] : (volumes.get(name) ?? [])) {
            yield {
              path: volume.path,
              message: `the volume name "${name}" is already used by a claim template, which adds a volume to every pod`,
              found: name,
              fix: `Set ${fieldOf(volume.path)} to a name that no claim template uses.`,
            };
          }
          if (!mounted.has(name)) {
            yield {
              path,
              message: `no container mounts the claim template "${name}"`,
              found: name,
              fix: `Add an entry with the name "${name}" and a mountPath to the volumeMounts of a container, or remove the template.`,
            };
          }
          seen.add(name);
        }
      }
    },
  ),
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
