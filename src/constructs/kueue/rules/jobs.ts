/**
 * Labels and annotations by which workloads speak to Kueue: what the webhooks of its integrations demand.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type Rule, type Violation } from '../../../checks/rules/rule';
import { dnsSubdomain } from '../../../manifests/values/name-syntax';
import { parseGoBool } from '../../../manifests/values/go-boolean';
import { type Manifest } from '../../../manifests/manifest';
import { pointer } from '../../../manifests/pointer';
import { asInteger, asObject, asString } from '../../../manifests/read';
import {
  ELASTIC_ANNOTATION,
  ELASTIC_KINDS,
  KUEUE,
  MANAGED_KINDS,
  MAX_EXEC_LABEL,
  MIN_PARALLELISM_ANNOTATION,
  PREBUILT_LABEL,
  PREFERRED_TOPOLOGY,
  QUEUE_LABEL,
  REQUIRED_TOPOLOGY,
  SYNC_COMPLETIONS_ANNOTATION,
} from '../kueue-facts';
import { isManaged } from '../queue-view';
import { counted } from '../../../facts/words';

const VALIDATION = `${KUEUE}, pkg/controller/jobframework/validation.go`;
const JOB_WEBHOOK = `${KUEUE}, pkg/controller/jobs/job/job_webhook.go`;
const KINDS = [...new Set([...MANAGED_KINDS].map((kind) => kind.replace(/^v1 /, '').replace(/\/\S+ /, '/')))];

function labelsOf({ object }: Manifest): JsonObject {
  return asObject(asObject(object.metadata).labels);
}

function annotationsOf({ object }: Manifest): JsonObject {
  return asObject(asObject(object.metadata).annotations);
}

type Facts = Pick<ObjectRule, 'summary' | 'fix' | 'concerns'> &
  Partial<Pick<ObjectRule, 'row' | 'why' | 'source' | 'kinds' | 'tier' | 'severity'>>;

function jobRule(id: string, facts: Facts, check: (manifest: Manifest) => Iterable<Violation>): ObjectRule {
  return {
    row: 'KU14',
    tier: 'webhook',
    severity: 'error',
    kinds: KINDS,
    source: VALIDATION,
    why: 'The webhook rejects the object.',
    ...facts,
    id: `kueue/${id}`,
    on: 'object',
    *check(manifest) {
      if (isManaged(manifest)) {
        yield* check(manifest);
      }
    },
  };
}

const namesValid = jobRule(
  'queue-name-is-object-name',
  {
    concerns: [QUEUE_LABEL, PREBUILT_LABEL],
    summary: `The labels ${QUEUE_LABEL} and ${PREBUILT_LABEL} must be valid object names.`,
    fix: `Set ${QUEUE_LABEL} to the name of a LocalQueue, and ${PREBUILT_LABEL} to the name of a Workload.`,
  },
  function* (manifest) {
    for (const key of [QUEUE_LABEL, PREBUILT_LABEL]) {
      const name = asString(labelsOf(manifest)[key]);
      const complaint = name === undefined ? undefined : dnsSubdomain(name);
      if (complaint !== undefined) {
        yield {
          path: pointer('/metadata/labels', key),
          message: `the value "${name}" of the label ${key} must ${complaint}`,
          found: name,
        };
      }
    }
  },
);

const maxExecution = jobRule(
  'max-execution-time-positive',
  {
    concerns: [MAX_EXEC_LABEL],
    summary: `The label ${MAX_EXEC_LABEL} must be an integer greater than 0.`,
    fix: `Set ${MAX_EXEC_LABEL} to a number of seconds, such as "3600".`,
  },
  function* (manifest) {
    const value = asString(labelsOf(manifest)[MAX_EXEC_LABEL]);
    if (value === undefined || (/^[+-]?\d+$/.test(value) && Number(value) > 0)) {
      return;
    }
    yield {
      path: pointer('/metadata/labels', MAX_EXEC_LABEL),
      message: `"${value}" is not a valid number of seconds`,
      found: value,
      expected: 'an integer greater than 0',
    };
  },
);

const elasticKind = jobRule(
  'elastic-kind-scales',
  {
    concerns: [ELASTIC_ANNOTATION],
    summary: `${ELASTIC_ANNOTATION} must be set only on a Job, RayCluster, RayJob, or RayService, and not on a Job with a required or preferred topology.`,
    fix: `Remove ${ELASTIC_ANNOTATION}, or remove the topology annotation.`,
  },
  function* (manifest) {
    if (annotationsOf(manifest)[ELASTIC_ANNOTATION] !== 'true') {
      return;
    }
    const path = pointer('/metadata/annotations', ELASTIC_ANNOTATION);
    const { apiVersion, kind } = manifest.id;
    if (!ELASTIC_KINDS.has(`${apiVersion} ${kind}`)) {
      yield {
        path,
        message: `Kueue does not support elastic workloads of the kind ${kind}`,
        found: 'true',
        fix: `Remove the annotation ${ELASTIC_ANNOTATION}.`,
      };
    }
    if (kind !== 'Job') {
      return;
    }
    const template = asObject(asObject(asObject(manifest.object.spec).template).metadata);
    for (const key of [REQUIRED_TOPOLOGY, PREFERRED_TOPOLOGY]) {
      if (asObject(template.annotations)[key] !== undefined) {
        yield {
          path: pointer('/spec/template/metadata/annotations', key),
          message: `${key} must not be set on an elastic Job`,
          fix: `Remove ${key}, or remove ${ELASTIC_ANNOTATION}.`,
        };
      }
    }
  },
);

/** As the Job's webhook counts them: parallelism, and no more than completions. */
function podsOf(spec: JsonObject): number {
  const parallelism = asInteger(spec.parallelism) ?? 1;
  const completions = asInteger(spec.completions);
  return completions === undefined ? parallelism : Math.min(parallelism, completions);
}

const partialAdmission = jobRule(
  'partial-admission-below-parallelism',
  {
    kinds: ['batch/Job'],
    concerns: [MIN_PARALLELISM_ANNOTATION],
    summary: `${MIN_PARALLELISM_ANNOTATION} must be at least 1 and less than the number of pods of the Job, and must not be set on an elastic Job.`,
    source: JOB_WEBHOOK,
    fix: `Set ${MIN_PARALLELISM_ANNOTATION} to a number less than parallelism, or remove it.`,
  },
  function* (manifest) {
    const value = asString(annotationsOf(manifest)[MIN_PARALLELISM_ANNOTATION]);
    if (value === undefined) {
      return;
    }
    const path = pointer('/metadata/annotations', MIN_PARALLELISM_ANNOTATION);
    const pods = podsOf(asObject(manifest.object.spec));
    if (!/^[+-]?\d+$/.test(value) || Number(value) < 1 || Number(value) >= pods) {
      yield {
        path,
        found: value,
        ...(pods > 1
          ? {
              message: `${MIN_PARALLELISM_ANNOTATION} must be ${pods === 2 ? '1' : `between 1 and ${pods - 1}`}: "${value}"`,
              expected: pods === 2 ? '1' : `an integer from 1 to ${pods - 1}`,
              fix: `Set the annotation ${MIN_PARALLELISM_ANNOTATION} to ${pods === 2 ? '"1"' : `a number from 1 to ${pods - 1}`}, or remove it.`,
            }
          : {
              message: `${MIN_PARALLELISM_ANNOTATION} must not be set for a Job with ${counted(Math.max(pods, 0), 'pod')}`,
              fix: `Remove the annotation ${MIN_PARALLELISM_ANNOTATION}.`,
            }),
      };
    }
    if (annotationsOf(manifest)[ELASTIC_ANNOTATION] === 'true') {
      yield {
        path,
        message: `${MIN_PARALLELISM_ANNOTATION} must not be set when ${ELASTIC_ANNOTATION} is set`,
        expected: 'one of the two annotations',
        fix: `Remove ${MIN_PARALLELISM_ANNOTATION} or ${ELASTIC_ANNOTATION}.`,
      };
    }
  },
);

const syncCompletions = jobRule(
  'completions-follow-parallelism',
  {
    kinds: ['batch/Job'],
    concerns: [SYNC_COMPLETIONS_ANNOTATION],
    summary: `${SYNC_COMPLETIONS_ANNOTATION} must be a boolean; if it is true, the Job must be Indexed and completions must equal parallelism.`,
    source: JOB_WEBHOOK,
    fix: `Set completionMode: Indexed and completions equal to parallelism, or remove ${SYNC_COMPLETIONS_ANNOTATION}.`,
  },
  function* (manifest) {
    const value = asString(annotationsOf(manifest)[SYNC_COMPLETIONS_ANNOTATION]);
    if (value === undefined) {
      return;
    }
    const path = pointer('/metadata/annotations', SYNC_COMPLETIONS_ANNOTATION);
    const isOn = parseGoBool(value);
    if (isOn === undefined) {
      yield {
        path,
        message: `"${value}" is not a valid boolean`,
        found: value,
        expected: '"true" or "false"',
        fix: `Set the annotation ${SYNC_COMPLETIONS_ANNOTATION} to "true" or "false".`,
      };
    }
    if (isOn !== true) {
      return;
    }
    const { completionMode, parallelism, completions } = asObject(manifest.object.spec);
    if (completionMode !== 'Indexed') {
      yield {
        path,
        message: `completionMode must be Indexed when ${SYNC_COMPLETIONS_ANNOTATION} is true`,
        expected: 'completionMode: Indexed',
        fix: `Set completionMode: Indexed, or remove the annotation ${SYNC_COMPLETIONS_ANNOTATION}.`,
      };
    }
    if ((asInteger(parallelism) ?? 1) !== (asInteger(completions) ?? 1)) {
      yield {
        path: '/spec/completions',
        message: `completions must be equal to parallelism when ${SYNC_COMPLETIONS_ANNOTATION} is true`,
        found: completions,
        expected: String(asInteger(parallelism) ?? 1),
        fix: `Set completions to ${asInteger(parallelism) ?? 1}, or remove the annotation ${SYNC_COMPLETIONS_ANNOTATION}.`,
      };
    }
  },
);

const unmanaged: ObjectRule = {
  id: 'kueue/queue-name-on-managed-kind',
  row: 'KU15',
  tier: 'advice',
  severity: 'error',
  on: 'object',
  kinds: ['*'],
  concerns: [QUEUE_LABEL],
  summary: `The label ${QUEUE_LABEL} must be set on an object of a kind that Kueue manages.`,
  why: 'Kueue ignores other kinds: their pods start immediately, without counting against any quota.',
  source: `${KUEUE}, pkg/controller/jobs`,
  fix: `Remove the label ${QUEUE_LABEL}, or use a kind that Kueue manages, such as a Job or a JobSet.`,
  *check(manifest) {
    const { apiVersion, kind, group } = manifest.id;
    const name = labelsOf(manifest)[QUEUE_LABEL];
    if (name === undefined || isManaged(manifest) || !PASSED_BY.has(`${group}/${kind}`)) {
      return;
    }
    const fix = PASSED_BY.get(`${group}/${kind}`);
    yield {
      path: pointer('/metadata/labels', QUEUE_LABEL),
      message: `Kueue does not manage the kind ${kind} of ${apiVersion}, so its pods start without counting against a quota`,
      found: name,
      ...(fix !== undefined && { fix }),
    };
  },
};

const TRAIN_JOB_FIX = `Move the label ${QUEUE_LABEL} to metadata.labels of the TrainJob.`;

/**
 * Kinds that create pods and are not managed, with what to write instead, if that is known. ReplicaSets and pods of managed kinds may have the
 * label.
 */
const PASSED_BY: ReadonlyMap<string, string | undefined> = new Map([
  ['batch/CronJob', `Move the label ${QUEUE_LABEL} to spec.jobTemplate.metadata.labels.`],
  ['apps/DaemonSet', undefined],
  ['batch.volcano.sh/Job', undefined],
  ['batch.volcano.sh/CronJob', undefined],
  ['kubeflow.org/MPIJob', 'Set apiVersion: kubeflow.org/v2beta1.'],
  ['serving.knative.dev/Service', undefined],
  ['trainer.kubeflow.org/TrainingRuntime', TRAIN_JOB_FIX],
  ['trainer.kubeflow.org/ClusterTrainingRuntime', TRAIN_JOB_FIX],
  ['ray.io/RayCronJob', undefined],
]);

export const jobRules: readonly Rule[] = [
  namesValid,
  maxExecution,
  elasticKind,
  partialAdmission,
  syncCompletions,
  unmanaged,
];
