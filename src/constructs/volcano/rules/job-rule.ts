/**
 * Rules over a job specification, made once for the three kinds that hold one.
 */
import { cite } from '../../../facts/upstream';
import { type ObjectRule, type RuleContext, type RuleFacts, type Violation } from '../../../checks/rules/rule';
import { JOB_SPEC_KINDS, jobOf, type JobView, type NamedJobView, type TaskView } from '../job-spec';

export const JOB_WEBHOOK = `${cite('volcano')}, pkg/webhooks/admission/jobs/validate/admit_job.go`;

/** A rule over a job specification. Paths of its violations start at the manifest's root. It does not see the name of the job. */
export function jobRule(
  facts: RuleFacts,
  check: (job: JobView, context: RuleContext) => Iterable<Violation>,
): ObjectRule {
  return { ...namedJobRule(facts, check), sees: 'spec' };
}

/** A rule over a job specification and the name of the job. */
export function namedJobRule(
  facts: RuleFacts,
  check: (job: NamedJobView, context: RuleContext) => Iterable<Violation>,
): ObjectRule {
  return {
    ...facts,
    on: 'object',
    kinds: JOB_SPEC_KINDS,
    check: (manifest, context) => {
      const job = jobOf(manifest, context.set.specOf(manifest));
      return job === undefined ? [] : check(job, context);
    },
  };
}

/** A rule over each task of a job specification. Paths of its violations start at the task. */
export function taskRule(
  facts: RuleFacts,
  check: (task: TaskView, job: JobView, context: RuleContext) => Iterable<Violation>,
): ObjectRule {
  return jobRule(facts, function* (job, context) {
    for (const task of job.tasks) {
      for (const violation of check(task, job, context)) {
        yield { ...violation, path: task.path + (violation.path ?? '') };
      }
    }
  });
}
