/**
 * ManagedNodes: the same settings in the format of the node provider: GKE, AKS, Bottlerocket, Talos. A managed node accepts only
 * some settings of the kubelet and the kernel; settings that it has no field for are reported, never dropped silently.
 *
 * Sources: GKE, node system configuration; AKS, custom node configuration (KubeletConfig, LinuxOSConfig, SysctlConfig); Bottlerocket,
 * settings reference; Talos, MachineConfig v1alpha1 (documents of the vendors, read in 2026; not tried on their nodes).
 */
import { createRequire } from 'node:module';
import type * as Toml from 'smol-toml' with { 'resolution-mode': 'import' };
import { stringify } from 'yaml';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { type KubeletDropIn } from './kubelet-drop-in';
import { type TunableSysctl, sysctlValue } from './sysctls';
import { type SysctlValues, type TransparentHugePagesOptions } from './tuning';
import { publicClass } from '../resources/public-class';

/** Props of ManagedNodes. */
export interface ManagedNodesProps {
  /** Settings of the kubelet. @default - the platform's */
  readonly kubelet?: KubeletDropIn;
  /** Kernel parameters, by name. @default - the platform's */
  readonly sysctls?: SysctlValues;
  /** When the kernel uses transparent huge pages. @default - the platform's */
  readonly transparentHugePages?: TransparentHugePagesOptions;
}

/** A file for a platform, and what it cannot say. */
export interface ManagedFile {
  /** What the platform calls the file, or the flag that takes it. */
  readonly name: string;
  /** Content of the file. */
  readonly text: string;
}

/** What a managed service takes, and what is left out because it does not. */
export interface ManagedSettings {
  /** Files for the command line or the API of the service. */
  readonly files: readonly ManagedFile[];
  /** Settings that the platform has no field for, by the names that Kubernetes and Linux have for them. */
  readonly left: readonly string[];
}

type Fields = Readonly<Record<string, (value: JsonValue) => JsonObject>>;

const as =
  (name: string) =>
  (value: JsonValue): JsonObject => ({ [name]: value });

const GKE_FIELDS: Fields = {
  cpuManagerPolicy: as('cpuManagerPolicy'),
  topologyManagerPolicy: (policy) => ({ topologyManager: { policy } }),
  topologyManagerScope: (scope) => ({ topologyManager: { scope } }),
  memoryManagerPolicy: (policy) => ({ memoryManager: { policy } }),
  podPidsLimit: as('podPidsLimit'),
  allowedUnsafeSysctls: as('allowedUnsafeSysctls'),
  singleProcessOOMKill: as('singleProcessOOMKill'),
};
const AKS_FIELDS: Fields = {
  cpuManagerPolicy: as('cpuManagerPolicy'),
  topologyManagerPolicy: as('topologyManagerPolicy'),
  podPidsLimit: as('podMaxPids'),
  allowedUnsafeSysctls: as('allowedUnsafeSysctls'),
};
const BOTTLEROCKET_FIELDS: Fields = {
  cpuManagerPolicy: as('cpu-manager-policy'),
  topologyManagerPolicy: as('topology-manager-policy'),
  topologyManagerScope: as('topology-manager-scope'),
  podPidsLimit: as('pod-pids-limit'),
  maxPods: as('max-pods'),
  kubeReserved: as('kube-reserved'),
  systemReserved: as('system-reserved'),
  evictionHard: as('eviction-hard'),
  allowedUnsafeSysctls: as('allowed-unsafe-sysctls'),
};
/** Kernel parameters that AKS knows; its names are theirs in camel case. */
const AKS_SYSCTLS: readonly TunableSysctl[] = [
  'fs.aio-max-nr',
  'fs.inotify.max_user_watches',
  'net.core.netdev_max_backlog',
  'net.core.optmem_max',
  'net.core.rmem_max',
  'net.core.somaxconn',
  'net.core.wmem_max',
  'vm.max_map_count',
  'vm.swappiness',
];
/** Kernel parameters that GKE knows. */
const GKE_SYSCTLS: readonly TunableSysctl[] = [
  'fs.aio-max-nr',
  'fs.inotify.max_user_instances',
  'fs.inotify.max_user_watches',
  'kernel.numa_balancing',
  'net.core.netdev_max_backlog',
  'net.core.optmem_max',
  'net.core.rmem_max',
  'net.core.somaxconn',
  'net.core.wmem_max',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
  'vm.max_map_count',
  'vm.swappiness',
];

/**
 * Node settings in the form that managed services take: GKE, AKS, Bottlerocket, and Talos.
 *
 * @example
 * const { files, left } = new nodeTuning.ManagedNodes({ sysctls: { 'vm.max_map_count': 1048576 } }).toGke();
 */
@publicClass('nodeTuning.ManagedNodes')
export class ManagedNodes {
  constructor(private readonly props: ManagedNodesProps) {}

  /** For `gcloud container node-pools create --system-config-from-file`. A change recreates the nodes. */
  toGke(): ManagedSettings {
    const kubelet = this.kubelet(GKE_FIELDS);
    const sysctls = this.sysctls(GKE_SYSCTLS);
    const { transparentHugePages: pages } = this.props;
    const value = withoutEmptyMembers({
      kubeletConfig: kubelet.value,
      linuxConfig: withoutEmptyMembers({
        sysctl: Object.fromEntries(sysctls.known),
        ...(pages === undefined
          ? {}
          : {
              transparentHugepageEnabled: `TRANSPARENT_HUGEPAGE_ENABLED_${(pages.enabled ?? 'madvise').toUpperCase()}`,
              transparentHugepageDefrag: `TRANSPARENT_HUGEPAGE_DEFRAG_${(pages.defrag ?? 'defer+madvise').replace('+', '_with_').toUpperCase()}`,
            }),
      }),
    });
    return {
      files: [{ name: 'node-system-config.yaml', text: yamlText(value) }],
      left: [...kubelet.left, ...sysctls.left],
    };
  }

  /** For `az aks nodepool add --kubelet-config … --linux-os-config …`. */
  toAks(): ManagedSettings {
    const kubelet = this.kubelet(AKS_FIELDS);
    const sysctls = this.sysctls(AKS_SYSCTLS);
    const { transparentHugePages: pages } = this.props;
    const system = withoutEmptyMembers({
      ...(pages === undefined
        ? {}
        : {
            transparentHugePageEnabled: pages.enabled ?? 'madvise',
            transparentHugePageDefrag: pages.defrag ?? 'defer+madvise',
          }),
      sysctls: Object.fromEntries(sysctls.known.map(([name, value]) => [camelCase(name), Number(value)])),
    });
    const files = [
      ['linuxkubeletconfig.json', kubelet.value],
      ['linuxosconfig.json', system],
    ] as const;
    return {
      files: files
        .filter(([, value]) => Object.keys(value).length > 0)
        .map(([name, value]) => ({ name, text: `${JSON.stringify(value, undefined, 2)}\n` })),
      left: [...kubelet.left, ...sysctls.left],
    };
  }

  /** For the user data of Bottlerocket. */
  toBottlerocket(): ManagedSettings {
    const { stringify: tomlText } = createRequire(__filename)('smol-toml') as typeof Toml;
    const kubelet = this.kubelet(BOTTLEROCKET_FIELDS);
    const sysctls = this.sysctls();
    const value = {
      settings: withoutEmptyMembers({
        kubernetes: kubelet.value,
        kernel: withoutEmptyMembers({ sysctl: Object.fromEntries(sysctls.known) }),
      }),
    };
    return {
      files: [{ name: 'user-data.toml', text: `${tomlText(value).trimEnd()}\n` }],
      left: [...kubelet.left, ...this.pagesLeft()],
    };
  }

  /** For `talosctl patch machineconfig`: the kubelet's file unchanged, kernel parameters, and files of /sys. */
  toTalos(): ManagedSettings {
    const { transparentHugePages: pages, kubelet } = this.props;
    const folder = 'kernel.mm.transparent_hugepage';
    const machine = withoutEmptyMembers({
      kubelet: withoutEmptyMembers({ extraConfig: settingsOf(kubelet) }),
      sysctls: Object.fromEntries(this.sysctls().known),
      sysfs:
        pages === undefined
          ? {}
          : {
              [`${folder}.enabled`]: pages.enabled ?? 'madvise',
              [`${folder}.defrag`]: pages.defrag ?? 'defer+madvise',
            },
    });
    return { files: [{ name: 'machine-patch.yaml', text: yamlText({ machine }) }], left: [] };
  }

  private kubelet(fields: Fields): { readonly value: JsonObject; readonly left: readonly string[] } {
    const left: string[] = [];
    const value: JsonObject = {};
    for (const [field, stated] of Object.entries(settingsOf(this.props.kubelet))) {
      const rendered = fields[field]?.(stated);
      if (rendered === undefined) {
        left.push(field);
      }
      for (const [name, part] of Object.entries(rendered ?? {})) {
        const before = value[name];
        value[name] =
          typeof before === 'object' && !Array.isArray(before) && typeof part === 'object' && !Array.isArray(part)
            ? { ...before, ...part }
            : part;
      }
    }
    return { value, left };
  }

  /** @throws if a parameter is not one that may be set, or its value is beyond its bounds */
  private sysctls(names?: readonly TunableSysctl[]): {
    readonly known: readonly Sysctl[];
    readonly left: readonly string[];
  } {
    const stated = Object.entries(this.props.sysctls ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    const all = stated.map(([name, value]): Sysctl => [name, sysctlValue(name, value)]);
    const isKnown = ([name]: Sysctl): boolean => names === undefined || (names as readonly string[]).includes(name);
    return { known: all.filter(isKnown), left: all.filter((entry) => !isKnown(entry)).map(([name]) => name) };
  }

  private pagesLeft(): readonly string[] {
    return this.props.transparentHugePages === undefined ? [] : ['/sys/kernel/mm/transparent_hugepage'];
  }
}

/** Name and value, as the kernel takes it. */
type Sysctl = readonly [string, string];

/** The fields of the kubelet's file, without what says that it is one. */
function settingsOf(kubelet: KubeletDropIn | undefined): JsonObject {
  const all = kubelet?.toConfiguration() ?? {};
  return Object.fromEntries(Object.entries(all).filter(([field]) => field !== 'apiVersion' && field !== 'kind'));
}

/** `net.core.rmem_max` as `netCoreRmemMax`. */
function camelCase(name: string): string {
  return name.replace(/[._-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function withoutEmptyMembers(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).filter(
      ([, part]) => !(typeof part === 'object' && part !== null && Object.keys(part).length === 0),
    ),
  );
}

function yamlText(value: JsonObject): string {
  return stringify(value, { lineWidth: 0, version: '1.1', aliasDuplicateObjects: false });
}
