/**
 * Alerts on accelerators of other vendors than NVIDIA: the same set for each, from what its exporter says.
 */
import { Duration } from 'cdk8s';
import { type MeasuredVendor } from '../../../facts/catalog';
import { type AlertSetting } from '../gpu-alerts';
import { type Alert, type AlertSeverity, type RuleGroup } from '../rule-groups';
import { type Telemetry, TELEMETRY } from './telemetry';
import { requireKnown } from '../alerts/known-alerts';
import { publicFunction } from '../../../facts/calls/public-function';

/** Names of the alerts without the vendor: `Unhealthy` is `AmdUnhealthy` for AMD. */
const VENDOR_ALERTS = [
  'Unhealthy',
  'MemoryErrors',
  'Hot',
  'LinkDown',
  'Idle',
  'MemoryNearlyFull',
  'DevicesUnhealthy',
  'NodeWithoutMetrics',
  'ExporterAbsent',
  'PodsPending',
] as const;
/** An alert about the accelerators of a vendor. */
export type VendorAlertName = (typeof VENDOR_ALERTS)[number];

interface Recipe {
  readonly group: 'faults' | 'use' | 'devices';
  readonly severity: AlertSeverity;
  /** Minutes. */
  readonly for?: number;
  readonly threshold?: number;
  /** Only where it is asked for. */
  readonly optIn?: true;
  /** `undefined` where the exporter does not say it. */
  readonly expr: (telemetry: Telemetry, threshold: number) => string | undefined;
  readonly summary: (telemetry: Telemetry) => string;
  readonly description: string;
}

const place = ({ device, id }: Telemetry): string => `${device} {{ $labels.${id} }} of {{ $labels.node }}`;
const capacity = ({ resources }: Telemetry): string => `kube_node_status_capacity{resource=~"${resources}"}`;
const allocatable = ({ resources }: Telemetry): string => `kube_node_status_allocatable{resource=~"${resources}"}`;

const RECIPES: Readonly<Record<VendorAlertName, Recipe>> = {
  Unhealthy: {
    group: 'faults',
    severity: 'critical',
    for: 5,
    expr: ({ unhealthy }) => unhealthy,
    summary: (telemetry) => `${place(telemetry)} is unhealthy`,
    description: 'The exporter reports the device as unhealthy. Drain the node, then reset or replace the device.',
  },
  MemoryErrors: {
    group: 'faults',
    severity: 'critical',
    expr: ({ memoryErrors }) => memoryErrors,
    summary: (telemetry) => `${place(telemetry)} has memory errors that cannot be corrected`,
    description: 'Results of what ran there are not reliable. Drain the node and reset the device.',
  },
  Hot: {
    group: 'faults',
    severity: 'warning',
    for: 5,
    threshold: 0,
    expr: ({ heat }, threshold) => {
      if (heat === undefined) {
        return undefined;
      }
      const celsius = heat.celsius('').replace('{}', '');
      return heat.limit === undefined
        ? `${celsius} > ${(heat.degrees ?? 0) - threshold}`
        : `${celsius} > (${heat.limit} - ${threshold})`;
    },
    summary: (telemetry) => `${place(telemetry)} is hot: {{ $value }} °C`,
    description: 'The device lowers its clock soon, or does so already. Look at fans and air flow of the node.',
  },
  LinkDown: {
    group: 'faults',
    severity: 'warning',
    for: 10,
    expr: ({ linkDown }) => linkDown,
    summary: (telemetry) => `A link of ${place(telemetry)} is down`,
    description: 'Collectives over several nodes fail or are slow. Look at the cable and the switch.',
  },
  Idle: {
    group: 'use',
    severity: 'info',
    for: 60,
    threshold: 0.05,
    expr: ({ held, use, id }, threshold) =>
      held === undefined
        ? undefined
        : `(avg_over_time((${use('').replace('{}', '')})[1h:1m]) < ${threshold}) and on (node, ${id}) (${held})`,
    summary: (telemetry) => `${place(telemetry)} is held by a pod and idle`,
    description: 'Less than the threshold of the last hour was used. Ask the owner of the pod.',
  },
  MemoryNearlyFull: {
    group: 'use',
    severity: 'info',
    for: 15,
    threshold: 0.95,
    optIn: true,
    expr: ({ memory }, threshold) =>
      memory.total === undefined
        ? undefined
        : `${memory.used('').replace('{}', '')} / (${memory.total('').replace('{}', '')} > 0) > ${threshold}`,
    summary: (telemetry) => `${place(telemetry)} has little memory left`,
    description: 'Inference servers take most of the memory by design; elsewhere the next allocation may fail.',
  },
  DevicesUnhealthy: {
    group: 'devices',
    severity: 'warning',
    for: 10,
    expr: (telemetry) =>
      `sum by (node, resource) (${capacity(telemetry)}) - sum by (node, resource) (${allocatable(telemetry)}) > 0`,
    summary: () => '{{ $labels.node }} has taken {{ $value }} of {{ $labels.resource }} out of use',
    description: 'The device plugin reports devices as unhealthy: capacity stays, allocatable falls.',
  },
  NodeWithoutMetrics: {
    group: 'devices',
    severity: 'warning',
    for: 15,
    expr: (telemetry) =>
      `(sum by (node) (${capacity(telemetry)}) > 0) unless on (node) count by (node) (${telemetry.present})`,
    summary: ({ devices }) => `No metrics of the ${devices} of {{ $labels.node }}`,
    description: 'All alerts on devices are blind for this node. Look at the pod of the exporter there.',
  },
  ExporterAbsent: {
    group: 'devices',
    severity: 'warning',
    for: 15,
    // Quiet where kube-state-metrics is at work and knows of no such device: a cluster may scale to none.
    expr: (telemetry) =>
      `absent(${telemetry.present}) unless on () ` +
      `(count(kube_node_status_capacity{resource="cpu"}) unless on () count(${capacity(telemetry)}))`,
    summary: ({ devices }) => `No metrics of any ${devices}`,
    description: 'The exporter does not run, or nothing scrapes it.',
  },
  PodsPending: {
    group: 'devices',
    severity: 'info',
    for: 30,
    threshold: 0,
    expr: ({ resources }, threshold) =>
      `count by (namespace) ((kube_pod_status_phase{phase="Pending"} == 1) and on (namespace, pod) ` +
      `(kube_pod_container_resource_requests{resource=~"${resources}"} > 0)) > ${threshold}`,
    summary: ({ devices }) => `{{ $value }} pods of {{ $labels.namespace }} wait for ${devices}`,
    description: 'Gangs wait as a whole. Look at the queue first, then at the events of the pods.',
  },
};

/** Options of the alerts about the accelerators of a vendor. */
export interface VendorAlertsOptions {
  /**
   * Alerts that differ: `false` leaves one out, `true` adds one that is only there on demand (`MemoryNearlyFull`).
   * @default - all but MemoryNearlyFull
   */
  readonly alerts?: Readonly<Partial<Record<VendorAlertName, AlertSetting | boolean>>>;
  /** Labels of all alerts, for routing. @default - none */
  readonly alertLabels?: Readonly<Record<string, string>>;
  /** Address of the folder that holds docs/accelerator-monitoring.md, or of a copy of yours. @default - the page is named without an address */
  readonly runbooks?: string;
}
/** The alerts on the accelerators of a vendor, in groups. Alerts on metrics that the exporter does not have are left out. */
export const vendorAlerts = publicFunction(
  'monitoring.vendorAlerts',
  (vendor: MeasuredVendor, options: VendorAlertsOptions = {}): readonly RuleGroup[] => {
    const telemetry = TELEMETRY[vendor];
    requireKnown('alerts', Object.keys(options.alerts ?? {}), VENDOR_ALERTS);
    return (['faults', 'use', 'devices'] as const).flatMap((group): readonly RuleGroup[] => {
      const rules = VENDOR_ALERTS.filter((name) => RECIPES[name].group === group).flatMap((name) =>
        rendered(name, telemetry, options),
      );
      return rules.length === 0 ? [] : [{ name: `${vendor}-${group}`, rules }];
    });
  },
);

function rendered(name: VendorAlertName, telemetry: Telemetry, options: VendorAlertsOptions): readonly Alert[] {
  const recipe = RECIPES[name];
  const setting = options.alerts?.[name];
  const own: AlertSetting = typeof setting === 'object' ? setting : {};
  if (own.threshold !== undefined && recipe.threshold === undefined) {
    throw new Error(`alerts.${name}.threshold: ${name} has no threshold. Remove it.`);
  }
  const expr = recipe.expr(telemetry, own.threshold ?? recipe.threshold ?? 0);
  if (expr === undefined || setting === false || (recipe.optIn === true && setting === undefined)) {
    return [];
  }
  const wait = own.for ?? (recipe.for === undefined ? undefined : Duration.minutes(recipe.for));
  const page = `accelerator-monitoring.md#${name.toLowerCase()}`;
  return [
    {
      alert: `${telemetry.prefix}${name}`,
      expr,
      ...(wait === undefined ? {} : { for: wait }),
      severity: own.severity ?? recipe.severity,
      summary: recipe.summary(telemetry),
      description: recipe.description,
      ...(options.runbooks === undefined
        ? { annotations: { runbook: `cdk8s-gantry, docs/${page}` } }
        : { runbook: `${options.runbooks.replace(/\/$/, '')}/${page}` }),
      ...(options.alertLabels === undefined ? {} : { labels: options.alertLabels }),
    },
  ];
}

/** What a table of the alerts shows: severity, minutes, threshold, and the vendors that have them. */
export function describeVendorAlerts(): readonly {
  readonly name: VendorAlertName;
  readonly severity: AlertSeverity;
  readonly minutes: number | undefined;
  readonly threshold: number | undefined;
  readonly optIn: boolean;
  readonly vendors: readonly MeasuredVendor[];
}[] {
  const vendors = Object.keys(TELEMETRY) as MeasuredVendor[];
  return VENDOR_ALERTS.map((name) => {
    const { severity, for: minutes, threshold, optIn, expr } = RECIPES[name];
    return {
      name,
      severity,
      minutes,
      threshold,
      optIn: optIn === true,
      vendors: vendors.filter((vendor) => expr(TELEMETRY[vendor], threshold ?? 0) !== undefined),
    };
  });
}
