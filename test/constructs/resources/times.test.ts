/**
 * Times and memory have one form in every prop: a `Duration`, and a quantity with its unit or a `Size`.
 */
import { App, Chart, Duration } from 'cdk8s';
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  Accelerator,
  batch,
  keda,
  kubeflow,
  Mount,
  PodTemplate,
  Scheduling,
  SharedMemory,
  volcano,
} from '../../../src';

const CONSTRUCTS = resolve(__dirname, '../../../src/constructs');
const chart = (): Chart => new Chart(new App(), 'test', { namespace: 'ml' });
const untyped = <T>(value: unknown): T => value as T;

/** The props of all constructs, by file. What describes manifests (rules, views, facts) writes what Kubernetes writes. */
function props(): readonly (readonly [string, string])[] {
  const files = readdirSync(CONSTRUCTS, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.includes('rules/') && !file.endsWith('generated-triggers.ts'),
  );
  return files.flatMap((file) =>
    [...readFileSync(join(CONSTRUCTS, file), 'utf8').matchAll(/^ +readonly (\w+\??: [^;\n]+);/gm)].map(
      ([, prop = '']) => [file, prop] as const,
    ),
  );
}

/** What is written in the rendered form, and what only reads manifests. */
const RENDERED = new Set([
  'gpu-operator/driver-options.ts: waitForCompletion?: { readonly podSelector: string; readonly timeoutSeconds?: number }',
  'gpu-operator/driver-options.ts: timeoutSeconds?: number',
]);

test('no prop names a time by its unit', () => {
  const inSeconds = props()
    .filter(([, prop]) => /Seconds|Minutes|Millis/.test(prop))
    .map(([file, prop]) => `${file}: ${prop}`)
    .filter((line) => !RENDERED.has(line));
  expect(inSeconds).toEqual([]);
});

test('every prop that is a time is a Duration', () => {
  const others = props()
    .filter(([file]) => !file.startsWith('charts/chart-values'))
    .filter(([, prop]) =>
      /^\w*(?:[tT]imeout|[dD]eadline|[iI]nterval|[pP]eriod|[dD]uration|ttl\w*)\??: (?:number|string)$/.test(prop),
    );
  expect(others).toEqual([]);
});

test('no prop for memory or storage takes a bare number', () => {
  const numbers = props()
    .filter(([file]) => !/^volcano\/scheduler-plugin|^tenancy\/limit-range/.test(file))
    .filter(([, prop]) =>
      /^(?:[mM]emory(?:Limit)?|\w*[sS]torage|hugepages|sizeLimit|\w*VolumeSize)\??: .*(?:number|Quantity)$/.test(prop),
    );
  expect(numbers).toEqual([]);
});

test('a bare number or string does not compile as a time', () => {
  const never = (_use: () => unknown): void => undefined;
  // @ts-expect-error a number has no unit
  never(() => new batch.Job(chart(), 'a', { image: 'x', ttlAfterFinished: 600 }));
  // @ts-expect-error a string is not a Duration
  never(() => new kubeflow.PyTorchJob(chart(), 'a', { image: 'x', nodes: 1, activeDeadline: '10m' }));
  // @ts-expect-error the name that Kubernetes has is in seconds
  never(() => new batch.Job(chart(), 'a', { image: 'x', ttlSecondsAfterFinished: 600 }));
  // @ts-expect-error a number has no unit
  never(() => new PodTemplate({ image: 'x', terminationGracePeriod: 30 }));
  // @ts-expect-error memory has a unit
  never(() => new PodTemplate({ image: 'x', resources: { memory: 900 } }));
  // @ts-expect-error shared memory has a unit
  never(() => new PodTemplate({ image: 'x', sharedMemory: 64 }));
  // @ts-expect-error a size has a unit
  never(() => Mount.ephemeral(100, '/scratch'));
  expect(never).toBeDefined();
});

test.each<[string, () => unknown, string]>([
  [
    'a time as a number',
    () => new batch.Job(chart(), 'a', untyped({ image: 'x', ttlAfterFinished: 600 })),
    'test/a: ttlAfterFinished 600: must be a Duration of cdk8s, such as Duration.seconds(600).',
  ],
  [
    "a time by Kubernetes' name",
    () => new batch.Job(chart(), 'a', untyped({ image: 'x', ttlSecondsAfterFinished: 600 })),
    'unknown field "ttlSecondsAfterFinished". Write ttlAfterFinished: Duration.seconds(600).',
  ],
  [
    'the same on a Volcano Job',
    () => new volcano.Job(chart(), 'a', untyped({ ttlSecondsAfterFinished: 60, tasks: [] })),
    'unknown field "ttlSecondsAfterFinished". Write ttlAfterFinished: Duration.seconds(60).',
  ],
  [
    'the same on a pod',
    () => new PodTemplate(untyped({ image: 'x', terminationGracePeriodSeconds: 30 })),
    'unknown field "terminationGracePeriodSeconds". Write terminationGracePeriod: Duration.seconds(30).',
  ],
  [
    'the same on a ScaledObject',
    () => new keda.ScaledObject(chart(), 'a', untyped({ cooldownPeriodSeconds: 30, target: 'x', triggers: [] })),
    'unknown field "cooldownPeriodSeconds". Write cooldownPeriod: Duration.seconds(30)',
  ],
  [
    'a scheduling option',
    () =>
      Scheduling.volcano(
        { engine: 'volcano', name: 'a' },
        { minimumRuntime: 60 as unknown as Duration },
      ).toScheduling(),
    'minimumRuntime 60: must be a Duration of cdk8s, such as Duration.seconds(60).',
  ],
  [
    'memory of a pod',
    () => new PodTemplate(untyped({ image: 'x', resources: { memory: 900 } })).toPodTemplate(),
    'resources.memory 900: must have a unit',
  ],
  [
    'an unknown resource of a pod',
    () => new PodTemplate(untyped({ image: 'x', resources: { memmory: '1Gi' } })).toPodTemplate(),
    'resources: unknown field "memmory" (did you mean "memory"?).',
  ],
  [
    'GPUs among the resources of a pod',
    () => new PodTemplate(untyped({ image: 'x', resources: { gpu: 1 } })).toPodTemplate(),
    'resources: unknown field "gpu". Write accelerators: [Accelerator.nvidia({ count: 8 })]',
  ],
  ['shared memory', () => SharedMemory.of(untyped(64)), 'size 64: must have a unit'],
  ['the size of a volume', () => Mount.ephemeral(untyped(100), '/scratch'), 'size 100: must have a unit'],
  ['the memory of a vGPU', () => Accelerator.hami({ count: 1, memory: untyped(10) }), 'memory 10: must have a unit'],
])('from JavaScript: %s', (_, make, message) => {
  expect(make).toThrow(message);
});

test('a scheduling time reaches the PodGroup that Gantry writes beside a workload', () => {
  const scope = chart();
  new batch.Job(scope, 'train', {
    image: 'x',
    parallelism: 2,
    completions: 2,
    scheduling: Scheduling.schedulerPlugins({ scheduleTimeout: Duration.minutes(5) }),
  });
  const groups = (scope.toJson() as { kind: string; spec: object }[]).filter(({ kind }) => kind === 'PodGroup');
  expect(groups).toMatchObject([{ spec: { scheduleTimeoutSeconds: 300 } }]);
});
