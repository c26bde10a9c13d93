/**
 * JS6 and JS8: what a JobSet does when a Job fails.
 */
import { fixesByField } from '../../../checks/rules/field-fix';
import { type Rule } from '../../../checks/rules/rule';
import { asInteger, asObject, asString, objectsAt, stringsIn } from '../../../manifests/read';
import { jobSetRule } from './job-set';
import { oneOf } from '../../../facts/words';

const RULE_NAME = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const REASONS = [
  'BackoffLimitExceeded',
  'DeadlineExceeded',
  'FailedIndexes',
  'MaxFailedIndexesExceeded',
  'PodFailurePolicy',
];
/** Actions that restart one Job; off by default. */
const GATED_ACTIONS = ['RestartJob', 'RestartJobAndIgnoreMaxRestarts'];
const MOST_REPLICAS_WITH_RESTART_JOB = 1024;
const MAX_INT_32 = 2_147_483_647;

function ruleNameComplaint(name: string): string | undefined {
  if (!RULE_NAME.test(name)) {
    return 'consist of letters, digits, "_", ",", and ":", start with a letter, and not end with "," or ":"';
  }
  return name.length > 128 ? 'be no more than 128 characters' : undefined;
}

const ruleNames = fixesByField(
  jobSetRule(
    {
      id: 'batch/jobset-failure-rule-names',
      row: 'JS6',
      summary:
        'The names of failure rules must be unique and 1 to 128 characters: a letter first, then letters, digits, and _ , : with no , or : at the end.',
      why: 'The webhook rejects other names; the default name is failurePolicyRule<index>.',
      fix: 'Set failurePolicy.rules[].name to a unique name of 1 to 128 letters, digits, underscores, commas, and colons, or remove it.',
    },
    function* ({ spec }) {
      const seen = new Set<string>();
      for (const { value, path, index } of objectsAt(spec, '/failurePolicy/rules')) {
        const name = asString(value.name) || `failurePolicyRule${index}`;
        const complaint = ruleNameComplaint(name);
        if (complaint !== undefined) {
          yield { path: `/spec${path}/name`, message: `the rule name "${name}" must ${complaint}`, found: name };
        }
        if (seen.has(name)) {
          yield { path: `/spec${path}/name`, message: `duplicate rule name "${name}" in failurePolicy`, found: name };
        }
        seen.add(name);
      }
    },
  ),
);

const reasonsKnown = jobSetRule(
  {
    id: 'batch/jobset-failure-reasons-known',
    row: 'JS6',
    summary: 'onJobFailureReasons must be reasons for which a Job fails.',
    why: 'The webhook rejects other reasons.',
    fix: `Set each entry of onJobFailureReasons to ${oneOf(REASONS)}.`,
  },
  function* ({ spec }) {
    for (const rule of objectsAt(spec, '/failurePolicy/rules')) {
      for (const [index, reason] of stringsIn(rule.value.onJobFailureReasons).entries()) {
        if (REASONS.includes(reason)) {
          continue;
        }
        yield {
          path: `/spec${rule.path}/onJobFailureReasons/${index}`,
          message: `unsupported failure reason "${reason}"`,
          found: reason,
          expected: oneOf(REASONS),
          fix: `Set onJobFailureReasons[${index}] to ${oneOf(REASONS)}.`,
        };
      }
    }
  },
);

const restartJob = jobSetRule(
  {
    id: 'batch/jobset-restart-job-enabled',
    row: 'JS6',
    severity: 'warning',
    summary:
      'The actions RestartJob and RestartJobAndIgnoreMaxRestarts require the feature gate RestartJob, and at most 1024 replicas.',
    why: 'The gate is off by default, and the webhook then rejects the JobSet.',
    fix: 'Set rules[].action to RestartJobSet, or set featureGates.RestartJob: true in controller_manager_config.yaml of the JobSet controller.',
  },
  function* ({ spec, jobs }) {
    const gated = objectsAt(spec, '/failurePolicy/rules').find(({ value }) =>
      GATED_ACTIONS.includes(asString(value.action) ?? ''),
    );
    if (gated === undefined) {
      return;
    }
    const action = asString(gated.value.action) ?? '';
    yield {
      path: `/spec${gated.path}/action`,
      message: `the action ${action} requires the feature gate RestartJob, which is disabled by default`,
      found: gated.value.action,
    };
    for (const { name, path, replicas } of jobs) {
      if (replicas <= MOST_REPLICAS_WITH_RESTART_JOB) {
        continue;
      }
      yield {
        path: `${path}/replicas`,
        message: `the action ${action} supports at most 1024 replicas, but the replicated job "${name}" has ${replicas}`,
        found: replicas,
        expected: 'at most 1024',
        fix: `Set replicas of the replicated job "${name}" to at most 1024, or set failurePolicy.rules[${gated.index}].action to RestartJobSet.`,
        severity: 'error',
      };
    }
  },
);

const inPlace = fixesByField(
  jobSetRule(
    {
      id: 'batch/jobset-in-place-restart-fits',
      row: 'JS8',
      summary:
        'With restartStrategy InPlaceRestart, each job must have backoffLimit 2147483647, podReplacementPolicy Failed, and completions equal to parallelism.',
      why: 'Pods restart in place and the Job must not count the restarts; the webhook rejects other settings. The gate InPlaceRestart is off by default.',
      fix: 'Set backoffLimit: 2147483647, podReplacementPolicy: Failed, and equal completions and parallelism in each job, or set restartStrategy to Recreate.',
    },
    function* ({ spec, jobs }) {
      if (asObject(spec.failurePolicy).restartStrategy !== 'InPlaceRestart') {
        return;
      }
      yield {
        path: '/spec/failurePolicy/restartStrategy',
        message:
          'restartStrategy InPlaceRestart requires the feature gate InPlaceRestart, which is disabled by default',
        found: 'InPlaceRestart',
        fix: 'Set featureGates.InPlaceRestart: true in controller_manager_config.yaml of the JobSet controller, or set restartStrategy to Recreate.',
        severity: 'warning',
      };
      for (const { name, job, jobPath, completions } of jobs) {
        if (asInteger(job.backoffLimit) !== MAX_INT_32) {
          yield {
            path: jobPath,
            message: `backoffLimit of the replicated job "${name}" must be ${MAX_INT_32}`,
            found: job.backoffLimit,
            expected: `backoffLimit: ${MAX_INT_32}`,
          };
        }
        if (job.podReplacementPolicy !== 'Failed') {
          yield {
            path: jobPath,
            message: `podReplacementPolicy of the replicated job "${name}" must be Failed`,
            found: job.podReplacementPolicy,
            expected: 'podReplacementPolicy: Failed',
          };
        }
        if (completions === undefined || completions !== asInteger(job.parallelism)) {
          yield {
            path: jobPath,
            message: `completions of the replicated job "${name}" must be equal to parallelism`,
            expected: 'equal completions and parallelism',
            fix: `Set completions of the replicated job "${name}" to the value of parallelism.`,
          };
        }
      }
    },
  ),
);

export const jobSetFailureRules: readonly Rule[] = [ruleNames, reasonsKnown, restartJob, inPlace];
