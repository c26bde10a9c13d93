/**
 * The driver: which version, which kernel modules, and how nodes move to the next one. ClusterPolicy and NVIDIADriver say the same in
 * fields that differ a little.
 */
import { optionalSecondsOf } from '../resources/durations';
import type { Duration } from 'cdk8s';
import { type NamedReference, nameOf } from '../resources/references';
import { type Operand } from './operand';

/** How the operator upgrades drivers. */
export interface UpgradeOptions {
  /** Nodes are moved to a new driver without a hand. @default true */
  readonly auto?: boolean;
  /** Nodes at the same time; 0 for any number. @default 1 */
  readonly maxParallel?: number;
  /** Nodes that may be away, a number or a percentage. @default 25% */
  readonly maxUnavailable?: number | `${number}%`;
  /** Jobs to wait for before a node is touched. @default - none are waited for */
  readonly waitFor?: {
    /** Label selector of their pods, `app=training`. */
    readonly podSelector: string;
    /** Time to wait for the pods. @default - as long as it takes */
    readonly timeout?: Duration;
  };
  /** How GPU pods of a node are taken away. @default - within 5 minutes, but for those without a controller or with emptyDir volumes */
  readonly podDeletion?: EvictionOptions;
  /** Drain the whole node, where taking GPU pods away is not enough. @default - not drained */
  readonly drain?: EvictionOptions & {
    /** Only pods of this selector. @default - all */
    readonly podSelector?: string;
  };
}

/** How pods are removed from a node before its driver is upgraded. */
export interface EvictionOptions {
  /** Whether pods without a controller are deleted as well; nothing recreates them. @default false */
  readonly force?: boolean;
  /** Pods with emptyDir volumes too, whose content is lost. @default false */
  readonly deleteEmptyDir?: boolean;
  /** Time to wait for the pods. @default 5 minutes */
  readonly timeout?: Duration;
}

/** What ClusterPolicy and NVIDIADriver have in common. */
export interface DriverOptions extends Operand {
  /** Which kernel modules are built. @default auto: open modules where the GPU takes them, from Turing on */
  readonly kernelModuleType?: 'auto' | 'open' | 'proprietary';
  /** Driver of the distribution's packages instead of one that is built on the node; not with GDS or GDRCopy. @default false */
  readonly usePrecompiled?: boolean;
  /** GPUDirect RDMA: `host` where the node brings its own OFED, `operator` where the network operator does. @default - off */
  readonly rdma?: 'host' | 'operator';
  /** How drivers are upgraded. @default - nodes are moved one after the other, without waiting for jobs */
  readonly upgrade?: UpgradeOptions;
  /** ConfigMap with package sources, for clusters without the internet. @default - the distribution's */
  readonly repoConfig?: NamedReference<'ConfigMap'>;
  /** ConfigMap with certificates of those sources. @default - none */
  readonly certConfig?: NamedReference<'ConfigMap'>;
  /** ConfigMap with parameters of the kernel modules. @default - none */
  readonly kernelModuleConfig?: NamedReference<'ConfigMap'>;
  /** Secret whose keys become variables of the driver container. @default - none */
  readonly secretEnv?: NamedReference<'Secret'>;
}

export interface RenderedUpgrade {
  readonly autoUpgrade: boolean;
  readonly maxParallelUpgrades?: number;
  readonly maxUnavailable?: number | string;
  readonly waitForCompletion?: { readonly podSelector: string; readonly timeoutSeconds?: number };
  readonly podDeletion?: RenderedEviction;
  readonly drain?: RenderedEviction & { readonly enable: boolean; readonly podSelector?: string };
}

interface RenderedEviction {
  readonly force?: boolean;
  readonly deleteEmptyDir?: boolean;
  readonly timeoutSeconds?: number;
}

export function renderUpgrade(options: UpgradeOptions): RenderedUpgrade {
  const { auto = true, maxParallel, maxUnavailable, waitFor, podDeletion, drain } = options;
  if (maxParallel !== undefined && (!Number.isInteger(maxParallel) || maxParallel < 0)) {
    throw new Error(`maxParallel must be a whole number greater than or equal to 0 (0: no limit), not ${maxParallel}.`);
  }
  return {
    autoUpgrade: auto,
    maxParallelUpgrades: maxParallel,
    maxUnavailable,
    waitForCompletion: waitFor && {
      podSelector: waitFor.podSelector,
      timeoutSeconds: optionalSecondsOf('waitFor.timeout', waitFor.timeout),
    },
    podDeletion: podDeletion && renderEviction(podDeletion),
    drain: drain && { enable: true, podSelector: drain.podSelector, ...renderEviction(drain) },
  };
}

function renderEviction({ force, deleteEmptyDir, timeout }: EvictionOptions): RenderedEviction {
  return { force, deleteEmptyDir, timeoutSeconds: optionalSecondsOf('timeout', timeout) };
}

/** `rdma` as both kinds have it. */
export function renderRdma(
  rdma: DriverOptions['rdma'],
): { readonly enabled: true; readonly useHostMofed: boolean } | undefined {
  return rdma && { enabled: true, useHostMofed: rdma === 'host' };
}

/** `{ name }`, where there is one. */
export function named(reference: NamedReference<'ConfigMap'> | undefined): { readonly name: string } | undefined {
  return reference === undefined ? undefined : { name: nameOf(reference) };
}
