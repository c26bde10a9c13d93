/**
 * What is said of a gang that waits is true, held against a brute force that knows nothing of the core.
 *
 * Small clusters with whole devices, CPU, racks, taints, and one label. For every gang that waits after a decision all assignments of its
 * pods to nodes are tried on the books as they then are: with each suggestion it must fit, and with anything smaller of the same kind it
 * must not.
 */
import * as fc from 'fast-check';
import {
  type ClusterNode,
  type Counterfactual,
  decide,
  type Decision,
  DEFAULT_POLICY,
  type Gang,
  type PendingGang,
  type Pod,
  type PodTemplate,
  type Policy,
  type Role,
  type Snapshot,
} from '../../src/placement';
import { NOW } from './builders';
import { apply } from './guarantees';

const GPU = 'nvidia.com/gpu';
const TOPOLOGY = { name: 'rooms', levels: ['zone', 'rack'] };
const MINUTE = 60_000;

export interface SuggestionWorld {
  readonly nodes: readonly ClusterNode[];
  readonly early: readonly Gang[];
  readonly late: readonly Gang[];
}

const machine = (index: number): fc.Arbitrary<ClusterNode> =>
  fc
    .record({
      devices: fc.constantFrom(0, 2, 4, 4, 8),
      cpu: fc.constantFrom(4, 8, 16),
      rack: fc.nat(2),
      tainted: fc.nat(5),
      disk: fc.nat(2),
    })
    .map(({ devices, cpu, rack, tainted, disk }) => ({
      name: `n${index}`,
      allocatable: { cpu: cpu * 1000, memory: 1e12, pods: 50, [GPU]: devices },
      labels: { rack: `r${rack}`, zone: rack < 2 ? 'z0' : 'z1', disk: disk === 0 ? 'hdd' : 'ssd' },
      taints: tainted === 0 ? [{ key: 'team', value: 'vision', effect: 'NoSchedule' as const }] : [],
    }));

const template: fc.Arbitrary<PodTemplate> = fc
  .record({ cpu: fc.integer({ min: 1, max: 6 }), devices: fc.constantFrom(0, 1, 1, 2, 2, 4), disk: fc.nat(7) })
  .map(({ cpu, devices, disk }) => ({
    request: { cpu: cpu * 1000, memory: 1e9, ...(devices > 0 ? { [GPU]: devices } : {}) },
    ...(disk === 0 ? { nodeSelector: { disk: 'hdd' } } : {}),
  }));

const gang = (prefix: string, index: number): fc.Arbitrary<Gang> =>
  fc
    .record({
      roles: fc.oneof(
        {
          weight: 3,
          arbitrary: fc.array(fc.record({ count: fc.integer({ min: 1, max: 5 }), template }), {
            minLength: 1,
            maxLength: 1,
          }),
        },
        {
          weight: 1,
          arbitrary: fc.array(fc.record({ count: fc.integer({ min: 1, max: 2 }), template }), {
            minLength: 2,
            maxLength: 2,
          }),
        },
      ),
      /** Of several roles: how many pods are enough, of whichever role. */
      enough: fc.option(fc.integer({ min: 1, max: 3 })),
      expected: fc.option(fc.integer({ min: 1, max: 120 })),
      age: fc.nat(90),
      topology: fc.constantFrom(
        undefined,
        undefined,
        { required: 'rack' },
        { required: 'rack' },
        { required: 'zone' },
        { preferred: 'rack' },
      ),
    })
    .map(({ roles, enough, expected, age, topology }): Gang => ({
      name: `${prefix}${index}`,
      queue: 'q',
      arrival: NOW - age * MINUTE,
      ...(expected === null ? {} : { expectedSeconds: expected * 60 }),
      ...(topology === undefined ? {} : { topology }),
      ...(enough === null || roles.length < 2 ? {} : { minimum: Math.min(enough, podsIn(roles)) }),
      roles: roles.map((role, i): Role => ({ name: `role${i}`, ...role })),
    }));

function podsIn(roles: readonly { readonly count: number }[]): number {
  return roles.reduce((sum, { count }) => sum + count, 0);
}

const gangs = (prefix: string, most: number): fc.Arbitrary<Gang[]> =>
  fc
    .integer({ min: 1, max: most })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, i) => gang(prefix, i))));

export const suggestionWorlds: fc.Arbitrary<SuggestionWorld> = fc.record({
  nodes: fc
    .integer({ min: 1, max: 5 })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, i) => machine(i)))),
  early: gangs('e', 5),
  late: gangs('l', 4),
});

/** @throws Error with the suggestion that is untrue, or not the smallest */
export function checkSuggestions(runs: number, seed: number): void {
  fc.assert(
    fc.property(suggestionWorlds, (world) => {
      const wrong = untrue(world);
      if (wrong.length > 0) {
        throw new Error(wrong.join('\n'));
      }
    }),
    { numRuns: runs, seed },
  );
}

/** How often each kind of suggestion was made, for those who ask whether the worlds have enough of them. */
export const made: Record<string, number> = {};

export function untrue({ nodes, early, late }: SuggestionWorld, policy: Policy = DEFAULT_POLICY): string[] {
  const first: Snapshot = { now: NOW, nodes, queues: [{ name: 'q' }], gangs: early, pods: [], topologies: [TOPOLOGY] };
  const pods = apply(first, decide(first, policy));
  const snapshot: Snapshot = { ...first, now: NOW + 5 * MINUTE, gangs: [...early, ...late], pods };
  const decision = decide(snapshot, policy);
  return decision.pending.flatMap((pending) => untrueOf(new Oracle(snapshot, decision), snapshot, decision, pending));
}

interface Piece {
  readonly role: string;
  readonly cpu: number;
  readonly devices: number;
  readonly template: PodTemplate;
}

interface Free {
  readonly node: ClusterNode;
  cpu: number;
  devices: number;
}

interface What {
  readonly pieces?: readonly Piece[];
  /** `null` for no required level. */
  readonly level?: string | null;
  readonly books?: readonly Free[];
  readonly tolerates?: boolean;
  readonly withoutSelector?: string;
}

class Oracle {
  readonly there: readonly (Pick<Pod, 'node' | 'startedAt'> & { readonly gang: string; readonly role: string })[];

  constructor(
    private readonly snapshot: Snapshot,
    { bindings, nominations, evictions }: Decision,
  ) {
    const gone = new Set(evictions.map(({ pod }) => pod));
    this.there = [
      ...snapshot.pods
        .filter(({ name }) => !gone.has(name))
        .map(({ gang: of, role, node, startedAt }) => ({ gang: of!, role: role!, node, startedAt })),
      ...[...bindings, ...nominations].map(({ gang: of, role, node }) => ({
        gang: of,
        role,
        node,
        startedAt: snapshot.now,
      })),
    ];
  }

  gangOf(name: string): Gang {
    return this.snapshot.gangs.find((one) => one.name === name)!;
  }

  endOf({ gang: of, startedAt }: { readonly gang: string; readonly startedAt?: number }): number {
    const { expectedSeconds } = this.gangOf(of);
    return expectedSeconds === undefined ? Infinity : Math.max(this.snapshot.now, startedAt! + expectedSeconds * 1000);
  }

  /** Free amounts once everything that ends by `at` is gone. */
  books(at = -Infinity): Free[] {
    return this.snapshot.nodes.map((node) => {
      const free = { node, cpu: node.allocatable.cpu, devices: node.allocatable[GPU] };
      for (const pod of this.there) {
        if (pod.node === node.name && this.endOf(pod) > at) {
          const { request } = this.gangOf(pod.gang).roles.find(({ name }) => name === pod.role)!.template;
          free.cpu -= request.cpu;
          free.devices -= request[GPU] ?? 0;
        }
      }
      return free;
    });
  }

  fits(of: Gang, what: What = {}): boolean {
    const { pieces, level = of.topology?.required ?? null, books = this.books() } = what;
    const may = (piece: Piece, node: ClusterNode): boolean =>
      (what.tolerates === true || (node.taints ?? []).length === 0) &&
      Object.entries(piece.template.nodeSelector ?? {}).every(
        ([key, value]) => key === what.withoutSelector || node.labels?.[key] === value,
      );
    const domains =
      level === null
        ? [books]
        : [...new Set(books.map(({ node }) => node.labels?.[level]))].map((value) =>
            books.filter(({ node }) => node.labels?.[level] === value),
          );
    const choices = pieces === undefined ? choicesOf(of) : [pieces];
    return choices.some((choice) => domains.some((domain) => assignable(choice, domain, may, 0)));
  }
}

/** All sets of pods with which the gang runs; pods of one role are alike. */
function choicesOf(of: Gang, less = 0): readonly (readonly Piece[])[] {
  const pieces = piecesOf(of);
  if (of.minimum === undefined) {
    return [pieces.slice(0, pieces.length - less)];
  }
  return partsOf(pieces).filter(({ length }) => length === of.minimum! - less);
}

/** Each number of the pods of each role. */
function partsOf(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const [first] = pieces;
  if (first === undefined) {
    return [[]];
  }
  const own = pieces.filter(({ role }) => role === first.role);
  const others = partsOf(pieces.filter(({ role }) => role !== first.role));
  return Array.from({ length: own.length + 1 }, (_, count) => own.slice(0, count)).flatMap((some) =>
    others.map((other) => [...some, ...other]),
  );
}

function piecesOf({ roles }: Gang): Piece[] {
  return roles.flatMap(({ name, count, template: pod }) =>
    Array.from({ length: count }, () => ({
      role: name,
      cpu: pod.request.cpu,
      devices: pod.request[GPU] ?? 0,
      template: pod,
    })),
  );
}

/** Pods that are alike go to nodes in order, so no assignment is tried twice. */
function assignable(
  [first, ...rest]: readonly Piece[],
  free: readonly Free[],
  may: (piece: Piece, node: ClusterNode) => boolean,
  from: number,
): boolean {
  if (first === undefined) {
    return true;
  }
  for (let i = from; i < free.length; i++) {
    const at = free[i];
    if (at.cpu >= first.cpu && at.devices >= first.devices && may(first, at.node)) {
      at.cpu -= first.cpu;
      at.devices -= first.devices;
      const done = assignable(rest, free, may, rest[0]?.template === first.template ? i : 0);
      at.cpu += first.cpu;
      at.devices += first.devices;
      if (done) {
        return true;
      }
    }
  }
  return false;
}

function untrueOf(oracle: Oracle, snapshot: Snapshot, decision: Decision, pending: PendingGang): string[] {
  const of = oracle.gangOf(pending.gang);
  const say = (what: string): string => `${pending.gang} (${pending.kind}): ${what}`;
  if (oracle.there.some(({ gang: name }) => name === of.name)) {
    return [];
  }
  const wrong: string[] = [];
  if (['no-fit', 'topology'].includes(pending.kind) && oracle.fits(of)) {
    wrong.push(say('it fits as it is'));
  }
  if (pending.kind === 'topology' && !oracle.fits(of, { level: null })) {
    wrong.push(say('it does not fit without its topology either'));
  }
  for (const change of pending.counterfactuals) {
    made[change.kind] = (made[change.kind] ?? 0) + 1;
    const [holds, smaller] = judge(oracle, snapshot, decision, of, change);
    if (!holds) {
      wrong.push(say(`does not help: ${JSON.stringify(change)}`));
    } else if (smaller !== undefined) {
      wrong.push(say(`${JSON.stringify(change)}, but ${smaller} is enough`));
    }
  }
  return wrong;
}

/** Does the change help, and what smaller one of its kind does as well? */
type Judgment = [boolean, string | undefined];

function judge(oracle: Oracle, snapshot: Snapshot, decision: Decision, of: Gang, change: Counterfactual): Judgment {
  switch (change.kind) {
    case 'fewer-pods':
      return judgeFewer(oracle, of, change.by, change.role);
    case 'wider-topology': {
      const narrower = [...TOPOLOGY.levels].reverse();
      const tried = narrower.slice(0, change.level === null ? narrower.length : narrower.indexOf(change.level));
      return [oracle.fits(of, { level: change.level }), tried.find((level) => oracle.fits(of, { level }))];
    }
    case 'more-on-node':
      return judgeMore(oracle, snapshot, of, change);
    case 'more-nodes':
      return judgeNodes(oracle, snapshot, of, change);
    case 'add-toleration':
      return [oracle.fits(of, { tolerates: true }), oracle.fits(of) ? 'nothing' : undefined];
    case 'drop-node-selector':
      return [oracle.fits(of, { withoutSelector: change.key }), oracle.fits(of) ? 'nothing' : undefined];
    case 'wait-until':
      return judgeWait(oracle, snapshot, decision, of, change.at);
    case 'raise-capability':
    case 'lower-guarantees':
    case 'make-preemptible':
    case 'drop-node-affinity':
      return [oracle.fits(of), undefined];
  }
}

function judgeFewer(oracle: Oracle, of: Gang, by: number, named: string | undefined): Judgment {
  if (of.minimum !== undefined) {
    const runsWith = (less: number): boolean =>
      less < of.minimum! && choicesOf(of, less).some((pieces) => oracle.fits(of, { pieces }));
    return [runsWith(by), by > 1 && runsWith(by - 1) ? 'one less' : undefined];
  }
  const pieces = piecesOf(of);
  const fits = (role: string | undefined, less: number): boolean => {
    const own = pieces.filter((piece) => role === undefined || piece.role === role);
    const gone = new Set(own.slice(own.length - less));
    const left = pieces.filter((piece) => !gone.has(piece));
    return less <= own.length && less < pieces.length && oracle.fits(of, { pieces: left });
  };
  const roles = named === undefined ? [undefined] : of.roles.map(({ name }) => name);
  const smaller = by > 1 ? roles.find((role) => fits(role, by - 1)) : undefined;
  return [fits(named, by), by > 1 && roles.some((role) => fits(role, by - 1)) ? `one less of ${smaller}` : undefined];
}

function judgeMore(
  oracle: Oracle,
  { nodes }: Snapshot,
  of: Gang,
  { node: on, resource, amount }: Extract<Counterfactual, { kind: 'more-on-node' }>,
): Judgment {
  const helps = (name: string, more: number): boolean => {
    const books = oracle.books();
    books.find(({ node }) => node.name === name)![resource === 'cpu' ? 'cpu' : 'devices'] += more;
    return oracle.fits(of, { books });
  };
  const canBeFreed = (name: string, more: number): boolean => {
    const has = nodes.find((node) => node.name === name)!.allocatable[resource] ?? 0;
    const free = oracle.books().find(({ node }) => node.name === name)![resource === 'cpu' ? 'cpu' : 'devices'];
    return more <= has - free;
  };
  const less = nodes.find(({ name }) => canBeFreed(name, amount - 1) && helps(name, amount - 1));
  return [canBeFreed(on, amount) && helps(on, amount), less === undefined ? undefined : `less on ${less.name}`];
}

function judgeNodes(
  oracle: Oracle,
  { nodes }: Snapshot,
  of: Gang,
  { like, count }: Extract<Counterfactual, { kind: 'more-nodes' }>,
): Judgment {
  const helps = (node: ClusterNode, more: number): boolean => {
    const added = Array.from({ length: more }, (_, i) => ({
      node: { ...node, name: `new-${i}` },
      cpu: node.allocatable.cpu,
      devices: node.allocatable[GPU],
    }));
    return oracle.fits(of, { books: [...oracle.books(), ...added] });
  };
  const other = nodes.find((node) => helps(node, count - 1));
  return [
    helps(
      nodes.find(({ name }) => name === like)!,
      count,
    ),
    other === undefined ? undefined : `one node less, like ${other.name}`,
  ];
}

function judgeWait(oracle: Oracle, { now }: Snapshot, { reservations }: Decision, of: Gang, at: number): Judgment {
  const ends = new Set(oracle.there.map((pod) => oracle.endOf(pod)).filter(Number.isFinite));
  const moments = [...ends].sort((a, b) => a - b);
  const [head] = reservations;
  // Behind a promise the gang waits for more than room; then the moment must be one at which there is room.
  const alone = head === undefined || head.gang === of.name;
  const fits = (moment: number): boolean => oracle.fits(of, { books: oracle.books(moment) });
  const earlier = alone ? moments.find((moment) => moment < at && fits(moment)) : undefined;
  return [fits(at), earlier === undefined ? undefined : `${(earlier - now) / MINUTE} min`];
}
