/**
 * Programs without types: values of a wrong kind are refused with the prop and what it takes, never accepted silently and never with an
 * error of the language. Every public class and every static method of one gets each of the values below.
 */
import { App, Chart, Duration, Lazy } from 'cdk8s';
import * as gantry from '../../../src';
import { CLASSES } from '../../../src/constructs/resources/known-props';
import { propsOf } from '../../../src/constructs/resources/prop-problems';
import { InputError } from '../../../src/manifests/input-error';

const {
  Accelerator,
  batch,
  catalog,
  keda,
  kubeflow,
  kueue,
  PodTemplate,
  ResourceQuota,
  serving,
  Team,
  trainer,
  volcano,
} = gantry;

type Anything = (...args: readonly unknown[]) => unknown;
type AnyClass = new (...args: readonly unknown[]) => unknown;

const chart = (): Chart => new Chart(new App(), 'test', { namespace: 'ml' });
const untyped = <T>(value: unknown): T => value as T;

/** The class of a name such as `volcano.Queue`; `undefined` for one that is not exported. */
function exported(title: string): (AnyClass & Record<string, Anything>) | undefined {
  let value: unknown = gantry;
  for (const part of title.split('.')) {
    value = (value as Record<string, unknown> | undefined)?.[part];
  }
  return untyped(value);
}

const CLASS_NAMES = Object.keys(CLASSES).filter((title) => exported(title) !== undefined);
const WRONG: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['a number', 7],
  ['a string', 'Bad Name!'],
  ['true', true],
  ['a list', []],
  ['a list of null', [null]],
  ['a function', () => 1],
  ['a symbol', Symbol('x')],
];

function errorOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

const isRaw = (error: unknown): boolean =>
  error !== undefined &&
  (!(error instanceof Error) || ![Error, InputError].includes(error.constructor as ErrorConstructor));

test.each(CLASS_NAMES)('new %s takes props, and nothing else in their place', (title) => {
  const [, , props] = propsOf(title).new ?? [];
  if (props?.shape === undefined) {
    return;
  }
  const made = exported(title)!;
  const accepted = WRONG.filter(([, value]) => errorOf(() => new made(chart(), 'x', value)) === undefined);
  const raw = WRONG.filter(([, value]) => isRaw(errorOf(() => new made(chart(), 'x', value))));
  expect({ accepted, raw }).toEqual({ accepted: [], raw: [] });
  expect(isRaw(errorOf(() => new made(chart(), 'x')))).toBe(false);
  expect(isRaw(errorOf(() => new made(chart(), 'x', {})))).toBe(false);
});

test.each(CLASS_NAMES)('the static methods of %s refuse wrong values with a message', (title) => {
  const made = exported(title)!;
  const raw = Object.entries(propsOf(title))
    .filter(([member]) => member !== 'new' && !member.startsWith('#'))
    .flatMap(([member, parameters]) =>
      [['nothing', undefined] as const, ...WRONG]
        .filter(([, value]) => isRaw(errorOf(() => made[member](...parameters.map(() => value)))))
        .map(([what]) => `${member}(${what})`),
    );
  expect(raw).toEqual([]);
});

test.each<[string, () => unknown, string]>([
  ['a Team without a quota', () => new Team(chart(), 'a', untyped({})), 'test/a: quota is required.'],
  [
    'null in place of an object',
    () => new Team(chart(), 'a', untyped({ quota: null })),
    'test/a: quota must be an object, not null.',
  ],
  [
    'a misspelled choice',
    () => new gantry.DistributedTraining(chart(), 'a', untyped({ image: 'a', nodes: 2, framework: 'pytorhc' })),
    'test/a: framework must be one of "other", "mpi", "jax", "xgboost", "pytorch", "tensorflow", "paddle", "ray", not "pytorhc" (did you mean "pytorch"?).',
  ],
  [
    'a misspelled choice beside which there is an object',
    () =>
      new gantry.GpuPlatform(
        chart(),
        'a',
        untyped<never>({ pools: {}, teams: {}, delivery: { through: 'flux', also: [{ chart: 'kedaa' }] } }),
      ),
    '"kube-prometheus-stack" or an object with name, repository, version, namespace, not "kedaa" (did you mean "keda"?).',
  ],
  [
    'a number in place of a string',
    () => new batch.Job(chart(), 'a', untyped({ image: 7 })),
    'test/a: image must be a string, not 7.',
  ],
  ['an empty image', () => new batch.Job(chart(), 'a', { image: ' ' }), 'test/a: image must not be empty.'],
  [
    'a ScaledObject without a target',
    () => new keda.ScaledObject(chart(), 'a', untyped({ triggers: [] })),
    'test/a: target is required.',
  ],
  ['a GpuPlatform without props', () => new gantry.GpuPlatform(chart(), 'a', untyped<never>({})), 'pools is required'],
  [
    'an unknown built-in runtime',
    () => trainer.ClusterTrainingRuntime.builtIn(untyped('torch')),
    'must be one of "torch-distributed"',
  ],
  [
    'null in a list',
    () => new kubeflow.PyTorchJob(chart(), 'a', untyped({ image: 'a', nodes: 2, command: ['a', null] })),
    'test/a: command[1] must not be null.',
  ],
  ['an empty accelerator', () => catalog.acceleratorNamed(''), 'catalog.acceleratorNamed: name must not be empty.'],
  ['a queue without a name', () => volcano.Queue.fromName(''), 'name must not be empty.'],
  [
    'a queue with a name that is no string',
    () => kueue.LocalQueue.fromName(untyped(7)),
    'name must be a string, not 7.',
  ],
  ['no scope', () => new volcano.Queue(untyped(undefined), 'a'), 'new volcano.Queue: scope is required.'],
  ['NaN', () => new volcano.Queue(chart(), 'a', { weight: NaN }), 'test/a: weight must be a number, not NaN.'],
])('%s is refused', (_what, make, message) => {
  expect(make).toThrow(message);
});

test('what the constructor itself says about a value is said', () => {
  expect(() => new PodTemplate({ image: 'a', resources: { memory: untyped(900) } })).toThrow('must have a unit');
  expect(() => new batch.Job(chart(), 'a', { image: 'a', ttlAfterFinished: untyped(600) })).toThrow(
    'such as Duration.seconds(600)',
  );
});

test('values that are known later, and instances, are accepted', () => {
  const later: unknown = Lazy.any({ produce: () => 'registry.example.com/a:1' });
  expect(() => new batch.Job(chart(), 'a', { image: untyped(later), activeDeadline: Duration.hours(1) })).not.toThrow();
  expect(
    () =>
      new serving.Deployment(chart(), 'b', {
        image: 'registry.example.com/a:1',
        accelerators: Accelerator.nvidia({ count: 1 }),
      }),
  ).not.toThrow();
});

test.each<[string, () => unknown, string]>([
  [
    'the name of an object in place of a reference',
    () => new kueue.LocalQueue(chart(), 'a', untyped({ clusterQueue: 'shared' })),
    'test/a: clusterQueue must be a kueue.ClusterQueue, or kueue.ClusterQueue.fromName("shared") for one in the cluster, not "shared".',
  ],
  [
    'the name of a queue, where false is accepted too',
    () => new Team(chart(), 'a', untyped({ quota: {}, queue: 'shared' })),
    'test/a: queue must be a volcano.Queue or false, or volcano.Queue.fromName("shared") for one in the cluster, not "shared".',
  ],
  [
    'true where only false is accepted',
    () => new Team(chart(), 'a', untyped({ quota: {}, queue: true })),
    'test/a: queue must be a volcano.Queue or false, or volcano.Queue.fromName("…") for one in the cluster, not true.',
  ],
  [
    'an object in place of what a class makes',
    () => new batch.Job(chart(), 'a', untyped({ image: 'i', accelerators: { count: 8 } })),
    'test/a: accelerators must be an Accelerator such as Accelerator.nvidia(…), not {"count":8}.',
  ],
  [
    'a member of a list of a wrong kind',
    () => new Team(chart(), 'a', untyped({ quota: {}, members: ['alice'] })),
    'test/a: members[0] must be an object, not "alice".',
  ],
  [
    'an unsupported member of a list',
    () => new ResourceQuota(chart(), 'a', untyped({ scopes: ['Terminated'] })),
    'test/a: scopes[0] must be one of "Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "CrossNamespacePodAffinity", not "Terminated" (did you mean "Terminating"?).',
  ],
  [
    'a value of a map of a wrong kind',
    () => new kueue.ResourceFlavor(chart(), 'a', untyped({ nodeLabels: { gpu: true } })),
    'test/a: nodeLabels.gpu must be a string, not true.',
  ],
  [
    'a string that is no choice, where numbers are accepted too',
    () => new serving.Deployment(chart(), 'a', untyped({ image: 'i', replicas: '3' })),
    'test/a: replicas must be a number or "autoscaler", not "3".',
  ],
  [
    'an object that contains a construct, in place of a list',
    () =>
      new kueue.ClusterQueue(chart(), 'a', untyped({ flavors: { flavor: new kueue.ResourceFlavor(chart(), 'f') } })),
    'test/a: flavors must be a list, not an object.',
  ],
  [
    'one of several classes',
    () => new gantry.GpuPlatform(chart(), 'a', untyped<never>({ pools: {}, teams: {}, scheduling: 'kueue' })),
    'test/a: scheduling must be a GantrySystem such as new GantrySystem(…), a KueueSystem such as new KueueSystem(…) or a VolcanoSystem such as new VolcanoSystem(…), not "kueue".',
  ],
])('%s is named with what to write', (_what, make, message) => {
  expect(make).toThrow(new Error(message));
});
