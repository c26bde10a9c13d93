/**
 * Jobs for the tests: good ones, and changes to them.
 */
import { stringify } from 'yaml';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';

export const GPUS = 8;

export function container(changes: JsonObject = {}): JsonObject {
  return {
    name: 'pytorch',
    image: 'pytorch/pytorch:2.8.0',
    command: ['torchrun', 'train.py'],
    resources: { limits: { 'nvidia.com/gpu': GPUS, memory: '200Gi' }, requests: { cpu: '32', memory: '200Gi' } },
    ...changes,
  };
}

interface RoleChanges {
  readonly container?: JsonObject;
  readonly pod?: JsonObject;
  readonly role?: JsonObject;
}

export function role(replicas: number | undefined, changes: RoleChanges = {}): JsonObject {
  return {
    ...(replicas === undefined ? {} : { replicas }),
    restartPolicy: 'OnFailure',
    ...changes.role,
    template: { spec: { ...changes.pod, containers: [container(changes.container)] } },
  };
}

/** The roles of a static job. */
export const masterWorker = (master: JsonObject, worker: JsonObject): JsonObject => ({
  pytorchReplicaSpecs: { Master: master, Worker: worker },
});

/** A static job of 1 + 3 pods that no rule objects to. */
export function staticJob(spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name: 'train', namespace: 'ml', ...metadata },
    spec: { nprocPerNode: String(GPUS), pytorchReplicaSpecs: { Master: role(1), Worker: role(3) }, ...spec },
  };
}

/** An elastic job of 4 to 8 Workers that no rule objects to. */
export function elasticJob(policy: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  return staticJob({
    elasticPolicy: { rdzvBackend: 'c10d', minReplicas: 4, maxReplicas: 8, maxRestarts: 10, ...policy },
    pytorchReplicaSpecs: { Worker: role(4) },
    ...spec,
  });
}

/** Both roles with the same change of their container. */
export function rolesWith(changes: JsonObject, workers = 3): JsonObject {
  return {
    pytorchReplicaSpecs: { Master: role(1, { container: changes }), Worker: role(workers, { container: changes }) },
  };
}

const CONTAINERS: Readonly<Record<string, string>> = {
  TFJob: 'tensorflow',
  MPIJob: 'mpi',
  XGBoostJob: 'xgboost',
  PaddleJob: 'paddle',
  JAXJob: 'jax',
  PyTorchJob: 'pytorch',
};
const FIELDS: Readonly<Record<string, string>> = {
  TFJob: 'tfReplicaSpecs',
  MPIJob: 'mpiReplicaSpecs',
  XGBoostJob: 'xgbReplicaSpecs',
  PaddleJob: 'paddleReplicaSpecs',
  JAXJob: 'jaxReplicaSpecs',
  PyTorchJob: 'pytorchReplicaSpecs',
};

/** A job of any kind with plain containers in these roles. */
export function job(kind: string, roles: Readonly<Record<string, JsonObject>>, spec: JsonObject = {}): JsonObject {
  const plain = (value: JsonObject): JsonValue => ({
    template: { spec: { containers: [{ name: CONTAINERS[kind] ?? 'x', image: 'x' }] } },
    ...value,
  });
  return {
    apiVersion: 'kubeflow.org/v1',
    kind,
    metadata: { name: 'train', namespace: 'ml' },
    spec: {
      [FIELDS[kind] ?? '']: Object.fromEntries(Object.entries(roles).map(([name, value]) => [name, plain(value)])),
      ...spec,
    },
  };
}

/** An MPIJob of the mpi-operator that no rule objects to. */
export function mpiJob(spec: JsonObject = {}, roles: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  const template: JsonObject = { spec: { containers: [{ name: 'mpi', image: 'x' }] } };
  return {
    apiVersion: 'kubeflow.org/v2beta1',
    kind: 'MPIJob',
    metadata: { name: 'train', namespace: 'ml', ...metadata },
    spec: {
      mpiReplicaSpecs: { Launcher: { replicas: 1, template }, Worker: { replicas: 2, template }, ...roles },
      ...spec,
    },
  };
}

export function yaml(...objects: readonly JsonObject[]): string {
  return objects.map((object) => stringify(object)).join('---\n');
}
