/**
 * What must hold for every decision on every snapshot.
 */
import { type Decision, type PodTemplate, type Snapshot } from '../../src/placement';

export function brokenInvariants(snapshot: Snapshot, decision: Decision): string[] {
  return [
    ...overCapacity(snapshot, decision),
    ...partialGangs(snapshot, decision),
    ...wrongVictims(snapshot, decision),
    ...splitDomains(snapshot, decision),
  ];
}

function templates(snapshot: Snapshot): Map<string, PodTemplate> {
  const roles = new Map(
    snapshot.gangs.flatMap((gang) => gang.roles.map((role) => [`${gang.name}/${role.name}`, role.template])),
  );
  return new Map(snapshot.pods.map((pod) => [pod.name, pod.template ?? roles.get(`${pod.gang}/${pod.role}`)!]));
}

/** Bindings beside everything that is there now; then nominations beside everything that stays. */
function overCapacity(snapshot: Snapshot, { bindings, nominations, evictions }: Decision): string[] {
  const all = templates(snapshot);
  const role = new Map(
    snapshot.gangs.flatMap((gang) => gang.roles.map((one) => [`${gang.name}/${one.name}`, one.template])),
  );
  const evicted = new Set(evictions.map(({ pod }) => pod));
  const placed = [...bindings, ...nominations];
  const load = (entries: readonly (readonly [string, PodTemplate])[]): string[] =>
    snapshot.nodes.flatMap(({ name, allocatable, used = {} }) => {
      const here = entries.filter(([node]) => node === name).map(([, template]) => template);
      const sums: Record<string, number> = { ...used, pods: (used.pods ?? 0) + here.length };
      for (const { request } of here) {
        for (const [resource, amount] of Object.entries(request)) {
          sums[resource] = (sums[resource] ?? 0) + amount;
        }
      }
      return Object.entries(sums).flatMap(([resource, sum]) =>
        sum > (allocatable[resource] ?? 0) && (resource !== 'pods' || allocatable.pods !== undefined)
          ? [`${name} has ${sum} of ${allocatable[resource] ?? 0} ${resource}`]
          : [],
      );
    });
  const there = snapshot.pods.filter(({ state, node }) => state !== 'pending' && node !== undefined);
  const stays = there.filter(({ name, state }) => state === 'running' && !evicted.has(name));
  const entry = (pod: { pod: string; node: string; gang: string; role: string }): readonly [string, PodTemplate] => [
    pod.node,
    all.get(pod.pod) ?? role.get(`${pod.gang}/${pod.role}`)!,
  ];
  const before = new Set(load(there.map(({ node, name }) => [node!, all.get(name)!])));
  return [
    ...load([...there.map(({ node, name }) => [node!, all.get(name)!] as const), ...bindings.map(entry)]),
    ...load([...stays.map(({ node, name }) => [node!, all.get(name)!] as const), ...placed.map(entry)]),
  ].filter((text) => !before.has(text));
}

function partialGangs(snapshot: Snapshot, { bindings, nominations, evictions }: Decision): string[] {
  return snapshot.gangs.flatMap((gang) => {
    const evicted = new Set(evictions.filter((eviction) => eviction.gang === gang.name).map(({ pod }) => pod));
    const ran = snapshot.pods.filter((pod) => pod.gang === gang.name && pod.state === 'running').length;
    const run = ran - evicted.size;
    const started = [...bindings, ...nominations].filter((binding) => binding.gang === gang.name).length;
    const needed = gang.minimum ?? gang.roles.reduce((sum, { minimum, count }) => sum + (minimum ?? count), 0);
    return started > 0 && run + started < needed
      ? [`${gang.name} would run with ${run + started} of ${needed} pods`]
      : evicted.size > 0 && run + started > 0 && run + started < needed
        ? [`${gang.name} would be left with ${run + started} of ${needed} pods`]
        : [];
  });
}

function wrongVictims(snapshot: Snapshot, { bindings, nominations, evictions }: Decision): string[] {
  const gangs = new Map(snapshot.gangs.map((gang) => [gang.name, gang]));
  const pods = new Map(snapshot.pods.map((pod) => [pod.name, pod]));
  const placed = new Set([...bindings, ...nominations].map(({ gang }) => gang));
  return evictions.flatMap(({ pod, gang, beneficiary, action }) => {
    const preemptible = pods.get(pod)?.preemptible ?? gangs.get(gang)?.preemptible ?? true;
    return [
      ...(preemptible ? [] : [`${pod} is evicted and must not be`]),
      ...(action !== 'evict-stale' && (beneficiary === undefined || !placed.has(beneficiary))
        ? [`${pod} is evicted for nothing`]
        : []),
    ];
  });
}

function splitDomains(snapshot: Snapshot, { bindings, nominations, evictions }: Decision): string[] {
  const evicted = new Set(evictions.map(({ pod }) => pod));
  const nodes = new Map(snapshot.nodes.map((node) => [node.name, node]));
  return snapshot.gangs.flatMap((gang) => {
    const level = gang.topology?.required;
    const started = [...bindings, ...nominations]
      .filter((binding) => binding.gang === gang.name)
      .map(({ node }) => node);
    if (level === undefined || started.length === 0) {
      return [];
    }
    const running = snapshot.pods
      .filter((pod) => pod.gang === gang.name && pod.state === 'running' && !evicted.has(pod.name))
      .map(({ node }) => node!);
    const values = new Set(
      [...started, ...running].map(
        (name) => nodes.get(name)?.domains?.[level] ?? nodes.get(name)?.labels?.[level] ?? name,
      ),
    );
    return values.size > 1 ? [`${gang.name} is split over ${[...values].join()} of ${level}`] : [];
  });
}
