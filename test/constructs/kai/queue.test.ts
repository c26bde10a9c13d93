/**
 * Queues of the KAI scheduler: the tree, and amounts in the units of KAI.
 */
import { App, Chart, Duration, Size } from 'cdk8s';
import { Accelerator, kai, kubeflow, volcano } from '../../../src';
import { Testing } from '../../../src/interfaces/testing';

const chart = (): Chart => new Chart(new App(), 'test', { namespace: 'ml' });
interface Testable {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: object };
  readonly spec: object;
}
const untyped = <T>(value: unknown): T => value as T;

test('a queue writes what it deserves and its ceiling, and no limit where none is set', () => {
  const scope = chart();
  new kai.Queue(scope, 'research', {
    deserved: { cpu: '1500m', memory: '1Gi', accelerators: Accelerator.nvidia({ count: 48 }) },
    capability: { accelerators: Accelerator.nvidia({ count: 64 }) },
    weight: 2,
    priority: 200,
    minimumRuntimeBeforePreemption: Duration.minutes(30),
    minimumRuntimeBeforeReclaim: Duration.hours(2),
  });
  expect(Testing.synth(scope)).toEqual([
    {
      apiVersion: 'scheduling.run.ai/v2',
      kind: 'Queue',
      metadata: { name: 'research' },
      spec: {
        priority: 200,
        preemptMinRuntime: '30m',
        reclaimMinRuntime: '2h',
        resources: {
          // 2^30 bytes are 1073.741824 megabytes.
          cpu: { quota: 1500, limit: -1, overQuotaWeight: 2 },
          memory: { quota: 1074, limit: -1, overQuotaWeight: 2 },
          gpu: { quota: 48, limit: 64, overQuotaWeight: 2 },
        },
      },
    },
  ]);
});

test('a queue without props may use what is idle, and nothing is reserved for it', () => {
  const scope = chart();
  new kai.Queue(scope, 'idle');
  const all = { quota: 0, limit: -1, overQuotaWeight: 1 };
  expect(Testing.synth(scope)).toMatchObject([{ spec: { resources: { cpu: all, memory: all, gpu: all } } }]);
});

test('a MIG slice counts as its compute slices, and GPUs of two vendors add up', () => {
  const scope = chart();
  new kai.Queue(scope, 'mixed', {
    deserved: {
      memory: Size.gibibytes(1),
      accelerators: [
        Accelerator.nvidia({ count: 4 }),
        Accelerator.mig({ profile: '3g.40gb', count: 2 }),
        Accelerator.amd({ count: 8 }),
      ],
    },
  });
  expect(Testing.synth(scope)).toMatchObject([{ spec: { resources: { gpu: { quota: 4 + 6 + 8 } } } }]);
});

test('a child is written after its parent, names it, and takes workloads', () => {
  const scope = chart();
  const ai = new kai.Queue(scope, 'ai', { deserved: { cpu: 64 } });
  const job = new kubeflow.PyTorchJob(scope, 'train', { image: 'a', nodes: 2 });
  job.submitTo(ai.addQueue('research', { deserved: { cpu: 32 } }));
  const below = new kai.Queue(scope, 'below', { parent: kai.Queue.fromName('there') });
  expect(below.parent).toEqual({ engine: 'kai', name: 'there' });
  const objects = scope.toJson() as readonly Testable[];
  expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'Queue ai',
    'Queue research',
    'PyTorchJob train',
    'Queue below',
  ]);
  expect(objects[1].spec).toMatchObject({ parentQueue: 'ai' });
  expect(objects[2].metadata.labels).toEqual({ 'kai.scheduler/queue': 'research' });
});

test.each<[string, (scope: Chart) => unknown, string]>([
  [
    'an accelerator that KAI does not count',
    (scope) => new kai.Queue(scope, 'q', { deserved: { accelerators: Accelerator.neuron({ count: 16 }) } }),
    'test/q: deserved: must be cpu, memory, or GPUs: a queue of KAI does not count aws.amazon.com/neuron. Remove it, or limit it with a ResourceQuota.',
  ],
  [
    'pods',
    (scope) => new kai.Queue(scope, 'q', { capability: untyped({ pods: 10 }) }),
    'test/q: capability: unknown field "pods". The fields are accelerators, cpu, memory.',
  ],
  [
    'the words of KAI',
    (scope) => new kai.Queue(scope, 'q', untyped({ quota: { cpu: 1 } })),
    'test/q: unknown field "quota"',
  ],
  ['a weight below 0', (scope) => new kai.Queue(scope, 'q', { weight: -1 }), 'weight must be a number greater than'],
  [
    'a parent of another engine',
    (scope) => new kai.Queue(scope, 'q', { parent: untyped(volcano.Queue.fromName('ai')) }),
    'test/q: parent: must be a KAI queue, got the Volcano queue "ai". Pass a KAI queue.',
  ],
])('%s is refused', (_what, make, message) => {
  expect(() => make(chart())).toThrow(message);
});
