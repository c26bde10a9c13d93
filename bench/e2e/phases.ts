/**
 * The phases of the measurement of one contender, and the cluster between them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject } from '../../src/facts/api/schema';
import { asString } from '../../src/manifests/read';
import { admissionOf } from '../../test/e2e/control-plane/admission';
import { ApiClient } from '../../src/runtime/api/client';
import { type Lab, nameOf } from '../../test/e2e/scheduler/lab';
import { pod } from '../../test/e2e/scheduler/manifests';
import { median } from '../machine';
import { type ContenderName, costOf, startContender } from './contender';
import { filler, gangsFor, type LoadGang, nameOfNode } from './load';
import { gangLatencies, PodWatch, quantile, type Sighting } from './watch-pods';

export interface Backlog {
  readonly rate: number;
  /** Pods that got no place. */
  readonly left: number;
  readonly cpu: number;
  readonly brokenGangs: number;
  readonly peakMiB: number;
}

export interface Stream {
  readonly p50: number;
  readonly p99: number;
  readonly podP50: number;
  readonly peakMiB: number;
}

export interface Load {
  readonly nodes: number;
  readonly pods: number;
  /** Pods that arrive one gang after the other. */
  readonly stream: number;
  /** Of them in a second. */
  readonly rate: number;
}

/** Without a further binding, milliseconds. */
const PATIENCE = 30_000;
/** Devices of each node of eight that are in use before the full cluster is measured. */
const FILLED = 6;
/** Of the devices that are then free, as much is asked for in all as of an empty cluster. */
const LEFT = (8 - FILLED) / 8;

/** All gangs wait when the scheduler starts; an empty cluster is left. */
export async function measureEmpty(lab: Lab, name: ContenderName, { pods }: Load): Promise<Backlog> {
  return watched(lab, async (watch) => {
    try {
      return await backlog(lab, watch, name, gangsFor(name, pods, 1, 'e'), 'empty');
    } finally {
      await clear(lab, 'e-');
    }
  });
}

/** The same where most devices are in use, with as many pods as leave some free. */
export async function measureFull(lab: Lab, name: ContenderName, { pods }: Load): Promise<Backlog> {
  return watched(lab, async (watch) => {
    try {
      return await backlog(lab, watch, name, gangsFor(name, pods * LEFT, 2, 'f'), 'full');
    } finally {
      await clear(lab, 'f-');
    }
  });
}

/** Gangs arrive one after the other where most devices are in use. */
export async function measureStream(lab: Lab, name: ContenderName, load: Load): Promise<Stream> {
  return watched(lab, async (watch) => {
    const contender = await startContender(name, lab.kubeconfig);
    try {
      await sleep(10_000);
      const warm = gangsFor(name, load.stream / 5, 4, 'w');
      await streamIn(lab, watch, warm, load.rate, load.nodes * (8 - FILLED));
      const arriving = gangsFor(name, load.stream, 3, 's');
      const stream = await streamIn(lab, watch, arriving, load.rate, load.nodes * (8 - FILLED));
      return { ...stream, peakMiB: costOf(contender.pid).peakMiB };
    } finally {
      await contender.stop();
      await clear(lab, 'w-');
      await clear(lab, 's-');
    }
  });
}

/** Pods of the largest gang. */
export const LARGEST = 64;
const FLOOR_ROUNDS = 7;

/**
 * What no scheduler can fall below: how long the API server takes to bind the pods of the largest gang, all at once, with nothing to decide.
 *
 * @returns seconds, the median
 */
export async function measureFloor(lab: Lab): Promise<number> {
  const client = new ApiClient({ admission: () => Promise.resolve(admissionOf(lab.kubeconfig)) });
  const took: number[] = [];
  for (let round = 0; round < FLOOR_ROUNDS; round++) {
    const names = Array.from({ length: LARGEST }, (_, index) => `floor-${round}-${index}`);
    const spec = { schedulerName: 'nobody' };
    await inParallel(names, (name) => lab.create(pod(name, { gpus: 0, cpu: '1m', spec })));
    const started = performance.now();
    await Promise.all(
      names.map((name) =>
        client.request('POST', `/api/v1/namespaces/default/pods/${name}/binding`, { body: bindingOf(name) }),
      ),
    );
    took.push((performance.now() - started) / 1000);
    await clear(lab, 'floor-');
  }
  client.close();
  return median(took);
}

function bindingOf(name: string): JsonObject {
  const target = { apiVersion: 'v1', kind: 'Node', name: nameOfNode(0) };
  return { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace: 'default' }, target };
}

async function watched<T>(lab: Lab, work: (watch: PodWatch) => Promise<T>): Promise<T> {
  const watch = new PodWatch(lab.kubeconfig);
  try {
    return await work(watch);
  } finally {
    await watch.stop();
  }
}

async function backlog(
  lab: Lab,
  watch: PodWatch,
  name: ContenderName,
  gangs: readonly LoadGang[],
  what: string,
): Promise<Backlog> {
  const own = new Set(gangs.flatMap(({ pods }) => pods.map(nameOf)));
  const created = performance.now();
  await createGangs(lab, gangs);
  await lab.until('all pods are seen', () => Promise.resolve([...own].every((pod) => watch.pods.has(pod))), 600_000);
  console.log(`${name}, ${what}: ${own.size} pods in ${gangs.length} gangs wait after ${seconds(created)}`);
  const contender = await startContender(name, lab.kubeconfig);
  try {
    const brokenGangs = await untilBound(watch, own);
    const times = [...own].flatMap((pod) => watch.pods.get(pod)!.boundAt ?? []).sort((a, b) => a - b);
    const left = own.size - times.length;
    const took = Math.max(0.001, (times[times.length - 1] - times[0]) / 1000);
    const { cpuSeconds: cpu, peakMiB } = costOf(contender.pid);
    console.log(`${name}, ${what}: bound in ${took.toFixed(1)} s, CPU ${cpu.toFixed(1)} s, ${left} pods left`);
    return { rate: times.length / took, left, cpu, brokenGangs, peakMiB };
  } finally {
    await contender.stop();
  }
}

/** Once for all contenders. */
export async function fill(lab: Lab, nodes: number): Promise<void> {
  const started = performance.now();
  await inParallel(filler(nodes, FILLED), (pod) => lab.create(pod));
  console.log(`${FILLED} of 8 devices of each node are in use after ${seconds(started)}`);
}

/**
 * Until all pods are bound, or none was for a while: what others took in parts may leave no room for the last gang.
 *
 * @returns the most gangs at one moment of which some pods were bound for more than a second and not all
 */
async function untilBound(watch: PodWatch, pods: ReadonlySet<string>): Promise<number> {
  let most = 0;
  const bound = (): number => [...pods].filter((pod) => watch.pods.get(pod)?.boundAt !== undefined).length;
  for (
    let last = -1, count = bound(), since = performance.now();
    count < pods.size;
    await sleep(250), count = bound()
  ) {
    if (count !== last) {
      last = count;
      since = performance.now();
    }
    if (performance.now() - since > PATIENCE) {
      if (count === 0) {
        throw new Error(`none of ${pods.size} pods was bound within ${PATIENCE / 1000} s`);
      }
      return most;
    }
    const gangs = new Map<string, { first: number; waits: boolean }>();
    for (const pod of pods) {
      const { gang, boundAt } = watch.pods.get(pod)!;
      const known = gangs.get(gang) ?? { first: Infinity, waits: false };
      gangs.set(gang, {
        first: Math.min(known.first, boundAt ?? Infinity),
        waits: known.waits || boundAt === undefined,
      });
    }
    most = Math.max(
      most,
      [...gangs.values()].filter(({ first, waits }) => waits && performance.now() - first > 1000).length,
    );
  }
  return most;
}

/** Gangs that were bound first end once the devices that are left are used up. */
async function streamIn(
  lab: Lab,
  watch: PodWatch,
  gangs: readonly LoadGang[],
  rate: number,
  devices: number,
): Promise<Omit<Stream, 'peakMiB'>> {
  const before = new Set(watch.pods.keys());
  const started = performance.now();
  const alive: LoadGang[] = [];
  let used = 0;
  let sent = 0;
  for (const gang of gangs) {
    await createGangs(lab, [gang]);
    alive.push(gang);
    used += gang.pods.length;
    sent += gang.pods.length;
    for (; used > devices / 2; used -= alive.shift()!.pods.length) {
      const [first] = alive;
      await lab.until('the first gang is bound', () =>
        Promise.resolve(first.pods.every((pod) => watch.pods.get(nameOf(pod))?.boundAt !== undefined)),
      );
      await end(lab, first);
    }
    const ahead = started + (sent / rate) * 1000 - performance.now();
    if (ahead > 0) {
      await sleep(ahead);
    }
  }
  const fresh = (): Sighting[] => [...watch.pods].filter(([name]) => !before.has(name)).map(([, pod]) => pod);
  const bound = (): number => fresh().filter(({ boundAt }) => boundAt !== undefined).length;
  await lab.until('all gangs that came are bound', () => Promise.resolve(bound() >= sent), 120_000);
  const latencies = gangLatencies(fresh());
  const ofPods = fresh().map(({ createdAt, boundAt = Infinity }) => (boundAt - createdAt) / 1000);
  return { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), podP50: quantile(ofPods, 0.5) };
}

async function end(lab: Lab, { pods, group }: LoadGang): Promise<void> {
  await inParallel(pods, (pod) => lab.delete(`/api/v1/namespaces/default/pods/${nameOf(pod)}`));
  if (group !== undefined) {
    await lab.delete(`${group.path}/${nameOf(group.object)}`);
  }
}

async function createGangs(lab: Lab, gangs: readonly LoadGang[]): Promise<void> {
  await inParallel(gangs, async ({ group }) => {
    if (group !== undefined) {
      const { status, body } = await lab.cluster.client.request('POST', group.path, { body: group.object });
      if (status >= 300) {
        throw new Error(`PodGroup ${nameOf(group.object)}: ${asString(body.message)}`);
      }
    }
  });
  await inParallel(
    gangs.flatMap(({ pods }) => pods),
    (pod) => lab.create(pod),
  );
}

/** Pods and PodGroups whose names begin so, or all, are deleted. */
export async function clear(lab: Lab, prefix = ''): Promise<void> {
  const left = async (): Promise<readonly JsonObject[]> =>
    (await lab.pods()).filter((pod) => nameOf(pod).startsWith(prefix));
  await inParallel(await left(), (pod) => lab.delete(`/api/v1/namespaces/default/pods/${nameOf(pod)}`));
  for (const version of ['scheduling.k8s.io/v1alpha2', 'scheduling.volcano.sh/v1beta1']) {
    const path = `/apis/${version}/namespaces/default/podgroups`;
    // A finalizer of a controller that does not run here would keep them.
    const groups = (await lab.list(path)).filter((group) => nameOf(group).startsWith(prefix));
    await inParallel(groups, async (group) => {
      await lab.patch(`${path}/${nameOf(group)}`, { metadata: { finalizers: null as unknown as string } });
      await lab.delete(`${path}/${nameOf(group)}`);
    });
  }
  await lab.until('no pod is left', async () => (await left()).length === 0, 600_000);
}

export async function inParallel<T>(list: readonly T[], work: (item: T) => Promise<void>, atOnce = 16): Promise<void> {
  const rest = [...list].reverse();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let item = rest.pop(); item !== undefined; item = rest.pop()) {
        await work(item);
      }
    }),
  );
}

export function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
