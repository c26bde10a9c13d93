/**
 * Random small clusters with gangs such as one tenant might write to cost others their time: pods that must be near pods that do not exist, keep
 * off others, spread, want ports or volumes that are elsewhere, or differ among themselves; in queues with odd quotas. Some of them can run after a
 * change, and some at once.
 */
import * as fc from 'fast-check';
import {
  type ClusterNode,
  type Gang,
  type Pod,
  type PodAffinityTerm,
  type PodTemplate,
  type Queue,
  type Role,
} from '../../src/placement';
import { NOW, type World } from './worlds';

const HOST = 'kubernetes.io/hostname';

const node = (index: number): fc.Arbitrary<ClusterNode> =>
  fc.record({ devices: fc.constantFrom(0, 1, 2, 4), rack: fc.nat(2), cordoned: fc.nat(7) }).map((draft) => ({
    name: `n${index}`,
    allocatable: { cpu: 4000, memory: 1e11, pods: 6, 'nvidia.com/gpu': draft.devices },
    // A node without the label is in no rack.
    labels: { ...(draft.rack < 2 && { rack: `r${draft.rack}` }), zone: 'z0' },
    unschedulable: draft.cordoned === 0,
  }));

const queue = (index: number): fc.Arbitrary<Queue> =>
  fc
    .record({
      quota: fc.constantFrom(undefined, 0, 0.5, 2, 'unlimited' as const),
      most: fc.constantFrom(undefined, undefined, 0, 1, 3.7, 100),
      state: fc.constantFrom(undefined, undefined, undefined, 'closed' as const),
    })
    .map(({ quota, most, state }) => ({
      name: `q${index}`,
      ...(quota !== undefined && { deserved: { 'nvidia.com/gpu': quota, cpu: 'unlimited' } }),
      ...(most !== undefined && { capability: { 'nvidia.com/gpu': most } }),
      ...(state !== undefined && { state }),
      arrival: index,
    }));

const term = fc
  .record({ app: fc.nat(5), key: fc.constantFrom(HOST, HOST, 'rack', 'zone', 'none'), everywhere: fc.nat(3) })
  .map(({ app, key, everywhere }): PodAffinityTerm => ({
    topologyKey: key,
    selector: {
      // Label 5 is on no pod; without a requirement all pods are selected.
      labels: everywhere === 0 ? [] : [{ key: 'app', operator: 'In', values: [`a${app}`] }],
    },
  }));

const constraint: fc.Arbitrary<Partial<PodTemplate>> = fc
  .record({ kind: fc.nat(12), one: term, other: term, port: fc.nat(1), skew: fc.integer({ min: 1, max: 2 }) })
  .map(({ kind, one, other, port, skew }): Partial<PodTemplate> => {
    switch (kind) {
      case 0:
      case 1:
      case 2:
        return { podAffinity: [one] };
      case 3:
        return { podAffinity: [one, other] };
      case 4:
      case 5:
        return { podAntiAffinity: [one] };
      case 6:
        return { podAffinity: [one], podAntiAffinity: [other] };
      case 7:
      case 8:
        return { topologySpread: [{ ...one, maxSkew: skew, whenUnsatisfiable: 'DoNotSchedule' }] };
      case 9:
        return { topologySpread: [{ ...one, maxSkew: skew, whenUnsatisfiable: 'ScheduleAnyway' }] };
      case 10:
        return { hostPorts: [{ port: 8000 + port }] };
      case 11:
        return {
          volumeNodeTerms: [[{ labels: [{ key: 'rack', operator: 'In', values: [`r${port}`] }] }]],
          preferredPodAffinity: [{ weight: 10, term: one }],
        };
      default:
        return {};
    }
  });

const template: fc.Arbitrary<PodTemplate> = fc
  .record({
    cpu: fc.constantFrom(100, 1000, 3000, 9000),
    gpus: fc.constantFrom(0, 0, 1, 1, 2, 9),
    app: fc.nat(4),
    constraint,
  })
  .map(({ cpu, gpus, app, constraint: more }) => ({
    request: { cpu, memory: 1e9, ...(gpus > 0 && { 'nvidia.com/gpu': gpus }) },
    labels: { app: `a${app}` },
    ...more,
  }));

const gang = (prefix: string, index: number): fc.Arbitrary<Gang> =>
  fc
    .record({
      queue: fc.nat(3),
      priority: fc.constantFrom(0, 50, 50, 100),
      age: fc.nat(60),
      expected: fc.constantFrom(undefined, undefined, 300),
      lacks: fc.nat(3),
      topology: fc.constantFrom(undefined, undefined, undefined, { required: 'rack' }),
      roles: fc.array(fc.record({ count: fc.integer({ min: 1, max: 3 }), template }), { minLength: 1, maxLength: 2 }),
    })
    .map(({ queue: of, priority, age, expected, lacks, topology, roles }): Gang => {
      const size = roles.reduce((sum, { count }) => sum + count, 0);
      return {
        name: `${prefix}${index}`,
        // The third one may not exist.
        queue: `q${of}`,
        priority,
        arrival: NOW - age * 60_000,
        ...(expected !== undefined && { expectedSeconds: expected }),
        ...(topology !== undefined && { topology }),
        ...(lacks === 0 && { minimum: Math.max(1, size - 1) }),
        roles: roles.map((role, i): Role => ({ name: `role${i}`, ...role })),
      };
    });

const gangs = (prefix: string, maxLength: number): fc.Arbitrary<Gang[]> =>
  fc
    .integer({ min: 1, max: maxLength })
    .chain((length) => fc.tuple(...Array.from({ length }, (_, i) => gang(prefix, i))));

/** @param queues at most so many */
export function hostileWorlds(queues: number): fc.Arbitrary<World> {
  return fc.record({
    nodes: fc.integer({ min: 1, max: 5 }).chain((length) => fc.tuple(...Array.from({ length }, (_, i) => node(i)))),
    queues: fc
      .integer({ min: 1, max: queues })
      .chain((length) => fc.tuple(...Array.from({ length }, (_, i) => queue(i)))),
    early: gangs('e', 6),
    late: gangs('l', 10),
  });
}

/** Its pods, as far as they do not run yet, get other labels. */
export function relabeled(one: Gang, pick: number): Gang {
  return {
    ...one,
    roles: one.roles.map((role) => ({
      ...role,
      template: { ...role.template, labels: { app: `a${pick % 6}` } },
    })),
  };
}

export function otherQuota(one: Queue, pick: number): Queue {
  const amounts = [0, 0.5, 1, 2, 4, 1000];
  return {
    ...one,
    state: pick % 5 === 0 ? 'closed' : 'open',
    capability: pick % 3 === 0 ? undefined : { 'nvidia.com/gpu': amounts[pick % amounts.length] },
  };
}

/** Pods that others have to be near, of no gang that is known. */
export function wantedGang(name: string, pick: number, arrival: number): Gang {
  return {
    name,
    queue: `q${pick % 3}`,
    priority: 50,
    arrival,
    roles: [{ name: 'role0', count: 1, template: wanted(pick) }],
  };
}

/** The same on a node, of another scheduler. */
export function wantedPod(name: string, nodeName: string, pick: number): Pod {
  return { name, state: 'running', node: nodeName, template: wanted(pick) };
}

function wanted(pick: number): PodTemplate {
  return { request: { cpu: 100, memory: 1e9 }, labels: { app: `a${pick % 6}` } };
}

/** It has room for what no node had room for, or no more. */
export function largerNode({ allocatable, ...node }: ClusterNode, pick: number): ClusterNode {
  return { ...node, allocatable: { ...allocatable, cpu: pick % 3 === 0 ? 4000 : 16_000 } };
}
