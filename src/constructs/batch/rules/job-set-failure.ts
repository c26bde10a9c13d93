/**
 * JS6 and JS8: what a JobSet does when a Job fails.
 */
import { type Rule } from '../../../checks/rule';
import { asInteger, asObject, asString, objectsAt, stringsIn } from '../../../manifests/read';
import { jobSetRule } from './job-set';

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

const ruleNames = jobSetRule(
  {
    id: 'batch/jobset-failure-rule-names',
    row: 'JS6',
    summary:
      'Failure rules have different names of 1 to 128 characters: a letter first, then letters, digits and _ , : with no , or : at the end.',
    why: 'The webhook refuses others; a rule without a name is called failurePolicyRule<index>.',
    fix: 'Rename the rule, or leave its name empty.',
  },
  function* ({ spec }) {
    const seen = new Set<string>();
    for (const { value, path, index } of objectsAt(spec, '/failurePolicy/rules')) {
      const name = asString(value.name) || `failurePolicyRule${index}`;
      if (!RULE_NAME.test(name) || name.length > 128) {
        yield { path: `/spec${path}/name`, message: `"${name}" cannot name a failure rule.`, found: name };
      }
      if (seen.has(name)) {
        yield { path: `/spec${path}/name`, message: `Two failure rules are called "${name}".`, found: name };
      }
      seen.add(name);
    }
  },
);

const reasonsKnown = jobSetRule(
  {
    id: 'batch/jobset-failure-reasons-known',
    row: 'JS6',
    summary: 'onJobFailureReasons are reasons for which a Job fails.',
    why: 'The webhook refuses others.',
    fix: `Use ${REASONS.join(', ')}.`,
  },
  function* ({ spec }) {
    for (const rule of objectsAt(spec, '/failurePolicy/rules')) {
      for (const [index, reason] of stringsIn(rule.value.onJobFailureReasons).entries()) {
        if (REASONS.includes(reason)) {
          continue;
        }
        yield {
          path: `/spec${rule.path}/onJobFailureReasons/${index}`,
          message: `No Job fails for the reason "${reason}".`,
          found: reason,
          expected: REASONS.join(', '),
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
      'The actions RestartJob and RestartJobAndIgnoreMaxRestarts need the feature gate RestartJob, and at most 1024 replicas.',
    why: 'The gate is off by default, and the webhook then refuses the JobSet.',
    fix: 'Use RestartJobSet, or turn the gate on in the controller.',
  },
  function* ({ spec, jobs }) {
    const gated = objectsAt(spec, '/failurePolicy/rules').find(({ value }) =>
      GATED_ACTIONS.includes(asString(value.action) ?? ''),
    );
    if (gated === undefined) {
      return;
    }
    yield {
      path: `/spec${gated.path}/action`,
      message: `${asString(gated.value.action) ?? ''} is refused unless the gate RestartJob is on.`,
      found: gated.value.action,
    };
    for (const { name, path, replicas } of jobs) {
      if (replicas <= MOST_REPLICAS_WITH_RESTART_JOB) {
        continue;
      }
      yield {
        path: `${path}/replicas`,
        message: `Job ${name} has ${replicas} replicas, too many to be restarted one by one.`,
        found: replicas,
        expected: 'at most 1024',
        severity: 'error',
      };
    }
  },
);

const inPlace = jobSetRule(
  {
    id: 'batch/jobset-in-place-restart-fits',
    row: 'JS8',
    summary:
      'With restartStrategy InPlaceRestart each job has backoffLimit 2147483647, podReplacementPolicy Failed, and completions equal to parallelism.',
    why: 'Pods restart where they are and the Job must not count it; the webhook refuses other settings. The gate InPlaceRestart is off by default.',
    fix: 'State the three settings in each job, or use another restartStrategy.',
  },
  function* ({ spec, jobs }) {
    if (asObject(spec.failurePolicy).restartStrategy !== 'InPlaceRestart') {
      return;
    }
    yield {
      path: '/spec/failurePolicy/restartStrategy',
      message: 'InPlaceRestart is refused unless the gate of that name is on.',
      found: 'InPlaceRestart',
      severity: 'warning',
    };
    for (const { name, job, jobPath, completions } of jobs) {
      if (asInteger(job.backoffLimit) !== MAX_INT_32) {
        yield {
          path: jobPath,
          message: `Job ${name} lacks backoffLimit ${MAX_INT_32}.`,
          found: job.backoffLimit,
          expected: `backoffLimit: ${MAX_INT_32}`,
        };
      }
      if (job.podReplacementPolicy !== 'Failed') {
        yield {
          path: jobPath,
          message: `Job ${name} lacks podReplacementPolicy Failed.`,
          found: job.podReplacementPolicy,
          expected: 'podReplacementPolicy: Failed',
        };
      }
      if (completions === undefined || completions !== asInteger(job.parallelism)) {
        yield {
          path: jobPath,
          message: `Job ${name} does not state equal completions and parallelism.`,
          expected: 'completions and parallelism, equal',
        };
      }
    }
  },
);

export const jobSetFailureRules: readonly Rule[] = [ruleNames, reasonsKnown, restartJob, inPlace];
