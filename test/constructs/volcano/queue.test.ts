import { App, Chart, JsonPatch } from 'cdk8s';
import { Testing } from '../../../src/interfaces/testing';
import { Accelerator, volcano } from '../../../src';

const { Queue } = volcano;
const chart = (): Chart => new Chart(new App(), 'test', { namespace: 'research' });
const names = (scope: Chart): readonly unknown[] =>
  Testing.synth(scope).map(({ metadata }) => (metadata as { name: string }).name);

test('a queue states its amounts as texts, and what it guarantees it deserves', () => {
  const scope = chart();
  new Queue(scope, 'default-queue', {
    capability: { cpu: 100, memory: '500Gi', accelerators: Accelerator.nvidia({ count: 50 }) },
    guarantee: { cpu: 20, memory: '100Gi', accelerators: Accelerator.nvidia({ count: 10 }) },
  });
  expect(Testing.synth(scope)).toEqual([
    {
      apiVersion: 'scheduling.volcano.sh/v1beta1',
      kind: 'Queue',
      metadata: { name: 'default-queue' },
      spec: {
        weight: 1,
        reclaimable: true,
        capability: { cpu: '100', memory: '500Gi', 'nvidia.com/gpu': '50' },
        deserved: { cpu: '20', memory: '100Gi', 'nvidia.com/gpu': '10' },
        guarantee: { resource: { cpu: '20', memory: '100Gi', 'nvidia.com/gpu': '10' } },
      },
    },
  ]);
});

test('a deserved amount that is stated stays, and only what is missing is taken from the guarantee', () => {
  const scope = chart();
  new Queue(scope, 'a', {
    deserved: { cpu: 40 },
    guarantee: { cpu: 20, accelerators: Accelerator.nvidia({ count: 4 }) },
  });
  expect(Testing.synth(scope)).toMatchObject([{ spec: { deserved: { cpu: '40', 'nvidia.com/gpu': '4' } } }]);
});

test('a parent that names no shares has those of its children together, also of children that are added later', () => {
  const scope = chart();
  const parent = new Queue(scope, 'ai');
  parent.addQueue('research', { guarantee: { accelerators: Accelerator.nvidia({ count: 8 }), memory: '512Gi' } });
  parent.addQueue('production', { deserved: { accelerators: Accelerator.nvidia({ count: 16 }), memory: '1Ti' } });
  expect(Testing.synth(scope)[0]).toMatchObject({
    metadata: { name: 'ai' },
    spec: {
      deserved: { 'nvidia.com/gpu': '24', memory: '1536Gi' },
      guarantee: { resource: { 'nvidia.com/gpu': '8', memory: '512Gi' } },
    },
  });
});

test('a parent that names its share keeps it, and is checked against its children', () => {
  const scope = chart();
  const parent = new Queue(scope, 'ai', { deserved: { accelerators: Accelerator.nvidia({ count: 4 }) } });
  parent.addQueue('research', { deserved: { accelerators: Accelerator.nvidia({ count: 8 }) } });
  expect(() => Testing.synth(scope)).toThrow(/volcano\/queue-children-deserved-within-parent/);
});

test('parents come before their children, whatever the order in which they were made', () => {
  const scope = chart();
  const zoo = new Queue(scope, 'zoo');
  const late = new Queue(scope, 'late', { name: 'top' });
  new Queue(scope, 'a', { parent: new Queue(scope, 'middle', { parent: late }) });
  zoo.addQueue('child').addQueue('grandchild');
  const order = names(scope);
  const before = (first: string, second: string): boolean => order.indexOf(first) < order.indexOf(second);
  expect([
    before('top', 'middle'),
    before('middle', 'a'),
    before('zoo', 'child'),
    before('child', 'grandchild'),
  ]).toEqual([true, true, true, true]);
});

test('a queue of the cluster is a name', () => {
  const scope = chart();
  new Queue(scope, 'child', { parent: Queue.fromName('there') });
  expect(Testing.synth(scope)).toMatchObject([{ spec: { parent: 'there' } }]);
  expect(Queue.fromName('there')).toEqual({ engine: 'volcano', name: 'there' });
});

test('node groups become affinity and anti-affinity', () => {
  const scope = chart();
  new Queue(scope, 'a', {
    nodeGroupAffinity: { required: ['h100'], preferred: ['rack1'] },
    nodeGroupAntiAffinity: { required: ['cpu'] },
  });
  expect(Testing.synth(scope)).toMatchObject([
    {
      spec: {
        affinity: {
          nodeGroupAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: ['h100'],
            preferredDuringSchedulingIgnoredDuringExecution: ['rack1'],
          },
          nodeGroupAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: ['cpu'] },
        },
      },
    },
  ]);
});

test('a patch is written unchanged', () => {
  const scope = chart();
  const { resource } = new Queue(scope, 'a', { capability: { accelerators: Accelerator.nvidia({ count: 8 }) } });
  resource.addJsonPatch(JsonPatch.add('/spec/capability/rdma~1hca', '8'));
  expect(Testing.synth(scope)).toMatchObject([{ spec: { capability: { 'nvidia.com/gpu': '8', 'rdma/hca': '8' } } }]);
});
