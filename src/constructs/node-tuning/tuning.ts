/**
 * Tuning: one thing that is set on a live node, with the least that is needed to set it. Choices are closed: what is not here may not be
 * changed under running pods (the page on node tuning says why, and where it belongs instead).
 */
import { type NamedReference, nameOf } from '../resources/references';
import { sysctlValue, type TunableSysctl } from './sysctls';
import { publicClass } from '../resources/public-class';

/** A folder of the node that a tuning reads or writes. */
export interface NodeFolder {
  /** Path on the node. */
  readonly path: string;
  /** Whether the tuner may write to the folder. */
  readonly writable: boolean;
}

/** What a tuning needs and says, as the tuner renders it. */
export interface TuningParts {
  /** Name of its container. */
  readonly name: string;
  /** Lines of the plan that the script reads. */
  readonly plan: readonly string[];
  /** Folders of the node that the container mounts. */
  readonly folders: readonly NodeFolder[];
  /** Shares the node's network namespace: kernel parameters of the network are those of the reader's namespace. */
  readonly hostNetwork: boolean;
  /** Capabilities that the container needs. */
  readonly capabilities: readonly string[];
  /** RuntimeClass that the pod needs. Absent where the default runtime does. */
  readonly runtimeClass?: string;
  /** Image of the container. Absent where that of the tuner does. */
  readonly image?: string;
  /** Environment of the container. Absent where it needs none. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Values of kernel parameters, by name. */
export type SysctlValues = { readonly [name in TunableSysctl]?: number | readonly [number, number, number] };

/** Options of `Tuning.transparentHugePages`. */
export interface TransparentHugePagesOptions {
  /** Which memory becomes huge pages; `always` costs memory and latency. @default madvise */
  readonly enabled?: 'always' | 'madvise' | 'never';
  /** Whether a process waits for memory to be put together for it. @default defer+madvise */
  readonly defrag?: 'always' | 'defer' | 'defer+madvise' | 'madvise' | 'never';
}

/** How the kernel sets the frequency of CPUs. */
export type CpuGovernor = 'performance' | 'powersave' | 'schedutil' | 'ondemand' | 'conservative';

/** Options of `Tuning.irqAffinity`. */
export interface IrqAffinityOptions {
  /** Names of the node's interfaces, `*` and `?` for any part: `ens*`. */
  readonly interfaces: readonly string[];
  /**
   * `local`: each interrupt may go to any CPU of the card's NUMA node. `spread`: each to one of them, in turn.
   * @default local
   */
  readonly to?: 'local' | 'spread';
}

/** Options of `Tuning.persistenceMode`. */
export interface PersistenceModeOptions {
  /** An image with a C library of GNU, since the runtime adds `nvidia-smi` of the node to it. */
  readonly image: string;
  /** The RuntimeClass that adds the driver. @default nvidia */
  readonly runtimeClass?: NamedReference<'RuntimeClass'>;
}

const SYSCTL_FOLDERS: readonly string[] = [
  '/proc/sys/net/core',
  '/proc/sys/net/ipv4',
  '/proc/sys/fs/inotify',
  '/proc/sys/fs',
  '/proc/sys/vm',
  '/proc/sys/kernel',
];
const NONE = { hostNetwork: false, capabilities: [] } as const;

/**
 * A change to running nodes, which a NodeTuner applies and holds.
 *
 * @example
 * new nodeTuning.NodeTuner(chart, 'tuner', {
 *   tunings: [nodeTuning.Tuning.sysctls({ 'vm.max_map_count': 1048576 }), nodeTuning.Tuning.cpuGovernor('performance')],
 * });
 */
@publicClass('nodeTuning.Tuning')
export class Tuning {
  /**
   * Kernel parameters, from the list of those that may be changed on a live node.
   *
   * `net.core.somaxconn`, `net.ipv4.tcp_rmem` and `net.ipv4.tcp_wmem` are of the network namespace: they reach pods with `hostNetwork`
   * alone. Other pods set them for themselves, in `securityContext.sysctls`.
   *
   * @throws if there is none, one is not in the list, or a value is beyond its bounds
   */
  static sysctls(values: SysctlValues): Tuning {
    const entries = Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
    if (entries.length === 0) {
      throw new Error('sysctls must not be empty. Set at least one sysctl.');
    }
    const plan = entries.map(([name, value]) => `sysctl ${name} ${sysctlValue(name, value)}`);
    const paths = entries.map(([name]) => `/proc/sys/${name.replaceAll('.', '/')}`);
    const direct = SYSCTL_FOLDERS.filter((folder) =>
      paths.some((path) => path.slice(0, path.lastIndexOf('/')) === folder),
    );
    const folders = direct.filter((folder) => !direct.some((above) => folder.startsWith(`${above}/`)));
    const hostNetwork = entries.some(([name]) => name.startsWith('net.'));
    return new Tuning({
      ...NONE,
      name: 'sysctls',
      plan,
      hostNetwork,
      folders: folders.map((path) => ({ path, writable: true })),
    });
  }

  /** Sets when the kernel uses transparent huge pages. */
  static transparentHugePages(options: TransparentHugePagesOptions = {}): Tuning {
    const { enabled = 'madvise', defrag = 'defer+madvise' } = options;
    return new Tuning({
      ...NONE,
      name: 'transparent-huge-pages',
      plan: [`transparent-huge-pages enabled ${enabled}`, `transparent-huge-pages defrag ${defrag}`],
      folders: [{ path: '/sys/kernel/mm/transparent_hugepage', writable: true }],
    });
  }

  /** The clock of every CPU. Virtual machines offer no choice; the script logs that and continues. */
  static cpuGovernor(governor: CpuGovernor): Tuning {
    return new Tuning({
      ...NONE,
      name: 'cpu-governor',
      plan: [`cpu-governor ${governor}`],
      folders: [{ path: '/sys/devices/system/cpu', writable: true }],
    });
  }

  /**
   * Interrupts of network cards go to CPUs near the card. Where irqbalance runs, it moves them away again, and the tuner's log reports
   * it at every look: ban those interrupts in irqbalance's policy, in the node image.
   *
   * @throws if no interface is named, or a name cannot be one
   */
  static irqAffinity(options: IrqAffinityOptions): Tuning {
    const { interfaces, to = 'local' } = options;
    if (interfaces.length === 0) {
      throw new Error('interfaces must not be empty. List the interfaces, for example ens*.');
    }
    const wrong = interfaces.find((name) => !/^[A-Za-z0-9*?][A-Za-z0-9_.@*?-]{0,31}$/.test(name));
    if (wrong !== undefined) {
      throw new Error(
        `interfaces: "${wrong}" is not a valid interface name. Use letters and digits, with * and ? as wildcards.`,
      );
    }
    return new Tuning({
      ...NONE,
      name: 'irq-affinity',
      plan: interfaces.map((name) => `irq-affinity ${name} ${to}`),
      folders: [
        { path: '/proc/irq', writable: true },
        { path: '/sys', writable: false },
      ],
    });
  }

  /**
   * Whether the driver stays loaded while no process uses the GPU. Leave it out where the GPU operator's driver container runs: it starts
   * nvidia-persistenced itself.
   *
   * The driver asks for the capability SYS_ADMIN; there is no narrower one.
   */
  static persistenceMode(options: PersistenceModeOptions): Tuning {
    return new Tuning({
      name: 'gpu-persistence',
      plan: ['gpu-persistence Enabled'],
      folders: [],
      hostNetwork: false,
      capabilities: ['SYS_ADMIN'],
      runtimeClass: nameOf(options.runtimeClass ?? 'nvidia'),
      image: options.image,
      env: { NVIDIA_VISIBLE_DEVICES: 'all', NVIDIA_DRIVER_CAPABILITIES: 'utility' },
    });
  }

  /**
   * What does no harm on any node of a training pool: room for the buffers of TCP sockets, mappings and watches, huge pages for those
   * that ask for them, and CPUs that do not slow down. NUMA balancing is off, since a pinned process has nothing to gain from moved pages.
   */
  static forTraining(): readonly Tuning[] {
    return [
      Tuning.sysctls({
        'fs.inotify.max_user_instances': 8192,
        'fs.inotify.max_user_watches': 1_048_576,
        'kernel.numa_balancing': 0,
        'net.core.netdev_max_backlog': 250_000,
        'net.core.rmem_max': 67_108_864,
        'net.core.wmem_max': 67_108_864,
        'vm.max_map_count': 1_048_576,
        'vm.zone_reclaim_mode': 0,
      }),
      Tuning.transparentHugePages(),
      Tuning.cpuGovernor('performance'),
    ];
  }

  private constructor(private readonly parts: TuningParts) {}

  /** Returns what the tuner needs for the change. */
  toTuning(): TuningParts {
    return this.parts;
  }
}
