/**
 * Gangs with claims: whole gangs or none, with other choices for earlier pods, and claims that pods share.
 */
import { decide, type PodTemplate, type Snapshot } from '../../../src/placement';
import { type ClaimFacts, type DeviceClaim, type DeviceSlice } from '../../../src/placement/model/claims';
import { alternative, checkClaimGangs, device, hasSize, partitioned, slicesOf } from './gangs';

const WORLDS = 300;

test('a gang is placed exactly where trying everything finds places', () => {
  const feasible = checkClaimGangs(WORLDS, 20261123);
  expect(feasible).toBeGreaterThan(WORLDS / 5);
  expect(feasible).toBeLessThan((WORLDS * 4) / 5);
});

function claim(...requests: DeviceClaim['requests']): DeviceClaim {
  return { name: 'c', requests, constraints: [] };
}

function snapshot(
  nodes: readonly string[],
  slices: readonly DeviceSlice[],
  claims: Readonly<Record<string, Partial<ClaimFacts>>>,
  count: number,
  template: Partial<PodTemplate> = {},
): Snapshot {
  return {
    now: 0,
    nodes: nodes.map((name) => ({ name, allocatable: { cpu: 4, pods: 10 }, labels: { rack: `rack-${name[0]}` } })),
    queues: [{ name: 'q' }],
    gangs: [
      {
        name: 'g',
        queue: 'q',
        roles: [{ name: 'r', count, template: { request: { cpu: 1 }, claims: Object.keys(claims), ...template } }],
      },
    ],
    pods: [],
    deviceClaims: {
      slices,
      claims: new Map(
        Object.entries(claims).map(([key, facts]) => [key, { title: `claim "${key}"`, shared: false, ...facts }]),
      ),
    },
  };
}

const wholeOrHalf = claim({
  name: 'gpu',
  alternatives: [
    alternative({ name: 'whole', accepts: hasSize(2n) }),
    alternative({ name: 'half', accepts: hasSize(1n) }),
  ],
});

function devices(world: Snapshot): readonly string[] {
  return decide(world).bindings.map(
    ({ node, claims = [] }) => `${node}: ${claims.flatMap((one) => one.devices.map((each) => each.device)).join(' ')}`,
  );
}

// kubernetes#138765
test('an earlier pod takes its second alternative, so that the gang fits', () => {
  const world = snapshot(['n'], slicesOf('n', partitioned('g')), { c: { claim: wholeOrHalf } }, 2);
  expect(devices(world)).toEqual(['n: g-half-a', 'n: g-half-b']);
  expect(
    devices({ ...world, gangs: world.gangs.map((gang) => ({ ...gang, roles: [{ ...gang.roles[0], count: 1 }] })) }),
  ).toEqual(['n: g']);
  expect(devices(snapshot(['n'], slicesOf('n', partitioned('g')), { c: { claim: wholeOrHalf } }, 3))).toEqual([]);
});

test('many pods fit in their second alternatives', () => {
  const nodes = Array.from({ length: 16 }, (_, index) => `n${index}`);
  const slices = nodes.flatMap((node) => slicesOf(node, [...partitioned('a'), ...partitioned('b')]));
  const world = snapshot(nodes, slices, { c: { claim: wholeOrHalf } }, 64);
  expect(devices(world)).toHaveLength(64);
});

// kubernetes#137617
test('pods that share a claim start together on the node of its device', () => {
  const shared = { c: { shared: true, claim: claim({ name: 'gpu', alternatives: [alternative()] }) } };
  const slices = ['m', 'n'].flatMap((node) => slicesOf(node, [device('g')]));
  expect(devices(snapshot(['m', 'n'], slices, shared, 2))).toEqual(['m: g', 'm: g']);
  expect(devices(snapshot(['m', 'n'], slices, shared, 5))).toEqual([]);
});

// KAI-Scheduler#1217
test('a gang with devices and claims uses an idle rack', () => {
  const nodes = ['a', 'b'].flatMap((rack) => Array.from({ length: 18 }, (_, index) => `${rack}${index}`));
  const slices = nodes.flatMap((node) => slicesOf(node, [device('channel')]));
  const base = snapshot(
    nodes,
    slices,
    { c: { claim: claim({ name: 'channel', alternatives: [alternative()] }) } },
    16,
    {
      request: { cpu: 1, 'nvidia.com/gpu': 4 },
    },
  );
  const [first] = base.gangs;
  const topology = { required: 'rack' };
  const world: Snapshot = {
    ...base,
    nodes: base.nodes.map((node) => ({ ...node, allocatable: { ...node.allocatable, 'nvidia.com/gpu': 4 } })),
    topologies: [{ name: 't', levels: ['rack'] }],
    gangs: [
      { ...first, name: 'rack-0', topology },
      { ...first, name: 'rack-1', topology },
    ],
  };
  const { bindings } = decide(world);
  const racks = (gang: string): string[] => [
    ...new Set(bindings.filter((one) => one.gang === gang).map(({ node }) => node[0] ?? '')),
  ];
  expect(bindings).toHaveLength(32);
  expect([...racks('rack-0'), ...racks('rack-1')].sort()).toEqual(['a', 'b']);
});

test('devices of pods that are on their way out stay theirs while another gang waits for one of them', () => {
  const own = (name: string): readonly [string, ClaimFacts] => [
    name,
    {
      title: name,
      shared: true,
      allocation: {
        devices: [{ driver: 'd', pool: 'a1', device: name, request: 'gpu', adminAccess: false }],
        nodes: () => true,
        retained: false,
      },
    },
  ];
  const asked = snapshot(
    ['a1'],
    slicesOf('a1', [device('x'), device('y')]),
    { c: { claim: claim({ name: 'gpu', alternatives: [alternative()] }) } },
    1,
  );
  const [gang] = asked.gangs;
  const [{ template }] = gang.roles;
  const { bindings, nominations } = decide({
    ...asked,
    gangs: [gang, { ...gang, name: 'next' }],
    pods: ['x', 'y'].map((name) => ({ name, node: 'a1', state: 'releasing', template, claims: [name] })),
    deviceClaims: {
      slices: asked.deviceClaims?.slices ?? [],
      claims: new Map([...(asked.deviceClaims?.claims ?? []), own('x'), own('y')]),
    },
  });
  expect([bindings, nominations.length]).toEqual([[], 2]);
});
