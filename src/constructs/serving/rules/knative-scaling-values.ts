/**
 * Values of Knative's autoscaling annotations that its webhook rejects: bounds of the scale, numbers, durations.
 */
import { type Rule, type Violation } from '../../../checks/rules/rule';
import { parseGoDuration } from '../../../manifests/values/go-duration';
import { pointer } from '../../../manifests/pointer';
import { asString } from '../../../manifests/read';
import {
  type Annotation,
  AUTOSCALING_VALIDATION,
  autoscalingAnnotation,
  goInteger,
  goNumber,
  revisionRule,
} from './serving-rule';

const HOUR = 3600;

const scaleBounds = revisionRule(
  'knative-scale-bounds-ordered',
  {
    row: 'KN3',
    summary:
      'min-scale and max-scale must be integers of at least 0, max-scale must be 0 or at least min-scale, and activation-scale must be at least 2 and between them.',
    why: 'The webhook rejects any others. A max-scale of 0 means no limit.',
    source: AUTOSCALING_VALIDATION,
    fix: 'Set the annotations min-scale, max-scale, and activation-scale to integers in quotes, such as "1".',
  },
  function* (revision) {
    const bound = (name: string): { stated?: Annotation; value: number; fault?: Violation } => {
      const stated = autoscalingAnnotation(revision, name);
      if (stated === undefined) {
        return { value: 0 };
      }
      const value = goInteger(stated.value);
      if (value !== undefined && value >= 0) {
        return { stated, value };
      }
      return {
        stated,
        value: 0,
        fault: {
          path: stated.path,
          message: `${name} must be an integer greater than or equal to 0, but is "${stated.value}"`,
          found: stated.value,
          fix: `Set the annotation ${stated.key} to an integer in quotes, such as "1".`,
        },
      };
    };
    const least = bound('min-scale');
    const most = bound('max-scale');
    for (const { fault } of [least, most]) {
      if (fault !== undefined) {
        yield fault;
      }
    }
    if (most.stated !== undefined && most.value !== 0 && most.value < least.value) {
      yield {
        path: most.stated.path,
        message: `max-scale must be greater than or equal to min-scale (${most.value} < ${least.value})`,
        found: most.stated.value,
        expected: `0 or at least ${least.value}`,
        fix: `Set the annotation ${most.stated.key} to "0" (no limit) or to at least "${least.value}", or decrease min-scale.`,
      };
    }
    const activation = autoscalingAnnotation(revision, 'activation-scale');
    if (activation === undefined) {
      return;
    }
    const value = goInteger(activation.value);
    const fault =
      value === undefined
        ? `must be an integer, but is "${activation.value}"`
        : value < 2
          ? `must be greater than or equal to 2, but is ${value}`
          : value < least.value
            ? `must be greater than or equal to min-scale (${value} < ${least.value})`
            : most.value !== 0 && value > most.value
              ? `must be less than or equal to max-scale (${value} > ${most.value})`
              : undefined;
    if (fault !== undefined) {
      yield {
        path: activation.path,
        message: `activation-scale ${fault}`,
        found: activation.value,
        fix: activationFix(activation.key, Math.max(2, least.value), most.value),
      };
    }
  },
);

/** What to write for activation-scale, between the least and the most, of which 0 is no limit. */
function activationFix(key: string, least: number, most: number): string {
  if (most !== 0 && most < least) {
    return `Remove the annotation ${key}, or increase max-scale to at least "${least}".`;
  }
  const numbers =
    most === 0 ? `at least "${least}"` : most === least ? `"${least}"` : `an integer from ${least} to ${most}`;
  return `Set the annotation ${key} to ${numbers}.`;
}

interface Range {
  readonly name: string;
  readonly least: number;
  readonly most?: number;
  /** Beside the range. */
  readonly also?: number;
}

const RANGES: readonly Range[] = [
  { name: 'target', least: 0.01 },
  { name: 'target-utilization-percentage', least: 1, most: 100 },
  { name: 'target-burst-capacity', least: 0, also: -1 },
  { name: 'panic-window-percentage', least: 1, most: 100 },
  { name: 'panic-threshold-percentage', least: 110, most: 1000 },
];

const numbers = revisionRule(
  'knative-scaling-number-in-range',
  {
    row: 'KN4',
    summary:
      'target must be at least 0.01, target-utilization-percentage 1 to 100, target-burst-capacity -1 or at least 0, panic-window-percentage 1 to 100, panic-threshold-percentage 110 to 1000.',
    why: 'The webhook rejects any others.',
    source: AUTOSCALING_VALIDATION,
    fix: 'Set the autoscaling.knative.dev annotation to a number in the range.',
  },
  function* (revision) {
    for (const { name, least, most, also } of RANGES) {
      const stated = autoscalingAnnotation(revision, name);
      if (stated === undefined) {
        continue;
      }
      const value = goNumber(stated.value);
      if (value !== undefined && (value === also || (value >= least && (most === undefined || value <= most)))) {
        continue;
      }
      const expected =
        most === undefined
          ? `a number of at least ${least}${also === undefined ? '' : `, or ${also}`}`
          : `a number from ${least} to ${most}`;
      yield {
        path: stated.path,
        message: `${name} must be ${expected}, but is "${stated.value}"`,
        found: stated.value,
        expected,
        fix: `Set the annotation autoscaling.knative.dev/${name} to ${expected}.`,
      };
    }
  },
);

const DURATIONS: readonly { readonly name: string; readonly least: number; readonly whole: boolean }[] = [
  { name: 'window', least: 6, whole: true },
  { name: 'scale-down-delay', least: 0, whole: true },
  { name: 'scale-to-zero-pod-retention-period', least: 0, whole: false },
];

const durations = revisionRule(
  'knative-scaling-duration-in-range',
  {
    row: 'KN5',
    summary:
      'window must be 6s to 1h, scale-down-delay and scale-to-zero-pod-retention-period 0 to 1h, the first two in whole seconds; progress-deadline must be a duration in whole seconds.',
    why: 'The webhook rejects any others.',
    source: `${AUTOSCALING_VALIDATION}; pkg/apis/serving/v1/revision_validation.go`,
    fix: 'Set the annotation (window, scale-down-delay, progress-deadline) to a duration with a unit, for example 60s or 10m.',
  },
  function* (revision) {
    for (const { name, least, whole } of DURATIONS) {
      const stated = autoscalingAnnotation(revision, name);
      if (stated === undefined) {
        continue;
      }
      const seconds = parseGoDuration(stated.value);
      const fault =
        seconds === undefined
          ? 'must be a duration'
          : seconds < least || seconds > HOUR
            ? `must be between ${least}s and 1h`
            : whole && !Number.isInteger(seconds)
              ? 'must be in whole seconds'
              : undefined;
      if (fault !== undefined) {
        yield {
          path: stated.path,
          message: `${name} ${fault}: "${stated.value}"`,
          found: stated.value,
          fix: `Set the annotation ${stated.key} to a duration from ${least}s to 1h${whole ? ' in whole seconds' : ''}, such as 60s.`,
        };
      }
    }
    const key = 'serving.knative.dev/progress-deadline';
    const deadline = revision.annotations.get(key) ?? '';
    const seconds = deadline === '' ? 0 : parseGoDuration(deadline);
    if (seconds === undefined || seconds < 0 || !Number.isInteger(seconds)) {
      yield {
        path: pointer(revision.annotationsPath, key),
        message: `progress-deadline must be a duration in whole seconds, but is "${deadline}"`,
        found: deadline,
        expected: 'a duration such as 1200s',
        fix: `Set the annotation ${key} to a duration in whole seconds, such as 1200s.`,
      };
    }
  },
);

const initialScale = revisionRule(
  'knative-initial-scale-allowed',
  {
    row: 'KN6',
    summary: 'initial-scale must be an integer greater than or equal to 0, and 0 only if the cluster allows it.',
    why: 'The webhook rejects any others, and 0 unless allow-zero-initial-scale is "true" in config-autoscaler.',
    source: AUTOSCALING_VALIDATION,
    fix: 'Set autoscaling.knative.dev/initial-scale to at least "1", or set allow-zero-initial-scale: "true" in the config-autoscaler ConfigMap in the knative-serving namespace.',
  },
  function* (revision, _manifest, { set }) {
    const stated = autoscalingAnnotation(revision, 'initial-scale');
    if (stated === undefined) {
      return;
    }
    // Of 64 bits, unlike the others.
    const value = /^[+-]?\d+$/.test(stated.value) ? Number(stated.value) : undefined;
    if (value === undefined || value < 0) {
      yield {
        path: stated.path,
        message: `initial-scale must be an integer greater than or equal to 0, but is "${stated.value}"`,
        found: stated.value,
      };
      return;
    }
    const config = set.get('ConfigMap', 'config-autoscaler', 'knative-serving');
    const data = config?.object.data;
    const allowed =
      typeof data === 'object' && data !== null && !Array.isArray(data)
        ? asString(data['allow-zero-initial-scale'])
        : undefined;
    if (value !== 0 || allowed === 'true') {
      return;
    }
    yield {
      path: stated.path,
      message:
        'initial-scale must not be 0 unless allow-zero-initial-scale is "true" in the config-autoscaler ConfigMap',
      found: stated.value,
      severity: config === undefined ? 'warning' : 'error',
    };
  },
);

export const knativeScalingValueRules: readonly Rule[] = [scaleBounds, numbers, durations, initialScale];
