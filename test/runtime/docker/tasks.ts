/**
 * Tasks for tests.
 */
import { DEFAULT_RETRY_ON } from '../../../src/runtime/docker/task/failure';
import { type Placement, type Task, type TaskSpec } from '../../../src/runtime/docker/task/task';

export const PLACE: Placement = { devices: [0], deviceIds: ['gpu-0'], mig: [], cpus: [], memoryNodes: [] };

export function spec(changes: Partial<TaskSpec> = {}): TaskSpec {
  return {
    tenant: 'default',
    priority: 'normal',
    image: 'image',
    command: [],
    env: [],
    volumes: [],
    devices: { kind: 'none' },
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

export function queued(sequence: number, changes: Partial<TaskSpec> = {}): Task {
  return {
    id: String(sequence),
    sequence,
    spec: spec(changes),
    state: 'queued',
    submittedAt: 1000,
    attempt: 0,
    failures: 0,
    preemptions: 0,
    members: [],
  };
}
