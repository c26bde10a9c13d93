/**
 * Programs without types: values of a wrong kind are refused with the prop and what it takes, never accepted silently and never with an
 * error of the language. Every public class and every static method of one gets each of the values below.
 */
import { App, Chart, Duration, Lazy } from 'cdk8s';
import * as gantry from '../../../src';
import { CLASSES } from '../../../src/constructs/resources/known-props';
import { propsOf } from '../../../src/constructs/resources/prop-problems';
import { InputError } from '../../../src/manifests/input-error';

const { Accelerator, batch, keda, kubeflow, kueue, PodTemplate, serving, Team, trainer, volcano } = gantry;

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
  ['a queue without a name', () => volcano.Queue.fromName(''), 'name must not be empty.'],
  [
    'a queue with a name that is no string',
    () => kueue.LocalQueue.fromName(untyped(7)),
    'name must be a string, not 7.',
  ],
  ['no scope', () => new volcano.Queue(untyped(undefined), 'a'), 'cannot find a parent chart'],
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
