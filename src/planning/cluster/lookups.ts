/**
 * What pods and workloads refer to: priority classes, queues, pod groups, volumes, claims, namespaces; in the cluster or in the manifests.
 */
import { type JsonObject } from '../../facts/api/schema';
import { deviceClassResource } from '../../facts/catalog/device-classes';
import { kindKey } from '../../manifests/identity';
import { asArray, asInteger, asObject, asString } from '../../manifests/read';
import { selectorChooses } from '../../manifests/references/selectors';
import { type ClusterNode, type NodeTerm } from '../../placement';
import { type AmountsDraft } from '../../manifests/pods/resource-amounts';
import { type FlavorGroup, flavorGroupsOf } from './objects/flavors';
import { type QueueName } from './objects/gang-hints';
import { claimKey } from './objects/claim-key';
import { chargedDevices } from './objects/claims/charges';
import { classServing, pluginResources } from './objects/claims/serving';
import { type TemplateOptions } from './objects/pod';
import { POD_GROUP_KINDS, type PodGroupFacts, podGroupOf } from './objects/pod-group';
import { Priorities, PRIORITY_KINDS } from './objects/priorities';
import { type LocalQueue, localQueueOf } from './objects/queue';
import { nodeTermsOf } from './objects/selectors';
import { labelsOf, type TierResolver } from './objects/topologies';

/** `group/Kind` of a plain object. */
export function kindOf(object: JsonObject): string {
  const apiVersion = asString(object.apiVersion) ?? '';
  return kindKey({
    group: apiVersion.includes('/') ? apiVersion.split('/')[0] : '',
    kind: asString(object.kind) ?? '',
  });
}

export function nameOf(object: JsonObject): string {
  return asString(asObject(object.metadata).name) ?? '';
}

export function namespaceOf(object: JsonObject): string {
  return asString(asObject(object.metadata).namespace) ?? 'default';
}

/** When the object was made, milliseconds since the epoch. */
export function creationOf(object: JsonObject): number | undefined {
  const time = Date.parse(asString(asObject(object.metadata).creationTimestamp) ?? '');
  return Number.isFinite(time) ? time : undefined;
}

/** The queue of work that names none. */
export const DEFAULT_QUEUE = 'default';

export interface LookupOptions {
  /** @default - requirements that name tiers have none */
  readonly tiers?: TierResolver;
  /** The queue of work that names none. @default 'default' */
  readonly defaultQueue?: string;
  /** Whether claims that are not among the objects do not exist. @default false */
  readonly namesMissingClaims?: boolean;
  /** What pods can get without claims. @default - nothing */
  readonly nodes?: readonly ClusterNode[];
}

export class Lookups {
  readonly priorities: Priorities;
  readonly podGroups: ReadonlyMap<string, PodGroupFacts>;
  readonly options: TemplateOptions;
  /** Claims, and templates of claims, of pods that were read, whose selectors are not evaluated. */
  readonly claimsWithSelectors = new Set<string>();
  private readonly flavorsByQueue = new Map<string, readonly FlavorGroup[]>();
  private readonly localQueues: ReadonlyMap<string, LocalQueue>;
  private readonly namespaces: ReadonlyMap<string, JsonObject>;
  private readonly byKind: ReadonlyMap<string, readonly JsonObject[]>;

  readonly tiers: TierResolver | undefined;
  private readonly defaultQueue: string;

  /** @param objects later ones replace earlier ones of the same name */
  constructor(objects: readonly JsonObject[], options: LookupOptions = {}) {
    const { tiers, defaultQueue = DEFAULT_QUEUE, nodes = [] } = options;
    this.tiers = tiers;
    this.defaultQueue = defaultQueue;
    const byKind = new Map<string, JsonObject[]>();
    for (const object of objects) {
      const kind = kindOf(object);
      const list = byKind.get(kind);
      if (list === undefined) {
        byKind.set(kind, [object]);
      } else {
        list.push(object);
      }
    }
    this.byKind = byKind;
    this.priorities = new Priorities(PRIORITY_KINDS.flatMap((kind) => this.ofKind(kind)));
    const groups = POD_GROUP_KINDS.flatMap((kind) => this.ofKind(kind)).map((object) => podGroupOf(object, tiers));
    this.podGroups = new Map(groups.map((group) => [group.key, group]));
    const local = this.ofKind('kueue.x-k8s.io/LocalQueue').flatMap((object) => localQueueOf(object) ?? []);
    this.localQueues = new Map(local.map((queue) => [`${queue.namespace}/${queue.name}`, queue]));
    this.namespaces = new Map(this.ofKind('Namespace').map((object) => [nameOf(object), object]));
    this.options = {
      claimTerms: this.claimTerms(),
      claimOf: this.claimOf(options.namesMissingClaims === true),
      classOf: this.classOf(nodes),
      namespaces: (selector) => this.namespacesBy(selector),
    };
  }

  ofKind(kind: string): readonly JsonObject[] {
    return this.byKind.get(kind) ?? [];
  }

  /** Name of the queue in the snapshot; a local queue that nothing describes stays by its own name, and does not exist. */
  queue(queue: QueueName | undefined, namespace: string): string {
    if (queue?.kind === 'queue') {
      return queue.name;
    }
    if (queue === undefined) {
      const annotations = asObject(asObject(this.namespaces.get(namespace)?.metadata).annotations);
      return asString(annotations['scheduling.volcano.sh/queue-name']) ?? this.defaultQueue;
    }
    const key = `${queue.namespace}/${queue.name}`;
    return this.localQueues.get(key)?.clusterQueue ?? key;
  }

  /** The flavors through which work of a queue is admitted; none where the queue is not Kueue's. */
  flavors(queue: string): readonly FlavorGroup[] {
    let known = this.flavorsByQueue.get(queue);
    if (known === undefined) {
      const clusterQueue = this.ofKind('kueue.x-k8s.io/ClusterQueue').find((object) => nameOf(object) === queue);
      const flavors = new Map(
        this.ofKind('kueue.x-k8s.io/ResourceFlavor').map((object) => [nameOf(object), asObject(object.spec)]),
      );
      known =
        clusterQueue === undefined ? [] : flavorGroupsOf(asObject(clusterQueue.spec), (name) => flavors.get(name));
      this.flavorsByQueue.set(queue, known);
    }
    return known;
  }

  private namespacesBy(selector: JsonObject): readonly string[] {
    const known = [...this.namespaces].map(([name, object]) => ({
      name,
      labels: { 'kubernetes.io/metadata.name': name, ...labelsOf(object) },
    }));
    return known.filter(({ labels }) => selectorChooses(selector, labels)).map(({ name }) => name);
  }

  /** Where the volumes are that claims are bound to. */
  private claimTerms(): (claim: string, namespace: string) => readonly NodeTerm[] | undefined {
    const volumes = new Map(this.ofKind('PersistentVolume').map((object) => [nameOf(object), asObject(object.spec)]));
    const claims = new Map(
      this.ofKind('PersistentVolumeClaim').map((object) => [
        `${namespaceOf(object)}/${nameOf(object)}`,
        asObject(object.spec),
      ]),
    );
    return (claim, namespace) => {
      const volume = volumes.get(asString(claims.get(`${namespace}/${claim}`)?.volumeName) ?? '');
      const required = asObject(volume?.nodeAffinity).required;
      return required === undefined || required === null ? undefined : nodeTermsOf(required);
    };
  }

  private classOf(nodes: readonly ClusterNode[]): NonNullable<TemplateOptions['classOf']> {
    return this.ofKind('resource.k8s.io/ResourceSlice').length === 0
      ? () => undefined
      : classServing(this.ofKind('resource.k8s.io/DeviceClass'), pluginResources(nodes));
  }

  private claimOf(namesMissing: boolean): NonNullable<TemplateOptions['claimOf']> {
    const specs = (kind: string): ReadonlyMap<string, JsonObject> =>
      new Map(this.ofKind(kind).map((object) => [`${namespaceOf(object)}/${nameOf(object)}`, asObject(object.spec)]));
    const claims = specs('resource.k8s.io/ResourceClaim');
    const templates = specs('resource.k8s.io/ResourceClaimTemplate');
    const classes = new Map(
      this.ofKind('resource.k8s.io/DeviceClass').map((object) => [nameOf(object), asObject(object.spec)]),
    );
    const isChosen = this.ofKind('resource.k8s.io/ResourceSlice').length > 0;
    return ({ name, template }, namespace) => {
      const key = claimKey(template ? 'template' : 'claim', namespace, name);
      const written = template ? templates.get(`${namespace}/${name}`) : claims.get(`${namespace}/${name}`);
      if (written === undefined) {
        return namesMissing ? { key, devices: {} } : undefined;
      }
      const spec = template ? asObject(written.spec) : written;
      if (isChosen) {
        return { key, devices: chargedDevices(spec, (name) => classes.get(name)) };
      }
      const requests = deviceRequests(spec);
      if (requests.some(({ selectors }) => asArray(selectors).length > 0)) {
        this.claimsWithSelectors.add(`${namespace}/${name}`);
      }
      return { devices: requestedDevices(requests, classes) };
    };
  }
}

/** Of a request with alternatives the first is counted. */
function deviceRequests(spec: JsonObject): readonly JsonObject[] {
  return asArray(asObject(spec.devices).requests)
    .map(asObject)
    .map((request) => {
      if (request.exactly !== undefined) {
        return asObject(request.exactly);
      }
      return request.firstAvailable === undefined ? request : asObject(asArray(request.firstAvailable)[0]);
    });
}

function requestedDevices(requests: readonly JsonObject[], classes: ReadonlyMap<string, JsonObject>): AmountsDraft {
  const devices: AmountsDraft = {};
  for (const wanted of requests) {
    const name = asString(wanted.deviceClassName) ?? '';
    const resource = asString(classes.get(name)?.extendedResourceName) ?? deviceClassResource(name);
    if (resource !== undefined) {
      devices[resource] = (devices[resource] ?? 0) + (asInteger(wanted.count) ?? 1);
    }
  }
  return devices;
}
