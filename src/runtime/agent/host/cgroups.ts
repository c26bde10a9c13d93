/**
 * Pods in the cgroup tree of the kubelet: CPU throttling, memory events, and pressure, of cgroup v2 and v1, with either cgroup driver.
 *
 * The systemd driver names a pod `kubepods-burstable-pod<UID with underscores>.slice`, the cgroupfs driver `burstable/pod<UID>`. A container
 * is a folder below its pod. A CPU limit throttles the group that has it, so containers are read as well as their pod.
 * Sources: kubelet, pkg/kubelet/cm/cgroup_manager_linux.go; Linux, Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst,
 * Documentation/scheduler/sched-bwc.rst.
 */
import { join } from 'node:path';
import { type HostRoot, keyedNumbers } from './host-root';
import { type Pressures, pressuresAt } from './pressure';

/** CPU bandwidth of one group with a limit, since the group was made. */
export interface Throttling {
  /** Periods in which the group had something to run. */
  readonly periods: number;
  /** Periods in which it used up its quota. */
  readonly throttled: number;
  /** Summed over CPUs, so it may exceed the time that passed. */
  readonly throttledSeconds: number;
}

/** What happened to the memory of a pod, since it was made. */
export interface MemoryEvents {
  /** Times that a limit was reached. */
  readonly max: number;
  /** Processes that the out-of-memory killer ended. */
  readonly oomKills: number;
}

export interface PodUse {
  readonly uid: string;
  /** By name of the group: `pod`, or the folder of a container. Only groups with a CPU limit. */
  readonly throttling: ReadonlyMap<string, Throttling>;
  readonly memory: MemoryEvents;
  readonly memoryBytes?: number;
  /** Absent with cgroup v1, and in kernels without PSI. */
  readonly pressure: Pressures;
}

export interface Cgroups {
  readonly version: 1 | 2;
  readonly pods: readonly PodUse[];
}

const CGROUPS = 'sys/fs/cgroup';
const UNIFIED = join(CGROUPS, 'cgroup.controllers');
/** Pods of one node that are read; a kubelet admits 110 by default. */
const MOST_PODS = 1000;
const MOST_CONTAINERS = 64;
/** `kubepods.slice`, `kubepods-besteffort.slice`, `kubepods`, `burstable`, … */
const PARENT = /^(kubepods(-(burstable|besteffort))?\.slice|kubepods|burstable|besteffort)$/;
const POD = /^(?:kubepods(?:-(?:burstable|besteffort))?-)?pod([0-9a-f][0-9a-f_-]{7,63})(?:\.slice)?$/;
/** Folders of a pod that are no containers. */
const CONTAINER = /^(?:[a-z-]+-)?[0-9a-f]{64}(?:\.scope)?$/;

/** Undefined where the host has no cgroup tree. */
export async function readCgroups(root: HostRoot): Promise<Cgroups | undefined> {
  if ((await root.text(UNIFIED)) !== undefined) {
    const pods = await podFolders(root, CGROUPS);
    return { version: 2, pods: await Promise.all([...pods].map(([uid, path]) => unifiedPod(root, uid, path))) };
  }
  const [cpu, memory] = await Promise.all([
    podFolders(root, join(CGROUPS, 'cpu')),
    podFolders(root, join(CGROUPS, 'memory')),
  ]);
  if (cpu.size + memory.size === 0 && (await root.list(CGROUPS)).length === 0) {
    return undefined;
  }
  const uids = [...new Set([...cpu.keys(), ...memory.keys()])].sort();
  const pods = uids.map((uid) => legacyPod(root, uid, cpu.get(uid), memory.get(uid)));
  return { version: 1, pods: await Promise.all(pods) };
}

/** Folder of each pod by its UID. */
async function podFolders(root: HostRoot, top: string): Promise<ReadonlyMap<string, string>> {
  const pods = new Map<string, string>();
  const walk = async (folder: string, depth: number): Promise<void> => {
    for (const name of await root.list(folder)) {
      const uid = POD.exec(name)?.[1].replaceAll('_', '-');
      if (uid !== undefined && pods.size < MOST_PODS) {
        pods.set(uid, join(folder, name));
      } else if (PARENT.test(name) && depth < 3) {
        await walk(join(folder, name), depth + 1);
      }
    }
  };
  await walk(top, 0);
  return new Map([...pods].sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function unifiedPod(root: HostRoot, uid: string, path: string): Promise<PodUse> {
  const [throttling, events, memoryBytes, pressure] = await Promise.all([
    throttlingOf(root, path, 'throttled_usec', 1e6),
    root.text(join(path, 'memory.events')),
    root.number(join(path, 'memory.current')),
    pressuresAt(root, (resource) => join(path, `${resource}.pressure`)),
  ]);
  const counts = keyedNumbers(events);
  return {
    uid,
    throttling,
    memory: { max: counts.get('max') ?? 0, oomKills: counts.get('oom_kill') ?? 0 },
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    pressure,
  };
}

async function legacyPod(root: HostRoot, uid: string, cpu?: string, memory?: string): Promise<PodUse> {
  const [throttling, control, max, memoryBytes] = await Promise.all([
    cpu === undefined ? new Map<string, Throttling>() : throttlingOf(root, cpu, 'throttled_time', 1e9),
    memory === undefined ? undefined : root.text(join(memory, 'memory.oom_control')),
    memory === undefined ? undefined : root.number(join(memory, 'memory.failcnt')),
    memory === undefined ? undefined : root.number(join(memory, 'memory.usage_in_bytes')),
  ]);
  return {
    uid,
    throttling,
    memory: { max: max ?? 0, oomKills: keyedNumbers(control).get('oom_kill') ?? 0 },
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    pressure: {},
  };
}

async function throttlingOf(
  root: HostRoot,
  pod: string,
  timeKey: string,
  unitsPerSecond: number,
): Promise<ReadonlyMap<string, Throttling>> {
  const containers = (await root.list(pod)).filter((name) => CONTAINER.test(name)).slice(0, MOST_CONTAINERS);
  const groups = [['pod', pod] as const, ...containers.map((name) => [name, join(pod, name)] as const)];
  const read = await Promise.all(
    groups.map(async ([name, path]) => {
      const counts = keyedNumbers(await root.text(join(path, 'cpu.stat')));
      const periods = counts.get('nr_periods') ?? 0;
      const throttled = counts.get('nr_throttled') ?? 0;
      return [name, { periods, throttled, throttledSeconds: (counts.get(timeKey) ?? 0) / unitsPerSecond }] as const;
    }),
  );
  // A group without a limit has no periods.
  return new Map(read.filter(([, { periods }]) => periods > 0));
}
