import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Case, type SchedulerCase, type TopologyCase } from '../../bench/conformance/case-format';
import { runCase } from '../../bench/conformance/run-case';
import { runSchedulerCase } from '../../bench/conformance/run-scheduler-case';
import { livePods, snapshotOf } from '../../bench/conformance/to-snapshot';
import { runTopologyCase } from '../../bench/conformance/run-topology-case';

const GPU = 'nvidia.com/gpu';

function steady(expected: string): SchedulerCase {
  return {
    id: 'case',
    name: 'the older of two starts',
    suite: 'kai',
    kind: 'steady',
    nodes: [{ name: 'n', allocatable: { [GPU]: 2, cpu: 9_000, pods: 9 } }],
    queues: [{ name: 'q', parent: null, deserved: { [GPU]: null } }],
    podGroups: ['a', 'b'].map((name, i) => ({
      name,
      queue: 'q',
      priority: 50,
      preemptible: true,
      minMember: 1,
      ageMinutes: 2 - i,
    })),
    pods: ['a', 'b'].map((name) => ({ name: `${name}-0`, podGroup: name, state: 'pending', request: { [GPU]: 2 } })),
    run: { actions: ['allocate', 'reclaim', 'preempt'], rounds: 1, stableRounds: 3 },
    expect: { podGroups: { a: { status: 'running', node: 'n' }, b: { status: expected } } },
  };
}

describe('case runner', () => {
  it('passes a case that holds, and says which pod of one that does not is where', () => {
    expect(runSchedulerCase(steady('pending'))).toEqual([]);
    expect(runSchedulerCase(steady('running'))).toEqual(['round 1: b-0 is pending, expected running']);
  });

  it('gives a shared device of running pods to the pods that name it', () => {
    const pods = ['a', 'b', 'c'].map((name, i) => ({
      name: `${name}-0`,
      podGroup: name,
      request: {},
      gpuFraction: 0.5,
      ...(i < 2 ? { state: 'running', node: 'n', gpuGroups: ['7'] } : { state: 'pending' }),
    }));
    const podGroups = ['a', 'b', 'c'].map((name) => ({
      name,
      queue: 'q',
      priority: 50,
      preemptible: true,
      minMember: 1,
      ageMinutes: 1,
    }));
    const nodes = [{ name: 'n', allocatable: { [GPU]: 1, pods: 9 } }];
    expect(
      runSchedulerCase({ ...steady(''), nodes, podGroups, pods, expect: { podGroups: { c: { status: 'pending' } } } }),
    ).toEqual([]);
  });

  it('lets the higher order in a group go first, and takes pipelined pods as waiting', () => {
    const given = steady('');
    const pods = [
      { name: 'a-0', podGroup: 'a', state: 'pending', request: { [GPU]: 2 }, orderInGroup: 1 },
      { name: 'a-1', podGroup: 'a', state: 'pipelined', node: 'n', request: { [GPU]: 2 }, orderInGroup: 2 },
    ];
    const expected = { pods: { 'a-0': { status: 'pending' }, 'a-1': { status: 'running', node: 'n' } } };
    expect(runSchedulerCase({ ...given, podGroups: [given.podGroups[0]], pods, expect: expected })).toEqual([]);
  });

  it('keeps MIG nodes for what their strategy exposes', () => {
    const given = steady('');
    const node = { allocatable: { [GPU]: 2, 'nvidia.com/mig-1g.10gb': 7, pods: 9 } };
    const run = (migStrategy: string): readonly string[] =>
      runSchedulerCase({
        ...given,
        nodes: [{ name: 'n', ...node, gpu: { migStrategy } }],
        expect: { podGroups: { a: { status: 'running', node: 'n' } } },
      });
    expect(run('single')).toEqual([]);
    expect(run('mixed')).toEqual(['round 1: a-0 is pending, expected running on n']);
  });

  it('has no room to come from a pod that never terminates', () => {
    const given = steady('');
    const stuck = { name: 'old-0', podGroup: 'b', state: 'releasing', node: 'n', request: { [GPU]: 2 } };
    const run = (stuckInReleasing: boolean, status: string): readonly string[] =>
      runSchedulerCase({
        ...given,
        pods: [given.pods[0], { ...stuck, stuckInReleasing }],
        run: { ...given.run, stableRounds: 0, rounds: 2 },
        expect: { podGroups: { a: { status } } },
      });
    expect(run(true, 'pending')).toEqual([]);
    expect(run(false, 'running')).toEqual([]);
  });

  it('keeps the numbers of shared devices over rounds', () => {
    const given = steady('');
    const half = (name: string, state: string, group: string | undefined, node = 'n') => ({
      name,
      podGroup: name.slice(0, 1),
      request: {},
      gpuFraction: 0.5,
      state,
      ...(group === undefined ? {} : { gpuGroups: [group], node }),
    });
    const groups = ['a', 'b', 'c'].map((name) => ({ ...given.podGroups[0], name }));
    const pods = [half('a-0', 'releasing', '1'), half('b-0', 'running', '2'), half('c-0', 'pending', undefined)];
    const live = livePods({ ...given, podGroups: groups, pods }, new Set(['n']));
    expect(live.map(({ devices }) => devices)).toEqual([[0], [1], undefined]);
    const later = live.map((pod) => (pod.spec.name === 'a-0' ? { ...pod, node: undefined, devices: undefined } : pod));
    expect(
      snapshotOf({ ...given, podGroups: groups, pods }, later).pods.find(({ name }) => name === 'b-0'),
    ).toMatchObject({
      devices: [1],
    });
  });

  it('compares exact binds and evictions of one session', () => {
    const session: SchedulerCase = {
      ...steady(''),
      suite: 'volcano',
      kind: 'action',
      run: { actions: ['allocate'] },
      expect: { binds: { 'a-0': 'n' }, evictions: [] },
    };
    expect(runSchedulerCase(session)).toEqual([]);
    expect(runSchedulerCase({ ...session, expect: { binds: {}, evictions: [] } })).toEqual([
      'bindings: a-0 on n, expected none',
    ]);
  });

  it('counts a leader beside its workers, and pod sets one after another', () => {
    const labels = (rack: string, host: string): Record<string, string> => ({ rack, 'kubernetes.io/hostname': host });
    const topology = { mode: 'required', level: 'rack' };
    const given: TopologyCase = {
      id: 'case',
      name: 'leader',
      suite: 'kueue-tas',
      kind: 'topology-assign',
      levels: ['rack', 'kubernetes.io/hostname'],
      nodes: [
        ['r1', 'x1', 2],
        ['r1', 'x2', 1],
        ['r2', 'x3', 4],
      ].map(([rack, host, cpu]) => ({
        name: String(host),
        labels: labels(String(rack), String(host)),
        allocatable: { cpu: Number(cpu) * 1000, pods: 9 },
      })),
      podSets: [
        {
          name: 'leader',
          count: 1,
          requestPerPod: { cpu: 1000 },
          podSetGroup: 'g',
          topology,
          expect: { domains: [{ values: ['x1'], count: 1 }] },
        },
        {
          name: 'workers',
          count: 2,
          requestPerPod: { cpu: 1000 },
          podSetGroup: 'g',
          topology,
          expect: {
            domains: [
              { values: ['x1'], count: 1 },
              { values: ['x2'], count: 1 },
            ],
          },
        },
        { name: 'more', count: 2, requestPerPod: { cpu: 3000 }, topology, expect: { unschedulable: true } },
      ],
    };
    expect(runTopologyCase(given)).toEqual([]);
  });
});

describe('the cases of the tree', () => {
  const folder = join(__dirname, '../fixtures/cases');
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

  it.each(files)('%s: each case holds', (file) => {
    const cases = JSON.parse(readFileSync(join(folder, file), 'utf8')) as readonly Case[];
    expect(cases.length).toBeGreaterThan(0);
    expect(cases.map((given) => [given.id, runCase(given)] as const).filter(([, why]) => why.length > 0)).toEqual([]);
  });
});
