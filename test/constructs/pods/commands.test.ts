/**
 * Variables in commands: what Kubernetes expands, and what shells and controllers do.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { podRules } from '../../../src/constructs/pods/rules';
import { findingsOf } from '../../support/findings';

function unexpanded(command: readonly string[], more: JsonObject = {}, owner?: readonly [string, string]): number {
  const pod: JsonObject = { containers: [{ name: 'main', image: 'i:1', command: [...command], ...more }] };
  const [apiVersion, kind] = owner ?? ['v1', 'Pod'];
  const template = { metadata: { labels: { app: 'a' } }, spec: { restartPolicy: 'Never', ...pod } };
  const object = {
    apiVersion,
    kind,
    metadata: { name: 'a', namespace: 'b' },
    spec: kind === 'Pod' ? pod : (PLACES[kind] ?? ((one) => ({ template: one })))(template),
  };
  return findingsOf(JSON.stringify(object), podRules).filter(({ rule }) => rule === 'pods/variable-defined').length;
}

/** Where kinds have their pod template, unless it is `spec.template`. */
const PLACES: Readonly<Record<string, (template: JsonObject) => JsonObject>> = {
  PyTorchJob: (template) => ({ pytorchReplicaSpecs: { Worker: { template } } }),
  JobSet: (template) => ({ replicatedJobs: [{ name: 'a', template: { spec: { template } } }] }),
  LeaderWorkerSet: (template) => ({ leaderWorkerTemplate: { size: 1, workerTemplate: template } }),
  RayCluster: (template) => ({ headGroupSpec: { template } }),
  ScaledJob: (template) => ({ jobTargetRef: { template } }),
  CronJob: (template) => ({ jobTemplate: { spec: { template } } }),
};

describe('a command that no variable is defined for', () => {
  test.each(['python', './start', 'shell', 'bashful'])('%s gets the parentheses', (program) => {
    expect(unexpanded([program, '$(RANK)'])).toBe(1);
    expect(unexpanded([program, '$(date)'])).toBe(1);
    expect(unexpanded([program, '$$(RANK)'])).toBe(0);
    expect(unexpanded([program, '$(RANK)'], { env: [{ name: 'RANK', value: '0' }] })).toBe(0);
  });

  test.each([
    'sh',
    'bash',
    'ash',
    'dash',
    'zsh',
    'ksh',
    'fish',
    'pwsh',
    'powershell',
    'cmd',
    'busybox',
    '/bin/sh',
    'cmd.exe',
  ])('%s runs another one: $(date)', (shell) => {
    expect(unexpanded([shell, '-c', 'echo $(date)'])).toBe(0);
    expect(unexpanded([shell, '-c', 'echo $(RANK)'])).toBe(1);
  });

  test.each(['env', 'exec', 'tini', 'dumb-init', 'nice', 'numactl', 'time', 'timeout', 'stdbuf', 'sudo'])(
    '%s starts the shell that runs it',
    (wrapper) => {
      expect(unexpanded([wrapper, 'sh', 'echo $(date)'])).toBe(0);
      expect(unexpanded([wrapper, wrapper, 'sh', 'echo $(date)'])).toBe(0);
      expect(unexpanded([wrapper, 'python', 'echo $(date)'])).toBe(1);
      expect(unexpanded([wrapper])).toBe(0);
    },
  );

  test.each(['-c', '-e', '-lc', '-ec'])('code behind %s has a syntax of its own', (option) => {
    expect(unexpanded(['perl', option, 'print $(date)'])).toBe(0);
    expect(unexpanded(['perl', '-x', 'print $(date)'])).toBe(1);
  });

  test('so has a script of several lines, and what an entry point of the image may run', () => {
    expect(unexpanded(['run', 'a\n$(date)'])).toBe(0);
    expect(unexpanded([], { args: ['$(date)'] })).toBe(0);
    expect(unexpanded([], { args: ['echo now', '$(date)'] })).toBe(0);
    expect(unexpanded([], { args: ['echo', '$(date)'] })).toBe(1);
  });
});

test.each([
  ['REDIS_SERVICE_HOST', 0],
  ['REDIS_SERVICE_PORT', 0],
  ['REDIS_SERVICE_PORT_HTTP', 0],
  ['REDIS_PORT', 0],
  ['REDIS_PORT_6379_TCP', 0],
  ['REDIS_PORT_6379_UDP_PROTO', 0],
  ['REDIS_PORT_6379_TCP_ADDR', 0],
  ['KUBERNETES_HOST', 0],
  ['MY_KUBERNETES_', 1],
  ['REDIS_PORT_6379_SCTP', 1],
  ['REDIS_SERVICE_HOSTS', 1],
  ['RANK', 1],
])('the kubelet sets %s for a Service, or not', (name, count) => {
  expect(unexpanded(['run', `$(${name})`])).toBe(count);
  expect(unexpanded(['run'], { env: [{ name: 'A', value: `$(${name})` }] })).toBe(count);
});

test.each<readonly [string, string, number]>([
  ['apps/v1', 'Deployment', 1],
  ['kubeflow.org/v1', 'PyTorchJob', 0],
  ['jobset.x-k8s.io/v1alpha2', 'JobSet', 0],
  ['leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', 0],
  ['ray.io/v1', 'RayCluster', 0],
  ['serving.knative.dev/v1', 'Service', 0],
  ['keda.sh/v1alpha1', 'ScaledJob', 0],
])('controllers put variables into their pods: %s %s', (apiVersion, kind, count) => {
  expect(unexpanded(['run', '$(RANK)'], {}, [apiVersion, kind])).toBe(count);
});

test('only jobs have an index', () => {
  const index = ['run', '$(JOB_COMPLETION_INDEX)'];
  expect(unexpanded(index)).toBe(1);
  expect(unexpanded(index, {}, ['batch/v1', 'Job'])).toBe(0);
  expect(unexpanded(index, {}, ['batch/v1', 'CronJob'])).toBe(0);
  expect(unexpanded(['run', '$(RANK)'], {}, ['batch/v1', 'CronJob'])).toBe(1);
});

test('a variable is defined above the one that uses it', () => {
  const env = (...names: readonly string[]): JsonObject => ({
    env: names.map((name) => ({ name, value: name === 'URL' ? 'http://$(HOST)' : 'a' })),
  });
  expect(unexpanded(['run'], env('HOST', 'URL'))).toBe(0);
  expect(unexpanded(['run'], env('URL', 'HOST'))).toBe(1);
  expect(unexpanded(['run'], { ...env('URL'), envFrom: [{ configMapRef: { name: 'c' } }] })).toBe(0);
  expect(unexpanded(['run'], { ...env('URL'), resources: { limits: { 'nvidia.com/gpu': 1 } } })).toBe(0);
  expect(unexpanded(['run'], { ...env('URL'), resources: { limits: { cpu: 1 } } })).toBe(1);
});
