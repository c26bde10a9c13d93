/**
 * A session that follows slices and claims by deltas, held against a session built from scratch after every step of a random history: the
 * books, and the decision that follows.
 */
import {
  type ClusterNode,
  decide,
  DEFAULT_POLICY,
  type Gang,
  type Pod,
  type PodTemplate,
} from '../../../src/placement';
import { firstDifference } from '../../../src/placement/cycle/compare-books';
import { decideIn } from '../../../src/placement/engine';
import { type Delta } from '../../../src/placement/model/facts';
import { Session } from '../../../src/placement/books/session';
import {
  type AllocatedDevice,
  type ClaimedDevices,
  type ClaimFacts,
  deviceKey,
  type DeviceSlice,
} from '../../../src/placement/model/claims';
import { Random } from '../../support/random';
import { samples } from '../../support/samples';
import { alternative, device, partitioned, slicesOf } from './gangs';

const HISTORIES = samples(80);
const STEPS = 25;
const SEED = 20_261_128;
const NODES = ['n0', 'n1', 'n2'];
const KEYS = ['c0', 'c1', 'c2', 'c3'];
const UNIT = 1_000_000_000n;
const GPU = 'nvidia.com/gpu';
/** What each claim is charged; the first two are shared. */
const CHARGES: Readonly<Record<string, number>> = { c0: 4, c1: 0.5, c2: 1, c3: 2 };

function nodeNamed(name: string, more: Partial<ClusterNode> = {}): ClusterNode {
  const claimable = new Map(
    ['a', 'b'].map((id, index) => [
      deviceKey({ driver: 'd', pool: name, device: id }),
      { device: index, milli: 1000, ...(id === 'b' && { capacity: new Map([['memory', 4n * UNIT]]) }) },
    ]),
  );
  return {
    name,
    allocatable: { cpu: 4000, pods: 10, 'nvidia.com/gpu': 2 },
    devices: [{}, {}],
    claimable,
    ...more,
  };
}

class Histories {
  session: Session;
  private readonly random: Random;
  private readonly removed: ClusterNode[] = [];
  private names = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
    this.session = new Session(
      {
        now: 0,
        nodes: NODES.map((name) => nodeNamed(name)),
        queues: [
          { name: 'top', capability: { [GPU]: 12 } },
          { name: 'q', parent: 'top' },
          { name: 'r', parent: 'top' },
        ],
        gangs: [],
        pods: [],
        deviceClaims: {
          slices: NODES.flatMap((node) => [...this.slices(node)]),
          claims: new Map(KEYS.slice(0, 2).map((key) => [key, this.facts(key)])),
        },
      },
      DEFAULT_POLICY,
    );
  }

  step(): void {
    this.random.pick(this.steps)();
  }

  private readonly steps: readonly (() => void)[] = [
    () => this.carryOut(),
    () => this.carryOut(),
    () => this.carryOut(),
    () => this.apply({ kind: 'gang', gang: this.gang() }),
    () => this.apply({ kind: 'gang', gang: this.gang() }),
    () => this.apply(...this.slices(this.random.pick(NODES)).map((slice): Delta => ({ kind: 'slice', slice }))),
    () => this.apply({ kind: 'slice', slice: this.network() }),
    () => this.one(this.claims.slices, ({ name }) => this.apply({ kind: 'slice-gone', name })),
    () => this.apply(...this.someClaims()),
    () => this.apply(...this.someClaims()),
    () => this.one([...this.claims.claims.keys()], (key) => this.apply({ kind: 'claim-gone', key })),
    () => this.apply({ kind: 'pod', pod: this.foreign() }, ...(this.random.chance(0.5) ? this.someClaims() : [])),
    () => this.one(this.session.snapshot.pods, ({ name }) => this.apply({ kind: 'pod-gone', name })),
    () =>
      this.one(this.session.snapshot.pods, (pod) => this.apply({ kind: 'pod', pod: { ...pod, state: 'releasing' } })),
    () =>
      this.one(this.session.snapshot.nodes, (node) =>
        this.apply({ kind: 'node', node: { ...node, unschedulable: this.random.chance(0.3) } }),
      ),
    () =>
      this.one(this.session.snapshot.nodes, (node) => {
        this.removed.push(node);
        this.apply({ kind: 'node-gone', name: node.name });
      }),
    () => {
      const node = this.removed.pop();
      this.apply(...(node === undefined ? [] : [{ kind: 'node' as const, node }]));
    },
    () => {
      const { bindings } = decideIn(this.session);
      this.session.assume(...bindings.map((binding) => running(binding, undefined)));
      this.apply(...this.someClaims());
      this.session.undo(...bindings.map(({ pod }) => pod));
    },
  ];

  private get claims(): { slices: readonly DeviceSlice[]; claims: ReadonlyMap<string, ClaimFacts> } {
    return this.session.snapshot.deviceClaims ?? { slices: [], claims: new Map() };
  }

  private one<T>(list: readonly T[], act: (value: T) => void): void {
    if (list.length > 0) {
      act(this.random.pick(list));
    }
  }

  private apply(...deltas: readonly Delta[]): void {
    this.session.apply(...deltas);
  }

  /** Sometimes of a newer generation, incomplete, or with counters. */
  private slices(node: string): readonly DeviceSlice[] {
    const { random } = this;
    const devices = [
      device('a', random.chance(0.3) ? { taints: [{ key: 'broken', effect: 'NoSchedule' }] } : {}),
      random.chance(0.5)
        ? device('b')
        : device('b', { shareable: true, capacity: new Map([['memory', { value: 4n * UNIT }]]) }),
      ...(random.chance(0.3) ? partitioned('g') : []),
    ];
    const generation = 1 + random.below(2);
    return slicesOf(node, random.chance(0.2) ? devices.slice(0, 1) : devices).map((slice) => ({
      ...slice,
      generation,
      ...(random.chance(0.1) && { sliceCount: 3 }),
    }));
  }

  /** Devices that several nodes can use. */
  private network(): DeviceSlice {
    const nodes = NODES.filter(() => this.random.chance(0.6));
    return {
      name: 'network',
      driver: 'd',
      pool: 'network',
      generation: 1,
      sliceCount: 1,
      nodes: (node) => nodes.includes(node),
      devices: [device('nic')],
      counters: new Map(),
    };
  }

  private someClaims(): readonly Delta[] {
    return KEYS.filter(() => this.random.chance(0.4)).map((key) => ({ kind: 'claim', key, claim: this.facts(key) }));
  }

  /** The first two are shared. */
  private facts(key: string): ClaimFacts {
    const { random } = this;
    const shared = KEYS.indexOf(key) < 2;
    const node = random.pick(NODES);
    const claim = {
      name: key,
      requests: [{ name: 'r', alternatives: [alternative({ count: random.chance(0.2) ? 2 : 1 })] }],
      constraints: [],
    };
    const held = (name: string): AllocatedDevice => ({
      driver: 'd',
      pool: node,
      device: name,
      request: 'r',
      adminAccess: random.chance(0.2),
      ...(name === 'b' && random.chance(0.5) && { share: new Map([['memory', BigInt(1 + random.below(3)) * UNIT]]) }),
    });
    return {
      title: key,
      shared,
      ...(random.chance(0.9) ? { claim } : { problem: 'it does not exist' }),
      ...(shared &&
        random.chance(0.5) && {
          allocation: {
            devices: [held(random.pick(['a', 'b', 'g-half-a']))],
            nodes: (name: string) => name === node,
            retained: random.chance(0.5),
          },
        }),
    };
  }

  private gang(): Gang {
    const { random } = this;
    return {
      name: `g${this.names++}`,
      queue: random.pick(['q', 'r']),
      preemptible: random.chance(0.5),
      priority: random.below(3),
      roles: Array.from({ length: 1 + random.below(2) }, (_, index) => ({
        name: `r${index}`,
        count: 1 + random.below(3),
        template: chargedTemplate(random.chance(0.3) ? ['c0', 'c2'] : [random.pick(KEYS)]),
      })),
    };
  }

  /** It may be on a node that is not known, name a claim that does not exist, or take devices that no scheduler gave it. */
  private foreign(): Pod {
    const { random } = this;
    return {
      name: `other${random.below(4)}`,
      state: 'running',
      node: random.pick([...NODES, 'elsewhere']),
      template: random.chance(0.6)
        ? { request: { cpu: 100 }, claims: [random.pick([...KEYS, 'lost'])] }
        : { request: { cpu: 100 }, accelerator: { kind: 'whole', count: 1 } },
    };
  }

  /** Pods run, and claims say what they hold: those of templates under names of their own. */
  private carryOut(): void {
    const { bindings, evictions } = decideIn(this.session);
    const facts = this.claims.claims;
    this.apply(
      ...evictions.map(({ pod }): Delta => ({ kind: 'pod-gone', name: pod })),
      ...bindings.flatMap((binding): readonly Delta[] => {
        const { claims = [], node } = binding;
        const own = claims.map(({ key }) => key.replace('\0', ' of '));
        return [
          ...claims.map(({ key, devices }, index): Delta => {
            const { claim } = facts.get(key.split('\0')[0]) ?? {};
            const allocation = { devices, nodes: (name: string) => name === node, retained: false };
            return { kind: 'claim', key: own[index], claim: { title: own[index], shared: true, claim, allocation } };
          }),
          { kind: 'pod', pod: running(binding, own) },
        ];
      }),
    );
  }
}

function chargedTemplate(claims: readonly string[]): PodTemplate {
  const shared = claims.filter((key) => KEYS.indexOf(key) < 2);
  return {
    request: { cpu: 500 },
    claims,
    charged: { [GPU]: claims.reduce((sum, key) => sum + (CHARGES[key] ?? 0), 0) },
    ...(shared.length > 0 && {
      sharedCharges: Object.fromEntries(shared.map((key) => [key, { [GPU]: CHARGES[key] ?? 0 }])),
    }),
  };
}

/** What the queues have, by the pods themselves: each gang once for a claim that its pods share. */
function expectCharges(session: Session): void {
  const sums = new Map<string, readonly [number, number]>();
  for (const { gang, roles } of session.gangs) {
    const pods = roles.flatMap((role) => role.pods).filter(({ row, releasing }) => row !== -1 && !releasing);
    const charge = (own: typeof pods): number => {
      const shared = new Set(own.flatMap(({ podClass }) => podClass.claims.filter((key) => KEYS.indexOf(key) < 2)));
      const single = own.flatMap(({ podClass }) => podClass.claims.filter((key) => KEYS.indexOf(key) >= 2));
      return [...shared, ...single].reduce((sum, key) => sum + (CHARGES[key] ?? 0), 0);
    };
    for (const queue of [gang.queue, 'top']) {
      const [allocated, fixed] = sums.get(queue) ?? [0, 0];
      sums.set(queue, [allocated + charge(pods), fixed + charge(pods.filter(({ preemptible }) => !preemptible))]);
    }
  }
  const account = session.accounts.indexOf(GPU);
  for (const { queue, allocated, nonPreemptible } of account < 0 ? [] : session.queues) {
    const [all, fixed] = sums.get(queue.name) ?? [0, 0];
    expect([queue.name, allocated[account], nonPreemptible[account]]).toEqual([queue.name, all, fixed]);
  }
}

interface Bound {
  readonly pod: string;
  readonly gang: string;
  readonly role: string;
  readonly node: string;
  readonly claims?: readonly ClaimedDevices[];
}

function running({ pod, gang, role, node }: Bound, claims: readonly string[] | undefined): Pod {
  return { name: pod, gang, role, node, state: 'running', ...(claims !== undefined && { claims }) };
}

test(`a session follows slices and claims: ${HISTORIES} random histories`, () => {
  let placed = 0;
  for (let index = 0; index < HISTORIES; index++) {
    const history = new Histories(SEED + index);
    for (let step = 0; step < STEPS; step++) {
      history.step();
      const { session } = history;
      const scratch = new Session(session.snapshot, DEFAULT_POLICY);
      session.rewind();
      const at = `seed ${SEED + index}, step ${step}`;
      expect([at, firstDifference(session, scratch)]).toEqual([at, undefined]);
      expectCharges(session);
      const decision = decideIn(session);
      expectCharges(session);
      placed += decision.bindings.filter(({ claims = [] }) => claims.length > 0).length;
      expect([at, decision]).toEqual([at, decideIn(scratch)]);
      session.rewind();
      expect([at, firstDifference(session, new Session(session.snapshot, DEFAULT_POLICY))]).toEqual([at, undefined]);
    }
  }
  expect(placed).toBeGreaterThan(HISTORIES);
});

test('a change of a claim or of a slice leaves the table of nodes in place', () => {
  const [slice] = slicesOf('n0', [device('a'), device('b')]);
  const claim: ClaimFacts = {
    title: 'c',
    shared: true,
    claim: { name: 'c', requests: [{ name: 'r', alternatives: [alternative()] }], constraints: [] },
  };
  const session = new Session(
    { now: 0, nodes: [nodeNamed('n0')], queues: [{ name: 'q' }], gangs: [], pods: [] },
    DEFAULT_POLICY,
  );
  const { table } = session;
  const devices = [{ driver: 'd', pool: 'n0', device: 'a', request: 'r', adminAccess: false }];
  const allocation = { devices, nodes: () => true, retained: true };
  session.apply({ kind: 'slice', slice }, { kind: 'claim', key: 'c', claim: { ...claim, allocation } });
  expect([...session.table.deviceFree]).toEqual([0, 1000]);
  session.apply({ kind: 'claim', key: 'c', claim });
  expect([...session.table.deviceFree]).toEqual([1000, 1000]);
  session.apply({ kind: 'slice-gone', name: slice.name }, { kind: 'claim-gone', key: 'c' });
  expect(session.table).toBe(table);
  expect(session.hasClaims).toBe(false);
});

test('a session catches up with the claims of a snapshot', () => {
  const history = new Histories(1);
  for (let step = 0; step < 10; step++) {
    history.step();
  }
  const { snapshot } = history.session;
  const other = new Histories(2).session;
  other.catchUp(snapshot, DEFAULT_POLICY);
  expect(firstDifference(other, new Session(snapshot, DEFAULT_POLICY))).toBeUndefined();
});

describe('a claim that the pods of a gang share', () => {
  const claim = { name: 'c0', requests: [{ name: 'r', alternatives: [alternative()] }], constraints: [] };
  const bound = (capability: number, gangs: number): number =>
    decide({
      now: 0,
      nodes: [nodeNamed('n0')],
      queues: [{ name: 'q', capability: { [GPU]: capability } }],
      gangs: Array.from({ length: gangs }, (_, index) => ({
        name: `g${index}`,
        queue: 'q',
        roles: [{ name: 'r', count: 3, template: chargedTemplate(['c0']) }],
      })),
      pods: [],
      deviceClaims: {
        slices: slicesOf('n0', [device('a')]),
        claims: new Map([['c0', { title: 'c0', shared: true, claim }]]),
      },
    }).bindings.length;

  it('is charged once, for however many of its pods', () => {
    expect([bound(3, 1), bound(4, 1)]).toEqual([0, 3]);
  });

  it('is charged for each gang', () => {
    expect([bound(7, 2), bound(8, 2)]).toEqual([3, 6]);
  });
});
