import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Case, type SchedulerCase, type TopologyCase } from '../../bench/conformance/case-format';
import { runCase } from '../../bench/conformance/run-case';
import { runSchedulerCase } from '../../bench/conformance/run-scheduler-case';
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
