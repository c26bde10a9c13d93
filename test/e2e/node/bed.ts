/**
 * A control plane with one real node, for the suites of this folder, and the pods that they run on it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString, stringsIn } from '../../../src/manifests/read';
import { coveredDefinitions } from '../control-plane/covered-definitions';
import { applyCustomResources } from '../control-plane/custom-resources';
import { Lab } from '../scheduler/lab';
import { pod, type PodShape } from '../scheduler/manifests';
import { WORK_IMAGE } from './images';
import { LiveNode, NODE } from './live-node';
import { buildNode, whyNoNode } from './programs';

export { NODE } from './live-node';

/** `describe` where a node can run, `describe.skip` where it cannot. */
export const describeNode = whyNoNode() === undefined ? describe : describe.skip;

/** The image that manifests of the scheduler and of the agent ask for. */
const NODE_IMAGE = 'docker.io/library/node:24.11.0-bookworm-slim';

export interface Bed {
  readonly lab: Lab;
  readonly node: LiveNode;
}

/**
 * Starts a control plane and a node.
 *
 * @param kinds names of definitions besides those that the scheduler reads
 */
export async function startBed(kinds: readonly string[] = []): Promise<Bed> {
  const programs = buildNode((line) => void process.stdout.write(`${line}\n`));
  const lab = await Lab.start({ extra: ['kube-controller-manager', 'kube-scheduler'], kubelets: [NODE] });
  try {
    await applyCustomResources(
      lab.cluster.client,
      coveredDefinitions().filter(({ metadata }) => kinds.includes(asString(asObject(metadata).name) ?? '')),
    );
    const labels = { 'example.com/block': 'b1', 'example.com/rack': 'r1' };
    const node = await LiveNode.start(lab, { programs, nodeImage: NODE_IMAGE, labels });
    return { lab, node };
  } catch (error) {
    await lab.stop();
    throw error;
  }
}

export async function stopBed(bed: Bed | undefined): Promise<void> {
  await bed?.node.stop();
  await bed?.lab.stop();
}

/** A pod that says which devices it got, and goes on until it is deleted. */
export function working(name: string, { gpus = 1, spec = {}, ...shape }: PodShape = {}): JsonObject {
  const devices: JsonObject = gpus > 0 ? { 'nvidia.com/gpu': String(gpus) } : {};
  return pod(name, {
    gpus,
    ...shape,
    spec: {
      automountServiceAccountToken: false,
      containers: [
        {
          name: 'main',
          image: WORK_IMAGE,
          command: ['sh', '-c', 'env | sort; echo ready; exec sleep 1000000'],
          resources: { requests: { cpu: '10m', memory: '16Mi', ...devices }, limits: devices },
        },
      ],
      ...spec,
    },
  });
}

/** A gang of such pods. */
export function workingGang(name: string, size: number, shape: PodShape = {}): JsonObject[] {
  return Array.from({ length: size }, (_, index) =>
    working(`${name}-${index}`, { gang: name, minimum: size, ...shape }),
  );
}

/** A gang of such pods that are made again when they go. */
export function workingSet(name: string, size: number, shape: PodShape = {}): JsonObject {
  const { metadata, spec } = working(name, { gang: name, minimum: size, ...shape, labels: { set: name } });
  const { labels, annotations } = asObject(metadata);
  const template = { metadata: { labels: asObject(labels), annotations: asObject(annotations) }, spec: asObject(spec) };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name, namespace: 'default' },
    spec: { replicas: size, selector: { matchLabels: { set: name } }, template },
  };
}

export const phaseOf = (one: JsonObject | undefined): string => asString(asObject(one?.status).phase) ?? '';

export function isReady(one: JsonObject): boolean {
  return asArray(asObject(one.status).conditions)
    .map(asObject)
    .some(({ type, status }) => type === 'Ready' && status === 'True');
}

export function restartsOf(one: JsonObject): number {
  return asArray(asObject(one.status).containerStatuses)
    .map((container) => Number(asObject(container).restartCount ?? 0))
    .reduce((sum, count) => sum + count, 0);
}

export const uidOf = (one: JsonObject): string => asString(asObject(one.metadata).uid) ?? '';

/** The value of an environment variable that a pod wrote, and wrote last if its container was started again. */
export function variable(node: LiveNode, one: JsonObject, name: string): string | undefined {
  return [...node.log(one).matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].at(-1)?.[1];
}

/** The devices of each pod, by its UID and sorted, as the kubelet has written them down. */
export function checkpoint(node: LiveNode): ReadonlyMap<string, readonly number[]> {
  const path = join(node.folder, 'var/lib/kubelet/device-plugins/kubelet_internal_checkpoint');
  const { Data } = JSON.parse(readFileSync(path, 'utf8')) as JsonObject;
  return new Map(
    asArray(asObject(Data).PodDeviceEntries)
      .map(asObject)
      .map(({ PodUID, DeviceIDs }) => [
        asString(PodUID) ?? '',
        indices(Object.values(asObject(DeviceIDs)).flatMap((ids) => stringsIn(ids))),
      ]),
  );
}

/** The devices that the device plugin gave to a pod, sorted. */
export function devicesOf(node: LiveNode, one: JsonObject): readonly number[] {
  const given = variable(node, one, 'GIVEN_DEVICES') ?? '';
  return indices(given.split(',').filter(Boolean));
}

function indices(ids: readonly string[]): readonly number[] {
  return ids.map((id) => Number(id.replace('GPU-', ''))).sort((a, b) => a - b);
}
