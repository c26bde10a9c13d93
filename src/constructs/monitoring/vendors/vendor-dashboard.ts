/**
 * The dashboard of the accelerators of a vendor other than NVIDIA: the same rows for each.
 */
import { type MeasuredVendor } from '../../../facts/catalog';
import { type DashboardModel, type Panel } from '../dashboard/panel';
import { TELEMETRY } from './telemetry';
import { publicFunction } from '../../../facts/calls/public-function';

/** The dashboard that goes with `vendorAlerts`. */
export const vendorDashboard = publicFunction('monitoring.vendorDashboard', (vendor: MeasuredVendor): DashboardModel =>
  dashboardOf(vendor),
);

function dashboardOf(vendor: MeasuredVendor): DashboardModel {
  const telemetry = TELEMETRY[vendor];
  const { id, device, devices, present, resources, title, use, memory, heat, watts, held } = telemetry;
  const chosen = `node=~"$node", ${id}=~"$device"`;
  const legend = `{{node}} ${device} {{${id}}}`;
  const stat = (name: string, expr: string, unit: Panel['unit']): Panel => ({
    title: name,
    kind: 'stat',
    width: 6,
    height: 4,
    unit,
    queries: [{ expr }],
  });
  const lines = (name: string, expr: string, more: Partial<Panel> = {}): Panel => ({
    title: name,
    kind: 'timeseries',
    queries: [{ expr, legend }],
    ...more,
  });
  const ratio = { unit: 'percentunit', min: 0, max: 1 } as const;
  const { used, total } = memory;
  // Metrics of the Neuron runtime have no core.
  const ofMemory = vendor === 'neuron' ? 'node=~"$node"' : chosen;
  return {
    title,
    uid: `gantry-${vendor}`,
    tags: [vendor, 'gantry'],
    description: `Use, memory, and faults of ${devices}.`,
    variables: [
      { name: 'node', label: 'Node', metric: present, of: 'node' },
      { name: 'device', label: device, metric: present, of: id, where: 'node=~"$node"' },
    ],
    rows: [
      {
        title: 'Overview',
        panels: [
          stat(devices, `count(${present}{${chosen}})`, 'none'),
          stat('Held by pods', held === undefined ? 'vector(0)' : `count(${held}) or vector(0)`, 'none'),
          stat('Busy', `avg(${use(chosen)})`, 'percentunit'),
          ...(watts === undefined ? [] : [stat('Power', `sum(${watts(chosen)})`, 'watt')]),
        ],
      },
      {
        title: 'Use',
        panels: [
          lines('Busy', use(chosen), ratio),
          lines('Memory in use', used(ofMemory), { unit: 'bytes', min: 0 }),
          ...(total === undefined
            ? []
            : [lines('Part of the memory in use', `${used(chosen)} / (${total(chosen)} > 0)`, ratio)]),
        ],
      },
      {
        title: 'Heat and power',
        panels: [
          ...(heat === undefined ? [] : [lines('Temperature', heat.celsius(chosen), { unit: 'celsius' })]),
          ...(watts === undefined ? [] : [lines('Power', watts(chosen), { unit: 'watt', min: 0 })]),
        ],
      },
      {
        title: 'Faults',
        panels: [
          ...telemetry.panels.map(({ title: name, expr, unit }) => ({
            title: name,
            kind: 'timeseries' as const,
            unit,
            min: 0,
            queries: [{ expr: expr(vendor === 'neuron' ? 'node=~"$node"' : chosen) }],
          })),
          {
            title: 'Devices offered and out of use',
            kind: 'timeseries',
            unit: 'none',
            queries: [
              {
                expr: `sum by (node, resource) (kube_node_status_allocatable{node=~"$node", resource=~"${resources}"})`,
                legend: '{{node}} {{resource}} offered',
              },
              {
                expr: `sum by (node, resource) (kube_node_status_capacity{node=~"$node", resource=~"${resources}"}) - sum by (node, resource) (kube_node_status_allocatable{node=~"$node", resource=~"${resources}"})`,
                legend: '{{node}} {{resource}} out of use',
              },
            ],
          },
        ],
      },
    ].filter(({ panels }) => panels.length > 0) as DashboardModel['rows'],
  };
}
