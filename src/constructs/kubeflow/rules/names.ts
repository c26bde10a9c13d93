/**
 * KT1: a job's name becomes the name of its Services and pods, and a label.
 */
import { shortenBy } from '../../../checks/rules/field-fix';
import { type Rule } from '../../../checks/rules/rule';
import { dns1035Label } from '../../../manifests/values/name-syntax';
import { asInteger } from '../../../manifests/read';
import { replicaName } from '../frameworks';
import { type Role, type TrainingJob } from '../training-job';
import { namedJobRule } from './job-rule';

const LABEL_LENGTH = 63;
/** What the API server appends to `generateName`, which it first cuts so that the whole has 63 characters. */
const GENERATED_SUFFIX = 5;

const jobNameIsDnsLabel = namedJobRule(
  {
    id: 'job-name-is-dns-1035',
    row: 'KT1',
    tier: 'webhook',
    severity: 'error',
    kinds: ['PyTorchJob', 'TFJob', 'XGBoostJob', 'PaddleJob', 'JAXJob'],
    summary:
      'The name of a job must be a DNS-1035 label: lowercase letters, digits, and hyphens, starting with a letter, no more than 63 characters.',
    why: 'Services are named after the job; the webhook rejects any other name.',
    source: 'pkg/webhooks/*/*_webhook.go, NameIsDNS1035Label',
    fix: 'Set metadata.name to lowercase letters, digits, and hyphens, starting with a letter.',
  },
  function* (job) {
    const [field, name] = job.name === '' ? ['generateName', job.generateName.replace(/-$/, '')] : ['name', job.name];
    const complaint = name === '' ? undefined : dns1035Label(name);
    if (complaint === undefined) {
      return;
    }
    yield {
      path: `/metadata/${field}`,
      message: `the job name "${name}" must ${complaint}`,
      found: name,
      expected: 'a DNS-1035 label, for example train-70b',
      ...(name.length > LABEL_LENGTH && { fix: `Shorten metadata.${field} to at most ${LABEL_LENGTH} characters.` }),
    };
  },
);

const derivedNamesFit = namedJobRule(
  {
    id: 'derived-names-fit',
    row: 'KT1',
    tier: 'webhook',
    severity: 'error',
    summary:
      'The longest name that the operator derives from the job, <job>-<role>-<index>, must be no more than 63 characters.',
    why: 'The operator creates a Service with that name for each replica and uses the job name as a label value; the API server rejects longer names.',
    source: 'pkg/core/utils.go, GenGeneralName; pkg/controller.v1/common/service.go',
    fix: 'Shorten metadata.name of the job.',
  },
  function* (job) {
    const name =
      job.name !== ''
        ? job.name
        : `${job.generateName.slice(0, LABEL_LENGTH - GENERATED_SUFFIX)}${'x'.repeat(GENERATED_SUFFIX)}`;
    if (job.name === '' && job.generateName === '') {
      return;
    }
    const longest = longestDerivedName(job, name);
    if (longest.length <= LABEL_LENGTH) {
      return;
    }
    yield {
      path: job.name === '' ? '/metadata/generateName' : '/metadata/name',
      message: `the derived name "${longest}" must be no more than ${LABEL_LENGTH} characters, but has ${longest.length}`,
      found: job.name === '' ? job.generateName : job.name,
      expected: `at most ${LABEL_LENGTH} characters`,
      fix: shortenBy(job.name === '' ? 'metadata.generateName' : 'metadata.name', longest, LABEL_LENGTH),
    };
  },
);

/** Without Services (MPIJob) only the job name itself must fit, as a label value. */
function longestDerivedName(job: TrainingJob, name: string): string {
  if (!job.framework.makesServices) {
    return name;
  }
  return job.roles
    .map((role) => replicaName(name, role.name, Math.max(0, mostReplicas(job, role) - 1)))
    .reduce((longest, candidate) => (candidate.length > longest.length ? candidate : longest), '');
}

function mostReplicas(job: TrainingJob, role: Role): number {
  const max = role.name === 'Worker' ? asInteger(job.elasticPolicy?.maxReplicas) : undefined;
  return Math.max(role.count, max ?? 0);
}

export const nameRules: readonly Rule[] = [jobNameIsDnsLabel, derivedNamesFit];
