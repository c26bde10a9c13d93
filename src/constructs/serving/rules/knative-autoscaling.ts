/**
 * Autoscaling annotations of Knative: classes, metrics, and names that its webhook rejects or that have no effect.
 */
import { type Rule } from '../../../checks/rules/rule';
import { pointer } from '../../../manifests/pointer';
import { asInteger } from '../../../manifests/read';
import { knativeScalingValueRules } from './knative-scaling-values';
import {
  AUTOSCALING,
  AUTOSCALING_VALIDATION,
  autoscalingAnnotation,
  goNumber,
  HPA,
  KNATIVE,
  KPA,
  revisionRule,
  type RevisionView,
} from './serving-rule';

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
    source: AUTOSCALING_VALIDATION,
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
    source: AUTOSCALING_VALIDATION,
    fix: 'Set autoscaling.knative.dev/metric to concurrency or rps, or set autoscaling.knative.dev/class to hpa.autoscaling.knative.dev to scale on CPU.',
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
        message: `unsupported aggregation algorithm "${average.value}"`,
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
        message: `unsupported metric "${metric.value}" for the kpa class`,
        found: metric.value,
        expected: 'concurrency or rps',
      };
    } else if (autoscaler === HPA && metric.value === '') {
      yield {
        path: metric.path,
        message: 'autoscaling.knative.dev/metric must not be empty',
        found: '',
        expected: 'cpu, memory, or a custom metric',
        fix: 'Set autoscaling.knative.dev/metric to cpu, memory, or a custom metric.',
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
    summary: 'A service that the hpa class scales should set its metric.',
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
          ? 'autoscaling.knative.dev/metric is unset, so the hpa class scales on CPU'
          : `autoscaling.knative.dev/metric is unset, so the hpa class scales on CPU, and a target of ${target.value} means ${target.value}% of the requested CPU`,
      found: stated.value,
      expected: `the metric cpu, or the class ${KPA} with the metric concurrency`,
    };
  },
);

const hpaNotToZero = revisionRule(
  'knative-hpa-not-to-zero',
  {
    row: 'KN2',
    tier: 'advice',
    severity: 'info',
    summary: 'A service that the hpa class scales must set min-scale to at least 1.',
    why: 'A HorizontalPodAutoscaler never scales to zero: at least one replica always runs, regardless of min-scale.',
    source: `${KNATIVE}, pkg/reconciler/autoscaling/hpa/resources/hpa.go`,
    fix: 'Set autoscaling.knative.dev/min-scale to "1", or set autoscaling.knative.dev/class to kpa.autoscaling.knative.dev, which scales to zero.',
  },
  function* (revision) {
    const stated = autoscalingAnnotation(revision, 'class');
    const least = autoscalingAnnotation(revision, 'min-scale');
    if (stated?.value !== HPA || (least !== undefined && least.value !== '0')) {
      return;
    }
    yield {
      path: least?.path ?? stated.path,
      message: `min-scale is ${least === undefined ? 'unset, which means 0' : '0'}, but the hpa class does not scale to zero: it keeps at least one replica`,
      ...(least === undefined ? {} : { severity: 'warning' as const }),
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
    fix: 'Move the annotations to spec.template.metadata.annotations.',
  },
  function* ({ outer, isTemplate }) {
    if (!isTemplate) {
      return;
    }
    for (const key of outer.keys()) {
      if (key.startsWith(AUTOSCALING)) {
        yield {
          path: pointer('/metadata/annotations', key),
          message: `the annotation ${key} must be set in spec.template, not on the object itself`,
          fix: `Move the annotation ${key} to spec.template.metadata.annotations.`,
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
          message: `the annotation ${key} is deprecated`,
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
          fix: `Rename the annotation ${key} to one that Knative reads, such as autoscaling.knative.dev/min-scale, or remove it.`,
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
    fix: 'Decrease autoscaling.knative.dev/target, or increase containerConcurrency.',
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
        message: `target must be less than or equal to containerConcurrency (${target.value} > ${limit})`,
        fix: `Set autoscaling.knative.dev/target to at most "${limit}", or containerConcurrency to at least ${target.value}.`,
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
  ...knativeScalingValueRules,
  onTemplate,
  knownAnnotation,
  targetWithinConcurrency,
];
