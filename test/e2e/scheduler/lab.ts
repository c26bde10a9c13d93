/**
 * A control plane with fake nodes for the scheduler suites, and what they ask of it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { buildPrograms } from '../control-plane/build';
import { Cluster, type ClusterOptions } from '../control-plane/cluster';
import { coveredDefinitions } from '../control-plane/covered-definitions';
import { applyCustomResources } from '../control-plane/custom-resources';
import { forgetCluster, watchCluster } from '../evidence';

/** Definitions that the scheduler reads. */
const DEFINITIONS = [
  'queues.scheduling.volcano.sh',
  'podgroups.scheduling.volcano.sh',
  'podgroups.scheduling.x-k8s.io',
  'hypernodes.topology.volcano.sh',
  'topologies.kueue.x-k8s.io',
  'localqueues.kueue.x-k8s.io',
];

export interface LabOptions extends Pick<ClusterOptions, 'extra' | 'featureGates' | 'serve' | 'audit' | 'kubelets'> {
  /** @default true */
  readonly customResources?: boolean;
}

export class Lab {
  private constructor(readonly cluster: Cluster) {}

  static async start({ extra, customResources = true, ...options }: LabOptions = {}): Promise<Lab> {
    const programs = buildPrograms({ print: (line) => void process.stdout.write(`${line}\n`) });
    const cluster = await Cluster.start({
      programs,
      ...options,
      extra: extra ?? ['kube-controller-manager', 'kube-scheduler', 'kwok'],
    });
    watchCluster(cluster.folder);
    const lab = new Lab(cluster);
    if (customResources) {
      await applyCustomResources(
        cluster.client,
        coveredDefinitions().filter(({ metadata }) => DEFINITIONS.includes(asString(asObject(metadata).name) ?? '')),
      );
    }
    if (extra === undefined || extra.includes('kube-controller-manager')) {
      // Pods are only admitted once their service account is there.
      await lab.until(
        'the default service account',
        async () => (await lab.get('/api/v1/namespaces/default/serviceaccounts/default')) !== undefined,
      );
    }
    return lab;
  }

  get kubeconfig(): string {
    return this.cluster.kubeconfig;
  }

  stop(): Promise<void> {
    forgetCluster(this.cluster.folder);
    return this.cluster.stop();
  }

  /** `undefined` where there is none. */
  async get(path: string): Promise<JsonObject | undefined> {
    for (let tries = 0; ; tries++) {
      const { status, body } = await this.cluster.client.request('GET', path);
      if (status === 404) {
        return undefined;
      }
      if (status < 300) {
        return body;
      }
      // A kind that was defined a moment ago is not served from the first moment on.
      if (status !== 429 || tries > 50) {
        throw new Error(`GET ${path}: ${asString(body.message)}`);
      }
      await sleep(100);
    }
  }

  async list(path: string): Promise<readonly JsonObject[]> {
    return asArray((await this.get(path))?.items).map(asObject);
  }

  async create(...objects: readonly JsonObject[]): Promise<void> {
    // A few at a time: the order in which things come is that of the list to within a moment.
    for (const object of objects) {
      const { status, body } = await this.cluster.client.request('POST', pathOf(object), { body: object });
      if (status >= 300) {
        throw new Error(`${asString(object.kind)} ${nameOf(object)}: ${asString(body.message)}`);
      }
    }
  }

  /** Many at once, in no order. */
  async createMany(objects: readonly JsonObject[], atOnce = 16): Promise<void> {
    const rest = [...objects].reverse();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let object = rest.pop(); object !== undefined; object = rest.pop()) {
          await this.create(object);
        }
      }),
    );
  }

  async delete(path: string): Promise<void> {
    await this.cluster.client.request('DELETE', path, { body: { gracePeriodSeconds: 0 } });
  }

  async patch(path: string, body: JsonObject): Promise<void> {
    const { status, body: reply } = await this.cluster.client.request('PATCH', path, {
      body,
      contentType: 'application/merge-patch+json',
    });
    if (status >= 300) {
      throw new Error(`PATCH ${path}: ${asString(reply.message)}`);
    }
  }

  pods(): Promise<readonly JsonObject[]> {
    return this.list('/api/v1/namespaces/default/pods');
  }

  /** Node by pod, of pods that have one and are not on their way out. */
  async places(): Promise<Readonly<Record<string, string>>> {
    const placed = (await this.pods()).filter(
      ({ metadata, spec }) =>
        asString(asObject(spec).nodeName) !== undefined && asObject(metadata).deletionTimestamp === undefined,
    );
    return Object.fromEntries(placed.map((pod) => [nameOf(pod), asString(asObject(pod.spec).nodeName)!]));
  }

  /** @throws where it does not come true in time, which is far more than a busy machine takes */
  async until(what: string, isTrue: () => Promise<boolean>, limit = 120_000): Promise<void> {
    for (const deadline = Date.now() + limit; !(await isTrue()); await sleep(50)) {
      if (Date.now() > deadline) {
        throw new Error(`Not within ${limit / 1000} s: ${what}`);
      }
    }
  }

  /** Until all nodes are ready for pods. */
  async nodesReady(count: number): Promise<void> {
    await this.until(`${count} nodes ready`, async () => {
      const nodes = await this.list('/api/v1/nodes');
      return (
        nodes.filter(
          (node) =>
            asArray(asObject(node.status).conditions)
              .map(asObject)
              .some(({ type, status }) => type === 'Ready' && status === 'True') &&
            !asArray(asObject(node.spec).taints).some((taint) =>
              asString(asObject(taint).key)?.startsWith('node.kubernetes.io/'),
            ),
        ).length >= count
      );
    });
  }

  /** Everything that a suite left behind goes. */
  async clear(): Promise<void> {
    await this.endReplicaSets();
    for (const path of [
      '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
      '/api/v1/namespaces/default/pods',
      '/api/v1/nodes',
      '/apis/scheduling.volcano.sh/v1beta1/queues',
      '/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups',
    ]) {
      await this.cluster.client.request('DELETE', path, {
        body: { gracePeriodSeconds: 0, propagationPolicy: 'Background' },
      });
    }
    await this.until(
      'the cluster is empty',
      async () => (await this.pods()).length === 0 && (await this.list('/api/v1/nodes')).length === 0,
    );
  }

  /** Each says first that it wants no pods: a controller that has not yet seen that its ReplicaSet is gone makes pods again that are deleted. */
  async endReplicaSets(): Promise<void> {
    const path = '/apis/apps/v1/namespaces/default/replicasets';
    const all = await this.list(path);
    await Promise.all(all.map((one) => this.patch(`${path}/${nameOf(one)}`, { spec: { replicas: 0 } })));
    for (const one of all) {
      await this.until(`${nameOf(one)} wants no pods`, async () => {
        const { metadata, status } = (await this.get(`${path}/${nameOf(one)}`)) ?? {};
        const { observedGeneration, replicas } = asObject(status);
        return observedGeneration === asObject(metadata).generation && (replicas ?? 0) === 0;
      });
      await this.delete(`${path}/${nameOf(one)}`);
    }
  }
}

export function nameOf(object: JsonObject): string {
  return asString(asObject(object.metadata).name) ?? '';
}

const PLURALS: Readonly<
  Record<string, { readonly path: string; readonly plural: string; readonly namespaced: boolean }>
> = {
  Node: { path: '/api/v1', plural: 'nodes', namespaced: false },
  Pod: { path: '/api/v1', plural: 'pods', namespaced: true },
  PersistentVolume: { path: '/api/v1', plural: 'persistentvolumes', namespaced: false },
  PersistentVolumeClaim: { path: '/api/v1', plural: 'persistentvolumeclaims', namespaced: true },
  StorageClass: { path: '/apis/storage.k8s.io/v1', plural: 'storageclasses', namespaced: false },
  ReplicaSet: { path: '/apis/apps/v1', plural: 'replicasets', namespaced: true },
  PriorityClass: { path: '/apis/scheduling.k8s.io/v1', plural: 'priorityclasses', namespaced: false },
  PodDisruptionBudget: { path: '/apis/policy/v1', plural: 'poddisruptionbudgets', namespaced: true },
  Queue: { path: '/apis/scheduling.volcano.sh/v1beta1', plural: 'queues', namespaced: false },
  PodGroup: { path: '/apis/scheduling.volcano.sh/v1beta1', plural: 'podgroups', namespaced: true },
  HyperNode: { path: '/apis/topology.volcano.sh/v1alpha1', plural: 'hypernodes', namespaced: false },
};

function pathOf(object: JsonObject): string {
  const { path, plural, namespaced } = PLURALS[asString(object.kind) ?? ''];
  return `${path}${namespaced ? '/namespaces/default' : ''}/${plural}`;
}
