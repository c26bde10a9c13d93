/**
 * What the agent measures, in Prometheus' form. Names begin with `gantry_node_`; those about the agent itself with `gantry_agent_`.
 *
 * Everything about the node is set again from the latest observation: a pod, a port, or a device that is gone leaves no series behind.
 */
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { type Pressures } from './host/pressure';
import { type Condition } from './judge/conditions';
import { type ThrottledPod } from './judge/throttling-watch';
import { type Observation } from './observation';

/** Part of a minute from which the stall of a pod is worth a series. */
const LEAST_STALL = 0.01;

interface Seen {
  readonly observation: Observation;
  readonly conditions: readonly Condition[];
  readonly throttled: readonly ThrottledPod[];
}

export class Metrics {
  readonly registry = new Registry();
  /** Not in the registry yet. */
  private seen: Seen | undefined;
  private readonly own = { registers: [this.registry] };

  private readonly condition = this.gauge('condition', '1 for the status that the condition has', ['type', 'status']);
  private readonly pressure = this.gauge(
    'pressure_ratio',
    'Part of the last minute in which some or all tasks waited for the resource',
    ['resource', 'kind'],
  );
  private readonly throttled = this.gauge(
    'pod_cpu_throttled_ratio',
    'Part of the CPU periods since the last observation in which the most throttled container of the pod was throttled',
    ['namespace', 'pod'],
  );
  private readonly oomKills = this.gauge('pod_oom_kills', 'Processes of the pod that the out-of-memory killer ended', [
    'namespace',
    'pod',
  ]);
  private readonly rdmaUp = this.gauge('rdma_port_active', '1 if the link of the port is active', ['device', 'port']);
  private readonly rdma = this.gauge('rdma_counter', 'Counters of the port since its driver was loaded', [
    'device',
    'port',
    'counter',
  ]);
  private readonly rdmaRate = this.gauge('rdma_port_rate_gbps', 'Rate of the port in gigabits per second', [
    'device',
    'port',
    'link_layer',
  ]);
  private readonly memory = this.gauge('accelerator_free_memory_bytes', 'Free memory of the device', ['index']);
  private readonly utilization = this.gauge('accelerator_utilization_ratio', 'Utilization of the device', ['index']);
  private readonly healthy = this.gauge('accelerator_healthy', '0 if the device reports a fault', ['index']);
  private readonly throttledDevices = this.gauge('accelerator_throttled', '1 for each reason why the clocks are low', [
    'index',
    'reason',
  ]);
  private readonly links = this.gauge('accelerator_active_nvlinks', 'NVLinks of the device that are active', ['index']);
  private readonly hugepages = this.gauge('hugepages', 'Huge pages by size in KiB; numa_node is empty for the host', [
    'size',
    'numa_node',
    'state',
  ]);
  private readonly podPressure = this.gauge(
    'pod_pressure_ratio',
    'Part of the last minute in which some or all tasks of the pod waited for the resource, above 1%',
    ['namespace', 'pod', 'resource', 'kind'],
  );
  private readonly allocatable = this.gauge('allocatable_devices', 'Devices that the kubelet offers', ['resource']);
  private readonly plugins = this.gauge(
    'device_plugin_sockets',
    'Sockets of device plugins, by whether a program listens on them',
    ['state'],
  );
  private readonly registration = this.gauge(
    'kubelet_takes_registrations',
    '1 if the kubelet listens on the socket for device plugins',
    [],
  );
  private readonly onBus = this.gauge('pci_accelerators', 'Accelerators on the PCI bus', ['vendor']);

  readonly sourceFailures = new Counter({
    ...this.own,
    name: 'gantry_agent_source_failures_total',
    help: 'Reads of a source that failed',
    labelNames: ['source'],
  });
  readonly patches = new Counter({
    ...this.own,
    name: 'gantry_agent_patches_total',
    help: 'Writes to the Node by outcome',
    labelNames: ['outcome'],
  });

  constructor() {
    // The default of 10 ms wakes an idle process up 100 times a second.
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: 1000 });
  }

  /** Keeps the latest observation: series are made of it only where the page is asked for. */
  see(observation: Observation, conditions: readonly Condition[], throttled: readonly ThrottledPod[]): void {
    observation.failures.forEach(({ source }) => this.sourceFailures.inc({ source }));
    this.seen = { observation, conditions, throttled };
  }

  async page(): Promise<{ readonly type: string; readonly text: string }> {
    const { seen } = this;
    this.seen = undefined;
    if (seen !== undefined) {
      this.show(seen);
    }
    return { type: this.registry.contentType, text: await this.registry.metrics() };
  }

  private show({ observation, conditions, throttled }: Seen): void {
    this.condition.reset();
    conditions.forEach(({ type, status }) => this.condition.set({ type, status }, 1));
    this.showHost(observation);
    this.showPods(observation, throttled);
    this.showDevices(observation);
  }

  private showHost({ pressure = {}, rdma = [], pci, hugepages = [] }: Observation): void {
    this.pressure.reset();
    stalls(pressure).forEach(({ resource, kind, ratio }) => this.pressure.set({ resource, kind }, ratio));
    this.hugepages.reset();
    for (const { sizeKiB, numaNode = '', total, free } of hugepages) {
      this.hugepages.set({ size: sizeKiB, numa_node: numaNode, state: 'free' }, free);
      this.hugepages.set({ size: sizeKiB, numa_node: numaNode, state: 'used' }, total - free);
    }
    this.rdmaUp.reset();
    this.rdmaRate.reset();
    this.rdma.reset();
    for (const { device, port, state, linkLayer, gigabitsPerSecond, counters } of rdma) {
      if (gigabitsPerSecond !== undefined) {
        this.rdmaRate.set({ device, port, link_layer: linkLayer }, gigabitsPerSecond);
      }
      this.rdmaUp.set({ device, port }, state === 'ACTIVE' ? 1 : 0);
      Object.entries(counters).forEach(([counter, value]) => this.rdma.set({ device, port, counter }, value));
    }
    this.onBus.reset();
    pci?.accelerators.forEach(({ vendor }) => this.onBus.inc({ vendor }));
  }

  private showPods({ cgroups, podNames }: Observation, throttled: readonly ThrottledPod[]): void {
    const labelsOf = (uid: string): { namespace: string; pod: string } => {
      const { namespace = '', name = uid } = podNames?.get(uid) ?? {};
      return { namespace, pod: name };
    };
    this.throttled.reset();
    throttled.forEach(({ uid, ratio }) => this.throttled.set(labelsOf(uid), ratio));
    this.oomKills.reset();
    cgroups?.pods.forEach(({ uid, memory }) => this.oomKills.set(labelsOf(uid), memory.oomKills));
    this.podPressure.reset();
    for (const { uid, pressure } of cgroups?.pods ?? []) {
      for (const { resource, kind, ratio } of stalls(pressure)) {
        // A series for each pod that never waits would be most of the page.
        if (ratio >= LEAST_STALL) {
          this.podPressure.set({ ...labelsOf(uid), resource, kind }, ratio);
        }
      }
    }
  }

  private showDevices({ accelerators = [], nvidia, kubelet, plugins }: Observation): void {
    this.plugins.reset();
    this.registration.reset();
    if (plugins !== undefined) {
      const answering = plugins.sockets.filter(({ answers }) => answers).length;
      this.plugins.set({ state: 'listening' }, answering);
      this.plugins.set({ state: 'refusing' }, plugins.sockets.length - answering);
      this.registration.set(plugins.kubeletAnswers ? 1 : 0);
    }
    [this.memory, this.utilization, this.healthy, this.allocatable].forEach((gauge) => gauge.reset());
    this.throttledDevices.reset();
    this.links.reset();
    for (const { state, activeLinks } of nvidia?.gpus ?? []) {
      if (activeLinks !== undefined) {
        this.links.set({ index: state.index }, activeLinks);
      }
    }
    for (const { index, totalMiB, usedMiB, utilization, throttled = [], fault } of accelerators) {
      throttled.forEach((reason) => this.throttledDevices.set({ index, reason }, 1));
      if (totalMiB !== undefined && usedMiB !== undefined) {
        this.memory.set({ index }, Math.max(0, totalMiB - usedMiB) * 2 ** 20);
      }
      if (utilization !== undefined) {
        this.utilization.set({ index }, utilization);
      }
      this.healthy.set({ index }, fault === undefined ? 1 : 0);
    }
    kubelet?.allocatable.forEach(({ resource }) => this.allocatable.inc({ resource }));
  }

  private gauge<T extends string>(name: string, help: string, labelNames: readonly T[]): Gauge<T> {
    return new Gauge({ ...this.own, name: `gantry_node_${name}`, help, labelNames: [...labelNames] });
  }
}

interface Stalled {
  readonly resource: string;
  readonly kind: 'some' | 'full';
  /** Part of the last minute. */
  readonly ratio: number;
}

function stalls(pressures: Pressures): readonly Stalled[] {
  return Object.entries(pressures).flatMap(([resource, { some, full }]): readonly Stalled[] => [
    { resource, kind: 'some', ratio: some.avg60 },
    ...(full === undefined ? [] : [{ resource, kind: 'full', ratio: full.avg60 } as const]),
  ]);
}
