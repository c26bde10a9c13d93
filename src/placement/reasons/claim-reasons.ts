/**
 * Why the claims of a gang cannot be allocated: a claim that does not exist, a request that no device satisfies, or devices that are in use.
 */
import { type Turn } from '../books/records';
import { type Session } from '../books/session';
import { type ClaimFacts, type KnownDevice } from '../model/claims';
import { type Cycle } from '../cycle/cycle';
import { turnHasClaims } from '../search/units';
import { type Finding } from './finding';

/** What no device of the cluster satisfies, however free they are; `undefined` where there is no such request. */
export function unsatisfiable({ session }: Cycle, turn: Turn): Finding | undefined {
  if (!turnHasClaims(turn)) {
    return undefined;
  }
  const { pods } = turn;
  const { claims } = session.ledger;
  const devices = claims.world.slices.flatMap(({ driver, devices: all }) =>
    all.map((device): KnownDevice => ({ driver, device })),
  );
  const asked = new Set<ClaimFacts>();
  for (const pod of pods) {
    for (const needed of claims.neededBy(pod)) {
      const { facts } = needed;
      if (asked.has(facts) || claims.devicesOf(needed) !== undefined) {
        continue;
      }
      asked.add(facts);
      const clause = facts.problem ?? unsatisfiedRequest(facts, devices) ?? tooLargeRequest(facts, session);
      if (clause !== undefined) {
        const words = `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
        return { kind: 'not-offered', role: pod.role!.role.name, blocked: [], fits: 0, needed: pods.length, words };
      }
    }
  }
  return undefined;
}

function unsatisfiedRequest({ claim, title }: ClaimFacts, devices: readonly KnownDevice[]): string | undefined {
  const request = claim?.requests.find(({ alternatives }) =>
    alternatives.every(({ accepts }) => !devices.some(({ driver, device }) => accepts(driver, device))),
  );
  if (request === undefined) {
    return undefined;
  }
  const reasons = request.alternatives.flatMap(({ whyNone }) => whyNone?.(devices) ?? []);
  return `request "${request.name}" of ${title}: ${reasons.length === 0 ? 'no device satisfies it' : reasons.join('; and ')}`;
}

/** A request for more devices than any node can use, however free they are. */
function tooLargeRequest({ claim, title }: ClaimFacts, { table, ledger }: Session): string | undefined {
  const { world } = ledger.claims;
  for (const { name, alternatives } of claim?.requests ?? []) {
    const most = alternatives.map(({ accepts, count }) => {
      const onNode = table.nodes.map(({ name: node }) =>
        world
          .poolsAt(node)
          .reduce((sum, { driver, devices }) => sum + devices.filter((device) => accepts(driver, device)).length, 0),
      );
      return { count, most: Math.max(...onNode) };
    });
    if (most.every((one) => one.count !== 'all' && one.count > one.most)) {
      const words = most.map(
        (one) => `${one.count} devices requested, and no node has more than ${one.most} that match`,
      );
      return `request "${name}" of ${title}: ${words.join('; or ')}`;
    }
  }
  return undefined;
}

/** For a gang that fits but for its claims. */
export function inUse({ session }: Cycle, { pods, gang }: Turn, fits: number): Finding {
  const { claims } = session.ledger;
  const stuck = pods[Math.min(fits, pods.length - 1)];
  const titles = [...new Set(claims.neededBy(stuck).map(({ facts }) => facts.title))].join(' and ');
  const role = gang.roles.length === 1 ? 'the next pod' : `the next pod of role "${stuck.role!.role.name}"`;
  const words = `${fits} of ${pods.length} pods fit; no node that fits ${role} has free devices for ${titles}.`;
  return { kind: 'no-fit', role: stuck.role!.role.name, blocked: [], fits, needed: pods.length, words };
}
