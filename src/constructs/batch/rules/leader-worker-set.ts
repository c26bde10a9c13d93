/**
 * LW1 to LW4 and LW6: what the webhook of LeaderWorkerSet requires of the kind itself, and of the roles of a DisaggregatedSet, which become
 * LeaderWorkerSets. LW5 (subGroupPolicy is immutable) is about updates, which a set of manifests does not show.
 */
import { fixesByField } from '../../../checks/rules/field-fix';
import { nameFix } from '../../../checks/rules/name-fix';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { type ObjectRule, type Rule, type RuleFacts, type Violation } from '../../../checks/rules/rule';
import { dns1035Label } from '../../../manifests/values/name-syntax';
import { pointer } from '../../../manifests/pointer';
import { asInteger, asObject, asString, isObject, objectsAt } from '../../../manifests/read';
import { nameAtItsLongest } from '../job-set-view';
import {
  DISAGGREGATED_SET_KIND,
  LEADER_WORKER_SET_KIND,
  LWS_PROJECT,
  SUBGROUP_EXCLUSIVE_TOPOLOGY,
} from '../../../manifests/pods/leader-worker-facts';
import { counted } from '../../../facts/words';

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

const sizes = fixesByField(
  leaderWorkerRule(
    {
      id: 'batch/lws-size-countable',
      row: 'LW1',
      summary: 'size of a LeaderWorkerSet must be at least 1, and replicas times (size - 1) at most 2147483647.',
      why: 'The size includes the leader; the webhook rejects 0 and numbers that overflow.',
      fix: 'Set leaderWorkerTemplate.size to at least 1, or lower spec.replicas.',
    },
    function* ({ size, replicas, templatePath, path }) {
      if (size < 1) {
        yield {
          path: `${templatePath}/size`,
          message: `size must be greater than or equal to 1, but is ${size}`,
          found: size,
          expected: 'at least 1 (the leader)',
        };
      }
      if (replicas * (size - 1) > MAX_INT_32) {
        yield {
          path: `${path}/replicas`,
          message: `replicas × (size - 1) must be at most ${MAX_INT_32}, but is ${replicas * (size - 1)}`,
          found: replicas,
          expected: `at most ${MAX_INT_32}`,
          fix: `Lower spec.replicas or leaderWorkerTemplate.size, so that there are at most ${MAX_INT_32} workers.`,
        };
      }
    },
  ),
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
    return value < 0
      ? { complaint: 'be greater than or equal to 0' }
      : value > MAX_INT_32
        ? { complaint: `be less than or equal to ${MAX_INT_32}` }
        : { value };
  }
  if (typeof value !== 'string') {
    return {};
  }
  if (!/^\d+%$/.test(value)) {
    return { complaint: 'be an integer greater than or equal to 0, or a percentage such as 25%' };
  }
  const percent = Number(value.slice(0, -1));
  return percent > 100 ? { complaint: 'be at most 100%' } : { value: round((percent * replicas) / 100) };
}

const rollout = leaderWorkerRule(
  {
    id: 'batch/lws-rollout-makes-progress',
    row: 'LW2',
    summary:
      'maxSurge and maxUnavailable must be numbers or percentages up to 100%, and not both zero; partition must not be negative.',
    why: 'If no group may be added and none removed, nothing can be replaced; the webhook rejects this. Percentages of maxUnavailable round down, so 10% of 5 groups is 0.',
    fix: 'Set maxUnavailable or maxSurge to at least 1, or to a percentage that results in at least 1 group.',
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
        yield {
          path: `${at}/${field}`,
          message: `${field} must ${complaint}`,
          found: configuration[field],
          fix: nameFix(`rollingUpdateConfiguration.${field}`, complaint),
        };
      }
    }
    if (surge.value === 0 && unavailable.value === 0 && replicas !== 0) {
      yield {
        path: `${at}/maxUnavailable`,
        message: `maxSurge and maxUnavailable are both 0 for ${counted(replicas, 'group')}, so no group can be replaced`,
        found: configuration.maxUnavailable,
        expected: 'maxSurge or maxUnavailable of at least 1 group',
      };
    }
    const partition = asInteger(configuration.partition);
    if (partition !== undefined && partition < 0) {
      yield {
        path: `${at}/partition`,
        message: `partition must be greater than or equal to 0, but is ${partition}`,
        found: partition,
        expected: 'at least 0',
      };
    }
  },
);

/** The values of subGroupSize that the size allows. */
function subGroupFix(size: number, excluded: boolean): string {
  if (excluded && size === 1) {
    return 'Set leaderWorkerTemplate.size to at least 2, or remove subGroupPolicy.';
  }
  const [one, other] = excluded ? [size - 1] : size === 1 ? [1] : [size, size - 1];
  const of = other === undefined ? `${one}` : `${one} or ${other}`;
  return one === 1 || size < 1
    ? 'Set subGroupPolicy.subGroupSize to 1.'
    : `Set subGroupPolicy.subGroupSize to a divisor of ${of}.`;
}

const subGroups = leaderWorkerRule(
  {
    id: 'batch/lws-subgroup-size-divides',
    row: 'LW3',
    summary:
      'subGroupSize must be at least 1, at most size, and a divisor of size or size - 1; with LeaderExcluded, a divisor of size - 1.',
    why: 'Subgroups have the same size, with or without the leader; the webhook rejects others, and fails if the size is unset.',
    fix: 'Set subGroupPolicy.subGroupSize to a divisor of leaderWorkerTemplate.size, or of size - 1.',
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
        yield {
          path,
          message: 'subGroupPolicy.subGroupSize must be set',
          expected: 'subGroupSize',
          fix: subGroupFix(size, policy.subGroupPolicyType === 'LeaderExcluded'),
        };
      }
      return;
    }
    const excluded = policy.subGroupPolicyType === 'LeaderExcluded';
    const divides = (pods: number): boolean => subGroupSize > 0 && pods % subGroupSize === 0;
    const fault =
      subGroupSize < 1
        ? 'must be greater than or equal to 1'
        : subGroupSize > size
          ? `must be less than or equal to leaderWorkerTemplate.size (${subGroupSize} > ${size})`
          : excluded && !divides(size - 1)
            ? `must be a divisor of ${size - 1}, the size without the leader`
            : !divides(size) && !divides(size - 1)
              ? `must be a divisor of ${size} (the size) or ${size - 1} (the size without the leader)`
              : undefined;
    if (fault !== undefined) {
      yield {
        path: `${path}/subGroupSize`,
        message: `subGroupSize ${fault}${subGroupSize > size ? '' : `, but is ${subGroupSize}`}`,
        found: subGroupSize,
        fix: subGroupFix(size, excluded),
      };
    }
  },
);

const exclusiveSubGroups = leaderWorkerRule(
  {
    id: 'batch/lws-subgroup-topology-has-subgroups',
    row: 'LW4',
    summary: `The annotation ${SUBGROUP_EXCLUSIVE_TOPOLOGY} must be set only together with subGroupPolicy.`,
    why: 'Without subgroups the annotation cannot apply; the webhook rejects it.',
    fix: `Set leaderWorkerTemplate.subGroupPolicy.subGroupSize, or remove the annotation ${SUBGROUP_EXCLUSIVE_TOPOLOGY}.`,
  },
  function* ({ annotations, annotationsPath, template }) {
    if (annotations[SUBGROUP_EXCLUSIVE_TOPOLOGY] === undefined || isObject(template.subGroupPolicy)) {
      return;
    }
    yield {
      path: pointer(annotationsPath, SUBGROUP_EXCLUSIVE_TOPOLOGY),
      message: `the annotation ${SUBGROUP_EXCLUSIVE_TOPOLOGY} must not be set without subGroupPolicy`,
      found: annotations[SUBGROUP_EXCLUSIVE_TOPOLOGY],
    };
  },
);

const restartsAlways = leaderWorkerRule(
  {
    id: 'batch/lws-pods-restart-always',
    row: 'LW6',
    summary: 'Pods of a LeaderWorkerSet must have restartPolicy Always or unset.',
    why: 'They are pods of StatefulSets, which accept no other policy: the API server rejects the StatefulSet, and no pod is created.',
    source: `${LWS_PROJECT}, pkg/controllers; Kubernetes, pkg/apis/apps/validation/validation.go`,
    fix: 'Remove restartPolicy, or use a JobSet for pods that complete.',
  },
  function* ({ template, templatePath }) {
    for (const field of ['leaderTemplate', 'workerTemplate']) {
      const policy = asString(asObject(asObject(template[field]).spec).restartPolicy);
      if (policy === undefined || policy === '' || policy === 'Always') {
        continue;
      }
      yield {
        path: `${templatePath}/${field}/spec/restartPolicy`,
        message: `unsupported restartPolicy "${policy}" in a LeaderWorkerSet`,
        found: policy,
        expected: 'Always or unset',
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
  summary: 'The name of a LeaderWorkerSet must be a DNS-1035 label.',
  why: 'A Service has the same name; the webhook rejects any other.',
  source: WEBHOOK,
  fix: 'Set metadata.name to lowercase letters, digits, and hyphens, at most 63, starting with a letter.',
  check: function* (manifest) {
    const { name, path } = nameAtItsLongest(manifest);
    const complaint = name === '' ? undefined : dns1035Label(name);
    if (complaint !== undefined) {
      yield { path, message: `the name "${name}" must ${complaint}`, found: name };
    }
    // Beside a name, generateName is not used, but validated.
    const prefix = asString(asObject(manifest.object.metadata).generateName) ?? '';
    const fault = manifest.id.name === '' || prefix === '' ? undefined : dns1035Label(prefix.replace(/-$/, 'x'));
    if (fault !== undefined) {
      yield { path: '/metadata/generateName', message: `generateName "${prefix}" must ${fault}`, found: prefix };
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
