/**
 * The cluster that manifests are checked against: its schemas, versions, and objects, from a snapshot.
 *
 * A check without one knows the manifests alone, and what they do not contain may exist. With one, what the cluster and the manifests do not
 * contain does not exist, as far as the snapshot could be read.
 */
import { readFileSync } from 'node:fs';
import { DEFAULT_MINOR, KUBERNETES_MINORS } from '../../facts/api/kinds';
import { type JsonObject, type KubernetesMinor } from '../../facts/api/schema';
import { idOf, kindKey } from '../../manifests/identity';
import { type Manifest } from '../../manifests/manifest';
import { ManifestSet } from '../../manifests/manifest-set';
import { asObject, asString } from '../../manifests/read';
import {
  apiVersionOf,
  type ClusterSnapshot,
  readSnapshot,
  type ServedKind,
  SnapshotFileError,
  textOfFile,
} from '../../manifests/snapshot/cluster-snapshot';
import { type OfferedDevices } from '../offered-devices';

/** Kinds of which there are many, and which no rule on other objects reads. */
const HEAVY: ReadonlySet<string> = new Set([
  'Pod',
  'Node',
  'ServiceAccount',
  'PersistentVolume',
  'resource.k8s.io/ResourceSlice',
  'resource.k8s.io/ResourceClaim',
  'kueue.x-k8s.io/Workload',
  'scheduling.volcano.sh/PodGroup',
  'scheduling.run.ai/PodGroup',
  'scheduling.x-k8s.io/PodGroup',
  'scheduling.k8s.io/PodGroup',
  'karpenter.sh/NodeClaim',
]);

/**
 * A cluster that manifests are checked against.
 *
 * @example
 * const cluster = TargetCluster.of({
 *   name: 'prod', takenAt: '2026-01-31T12:00:00Z', takenBy: '1.0.0', serverVersion: 'v1.34.2', featureGates: {},
 *   kinds: [], schemas: {}, lists: [], operators: [], gaps: [], anonymized: false,
 * });
 * const set = readManifests('apiVersion: v1\nkind: Namespace\nmetadata:\n  name: research\n');
 * const report = check(set, { cluster, kubernetes: cluster.kubernetes });
 */
export class TargetCluster {
  /**
   * Reads a snapshot from a file.
   * @throws SnapshotFileError if the file is not a snapshot
   */
  static read(file: string): TargetCluster {
    const snapshot = readSnapshot(textOfFile(readFileSync(file), file), file);
    if (snapshot === undefined) {
      throw new SnapshotFileError(`${file}: not a snapshot of a cluster; take one with \`gantry snapshot\``);
    }
    return new TargetCluster(snapshot);
  }

  /** Returns the cluster that a snapshot contains. */
  static of(snapshot: ClusterSnapshot): TargetCluster {
    return new TargetCluster(snapshot);
  }

  private readonly names = new Map<string, Set<string>>();
  private readonly served: ReadonlyMap<string, ServedKind>;
  private around?: readonly Manifest[];

  private constructor(
    /** What was read of the cluster. */
    readonly snapshot: ClusterSnapshot,
  ) {
    this.served = new Map(snapshot.kinds.map((kind) => [`${apiVersionOf(kind)}/${kind.kind}`, kind]));
    for (const { apiVersion, kind, items } of snapshot.lists) {
      // ConfigMaps are in a snapshot by name: that one is not there says nothing.
      if (kind === 'ConfigMap') {
        continue;
      }
      const key = kindKey(idOf({ apiVersion, kind }));
      const names = this.names.get(key) ?? new Set<string>();
      this.names.set(key, names);
      for (const { metadata } of items) {
        const { namespace, name } = asObject(metadata);
        names.add(`${asString(namespace) ?? ''}/${asString(name) ?? ''}`);
      }
    }
  }

  /** What the cluster is called. */
  get name(): string {
    return this.snapshot.name;
  }

  /** The Kubernetes minor of the server, or the nearest that Gantry knows. */
  get kubernetes(): KubernetesMinor {
    const [, minor] = /^v?1\.(\d+)/.exec(this.snapshot.serverVersion) ?? [];
    if (minor === undefined) {
      return DEFAULT_MINOR;
    }
    const distance = (known: KubernetesMinor): number => Math.abs(Number(known.slice(2)) - Number(minor));
    return [...KUBERNETES_MINORS].sort((a, b) => distance(a) - distance(b))[0] ?? DEFAULT_MINOR;
  }

  /** The kind, if the server serves it in this version; `undefined` if it does not, or if nothing is known. */
  kindOf(apiVersion: string, kind: string): ServedKind | undefined {
    return this.served.get(`${apiVersion}/${kind}`);
  }

  /** Versions of a kind that the server serves, as `apiVersion`. `undefined` if the snapshot does not contain the served kinds. */
  versionsOf(group: string, kind: string): readonly string[] | undefined {
    return this.served.size === 0
      ? undefined
      : [...this.served.values()].filter((one) => one.group === group && one.kind === kind).map(apiVersionOf);
  }

  /**
   * Whether an object exists in the cluster. `undefined` if the snapshot does not contain its kind.
   * @param kind `group/Kind`, or `Kind` alone for the core group
   */
  has(kind: string, namespace: string, name: string): boolean | undefined {
    return this.names.get(kind)?.has(`${namespace}/${name}`);
  }

  /** Names of a kind in a namespace. */
  namesOf(kind: string, namespace: string): readonly string[] {
    const prefix = `${namespace}/`;
    return [...(this.names.get(kind) ?? [])].flatMap((key) =>
      key.startsWith(prefix) ? [key.slice(prefix.length)] : [],
    );
  }

  /** Objects of a kind, `Kind` of any group, as the snapshot keeps them. */
  itemsOf(kind: string): readonly JsonObject[] {
    return this.snapshot.lists.filter((list) => list.kind === kind).flatMap(({ items }) => items);
  }

  /** The manifests among the objects of the cluster: of two with one name, the manifest counts. Nodes and pods are left out. */
  with(set: ManifestSet): ManifestSet {
    const own = new Set(set.manifests.map(({ id }) => keyOf(id)));
    return new ManifestSet(
      [...this.manifests().filter(({ id }) => !own.has(keyOf(id))), ...set.manifests],
      set.problems,
      set.skipped,
    );
  }

  /** What the nodes offer; `undefined` if there are none. */
  get offered(): OfferedDevices | undefined {
    const nodes = this.itemsOf('Node');
    return nodes.length === 0
      ? undefined
      : { resources: new Set(nodes.flatMap(({ status }) => Object.keys(asObject(asObject(status).allocatable)))) };
  }

  private manifests(): readonly Manifest[] {
    this.around ??= this.snapshot.lists
      .filter(({ apiVersion, kind }) => !HEAVY.has(kindKey(idOf({ apiVersion, kind }))))
      .flatMap(({ apiVersion, kind, items }) =>
        items.map((item): Manifest => {
          const object: JsonObject = { ...item, apiVersion, kind };
          return { id: idOf(object), object, origin: { file: this.name } };
        }),
      );
    return this.around;
  }
}

function keyOf(id: Manifest['id']): string {
  return `${kindKey(id)}\n${id.namespace}\n${id.name}`;
}
