/**
 * What the core decides in a random world from the first gangs until the last, as lines of text. Lines that a cycle has in common with the one before
 * it are left out.
 */
import { type Binding, decide, type Decision, type Pod, type Snapshot, SnapshotError } from '../../../src/placement';
import { decideIn } from '../../../src/placement/engine';
import { Session } from '../../../src/placement/books/session';
import { MINUTE, NOW } from '../builders';
import { randomWorld, type RandomWorld } from './random-worlds';

const CYCLES = 4;

/** The decisions of some cycles, each carried out before the next. All but the first are made in a session that follows the world. */
export function historyOf(seed: number): readonly string[] {
  const world = randomWorld(seed);
  const lines: string[] = [];
  let pods = world.others;
  let before: readonly string[] = [];
  let session: Session | undefined;
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const snapshot = snapshotOf(world, cycle, pods);
    lines.push(`cycle ${cycle}`);
    let decision: Decision;
    try {
      session ??= new Session(snapshot, world.policy);
      session.catchUp(snapshot, world.policy);
      decision = cycle === 0 ? decide(snapshot, world.policy) : decideIn(session);
    } catch (error) {
      if (error instanceof SnapshotError) {
        return [...lines, `  refused: ${error.message}`];
      }
      throw error;
    }
    const decided = linesOf(decision);
    lines.push(...decided.filter((line) => !before.includes(line)).map((line) => `  ${line}`));
    before = decided;
    pods = carriedOut(snapshot, decision, cycle);
  }
  return lines;
}

/** The later the cycle, the more gangs there are. */
function snapshotOf(
  { nodes, queues, gangs, policy: _, others: __ }: RandomWorld,
  cycle: number,
  pods: readonly Pod[],
): Snapshot {
  const arrived = gangs.slice(0, Math.ceil(((cycle + 1) * gangs.length) / (CYCLES - 1)));
  return {
    now: NOW + cycle * MINUTE,
    nodes,
    queues,
    gangs: arrived,
    pods,
    topologies: [{ name: 'rooms', levels: ['zone', 'rack'] }],
  };
}

/** Bound pods run. Evicted pods are on their way out after one cycle, and gone after the others. */
function carriedOut({ pods, now }: Snapshot, { bindings, evictions }: Decision, cycle: number): readonly Pod[] {
  const evicted = new Set(evictions.map(({ pod }) => pod));
  const stays = pods.filter(({ name, state }) => !evicted.has(name) && (state !== 'releasing' || cycle % 2 === 0));
  const leaving = pods
    .filter(({ name }) => evicted.has(name) && cycle % 2 === 0)
    .map((pod): Pod => ({ ...pod, state: 'releasing', releasedBy: now + MINUTE / 2 }));
  const started = bindings.map(({ pod, gang, role, node, devices }): Pod => ({
    name: pod,
    gang,
    role,
    node,
    devices,
    state: 'running',
    startedAt: now,
  }));
  return [...stays, ...leaving, ...started];
}

function linesOf(decision: Decision): readonly string[] {
  const {
    bindings,
    nominations,
    evictions,
    reservations,
    pending,
    queues,
    capacityReports,
    contradictions = [],
  } = decision;
  const place = ({ pod, node, devices }: Binding): string => `${pod} on ${node} [${devices.join()}]`;
  return [
    ...bindings.map((binding) => `start ${place(binding)}`),
    ...nominations.map((binding) => `nominate ${place(binding)}`),
    ...evictions.map(
      ({ pod, node, action, beneficiary, movesTo }) =>
        `${action} ${pod} from ${node} for ${beneficiary}, moves to ${movesTo}`,
    ),
    ...reservations.map(({ gang, startAt, nodes }) => `reserve ${nodes.join()} for ${gang} at ${minutes(startAt)}`),
    ...pending.map(({ gang, queue: _, ...reason }) => `${gang} waits: ${json(reason)}`),
    ...queues.map(({ queue, ...usage }) => `${queue}: ${json(usage)}`),
    `reports: ${json(capacityReports)}`,
    ...contradictions.map(({ message }) => message),
  ];
}

function minutes(at: number): string {
  return `${(at - NOW) / MINUTE} min`;
}

/** Sums of shares in another order differ in the last bits. */
function json(value: unknown): string {
  return JSON.stringify(value, (key, member: unknown) =>
    typeof member === 'number' ? (key === 'at' ? minutes(member) : Math.round(member * 1e6) / 1e6) : member,
  );
}
