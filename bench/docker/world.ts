/**
 * A host of 8 devices, and tasks for it.
 */
import { type Inventory } from '../../src/runtime/docker/devices/inventory';
import { DEFAULT_RETRY_ON } from '../../src/runtime/docker/task/failure';
import { type TaskSpec } from '../../src/runtime/docker/task/task';

export const DEVICES = 8;

export const HOST: Inventory = {
  name: 'bench',
  devices: Array.from({ length: DEVICES }, (_, index) => ({
    id: `gpu-${index}`,
    cdi: `nvidia.com/gpu=${index}`,
    model: 'H100',
    memoryMiB: 81_920,
    numa: index >> 2,
    island: 'a',
  })),
  cpus: Array.from({ length: 64 }, (_, id) => ({ id, numa: id >> 5 })),
  memoryBytes: 2 ** 40,
};

export function specOf(gpus: number, changes: Partial<TaskSpec> = {}): TaskSpec {
  return {
    tenant: 'default',
    priority: 'normal',
    image: 'image',
    command: ['train'],
    env: [],
    volumes: [],
    devices: { kind: 'whole', count: gpus },
    replicas: 1,
    retries: 0,
    retryOn: DEFAULT_RETRY_ON,
    after: [],
    preemptible: false,
    graceSeconds: 10,
    readOnly: false,
    ...changes,
  };
}

export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export function rounded(number: number, digits = 1): number {
  return Number(number.toFixed(digits));
}
