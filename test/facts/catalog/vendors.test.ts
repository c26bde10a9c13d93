/**
 * Every vendor has everything that a platform needs of it: a vendor that lacks a part fails in its own row.
 */
import { Testing as Cdk8sTesting } from 'cdk8s';
import {
  ACCELERATOR_EXPORTERS,
  ACCELERATORS,
  type AcceleratorVendor,
  DCGM_METRICS,
  findNodeLabel,
  findResource,
  type MeasuredVendor,
  vendorOfResource,
  VENDORS,
} from '../../../src/facts/catalog';
import { DeviceConfig } from '../../../src/constructs/amd-gpu';
import { AscendDevicePlugin, volcanoNpu } from '../../../src/constructs/ascend';
import { chartFacts } from '../../../src/constructs/charts';
import { GaudiDevicePlugin } from '../../../src/constructs/gaudi';
import { GpuOperator } from '../../../src/constructs/gpu-operator';
import { gpuAlerts, gpuDashboard, vendorAlerts, vendorDashboard } from '../../../src/constructs/monitoring';
import { NeuronDevicePlugin } from '../../../src/constructs/neuron';
import { GpuPlatform } from '../../../src/constructs/platform';
import { Accelerator } from '../../../src/constructs/pods';
import { allRules } from '../../../src/interfaces/checks';

interface Row {
  /** The key of its exporter; NVIDIA's counters are DCGM's. */
  readonly exporter: MeasuredVendor | 'dcgm';
  /** Charts and constructs that install drivers, device plugin, and what schedules the devices. Empty where the cloud does. */
  readonly charts: readonly string[];
  readonly constructs: readonly unknown[];
  /** What the ids of the rules about pods and nodes of the vendor begin with. */
  readonly rules: readonly string[];
  /** What a pod requests. */
  readonly accelerator: () => Accelerator;
  /** A pool of the vendor. */
  readonly pool: { readonly accelerator: string; readonly devices: number; readonly topology?: string };
}

/** No source states the NUMA nodes: Atlas servers come with several CPUs, and the Neuron documentation gives none. */
const WITHOUT_NUMA: ReadonlySet<AcceleratorVendor> = new Set(['huawei', 'aws']);

const ROWS: Readonly<Record<AcceleratorVendor, Row>> = {
  nvidia: {
    exporter: 'dcgm',
    charts: ['gpu-operator'],
    constructs: [GpuOperator],
    rules: ['gpu-operator/'],
    accelerator: () => Accelerator.nvidia({ count: 8 }),
    pool: { accelerator: 'H100-SXM-80GB', devices: 8 },
  },
  amd: {
    exporter: 'amd',
    charts: ['gpu-operator-charts'],
    constructs: [DeviceConfig],
    rules: ['amd-gpu/'],
    accelerator: () => Accelerator.amd({ count: 8 }),
    pool: { accelerator: 'MI300X', devices: 8 },
  },
  intel: {
    exporter: 'gaudi',
    charts: ['habana-ai-operator'],
    constructs: [GaudiDevicePlugin],
    rules: ['gaudi/'],
    accelerator: () => Accelerator.gaudi({ count: 8, hugepages: '95000Mi' }),
    pool: { accelerator: 'Gaudi3', devices: 8 },
  },
  huawei: {
    exporter: 'ascend',
    charts: ['volcano'],
    constructs: [AscendDevicePlugin, volcanoNpu],
    rules: ['ascend/'],
    accelerator: () => Accelerator.ascend({ count: 8 }),
    pool: { accelerator: '910B3', devices: 8 },
  },
  aws: {
    exporter: 'neuron',
    charts: ['neuron-helm-chart'],
    constructs: [NeuronDevicePlugin],
    rules: ['neuron/'],
    accelerator: () => Accelerator.neuron({ count: 16 }),
    pool: { accelerator: 'Trainium2', devices: 16 },
  },
  google: {
    exporter: 'tpu',
    charts: [],
    constructs: [],
    rules: ['devices/tpu-'],
    accelerator: () => Accelerator.tpu({ count: 4, accelerator: 'TPU-v6e', topology: '4x4' }),
    pool: { accelerator: 'TPU-v6e', devices: 4, topology: '4x4' },
  },
};

test('the table has every vendor of the catalog', () => {
  expect(Object.keys(ROWS).sort()).toEqual(Object.keys(VENDORS).sort());
  expect([...new Set(ACCELERATORS.map(({ vendor }) => vendor))].sort()).toEqual(Object.keys(ROWS).sort());
});

describe.each(Object.entries(ROWS) as [AcceleratorVendor, Row][])('%s', (vendor, row) => {
  const own = ACCELERATORS.filter((accelerator) => accelerator.vendor === vendor);
  const facts = VENDORS[vendor];

  test('memory, fabric, and node of each accelerator', () => {
    for (const { name, memoryGB, fabric, host } of own) {
      expect([name, memoryGB > 0, fabric.island >= 1]).toEqual([name, true, true]);
      expect([name, (host?.devices ?? 1) >= 1]).toEqual([name, true]);
    }
    expect([vendor, own.some(({ host }) => host?.numaNodes !== undefined)]).toEqual([
      vendor,
      !WITHOUT_NUMA.has(vendor),
    ]);
  });

  test('resource names, labels, taint, and environment', () => {
    for (const resource of facts.resources) {
      expect([resource, findResource(resource) !== undefined, vendorOfResource(resource)]).toEqual([
        resource,
        true,
        vendor,
      ]);
    }
    expect(own.filter(({ resource }) => !facts.resources.includes(resource))).toEqual([]);
    const labels = [...own.map(({ productLabelKey }) => productLabelKey), facts.presentLabel?.key].filter(
      (key) => key !== undefined,
    );
    expect(labels.length).toBeGreaterThan(0);
    expect(labels.filter((key) => findNodeLabel(key) === undefined)).toEqual([]);
    expect(facts.environment.length).toBeGreaterThan(0);
    expect(facts.taint).not.toBe('');
  });

  test('a pod requests the resource, tolerates the taint, and says how many it has', () => {
    const accelerator = row.accelerator();
    const { limits = {}, tolerations } = accelerator.toPod({ shared: [] } as never);
    expect(Object.keys(limits)).toContain(accelerator.resource);
    expect(facts.resources).toContain(accelerator.resource);
    expect(tolerations).toEqual(expect.arrayContaining([expect.objectContaining({ key: facts.taint })]));
  });

  test('what installs it, with rules', () => {
    expect(row.charts.filter((name) => chartFacts(name) === undefined)).toEqual([]);
    expect(row.constructs.filter((made) => made === undefined)).toEqual([]);
    expect(row.charts.length + row.constructs.length > 0).toBe(vendor !== 'google');
    for (const prefix of row.rules) {
      expect(allRules().filter(({ id }) => id.startsWith(prefix)).length).toBeGreaterThan(1);
    }
  });

  test('exporter, alerts, and dashboard', () => {
    const { exporter } = row;
    const metrics = exporter === 'dcgm' ? Object.keys(DCGM_METRICS) : ACCELERATOR_EXPORTERS[exporter].metrics;
    expect(metrics.length).toBeGreaterThan(5);
    expect(facts.exporter).not.toMatch(/^none/);
    const groups = exporter === 'dcgm' ? gpuAlerts() : vendorAlerts(exporter);
    expect(groups.flatMap(({ rules }) => rules).length).toBeGreaterThan(4);
    const { rows } = exporter === 'dcgm' ? gpuDashboard() : vendorDashboard(exporter);
    expect(rows.length).toBeGreaterThan(2);
  });

  test('a pool of a platform', () => {
    const platform = new GpuPlatform(Cdk8sTesting.app(), 'platform', {
      pools: { own: { nodes: 2, cpu: 160, memory: '1Ti', ...row.pool } },
      teams: { research: { deserved: { own: 1 } } },
    });
    expect(platform.pools.own.facts.vendor).toBe(vendor);
    expect(platform.teams.research.wholeNode('own').accelerators.count).toBe(row.pool.devices);
    expect(platform.pools.own.profile.operatorTolerations).toEqual(
      expect.arrayContaining([expect.objectContaining({ key: facts.taint })]),
    );
  });
});
