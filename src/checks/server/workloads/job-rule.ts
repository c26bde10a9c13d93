/**
 * Rules about the spec of a Job, also in the template of a CronJob (row K11).
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject } from '../../../manifests/read';
import { type Rule, type RuleContext } from '../../rule';
import { type Say, objectRule } from '../server-rule';

export const JOB_SOURCE = 'apis/batch/validation/validation.go';
export const JOB_KINDS = ['batch/Job', 'batch/CronJob'];

/** The spec of a Job, and its path. */
interface JobPlace {
  readonly spec: JsonObject;
  readonly path: string;
}

export function jobRule(
  name: string,
  texts: { summary: string; fix: string },
  check: (job: JobPlace, say: Say, context: RuleContext) => void,
): Rule {
  return objectRule(name, JOB_KINDS, { row: 'K11', source: JOB_SOURCE, ...texts }, (object, say, context, manifest) => {
    const spec = asObject(object.spec);
    if (manifest.id.kind === 'Job') {
      check({ spec, path: '/spec' }, say, context);
    } else {
      check({ spec: asObject(asObject(spec.jobTemplate).spec), path: '/spec/jobTemplate/spec' }, say, context);
    }
  });
}
