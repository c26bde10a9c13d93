/**
 * What a ScaledObject scales: other autoscalers, requests, containers, and variables of its target.
 */
import { type Finding } from '../../../src/checks/report/finding';
import { kedaRules } from '../../../src/constructs/keda/rules';
import { findingsOf } from '../../support/findings';
import { CPU, deployment, hpa, limitRange, prometheus, scaledJob, scaledObject } from './objects';

const found = (rule: string, ...documents: readonly string[]): readonly Finding[] =>
  findingsOf(documents.join(''), kedaRules).filter((finding) => finding.rule === `keda/${rule}`);
const messages = (rule: string, ...documents: readonly string[]): readonly string[] =>
  found(rule, ...documents).map(({ message }) => message);
const QUERY = prometheus('sum(a)');
const TRANSFER = '{scaledobject.keda.sh/transfer-hpa-ownership: "true"}';

describe('a HorizontalPodAutoscaler of the same target', () => {
  const beside = (object: string, autoscaler: string): readonly string[] =>
    messages('target-scaled-once', object, autoscaler);
  const owned = (kind: string, name: string): string =>
    hpa().replace('annotations: {}', `ownerReferences: [{kind: ${kind}, name: ${name}}]`);

  test('is reported, unless the ScaledObject owns it', () => {
    const already = 'Deployment "chat" is already scaled by the HorizontalPodAutoscaler "by-hand"';
    expect(beside(scaledObject([QUERY]), hpa())).toEqual([already]);
    expect(beside(scaledObject([QUERY]), owned('ScaledObject', 'chat'))).toEqual([]);
    expect(beside(scaledObject([QUERY]), owned('ScaledObject', 'other'))).toEqual([already]);
    expect(beside(scaledObject([QUERY]), owned('Deployment', 'chat'))).toEqual([already]);
    expect(beside(scaledObject([QUERY]), hpa('{}', '{apiVersion: apps/v1, kind: StatefulSet, name: chat}'))).toEqual(
      [],
    );
    expect(beside(scaledObject([QUERY]), hpa('{}', '{apiVersion: v1, kind: Deployment, name: chat}'))).toEqual([]);
  });

  test('is taken over by its name', () => {
    const named = (name: string): string => `advanced: {horizontalPodAutoscalerConfig: {name: ${name}}}`;
    const taking = (spec: string): readonly Finding[] =>
      found('target-scaled-once', scaledObject([QUERY], { annotations: TRANSFER, spec }), hpa());
    expect(taking(named('by-hand'))).toEqual([]);
    const message =
      'the ScaledObject takes over the HorizontalPodAutoscaler "by-hand", but does not set horizontalPodAutoscalerConfig.name';
    const expected = 'advanced.horizontalPodAutoscalerConfig.name: by-hand';
    for (const spec of [named('other'), '']) {
      expect(taking(spec)).toMatchObject([{ path: '/spec', message, expected }]);
    }
    expect(found('target-scaled-once', scaledObject([QUERY]), hpa())).toMatchObject([{ path: '/spec/scaleTargetRef' }]);
  });
});

describe('the requests that a CPU trigger measures', () => {
  const rule = 'resource-trigger-has-requests';
  const NONE = deployment('resources: {}');
  const NAMESPACE = '---\napiVersion: v1\nkind: Namespace\nmetadata: {name: serving}\n';
  const least = { spec: 'minReplicaCount: 1' };

  test.each([
    ['{type: Container, default: {cpu: 1}}', 0],
    ['{type: Container, defaultRequest: {cpu: 1}}', 0],
    ['{type: Container, max: {cpu: 1}}', 0],
    ['{type: Container, min: {cpu: 1}}', 0],
    ['{type: Container, min: {cpu: 0}}', 1],
    ['{type: Container, default: {cpu: 0}, max: {cpu: 1}}', 1],
    ['{type: Container, default: {cpu: 0}}, {type: Container, default: {cpu: 1}}', 0],
    ['{type: Container, min: {memory: 1Gi}}', 1],
    ['{type: Pod, max: {cpu: 1}}', 1],
    ['{type: Pod, max: {cpu: 1}}, {type: Container, max: {cpu: 1}}', 0],
  ])('with the limits %s', (limits, count) => {
    expect(messages(rule, scaledObject([CPU], least), NONE, limitRange(limits))).toHaveLength(count);
  });

  test('are certainly missing only where the namespace is part of the manifests', () => {
    const severities = (...more: readonly string[]): readonly string[] =>
      found(rule, scaledObject([CPU], least), NONE, ...more).map(({ severity }) => severity);
    expect(severities()).toEqual(['warning']);
    expect(severities(NAMESPACE)).toEqual(['error']);
  });

  test('are named with the container', () => {
    expect(messages(rule, scaledObject([CPU], least), NONE)).toEqual([
      'the cpu trigger requires a cpu request in the container "server" of Deployment "chat"',
    ]);
  });
});

describe('containers and variables of the target', () => {
  const reading = `type: redis\nmetadata: {listName: a, addressFromEnv: ADDRESS}`;
  const env = 'env: [{name: ADDRESS, value: a}]';

  test('a trigger reads the first container, or the one that is named', () => {
    const of = (target: string, container: string): readonly string[] =>
      messages('variable-of-target', scaledObject([reading], { target }), deployment(container));
    expect(of('{name: chat}', env)).toEqual([]);
    expect(of('{name: chat}', 'env: []')).toEqual([
      'the container "server" of Deployment "chat" has no environment variable "ADDRESS"',
    ]);
    expect(of('{name: chat, envSourceContainerName: server}', env)).toEqual([]);
    expect(of('{name: chat, envSourceContainerName: server}', 'env: []')).toHaveLength(1);
    expect(of('{name: chat}', 'envFrom: [{secretRef: {name: s}}]')).toEqual([]);
  });

  test.each([
    ['hostsFromEnv: HOSTS, ports: "1,2"', 'a', 1],
    ['hostsFromEnv: HOSTS, ports: "1,2"', 'a,b', 0],
    ['hosts: a, portsFromEnv: HOSTS', '1,2', 1],
    ['hosts: "a,b", hostFromEnv: HOSTS, ports: "1,2"', 'a', 0],
  ])('the lists of redis have one length with %s, where HOSTS is %s', (metadata, value, count) => {
    const redis = `type: redis-cluster\nmetadata: {listName: a, ${metadata}}`;
    const server = deployment(`env: [{name: HOSTS, value: "${value}"}]`);
    expect(messages('parameters-agree', scaledObject([redis]), server)).toEqual(
      Array(count).fill('redis-cluster: hosts and ports must have the same number of entries'),
    );
    expect(messages('parameters-agree', scaledObject([redis]))).toEqual([]);
  });

  test('those of a ScaledJob are in its own template', () => {
    const [variable] = found('variable-of-target', scaledJob([reading]));
    expect(variable.message).toBe('the container "main" of ScaledJob "embed" has no environment variable "ADDRESS"');
    const unknown = scaledJob([reading], { spec: 'envSourceContainerName: other' });
    expect(found('variable-of-target', unknown)).toEqual([]);
    expect(found('container-of-target', unknown)).toMatchObject([
      { path: '/spec/envSourceContainerName', message: 'ScaledJob "embed" has no container "other"' },
    ]);
    expect(found('container-of-target', scaledJob([reading], { spec: 'envSourceContainerName: main' }))).toEqual([]);
    expect(
      found(
        'container-of-target',
        scaledObject([QUERY], { target: '{name: chat, envSourceContainerName: x}' }),
        deployment(),
      ),
    ).toMatchObject([{ path: '/spec/scaleTargetRef/envSourceContainerName' }]);
  });
});

test.each([
  ['{kind: Deployment, name: a}', []],
  ['{apiVersion: example.com/v1, kind: Pod, name: a}', []],
  ['{kind: DaemonSet, name: a}', ['a DaemonSet has no scale subresource, so KEDA cannot scale it']],
  ['{apiVersion: batch/v1, kind: Job, name: a}', ['a Job has no scale subresource, so KEDA cannot scale it']],
  ['{apiVersion: batch/v1, kind: CronJob, name: a}', ['a CronJob has no scale subresource, so KEDA cannot scale it']],
  ['{apiVersion: v1, kind: Pod, name: a}', ['a Pod has no scale subresource, so KEDA cannot scale it']],
  ['{apiVersion: v1, kind: Service, name: a}', ['a Service has no scale subresource, so KEDA cannot scale it']],
])('the target %s', (target, expected) => {
  expect(messages('target-has-scale', scaledObject([QUERY], { target }))).toEqual(expected);
});
