/**
 * From indices of devices, which the placement core chooses, to what a container is given: devices by their stable names, MIG instances, and CPUs
 * and memory nodes next to the devices.
 */
import { type Inventory } from '../devices/inventory';
import { type DeviceRequest, type Placement, type Task } from '../task/task';

/** What is free of what the core counts but does not name. Tasks that are placed take from it. */
export class Places {
  private readonly freeCpus: Map<number, number>;
  private readonly usedMig = new Set<string>();

  constructor(
    private readonly inventory: Inventory,
    active: readonly Task[],
  ) {
    this.freeCpus = new Map(inventory.cpus.map(({ id, numa }) => [id, numa]));
    for (const { members } of active) {
      for (const { state, cpus, mig } of members) {
        if (state !== 'exited') {
          cpus.forEach((id) => this.freeCpus.delete(id));
          mig.forEach((id) => this.usedMig.add(id));
        }
      }
    }
  }

  /** `undefined` if what the core counted on is not there. */
  take(
    { devices: request, cpus }: Pick<Task['spec'], 'devices' | 'cpus'>,
    devices: readonly number[],
  ): Placement | undefined {
    const mig = this.takeMig(request, devices);
    const near = [...new Set(devices.flatMap((index) => this.inventory.devices[index]?.numa ?? []))].sort();
    const chosen = this.takeCpus(cpus, near);
    if (mig === undefined || chosen === undefined) {
      return undefined;
    }
    const isDivided = new Set(this.inventory.cpus.map(({ numa }) => numa)).size > 1;
    return {
      devices,
      deviceIds: [...new Set(devices)].map((index) => this.inventory.devices[index].id),
      mig,
      cpus: chosen.ids,
      memoryNodes: isDivided ? chosen.nodes : [],
    };
  }

  private takeMig(request: DeviceRequest, devices: readonly number[]): readonly string[] | undefined {
    if (request.kind !== 'mig') {
      return [];
    }
    const taken: string[] = [];
    for (const index of devices) {
      const free = this.inventory.devices[index]?.mig?.find(
        ({ id, profile }) => profile === request.profile && !this.usedMig.has(id),
      );
      if (free === undefined) {
        taken.forEach((id) => this.usedMig.delete(id));
        return undefined;
      }
      this.usedMig.add(free.id);
      taken.push(free.id);
    }
    return taken;
  }

  /** CPUs of the memory nodes next to the devices first, then of the node with the most free ones. A limit that is not a whole number gets none. */
  private takeCpus(cpus: number | undefined, near: readonly number[]): { ids: number[]; nodes: number[] } | undefined {
    if (cpus === undefined || !Number.isInteger(cpus)) {
      return { ids: [], nodes: [] };
    }
    const free = new Map<number, number[]>();
    this.freeCpus.forEach((numa, id) => free.set(numa, [...(free.get(numa) ?? []), id]));
    const order = [...free.keys()].sort(
      (a, b) => rank(near, a) - rank(near, b) || free.get(b)!.length - free.get(a)!.length || a - b,
    );
    // Among nodes that are as near, one that has enough comes first, so that a task is not split for nothing.
    const whole = order.find((node) => rank(near, node) === rank(near, order[0]) && free.get(node)!.length >= cpus);
    const nodes = whole === undefined ? order : [whole, ...order.filter((node) => node !== whole)];
    const ids = nodes.flatMap((node) => free.get(node)!.sort((a, b) => a - b)).slice(0, cpus);
    if (ids.length < cpus) {
      return undefined;
    }
    const used = [...new Set(ids.map((id) => this.freeCpus.get(id)!))].sort((a, b) => a - b);
    ids.forEach((id) => this.freeCpus.delete(id));
    return { ids: ids.sort((a, b) => a - b), nodes: used };
  }
}

function rank(near: readonly number[], node: number): number {
  return near.length === 0 || near.includes(node) ? 0 : 1;
}
