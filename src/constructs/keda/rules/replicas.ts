/**
 * KE2, KE4, KE5, KE7, KE11 and what else is about how many replicas there are, and when.
 */
import { type Rule } from '../../../checks/rules/rule';
import { parseGoBool } from '../../../manifests/values/go-boolean';
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
import { minimumOf, scaledJobRule, scaledObjectRule, scaledRule, scalesToZero, usesModifiers } from './view';
import { counted } from '../../../facts/words';

const SCALED_JOBS = `${KEDA_PROJECT}, apis/keda/v1alpha1/scaledjob_types.go and pkg/scaling/executor/scale_jobs.go`;
const LONGEST_LABEL = 63;
const MAX_INT32 = 2_147_483_647;

const idleBelowMin = scaledObjectRule(
  {
    id: 'keda/idle-below-min',
    row: 'KE2',
    tier: 'webhook',
    severity: 'error',
    summary: 'idleReplicaCount must be less than minReplicaCount.',
    why: 'The webhook rejects anything else. While no trigger is active, the target has the idle count, which must be less than the minimum of an active target; a minReplicaCount of 0 counts as 1 here, and an unset one as 0.',
    fix: 'Set minReplicaCount to more than idleReplicaCount, or remove idleReplicaCount.',
    concerns: ['idleReplicaCount'],
  },
  function* (view) {
    const idle = asInteger(view.spec.idleReplicaCount);
    const stated = asInteger(view.spec.minReplicaCount);
    const minimum = stated === 0 ? 1 : minimumOf(view);
    if (idle === undefined || minimum === undefined || idle < minimum) {
      return;
    }
    const what = stated === undefined ? 'minReplicaCount, which defaults to 0' : `minReplicaCount (${stated})`;
    yield {
      path: '/spec/idleReplicaCount',
      message: `idleReplicaCount (${idle}) must be less than ${what}`,
      found: idle,
      expected: minimum === 0 ? `minReplicaCount of at least ${idle + 1}` : `less than ${minimum}`,
      fix: `Set minReplicaCount to at least ${Math.max(idle + 1, 1)}, or remove idleReplicaCount.`,
    };
  },
);

const jobMinimum = scaledJobRule(
  {
    id: 'keda/scaled-job-min-within-max',
    row: 'KE2',
    tier: 'advice',
    severity: 'error',
    summary: 'minReplicaCount of a ScaledJob must be less than or equal to maxReplicaCount.',
    why: 'KEDA does not reject this; it silently uses the maximum for both.',
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
      message: `minReplicaCount must be less than or equal to maxReplicaCount (${minimum} > ${maximum})`,
      found: minimum,
      expected: `at most ${maximum}`,
      fix: `Set maxReplicaCount to at least ${minimum}, or set minReplicaCount to at most ${maximum}.`,
    };
  },
);

const resourceTriggersKeepOne = scaledObjectRule(
  {
    id: 'keda/resource-triggers-keep-one',
    row: 'KE4',
    tier: 'webhook',
    severity: 'error',
    summary: 'minReplicaCount must be at least 1 if all triggers are cpu or memory.',
    why: 'Without pods there is no CPU usage, so the first pod would never start. The webhook rejects the object; an unset minReplicaCount counts as 0.',
    fix: 'Set minReplicaCount to at least 1, or add a trigger that can start the first replica.',
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
      message: `minReplicaCount is ${view.spec.minReplicaCount === 0 ? '0' : 'unset'}, but cpu and memory triggers cannot start the first replica`,
      expected: 'minReplicaCount of at least 1',
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
      'The name, and the name of the HorizontalPodAutoscaler (keda-hpa-… by default), must be no more than 63 characters.',
    why: 'Both become label values. The webhook rejects a ScaledObject with a longer name; a ScaledJob is accepted, but its Jobs are rejected.',
    fix: 'Shorten metadata.name to at most 63 characters (54 for a ScaledObject without advanced.horizontalPodAutoscalerConfig.name).',
  },
  function* ({ manifest: { id }, spec }) {
    if (id.name === '') {
      return;
    }
    const isObject = id.kind === 'ScaledObject';
    const stated = asString(asObject(asObject(spec.advanced).horizontalPodAutoscalerConfig).name) ?? '';
    const hpa = hpaNameOf(id.name, stated);
    const forHpa = LONGEST_LABEL - (hpa.length - id.name.length);
    const shorter = `Shorten metadata.name to at most ${isObject && stated === '' ? forHpa : LONGEST_LABEL} characters`;
    if (id.name.length > LONGEST_LABEL) {
      yield {
        path: '/metadata/name',
        message: `the name must be no more than ${LONGEST_LABEL} characters, but has ${id.name.length}`,
        found: id.name,
        expected: `at most ${LONGEST_LABEL} characters`,
        fix:
          isObject && stated === ''
            ? `${shorter}, or to at most ${LONGEST_LABEL} and set advanced.horizontalPodAutoscalerConfig.name.`
            : `${shorter}.`,
      };
    } else if (isObject && hpa.length > LONGEST_LABEL) {
      yield {
        path: stated === '' ? '/metadata/name' : '/spec/advanced/horizontalPodAutoscalerConfig/name',
        message: `the name of the HorizontalPodAutoscaler, "${hpa}", must be no more than ${LONGEST_LABEL} characters, but has ${hpa.length}`,
        found: stated === '' ? id.name : stated,
        expected: `at most ${stated === '' ? forHpa : LONGEST_LABEL} characters`,
        fix:
          stated === ''
            ? `${shorter}, or set advanced.horizontalPodAutoscalerConfig.name.`
            : `Shorten advanced.horizontalPodAutoscalerConfig.name to at most ${LONGEST_LABEL} characters.`,
      };
    }
  },
);

const fallbackHasTrigger = scaledObjectRule(
  {
    id: 'keda/fallback-has-trigger',
    row: 'KE7',
    tier: 'webhook',
    severity: 'error',
    summary: 'A fallback requires a trigger that can fail: one other than cpu and memory, or a formula.',
    why: 'KEDA does not read cpu and memory itself, so it cannot detect that they fail; the webhook rejects the fallback.',
    source: `${KEDA_PROJECT}, apis/keda/v1alpha1/scaledobject_types.go`,
    fix: 'Remove spec.fallback.',
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
      message: 'fallback must not be set when all triggers are cpu or memory',
    };
  },
);

const fallbackFormula = scaledObjectRule(
  {
    id: 'keda/fallback-has-formula',
    row: 'KE7',
    tier: 'webhook',
    severity: 'error',
    summary: 'The fallback behavior scalingModifiers requires a formula.',
    why: 'The formula defines the result when a value is missing; the webhook rejects the behavior without one.',
    fix: 'Set advanced.scalingModifiers.formula, or set fallback.behavior to static.',
    concerns: ['fallback'],
  },
  function* ({ spec }) {
    const formula = asString(asObject(asObject(spec.advanced).scalingModifiers).formula);
    if (asObject(spec.fallback).behavior !== 'scalingModifiers' || (formula !== undefined && formula !== '')) {
      return;
    }
    yield {
      path: '/spec/fallback/behavior',
      message: 'the fallback behavior scalingModifiers must not be set without a formula',
      found: 'scalingModifiers',
      expected: 'advanced.scalingModifiers.formula',
    };
  },
);

const cooldownHasEffect = scaledObjectRule(
  {
    id: 'keda/cooldown-has-effect',
    row: 'KE11',
    tier: 'advice',
    severity: 'warning',
    summary: 'cooldownPeriod and initialCooldownPeriod should be set only if the target scales to zero.',
    why: 'They delay only the step from one replica to zero; above that, the HorizontalPodAutoscaler decides by its behavior. The webhook only warns.',
    fix: 'Set advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.stabilizationWindowSeconds instead, or set minReplicaCount or idleReplicaCount to 0.',
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
          message: `${field} has no effect, because the target always has at least ${counted(minimumOf(view) ?? 1, 'replica')}`,
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
    summary: 'pollingInterval should be set only for a target that scales to zero, or with cached metrics.',
    why: 'Otherwise the HorizontalPodAutoscaler polls at its own interval, 15 seconds by default. The webhook only warns.',
    fix: 'Remove spec.pollingInterval, or set useCachedMetrics: true in an item of spec.triggers.',
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
      message:
        'pollingInterval has no effect on scaling, because the target does not scale to zero and no trigger uses cached metrics',
      found: view.spec.pollingInterval,
    };
  },
);

/** What Go reads as an int32, from zero on. */
function isCount(text: string): boolean {
  return /^[+-]?\d+$/.test(text) && Number(text) >= 0 && Number(text) <= MAX_INT32;
}

const pauseAnnotations = scaledRule(
  {
    id: 'keda/pause-annotation-value',
    row: 'KE12',
    tier: 'advice',
    otherTiers: ['webhook'],
    severity: 'error',
    summary: 'Annotations that pause scaling must be "true" or "false"; paused-replicas must be a number of replicas.',
    why: 'KEDA treats every value that it cannot parse as true: "no" pauses scaling. A number that it cannot parse stops the ScaledObject completely.',
    source: `${KEDA_PROJECT}, apis/keda/v1alpha1/scaledobject_types.go`,
    fix: 'Set the annotation to "true" or "false", or remove it.',
    concerns: [PAUSED, PAUSED_REPLICAS, PAUSED_SCALE_IN, PAUSED_SCALE_OUT, FORCE_ACTIVATION],
  },
  function* ({ annotations, manifest }) {
    for (const key of [PAUSED, PAUSED_SCALE_IN, PAUSED_SCALE_OUT, FORCE_ACTIVATION]) {
      const value = asString(annotations[key]);
      if (value !== undefined && parseGoBool(value) === undefined) {
        yield {
          path: pointer('/metadata/annotations', key),
          message: `${JSON.stringify(value)} is not a boolean, and KEDA treats it as true`,
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
        message: `the annotation ${PAUSED_REPLICAS} has no effect on a ScaledJob`,
        found: replicas,
        severity: 'warning',
        fix: `Replace the annotation with ${PAUSED}: "true".`,
      };
    } else if (!isCount(replicas)) {
      yield {
        path,
        message: `${JSON.stringify(replicas)} is not a valid number of replicas`,
        found: replicas,
        expected: 'an integer of at least 0',
        tier: 'webhook',
        fix: `Set the annotation ${PAUSED_REPLICAS} to an integer such as "0".`,
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
      'The strategy custom of a ScaledJob must set customScalingRunningJobPercentage, and its fields must be set only with this strategy.',
    why: 'Without a number KEDA silently uses the default strategy; other strategies do not read the fields of custom.',
    source: SCALED_JOBS,
    fix: 'Set customScalingRunningJobPercentage to a fraction such as "0.5", or set scalingStrategy.strategy to default.',
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
      if (typeof share === 'string' && /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(share)) {
        return;
      }
      const found =
        share === undefined
          ? { path, message: 'customScalingRunningJobPercentage is not set, so KEDA uses the default strategy' }
          : {
              path: `${path}/customScalingRunningJobPercentage`,
              message: `${JSON.stringify(share)} is not a number, so KEDA uses the default strategy`,
              found: share,
            };
      yield { ...found, expected: 'a fraction such as "0.5"' };
    } else if (share !== undefined || deduction !== undefined) {
      const field = share === undefined ? 'customScalingQueueLengthDeduction' : 'customScalingRunningJobPercentage';
      yield {
        path: `${path}/${field}`,
        message: `${field} has no effect unless scalingStrategy.strategy is custom`,
        severity: 'warning',
        fix: `Set scalingStrategy.strategy to custom, or remove scalingStrategy.${field}.`,
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
