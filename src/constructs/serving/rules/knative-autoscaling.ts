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
      'The autoscaler of a revision is kpa.autoscaling.knative.dev, hpa.autoscaling.knative.dev, or one of another domain.',
    why: "The webhook refuses a class of Knative's own domain that there is not.",
    source: VALIDATION,
    fix: 'Write kpa.autoscaling.knative.dev, or leave it out.',
  },
  function* (revision) {
    const stated = autoscalingAnnotation(revision, 'class');
    if (stated === undefined || stated.value === KPA || stated.value === HPA || !stated.value.endsWith(AUTOSCALING)) {
      return;
    }
    yield {
      path: stated.path,
      message: `there is no autoscaler ${stated.value}`,
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
      'kpa scales by concurrency or rps, averaged linear or weightedExponential; hpa by cpu, memory or a custom metric.',
    why: 'The webhook refuses another metric or average with kpa.',
    source: VALIDATION,
    fix: 'Use concurrency or rps; for CPU say class hpa.autoscaling.knative.dev.',
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
        message: `there is no average ${average.value}`,
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
        message: `kpa does not scale by ${metric.value}`,
        found: metric.value,
        expected: 'concurrency or rps',
      };
    } else if (autoscaler === HPA && metric.value === '') {
      yield {
        path: metric.path,
        message: 'the metric is empty',
        found: '',
        expected: 'cpu, memory or a custom metric',
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
    summary: 'A service that is scaled by hpa says by which metric.',
    why: 'Without one it is CPU, and target is a percentage of it: target 10 means 10 % CPU, not 10 requests. A model server waits for its GPU at any CPU.',
    source: `${KNATIVE}, pkg/apis/autoscaling/v1alpha1/pa_defaults.go; pkg/reconciler/autoscaling/hpa/resources/hpa.go`,
    fix: 'Write class kpa.autoscaling.knative.dev and metric concurrency, or name the metric.',
  },
  function* (revision) {
    const stated = autoscalingAnnotation(revision, 'class');
    if (stated?.value !== HPA || autoscalingAnnotation(revision, 'metric') !== undefined) {
      return;
    }
    const target = autoscalingAnnotation(revision, 'target');
    yield {
      path: target?.path ?? stated.path,
      message: target === undefined ? 'the metric of hpa is CPU' : `target ${target.value} means ${target.value} % CPU`,
      found: stated.value,
      expected: `${KPA}, metric concurrency`,
    };
  },
);

const hpaNotToZero = revisionRule(
  'knative-hpa-not-to-zero',
  {
    row: 'KN2',
    tier: 'advice',
    severity: 'info',
    summary: 'A service that is scaled by hpa states min-scale 1 or more.',
    why: 'A HorizontalPodAutoscaler never goes to zero: one replica always runs, whatever min-scale says.',
    source: `${KNATIVE}, pkg/reconciler/autoscaling/hpa/resources/hpa.go`,
    fix: 'State min-scale: "1", or use kpa, which goes to zero.',
  },
  function* (revision) {
    const stated = autoscalingAnnotation(revision, 'class');
    const least = autoscalingAnnotation(revision, 'min-scale');
    if (stated?.value !== HPA || (least !== undefined && least.value !== '0')) {
      return;
    }
    yield {
      path: least?.path ?? stated.path,
      message: 'the service does not scale to zero',
      ...(least === undefined ? {} : { severity: 'warning' as const }),
    };
  },
);

const scaleBounds = revisionRule(
  'knative-scale-bounds-ordered',
  {
    row: 'KN3',
    summary:
      'min-scale and max-scale are whole numbers of 0 or more, max-scale is 0 or at least min-scale, activation-scale at least 2 and between them.',
    why: 'The webhook refuses others. max-scale 0 stands for no limit.',
    source: VALIDATION,
    fix: 'Correct the numbers; annotations are texts, so put them in quotes.',
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
          message: `${name} "${stated.value}" is no whole number of 0 or more`,
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
        message: `max-scale ${most.value} is less than min-scale ${least.value}`,
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
        ? 'is no whole number'
        : value < 2
          ? 'is less than 2'
          : value < least.value
            ? `is less than min-scale ${least.value}`
            : most.value !== 0 && value > most.value
              ? `is more than max-scale ${most.value}`
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
      'target is at least 0.01, target-utilization-percentage 1 to 100, target-burst-capacity 0 or more or -1, panic-window-percentage 1 to 100, panic-threshold-percentage 110 to 1000.',
    why: 'The webhook refuses others.',
    source: VALIDATION,
    fix: 'Correct the number.',
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
      yield {
        path: stated.path,
        message: `${name} "${stated.value}" is out of range`,
        found: stated.value,
        expected:
          most === undefined ? `at least ${least}${also === undefined ? '' : `, or ${also}`}` : `${least} to ${most}`,
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
      'window is 6s to 1h, scale-down-delay and scale-to-zero-pod-retention-period 0 to 1h, the first two in whole seconds; progress-deadline is a duration in whole seconds.',
    why: 'The webhook refuses others.',
    source: `${VALIDATION}; pkg/apis/serving/v1/revision_validation.go`,
    fix: 'Write a duration with its unit, for example 60s or 10m.',
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
          ? 'is no duration'
          : seconds < least || seconds > HOUR
            ? `is not within ${least}s to 1h`
            : whole && !Number.isInteger(seconds)
              ? 'has parts of seconds'
              : undefined;
      if (fault !== undefined) {
        yield { path: stated.path, message: `${name} "${stated.value}" ${fault}`, found: stated.value };
      }
    }
    const key = 'serving.knative.dev/progress-deadline';
    const deadline = revision.annotations.get(key) ?? '';
    const seconds = deadline === '' ? 0 : parseGoDuration(deadline);
    if (seconds === undefined || seconds < 0 || !Number.isInteger(seconds)) {
      yield {
        path: pointer(revision.annotationsPath, key),
        message: `progress-deadline "${deadline}" is no duration in whole seconds`,
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
    summary: 'initial-scale is a whole number of 0 or more; 0 only where the cluster allows it.',
    why: 'The webhook refuses others, and 0 unless config-autoscaler says allow-zero-initial-scale: "true".',
    source: VALIDATION,
    fix: 'State 1 or more, or allow zero in config-autoscaler.',
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
        message: `initial-scale "${stated.value}" is no whole number of 0 or more`,
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
      message: 'initial-scale 0 is refused unless the cluster allows it',
      found: stated.value,
      severity: config === undefined ? 'warning' : 'error',
    };
  },
);

const onTemplate = revisionRule(
  'knative-scaling-on-template',
  {
    row: 'KN7',
    summary: 'Autoscaling annotations stand on the template of a Service or Configuration, not on the object itself.',
    why: 'Revisions are made from the template; the webhook refuses them outside of it.',
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
          message: `${key} stands on the object`,
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
    summary: 'Annotations below autoscaling.knative.dev are ones that Knative reads.',
    why: 'Another is taken and means nothing.',
    source: `${KNATIVE}, pkg/apis/autoscaling/register.go`,
    fix: 'Correct the name: min-scale, max-scale, target, …',
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
          message: `${name} is the old name`,
          found: key,
          expected: `${AUTOSCALING}/${today}`,
          severity: 'info',
        };
      } else {
        yield { path, message: `Knative reads no annotation ${key}`, found: key, expected: NAMES.join(', ') };
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
    summary: 'A target of concurrency is not above containerConcurrency.',
    why: 'No replica ever gets more requests than that at a time: Knative takes the lower of the two, and the target is never what was written.',
    source: `${KNATIVE}, pkg/reconciler/autoscaling/resources/target.go`,
    fix: 'Lower the target, or raise containerConcurrency.',
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
        message: `the target ${target.value} is above containerConcurrency ${limit}`,
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
