/**
 * Small builders of what the suites put into the cluster.
 */
import { type JsonObject } from '../../../src/facts/api/schema';

export interface NodeShape {
  readonly gpus?: number;
  readonly cpu?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly JsonObject[];
}

export function node(name: string, { gpus = 8, cpu = 96, labels = {}, taints = [] }: NodeShape = {}): JsonObject {
  const resources = {
    cpu: String(cpu),
    memory: '1Ti',
    pods: '110',
    'ephemeral-storage': '1Ti',
    ...(gpus > 0 && { 'nvidia.com/gpu': String(gpus) }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: { taints: [...taints] },
    status: { allocatable: resources, capacity: resources },
  };
}

export interface PodShape {
  readonly gang?: string;
  readonly minimum?: number;
  readonly gpus?: number;
  readonly cpu?: string;
  readonly queue?: string;
  readonly priorityClass?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** @default - bound directly */
  readonly handOver?: boolean;
  readonly spec?: JsonObject;
}

export function pod(name: string, shape: PodShape = {}): JsonObject {
  const { metadata, spec } = podTemplate(shape);
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default', ...(metadata as JsonObject) }, spec };
}

export function podTemplate(shape: PodShape): JsonObject {
  const {
    gang,
    minimum,
    gpus = 1,
    cpu = '1',
    queue,
    priorityClass,
    annotations = {},
    labels = {},
    handOver = false,
    spec = {},
  } = shape;
  const resources = { cpu, memory: '1Gi', ...(gpus > 0 && { 'nvidia.com/gpu': gpus }) };
  return {
    metadata: {
      labels: {
        ...labels,
        ...(gang !== undefined && { 'gantry.dev/gang': gang }),
        ...(queue !== undefined && { 'gantry.dev/queue': queue }),
      },
      annotations: { ...annotations, ...(minimum !== undefined && { 'gantry.dev/gang-min-member': String(minimum) }) },
    },
    spec: {
      ...(handOver ? { schedulingGates: [{ name: 'gantry.dev/placement' }] } : { schedulerName: 'gantry' }),
      ...(priorityClass !== undefined && { priorityClassName: priorityClass }),
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'main',
          image: 'registry.example/work:1',
          resources: { requests: { ...resources }, limits: { ...resources } },
        },
      ],
      ...spec,
    },
  };
}

/** All pods of a gang, each by itself: an evicted pod does not come back. */
export function gang(name: string, size: number, shape: PodShape = {}): JsonObject[] {
  return Array.from({ length: size }, (_, index) => pod(`${name}-${index}`, { gang: name, minimum: size, ...shape }));
}

/** A gang whose pods are made again when they go. */
export function lastingGang(name: string, size: number, shape: PodShape = {}): JsonObject {
  const template = podTemplate({ gang: name, minimum: size, ...shape, labels: { set: name, ...shape.labels } });
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name, namespace: 'default' },
    spec: { replicas: size, selector: { matchLabels: { set: name } }, template },
  };
}

export function priorityClass(name: string, value: number): JsonObject {
  return { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value };
}
