/**
 * LW1 to LW4 and LW6: what the webhook of LeaderWorkerSet demands, of the kind itself and of the roles of a DisaggregatedSet, from which
 * the same kind is made. LW5 (subGroupPolicy comes and goes with the object) speaks of updates.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { type ObjectRule, type Rule, type RuleFacts, type Violation } from '../../../checks/rule';
import { dns1035Label } from '../../../checks/server/syntax';
import { pointer } from '../../../manifests/pointer';
import { asInteger, asObject, asString, isObject, objectsAt } from '../../../manifests/read';
import { nameAtItsLongest } from '../job-set-view';
import {
  DISAGGREGATED_SET_KIND,
  LEADER_WORKER_SET_KIND,
  LWS_PROJECT,
  SUBGROUP_EXCLUSIVE_TOPOLOGY,
} from '../../../manifests/leader-worker-facts';

const WEBHOOK = `${LWS_PROJECT}, pkg/webhooks/leaderworkerset_webhook.go`;
const MAX_INT_32 = 2_147_483_647;

interface LeaderWorkerView {
  readonly spec: JsonObject;
  /** Pointer of the spec. */
  readonly path: string;
  readonly annotations: JsonObject;
  readonly annotationsPath: string;
  readonly template: JsonObject;
  readonly templatePath: string;
  readonly replicas: number;
  readonly size: number;
}

function viewOf(
  spec: JsonObject,
  path: string,
  metadata: JsonValue | undefined,
  metadataPath: string,
): LeaderWorkerView {
  const template = asObject(spec.leaderWorkerTemplate);
  return {
    spec,
    path,
    annotations: asObject(asObject(metadata).annotations),
    annotationsPath: `${metadataPath}/annotations`,
    template,
    templatePath: `${path}/leaderWorkerTemplate`,
    replicas: asInteger(spec.replicas) ?? 1,
    size: asInteger(template.size) ?? 1,
  };
}

type Facts = Omit<RuleFacts, 'source' | 'tier' | 'severity'> & Partial<Pick<RuleFacts, 'source'>>;

function leaderWorkerRule(facts: Facts, check: (view: LeaderWorkerView) => Iterable<Violation>): ObjectRule {
  return {
    source: WEBHOOK,
    ...facts,
    tier: 'webhook',
    severity: 'error',
    on: 'object',
    kinds: [LEADER_WORKER_SET_KIND, DISAGGREGATED_SET_KIND],
    check: function* ({ id, object }) {
      if (id.kind === 'LeaderWorkerSet') {
        yield* check(viewOf(asObject(object.spec), '/spec', object.metadata, '/metadata'));
        return;
      }
      for (const { value, path } of objectsAt(object, '/spec/roles')) {
        yield* check(viewOf(asObject(value.spec), `${path}/spec`, value.metadata, `${path}/metadata`));
      }
    },
  };
}

const sizes = leaderWorkerRule(
  {
    id: 'batch/lws-size-countable',
    row: 'LW1',
    summary: 'size of a LeaderWorkerSet is at least 1, and replicas times (size - 1) at most 2147483647.',
    why: 'The size counts the leader; the webhook refuses 0 and what cannot be counted.',
    fix: 'Correct size or replicas.',
  },
  function* ({ size, replicas, templatePath, path }) {
    if (size < 1) {
      yield {
        path: `${templatePath}/size`,
        message: `size is ${size}.`,
        found: size,
        expected: 'at least 1: the leader',
      };
    }
    if (replicas * (size - 1) > MAX_INT_32) {
      yield {
        path: `${path}/replicas`,
        message: `There would be ${replicas * (size - 1)} workers.`,
        found: replicas,
        expected: `at most ${MAX_INT_32}`,
      };
    }
  },
);

interface Share {
  readonly complaint?: string;
  readonly value?: number;
}

/** Of `maxSurge` or `maxUnavailable`: a number of groups, or a share of them. */
function shareOf(
  value: JsonValue | undefined,
  standard: number,
  replicas: number,
  round: (value: number) => number,
): Share {
  if (value === undefined || value === null) {
    return { value: standard };
  }
  if (typeof value === 'number') {
    return value < 0 ? { complaint: 'not be negative' } : { value };
  }
  if (typeof value !== 'string') {
    return {};
  }
  if (!/^\d+%$/.test(value)) {
    return { complaint: 'be a number or a percentage such as 25%' };
  }
  const percent = Number(value.slice(0, -1));
  return percent > 100 ? { complaint: 'be at most 100%' } : { value: round((percent * replicas) / 100) };
}

const rollout = leaderWorkerRule(
  {
    id: 'batch/lws-rollout-makes-progress',
    row: 'LW2',
    summary:
      'maxSurge and maxUnavailable are numbers or percentages up to 100%, not both zero; partition is not negative.',
    why: 'With neither a group more nor a group less nothing can be replaced; the webhook refuses it. Percentages of maxUnavailable round down, so 10% of 5 groups is none.',
    fix: 'Leave maxUnavailable at 1, or raise one of the two.',
  },
  function* ({ spec, path, replicas }) {
    const configuration = asObject(spec.rolloutStrategy).rollingUpdateConfiguration;
    if (!isObject(configuration)) {
      return;
    }
    const at = `${path}/rolloutStrategy/rollingUpdateConfiguration`;
    const surge = shareOf(configuration.maxSurge, 0, replicas, Math.ceil);
    const unavailable = shareOf(configuration.maxUnavailable, 1, replicas, Math.floor);
    for (const [field, { complaint }] of [
      ['maxSurge', surge],
      ['maxUnavailable', unavailable],
    ] as const) {
      if (complaint !== undefined) {
        yield { path: `${at}/${field}`, message: `${field} must ${complaint}.`, found: configuration[field] };
      }
    }
    if (surge.value === 0 && unavailable.value === 0 && replicas !== 0) {
      yield {
        path: `${at}/maxUnavailable`,
        message: `Of ${replicas} groups, maxSurge adds none and maxUnavailable leaves out none.`,
        found: configuration.maxUnavailable,
        expected: 'at least one group',
      };
    }
    const partition = asInteger(configuration.partition);
    if (partition !== undefined && partition < 0) {
      yield {
        path: `${at}/partition`,
        message: `partition is ${partition}.`,
        found: partition,
        expected: 'at least 0',
      };
    }
  },
);

const subGroups = leaderWorkerRule(
  {
    id: 'batch/lws-subgroup-size-divides',
    row: 'LW3',
    summary:
      'subGroupSize is at least 1, at most size, and divides size or size - 1; with LeaderExcluded it divides size - 1.',
    why: 'Subgroups are of one size, with or without the leader; the webhook refuses others, and fails where the size is not stated.',
    fix: 'Choose a subGroupSize that divides the pods of the group.',
  },
  function* ({ template, templatePath, size }) {
    const policy = template.subGroupPolicy;
    if (!isObject(policy)) {
      return;
    }
    const path = `${templatePath}/subGroupPolicy`;
    const subGroupSize = asInteger(policy.subGroupSize);
    if (subGroupSize === undefined) {
      if (policy.subGroupSize === undefined) {
        yield { path, message: 'subGroupPolicy states no subGroupSize.', expected: 'subGroupSize' };
      }
      return;
    }
    const excluded = policy.subGroupPolicyType === 'LeaderExcluded';
    const divides = (pods: number): boolean => subGroupSize > 0 && pods % subGroupSize === 0;
    const fault =
      subGroupSize < 1
        ? 'is less than 1'
        : subGroupSize > size
          ? `is more than the size ${size}`
          : excluded && !divides(size - 1)
            ? `does not divide the ${size - 1} pods without the leader`
            : !divides(size) && !divides(size - 1)
              ? `divides neither ${size} nor ${size - 1} pods`
              : undefined;
    if (fault !== undefined) {
      yield { path: `${path}/subGroupSize`, message: `subGroupSize ${subGroupSize} ${fault}.`, found: subGroupSize };
    }
  },
);

const exclusiveSubGroups = leaderWorkerRule(
  {
    id: 'batch/lws-subgroup-topology-has-subgroups',
    row: 'LW4',
    summary: 'The annotation subgroup-exclusive-topology stands only beside a subGroupPolicy.',
    why: 'Without subgroups there is nothing to keep apart; the webhook refuses it.',
    fix: 'State subGroupPolicy.subGroupSize, or use the annotation exclusive-topology.',
  },
  function* ({ annotations, annotationsPath, template }) {
    if (annotations[SUBGROUP_EXCLUSIVE_TOPOLOGY] === undefined || isObject(template.subGroupPolicy)) {
      return;
    }
    yield {
      path: pointer(annotationsPath, SUBGROUP_EXCLUSIVE_TOPOLOGY),
      message: 'There is no subGroupPolicy.',
      found: annotations[SUBGROUP_EXCLUSIVE_TOPOLOGY],
    };
  },
);

const restartsAlways = leaderWorkerRule(
  {
    id: 'batch/lws-pods-restart-always',
    row: 'LW6',
    summary: 'Pods of a LeaderWorkerSet have restartPolicy Always, or none stated.',
    why: 'They are pods of StatefulSets, which take no other policy: the API server refuses the StatefulSet and no pod is made.',
    source: `${LWS_PROJECT}, pkg/controllers; Kubernetes, pkg/apis/apps/validation/validation.go`,
    fix: 'Take restartPolicy out. What shall end is a Job: use a JobSet.',
  },
  function* ({ template, templatePath }) {
    for (const field of ['leaderTemplate', 'workerTemplate']) {
      const policy = asString(asObject(asObject(template[field]).spec).restartPolicy);
      if (policy === undefined || policy === '' || policy === 'Always') {
        continue;
      }
      yield {
        path: `${templatePath}/${field}/spec/restartPolicy`,
        message: `restartPolicy ${policy} is not possible in a LeaderWorkerSet.`,
        found: policy,
        expected: 'Always',
      };
    }
  },
);

const nameValid: ObjectRule = {
  id: 'batch/lws-name-is-dns-1035',
  row: 'LW6',
  tier: 'webhook',
  severity: 'error',
  on: 'object',
  kinds: [LEADER_WORKER_SET_KIND],
  summary: 'The name of a LeaderWorkerSet is a DNS-1035 label.',
  why: 'A Service is named after it; the webhook refuses another.',
  source: WEBHOOK,
  fix: 'Begin the name with a letter; use lower-case letters, digits and hyphens, at most 63 of them.',
  check: function* (manifest) {
    const { name, path } = nameAtItsLongest(manifest);
    const complaint = name === '' ? undefined : dns1035Label(name);
    if (complaint !== undefined) {
      yield { path, message: `The name "${name}" must ${complaint}.`, found: name };
    }
  },
};

export const leaderWorkerSetRules: readonly Rule[] = [
  nameValid,
  sizes,
  rollout,
  subGroups,
  exclusiveSubGroups,
  restartsAlways,
];
