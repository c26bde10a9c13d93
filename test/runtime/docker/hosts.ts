/**
 * A host with four devices, and questions about it, for tests.
 */
import { type HostDevice, type Inventory } from '../../../src/runtime/docker/devices/inventory';
import { Scheduling, type Start } from '../../../src/runtime/docker/scheduling/scheduling';
import { type World } from '../../../src/runtime/docker/scheduling/question';
import { next } from '../../../src/runtime/docker/task/life';
import { type DeviceRequest, type Task, type TaskSpec } from '../../../src/runtime/docker/task/task';
import { queued } from './tasks';

export const gpus = (count: number): DeviceRequest => ({ kind: 'whole', count });

export function host(devices: readonly HostDevice[]): Inventory {
  const cpus = Array.from({ length: 16 }, (_, id) => ({ id, numa: id < 8 ? 0 : 1 }));
  return { name: 'box', devices, cpus, memoryBytes: 64 * 2 ** 30 };
}

export const FOUR = host(
  [0, 1, 2, 3].map((index) => ({
    id: `gpu-${index}`,
    numa: index < 2 ? 0 : 1,
    memoryMiB: 81_920,
    model: index === 3 ? 'L40S' : 'H100',
  })),
);

export function world(waiting: readonly Task[], changes: Partial<World> = {}): World {
  return {
    now: 1_000_000,
    inventory: FOUR,
    reserved: { cpus: 0, memoryBytes: 0 },
    tenants: [{ name: 'default', weight: 1 }],
    priorities: new Map([
      ['low', -100],
      ['normal', 0],
      ['high', 100],
    ]),
    active: [],
    waiting,
    foreign: new Set(),
    outOfService: new Set(),
    ...changes,
  };
}

/** The tasks after they were placed at `at` and started. */
export function running(tasks: readonly Task[], at = 900_000): Task[] {
  return new Scheduling().decide(world(tasks)).starts.map((start) => startedAt(start, at));
}

/** A task whose containers were started. */
export function startedAt({ task, placements }: Start, at: number): Task {
  return [
    { kind: 'place', at, placements } as const,
    ...placements.flatMap((_, member) => [
      { kind: 'created', member, container: `${task.id}-${member}` } as const,
      { kind: 'started', member, at } as const,
    ]),
  ].reduce<Task>(next, task);
}

export const ask = (id: number, count: number, changes: Partial<TaskSpec> = {}): Task =>
  queued(id, { devices: gpus(count), ...changes });
