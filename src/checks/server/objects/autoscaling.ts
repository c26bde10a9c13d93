/**
 * HorizontalPodAutoscaler and PodDisruptionBudget.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { asObject, isObject } from '../../../manifests/read';
import { parseQuantity } from '../../../manifests/values/quantity';
import { containerResourceName } from '../resource-names';
import { type Rule } from '../../rules/rule';
import { checkLabelSelector } from '../selectors';
import { type Say, objectRule, since } from '../server-rule';
import { dnsLabel, pathSegment } from '../../../manifests/values/name-syntax';
import { given, itemsOf, text, whole } from '../values';
import { checkShare } from '../workloads/apps';
import { oneOf } from '../../../facts/words';
import { fieldOf } from '../../../manifests/pointer';

const SOURCE = 'apis/autoscaling/validation/validation.go';
const METRICS: ReadonlyMap<string, string> = new Map([
  ['Object', 'object'],
  ['Pods', 'pods'],
  ['Resource', 'resource'],
  ['External', 'external'],
  ['ContainerResource', 'containerResource'],
]);

export const autoscalingRules: readonly Rule[] = [
  objectRule(
    'autoscaler-bounds',
    ['autoscaling/HorizontalPodAutoscaler'],
    {
      source: SOURCE,
      summary: 'minReplicas and maxReplicas must be at least 1, and maxReplicas at least minReplicas.',
      fix: 'Set spec.minReplicas to at least 1 and spec.maxReplicas to at least minReplicas.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      const least = whole(spec.minReplicas) ?? 1;
      const most = whole(spec.maxReplicas) ?? 0;
      if (least < 1) {
        say('/spec/minReplicas', `minReplicas must be greater than or equal to 1, but is ${least}`, {
          expected: 'at least 1 (scaling to zero needs a feature gate)',
        });
      }
      if (most < 1) {
        say('/spec/maxReplicas', 'maxReplicas must be greater than 0', { expected: 'at least 1' });
      } else if (most < least) {
        say('/spec/maxReplicas', `maxReplicas must be greater than or equal to minReplicas (${most} < ${least})`, {
          expected: `at least ${least}`,
        });
      }
    },
  ),

  objectRule(
    'autoscaler-target-valid',
    ['autoscaling/HorizontalPodAutoscaler'],
    {
      source: SOURCE,
      summary: 'scaleTargetRef must have a kind, a name, and a valid API version.',
      fix: 'Set spec.scaleTargetRef to the apiVersion, kind, and name of the workload.',
    },
    (object, say, context) => {
      const reference = asObject(asObject(object.spec).scaleTargetRef);
      checkTarget(reference, '/spec/scaleTargetRef', say);
      const version = text(reference.apiVersion);
      if (since(context, 34) && !/^[^/]+\//.test(version) && reference.kind !== 'ReplicationController') {
        say('/spec/scaleTargetRef/apiVersion', `apiVersion "${version}" must contain an API group`, {
          expected: 'the apiVersion of the target, such as apps/v1',
        });
      }
    },
  ),

  objectRule(
    'autoscaler-metric-valid',
    ['autoscaling/HorizontalPodAutoscaler'],
    {
      source: SOURCE,
      summary: 'A metric must have a type, exactly the source of that type, and a positive target of a supported type.',
      fix: 'Set type of the entry in spec.metrics, the source of that type, and a positive target.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      for (const { value, path } of itemsOf(spec.metrics, '/spec/metrics')) {
        const field = METRICS.get(text(value.type));
        if (field === undefined) {
          say(`${path}/type`, `unsupported metric type "${text(value.type)}"`, {
            expected: oneOf([...METRICS.keys()]),
          });
        } else if (!given(value[field])) {
          say(`${path}/${field}`, `${field} must be set for a metric of type ${text(value.type)}`);
        }
        const present = [...METRICS.values()].filter((source) => given(value[source]));
        for (const other of present) {
          if (present.length > 1 && other !== field) {
            say(
              `${path}/${other}`,
              `the metric must have only one source, but has ${present.length}: ${present.join(', ')}`,
              {
                fix: `Remove ${fieldOf(`${path}/${other}`)}, or set type to the type of this source.`,
              },
            );
          }
        }
        const source = present.length === 1 && present[0] !== undefined ? value[present[0]] : undefined;
        if (isObject(source)) {
          checkSource(present[0] ?? '', source, `${path}/${present[0] ?? ''}`, say);
        }
      }
      const version = text(object.apiVersion);
      const percent = whole(spec.targetCPUUtilizationPercentage);
      if (version === 'autoscaling/v1' && percent !== undefined && percent < 1) {
        say('/spec/targetCPUUtilizationPercentage', 'targetCPUUtilizationPercentage must be greater than 0');
      }
    },
  ),

  objectRule(
    'autoscaler-behavior-valid',
    ['autoscaling/HorizontalPodAutoscaler'],
    {
      source: SOURCE,
      summary:
        'Scaling rules must have policies of type Pods or Percent with positive values, periods of at most 1800 s, and windows of at most 3600 s.',
      fix: 'Set policies, stabilizationWindowSeconds, and selectPolicy in spec.behavior to supported values.',
    },
    (object, say, context) => {
      const behavior = asObject(asObject(object.spec).behavior);
      for (const direction of ['scaleUp', 'scaleDown']) {
        const rules = behavior[direction];
        if (!isObject(rules)) {
          continue;
        }
        checkScalingRules(rules, `/spec/behavior/${direction}`, say);
        if (since(context, 35) && amountOf(rules.tolerance)?.isNegative() === true) {
          say(`/spec/behavior/${direction}/tolerance`, 'tolerance must be greater than or equal to 0');
        }
      }
    },
  ),

  objectRule(
    'disruption-budget-valid',
    ['policy/PodDisruptionBudget'],
    {
      source: 'apis/policy/validation/validation.go',
      summary:
        'A PodDisruptionBudget must have either minAvailable or maxUnavailable as a count or percentage, and a valid selector.',
      fix: 'Set either spec.minAvailable or spec.maxUnavailable, and set spec.selector to valid labels.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      if (given(spec.minAvailable) && given(spec.maxUnavailable)) {
        say('/spec', 'minAvailable must not be set when maxUnavailable is set', { expected: 'one of them' });
      }
      checkShare(spec.minAvailable, '/spec/minAvailable', say, true);
      checkShare(spec.maxUnavailable, '/spec/maxUnavailable', say, true);
      checkLabelSelector(spec.selector, '/spec/selector', say);
      const eviction = spec.unhealthyPodEvictionPolicy;
      if (typeof eviction === 'string' && !['IfHealthyBudget', 'AlwaysAllow'].includes(eviction)) {
        say('/spec/unhealthyPodEvictionPolicy', `unsupported value "${eviction}" for unhealthyPodEvictionPolicy`, {
          expected: 'IfHealthyBudget or AlwaysAllow',
        });
      }
    },
  ),
];

function checkScalingRules(rules: JsonObject, path: string, say: Say): void {
  const window = whole(rules.stabilizationWindowSeconds);
  if (window !== undefined && (window < 0 || window > 3600)) {
    say(
      `${path}/stabilizationWindowSeconds`,
      `stabilizationWindowSeconds must be between 0 and 3600, but is ${window}`,
      {
        expected: '0-3600',
      },
    );
  }
  if (typeof rules.selectPolicy === 'string' && !['Max', 'Min', 'Disabled'].includes(rules.selectPolicy)) {
    say(`${path}/selectPolicy`, `unsupported value "${rules.selectPolicy}" for selectPolicy`, {
      expected: 'Max, Min, or Disabled',
    });
  }
  if (Array.isArray(rules.policies) && rules.policies.length === 0) {
    say(`${path}/policies`, 'policies must not be empty', {
      expected: 'at least one policy, or unset',
    });
  }
  for (const { value, path: at } of itemsOf(rules.policies, `${path}/policies`)) {
    if (!['Pods', 'Percent'].includes(text(value.type))) {
      say(`${at}/type`, `unsupported policy type "${text(value.type)}"`, { expected: 'Pods or Percent' });
    }
    if ((whole(value.value) ?? 0) <= 0) {
      say(`${at}/value`, 'value must be greater than 0');
    }
    const period = whole(value.periodSeconds) ?? 0;
    if (period <= 0 || period > 1800) {
      say(`${at}/periodSeconds`, `periodSeconds must be between 1 and 1800, but is ${period}`, { expected: '1-1800' });
    }
  }
}

function amountOf(value: JsonValue | undefined): ReturnType<typeof parseQuantity> {
  return typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
}

function checkTarget(reference: JsonObject, path: string, say: Say): void {
  for (const field of ['kind', 'name']) {
    const value = text(reference[field]);
    const complaint = value === '' ? 'be set' : pathSegment(value);
    if (complaint !== undefined) {
      say(`${path}/${field}`, `the ${field} must ${complaint}`);
    }
  }
  if (text(reference.apiVersion).split('/').length > 2) {
    say(`${path}/apiVersion`, `"${text(reference.apiVersion)}" is not a valid API version`, {
      expected: 'an API group and version such as apps/v1',
    });
  }
}

function checkSource(kind: string, source: JsonObject, path: string, say: Say): void {
  if (kind === 'object') {
    checkTarget(asObject(source.describedObject), `${path}/describedObject`, say);
  }
  if (kind === 'object' || kind === 'external' || kind === 'pods') {
    // The selector of a metric is not validated by the server.
    checkMetricName(asObject(source.metric), `${path}/metric/name`, say);
  } else {
    checkMetricResource(kind, source, path, say);
  }
  checkMetricTarget(asObject(source.target), `${path}/target`, say);
  checkTargetFields(kind, asObject(source.target), `${path}/target`, say);
}

function checkMetricName(metric: JsonObject, path: string, say: Say): void {
  const name = text(metric.name);
  const complaint = name === '' ? 'be set' : pathSegment(name);
  if (complaint !== undefined) {
    say(path, `the metric name must ${complaint}`);
  }
}

function checkMetricResource(kind: string, source: JsonObject, path: string, say: Say): void {
  const ofContainer = kind === 'containerResource';
  const name = text(source.name);
  const complaint = name === '' ? 'be set' : ofContainer ? containerResourceName(name) : undefined;
  if (complaint !== undefined) {
    say(`${path}/name`, `the resource name must ${complaint}`);
  }
  const container = ofContainer ? dnsLabel(text(source.container)) : undefined;
  if (container !== undefined) {
    say(`${path}/container`, `the container name must ${container}`);
  }
}

/** The types that the source of the metric has amounts for. */
function targetTypesOf(path: string): string {
  const source = /\/(\w+)\/target$/.exec(path)?.[1] ?? '';
  return /[rR]esource$/.test(source)
    ? 'Utilization or AverageValue'
    : source === 'pods'
      ? 'AverageValue'
      : 'Value or AverageValue';
}

function checkMetricTarget(target: JsonObject, path: string, say: Say): void {
  if (!['Utilization', 'Value', 'AverageValue'].includes(text(target.type))) {
    say(`${path}/type`, `unsupported target type "${text(target.type)}"`, {
      expected: 'Utilization, Value, or AverageValue',
      fix: `Set ${fieldOf(`${path}/type`)} to ${targetTypesOf(path)}.`,
    });
  }
  for (const field of ['value', 'averageValue']) {
    if (amountOf(target[field])?.isPositive() === false) {
      say(`${path}/${field}`, `${field} must be greater than 0`);
    }
  }
  const utilization = whole(target.averageUtilization);
  if (utilization !== undefined && utilization < 1) {
    say(`${path}/averageUtilization`, 'averageUtilization must be greater than 0');
  }
}

/** Which fields the target of each kind of metric has. */
function checkTargetFields(kind: string, target: JsonObject, path: string, say: Say): void {
  const has = (field: string): boolean => given(target[field]);
  switch (kind) {
    case 'object':
      if (!has('value') && !has('averageValue')) {
        say(path, 'value or averageValue must be set');
      }
      break;
    case 'external':
      checkEither('value');
      break;
    case 'pods':
      if (!has('averageValue')) {
        say(path, 'averageValue must be set', {
          fix: `Set ${fieldOf(`${path}/averageValue`)} to a quantity such as 10.`,
        });
      }
      break;
    default:
      checkEither('averageUtilization');
  }
  function checkEither(field: string): void {
    if (has(field) === has('averageValue')) {
      say(
        path,
        has(field) ? `${field} must not be set when averageValue is set` : `${field} or averageValue must be set`,
      );
    }
  }
}
