import { App, Chart } from 'cdk8s';
import { Accelerator, PodTemplate, PriorityClass, volcano } from '../../../src';
import { Testing } from '../../../src/interfaces/testing';

const { HyperNode, HyperNodeMember, PodGroup, Queue } = volcano;
const chart = (): Chart => new Chart(new App(), 'test', { namespace: 'ai-workloads' });

test('a group counts what its tasks need', () => {
  const scope = chart();
  new PodGroup(scope, 'training-job-group', {
    minTaskMember: { master: 1, worker: 4 },
    minResources: { accelerators: Accelerator.nvidia({ count: 20 }) },
    queue: Queue.fromName('default-queue'),
    priorityClass: PriorityClass.fromName('high-priority'),
  });
  expect(Testing.synth(scope)).toEqual([
    {
      apiVersion: 'scheduling.volcano.sh/v1beta1',
      kind: 'PodGroup',
      metadata: { name: 'training-job-group', namespace: 'ai-workloads' },
      spec: {
        minMember: 5,
        minTaskMember: { master: 1, worker: 4 },
        minResources: { 'nvidia.com/gpu': '20' },
        queue: 'default-queue',
        priorityClassName: 'high-priority',
      },
    },
  ]);
});

test('pods become members by a part of their template', () => {
  const group = new PodGroup(chart(), 'eval', { minMember: 2 });
  const template = new PodTemplate({ image: 'registry.example.com/eval:1', parts: [group.member('worker')] });
  expect(template.toPodTemplate().metadata).toEqual({
    annotations: { 'scheduling.k8s.io/group-name': 'eval', 'volcano.sh/task-spec': 'worker' },
  });
  expect(template.references).toEqual([group]);
  expect(group.memberAnnotations()).toEqual({ 'scheduling.k8s.io/group-name': 'eval' });
});

test('a tier is a number or a name, never both', () => {
  const scope = chart();
  new PodGroup(scope, 'a', {
    networkTopology: { highestTier: 2 },
    subGroups: [
      {
        name: 'replica',
        size: 4,
        minimum: 1,
        matchLabelKeys: ['replica'],
        networkTopology: { mode: 'soft', highestTier: 'rack' },
      },
    ],
  });
  expect(Testing.synth(scope)).toMatchObject([
    {
      spec: {
        networkTopology: { mode: 'hard', highestTierAllowed: 2 },
        subGroupPolicy: [
          {
            name: 'replica',
            subGroupSize: 4,
            minSubGroups: 1,
            matchLabelKeys: ['replica'],
            networkTopology: { mode: 'soft', highestTierName: 'rack' },
          },
        ],
      },
    },
  ]);
});

test('a group that is submitted later comes after its queue', () => {
  const scope = chart();
  new PodGroup(scope, 'a', { minMember: 2 }).submitTo(new Queue(scope, 'z'));
  expect(Testing.synth(scope)).toMatchObject([{ kind: 'Queue' }, { kind: 'PodGroup', spec: { queue: 'z' } }]);
});

test('a hyper node states its members, of which each is chosen in one way', () => {
  const scope = chart();
  const clique = '5b1a5c8e-8a3b-4a7a-9b53-5d7f6f2c0d11.1';
  const leaf = new HyperNode(scope, 'leaf-1', {
    tier: 1,
    members: [HyperNodeMember.nodesLabeled({ 'nvidia.com/gpu.clique': clique })],
  });
  new HyperNode(scope, 'a-spine', {
    tier: 2,
    tierName: 'spine',
    members: [
      HyperNodeMember.hyperNode(leaf),
      HyperNodeMember.hyperNode(HyperNode.fromName('leaf-2')),
      HyperNodeMember.node('n'),
      HyperNodeMember.nodesMatching('^gpu-'),
    ],
  });
  expect(Testing.synth(scope)).toEqual([
    {
      apiVersion: 'topology.volcano.sh/v1alpha1',
      kind: 'HyperNode',
      metadata: { name: 'leaf-1' },
      spec: {
        tier: 1,
        members: [{ type: 'Node', selector: { labelMatch: { matchLabels: { 'nvidia.com/gpu.clique': clique } } } }],
      },
    },
    {
      apiVersion: 'topology.volcano.sh/v1alpha1',
      kind: 'HyperNode',
      metadata: { name: 'a-spine' },
      spec: {
        tier: 2,
        tierName: 'spine',
        members: [
          { type: 'HyperNode', selector: { exactMatch: { name: 'leaf-1' } } },
          { type: 'HyperNode', selector: { exactMatch: { name: 'leaf-2' } } },
          { type: 'Node', selector: { exactMatch: { name: 'n' } } },
          { type: 'Node', selector: { regexMatch: { pattern: '^gpu-' } } },
        ],
      },
    },
  ]);
});
