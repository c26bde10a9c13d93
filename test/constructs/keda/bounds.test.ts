/**
 * KEDA's rules at their bounds, and where their findings point.
 */
import { kedaRules } from '../../../src/constructs/keda/rules';
import { findingsOf } from '../../support/findings';
import { CPU, CRON, prometheus, QUEUE, scaledJob, scaledObject } from './objects';

const found = (text: string, rule: string): ReturnType<typeof findingsOf> =>
  findingsOf(text, kedaRules).filter((finding) => finding.rule === `keda/${rule}`);
const mentions = (text: string, word: string): number =>
  findingsOf(text, kedaRules).filter(({ message }) => message.includes(word)).length;
const queue = (more: string): string => QUEUE.replace(/, host: /, `, ${more}, host: `);

test.each([
  ['"1"', 0],
  ['"0"', 1],
  ['"-3"', 1],
  ['"0x"', 0],
  ['"x0"', 0],
])('a page of %s queues', (pageSize, count) => {
  expect(mentions(scaledObject([queue(`pageSize: ${pageSize}`)]), 'pageSize must be')).toBe(count);
});

test('a parameter that is nearly one is reported with it, another one without', () => {
  const unknown = (name: string): readonly (string | undefined)[] =>
    findingsOf(scaledObject([queue(`${name}: "1"`)]), kedaRules)
      .filter(({ message }) => message.includes(`unknown parameter "${name}"`))
      .map(({ expected }) => expected);
  expect(unknown('pageSizes')).toEqual(['pageSize']);
  expect(unknown('somethingElseEntirely')).toEqual([expect.stringMatching(/^a parameter such as \w+, \w+, or \w+$/)]);
});

test('a minimum of 0 with CPU triggers alone is reported where it is, or at the spec that has none', () => {
  const rule = findingsOf(scaledObject([CPU]), kedaRules).find(({ message }) =>
    message.includes('minReplicaCount is'),
  )?.rule;
  const paths = (spec: string): readonly string[] =>
    found(scaledObject([CPU], { spec }), (rule ?? '').replace('keda/', '')).map(({ path }) => path);
  expect(paths('minReplicaCount: 0')).toEqual(['/spec/minReplicaCount']);
  expect(paths('cooldownPeriod: 300')).toEqual(['/spec']);
  expect(paths('minReplicaCount: 1')).toEqual([]);
});

const QUERY = prometheus('sum(a)');
const paths = (rule: string, text: string): readonly string[] => found(text, rule).map(({ path }) => path);

describe('replicas', () => {
  test.each([
    ['idleReplicaCount: 0\nminReplicaCount: 0', []],
    ['idleReplicaCount: 1\nminReplicaCount: 0', ['minReplicaCount (0)']],
    ['idleReplicaCount: 1\nminReplicaCount: 2', []],
    ['idleReplicaCount: 2\nminReplicaCount: 2', ['minReplicaCount (2)']],
    ['idleReplicaCount: 0', ['minReplicaCount, which defaults to 0']],
  ])('idle ones: %j', (spec, than) => {
    const messages = found(scaledObject([QUERY], { spec }), 'idle-below-min').map(({ message }) => message);
    expect(messages.map((message) => message.split(' must be less than ')[1])).toEqual(than);
  });

  test.each([
    ['cooldownPeriod: 300', []],
    ['cooldownPeriod: 300\nminReplicaCount: 1', ['/spec/cooldownPeriod']],
    ['cooldownPeriod: 0\nminReplicaCount: 1', []],
    ['initialCooldownPeriod: 1\nminReplicaCount: 1', ['/spec/initialCooldownPeriod']],
    ['cooldownPeriod: 300\nminReplicaCount: 1\nidleReplicaCount: 0', []],
    ['cooldownPeriod: 300\nminReplicaCount: null', []],
  ])('a cooldown that has an effect: %j', (spec, expected) => {
    expect(paths('cooldown-has-effect', scaledObject([QUERY], { spec }))).toEqual(expected);
  });

  test.each([
    ['', [QUERY], 0],
    ['fallback: {failureThreshold: 1, replicas: 1}', [QUERY], 0],
    ['fallback: {failureThreshold: 1, replicas: 1}', [CPU, QUERY], 0],
    ['fallback: {failureThreshold: 1, replicas: 1}', [CPU], 1],
    ['fallback: {failureThreshold: 1, replicas: 1}\nadvanced: {scalingModifiers: {formula: "1"}}', [CPU], 0],
    [
      'fallback: {failureThreshold: 1, replicas: 1}\nadvanced: {scalingModifiers: {formula: "", target: null}}',
      [CPU],
      1,
    ],
    ['minReplicaCount: 1', [CPU], 0],
  ])('a fallback: %j', (spec, triggers, count) => {
    expect(found(scaledObject(triggers, { spec }), 'fallback-has-trigger')).toHaveLength(count);
  });

  test.each([
    ['{strategy: custom, customScalingRunningJobPercentage: "0.5"}', []],
    ['{strategy: custom, customScalingRunningJobPercentage: ".5e1"}', []],
    ['{strategy: custom, customScalingRunningJobPercentage: "0.5x"}', ['/customScalingRunningJobPercentage']],
    ['{strategy: custom, customScalingRunningJobPercentage: "x0.5"}', ['/customScalingRunningJobPercentage']],
    ['{strategy: custom, customScalingRunningJobPercentage: 1}', ['/customScalingRunningJobPercentage']],
    ['{strategy: custom}', ['']],
    ['{strategy: eager, customScalingRunningJobPercentage: "1"}', ['/customScalingRunningJobPercentage']],
    ['{strategy: eager, customScalingQueueLengthDeduction: 1}', ['/customScalingQueueLengthDeduction']],
    ['{strategy: eager}', []],
  ])('the strategy %s of a ScaledJob', (strategy, expected) => {
    const text = scaledJob([QUERY], { spec: `scalingStrategy: ${strategy}` });
    expect(paths('scaled-job-strategy-complete', text)).toEqual(expected.map((path) => `/spec/scalingStrategy${path}`));
  });
});

describe('annotations that pause', () => {
  const paused = (key: string, value: string): readonly (string | undefined)[] =>
    found(
      scaledObject([QUERY], { annotations: `{autoscaling.keda.sh/${key}: ${JSON.stringify(value)}}` }),
      'pause-annotation-value',
    ).map(({ tier }) => tier);

  test.each(['1', 't', 'T', 'TRUE', 'true', 'True', '0', 'f', 'F', 'FALSE', 'false', 'False'])(
    'are true or false: %s',
    (value) => {
      expect(paused('paused', value)).toEqual([]);
    },
  );

  test.each(['yes', '', 'tRUE', '2'])('are true whatever else they say: %s', (value) => {
    for (const key of ['paused', 'paused-scale-in', 'paused-scale-out', 'force-activation']) {
      expect(paused(key, value)).toEqual(['advice']);
    }
  });

  test.each([
    ['0', []],
    ['+3', []],
    ['0000000003', []],
    ['2147483647', []],
    ['-0', []],
    ['-1', ['webhook']],
    ['1x', ['webhook']],
    ['x1', ['webhook']],
    ['2147483648', ['webhook']],
  ])('at %s replicas', (value, tiers) => {
    expect(paused('paused-replicas', value)).toEqual(tiers);
  });
});

describe('values of cpu, memory, and cron triggers', () => {
  const resource = (metricType: string, value: string): string =>
    scaledObject([`type: cpu\nmetricType: ${metricType}\nmetadata: {value: ${JSON.stringify(value)}}`]);

  test.each([
    ['Utilization', ' 70 ', 0],
    ['Utilization', '+070', 0],
    ['Utilization', '0', 1],
    ['Utilization', '70%', 1],
    ['Utilization', 'x70', 1],
    ['Utilization', '500m', 1],
    ['AverageValue', ' 500m ', 0],
    ['AverageValue', '70%', 1],
    ['Value', '70%', 0],
  ])('%s %s', (metricType, value, count) => {
    expect(found(resource(metricType, value), 'resource-trigger-value')).toHaveLength(count);
  });

  const cron = (key: string, value: string): readonly string[] =>
    found(
      scaledObject([CRON.replace(new RegExp(`${key}: [^,}]+`), `${key}: ${JSON.stringify(value)}`)]),
      'cron-window',
    ).map(({ path, tier }) => `${tier} ${path.replace('/spec/triggers/0/metadata/', '')}`);

  test.each([
    ['desiredReplicas', '1', []],
    ['desiredReplicas', '0', ['webhook desiredReplicas']],
    ['desiredReplicas', '-1', ['advice desiredReplicas']],
    ['desiredReplicas', '0x', []],
    ['desiredReplicas', 'x0', []],
    ['timezone', 'Local', []],
    ['timezone', 'Mars/Base', ['advice timezone']],
    ['start', 'TZ=UTC 0 8 * * *', []],
    ['start', 'CRON_TZ=UTC 0 8 * * *', []],
    ['start', '0 8 * * * TZ=UTC ', ['webhook start']],
    ['start', '@daily', ['webhook start']],
    ['start', '0 18 * * 1-5', ['webhook end']],
  ])('%s %s of a cron trigger', (key, value, expected) => {
    expect(cron(key, value)).toEqual(expected);
  });

  test('the type of the metric is where it is wrong, or at the trigger that has none', () => {
    const typed = (trigger: string): readonly string[] => paths('metric-type-fits', scaledObject([trigger]));
    expect(typed('type: cpu\nmetadata: {value: "70"}')).toEqual(['/spec/triggers/0']);
    expect(typed('type: cpu\nmetricType: Value\nmetadata: {value: "70"}')).toEqual(['/spec/triggers/0/metricType']);
    expect(typed(`${QUERY}metricType: Utilization`)).toEqual(['/spec/triggers/0/metricType']);
    expect(typed(`${QUERY}metricType: Value`)).toEqual([]);
  });
});

describe('queries of Prometheus', () => {
  test.each([
    ['sum(a', 'prometheus', ['prometheus-query-valid']],
    ['sum(a', 'predictkube', ['prometheus-query-valid']],
    ['1', 'prometheus', ['prometheus-query-valid']],
    ['1', 'predictkube', []],
    ['a', 'prometheus', ['prometheus-query-gives-one-value']],
    ['a', 'predictkube', []],
    [' ', 'prometheus', []],
    ['sum(vllm:num_requests_waiting)', 'prometheus', ['first-replica-has-signal']],
    ['sum(vllm:num_requests_waiting) + sum(gateway_requests)', 'prometheus', []],
  ])('%j of %s', (query, type, rules) => {
    const names = ['prometheus-query-valid', 'prometheus-query-gives-one-value', 'first-replica-has-signal'];
    const text = scaledObject([prometheus(query).replace('type: prometheus', `type: ${type}`)]);
    const seen = findingsOf(text, kedaRules).map(({ rule }) => rule.replace('keda/', ''));
    expect(seen.filter((rule) => names.includes(rule))).toEqual(rules);
  });

  test.each([
    ['', 1],
    ['minReplicaCount: null', 1],
    ['minReplicaCount: 0', 1],
    ['minReplicaCount: 1', 0],
    ['minReplicaCount: 1\nidleReplicaCount: 0', 1],
    ['minReplicaCount: 2\nidleReplicaCount: 1', 0],
  ])('the first replica of a target with %j', (spec, count) => {
    const text = scaledObject([prometheus('sum(vllm:num_requests_waiting)')], { spec });
    expect(found(text, 'first-replica-has-signal')).toHaveLength(count);
  });
});

describe('parameters in the wrong place', () => {
  const said = (trigger: string): readonly string[] =>
    findingsOf(scaledObject([trigger]), kedaRules)
      .filter(({ rule }) => /parameter-(known|left|current|given)/.test(rule))
      .map(({ message, expected }) => `${message}${expected === undefined ? '' : ` (${String(expected)})`}`);

  test('one that is not read from a variable', () => {
    expect(said(queue('queueNameFromEnv: QUEUE'))).toEqual([
      'the rabbitmq scaler does not read queueName from an environment variable',
    ]);
    expect(said(queue('hostFromEnv: HOST'))).toEqual([]);
  });

  test('one that is not read from the metadata', () => {
    expect(said(`${prometheus('sum(a)', 'bearerToken: a')}`)).toEqual([
      'the prometheus scaler does not read bearerToken from metadata (bearerToken from a TriggerAuthentication)',
    ]);
  });

  test('what KEDA has removed is an error of the controller', () => {
    const trigger = 'type: cpu\nmetricType: Utilization\nmetadata: {type: Utilization, value: "1"}';
    expect(found(scaledObject([trigger]), 'parameter-current')).toMatchObject([{ severity: 'error', tier: 'webhook' }]);
  });

  test('a complaint about a parameter is at the parameter, and one about missing ones at the metadata', () => {
    const at = (metadata: string): readonly string[] =>
      paths('parameters-agree', scaledObject([`type: nsq\nmetadata: ${metadata}`]));
    expect(at('{nsqLookupdHTTPAddresses: a, topic: t, channel: c, depthThreshold: "0"}')).toEqual([
      '/spec/triggers/0/metadata/depthThreshold',
    ]);
    expect(paths('parameters-agree', scaledObject(['type: mssql\nmetadata: {query: q, targetValue: "1"}']))).toEqual([
      '/spec/triggers/0/metadata',
    ]);
  });

  test('an empty formula is none', () => {
    const spec = 'advanced: {scalingModifiers: {formula: "", target: "1"}}';
    expect(paths('formula-compiles', scaledObject([QUERY], { spec }))).toEqual([]);
    expect(paths('formula-names-triggers', scaledObject([QUERY], { spec }))).toEqual([]);
  });

  test('what CPU triggers had in the metadata goes beside it', () => {
    const [old] = found(
      scaledObject(['type: cpu\nmetricType: Utilization\nmetadata: {type: AverageValue, value: "1"}']),
      'parameter-current',
    );
    expect(old.fix).toBe('Remove metadata.type, and set metricType: AverageValue in the trigger, next to metadata.');
  });
});
