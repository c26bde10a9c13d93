/**
 * A public class is a proxy of itself: what a program can do with a class, and what is reported about the props that it passes.
 */
import { App, Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import { Accelerator, batch, GpuPlatform, type GpuPlatformProps, PodTemplate, ray, Team, volcano } from '../../../src';
import { type QueueProps } from '../../../src/constructs/volcano';
import { Testing } from '../../../src/interfaces/testing';

const chart = (): Chart => new Chart(new App(), 'test', { namespace: 'ml' });
/** What a program without types passes. */
const untyped = <T>(props: object): T => props as unknown as T;

class OwnQueue extends volcano.Queue {
  readonly owner: string;

  constructor(scope: Construct, id: string, props: QueueProps & { readonly owner: string }) {
    super(scope, id, props);
    this.owner = props.owner;
  }
}

test('a subclass of a program has props of its own, and is an instance of both', () => {
  const scope = chart();
  const queue = new OwnQueue(scope, 'own', { owner: 'ml', weight: 4 });
  expect([
    queue instanceof OwnQueue,
    queue instanceof volcano.Queue,
    new volcano.Queue(scope, 'q') instanceof OwnQueue,
  ]).toEqual([true, true, false]);
  expect(queue.owner).toBe('ml');
  expect(volcano.Queue.name).toBe('Queue');
  expect(Testing.synth(scope)).toMatchObject([{ metadata: { name: 'own' }, spec: { weight: 4 } }, {}]);
});

test('what is nested in the props of a subclass is compared nevertheless', () => {
  const props = untyped<QueueProps & { owner: string }>({ owner: 'ml', deserved: { cpus: 4 } });
  expect(() => new OwnQueue(chart(), 'own', props)).toThrow(
    'test/own: deserved: unknown field "cpus" (did you mean "cpu"?).',
  );
});

test.each<[string, (scope: Chart) => unknown, string]>([
  [
    'an unknown prop',
    (scope) => new volcano.Queue(scope, 'q', untyped({ weigth: 4 })),
    'test/q: unknown field "weigth" (did you mean "weight"?).',
  ],
  [
    'several at once',
    (scope) => new volcano.Queue(scope, 'q', untyped({ weigth: 4, max: { cpu: 8 } })),
    'test/q: unknown field "weigth" (did you mean "weight"?); unknown field "max" (did you mean "capability"?).',
  ],
  [
    'one in a nested object',
    (scope) => new Team(scope, 't', untyped({ quota: { gpus: 8 } })),
    'test/t: quota: unknown field "gpus". Write accelerators: [Accelerator.nvidia({ count: 8 })], with the factory of the vendor.',
  ],
  [
    'no props at all',
    (scope) => new Team(scope, 't', untyped<never>(undefined as never)),
    'test/t: quota is required.',
  ],
  [
    'one in a list',
    (scope) =>
      new volcano.Job(
        scope,
        'j',
        untyped({ tasks: [{ name: 'a', template: new PodTemplate({ image: 'i' }), replica: 2 }] }),
      ),
    'test/j: tasks[0]: unknown field "replica" (did you mean "replicas"?).',
  ],
  [
    'one in a map whose names the program chooses',
    (scope) =>
      new GpuPlatform(
        scope,
        'p',
        untyped<GpuPlatformProps<string, string>>({ pools: {}, teams: { a: { deserve: {} } } }),
      ),
    'test/p: teams.a: unknown field "deserve" (did you mean "deserved"?); teams.a.deserved is required.',
  ],
  [
    'one of a method',
    (scope) => new volcano.Queue(scope, 'q').addQueue('c', untyped({ prioriti: 1 })),
    'test/q: unknown field "prioriti" (did you mean "priority"?).',
  ],
  [
    'one of a static method',
    () => Accelerator.nvidia(untyped({ cout: 8 })),
    'Accelerator.nvidia: unknown field "cout" (did you mean "count"?); count is required.',
  ],
])('%s is reported', (_what, make, message) => {
  let thrown = '';
  try {
    make(chart());
  } catch (error) {
    thrown = (error as Error).message;
  }
  expect(thrown).toBe(message);
});

test('an unknown name without a value, a construct, and fields of Kubernetes are not compared', () => {
  const scope = chart();
  const parent = new volcano.Queue(scope, 'parent', untyped({ weigth: undefined }));
  new volcano.Queue(scope, 'child', { parent, overrides: untyped({ anything: 1 }) });
  expect(parent.childQueues).toHaveLength(1);
});

test.each<[string, object, string]>([
  [
    'of the same words',
    { rayVersion: '2.52.0', head: { image: 'i' }, workers: [{ groupName: 'g', image: 'i', minReplicas: 1 }] },
    'test/a: workers[0]: unknown field "minReplicas" (did you mean "min"?).',
  ],
  [
    'that is required and not set',
    { rayVersion: '2.52.0', head: { image: 'i' }, workers: [{ name: 'g', image: 'i', replicas: 1 }] },
    'test/a: workers[0]: unknown field "name" (did you mean "groupName"?); workers[0].groupName is required.',
  ],
])('the prop %s is suggested', (_what, props, message) => {
  expect(() => new ray.RayCluster(chart(), 'a', untyped(props))).toThrow(new Error(message));
});

test('a field without a similar prop is sent to the overrides', () => {
  expect(
    () => new batch.Job(chart(), 'a', untyped({ image: 'i', hostNetwrk: true, completionMode: 'Indexed' })),
  ).toThrow(
    new Error(
      'test/a: unknown field "hostNetwrk". A field of the kind that is not a prop goes into overrides or podOverrides; unknown field "completionMode" (did you mean "indexed"?).',
    ),
  );
});
