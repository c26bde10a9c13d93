import { decide, DEFAULT_POLICY } from '../../src/placement';
import { withMigConfig } from '../../src/placement/nodes/mig-config';
import { samples } from '../support/samples';
import { cluster, NOW, run, running, template, gang } from './builders';
import { asking, checkRepartition, divided } from './repartition';

const slices = asking('infer', { asks: '1g.6gb', count: 4, each: 1, cpu: 1 });

describe('repartitioning of free devices', () => {
  it('changes nodes that nothing uses, no more of them than needed, so that gangs start which would not', () => {
    checkRepartition(samples(300), 8);
  });

  it('is off by default', () => {
    const { repartitions, pending } = run(cluster([divided('a', 1, 'all-disabled')], [slices]));
    expect(repartitions).toBeUndefined();
    expect(pending.map(({ kind }) => kind)).toEqual(['not-offered']);
  });

  it('names the configuration, and the gang that waits for it', () => {
    const nodes = [divided('a', 2, 'all-disabled'), divided('b', 1, 'all-disabled')];
    const { repartitions, pending } = run(cluster(nodes, [slices]), { repartitionLimit: 4 });
    expect(repartitions).toEqual([{ node: 'b', config: 'all-1g.6gb', beneficiary: 'infer' }]);
    expect(pending).toMatchObject([
      {
        gang: 'infer',
        kind: 'repartition',
        message: 'The gang starts when node "b" has the MIG configuration "all-1g.6gb".',
        needed: 4,
        counterfactuals: [],
      },
    ]);
  });

  it('takes no node from a gang for which others change already, for one that comes first by now', () => {
    const nodes = [divided('a', 1, 'all-disabled'), { ...divided('b', 2, 'all-2g.12gb'), migChange: 'all-disabled' }];
    const small = asking('small', { asks: '1g.6gb', count: 1, each: 1, cpu: 1 }, { arrival: NOW });
    const wide = asking('wide', { asks: 'whole', count: 3, each: 1, cpu: 1 }, { arrival: NOW + 1 });
    const { repartitions, pending } = run(cluster(nodes, [small, wide]), { repartitionLimit: 2 });
    expect(repartitions).toBeUndefined();
    expect(pending.find(({ gang: name }) => name === 'wide')?.kind).toBe('repartition');
  });

  it('changes one node where the next decision moves a pod that it starts, so that the second gang starts as well', () => {
    const nodes = [
      divided('a', 2, 'all-disabled', 32),
      divided('b', 1, 'all-disabled', 4),
      divided('c', 1, 'all-1g.6gb', 4),
    ];
    const wide = asking('wide', { asks: '1g.6gb', count: 4, each: 1, cpu: 4 }, { arrival: NOW });
    const pairs = asking('pairs', { asks: '1g.6gb', count: 3, each: 2, cpu: 1 }, { arrival: NOW + 1 });
    const queues = [{ name: 'q' }, { name: 'p' }];
    const { repartitions, pending } = run(cluster(nodes, [wide, { ...pairs, queue: 'p' }], [], { queues }), {
      repartitionLimit: 2,
    });
    expect(repartitions).toEqual([{ node: 'a', config: 'all-1g.6gb', beneficiary: 'pairs' }]);
    expect(pending.map(({ gang: name, kind }) => `${name} ${kind}`).sort()).toEqual([
      'pairs repartition',
      'wide repartition',
    ]);
  });

  it('names the first three of several nodes', () => {
    const nodes = ['a', 'b', 'c', 'd', 'e'].map((name) => divided(name, 1, 'all-disabled'));
    const message = (count: number): string | undefined => {
      const wide = asking('wide', { asks: '2g.12gb', count, each: 1, cpu: 1 });
      return run(cluster(nodes, [wide]), { repartitionLimit: 5 }).pending[0].message;
    };
    const has = (name: string): string => `node "${name}" has the MIG configuration "all-2g.12gb"`;
    expect(message(4)).toBe(`The gang starts when ${has('a')} and ${has('b')}.`);
    expect(message(10)).toBe(
      `The gang starts when ${has('a')}, ${has('b')}, ${has('c')}, and 2 more nodes are changed.`,
    );
  });

  it('gives whole devices back', () => {
    const training = asking('train', { asks: 'whole', count: 1, each: 2, cpu: 1 });
    const decision = run(cluster([divided('a', 2, 'all-1g.6gb')], [training]), { repartitionLimit: 1 });
    expect(decision.repartitions).toEqual([{ node: 'a', config: 'all-disabled', beneficiary: 'train' }]);
  });

  it('leaves nodes alone whose devices run, terminate, are broken, cordoned, or used by others', () => {
    const whole = divided('a', 1, 'all-disabled');
    const other = asking('other', { asks: 'whole', count: 1, each: 1, cpu: 1 });
    const outcome = (node: typeof whole, pods = [] as ReturnType<typeof running>[]): unknown =>
      run(cluster([node], [slices, other], pods), { repartitionLimit: 1, actions: ['allocate'] }).repartitions;
    const alone = (node: typeof whole): unknown =>
      run(cluster([node], [slices]), { repartitionLimit: 1, actions: ['allocate'] }).repartitions;
    expect(alone(whole)).toHaveLength(1);
    expect(outcome(whole, [running('other', 'a')])).toBeUndefined();
    expect(outcome(whole, [running('other', 'a', 0, { state: 'releasing', releasedBy: NOW })])).toBeUndefined();
    expect(alone({ ...whole, devices: [{ ...whole.devices![0], healthy: false }] })).toBeUndefined();
    expect(alone({ ...whole, devices: [{ ...whole.devices![0], replicas: 2 }] })).toBeUndefined();
    expect(alone({ ...whole, unschedulable: true })).toBeUndefined();
    expect(alone({ ...whole, ready: false })).toBeUndefined();
    expect(alone({ ...whole, used: { 'nvidia.com/gpu': 1 } })).toBeUndefined();
    expect(alone({ ...whole, migConfigs: undefined })).toBeUndefined();
  });

  it('keeps nodes that run pods without devices', () => {
    const web = gang('web', 1, template(0));
    const world = cluster([divided('a', 1, 'all-disabled')], [slices, web], [running('web', 'a')]);
    expect(run(world, { repartitionLimit: 1 }).repartitions).toHaveLength(1);
  });

  it('changes as many nodes at the same time as the policy allows, with those that change already', () => {
    const nodes = ['a', 'b', 'c'].map((name) => divided(name, 1, 'all-disabled'));
    const jobs = ['x', 'y', 'z'].map((name) => asking(name, { asks: '1g.6gb', count: 4, each: 1, cpu: 1 }));
    const changed = (list: typeof nodes, limit: number): unknown =>
      run(cluster(list, jobs), { repartitionLimit: limit }).repartitions?.map(({ node: on }) => on);
    expect(changed(nodes, 2)).toEqual(['a', 'b']);
    const half = [{ ...nodes[0], migChange: 'all-1g.6gb' }, ...nodes.slice(1)];
    expect(changed(half, 2)).toEqual(['b']);
    expect(changed(half, 1)).toBeUndefined();
  });

  it('keeps the quota of queues: what a queue may not have is not made', () => {
    const world = cluster([divided('a', 1, 'all-disabled')], [slices], [], {
      queues: [{ name: 'q', state: 'closed' }],
    });
    expect(run(world, { repartitionLimit: 1 }).repartitions).toBeUndefined();
  });

  it('starts the gang once the configuration is applied', () => {
    const before = cluster([divided('a', 1, 'all-disabled')], [slices]);
    const after = { ...before, nodes: [withMigConfig(before.nodes[0], 'all-1g.6gb')] };
    expect(decide(after, { ...DEFAULT_POLICY, repartitionLimit: 1 })).toMatchObject({
      bindings: [{ gang: 'infer' }, { gang: 'infer' }, { gang: 'infer' }, { gang: 'infer' }],
      pending: [],
    });
    expect(after.nodes[0].allocatable).toEqual({ cpu: 32_000, memory: 1e12, pods: 50, 'nvidia.com/mig-1g.6gb': 4 });
  });
});
