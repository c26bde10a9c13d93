/**
 * KE2, KE4, KE5, KE7, KE11 and what else is about how many replicas there are, and when.
 */
import { type Rule } from '../../../checks/rule';
import { pointer } from '../../../manifests/pointer';
import { asInteger, asObject, asString, isObject } from '../../../manifests/read';
import {
  DEFAULT_MAX_REPLICAS,
  FORCE_ACTIVATION,
  hpaNameOf,
  isResourceTrigger,
  KEDA_PROJECT,
  PAUSED,
  PAUSED_REPLICAS,
  PAUSED_SCALE_IN,
  PAUSED_SCALE_OUT,
} from '../keda-facts';
import { scaledJobRule, scaledObjectRule, scaledRule, type ScaledView, usesModifiers } from './view';

const SCALED_JOBS = `${KEDA_PROJECT}, apis/keda/v1alpha1/scaledjob_types.go and pkg/scaling/executor/scale_jobs.go`;
const LONGEST_LABEL = 63;

/** `minReplicaCount` as KEDA takes it: nothing is zero. */
function minimumOf({ spec }: ScaledView): number | undefined {
  return spec.minReplicaCount === undefined || spec.minReplicaCount === null ? 0 : asInteger(spec.minReplicaCount);
}

const idleBelowMin = scaledObjectRule(
  {
    id: 'keda/idle-below-min',
    row: 'KE2',
    tier: 'webhook',
    severity: 'error',
    summary: 'idleReplicaCount is below minReplicaCount.',
    why: 'While no trigger is active the target stands at the idle count, which is meant to be less than the least of an active one; the webhook refuses anything else. A minReplicaCount of 0 counts as 1 here, and one that is not stated as 0.',
    fix: 'State or raise minReplicaCount, or leave idleReplicaCount out.',
    concerns: ['idleReplicaCount'],
  },
  function* (view) {
    const idle = asInteger(view.spec.idleReplicaCount);
    const stated = asInteger(view.spec.minReplicaCount);
    const minimum = stated === 0 ? 1 : minimumOf(view);
    if (idle === undefined || minimum === undefined || idle < minimum) {
      return;
    }
    const what = stated === undefined ? 'a minReplicaCount that is not stated' : `minReplicaCount ${stated}`;
    yield {
      path: '/spec/idleReplicaCount',
      message: `idleReplicaCount ${idle} is not below ${what}.`,
      found: idle,
      expected: minimum === 0 ? 'a minReplicaCount' : `less than ${minimum}`,
    };
  },
);

const jobMinimum = scaledJobRule(
  {
    id: 'keda/scaled-job-min-within-max',
    row: 'KE2',
    tier: 'advice',
    severity: 'error',
    summary: 'minReplicaCount of a ScaledJob is at most its maxReplicaCount.',
    why: 'Nothing refuses it: KEDA quietly takes the maximum for both.',
    source: SCALED_JOBS,
    fix: 'Raise maxReplicaCount, or lower minReplicaCount.',
    concerns: ['minReplicaCount'],
  },
  function* (view) {
    const minimum = asInteger(view.spec.minReplicaCount);
    const maximum = asInteger(view.spec.maxReplicaCount) ?? DEFAULT_MAX_REPLICAS;
    if (minimum === undefined || minimum <= maximum) {
      return;
    }
    yield {
      path: '/spec/minReplicaCount',
      message: `minReplicaCount ${minimum} is more than maxReplicaCount ${maximum}.`,
      found: minimum,
      expected: `at most ${maximum}`,
    };
  },
);

const resourceTriggersKeepOne = scaledObjectRule(
  {
    id: 'keda/resource-triggers-keep-one',
    row: 'KE4',
    tier: 'webhook',
    severity: 'error',
    summary: 'With nothing but cpu and memory triggers, minReplicaCount is stated and at least 1.',
    why: 'No pods use no CPU, so nothing would ever start the first one. The webhook refuses it; a minReplicaCount that is not stated counts as 0.',
    fix: 'State minReplicaCount of 1 or more, or add a trigger that can start the first replica.',
    concerns: ['triggers'],
  },
  function* (view) {
    if (
      view.triggers.length === 0 ||
      !view.triggers.every(({ type }) => isResourceTrigger(type)) ||
      minimumOf(view) !== 0
    ) {
      return;
    }
    yield {
      path: view.spec.minReplicaCount === 0 ? '/spec/minReplicaCount' : '/spec',
      message: `minReplicaCount is ${view.spec.minReplicaCount === 0 ? '0' : 'not stated'}, and cpu and memory cannot start the first replica.`,
      expected: 'minReplicaCount of 1 or more',
    };
  },
);

const nameFits = scaledRule(
  {
    id: 'keda/name-fits-label',
    row: 'KE5',
    tier: 'webhook',
    severity: 'error',
    summary:
      'The name, and that of the HorizontalPodAutoscaler (keda-hpa-… where none is stated), have at most 63 characters.',
    why: 'Both are written into labels. The webhook refuses a ScaledObject with a longer one; a ScaledJob is taken, and its Jobs are refused.',
    fix: 'Shorten the name; a ScaledObject may also state advanced.horizontalPodAutoscalerConfig.name.',
  },
  function* ({ manifest: { id }, spec }) {
    if (id.name === '') {
      return;
    }
    if (id.name.length > LONGEST_LABEL) {
      yield {
        path: '/metadata/name',
        message: `The name has ${id.name.length} characters.`,
        found: id.name,
        expected: `at most ${LONGEST_LABEL}`,
      };
      return;
    }
    if (id.kind !== 'ScaledObject') {
      return;
    }
    const stated = asString(asObject(asObject(spec.advanced).horizontalPodAutoscalerConfig).name);
    const hpa = hpaNameOf(id.name, stated);
    if (hpa.length <= LONGEST_LABEL) {
      return;
    }
    yield {
      path:
        stated === undefined || stated === '' ? '/metadata/name' : '/spec/advanced/horizontalPodAutoscalerConfig/name',
      message: `The HorizontalPodAutoscaler would be called ${hpa}, which has ${hpa.length} characters.`,
      found: hpa,
      expected: `at most ${LONGEST_LABEL}`,
    };
  },
);

const fallbackHasTrigger = scaledObjectRule(
  {
    id: 'keda/fallback-has-trigger',
    row: 'KE7',
    tier: 'webhook',
    severity: 'error',
    summary: 'A fallback has a trigger that can fail: one other than cpu and memory, or a formula.',
    why: 'KEDA does not read cpu and memory, so it cannot see them fail; the webhook refuses the fallback.',
    source: `${KEDA_PROJECT}, apis/keda/v1alpha1/scaledobject_types.go`,
    fix: 'Leave the fallback out.',
    concerns: ['fallback'],
  },
  function* ({ spec, triggers }) {
    if (!isObject(spec.fallback) || usesModifiers(spec)) {
      return;
    }
    if (triggers.length === 0 || !triggers.every(({ type }) => isResourceTrigger(type))) {
      return;
    }
    yield {
      path: '/spec/fallback',
      message: 'All triggers are cpu or memory, which never fall back.',
      expected: 'no fallback',
    };
  },
);

const fallbackFormula = scaledObjectRule(
  {
    id: 'keda/fallback-has-formula',
    row: 'KE7',
    tier: 'webhook',
    severity: 'error',
    summary: 'The fallback behavior scalingModifiers goes with a formula.',
    why: 'It is the formula that says what a missing value means; the webhook refuses the behavior without one.',
    fix: 'State advanced.scalingModifiers.formula, or choose another behavior.',
    concerns: ['fallback'],
  },
  function* ({ spec }) {
    const formula = asString(asObject(asObject(spec.advanced).scalingModifiers).formula);
    if (asObject(spec.fallback).behavior !== 'scalingModifiers' || (formula !== undefined && formula !== '')) {
      return;
    }
    yield {
      path: '/spec/fallback/behavior',
      message: 'There is no formula.',
      found: 'scalingModifiers',
      expected: 'advanced.scalingModifiers.formula',
    };
  },
);

function scalesToZero({ spec, ...view }: ScaledView): boolean {
  return minimumOf({ spec, ...view }) === 0 || spec.idleReplicaCount === 0;
}

const cooldownHasEffect = scaledObjectRule(
  {
    id: 'keda/cooldown-has-effect',
    row: 'KE11',
    tier: 'advice',
    severity: 'warning',
    summary: 'cooldownPeriod and initialCooldownPeriod stand where the target may go to zero.',
    why: 'They delay the last step, from one to zero, and nothing else: between other counts the HorizontalPodAutoscaler decides, by its behavior. The webhook only warns.',
    fix: 'State advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.stabilizationWindowSeconds instead, or let minReplicaCount or idleReplicaCount be 0.',
    concerns: ['cooldownPeriod', 'initialCooldownPeriod'],
  },
  function* (view) {
    if (scalesToZero(view)) {
      return;
    }
    for (const field of ['cooldownPeriod', 'initialCooldownPeriod']) {
      const value = asInteger(view.spec[field]);
      if (value !== undefined && value > 0) {
        yield {
          path: `/spec/${field}`,
          message: `${field} has no effect: the target never goes below ${minimumOf(view) ?? 1}.`,
          found: value,
        };
      }
    }
  },
);

const pollingHasEffect = scaledObjectRule(
  {
    id: 'keda/polling-interval-has-effect',
    row: 'KE11',
    tier: 'advice',
    severity: 'info',
    summary: 'pollingInterval stands where KEDA polls: for a target that may go to zero, or with cached metrics.',
    why: 'Otherwise the HorizontalPodAutoscaler asks in its own rhythm, of 15 seconds by default. The webhook only warns.',
    fix: 'Leave it out, or let triggers use cached metrics.',
    concerns: ['pollingInterval'],
  },
  function* (view) {
    if (asInteger(view.spec.pollingInterval) === undefined || scalesToZero(view)) {
      return;
    }
    if (view.triggers.some(({ trigger }) => trigger.useCachedMetrics === true)) {
      return;
    }
    yield {
      path: '/spec/pollingInterval',
      message: 'pollingInterval only decides how often the health of triggers is looked at.',
      found: view.spec.pollingInterval,
    };
  },
);

const TRUTHS: ReadonlySet<string> = new Set([
  '1',
  't',
  'T',
  'TRUE',
  'true',
  'True',
  '0',
  'f',
  'F',
  'FALSE',
  'false',
  'False',
]);

const pauseAnnotations = scaledRule(
  {
    id: 'keda/pause-annotation-value',
    row: 'KE12',
    tier: 'advice',
    otherTiers: ['webhook'],
    severity: 'error',
    summary: 'Annotations that pause or force say true or false; paused-replicas is a count.',
    why: 'KEDA takes everything that it cannot read as true: "no" pauses. A count that it cannot read stops the ScaledObject altogether.',
    source: `${KEDA_PROJECT}, apis/keda/v1alpha1/scaledobject_types.go`,
    fix: 'Write "true" or "false", or leave the annotation out.',
    concerns: [PAUSED, PAUSED_REPLICAS, PAUSED_SCALE_IN, PAUSED_SCALE_OUT, FORCE_ACTIVATION],
  },
  function* ({ annotations, manifest }) {
    for (const key of [PAUSED, PAUSED_SCALE_IN, PAUSED_SCALE_OUT, FORCE_ACTIVATION]) {
      const value = asString(annotations[key]);
      if (value !== undefined && !TRUTHS.has(value)) {
        yield {
          path: pointer('/metadata/annotations', key),
          message: `KEDA reads ${JSON.stringify(value)} as true.`,
          found: value,
          expected: '"true" or "false"',
        };
      }
    }
    const replicas = asString(annotations[PAUSED_REPLICAS]);
    const path = pointer('/metadata/annotations', PAUSED_REPLICAS);
    if (replicas === undefined) {
      return;
    }
    if (manifest.id.kind === 'ScaledJob') {
      yield {
        path,
        message: 'A ScaledJob has no replicas to pause at; the annotation is not read.',
        found: replicas,
        severity: 'warning',
        fix: `Use ${PAUSED}.`,
      };
    } else if (!/^[+-]?\d{1,9}$/.test(replicas) || Number(replicas) < 0) {
      yield {
        path,
        message: `${JSON.stringify(replicas)} is no count of replicas.`,
        found: replicas,
        expected: 'a whole number, at least 0',
        tier: 'webhook',
        fix: 'Write a count such as "0".',
      };
    }
  },
);

const customStrategy = scaledJobRule(
  {
    id: 'keda/scaled-job-strategy-complete',
    row: 'KE13',
    tier: 'advice',
    severity: 'error',
    summary:
      'The strategy custom of a ScaledJob states customScalingRunningJobPercentage as a number, and only custom has its fields.',
    why: 'Without a number KEDA quietly falls back to the default strategy; the fields of custom are not read by the others.',
    source: SCALED_JOBS,
    fix: 'State customScalingRunningJobPercentage, for example "0", or choose another strategy.',
    concerns: ['scalingStrategy'],
  },
  function* ({ spec }) {
    if (!isObject(spec.scalingStrategy)) {
      return;
    }
    const {
      strategy,
      customScalingRunningJobPercentage: share,
      customScalingQueueLengthDeduction: deduction,
    } = spec.scalingStrategy;
    const path = '/spec/scalingStrategy';
    if (strategy === 'custom') {
      if (typeof share === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(share)) {
        return;
      }
      const found =
        share === undefined
          ? { path, message: 'customScalingRunningJobPercentage is not stated, so KEDA takes the default strategy.' }
          : {
              path: `${path}/customScalingRunningJobPercentage`,
              message: `${JSON.stringify(share)} is no number, so KEDA takes the default strategy.`,
              found: share,
            };
      yield { ...found, expected: 'a share such as "0.5"' };
    } else if (share !== undefined || deduction !== undefined) {
      const field = share === undefined ? 'customScalingQueueLengthDeduction' : 'customScalingRunningJobPercentage';
      yield {
        path: `${path}/${field}`,
        message: `${field} is read by the strategy custom alone.`,
        severity: 'warning',
        fix: 'State strategy: custom, or leave the field out.',
      };
    }
  },
);

export const replicaRules: readonly Rule[] = [
  idleBelowMin,
  jobMinimum,
  resourceTriggersKeepOne,
  nameFits,
  fallbackHasTrigger,
  fallbackFormula,
  cooldownHasEffect,
  pollingHasEffect,
  pauseAnnotations,
  customStrategy,
];
