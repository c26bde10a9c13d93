/**
 * What Volcano's webhooks must be able to decode and to patch, beyond the schemas of the CRDs.
 */
import { type JsonValue } from '../../../facts/api/schema';
import { cite } from '../../../facts/upstream';
import { type ObjectRule } from '../../../checks/rules/rule';
import { parseGoDuration } from '../../../manifests/values/go-duration';
import { type Manifest } from '../../../manifests/manifest';
import { fieldOf, fieldPathOf } from '../../../manifests/pointer';
import { asArray, asObject, isObject, objectsAt } from '../../../manifests/read';
import { CRON_JOB_KIND, JOB_KIND } from '../job-spec';
import { QUEUE_KIND } from '../queue-tree';
import { jobRule, taskRule } from './job-rule';

const DECODING = `${cite('volcano')}, pkg/webhooks/schema/schema.go; metav1.Duration`;
const PATCHES = `${cite('volcano')}, pkg/webhooks/admission/{jobs,queues}/mutate`;

/** Where the specification is that the mutating webhook patches. */
function patchedSpec({ id, object }: Manifest): { readonly spec: JsonValue | undefined; readonly path: string } {
  return id.kind === 'CronJob'
    ? { spec: asObject(asObject(object.spec).jobTemplate).spec, path: '/spec/jobTemplate/spec' }
    : { spec: object.spec, path: '/spec' };
}

const hasSpec: ObjectRule = {
  id: 'volcano/object-has-spec',
  tier: 'webhook',
  severity: 'error',
  on: 'object',
  kinds: [JOB_KIND, CRON_JOB_KIND, QUEUE_KIND],
  summary: 'A Job, the job template of a CronJob, and a Queue must have a spec.',
  why: 'The mutating webhook adds defaults under spec. Without one, its patch does not apply and the API server rejects the object, or the Job of the CronJob.',
  source: PATCHES,
  fix: 'Set spec (in a CronJob, spec.jobTemplate.spec) to the spec of a Job or a Queue.',
  *check(manifest) {
    const { spec, path } = patchedSpec(manifest);
    if (!isObject(spec)) {
      const field = fieldPathOf(path);
      yield {
        path,
        message: `${field} must be set`,
        ...(manifest.id.kind === 'Queue'
          ? { expected: 'the spec of a Queue, or {}', fix: `Set ${field} to the spec of a Queue, or to {}.` }
          : {
              expected: 'the spec of a Volcano Job',
              fix: `Set ${field} to the spec of a Job, with at least one task.`,
            }),
      };
    }
  },
};

const durationsReadable: ObjectRule = jobRule(
  {
    id: 'volcano/job-durations-readable',
    concerns: ['policies', 'runningEstimate'],
    tier: 'webhook',
    severity: 'error',
    summary: 'The timeout of a policy and runningEstimate must be Go durations.',
    why: 'The schema takes any string; the webhook cannot decode the job and rejects it.',
    source: DECODING,
    fix: 'Set the field to a duration with a unit, for example "10m" or "1h30m".',
  },
  function* ({ spec, path, tasks }) {
    const holders = [{ value: spec, path }, ...tasks];
    const written = [
      { text: spec.runningEstimate, path: `${path}/runningEstimate` },
      ...holders.flatMap((holder) =>
        objectsAt(holder.value, '/policies').map((policy) => ({
          text: policy.value.timeout,
          path: `${holder.path}${policy.path}/timeout`,
        })),
      ),
    ];
    for (const { text, path: place } of written) {
      if (typeof text === 'string' && parseGoDuration(text) === undefined) {
        yield {
          path: place,
          message: `invalid duration "${text}"`,
          found: text,
          expected: 'a duration such as 10m',
          fix: `Set ${fieldOf(place)} to a duration such as 10m.`,
        };
      }
    }
  },
);

const taskHasContainers: ObjectRule = taskRule(
  {
    id: 'volcano/task-has-containers',
    tier: 'webhook',
    severity: 'error',
    summary: 'The pod template of a task must have at least one container.',
    why: 'The schema does not require a template; the webhook rejects the job.',
    source: `${cite('volcano')}, pkg/webhooks/admission/jobs/validate/admit_job.go, validateTaskTemplate`,
    fix: 'Set template.spec.containers in the task to a list of at least one container.',
  },
  function* ({ name, podSpec }) {
    if (asArray(podSpec.containers).length === 0) {
      yield {
        path: '/template',
        message: `the task "${name}" must have at least one container`,
        expected: 'template.spec.containers with at least one container',
      };
    }
  },
);

export const decodingRules: readonly ObjectRule[] = [hasSpec, durationsReadable, taskHasContainers];
