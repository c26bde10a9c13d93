/**
 * Devices by claim: the recorded choices of Kubernetes' own allocator on random worlds, and what each part of a claim means.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allocateDevices } from '../../../src/placement/claims/allocate';
import {
  type Device,
  type DeviceClaim,
  deviceKey,
  type DeviceSlice,
  type HeldDevices,
  type RequestAlternative,
} from '../../../src/placement/model/claims';
import { Random } from '../../support/random';
import { allocated, lineOf } from './compare';
import { observesConstraints } from './observed';
import { makeWorld } from './worlds';

const UNIT = 1_000_000_000n;
const NOTHING: HeldDevices = { whole: new Set(), shares: new Map() };

test('the choices are those that were recorded of the allocator of Kubernetes', () => {
  const lines = readFileSync(join(__dirname, '../../fixtures/device-claims.txt'), 'utf8').trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(500);
  const ours = lines.map((line) => {
    const seed = Number(line.split(' ')[0]);
    const world = makeWorld(new Random(seed));
    const result = allocated(world);
    expect(result.kind !== 'allocated' || observesConstraints(world, result.claims)).toBe(true);
    return `${seed} ${result.kind === 'allocated' ? lineOf(result.claims) : result.kind}`;
  });
  expect(ours).toEqual(lines);
});

function device(name: string, more: Partial<Device> = {}): Device {
  return {
    name,
    attributes: new Map(),
    capacity: new Map(),
    consumes: [],
    taints: [],
    shareable: false,
    bindsLater: false,
    ...more,
  };
}

function slice(devices: readonly Device[], more: Partial<DeviceSlice> = {}): DeviceSlice {
  return {
    name: 'slice',
    driver: 'd',
    pool: 'p',
    generation: 1,
    sliceCount: 1,
    nodes: () => true,
    devices,
    counters: new Map(),
    ...more,
  };
}

function way(more: Partial<RequestAlternative> = {}): RequestAlternative {
  return { accepts: () => true, count: 1, adminAccess: false, tolerations: [], capacity: new Map(), ...more };
}

function claim(
  requests: readonly (readonly RequestAlternative[])[],
  constraints: DeviceClaim['constraints'] = [],
): DeviceClaim {
  return {
    name: 'c',
    requests: requests.map((alternatives, index) => ({ name: `r${index}`, alternatives })),
    constraints,
  };
}

function chosen(claims: readonly DeviceClaim[], slices: readonly DeviceSlice[], held = NOTHING): string {
  const result = allocateDevices(claims, { slices, held, node: 'n' });
  return result.kind === 'allocated'
    ? result.claims.map((devices) => devices.map((one) => `${one.request}=${one.device}`).join(' ')).join('; ')
    : result.kind;
}

const numa = (value: bigint): Device['attributes'] => new Map([['numa', { type: 'int', values: [value] }]]);

test('an earlier choice is given up where a later request needs the device', () => {
  const only = way({ accepts: (_, { name }) => name === 'a' });
  expect(chosen([claim([[way()], [only]])], [slice([device('a'), device('b')])])).toBe('r0=b r1=a');
});

test('an alternative is chosen for the sake of a later claim', () => {
  const both = claim([[way({ name: 'two', count: 2 }), way({ name: 'one' })]]);
  expect(chosen([both, claim([[way()]])], [slice([device('a'), device('b')])])).toBe('r0/one=a; r0=b');
});

test('distinct values are distinct among all devices of a request', () => {
  const devices = [
    device('a', { attributes: numa(0n) }),
    device('b', { attributes: numa(1n) }),
    device('c', { attributes: numa(0n) }),
  ];
  const constraint = { kind: 'distinct', attribute: 'd/numa', requests: [] } as const;
  expect(chosen([claim([[way({ count: 2 })]], [constraint])], [slice(devices)])).toBe('r0=a r0=b');
  expect(chosen([claim([[way({ count: 3 })]], [constraint])], [slice(devices)])).toBe('none');
});

test('lists of values match where all devices have one value in common', () => {
  const root = (...values: string[]): Device['attributes'] => new Map([['root', { type: 'string', values }]]);
  const devices = [
    device('a', { attributes: root('x', 'y') }),
    device('b', { attributes: root('y', 'z') }),
    device('c', { attributes: root('z', 'x') }),
    device('d', { attributes: root('y') }),
  ];
  const constraint = { kind: 'match', attribute: 'd/root', requests: [] } as const;
  expect(chosen([claim([[way({ count: 3 })]], [constraint])], [slice(devices)])).toBe('r0=a r0=b r0=d');
});

test('a negative amount of a capacity is not given', () => {
  const shared = device('a', { shareable: true, capacity: new Map([['memory', { value: 10n * UNIT }]]) });
  const some = (amount: bigint): DeviceClaim => claim([[way({ capacity: new Map([['memory', amount]]) })]]);
  expect(chosen([some(0n)], [slice([shared])])).toBe('r0=a');
  expect(chosen([some(-1n)], [slice([shared])])).toBe('none');
});

test('shares of a device end with its capacity, and take its counters once', () => {
  const shared = device('a', {
    shareable: true,
    capacity: new Map([['memory', { value: 10n * UNIT }]]),
    consumes: [{ set: 's', counters: new Map([['slots', UNIT]]) }],
  });
  const slices = [
    slice([shared], { sliceCount: 2 }),
    slice([], { name: 'counters', sliceCount: 2, counters: new Map([['s', new Map([['slots', UNIT]])]]) }),
  ];
  const share = (amount: bigint): DeviceClaim => claim([[way({ capacity: new Map([['memory', amount * UNIT]]) })]]);
  expect(chosen([share(6n), share(4n)], slices)).toBe('r0=a; r0=a');
  expect(chosen([share(6n), share(5n)], slices)).toBe('none');
});

test('counters that a device of another node consumes are not left here', () => {
  const consumes = [{ set: 's', counters: new Map([['slots', UNIT]]) }];
  const slices = [
    slice([device('a', { consumes })], { sliceCount: 3 }),
    slice([device('b', { consumes })], { name: 'other', sliceCount: 3, nodes: (node) => node !== 'n' }),
    slice([], { name: 'counters', sliceCount: 3, counters: new Map([['s', new Map([['slots', UNIT]])]]) }),
  ];
  expect(chosen([claim([[way()]])], slices)).toBe('r0=a');
  const held = { ...NOTHING, whole: new Set([deviceKey({ driver: 'd', pool: 'p', device: 'b' })]) };
  expect(chosen([claim([[way()]])], slices, held)).toBe('none');
});

test('no device with counters is allocated from a pool whose counters are overcommitted', () => {
  const consuming = (name: string, counter: string, amount: bigint): Device =>
    device(name, { consumes: [{ set: 's', counters: new Map([[counter, amount * UNIT]]) }] });
  const amounts = new Map([
    ['memory', 2n * UNIT],
    ['slots', 4n * UNIT],
  ]);
  const slices = [
    slice([consuming('a', 'memory', 3n), consuming('b', 'slots', 1n), device('c')], { sliceCount: 2 }),
    slice([], {
      name: 'counters',
      sliceCount: 2,
      counters: new Map([['s', amounts]]),
    }),
  ];
  expect(chosen([claim([[way()]])], slices)).toBe('r0=b');
  const held = { ...NOTHING, whole: new Set([deviceKey({ driver: 'd', pool: 'p', device: 'a' })]) };
  expect(chosen([claim([[way()]])], slices, held)).toBe('r0=c');
});

test('admin access uses what others hold, but no device twice', () => {
  const held = { ...NOTHING, whole: new Set([deviceKey({ driver: 'd', pool: 'p', device: 'a' })]) };
  expect(chosen([claim([[way({ adminAccess: true })]])], [slice([device('a')])], held)).toBe('r0=a');
  expect(chosen([claim([[way({ adminAccess: true, count: 2 })]])], [slice([device('a')])], held)).toBe('none');
});

test('only the newest generation counts, and a pool that is being published waits', () => {
  const old = slice([device('a')]);
  const renewed = slice([device('b')], { name: 'new', generation: 2, sliceCount: 2 });
  expect(chosen([claim([[way()]])], [old, renewed])).toBe('none');
  expect(chosen([claim([[way({ count: 'all' })]])], [old, renewed])).toBe('wait');
  expect(chosen([claim([[way()]])], [old, renewed, { ...renewed, name: 'rest', devices: [] }])).toBe('r0=b');
});

test('devices that bind later come last', () => {
  const slices = [slice([device('a', { bindsLater: true })]), slice([device('b')], { pool: 'q' })];
  expect(chosen([claim([[way()]])], slices)).toBe('r0=b');
});

test('a hopeless search over many equal devices ends at once', () => {
  const devices = Array.from({ length: 64 }, (_, index) =>
    device(`d${index}`, { attributes: numa(BigInt(index % 2)) }),
  );
  const constraint = { kind: 'distinct', attribute: 'd/numa', requests: [] } as const;
  expect(chosen([claim([[way({ count: 8 })], [way({ count: 8 })]], [constraint])], [slice(devices)])).toBe('none');
});
