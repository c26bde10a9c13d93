/**
 * Pods in the cgroup tree of the kubelet: CPU throttling, memory events, and pressure, of cgroup v2 and v1, with either cgroup driver.
 *
 * The systemd driver names a pod `kubepods-burstable-pod<UID with underscores>.slice`, the cgroupfs driver `burstable/pod<UID>`. A container
 * is a folder below its pod. A CPU limit throttles the group that has it, so containers are read as well as their pod.
 * Sources: kubelet, pkg/kubelet/cm/cgroup_manager_linux.go; Linux, Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst,
 * Documentation/scheduler/sched-bwc.rst.
 */
import { type HostRoot, keyedNumber } from './host-root';
import { type KeptFiles } from './kept-files';
import { type Pressures, pressuresAt } from './pressure';
import { Seldom } from './seldom';

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
const UNIFIED = `${CGROUPS}/cgroup.controllers`;
/** Pods of one node that are read; a kubelet admits 110 by default. */
const MOST_PODS = 1000;
const MOST_CONTAINERS = 64;
/** `kubepods.slice`, `kubepods-besteffort.slice`, `kubepods`, `burstable`, … */
const PARENT = /^(kubepods(-(burstable|besteffort))?\.slice|kubepods|burstable|besteffort)$/;
const POD = /^(?:kubepods(?:-(?:burstable|besteffort))?-)?pod([0-9a-f][0-9a-f_-]{7,63})(?:\.slice)?$/;
/** Folders of a pod that are no containers. */
const CONTAINER = /^(?:[a-z-]+-)?[0-9a-f]{64}(?:\.scope)?$/;

/** The groups of a pod. */
interface PodGroups {
  readonly uid: string;
  readonly path: string;
  /** Name and path of the pod's own group, and of each container's. */
  readonly groups: readonly (readonly [name: string, path: string])[];
}

interface Tree {
  readonly pods: readonly PodGroups[];
  /** How many groups there are below the kubelet's, as the kernel counts them; undefined where it does not. */
  readonly count: string | undefined;
}

export class CgroupReader {
  private readonly tree: Seldom<Tree>;
  /** The groups of the kubelet at the top of the tree. */
  private tops: readonly string[] = [];
  /** Whether a group of the tree was gone when it was read. */
  private isMissing = false;

  constructor(
    private readonly root: HostRoot,
    private readonly files: KeptFiles,
  ) {
    this.tree = new Seldom(() => this.readTree());
  }

  /** Undefined where the host has no cgroup tree. */
  read(): Cgroups | undefined {
    return this.files.text(UNIFIED) === undefined ? this.legacy() : { version: 2, pods: this.unified() };
  }

  /**
   * Listing the folders costs more than reading the files that are wanted. Groups that are as many as before, and all of them there, are the same
   * ones, unless a group was exchanged for one that is not read: that is seen when the tree is read again.
   */
  private unified(): readonly PodUse[] {
    let tree = this.tree.get();
    if (this.isMissing || tree.count === undefined || tree.count !== this.count()) {
      this.tree.forget();
      tree = this.tree.get();
    }
    this.isMissing = false;
    return tree.pods.map((pod) => this.unifiedPod(pod));
  }

  private readTree(): Tree {
    this.tops = this.root.promptList(CGROUPS).filter((name) => PARENT.test(name));
    // Counted before they are listed, so that one that is made meanwhile changes the count.
    const count = this.count();
    const folders = podFolders(this.root, CGROUPS);
    return {
      count,
      pods: [...folders].map(([uid, path]) => ({ uid, path, groups: groupsOf(this.root, path) })),
    };
  }

  private count(): string | undefined {
    const counts = this.tops.map((top) =>
      keyedNumber(this.files.text(`${CGROUPS}/${top}/cgroup.stat`), 'nr_descendants'),
    );
    return counts.length === 0 || counts.includes(undefined) ? undefined : counts.join();
  }

  private unifiedPod({ uid, path, groups }: PodGroups): PodUse {
    const events = this.files.text(`${path}/memory.events`);
    const memoryBytes = this.files.number(`${path}/memory.current`);
    return {
      uid,
      throttling: this.throttling(groups, 'throttled_usec', 1e6),
      memory: { max: keyedNumber(events, 'max') ?? 0, oomKills: keyedNumber(events, 'oom_kill') ?? 0 },
      ...(memoryBytes === undefined ? {} : { memoryBytes }),
      pressure: pressuresAt(this.files, (resource) => `${path}/${resource}.pressure`),
    };
  }

  private legacy(): Cgroups | undefined {
    const cpu = podFolders(this.root, `${CGROUPS}/cpu`);
    const memory = podFolders(this.root, `${CGROUPS}/memory`);
    if (cpu.size + memory.size === 0 && this.root.promptList(CGROUPS).length === 0) {
      return undefined;
    }
    const uids = [...new Set([...cpu.keys(), ...memory.keys()])].sort();
    return { version: 1, pods: uids.map((uid) => this.legacyPod(uid, cpu.get(uid), memory.get(uid))) };
  }

  private legacyPod(uid: string, cpu: string | undefined, memory: string | undefined): PodUse {
    const control = memory === undefined ? undefined : this.files.text(`${memory}/memory.oom_control`);
    const max = memory === undefined ? undefined : this.files.number(`${memory}/memory.failcnt`);
    const memoryBytes = memory === undefined ? undefined : this.files.number(`${memory}/memory.usage_in_bytes`);
    return {
      uid,
      throttling: this.throttling(cpu === undefined ? [] : groupsOf(this.root, cpu), 'throttled_time', 1e9),
      memory: { max: max ?? 0, oomKills: keyedNumber(control, 'oom_kill') ?? 0 },
      ...(memoryBytes === undefined ? {} : { memoryBytes }),
      pressure: {},
    };
  }

  private throttling(
    groups: PodGroups['groups'],
    timeKey: string,
    unitsPerSecond: number,
  ): ReadonlyMap<string, Throttling> {
    const found = new Map<string, Throttling>();
    for (const [name, path] of groups) {
      const text = this.files.text(`${path}/cpu.stat`);
      this.isMissing ||= text === undefined;
      const periods = keyedNumber(text, 'nr_periods') ?? 0;
      // A group without a limit has no periods.
      if (periods > 0) {
        const throttled = keyedNumber(text, 'nr_throttled') ?? 0;
        found.set(name, { periods, throttled, throttledSeconds: (keyedNumber(text, timeKey) ?? 0) / unitsPerSecond });
      }
    }
    return found;
  }
}

/** Folder of each pod by its UID. */
function podFolders(root: HostRoot, top: string): ReadonlyMap<string, string> {
  const pods = new Map<string, string>();
  const walk = (folder: string, depth: number): void => {
    for (const name of root.promptList(folder)) {
      const uid = POD.exec(name)?.[1].replaceAll('_', '-');
      if (uid !== undefined && pods.size < MOST_PODS) {
        pods.set(uid, `${folder}/${name}`);
      } else if (PARENT.test(name) && depth < 3) {
        walk(`${folder}/${name}`, depth + 1);
      }
    }
  };
  walk(top, 0);
  return new Map([...pods].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function groupsOf(root: HostRoot, pod: string): PodGroups['groups'] {
  const containers = root
    .promptList(pod)
    .filter((name) => CONTAINER.test(name))
    .slice(0, MOST_CONTAINERS);
  return [['pod', pod], ...containers.map((name) => [name, `${pod}/${name}`] as const)];
}
