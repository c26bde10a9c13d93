/**
 * Rules about the spec of a Job, also in the template of a CronJob, and in a ScaledJob, of which KEDA creates Jobs (row K11).
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type Manifest } from '../../../manifests/manifest';
import { asObject } from '../../../manifests/read';
import { type ObjectRule, type RuleContext } from '../../rules/rule';
import { type Say, objectRule } from '../server-rule';

export const JOB_SOURCE = 'apis/batch/validation/validation.go';
export const JOB_KINDS = ['batch/Job', 'batch/CronJob'];
const SCALED_JOB_KIND = 'keda.sh/ScaledJob';

/** The spec of a Job, and its path. */
interface JobPlace {
  readonly spec: JsonObject;
  readonly path: string;
}

const WHY =
  'The API server rejects the object; for a ScaledJob, it rejects the Jobs that KEDA creates, and no pod runs.';

function jobOf({ id, object }: Manifest): JobPlace {
  const spec = asObject(object.spec);
  switch (id.kind) {
    case 'CronJob':
      return { spec: asObject(asObject(spec.jobTemplate).spec), path: '/spec/jobTemplate/spec' };
    case 'ScaledJob':
      return { spec: createdByKeda(asObject(spec.jobTargetRef)), path: '/spec/jobTargetRef' };
    default:
      return { spec, path: '/spec' };
  }
}

/** KEDA sets the restart policy where none is set (pkg/scaling/executor/scale_jobs.go). */
function createdByKeda(spec: JsonObject): JsonObject {
  const template = asObject(spec.template);
  const pod = asObject(template.spec);
  const isSet = pod.restartPolicy !== undefined && pod.restartPolicy !== null && pod.restartPolicy !== '';
  return isSet ? spec : { ...spec, template: { ...template, spec: { ...pod, restartPolicy: 'OnFailure' } } };
}

export function jobRule(
  name: string,
  texts: { summary: string; fix: string },
  check: (job: JobPlace, say: Say, context: RuleContext) => void,
): ObjectRule {
  const facts = { row: 'K11', source: JOB_SOURCE, why: WHY, ...texts };
  const rule = objectRule(name, [...JOB_KINDS, SCALED_JOB_KIND], facts, (_, say, context, manifest) =>
    check(jobOf(manifest), say, context),
  );
  return {
    ...rule,
    otherTiers: ['webhook'],
    *check(manifest, context) {
      const tier = manifest.id.group === 'batch' ? 'server' : 'webhook';
      for (const violation of rule.check(manifest, context)) {
        yield { ...violation, tier };
      }
    },
  };
}
