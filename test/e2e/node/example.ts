/**
 * `examples/scheduler` as it is rendered, installed on a real node, and what its suites ask of it.
 */
import { App } from 'cdk8s';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scheduler } from '../../../examples/scheduler/main';
import { Testing } from '../../../src/interfaces/testing';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { apply } from '../scheduler/install';
import { type Bed, devicesOf, isReady, NODE, phaseOf, startBed, stopBed } from './bed';

export const SYSTEM = 'gantry-system';
export const NAME = 'gantry-scheduler';
/** Of the example, besides those that the scheduler reads. */
const KINDS = [
  'servicemonitors.monitoring.coreos.com',
  'prometheusrules.monitoring.coreos.com',
  'pytorchjobs.kubeflow.org',
];
export const ALL_DEVICES = [0, 1, 2, 3, 4, 5, 6, 7];
/** Of the lease, and of what the kubelet does every few seconds. */
export const PATIENCE = 240_000;

/** A node with eight devices and the objects of the example. */
export async function startExample(): Promise<Bed> {
  const bed = await startBed(KINDS);
  try {
    await bed.node.startDevicePlugin(8);
    await questionsAbout(() => bed).offered('8');
    await apply(bed.lab, [
      ...Testing.synth(scheduler(new App())),
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'notebooks' } },
    ]);
    return bed;
  } catch (error) {
    await stopBed(bed);
    throw error;
  }
}

/** Removes what tests run. */
export async function clearExample({ lab }: Bed): Promise<void> {
  await lab.endReplicaSets();
  for (const namespace of ['default', 'notebooks']) {
    const path = `/api/v1/namespaces/${namespace}/pods`;
    await lab.cluster.client.request('DELETE', path, { body: { gracePeriodSeconds: 0 } });
    await lab.until('no pods', async () => (await lab.list(path)).length === 0, PATIENCE);
  }
}

/** How often the device plugin registered with a kubelet. */
export function registrations({ node }: Bed): number {
  return readFileSync(join(node.folder, 'device-plugin.log'), 'utf8').split('registered').length - 1;
}

export interface Questions {
  readonly replicas: () => Promise<readonly JsonObject[]>;
  /** Name of the pod that holds the lease. */
  readonly leader: () => Promise<string | undefined>;
  readonly podNamed: (name: string, namespace?: string) => Promise<JsonObject | undefined>;
  readonly runs: (name: string, namespace?: string) => Promise<boolean>;
  readonly allRun: (...names: readonly string[]) => Promise<void>;
  readonly bothReady: () => Promise<void>;
  /** What the containers of pods report together, sorted. */
  readonly devices: (...names: readonly string[]) => Promise<readonly number[]>;
  /** Until the node offers this number of devices. */
  readonly offered: (count: string) => Promise<void>;
  /** Until the pod says why it waits. */
  readonly saysWhy: (name: string) => Promise<void>;
}

export function questionsAbout(bedOf: () => Bed): Questions {
  const until = (what: string, isTrue: () => Promise<boolean>): Promise<void> =>
    bedOf().lab.until(what, isTrue, PATIENCE);
  const replicas = async (): Promise<readonly JsonObject[]> =>
    (await bedOf().lab.list(`/api/v1/namespaces/${SYSTEM}/pods`)).filter(
      ({ metadata }) => asObject(metadata).deletionTimestamp === undefined,
    );
  const podNamed = (name: string, namespace = 'default'): Promise<JsonObject | undefined> =>
    bedOf().lab.get(`/api/v1/namespaces/${namespace}/pods/${name}`);
  const runs = async (name: string, namespace?: string): Promise<boolean> => {
    const found = await podNamed(name, namespace);
    return found !== undefined && phaseOf(found) === 'Running' && bedOf().node.log(found).includes('ready');
  };
  return {
    replicas,
    podNamed,
    runs,
    leader: async () => {
      const lease = await bedOf().lab.get(`/apis/coordination.k8s.io/v1/namespaces/${SYSTEM}/leases/${NAME}`);
      return asString(asObject(lease?.spec).holderIdentity)?.split('_')[0];
    },
    allRun: (...names) =>
      until(`${names.join()} run`, async () => (await Promise.all(names.map((name) => runs(name)))).every(Boolean)),
    bothReady: () =>
      until('two replicas are ready', async () => {
        const pods = await replicas();
        return pods.length === 2 && pods.every(isReady);
      }),
    devices: async (...names) => {
      const pods = await Promise.all(names.map((name) => podNamed(name)));
      return pods.flatMap((one) => devicesOf(bedOf().node, one ?? {})).sort((a, b) => a - b);
    },
    offered: (count) =>
      until(`the node offers ${count} devices`, async () => {
        const { allocatable } = asObject((await bedOf().lab.get(`/api/v1/nodes/${NODE}`))?.status);
        return asObject(allocatable)['nvidia.com/gpu'] === count;
      }),
    saysWhy: (name) =>
      until(`the reason why ${name} waits`, async () => {
        const conditions = asArray(asObject((await podNamed(name))?.status).conditions).map(asObject);
        return conditions.some(({ type, status }) => type === 'PodScheduled' && status === 'False');
      }),
  };
}

export function nodeOf(one: JsonObject | undefined): string | undefined {
  return asString(asObject(one?.spec).nodeName);
}
