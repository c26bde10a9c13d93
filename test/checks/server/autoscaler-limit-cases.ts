/**
 * Bounds, metrics, and scaling rules of a HorizontalPodAutoscaler at their limits.
 */
import { faulty, type LimitCase, valid } from './limit-case';
import { type Json } from './valid';

const autoscaler = (spec: Json): Json => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web', namespace: 'default' },
  spec: { maxReplicas: 5, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, ...spec },
});

const BOUNDS: readonly LimitCase[] = [
  valid('an autoscaler for 1 replica at most', autoscaler({ maxReplicas: 1 })),
  valid('an autoscaler for 3 to 3 replicas', autoscaler({ minReplicas: 3, maxReplicas: 3 })),
  faulty('an autoscaler for 0 replicas at most', autoscaler({ maxReplicas: 0 }), '/spec/maxReplicas'),
  faulty('an autoscaler for 0 replicas at least', autoscaler({ minReplicas: 0 }), '/spec/minReplicas'),
  faulty(
    'an autoscaler for 4 to 3 replicas',
    autoscaler({ minReplicas: 4, maxReplicas: 3 }),
    '/spec/maxReplicas',
    '3 < 4',
  ),
];

const metric = { name: 'queued' };
const average = { type: 'AverageValue', averageValue: 5 };
const total = { type: 'Value', value: 5 };
const utilization = { type: 'Utilization', averageUtilization: 50 };
const describedObject = { apiVersion: 'v1', kind: 'Service', name: 'web' };
/** By type, a source without its target. */
const SOURCES = {
  Resource: { name: 'cpu' },
  ContainerResource: { name: 'cpu', container: 'main' },
  Pods: { metric },
  Object: { metric, describedObject },
  External: { metric },
} satisfies Readonly<Record<string, Json>>;
type MetricType = keyof typeof SOURCES;

const fieldOf = (type: MetricType): string => type.charAt(0).toLowerCase() + type.slice(1);
const source = (type: MetricType, target: Json): Json => ({ [fieldOf(type)]: { ...SOURCES[type], target } });
const measuring = (...metrics: Json[]): Json => autoscaler({ metrics });
const targetOf = (type: MetricType, target: Json): Json => measuring({ type, ...source(type, target) });
const METRIC = '/spec/metrics/0';

const METRICS: readonly LimitCase[] = [
  ...(['Resource', 'ContainerResource'] as const).flatMap((type) => [
    valid(`a ${type} metric with a utilization`, targetOf(type, utilization)),
    valid(`a ${type} metric with an average`, targetOf(type, average)),
    faulty(
      `a ${type} metric with both`,
      targetOf(type, { ...utilization, ...average }),
      `${METRIC}/${fieldOf(type)}/target`,
      'must not be set when averageValue is set',
    ),
    faulty(
      `a ${type} metric with neither`,
      targetOf(type, { type: 'Utilization' }),
      `${METRIC}/${fieldOf(type)}/target`,
      'averageUtilization or averageValue must be set',
    ),
  ]),
  valid('an External metric with a value', targetOf('External', total)),
  valid('an External metric with an average', targetOf('External', average)),
  faulty(
    'an External metric with both',
    targetOf('External', { ...total, ...average }),
    `${METRIC}/external/target`,
    'value must not be set when averageValue is set',
  ),
  faulty(
    'an External metric with neither',
    targetOf('External', { type: 'Value' }),
    `${METRIC}/external/target`,
    'value or averageValue must be set',
  ),
  valid('an Object metric with a value', targetOf('Object', total)),
  valid('an Object metric with both', targetOf('Object', { ...total, ...average })),
  faulty(
    'an Object metric with neither',
    targetOf('Object', { type: 'Value' }),
    `${METRIC}/object/target`,
    'must be set',
  ),
  valid('a Pods metric with an average', targetOf('Pods', average)),
  faulty('a Pods metric with a value', targetOf('Pods', total), `${METRIC}/pods/target`, 'averageValue must be set'),
  valid('a metric with a utilization of 1', targetOf('Resource', { ...utilization, averageUtilization: 1 })),
  faulty(
    'a metric with a utilization of 0',
    targetOf('Resource', { ...utilization, averageUtilization: 0 }),
    `${METRIC}/resource/target/averageUtilization`,
  ),
  valid('a metric with an average of 1m', targetOf('Pods', { ...average, averageValue: '1m' })),
  faulty(
    'a metric with an average of 0',
    targetOf('Pods', { ...average, averageValue: 0 }),
    `${METRIC}/pods/target/averageValue`,
  ),
  faulty(
    'a metric with a value of -1',
    targetOf('External', { ...total, value: -1 }),
    `${METRIC}/external/target/value`,
  ),
  faulty('a metric of no type', measuring({ type: 'Cpu', ...source('Pods', average) }), `${METRIC}/type`),
  faulty(
    'a metric with the source of another type',
    measuring({ type: 'Resource', ...source('Pods', average) }),
    `${METRIC}/resource`,
    'must be set',
  ),
  faulty(
    'a metric with two sources',
    measuring({ type: 'Resource', ...source('Resource', utilization), ...source('Pods', average) }),
    `${METRIC}/pods`,
    'only one source, but has 2',
  ),
];

const scaling = (rules: Json): Json => autoscaler({ behavior: { scaleUp: rules } });
const policy = (more: Json): Json =>
  scaling({ policies: [{ type: 'Percent', value: 100, periodSeconds: 60, ...more }] });
const RULES = '/spec/behavior/scaleUp';

const BEHAVIORS: readonly LimitCase[] = [
  ...[0, 3600].map((seconds) => valid(`a window of ${seconds} s`, scaling({ stabilizationWindowSeconds: seconds }))),
  ...[-1, 3601].map((seconds) =>
    faulty(
      `a window of ${seconds} s`,
      scaling({ stabilizationWindowSeconds: seconds }),
      `${RULES}/stabilizationWindowSeconds`,
    ),
  ),
  ...['Max', 'Min', 'Disabled'].map((selectPolicy) => valid(`the choice ${selectPolicy}`, scaling({ selectPolicy }))),
  faulty('the choice Most', scaling({ selectPolicy: 'Most' }), `${RULES}/selectPolicy`),
  faulty('no scaling policies', scaling({ policies: [] }), `${RULES}/policies`),
  ...['Pods', 'Percent'].map((type) => valid(`a scaling policy of the type ${type}`, policy({ type }))),
  faulty('a scaling policy of the type Nodes', policy({ type: 'Nodes' }), `${RULES}/policies/0/type`),
  valid('a scaling policy of 1', policy({ value: 1 })),
  faulty('a scaling policy of 0', policy({ value: 0 }), `${RULES}/policies/0/value`),
  ...[1, 1800].map((seconds) => valid(`a scaling policy for ${seconds} s`, policy({ periodSeconds: seconds }))),
  ...[0, 1801].map((seconds) =>
    faulty(
      `a scaling policy for ${seconds} s`,
      policy({ periodSeconds: seconds }),
      `${RULES}/policies/0/periodSeconds`,
    ),
  ),
];

export const AUTOSCALER_LIMIT_CASES: readonly LimitCase[] = [...BOUNDS, ...METRICS, ...BEHAVIORS];
