/**
 * What Knative's webhook demands of autoscaling annotations, and which of them do not mean what they look like.
 */
import { type Rule, type Violation } from '../../../checks/rule';
import { parseGoDuration } from '../../../manifests/go-duration';
import { pointer } from '../../../manifests/pointer';
import { asInteger, asString } from '../../../manifests/read';
import {
  type Annotation,
  AUTOSCALING,
  autoscalingAnnotation,
  goInteger,
  goNumber,
  HPA,
  KNATIVE,
  KPA,
  revisionRule,
  type RevisionView,
} from './serving-rule';

const VALIDATION = `${KNATIVE}, pkg/apis/autoscaling/annotation_validation.go`;
const NAMES = [
  'class',
  'min-scale',
  'max-scale',
  'initial-scale',
  'scale-down-delay',
  'metric',
  'target',
  'scale-to-zero-pod-retention-period',
  'metric-aggregation-algorithm',
  'window',
  'target-utilization-percentage',
  'target-burst-capacity',
  'panic-window-percentage',
  'panic-threshold-percentage',
  'activation-scale',
];
const HOUR = 3600;
const AVERAGES = ['', 'linear', 'weightedExponential', 'weighted-exponential'];

function classOf(revision: RevisionView): string {
  return autoscalingAnnotation(revision, 'class')?.value ?? KPA;
}

const knownClass = revisionRule(
  'knative-class-known',
  {
    row: 'KN1',
    summary:
      'The autoscaler class of a revision must be kpa.autoscaling.knative.dev, hpa.autoscaling.knative.dev, or a class of another domain.',
    why: "The webhook rejects an unknown class in Knative's own domain.",
    source: VALIDATION,
    fix: 'Set autoscaling.knative.dev/class to kpa.autoscaling.knative.dev, or leave it unset.',
  },
  function* (revision) {
    const stated = autoscalingAnnotation(revision, 'class');
    if (
      stated === undefined ||
      stated.value === KPA ||
      stated.value === HPA ||
      !stated.value.endsWith('.knative.dev')
    ) {
      return;
    }
    yield {
      path: stated.path,
      message: `unknown autoscaler class "${stated.value}"`,
      found: stated.value,
      expected: `${KPA} or ${HPA}`,
    };
  },
);

const metricOfClass = revisionRule(
  'knative-metric-of-class',
  {
    row: 'KN2',
    summary:
      'The metric of kpa must be concurrency or rps, averaged linear or weightedExponential; the metric of hpa must be cpu, memory, or a custom metric.',
    why: 'The webhook rejects any other metric or average with kpa.',
    source: VALIDATION,
    fix: 'Set autoscaling.knative.dev/metric to concurrency or rps, or for CPU set class to hpa.autoscaling.knative.dev.',
  },
  function* (revision) {
    const average = autoscalingAnnotation(revision, 'metric-aggregation-algorithm');
    // Looked at only where the class is stated.
    if (
      average !== undefined &&
      autoscalingAnnotation(revision, 'class')?.value === KPA &&
      !AVERAGES.includes(average.value)
    ) {
      yield {
        path: average.path,
        message: `unsupported average "${average.value}"`,
        found: average.value,
        expected: 'linear or weightedExponential',
      };
    }
    const metric = autoscalingAnnotation(revision, 'metric');
    if (metric === undefined) {
      return;
    }
    const autoscaler = classOf(revision);
    if (autoscaler === KPA && metric.value !== 'concurrency' && metric.value !== 'rps') {
      yield {
        path: metric.path,
        message: `unsupported metric "${metric.value}" for kpa`,
        found: metric.value,
        expected: 'concurrency or rps',
      };
    } else if (autoscaler === HPA && metric.value === '') {
      yield {
        path: metric.path,
        message: 'the metric must not be empty',
        found: '',
        expected: 'cpu, memory, or a custom metric',
      };
    }
  },
);

const hpaMetricStated = revisionRule(
  'knative-hpa-metric-stated',
  {
    row: 'KN2',
    tier: 'advice',
    severity: 'warning',
    summary: 'A service that hpa scales should set its metric.',
    why: 'The default metric is CPU, and target is a percentage of it: target 10 means 10% CPU, not 10 requests. A model server waits for its GPU regardless of the CPU.',
    source: `${KNATIVE}, pkg/apis/autoscaling/v1alpha1/pa_defaults.go; pkg/reconciler/autoscaling/hpa/resources/hpa.go`,
    fix: 'Set autoscaling.knative.dev/metric to cpu, or set autoscaling.knative.dev/class to kpa.autoscaling.knative.dev and autoscaling.knative.dev/metric to concurrency.',
  },
  function* (revision) {
    const stated = autoscalingAnnotation(revision, 'class');
    if (stated?.value !== HPA || autoscalingAnnotation(revision, 'metric') !== undefined) {
      return;
    }
    const target = autoscalingAnnotation(revision, 'target');
    yield {
      path: target?.path ?? stated.path,
      message:
        target === undefined
          ? 'the class hpa scales by CPU if no metric is set'
          : `the class hpa scales by CPU if no metric is set: target ${target.value} is ${target.value}% of the requested CPU`,
      found: stated.value,
      expected: `${KPA} and the metric concurrency, or the metric cpu`,
    };
  },
);

const hpaNotToZero = revisionRule(
  'knative-hpa-not-to-zero',
  {
    row: 'KN2',
    tier: 'advice',
    severity: 'info',
    summary: 'A service that hpa scales must set min-scale to at least 1.',
    why: 'A HorizontalPodAutoscaler never scales to zero: at least one replica always runs, regardless of min-scale.',
    source: `${KNATIVE}, pkg/reconciler/autoscaling/hpa/resources/hpa.go`,
    fix: 'Set autoscaling.knative.dev/min-scale: "1", or use kpa, which scales to zero.',
  },
  function* (revision) {
    const stated = autoscalingAnnotation(revision, 'class');
    const least = autoscalingAnnotation(revision, 'min-scale');
    if (stated?.value !== HPA || (least !== undefined && least.value !== '0')) {
      return;
    }
    yield {
      path: least?.path ?? stated.path,
      message: 'a service with hpa does not scale to zero',
      ...(least === undefined ? {} : { severity: 'warning' as const }),
    };
  },
);

const scaleBounds = revisionRule(
  'knative-scale-bounds-ordered',
  {
    row: 'KN3',
    summary:
      'min-scale and max-scale must be integers of at least 0, max-scale must be 0 or at least min-scale, and activation-scale must be at least 2 and between them.',
    why: 'The webhook rejects any others. A max-scale of 0 means no limit.',
    source: VALIDATION,
    fix: 'Set min-scale, max-scale, and activation-scale to numbers in quotes, because annotations are strings.',
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
          message: `${name} must be an integer greater than or equal to 0: "${stated.value}"`,
          found: stated.value,
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
      };
    }
    const activation = autoscalingAnnotation(revision, 'activation-scale');
    if (activation === undefined) {
      return;
    }
    const value = goInteger(activation.value);
    const fault =
      value === undefined
        ? 'must be an integer'
        : value < 2
          ? 'must be greater than or equal to 2'
          : value < least.value
            ? `must be greater than or equal to min-scale (${least.value})`
            : most.value !== 0 && value > most.value
              ? `must be less than or equal to max-scale (${most.value})`
              : undefined;
    if (fault !== undefined) {
      yield {
        path: activation.path,
        message: `activation-scale ${activation.value} ${fault}`,
        found: activation.value,
      };
    }
  },
);

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
    source: VALIDATION,
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
        message: `${name} is out of range: "${stated.value}"`,
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
    source: `${VALIDATION}; pkg/apis/serving/v1/revision_validation.go`,
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
        yield { path: stated.path, message: `${name} ${fault}: "${stated.value}"`, found: stated.value };
      }
    }
    const key = 'serving.knative.dev/progress-deadline';
    const deadline = revision.annotations.get(key) ?? '';
    const seconds = deadline === '' ? 0 : parseGoDuration(deadline);
    if (seconds === undefined || seconds < 0 || !Number.isInteger(seconds)) {
      yield {
        path: pointer(revision.annotationsPath, key),
        message: `progress-deadline must be a duration in whole seconds: "${deadline}"`,
        found: deadline,
        expected: 'for example 1200s',
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
    source: VALIDATION,
    fix: 'Set autoscaling.knative.dev/initial-scale to at least 1, or allow zero in config-autoscaler.',
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
        message: `initial-scale must be an integer greater than or equal to 0: "${stated.value}"`,
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
      message: 'initial-scale must not be 0 unless the cluster allows it',
      found: stated.value,
      severity: config === undefined ? 'warning' : 'error',
    };
  },
);

const onTemplate = revisionRule(
  'knative-scaling-on-template',
  {
    row: 'KN7',
    summary:
      'Autoscaling annotations must be set in the template of a Service or Configuration, not on the object itself.',
    why: 'Revisions are created from the template; the webhook rejects the annotations elsewhere.',
    source: `${KNATIVE}, pkg/apis/serving/metadata_validation.go`,
    fix: 'Move them to spec.template.metadata.annotations.',
  },
  function* ({ outer, isTemplate }) {
    if (!isTemplate) {
      return;
    }
    for (const key of outer.keys()) {
      if (key.startsWith(AUTOSCALING)) {
        yield {
          path: pointer('/metadata/annotations', key),
          message: `${key} must be set in the template, not on the object`,
          found: key,
          expected: `spec.template.metadata.annotations["${key}"]`,
        };
      }
    }
  },
);

const knownAnnotation = revisionRule(
  'knative-scaling-annotation-known',
  {
    row: 'KN7',
    tier: 'advice',
    severity: 'warning',
    summary: 'Annotations with the prefix autoscaling.knative.dev must be ones that Knative reads.',
    why: 'An unknown annotation is accepted and has no effect.',
    source: `${KNATIVE}, pkg/apis/autoscaling/register.go`,
    fix: 'Rename the annotation, for example to autoscaling.knative.dev/min-scale.',
  },
  function* (revision) {
    // An autoscaler of another domain may have annotations of its own.
    const autoscaler = classOf(revision);
    if (autoscaler !== KPA && autoscaler !== HPA) {
      return;
    }
    for (const key of revision.annotations.keys()) {
      if (!key.startsWith(`${AUTOSCALING}/`)) {
        continue;
      }
      const name = key.slice(AUTOSCALING.length + 1);
      const today = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      if (NAMES.includes(name)) {
        continue;
      }
      const path = pointer(revision.annotationsPath, key);
      if (NAMES.includes(today)) {
        yield {
          path,
          message: `${key} is deprecated`,
          found: key,
          expected: `${AUTOSCALING}/${today}`,
          fix: `Rename the annotation ${key} to ${AUTOSCALING}/${today}.`,
          severity: 'info',
        };
      } else {
        yield {
          path,
          message: `unknown annotation "${key}"`,
          found: key,
          expected: 'an annotation that Knative reads, such as autoscaling.knative.dev/min-scale',
          fix: 'Rename the annotation to one that Knative reads, such as autoscaling.knative.dev/min-scale, or remove it.',
        };
      }
    }
  },
);

const targetWithinConcurrency = revisionRule(
  'knative-target-within-concurrency',
  {
    row: 'KN4',
    tier: 'advice',
    severity: 'warning',
    summary: 'A target for concurrency must not exceed containerConcurrency.',
    why: 'No replica ever gets more requests than that at a time: Knative uses the lower of the two, so the target has no effect.',
    source: `${KNATIVE}, pkg/reconciler/autoscaling/resources/target.go`,
    fix: 'Lower autoscaling.knative.dev/target, or raise containerConcurrency.',
  },
  function* (revision) {
    const target = autoscalingAnnotation(revision, 'target');
    const limit = asInteger(revision.spec.containerConcurrency) ?? 0;
    const metric = autoscalingAnnotation(revision, 'metric')?.value ?? 'concurrency';
    if (target === undefined || limit <= 0 || classOf(revision) !== KPA || metric !== 'concurrency') {
      return;
    }
    const value = goNumber(target.value);
    if (value !== undefined && value > limit) {
      yield {
        path: target.path,
        message: `target exceeds containerConcurrency (${target.value} > ${limit})`,
        found: target.value,
        expected: `at most ${limit}`,
      };
    }
  },
);

export const knativeAutoscalingRules: readonly Rule[] = [
  knownClass,
  metricOfClass,
  hpaMetricStated,
  hpaNotToZero,
  scaleBounds,
  numbers,
  durations,
  initialScale,
  onTemplate,
  knownAnnotation,
  targetWithinConcurrency,
];
