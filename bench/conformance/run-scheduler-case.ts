/**
 * Runs a case of the common form: rounds of the whole scheduler (`steady`), or one session of named actions (`action`).
 *
 * A steady round decides, then applies: bound pods run, evicted pods are pending again without a node, nominated pods stay pending.
 * Invariants are checked in every round, whatever the case expects.
 */
import { decide, type Decision } from '../../src/placement';
import { type CaseStatus, type SchedulerCase } from './case-format';
import { brokenInvariants } from './invariants';
import { type LivePod, livePods, NOW, policyOf, snapshotOf } from './to-snapshot';

/** Why the case does not hold; empty when it does. */
export function runSchedulerCase(given: SchedulerCase): string[] {
  return given.kind === 'action' ? runSession(given) : runSteady(given);
}

function runSteady(given: SchedulerCase): string[] {
  const { rounds = 1, stableRounds = 0 } = given.run ?? {};
  const policy = policyOf(given);
  let pods = livePods(given, new Set(given.nodes.map(({ name }) => name)));
  const totals = { binds: 0, evictions: 0 };
  const why: string[] = [];
  for (let round = 1; round <= rounds + stableRounds && why.length === 0; round++) {
    const snapshot = snapshotOf(given, pods);
    const decision = decide(snapshot, policy);
    why.push(
      ...brokenInvariants(snapshot, decision),
      ...limits(given, decision),
      ...(round === 1 ? reservation(given, decision) : []),
    );
    totals.binds += decision.bindings.length;
    totals.evictions += decision.evictions.length;
    pods = apply(given, pods, decision);
    if (round >= rounds) {
      const status = (pod: LivePod): string => pod.state;
      why.push(...statuses(given, pods, status), ...counts(given, pods));
    }
    why.splice(0, why.length, ...why.map((text) => (text.startsWith('round') ? text : `round ${round}: ${text}`)));
  }
  const { totals: expected } = given.expect;
  if (why.length === 0 && expected !== undefined) {
    if (expected.binds !== undefined && expected.binds !== totals.binds) {
      why.push(`${totals.binds} bindings in all, expected ${expected.binds}`);
    }
    if (expected.evictions !== undefined && expected.evictions !== totals.evictions) {
      why.push(`${totals.evictions} evictions in all, expected ${expected.evictions}`);
    }
    if (expected.evictionsMax !== undefined && totals.evictions > expected.evictionsMax) {
      why.push(`${totals.evictions} evictions in all, expected at most ${expected.evictionsMax}`);
    }
  }
  return why;
}

function apply(given: SchedulerCase, pods: readonly LivePod[], { bindings, evictions }: Decision): LivePod[] {
  const bound = new Map(bindings.map((binding) => [binding.pod, binding]));
  const evicted = new Set(evictions.map(({ pod }) => pod));
  const deleted = new Set(
    given.podGroups.filter(({ deleteOnEvict }) => deleteOnEvict === true).map(({ name }) => name),
  );
  return pods
    .filter(
      ({ spec, state }) =>
        !(evicted.has(spec.name) && deleted.has(spec.podGroup ?? '')) &&
        !(state === 'releasing' && spec.stuckInReleasing !== true && deleted.has(spec.podGroup ?? '')),
    )
    .map((pod) => {
      const binding = bound.get(pod.spec.name);
      if (binding !== undefined) {
        return { ...pod, state: 'running', node: binding.node, devices: binding.devices, startedAt: NOW };
      }
      const terminated = pod.state === 'releasing' && pod.spec.stuckInReleasing !== true;
      return evicted.has(pod.spec.name) || terminated
        ? { ...pod, state: 'pending', node: undefined, devices: undefined, startedAt: undefined }
        : pod;
    });
}

function runSession(given: SchedulerCase): string[] {
  const pods = livePods(given, new Set(given.nodes.map(({ name }) => name)));
  const snapshot = snapshotOf(given, pods);
  const decision = decide(snapshot, policyOf(given));
  const { binds, bindCount, evictions, nominated } = given.expect;
  const why = [...brokenInvariants(snapshot, decision), ...limits(given, decision)];
  const bound = new Map(decision.bindings.map(({ pod, node }) => [pod, node]));
  if (binds !== undefined && bindCount === undefined) {
    why.push(
      ...sameSet(
        'bindings',
        [...bound].map(([pod, node]) => `${pod} on ${node}`),
        Object.entries(binds).map(([pod, node]) => `${pod} on ${node}`),
      ),
    );
  }
  if (bindCount !== undefined && bound.size !== bindCount) {
    why.push(`${bound.size} bindings, expected ${bindCount}`);
  }
  if (evictions !== undefined) {
    why.push(
      ...sameSet(
        'evictions',
        decision.evictions.map(({ pod }) => pod),
        evictions,
      ),
    );
  }
  for (const [group, nodes] of Object.entries(nominated ?? {})) {
    const own = decision.nominations.filter(({ gang }) => gang === group);
    if (own.length === 0 || own.some(({ node }) => !nodes.includes(node))) {
      why.push(`${group} is nominated to ${own.map(({ node }) => node).join() || 'nothing'}, expected ${nodes.join()}`);
    }
  }
  const moved = new Map(decision.nominations.map(({ pod, node }) => [pod, node]));
  const gone = new Set(decision.evictions.map(({ pod }) => pod));
  const after = pods.map((pod) => ({ ...pod, node: bound.get(pod.spec.name) ?? moved.get(pod.spec.name) ?? pod.node }));
  why.push(
    ...statuses(given, after, ({ spec, state }) =>
      bound.has(spec.name) ? 'binding' : moved.has(spec.name) ? 'pipelined' : gone.has(spec.name) ? 'releasing' : state,
    ),
  );
  return why;
}

function sameSet(what: string, found: readonly string[], expected: readonly string[]): string[] {
  const a = [...found].sort().join('; ');
  const b = [...expected].sort().join('; ');
  return a === b ? [] : [`${what}: ${a || 'none'}, expected ${b || 'none'}`];
}

function statuses(given: SchedulerCase, pods: readonly LivePod[], statusOf: (pod: LivePod) => string): string[] {
  const { podGroups = {}, pods: single = {} } = given.expect;
  const check = (pod: LivePod, { status, node }: CaseStatus): string[] => {
    const found = statusOf(pod);
    if (found !== status) {
      return [
        `${pod.spec.name} is ${found}${pod.node === undefined ? '' : ` on ${pod.node}`}, expected ${status}${node === undefined ? '' : ` on ${node}`}`,
      ];
    }
    return node !== undefined && node !== '' && found !== 'pending' && pod.node !== node
      ? [`${pod.spec.name} is on ${pod.node}, expected ${node}`]
      : [];
  };
  return [
    ...Object.entries(podGroups).flatMap(([name, status]) =>
      pods.filter(({ spec }) => spec.podGroup === name).flatMap((pod) => check(pod, status)),
    ),
    ...Object.entries(single).flatMap(([name, status]) =>
      pods.filter(({ spec }) => spec.name === name).flatMap((pod) => check(pod, status)),
    ),
  ];
}

function counts(given: SchedulerCase, pods: readonly LivePod[]): string[] {
  return Object.entries(given.expect.counts ?? {}).flatMap(([name, { running }]) => {
    const found = pods.filter(({ spec, state }) => spec.podGroup === name && state === 'running').length;
    return running === undefined || running === found ? [] : [`${found} pods of ${name} run, expected ${running}`];
  });
}

function limits({ expect }: SchedulerCase, { bindings, evictions, nominations }: Decision): string[] {
  const found = { binds: bindings.length, evictions: evictions.length, nominations: nominations.length };
  return (['binds', 'evictions', 'nominations'] as const).flatMap((what) => {
    const most = expect.limitsPerRound?.[what];
    return most !== undefined && found[what] > most
      ? [`${found[what]} ${what} in one round, at most ${most} expected`]
      : [];
  });
}

function reservation({ expect }: SchedulerCase, { reservations }: Decision): string[] {
  if (expect.reservation === undefined) {
    return [];
  }
  const { podGroup, startInMinutes } = expect.reservation;
  const found = reservations.map(({ gang, startAt }) => `${gang} in ${(startAt - NOW) / 60_000} min`).join();
  return found === `${podGroup} in ${startInMinutes} min`
    ? []
    : [`reserved: ${found || 'nothing'}, expected ${podGroup} in ${startInMinutes} min`];
}
