/**
 * The view of a cluster after a decision, from the books of the session in which it was made.
 *
 * What is nominated counts as placed, what is evicted as gone: the view is of the cluster once everything that was decided has happened.
 * O(nodes + devices + pods).
 */
import { levelValue } from '../../../placement/topology/domains';
import { compareNames } from '../../../placement/model/names';
import { type Session } from '../../../placement/books/session';
import { levelTitle } from '../objects/topologies';
import { type ClusterView, type ViewEviction, type ViewLevel, type ViewReservation } from './view';
import { fragmentationOf } from './view-fragmentation';
import { gangViews } from './view-gangs';
import { type Places, type ViewInput } from './view-input';
import { nodeViews } from './view-nodes';
import { poolViews } from './view-pools';
import { queueViews } from './view-queues';

/**
 * Makes the view that text, JSON, and pages show of a cluster and a decision.
 *
 * @beta
 */
export function clusterView(input: ViewInput): ClusterView {
  const { session, decision, levels } = input;
  const order = gangOrder(input);
  const gangIndex = new Map(order.map((name, index) => [name, index]));
  const places = placesOf(session, levels);
  const nodes = nodeViews(input, places, gangIndex);
  const nodeIndex = new Map(nodes.nodes.map(({ name }, index) => [name, index]));
  const evictions = decision.evictions.map((eviction): ViewEviction => ({
    pod: eviction.pod,
    gang: gangIndex.get(eviction.gang) ?? -1,
    node: nodeIndex.get(eviction.node) ?? -1,
    action: eviction.action,
    ...(eviction.beneficiary !== undefined && { for: gangIndex.get(eviction.beneficiary) }),
    ...(eviction.movesTo !== undefined && { movesTo: nodeIndex.get(eviction.movesTo) }),
  }));
  const gangs = gangViews(input, order, { nodes: nodes.nodes, nodeIndex, evictions });
  return {
    version: 1,
    ...(input.at !== undefined && { at: input.at }),
    cluster: input.cluster,
    levels: levels.map((label, level): ViewLevel => ({
      label,
      title: levelTitle(label),
      domains: new Set(
        nodes.nodes.filter(({ path }) => path[level] !== '').map(({ path }) => path.slice(0, level + 1).join('\n')),
      ).size,
    })),
    resources: nodes.resources,
    deviceKinds: nodes.deviceKinds,
    pools: poolViews(session, nodes),
    nodes: nodes.nodes,
    queues: queueViews(session, decision, gangs),
    gangs,
    evictions,
    reservations: decision.reservations.map(({ gang, startAt, nodes: names }): ViewReservation => ({
      gang: gangIndex.get(gang) ?? -1,
      startAt,
      nodes: names.map((name) => nodeIndex.get(name) ?? -1),
    })),
    fragmentation: fragmentationOf(session, places),
    counters: {
      nodes: nodes.nodes.length,
      gangs: gangs.length,
      placed: gangs.filter(({ state }) => state === 'placed').length,
      running: gangs.filter(({ state }) => state === 'running').length,
      pending: gangs.filter(({ state }) => state === 'pending').length,
      bindings: decision.bindings.length,
      nominations: decision.nominations.length,
      evictions: evictions.length,
      capacityReports: decision.capacityReports,
    },
    notes: input.notes ?? [],
  };
}

/** Gangs that were asked about first, the others by name. */
function gangOrder({ session, asked = [] }: ViewInput): readonly string[] {
  const first = new Set(asked);
  const others = session.gangs
    .map(({ gang }) => gang.name)
    .filter((name) => !first.has(name))
    .sort(compareNames);
  const known = new Set(session.gangs.map(({ gang }) => gang.name));
  return [...asked.filter((name) => known.has(name)), ...others];
}

function placesOf({ table }: Session, levels: readonly string[]): Places {
  const paths = table.nodes.map((node) => levels.map((level) => levelValue(node, level) ?? ''));
  const rows = table.nodes.map((_, row) => row).sort((a, b) => comparePaths(paths[a], paths[b]) || a - b);
  return { levels, rows, paths };
}

/** Nodes that are in no domain come last. */
function comparePaths(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) {
      return a[i] === '' ? 1 : b[i] === '' ? -1 : compareNames(a[i], b[i]);
    }
  }
  return 0;
}
