/**
 * Faults of nodes, links, and devices while a scenario runs: what they change, and what nodes and alerts say about them meanwhile.
 */
import { type ClusterNode, DEFAULT_DEVICE_RESOURCE, type Device } from '../../placement';
import { type ScenarioFault } from './scenario';

export class Faults {
  private readonly active = new Set<ScenarioFault>();
  /** Devices that a fault took, by fault and node. */
  private readonly taken = new Map<ScenarioFault, Map<string, readonly number[]>>();

  begin(fault: ScenarioFault): void {
    this.active.add(fault);
  }

  /** @returns whether it had not ended before */
  end(fault: ScenarioFault): boolean {
    return this.active.delete(fault);
  }

  of(node: string): readonly ScenarioFault[] {
    return [...this.active].filter(({ nodes }) => nodes.includes(node));
  }

  /** Types of the conditions that are True. */
  conditions(node: string): readonly string[] {
    return [...new Set(this.of(node).flatMap(({ condition }) => condition ?? []))];
  }

  /** Nodes with an active fault. */
  nodes(): ReadonlySet<string> {
    return new Set([...this.active].flatMap(({ nodes }) => nodes));
  }

  /** What is known to be wrong with the node: conditions that are True, and alerts that fire. */
  problems(node: string): readonly string[] {
    const alerts = this.of(node).flatMap(({ alert }) => (alert === undefined ? [] : [`alert ${alert}`]));
    return [...this.conditions(node), ...new Set(alerts)];
  }

  alerts(): readonly { readonly name: string; readonly labels: Readonly<Record<string, string>> }[] {
    return [...this.active].flatMap(({ alert, nodes }) =>
      alert === undefined ? [] : nodes.map((node) => ({ name: alert, labels: { node } })),
    );
  }

  /** Speed of a gang with pods on these nodes, as a part of its full speed. A gang on one node uses no link. */
  speed(nodes: ReadonlySet<string>): number {
    return nodes.size < 2
      ? 1
      : [...this.active].reduce(
          (least, fault) => (fault.nodes.some((node) => nodes.has(node)) ? Math.min(least, fault.speed ?? 1) : least),
          1,
        );
  }

  /** Breaks devices of the node, the last ones first. */
  breakDevices(
    fault: ScenarioFault,
    node: ClusterNode,
  ): Pick<ClusterNode, 'devices'> & { readonly broken: readonly number[] } {
    const devices = devicesOf(node);
    const broken = devices
      .flatMap(({ healthy }, index) => (healthy === false ? [] : [index]))
      .slice(-(fault.devices ?? 0));
    const ofFault = this.taken.get(fault) ?? new Map<string, readonly number[]>();
    this.taken.set(fault, ofFault.set(node.name, broken));
    return { devices: withHealth(devices, broken, false), broken };
  }

  repairDevices(fault: ScenarioFault, node: ClusterNode): Pick<ClusterNode, 'devices'> {
    return { devices: withHealth(devicesOf(node), this.taken.get(fault)?.get(node.name) ?? [], true) };
  }
}

export function devicesOf({
  devices,
  allocatable,
  deviceResource = DEFAULT_DEVICE_RESOURCE,
}: ClusterNode): readonly Device[] {
  return devices ?? Array.from({ length: allocatable[deviceResource] ?? 0 }, () => ({}));
}

export function healthyDevices(node: ClusterNode): number {
  return devicesOf(node).filter(({ healthy }) => healthy !== false).length;
}

function withHealth(devices: readonly Device[], indices: readonly number[], healthy: boolean): readonly Device[] {
  return devices.map((device, index) => (indices.includes(index) ? { ...device, healthy } : device));
}
