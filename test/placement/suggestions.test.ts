import { type ClusterNode, type Counterfactual, type PendingGang } from '../../src/placement';
import { cluster, gang, node, run, running, template } from './builders';
import { checkSuggestions } from './suggestions';
import { samples } from '../support/samples';

const GPU = 'nvidia.com/gpu';
const gaudi: ClusterNode = {
  name: 'gaudi-1',
  allocatable: { cpu: 32_000, memory: 1e12, pods: 50, 'habana.ai/gaudi': 8 },
  deviceResource: 'habana.ai/gaudi',
};

function pendingOf(...parameters: Parameters<typeof cluster>): PendingGang {
  return run(cluster(...parameters)).pending[0];
}

function change<Kind extends Counterfactual['kind']>(pending: PendingGang, kind: Kind): Counterfactual | undefined {
  return pending.counterfactuals.find((one) => one.kind === kind);
}

describe('suggestions', () => {
  it('help, and are the smallest of their kind, as a brute force finds', () => {
    checkSuggestions(samples(300), 11);
  });

  it('are not made where no node offers the resource, which is said first', () => {
    const tainted = node('gpu-1', 8, { taints: [{ key: GPU, effect: 'NoSchedule' }] });
    const amd = template(0, { request: { cpu: 1_000, memory: 1e9, 'amd.com/gpu': 8 } });
    expect(pendingOf([tainted, gaudi], [gang('g', 1, amd)])).toMatchObject({
      kind: 'not-offered',
      message: 'No node offers amd.com/gpu (0 of 2).',
      blocked: [{ constraint: 'not-offered', detail: 'amd.com/gpu', nodes: 2 }],
      counterfactuals: [],
    });
  });

  it('name the model or MIG profile that no device has', () => {
    const models = template(0, { accelerator: { kind: 'whole', count: 1, models: ['B200'] } });
    expect(pendingOf([node('n', 8)], [gang('g', 1, models)])).toMatchObject({
      kind: 'not-offered',
      message: 'No node has the device model B200 (0 of 1).',
    });
    const slice = template(0, { accelerator: { kind: 'mig', profile: '1g.10gb', count: 1 } });
    expect(pendingOf([node('n', 8)], [gang('g', 1, slice)])).toMatchObject({
      kind: 'not-offered',
      message: 'No node has a device with the MIG profile 1g.10gb (0 of 1).',
    });
  });

  it('never ask for a resource that the node does not offer', () => {
    const full = [node('n', 8), gaudi];
    const gangs = [gang('there', 1, template(8)), gang('g', 1, template(8))];
    const pending = pendingOf(full, gangs, [running('there', 'n')]);
    expect(change(pending, 'more-on-node')).toMatchObject({ node: 'n', amount: 8 });
  });

  it('name the toleration that is missing, if it alone is', () => {
    const taint = { key: 'team', value: 'vision', effect: 'NoSchedule' as const };
    const nodes = [node('n', 8, { taints: [taint] }), node('m', 2)];
    expect(change(pendingOf(nodes, [gang('g', 1, template(4))]), 'add-toleration')).toEqual({
      kind: 'add-toleration',
      taints: [taint],
    });
    const twoReasons = gang('g', 1, template(4, { nodeSelector: { disk: 'ssd' } }));
    expect(change(pendingOf(nodes, [twoReasons]), 'add-toleration')).toBeUndefined();
  });

  it('name the selector or affinity that excludes the nodes with room', () => {
    const nodes = [node('n', 8, { labels: { disk: 'hdd' } })];
    const selects = gang('g', 1, template(4, { nodeSelector: { disk: 'ssd' } }));
    expect(change(pendingOf(nodes, [selects]), 'drop-node-selector')).toEqual({
      kind: 'drop-node-selector',
      key: 'disk',
      value: 'ssd',
    });
    const terms = [{ labels: [{ key: 'disk', operator: 'In' as const, values: ['ssd'] }] }];
    expect(change(pendingOf(nodes, [gang('g', 1, template(4, { nodeTerms: terms }))]), 'drop-node-affinity')).toEqual({
      kind: 'drop-node-affinity',
    });
  });

  it('say how many nodes of which pool are missing, and in which domain', () => {
    const pool = (name: string, rack: string): ClusterNode => node(name, 4, { pool: 'train', labels: { rack } });
    const nodes = [pool('a', 'r1'), pool('b', 'r1'), pool('c', 'r2')];
    expect(change(pendingOf(nodes, [gang('g', 5, template(4))]), 'more-nodes')).toEqual({
      kind: 'more-nodes',
      like: 'a',
      pool: 'train',
      count: 2,
    });
    const near = gang('g', 3, template(4), { topology: { required: 'rack' } });
    expect(change(pendingOf(nodes, [near]), 'more-nodes')).toEqual({
      kind: 'more-nodes',
      like: 'a',
      pool: 'train',
      count: 1,
      domain: 'r1',
    });
  });

  it('count added devices in parts for pods that share one', () => {
    const half = template(0, { accelerator: { kind: 'fraction', milli: 500 } });
    const gangs = [gang('there', 1, template(2)), gang('g', 5, half)];
    const pending = pendingOf([node('n', 3)], gangs, [running('there', 'n')]);
    expect(change(pending, 'more-on-node')).toEqual({ kind: 'more-on-node', node: 'n', resource: GPU, amount: 2 });
  });

  it('ask a node for no more than other pods use on it', () => {
    const used = [running('there', 'n')];
    const there = gang('there', 1, template(2));
    const asks = (count: number): unknown =>
      change(pendingOf([node('n', 8)], [there, gang('g', 1, template(count))], used), 'more-on-node');
    expect(asks(8)).toMatchObject({ node: 'n', amount: 2 });
    expect(asks(9)).toBeUndefined();
    expect(asks(16)).toBeUndefined();
  });

  it('are made in a cluster whose last node has no devices', () => {
    const replica = template(0, { accelerator: { kind: 'shared', count: 1 } });
    const gangs = [gang('there', 2, replica), gang('g', 2, replica)];
    const nodes = [node('a', 1, { pool: 'gpu', devices: [{ replicas: 2 }] }), node('b', 0)];
    const pending = pendingOf(nodes, gangs, [running('there', 'a', 0), running('there', 'a', 1)]);
    expect(change(pending, 'more-nodes')).toEqual({ kind: 'more-nodes', like: 'a', pool: 'gpu', count: 1 });
  });
});
