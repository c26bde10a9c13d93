/**
 * What a changing cluster is to the placement core, as lines of text: after each step, what it has that it had not before, and what is gone.
 */
import { type Delta } from '../../../../src/placement/model/facts';
import { type NodeScope } from '../../../../src/placement/model/claims';
import { ChangingWorld, NODES } from '../changing-world';
import { NOW } from '../watched-source';

const STEPS = 24;
/** In clusters from this seed on, devices by claim change too. */
const WITH_CLAIMS = 1_000_000;

export function historyOf(seed: number): readonly string[] {
  const changing = new ChangingWorld(seed, { claims: seed >= WITH_CLAIMS });
  const { world } = changing;
  const lines: string[] = [];
  let calls: string[] = [];
  world.onPod = (before, after) => calls.push(`pod ${before?.uid} becomes ${after?.uid}, ${after?.way}`);
  world.onRelevant = (ready) => calls.push(ready === true ? 'ready' : 'changed');
  world.aside.onNew = ({ kind, name, reason }) => calls.push(`${kind} ${name} is set aside: ${reason}`);
  let known = new Set<string>();
  for (let step = 0; step < STEPS; step++) {
    calls = [];
    changing.step();
    const called = [...new Set(calls)].map((call) => `  ${call}`);
    const deltas = changing.feed.deltas(changing.moment).map((delta) => `  ${described(delta)}`);
    const now = stateOf(changing);
    const added = now.filter((line) => !known.has(line)).map((line) => `  ${line}`);
    lines.push(`step ${step}`, ...called, ...deltas.sort(), ...added);
    known = new Set(now);
  }
  return lines;
}

function described(delta: Delta): string {
  return JSON.stringify(delta, (key, value: unknown) => (TIMES.has(key) ? Number(value) - NOW : plain(key, value)));
}

/** What claims and slices consist of beside JSON: amounts, maps, and functions of nodes. */
function plain(key: string, value: unknown): unknown {
  if (typeof value === 'bigint') {
    return String(value);
  }
  if (value instanceof Map) {
    return [...(value as ReadonlyMap<unknown, unknown>)];
  }
  return key === 'nodes' && typeof value === 'function' ? NODES.filter((name) => (value as NodeScope)(name)) : value;
}

const TIMES = new Set(['now', 'at', 'arrival', 'startedAt', 'createdAt', 'staleSince', 'releasedBy']);

/** What no change of the placement core's input shows. */
function stateOf({ feed, world, moment, assumptions }: ChangingWorld): readonly string[] {
  const { now } = moment;
  return [
    ...feed.held.map(
      ({ gang, queue, kind, message, again }) => `${gang} in ${queue} is held, ${kind} ${again}: ${message}`,
    ),
    ...[...feed.waiting.values()].map(({ name }) => `${name} has waiting pods in ${feed.queueOf(name)}`),
    `gangs looked at: ${[...feed.takeTouched()].sort().join(', ')}`,
    `next in ${feed.nextIn(now)}, ${assumptions.size} assumed`,
    `handed over: ${[...world.unbound.keys()].sort().join()}`,
    `groups that wait: ${[...world.podGroups.pending].sort().join()}`,
    `${world.reportingNodes} nodes report, ${world.gangs.size} gangs`,
    `set aside: ${world.aside.list
      .map(({ kind, name }) => `${kind} ${name}`)
      .sort()
      .join(', ')}`,
  ];
}
