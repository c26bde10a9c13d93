/** Small builders of manifests, and the form in which rule cases are written down. */
import { type JsonObject } from '../../../../src/facts/api/schema';

/** Manifests that are checked together. */
export type Manifests = readonly JsonObject[];

/** When one rule speaks and when it is silent; the keys say the case in words. */
export interface RuleCases {
  readonly rule: string;
  readonly fires: Readonly<Record<string, Manifests>>;
  readonly silent: Readonly<Record<string, Manifests>>;
}

export function queue(name: string, spec: JsonObject = {}, annotations: JsonObject = {}): JsonObject {
  return { apiVersion: 'scheduling.volcano.sh/v1beta1', kind: 'Queue', metadata: { name, annotations }, spec };
}

export function podGroup(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'scheduling.volcano.sh/v1beta1',
    kind: 'PodGroup',
    metadata: { name, namespace: 'ai', ...metadata },
    spec,
  };
}

export function container(extra: JsonObject = {}): JsonObject {
  return { name: 'main', image: 'registry.example.com/train:1', ...extra };
}

export function task(name: string, replicas: number, extra: JsonObject = {}, pod: JsonObject = {}): JsonObject {
  return {
    name,
    replicas,
    ...extra,
    template: { spec: { restartPolicy: 'OnFailure', containers: [container()], ...pod } },
  };
}

/** A job of two tasks with which no rule finds fault. */
export function job(spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'batch.volcano.sh/v1alpha1',
    kind: 'Job',
    metadata: { name: 'train', namespace: 'ai', ...metadata },
    spec: {
      plugins: { pytorch: [], svc: [] },
      policies: [{ event: 'PodEvicted', action: 'RestartJob' }],
      tasks: [task('master', 1), task('worker', 3)],
      ...spec,
    },
  };
}

export function cronJob(spec: JsonObject = {}, name = 'nightly'): JsonObject {
  const { spec: jobSpec = {} } = job();
  return {
    apiVersion: 'batch.volcano.sh/v1alpha1',
    kind: 'CronJob',
    metadata: { name, namespace: 'ai' },
    spec: { schedule: '0 2 * * *', jobTemplate: { spec: jobSpec }, ...spec },
  };
}

export function jobTemplate(name: string, metadata: JsonObject = {}): JsonObject {
  const { spec = {} } = job();
  return {
    apiVersion: 'flow.volcano.sh/v1alpha1',
    kind: 'JobTemplate',
    metadata: { name, namespace: 'ai', ...metadata },
    spec,
  };
}

export function jobFlow(flows: JsonObject[], name = 'pipeline'): JsonObject {
  return {
    apiVersion: 'flow.volcano.sh/v1alpha1',
    kind: 'JobFlow',
    metadata: { name, namespace: 'ai' },
    spec: { flows },
  };
}

export function hyperNode(name: string, tier: number, members: JsonObject[]): JsonObject {
  return { apiVersion: 'topology.volcano.sh/v1alpha1', kind: 'HyperNode', metadata: { name }, spec: { tier, members } };
}

export function member(type: 'Node' | 'HyperNode', selector: JsonObject): JsonObject {
  return { type, selector };
}

export function exactly(name: string): JsonObject {
  return { exactMatch: { name } };
}

export function deployment(
  replicas: number,
  podMetadata: JsonObject,
  annotations: JsonObject = {},
  schedulerName = 'volcano',
): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'serve', namespace: 'ai', annotations },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'serve' } },
      template: {
        metadata: { labels: { app: 'serve' }, ...podMetadata },
        spec: { schedulerName, containers: [container()] },
      },
    },
  };
}

const GOOD_CONFIGURATION = `
actions: "enqueue, allocate, preempt, reclaim, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
- plugins:
  - name: predicates
  - name: capacity
    enableHierarchy: true
  - name: binpack
    arguments:
      binpack.resources: nvidia.com/gpu
      binpack.resources.nvidia.com/gpu: 10
`;

/** A scheduler configuration; without a text, one with which no rule finds fault. */
export function configMap(text = GOOD_CONFIGURATION, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'volcano-scheduler-configmap', namespace: 'volcano-system', ...metadata },
    data: { 'volcano-scheduler.conf': text },
  };
}

/** A configuration whose second tier holds these plugins, beside the necessary ones. */
export function plugins(...entries: readonly string[]): JsonObject {
  const good = ['- name: gang', '- name: predicates'];
  return configMap(
    [
      'actions: "enqueue, allocate, preempt"',
      'tiers:',
      '- plugins:',
      ...[...good, ...entries].map((entry) => indent(entry)),
    ].join('\n'),
  );
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
