/**
 * What the job webhook demands of lifecycle policies, at the job and at each task.
 */
import { cite } from '../../../facts/upstream';
import { asInteger, asString, objectsAt, stringsIn } from '../../../manifests/read';
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type RuleFacts, type Violation } from '../../../checks/rule';
import { isPolicyAction, isPolicyEvent, POLICY_ACTIONS, POLICY_EVENTS } from '../job-policies';
import { type JobView } from '../job-spec';
import { jobRule } from './job-rule';

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
    { of: 'the job', path: job.path },
    ...job.tasks.map((task) => ({ of: `the task ${task.name}`, path: task.path })),
  ];
  return levels.map(({ of, path }) => ({
    of,
    policies: objectsAt(job.manifest.object, `${path}/policies`).map(({ value, path: policyPath }) => {
      const event = asString(value.event) ?? '';
      return {
        path: policyPath,
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
    summary: 'A policy reacts either to events or to one exit code.',
    why: 'The webhook refuses the job.',
    source: WEBHOOK,
    fix: 'Split the policy in two, or add the event that it is meant for.',
  },
  function* (policy) {
    if (policy.events.length > 0 && policy.hasExitCode) {
      yield {
        path: policy.path,
        message: `the policy names ${policy.events.join(', ')} and an exit code`,
        expected: 'event(s) or exitCode',
      };
    } else if (policy.events.length === 0 && !policy.hasExitCode) {
      yield {
        path: policy.path,
        message: 'the policy names neither an event nor an exit code',
        expected: 'event(s) or exitCode',
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
    summary: "A policy's exit code is not 0.",
    why: 'The webhook refuses the job: 0 is no failure. The end of a task is the event TaskCompleted.',
    source: WEBHOOK,
    fix: 'Use the event TaskCompleted, or name the exit code of the failure.',
  },
  function* (policy) {
    if (policy.exitCode === 0 && policy.events.length === 0) {
      yield { path: `${policy.path}/exitCode`, message: 'the policy reacts to exit code 0', found: 0 };
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
      "Within the job's policies, and within a task's, each event and exit code has one policy, and `*` stands alone.",
    why: 'The webhook refuses the job: it could not tell which action is meant.',
    source: WEBHOOK,
    fix: 'Keep one policy for the event; take `*` out, or everything beside it.',
  },
  function* ({ of, policies }) {
    const seen = new Set<string>();
    for (const { path, events, exitCode } of policies) {
      for (const name of exitCode === undefined ? events : [...events, `exit code ${exitCode}`]) {
        if (seen.has(name)) {
          yield { path, message: `two policies of ${of} react to ${name}`, found: name };
        }
        seen.add(name);
      }
    }
    const named = [...seen].filter((name) => !name.startsWith('exit code '));
    const any = policies.find(({ events }) => events.includes('*'));
    if (any !== undefined && named.length > 1) {
      yield {
        path: any.path,
        message: `a policy of ${of} reacts to every event (*), others to ${named.filter((name) => name !== '*').join(', ')}`,
        found: '*',
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
    summary: `A policy reacts to ${POLICY_EVENTS.join(', ')}.`,
    why: "The webhook refuses the job. The CRD's list is longer: it also holds events that only Volcano itself may use.",
    source: WEBHOOK,
    fix: 'Name one of the allowed events.',
  },
  function* (policy) {
    for (const event of policy.events) {
      if (!isPolicyEvent(event)) {
        yield {
          path: policy.path,
          message: `policies cannot react to "${event}"`,
          found: event,
          expected: POLICY_EVENTS.join(', '),
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
    summary: `The action of a policy is ${POLICY_ACTIONS.join(', ')}.`,
    why: 'The webhook refuses the job. For a policy with an exit code it does not look at the action: there a wrong one is taken, and does nothing.',
    source: WEBHOOK,
    fix: 'Name one of the actions.',
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
      tier: policy.events.length > 0 ? 'webhook' : 'advice',
      message: policy.action === undefined ? 'the policy has no action' : `there is no action "${policy.action}"`,
      found: policy.action ?? null,
      expected: POLICY_ACTIONS.join(', '),
    };
  },
);

const pendingNeedsTimeout = policyRule(
  {
    id: 'volcano/policy-pod-pending-has-timeout',
    concerns: ['policies'],
    tier: 'advice',
    severity: 'error',
    summary: 'A policy for PodPending says after how long.',
    why: 'Without a timeout the controller passes over the policy, since every pod is pending at first.',
    source: `${cite('volcano')}, pkg/controllers/job/job_controller_util.go, applyPolicies`,
    fix: 'Add a timeout, for example `timeout: 10m`.',
  },
  function* (policy) {
    if (!policy.events.includes('PodPending') || typeof policy.value.timeout === 'string') {
      return;
    }
    yield { path: policy.path, message: 'the policy for PodPending has no timeout', expected: 'timeout' };
  },
);

const gangHasPolicies = jobRule(
  {
    id: 'volcano/gang-reacts-to-failure',
    tier: 'advice',
    severity: 'warning',
    summary: 'A job of several pods says what happens when one of them fails, is evicted or ends.',
    why: 'Without any policy a lost pod leaves the others waiting for it with their GPUs, and a finished master leaves its workers running.',
    source: `${cite('volcano')}, pkg/controllers/job/job_controller_util.go, applyPolicies: without a policy the job is only synchronised`,
    fix: 'Restart the job on PodEvicted and PodFailed; complete it on TaskCompleted of the task that decides.',
  },
  function* (job) {
    if (job.totalReplicas < 2 || levelsOf(job).some(({ policies }) => policies.length > 0)) {
      return;
    }
    yield { path: job.path, message: `the job has ${job.totalReplicas} pods and no policy`, expected: 'policies' };
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
