/**
 * The examples of Volcano and of the training-operator: free of findings, the same each time, and gangs as large as their roles.
 */
import { App } from 'cdk8s';
import { kubeflowExample } from '../../examples/kubeflow/main';
import { volcanoExample } from '../../examples/volcano/main';
import { type JsonObject } from '../../src/facts/api/schema';
import { valueAt } from '../../src/manifests/pointer';
import { asString } from '../../src/manifests/read';
import { Testing } from '../../src/interfaces/testing';

describe.each([
  ['kubeflow', kubeflowExample],
  ['volcano', volcanoExample],
] as const)('%s', (_, example) => {
  test('has neither errors nor warnings', () => {
    const { findings } = Testing.check(example(new App()));
    expect(
      findings
        .filter(({ severity }) => severity !== 'info')
        .map(({ rule, object, message }) => `${rule} ${object}: ${message}`),
    ).toEqual([]);
  });

  test('is the same each time', () => {
    expect(JSON.stringify(Testing.synth(example(new App())))).toBe(JSON.stringify(Testing.synth(example(new App()))));
  });
});

const named = (objects: readonly JsonObject[], kind: string): ReadonlyMap<unknown, JsonObject> =>
  new Map(
    objects.filter((object) => object.kind === kind).map((object) => [valueAt(object, '/metadata/name'), object]),
  );

test('every job of the team is a gang of its queue, as large as its roles, or as its least', () => {
  const jobs = Testing.synth(kubeflowExample(new App())).filter(({ apiVersion }) =>
    asString(apiVersion)?.startsWith('kubeflow.org/'),
  );
  expect(jobs.map((job) => [valueAt(job, '/metadata/name'), valueAt(job, '/spec/runPolicy/schedulingPolicy')])).toEqual(
    [
      ['segmentation', { queue: 'vision', minAvailable: 2, priorityClass: 'vision-now' }],
      ['video', { queue: 'vision', minAvailable: 2 }],
      ['ocr', { queue: 'vision', minAvailable: 2 }],
      ['features', { queue: 'vision', minAvailable: 3 }],
      ['ranking', { queue: 'vision', minAvailable: 8 }],
      ['quality', { queue: 'vision', minAvailable: 4, priorityClass: 'vision-later' }],
    ],
  );
});

test('the laboratory: a tree of queues and of switches, a flow in its order', () => {
  const objects = Testing.synth(volcanoExample(new App()));
  expect([...named(objects, 'Queue')].map(([name, queue]) => [name, valueAt(queue, '/spec/parent')])).toEqual([
    ['lab', undefined],
    ['models', 'lab'],
    ['reports', 'lab'],
  ]);
  expect(valueAt(named(objects, 'HyperNode').get('spine') ?? {}, '/spec/members')).toHaveLength(4);
  expect(valueAt(named(objects, 'Job').get('simulation') ?? {}, '/spec')).toMatchObject({
    minAvailable: 5,
    networkTopology: { mode: 'hard', highestTierAllowed: 1 },
  });
  expect(valueAt(named(objects, 'JobFlow').get('paper') ?? {}, '/spec/flows')).toEqual([
    { name: 'clean' },
    { name: 'fit', dependsOn: { targets: ['clean'] } },
    { name: 'draw', dependsOn: { targets: ['fit'] } },
  ]);
});
