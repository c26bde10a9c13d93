/**
 * The check of devices that two claims hold looks at the claims of the pools alone. The oracle is the same check over all claims and slices, after each
 * step of a random history.
 */
import * as fc from 'fast-check';
import { type JsonObject } from '../../../../src/facts/api/schema';
import { type AllocatedDevice, type Device, type DeviceSlice } from '../../../../src/placement/model/claims';
import { ClaimedDevices } from '../../../../src/runtime/kubernetes/world/claimed-devices';
import { DeviceView } from '../../../../src/runtime/kubernetes/world/device-view';
import { type DoubleAllocation, doubleAllocation } from '../../../../src/runtime/kubernetes/world/double-allocation';
import { samples } from '../../../support/samples';

const DRIVER = 'gpu.example.com';

function claim(name: string, pools: readonly number[], device: number): JsonObject {
  const results = pools.map((pool) => ({
    request: 'r',
    driver: DRIVER,
    pool: `pool-${pool}`,
    device: `gpu-${device}`,
  }));
  return {
    metadata: { name, namespace: 'default', uid: `uid-${name}` },
    spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu' } }] } },
    ...(results.length > 0 && { status: { allocation: { devices: { results } } } }),
  };
}

function slice(name: string, pool: number, generation: number): JsonObject {
  return {
    metadata: { name },
    spec: {
      driver: DRIVER,
      nodeName: `node-${pool}`,
      pool: { name: `pool-${pool}`, generation, resourceSliceCount: 1 },
      devices: [{ name: 'gpu-0' }, { name: 'gpu-1' }],
    },
  };
}

interface Stores {
  readonly slices: Map<string, JsonObject>;
  readonly classes: Map<string, JsonObject>;
  readonly claims: Map<string, JsonObject>;
}

function viewOf(stores: Stores): DeviceView {
  const users = { inUse: () => false, named: () => undefined, names: () => [] };
  return new DeviceView(stores, new ClaimedDevices(), users, new Map());
}

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('claim', 'claim', 'claim', 'gone', 'slice', 'slice-gone', 'value', 'all'),
    of: fc.nat(7),
    pools: fc.uniqueArray(fc.nat(3), { maxLength: 2 }),
    device: fc.nat(1),
  }),
  { minLength: 4, maxLength: 40 },
);

test('the index by pools finds what a look at all claims finds', () => {
  const seen = { clash: 0, none: 0 };
  fc.assert(
    fc.property(steps, (list) => {
      const stores: Stores = { slices: new Map(), classes: new Map(), claims: new Map() };
      const view = viewOf(stores);
      for (const { kind, of, pools, device } of list) {
        const name = `c${of}`;
        switch (kind) {
          case 'claim':
            stores.claims.set(`default/${name}`, claim(name, pools, device));
            view.touch(`claim:default/${name}`);
            break;
          case 'gone':
            stores.claims.delete(`default/${name}`);
            view.touch(`claim:default/${name}`);
            break;
          case 'slice':
            stores.slices.set(`s${of}`, slice(`s${of}`, of % 4, 1 + device));
            view.sliceChanged(`s${of}`);
            break;
          case 'slice-gone':
            stores.slices.delete(`s${of}`);
            view.sliceChanged(`s${of}`);
            break;
          case 'value':
            view.value();
            break;
          case 'all':
            view.touchAll();
        }
        for (const key of stores.claims.keys()) {
          const ours = new Set([`claim:${key}`]);
          const all = viewOf(stores).shown([...stores.claims.keys()].map((one) => `claim:${one}`));
          const expected = doubleAllocation(all, ours);
          const found = doubleAllocation(view.shown(ours), ours);
          expect(found === undefined).toBe(expected === undefined);
          // Which of several devices is named depends on the order in which claims were seen.
          const holders = [...all.claims.values()].filter(({ devices }) =>
            devices.some(({ pool, device: one }) => pool === found?.pool && one === found.device),
          );
          expect(found === undefined || holders.length > 1).toBe(true);
          seen[found === undefined ? 'none' : 'clash']++;
        }
      }
    }),
    { numRuns: samples(200), seed: 1429 },
  );
  expect(seen.clash).toBeGreaterThan(100);
  expect(seen.none).toBeGreaterThan(100);
});

test('claims of other pools are not looked at', () => {
  const stores: Stores = { slices: new Map(), classes: new Map(), claims: new Map() };
  for (let i = 0; i < 100; i++) {
    stores.claims.set(`default/c${i}`, claim(`c${i}`, [i % 50], 0));
    stores.slices.set(`s${i % 50}`, slice(`s${i % 50}`, i % 50, 1));
  }
  const { claims, slices } = viewOf(stores).shown(['claim:default/c7']);
  expect([...claims.keys()].sort()).toEqual(['claim:default/c57', 'claim:default/c7']);
  expect(slices.map(({ name }) => name)).toEqual(['s7']);
});

describe('devices that use counters of their pool', () => {
  const device = (name: string, pool = 'pool-0'): AllocatedDevice => ({
    request: 'r',
    driver: DRIVER,
    pool,
    device: name,
    adminAccess: false,
  });
  /** A device of which each part takes some of the memory, in a pool whose counters allow so much. */
  const pool = (memory: bigint, name = 'pool-0'): readonly DeviceSlice[] => {
    const base = { driver: DRIVER, pool: name, generation: 1, sliceCount: 2, nodes: 'per-device' as const };
    const part = (part: string, amount: bigint): Device => ({
      name: part,
      attributes: new Map(),
      capacity: new Map(),
      consumes: [{ set: 'gpu', counters: new Map([['memory', amount]]) }],
      taints: [],
      shareable: false,
      bindsLater: false,
    });
    return [
      { ...base, name: `${name}-counters`, devices: [], counters: new Map([['gpu', new Map([['memory', memory]])]]) },
      { ...base, name: `${name}-parts`, devices: [part('half', 40n), part('rest', 41n)], counters: new Map() },
    ];
  };
  const check = (
    memory: bigint,
    claims: Readonly<Record<string, readonly AllocatedDevice[]>>,
    ...ours: readonly string[]
  ): DoubleAllocation | undefined =>
    doubleAllocation(
      {
        slices: [...pool(memory), ...pool(memory, 'pool-1')],
        claims: new Map(Object.entries(claims).map(([key, devices]) => [key, { title: `claim "${key}"`, devices }])),
      },
      new Set(ours),
    );

  it('are allocated twice where claims of both take more than there is, whatever devices they are', () => {
    const claims = { a: [device('half')], b: [device('rest')] };
    const found = { driver: DRIVER, pool: 'pool-0', device: 'half', other: 'claim "b"' };
    expect(check(80n, claims, 'a')).toEqual(found);
    expect(check(81n, claims, 'a')).toBeUndefined();
    expect(check(80n, claims, 'b')).toEqual({ ...found, device: 'rest', other: 'claim "a"' });
  });

  it.each([
    ['of other claims alone', { a: [], b: [device('half')], c: [device('rest')] }],
    ['of the claims themselves', { a: [device('half'), device('rest')] }],
    ['of other pools', { a: [device('half')], b: [device('rest', 'pool-1')] }],
  ])('%s are not', (_, claims) => {
    expect(check(80n, claims, 'a')).toBeUndefined();
  });
});
