/**
 * The watched cluster as a state for the planner, with the records that were written and are not seen yet, or that a dry run keeps.
 */
import { type JsonObject } from '../../facts/api/schema';
import { GANTRY_UNHEALTHY_TAINT } from '../../facts/catalog/gantry-names';
import { asObject, asString } from '../../manifests/read';
import {
  type RemediationAlert,
  type RemediationNode,
  type RemediationRecord,
  type RemediationSettings,
  type RemediationState,
} from '../../planning/remediation';
import { COLLECTIONS, type CollectionName } from '../../planning/scheduler-settings/collections';
import { type Watched } from '../api/watched';
import { devicePlugins, remediationGangs, remediationNode } from './state';

/** Kinds of the collections that placement reads. */
const KINDS: Readonly<Partial<Record<CollectionName, string>>> = {
  nodes: 'Node',
  pods: 'Pod',
  namespaces: 'Namespace',
  priorityClasses: 'PriorityClass',
  persistentVolumeClaims: 'PersistentVolumeClaim',
  persistentVolumes: 'PersistentVolume',
  storageClasses: 'StorageClass',
  volcanoPodGroups: 'PodGroup',
  nativePodGroups: 'PodGroup',
  schedulerPluginsPodGroups: 'PodGroup',
  kueueTopologies: 'Topology',
  hyperNodes: 'HyperNode',
};

export class WatchedCluster {
  /** Nodes as the API server answered to a patch, with the version that was patched. */
  private readonly written = new Map<string, { readonly from: string; readonly node: JsonObject }>();
  private readonly dryRecords = new Map<string, RemediationRecord>();

  constructor(
    private readonly watched: Watched,
    private readonly settings: RemediationSettings,
    private readonly collections: readonly CollectionName[],
  ) {}

  /** The node as it was last seen or written. */
  node(name: string): JsonObject {
    const seen = this.watched.all('nodes').get(name) ?? {};
    const own = this.written.get(name);
    return own !== undefined && own.from === versionOf(seen) ? own.node : seen;
  }

  /** @param from the node that was patched */
  wrote(from: JsonObject, node: JsonObject): void {
    const name = asString(asObject(node.metadata).name) ?? '';
    const seen = versionOf(this.watched.all('nodes').get(name) ?? {});
    this.written.set(name, { from: seen === versionOf(from) ? seen : (this.written.get(name)?.from ?? seen), node });
  }

  /** A dry run remembers what it would have done. */
  wouldWrite(name: string, record: RemediationRecord): void {
    this.dryRecords.set(name, record);
  }

  /** @param time the API server's time */
  state(now: number, time: number, alerts: readonly RemediationAlert[]): RemediationState {
    const { settings } = this;
    const pods = (): Iterable<JsonObject> =>
      this.collections.includes('pods') ? this.watched.all('pods').values() : [];
    const gangs = once(() => remediationGangs(pods()));
    const plugins = once(() => devicePlugins(pods(), settings));
    const names = this.watched.all('nodes');
    [...this.written.keys(), ...this.dryRecords.keys()].forEach((name) => {
      if (!names.has(name)) {
        this.written.delete(name);
        this.dryRecords.delete(name);
      }
    });
    return {
      now,
      time,
      nodes: [...names.keys()].map((name) => this.withDryRecord(remediationNode(this.node(name), time))),
      get gangs() {
        return gangs();
      },
      get plugins() {
        return plugins();
      },
      alerts,
    };
  }

  /** All objects that placement depends on. */
  objects(): readonly JsonObject[] {
    return this.collections.flatMap((collection) => {
      const { group, versions } = COLLECTIONS[collection];
      const apiVersion = group === '' ? versions[0] : `${group}/${versions[0]}`;
      return [...this.watched.all(collection).values()].map((object) => ({
        apiVersion,
        kind: KINDS[collection],
        ...object,
      })) as JsonObject[];
    });
  }

  private withDryRecord(node: RemediationNode): RemediationNode {
    const record = this.dryRecords.get(node.name);
    if (record === undefined) {
      return node;
    }
    const { marks } = record;
    return {
      ...node,
      record,
      isCordoned: node.isCordoned || marks.includes('cordon'),
      taints: marks.includes('taint') ? [...node.taints, GANTRY_UNHEALTHY_TAINT] : node.taints,
    };
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function versionOf({ metadata }: JsonObject): string {
  return asString(asObject(metadata).resourceVersion) ?? '';
}
