/**
 * What the job webhook demands of lifecycle policies, at the job and at each task.
 */
import { fieldOf } from '../../../manifests/pointer';
import { cite } from '../../../facts/upstream';
import { asInteger, asString, objectsAt, stringsIn } from '../../../manifests/read';
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type RuleFacts, type Violation } from '../../../checks/rules/rule';
import { isPolicyAction, isPolicyEvent, POLICY_ACTIONS, POLICY_EVENTS } from '../job-policies';
import { type JobView } from '../job-spec';
import { jobRule } from './job-rule';
import { oneOf, oneOfStrings, allOf } from '../../../facts/words';

const WEBHOOK = `${cite('volcano')}, pkg/webhooks/admission/jobs/validate/util.go, validatePolicies`;

interface PolicyView {
  readonly path: string;
  /** Each event once, however often the policy names it. */
  readonly events: readonly string[];
  readonly exitCode: number | undefined;
  readonly hasExitCode: boolean;
  readonly action: string | undefined;
  readonly value: JsonObject;
}

/** The policies of one level: events and exit codes must differ within it. */
interface Level {
  readonly of: string;
  readonly policies: readonly PolicyView[];
}

const levelsByJob = new WeakMap<JobView, readonly Level[]>();

function levelsOf(job: JobView): readonly Level[] {
  let levels = levelsByJob.get(job);
  if (levels === undefined) {
    levelsByJob.set(job, (levels = readLevels(job)));
  }
  return levels;
}

function readLevels(job: JobView): readonly Level[] {
  const levels = [
    { of: 'the job', path: job.path, holder: job.spec },
    ...job.tasks.map((task) => ({ of: `the task "${task.name}"`, path: task.path, holder: task.value })),
  ];
  return levels.map(({ of, path, holder }) => ({
    of,
    policies: objectsAt(holder, '/policies').map(({ value, path: place }) => {
      const event = asString(value.event) ?? '';
      return {
        path: `${path}${place}`,
        events: [...new Set([...stringsIn(value.events), ...(event === '' ? [] : [event])])],
        exitCode: asInteger(value.exitCode),
        hasExitCode: value.exitCode !== undefined && value.exitCode !== null,
        action: asString(value.action),
        value,
      };
    }),
  }));
}

function levelRule(facts: RuleFacts, check: (level: Level) => Iterable<Violation>): ObjectRule {
  return jobRule(facts, function* (job) {
    for (const level of levelsOf(job)) {
      yield* check(level);
    }
  });
}

function policyRule(facts: RuleFacts, check: (policy: PolicyView, level: Level) => Iterable<Violation>): ObjectRule {
  return levelRule(facts, function* (level) {
    for (const policy of level.policies) {
      yield* check(policy, level);
    }
  });
}

const eventOrExitCode = policyRule(
  {
    id: 'volcano/policy-reacts-to-event-or-exit-code',
    concerns: ['policies'],
    row: 'VJ3',
    tier: 'webhook',
    severity: 'error',
    summary: 'A policy must set either events or one exit code.',
    why: 'The webhook rejects the job.',
    source: WEBHOOK,
    fix: 'Set either event, events, or exitCode in each entry of policies.',
  },
  function* (policy) {
    if (policy.events.length > 0 && policy.hasExitCode) {
      yield {
        path: policy.path,
        message: 'exitCode must not be set when event or events is set',
        expected: 'event, events, or exitCode',
        fix: `Remove exitCode from ${fieldOf(policy.path)}, or remove event and events.`,
      };
    } else if (policy.events.length === 0 && !policy.hasExitCode) {
      yield {
        path: policy.path,
        message: 'event, events, or exitCode must be set in the policy',
        expected: 'event, events, or exitCode',
        fix: `Set event, events, or exitCode in ${fieldOf(policy.path)}, for example event: PodFailed.`,
      };
    }
  },
);

const exitCodeNotZero = policyRule(
  {
    id: 'volcano/policy-exit-code-not-zero',
    concerns: ['policies'],
    row: 'VJ3',
    tier: 'webhook',
    severity: 'error',
    summary: "A policy's exit code must not be 0.",
    why: 'The webhook rejects the job, because 0 is not a failure. When a task completes, the event is TaskCompleted.',
    source: WEBHOOK,
    fix: 'Set event: TaskCompleted, or set exitCode to the code of the failure.',
  },
  function* (policy) {
    if (policy.exitCode === 0 && policy.events.length === 0) {
      yield { path: `${policy.path}/exitCode`, message: 'exitCode must not be 0', found: 0 };
    }
  },
);

const reactedToOnce = levelRule(
  {
    id: 'volcano/policy-events-once',
    concerns: ['policies'],
    row: 'VJ3',
    tier: 'webhook',
    severity: 'error',
    summary:
      'Each event and exit code must have only one policy within the job and within each task, and `*` excludes all other events.',
    why: 'The webhook rejects the job, because the action would be ambiguous.',
    source: WEBHOOK,
    fix: 'Keep one entry in policies for each event, and use event: "*" only if no other entry has an event.',
  },
  function* ({ of, policies }) {
    const seen = new Set<string>();
    for (const { path, events, exitCode } of policies) {
      for (const name of exitCode === undefined ? events : [...events, `exit code ${exitCode}`]) {
        if (seen.has(name)) {
          const isCode = name.startsWith('exit code ');
          yield {
            path,
            message: `${of} has more than one policy for ${isCode ? name : `the event "${name}"`}`,
            found: name,
            fix: isCode
              ? `Remove ${fieldOf(path)}, or set a different exitCode in it.`
              : events.length > 1
                ? `Remove "${name}" from the events in ${fieldOf(path)}.`
                : `Remove ${fieldOf(path)}, or set a different event in it.`,
          };
        }
        seen.add(name);
      }
    }
    const named = [...seen].filter((name) => !name.startsWith('exit code '));
    const catchAll = policies.find(({ events }) => events.includes('*'));
    if (catchAll !== undefined && named.length > 1) {
      yield {
        path: catchAll.path,
        message: `the event "*" must not be combined with ${allOf(named.filter((name) => name !== '*').map((name) => `"${name}"`))} in the policies of ${of}`,
        found: '*',
        fix: `Replace the event "*" in ${fieldOf(catchAll.path)} with specific events, or remove the other events.`,
      };
    }
  },
);

const eventAllowed = policyRule(
  {
    id: 'volcano/policy-event-allowed',
    concerns: ['policies'],
    row: 'VJ4',
    tier: 'webhook',
    severity: 'error',
    summary: `The event of a policy must be ${oneOf(POLICY_EVENTS)}.`,
    why: 'The webhook rejects the job. The enum in the CRD is longer: it includes events that are reserved for Volcano itself.',
    source: WEBHOOK,
    fix: `Set event to ${oneOf(POLICY_EVENTS)}.`,
  },
  function* (policy) {
    for (const event of policy.events) {
      if (!isPolicyEvent(event)) {
        yield {
          path: policy.path,
          message: `unsupported event "${event}"`,
          found: event,
          expected: oneOfStrings(POLICY_EVENTS),
          fix: `Replace "${event}" in ${fieldOf(policy.path)} with ${oneOfStrings(POLICY_EVENTS)}.`,
        };
      }
    }
  },
);

const actionAllowed = policyRule(
  {
    id: 'volcano/policy-action-allowed',
    concerns: ['policies'],
    row: 'VJ4',
    tier: 'webhook',
    otherTiers: ['advice'],
    severity: 'error',
    summary: `The action of a policy must be ${oneOf(POLICY_ACTIONS)}.`,
    why: 'The webhook rejects the job. It does not check the action of a policy with an exit code; there, an invalid action is accepted and has no effect.',
    source: WEBHOOK,
    fix: `Set action to ${oneOf(POLICY_ACTIONS)}.`,
  },
  function* (policy) {
    if (policy.action !== undefined && isPolicyAction(policy.action)) {
      return;
    }
    if (policy.events.length === 0 && !policy.hasExitCode) {
      return;
    }
    yield {
      path: policy.action === undefined ? policy.path : `${policy.path}/action`,
      fix: `Set ${fieldOf(policy.path)}.action to ${oneOf(POLICY_ACTIONS)}.`,
      tier: policy.events.length > 0 ? 'webhook' : 'advice',
      message:
        policy.action === undefined ? 'action must be set in the policy' : `unsupported action "${policy.action}"`,
      found: policy.action ?? null,
      expected: oneOf(POLICY_ACTIONS),
    };
  },
);

const pendingNeedsTimeout = policyRule(
  {
    id: 'volcano/policy-pod-pending-has-timeout',
    concerns: ['policies'],
    tier: 'advice',
    severity: 'error',
    summary: 'A policy for PodPending must set a timeout.',
    why: 'Without a timeout the controller ignores the policy, because every pod is pending at first.',
    source: `${cite('volcano')}, pkg/controllers/job/job_controller_util.go, applyPolicies`,
    fix: 'Set timeout in the policy, for example `timeout: 10m`.',
  },
  function* (policy) {
    if (!policy.events.includes('PodPending') || typeof policy.value.timeout === 'string') {
      return;
    }
    yield {
      path: policy.path,
      message: 'timeout must be set in the policy for PodPending',
      expected: 'timeout',
      fix: `Set timeout in ${fieldOf(policy.path)}, for example timeout: 10m.`,
    };
  },
);

const gangHasPolicies = jobRule(
  {
    id: 'volcano/gang-reacts-to-failure',
    tier: 'advice',
    severity: 'warning',
    summary: 'A job with several pods should set policies for pods that fail, are evicted, or complete.',
    why: 'Without a policy the other pods wait for a lost pod and keep their GPUs, and workers continue after the master has completed.',
    source: `${cite('volcano')}, pkg/controllers/job/job_controller_util.go, applyPolicies: without a policy the job is only synchronized`,
    fix: 'Add a policy with the action RestartJob for the events PodEvicted and PodFailed to spec.policies, and a policy with the action CompleteJob for the event TaskCompleted to the main task.',
  },
  function* (job) {
    if (job.totalReplicas < 2 || levelsOf(job).some(({ policies }) => policies.length > 0)) {
      return;
    }
    yield {
      path: job.path,
      // Pods without a way to each other may well go on when one of them fails.
      severity: job.running.has('svc') ? 'warning' : 'info',
      message: `the job has ${job.totalReplicas} pods, but no policy for pods that fail or are evicted`,
      expected: 'policies for PodFailed and PodEvicted',
    };
  },
);

export const jobPolicyRules: readonly ObjectRule[] = [
  eventOrExitCode,
  exitCodeNotZero,
  reactedToOnce,
  eventAllowed,
  actionAllowed,
  pendingNeedsTimeout,
  gangHasPolicies,
];
