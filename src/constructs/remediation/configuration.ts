/**
 * The settings of remediation as props, validated by the reader of its program before anything is written.
 */
import type { Duration } from 'cdk8s';
import {
  readRemediationSettings,
  type RemediationSettings,
  RemediationSettingsError,
} from '../../planning/remediation';
import { type JsonValue } from '../../facts/api/schema';
import { secondsOf } from '../resources/durations';

/**
 * What a rule reacts to: a node condition that is True; an alert that Alertmanager sends, for the node that its label `nodeLabel` (by default
 * `node`) names; or a report of the node agent that is below a bound.
 *
 * @beta
 */
export type RemediationCause =
  | { readonly condition: string }
  | { readonly alert: string; readonly labels?: Readonly<Record<string, string>>; readonly nodeLabel?: string }
  | { readonly report: { readonly devicesBelow?: number; readonly freeMemoryBelowMiB?: number } };

/**
 * What a rule does for a node.
 *
 * - `taint`: the taint `gantry.dev/unhealthy:NoSchedule`
 * - `cordon`: the node becomes unschedulable
 * - `evict`: each gang with a pod and a device on the node is evicted as a whole
 * - `move`: as `evict`, if the gang fits on healthy nodes
 * - `restart-device-plugin`: the device plugin's pods on the node are recreated
 * - `request-driver-upgrade`: the annotation by which the GPU operator upgrades the driver of the node
 * - `request-repair`: an annotation and the condition `GantryRepairRequested`, for a controller that repairs nodes
 *
 * @beta
 */
export type RemediationAction =
  | 'taint'
  | 'cordon'
  | 'evict'
  | 'move'
  | 'restart-device-plugin'
  | 'request-driver-upgrade'
  | 'request-repair';

/**
 * A rule of remediation: which cause, after how long, leads to which actions.
 *
 * @beta
 */
export interface RemediationRule {
  /** Name of the rule: lowercase letters, digits, and hyphens. */
  readonly name: string;
  /** What it reacts to. */
  readonly cause: RemediationCause;
  /** How long the cause must last without a break. @default - no time: it acts at once */
  readonly after?: Duration;
  /** What it does. */
  readonly actions: readonly RemediationAction[];
  /** Grace period of evicted pods. @default - that of each pod */
  readonly grace?: Duration;
}

/**
 * How many nodes may be unavailable. Nodes that are not ready, that are cordoned, or that remediation acts on count.
 *
 * @beta
 */
export interface RemediationBudget {
  /** Nodes of a pool in percent: rounded down, and at least one node. @default 10 */
  readonly maxUnavailablePercent?: number;
  /** Nodes of a rack. @default 1 */
  readonly maxPerRack?: number;
  /** Node label whose value is the pool. @default gantry.dev/node-profile */
  readonly poolLabel?: string;
  /** Node label whose value is the rack; nodes without it have none. @default topology.kubernetes.io/rack */
  readonly rackLabel?: string;
}

/**
 * What the configuration of remediation sets.
 *
 * @beta
 */
export interface RemediationConfiguration {
  /**
   * What is done about which cause, one entry for each rule.
   * @default - rules for the conditions of the node agent: missing accelerators taint and restart the device plugin after 5 minutes, an
   * unhealthy accelerator taints and evicts after 1, degraded RDMA taints and moves after 5, and stalls for memory taint after 10
   */
  readonly rules?: readonly RemediationRule[];
  /** How many nodes may be unavailable. @default - 10% of a pool and one node of a rack */
  readonly budget?: RemediationBudget;
  /**
   * How long a node must be without a cause until everything is undone. It doubles each time that remediation acted on the node within a day.
   * @default - 10 minutes
   */
  readonly healthyTime?: Duration;
  /** Where the device plugin runs. @default - NVIDIA's, as the GPU operator installs it */
  readonly devicePlugin?: {
    /** Namespace of the pods. @default gpu-operator */
    readonly namespace?: string;
    /** Labels of the pods. @default - `app: nvidia-device-plugin-daemonset` */
    readonly labels?: Readonly<Record<string, string>>;
  };
  /** Annotation by which a repair is requested. @default gantry.dev/repair-requested */
  readonly repairAnnotation?: string;
}

/** The settings as a file has them, and as the program reads them. */
export interface RenderedSettings {
  readonly value: object;
  readonly settings: RemediationSettings;
}

/** @throws where the program would refuse them, with every fault */
export function remediationSettings(where: string, props: RemediationConfiguration): RenderedSettings {
  const { rules, budget = {}, healthyTime, devicePlugin = {}, repairAnnotation } = props;
  const value = defined({
    rules: rules?.map(({ after, grace, ...rule }, index) =>
      defined({
        ...rule,
        afterSeconds: after && secondsOf(`rules[${index}].after`, after),
        graceSeconds: grace && secondsOf(`rules[${index}].grace`, grace),
      }),
    ),
    ...budget,
    healthySeconds: healthyTime && secondsOf('healthyTime', healthyTime),
    devicePluginNamespace: devicePlugin.namespace,
    devicePluginLabels: devicePlugin.labels,
    repairAnnotation,
  });
  try {
    return { value, settings: readRemediationSettings(JSON.parse(JSON.stringify(value)) as JsonValue) };
  } catch (error) {
    if (error instanceof RemediationSettingsError) {
      throw new Error(`${where}: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

function defined(members: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined));
}
