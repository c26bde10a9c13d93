/**
 * Runs a case of topology assignment: pod sets onto the domains of one topology, counted by lowest domain.
 */
import {
  type Amounts,
  type ClusterNode,
  DEFAULT_POLICY,
  type NodeTerm,
  type PodTemplate,
  type Toleration,
} from '../../src/placement';
import { type Domain, TopologyTree } from '../../src/placement/topology/domains';
import { untoleratedTaint } from '../../src/placement/nodes/filters/selectors';
import { type PodClass } from '../../src/placement/nodes/pod-class';
import { preferenceRow } from '../../src/placement/search/score/static-preference';
import { Session } from '../../src/placement/books/session';
import {
  assignTopology,
  type LeafRoom,
  type TopologyAssignment,
  type TopologyRequest,
} from '../../src/placement/topology/topology';
import { type CaseNodeTerm, type TopologyCase, type TopologyPodSet } from './case-format';

/** Pods that an earlier pod set was given. */
interface Taken {
  readonly template: PodTemplate;
  readonly rows: readonly string[];
  readonly count: number;
}

const HOSTNAME = 'kubernetes.io/hostname';

export function runTopologyCase(given: TopologyCase): string[] {
  const why: string[] = [];
  // What earlier pod sets were given is taken for later ones.
  const taken: Taken[] = [];
  for (const group of groups(given.podSets)) {
    const { session, tree } = world(given, group, taken);
    const leader = group.length === 2 ? [...group].sort((a, b) => a.count - b.count)[0] : undefined;
    const worker = group.find((set) => set !== leader)!;
    const assignment = assign(given, session, tree, worker, leader);
    why.push(...compare(given, tree, worker, assignment, false));
    if (leader !== undefined) {
      why.push(...compare(given, tree, leader, assignment, true));
    }
    if (assignment?.fits === true) {
      assignment.domains.forEach(({ domain, count }) =>
        taken.push({ template: templateOf(worker), rows: rowNames(session, domain), count }),
      );
      if (leader !== undefined && assignment.leader !== undefined) {
        taken.push({ template: templateOf(leader), rows: rowNames(session, assignment.leader), count: 1 });
      }
    }
  }
  return why;
}

function rowNames(session: Session, { rows }: Domain): string[] {
  return [...rows].map((row) => session.table.nodes[row].name);
}

/** Pod sets of one group are placed together, the others one after another. */
function groups(podSets: readonly TopologyPodSet[]): TopologyPodSet[][] {
  const list: TopologyPodSet[][] = [];
  for (const set of podSets) {
    const group =
      set.podSetGroup === undefined ? undefined : list.find(([first]) => first.podSetGroup === set.podSetGroup);
    if (group === undefined) {
      list.push([set]);
    } else {
      group.push(set);
    }
  }
  return list;
}

function templateOf({ requestPerPod, nodeSelector, tolerations, nodeAffinity = {} }: TopologyPodSet): PodTemplate {
  const required = nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  const preferred = nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return {
    request: requestPerPod,
    nodeSelector,
    tolerations,
    ...(required === undefined ? {} : { nodeTerms: required.nodeSelectorTerms.map(nodeTerm) }),
    preferredNodeTerms: preferred.map(({ weight, preference }) => ({ weight, term: nodeTerm(preference) })),
  };
}

function nodeTerm({ matchExpressions, matchFields }: CaseNodeTerm): NodeTerm {
  return { labels: matchExpressions, fields: matchFields };
}

function world(
  given: TopologyCase,
  group: readonly TopologyPodSet[],
  taken: readonly Taken[],
): { session: Session; tree: TopologyTree } {
  const usable = given.nodes.filter(
    ({ ready, unschedulable, labels = {} }) =>
      ready !== false &&
      unschedulable !== true &&
      given.levels.every((level) => labels[level] !== undefined) &&
      Object.entries(given.flavorNodeLabels ?? {}).every(([key, value]) => labels[key] === value),
  );
  const tolerations = group.flatMap((set) => set.tolerations ?? []);
  const single = usable.map(({ name, allocatable, labels, taints }): ClusterNode => ({
    name,
    labels,
    taints,
    allocatable: { ...allocatable, pods: allocatable.pods ?? Number.MAX_SAFE_INTEGER },
    used: usedBy(given, name),
  }));
  // The suite knows no nodes below the lowest level: a domain has what its nodes have together.
  const nodes = given.levels[given.levels.length - 1] === HOSTNAME ? single : merged(given.levels, single, tolerations);
  const session = new Session(
    {
      now: 0,
      nodes: nodes.map((node) => ({
        ...node,
        devices: Array.from({ length: node.allocatable['nvidia.com/gpu'] ?? 0 }, () => ({})),
      })),
      queues: [],
      gangs: [],
      pods: [
        ...group.map((set, i) => ({
          name: `kind ${i}`,
          state: 'running' as const,
          node: 'nowhere',
          template: templateOf(set),
        })),
        ...taken.flatMap(({ template, rows, count }, i) =>
          Array.from({ length: count }, (_, k) => ({
            name: `taken ${i} ${k}`,
            state: 'running' as const,
            node: rows[k % rows.length],
            template,
          })),
        ),
      ],
    },
    DEFAULT_POLICY,
  );
  return { session, tree: new TopologyTree('case', given.levels, session.table) };
}

function merged(
  levels: readonly string[],
  nodes: readonly ClusterNode[],
  tolerations: readonly Toleration[],
): ClusterNode[] {
  const domains = new Map<string, ClusterNode>();
  for (const node of nodes.filter(({ taints = [] }) => untoleratedTaint(taints, tolerations) === undefined)) {
    const key = JSON.stringify(levels.map((level) => node.labels?.[level]));
    const known = domains.get(key);
    domains.set(key, {
      name: known?.name ?? node.name,
      labels: node.labels,
      allocatable: sum(known?.allocatable, node.allocatable),
      used: sum(known?.used, node.used),
    });
  }
  return [...domains.values()];
}

function sum(a: Amounts = {}, b: Amounts = {}): Amounts {
  const total: Record<string, number> = { ...a };
  for (const [name, amount] of Object.entries(b)) {
    total[name] = (total[name] ?? 0) + amount;
  }
  return total;
}

function usedBy({ otherPods = [] }: TopologyCase, node: string): Amounts {
  const running = otherPods.filter(
    (other) => (other.node ?? other.nodeName) === node && !/succeeded|failed/i.test(other.phase ?? other.state ?? ''),
  );
  return running.reduce((total, pod) => sum(total, { ...(pod.request ?? pod.requests), pods: 1 }), {} as Amounts);
}

function assign(
  given: TopologyCase,
  session: Session,
  tree: TopologyTree,
  worker: TopologyPodSet,
  leader: TopologyPodSet | undefined,
): TopologyAssignment | undefined {
  const request = requestOf(given, tree, worker, leader !== undefined);
  if (request === undefined) {
    return undefined;
  }
  const workers = session.classes.of(templateOf(worker));
  const leaders = leader === undefined ? undefined : session.classes.of(templateOf(leader));
  const respected = gate(given, 'TASRespectNodeAffinityPreferred') === true;
  const preferences = respected ? preferenceRow(session.table, workers) : undefined;
  return assignTopology(tree, request, (leaf) => {
    const preference = leaf.rows.reduce(
      (sum, row) => sum + (session.allowed(workers, row) ? (preferences?.[row] ?? 0) : 0),
      0,
    );
    return { preference, ...roomOf(leaf) };
  });

  function roomOf(leaf: Domain): LeafRoom {
    const pods = capacity(session, workers, leaf);
    const rowForLeader =
      leaders === undefined
        ? -1
        : [...leaf.rows].findIndex((row) => session.allowed(leaders, row) && session.ledger.fits(leaders, row));
    if (leaders === undefined || rowForLeader < 0) {
      return { pods, leader: false, podsWithLeader: pods };
    }
    const mark = session.ledger.mark();
    const pod = session.pods.find(({ podClass }) => podClass === leaders)!;
    session.ledger.place(pod, leaf.rows[rowForLeader]);
    const podsWithLeader = capacity(session, workers, leaf);
    session.ledger.rollback(mark);
    return { pods, leader: true, podsWithLeader };
  }
}

function capacity(session: Session, podClass: PodClass, { rows }: Domain): number {
  return rows.reduce(
    (sum, row) => sum + (session.allowed(podClass, row) ? session.ledger.capacity(podClass, row, 1_000_000) : 0),
    0,
  );
}

function requestOf(
  given: TopologyCase,
  tree: TopologyTree,
  { count, topology }: TopologyPodSet,
  leader: boolean,
): TopologyRequest | undefined {
  const mode = topology?.mode ?? 'implied-unconstrained';
  const isBound = mode === 'required' || mode === 'preferred';
  const level = levelFor(tree, topology);
  const slices = slicesFor(tree, topology);
  if (slices === undefined || level < 0 || level > slices.sliceLevel) {
    return undefined;
  }
  const innerSlices = innerSlicesFor(tree, slices, topology?.sliceConstraints?.slice(1) ?? []);
  if (innerSlices === undefined) {
    return undefined;
  }
  return {
    count,
    mode: isBound ? mode : 'unconstrained',
    level,
    ...slices,
    innerSlices,
    leader,
    leastFreeFirst: gate(given, 'TASProfileMixed') ?? true,
    balanced: gate(given, 'TASBalancedPlacement') ?? false,
  };
}

type PodSetTopology = TopologyPodSet['topology'];

/** The level that the pods stay within; -1 for one that the tree does not have. */
function levelFor(tree: TopologyTree, topology: PodSetTopology): number {
  if (topology?.mode === 'required' || topology?.mode === 'preferred') {
    return tree.levelOf(topology.level ?? '');
  }
  return topology?.mode === 'slice-only' ? 0 : tree.levels.length - 1;
}

interface Slices {
  readonly sliceLevel: number;
  readonly sliceSize: number;
}

/** The outermost slices; `undefined` where their level is unknown or has no size. */
function slicesFor(tree: TopologyTree, topology: PodSetTopology): Slices | undefined {
  const [outer] = topology?.sliceConstraints ?? [];
  const name = topology?.sliceLevel ?? text(outer);
  const sliceSize = topology?.sliceSize ?? size(outer);
  if (name === undefined) {
    return { sliceLevel: tree.levels.length - 1, sliceSize: sliceSize ?? 1 };
  }
  const sliceLevel = tree.levelOf(name);
  return sliceLevel < 0 || sliceSize === undefined ? undefined : { sliceLevel, sliceSize };
}

/** Sizes of the slices within slices, by level; `undefined` where one is not further in, or does not divide the one around it. */
function innerSlicesFor(
  tree: TopologyTree,
  { sliceLevel, sliceSize }: Slices,
  layers: readonly SliceLayer[],
): Map<number, number> | undefined {
  const innerSlices = new Map<number, number>();
  let above = { level: sliceLevel, size: sliceSize };
  for (const layer of layers) {
    const next = { level: tree.levelOf(text(layer) ?? ''), size: size(layer) ?? 1 };
    if (next.level <= above.level || above.size % next.size !== 0) {
      return undefined;
    }
    for (let at = above.level + 1; at <= next.level; at++) {
      innerSlices.set(at, next.size);
    }
    above = next;
  }
  return innerSlices;
}

type SliceLayer = Readonly<Record<string, string | number>>;

function text(layer: SliceLayer | undefined): string | undefined {
  const found = layer === undefined ? undefined : Object.values(layer).find((value) => typeof value === 'string');
  return found === undefined ? undefined : String(found);
}

function size(layer: SliceLayer | undefined): number | undefined {
  const found = layer === undefined ? undefined : Object.values(layer).find((value) => typeof value === 'number');
  return found === undefined ? undefined : Number(found);
}

/** What a case says of a feature gate; undefined where it leaves the gate at its default. */
function gate({ config }: TopologyCase, name: string): boolean | undefined {
  const given = config?.featureGates ?? [];
  if (Array.isArray(given)) {
    return (given as readonly string[]).includes(name) ? true : undefined;
  }
  return (given as Readonly<Record<string, boolean>>)[name];
}

function compare(
  given: TopologyCase,
  tree: TopologyTree,
  { name, expect }: TopologyPodSet,
  assignment: TopologyAssignment | undefined,
  leader: boolean,
): string[] {
  if (assignment?.fits !== true) {
    const most = assignment === undefined ? 'the request is refused' : `only ${assignment.most} fit`;
    return expect.unschedulable === true ? [] : [`${name}: ${most}, expected ${domainText(expect.domains ?? [])}`];
  }
  const from = given.levels[given.levels.length - 1] === HOSTNAME ? tree.levels.length - 1 : 0;
  const found = leader
    ? [{ values: assignment.leader?.values.slice(from) ?? [], count: 1 }]
    : assignment.domains.map(({ domain, count }) => ({ values: domain.values.slice(from), count }));
  const expected = expect.unschedulable === true ? 'unschedulable' : domainText(expect.domains ?? []);
  return domainText(found) === expected ? [] : [`${name}: ${domainText(found)}, expected ${expected}`];
}

function domainText(domains: readonly { readonly values: readonly string[]; readonly count: number }[]): string {
  return domains.map(({ values, count }) => `${values.join('/')}=${count}`).join(' ');
}
