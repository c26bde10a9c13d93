/**
 * Turns watched objects into the input of the placement core, incrementally: a change recomputes only what it affects.
 */
import { type JsonObject } from '../../../facts/api/schema';
import {
  type GangIdentity,
  localQueueOf,
  Priorities,
  type QueueName,
  topologyOf,
} from '../../../planning/cluster/objects';
import { QueueTree } from '../../../planning/cluster/queues/queue-tree';
import { labelRequirements, type NamespaceChooser } from '../../../planning/cluster/objects/selectors';
import { asObject, asString, stringEntries } from '../../../manifests/read';
import { type ClusterNode, type Queue, type Topology } from '../../../placement';
import { matchesRequirement } from '../../../placement/nodes/filters/selectors';
import { type CollectionName } from '../../../planning/scheduler-settings/collections';
import { type Configuration } from '../../../planning/scheduler-settings/configuration';
import { messageOf } from '../../api/api-error';
import { type Change, type Watched } from '../../api/watched';
import { budgetsOf, covers } from './budgets';
import { type ClaimSources, claimTerms } from './claims';
import { type GangContext, gangId, GangMembers } from './gang-members';
import { type EntryOptions, isRelevant, type PodEntry, podEntry } from './pod-entry';
import { DeviceReports } from './device-reports';
import { type DeviceChange, WorldDevices } from './devices';
import { GangNames } from './gang-names';
import { MigChanges } from './mig-changes';
import { checkedNode, differs } from './node-changes';
import { type Places, placesOf } from './places';
import { groupId, POD_GROUP_COLLECTIONS, PodGroups } from './pod-groups';
import { type AsideKind, SetAside } from './set-aside';
import { Templates } from './templates';
import { Touches } from './touches';

type Source = Pick<Watched, 'all' | 'onChange'>;

/** The queue of a gang; with a refusal, the one that its running pods are charged to. */
export interface QueueOfGang {
  readonly name: string;
  readonly kind?: 'queue-set-aside' | 'queue-not-allowed' | 'unknown-queue';
  readonly refusal?: string;
}

const ASIDE_KINDS: Readonly<Partial<Record<CollectionName, AsideKind>>> = {
  pods: 'pod',
  nodes: 'node',
  volcanoQueues: 'queue',
};

/** More changes of claims than this are not told apart. */
const MOST_STALE = 1000;

export class World {
  readonly pods = new Map<string, PodEntry>();
  readonly gangs = new Map<string, GangMembers>();
  private readonly nodesByName = new Map<string, ClusterNode>();
  private readonly deviceReports = new DeviceReports();
  private readonly byUid = new Map<string, PodEntry>();
  private readonly names = new GangNames<GangMembers>(({ key }) => this.touches.gang(key));
  /** Gangs that lost a pod, and may have none. */
  private readonly empty = new Set<GangMembers>();
  /** What changed since the books were last brought up to date. */
  readonly touches = new Touches();
  /** Pods that were handed over and have no node yet, by uid. */
  readonly unbound = new Map<string, PodEntry>();
  readonly podGroups = new PodGroups();
  private priorityIndex: Priorities | undefined;
  private readonly templates = new Templates();
  private readonly entryOptions: Omit<EntryOptions, 'schedulerName' | 'guarded'>;
  private placesKnown: Places | undefined;
  private budgetIndex: ReturnType<typeof budgetsOf> | undefined;
  private queuesKnown: QueueTree | undefined;
  /** Where pods were handed over to in this process, by uid. */
  private readonly handOvers = new Map<string, string>();
  readonly aside = new SetAside();
  readonly devices: WorldDevices;
  readonly migChanges = new MigChanges();
  private volumesChanged = false;
  /** Which pods have other claims, or request what is a claim now. */
  private stalePods: NonNullable<DeviceChange['read']>[] = [];
  /** Keys of pods whose claims changed. */
  private readonly staleKeys = new Set<string>();
  private namespacesChanged = false;

  /** Called with every pod of the cluster that was added, changed, or deleted. */
  onPod: (before: PodEntry | undefined, after: PodEntry | undefined) => void = () => undefined;
  /** Called when something changed that a decision may depend on; `ready`: a gang has the minimum that it states. */
  onRelevant: (ready?: boolean) => void = () => undefined;

  /** @param salt of names of claims; see `ExtendedClaims` */
  constructor(
    private readonly source: Source,
    private config: Configuration,
    salt?: string,
  ) {
    const namespaces: NamespaceChooser = (selector) => this.namespacesBy(selector);
    this.entryOptions = {
      template: {
        claimTerms: (claim, namespace) => claimTerms(this.claimSources)(claim, namespace),
        classOf: (resource) => this.devices.classOf(resource),
        namespaces,
      },
      deviceClaims: (raw) => this.devices.claimsOf(raw),
      extendedClaim: (pod) => this.devices.extended.keyFor(pod),
      intern: (template) => this.templates.intern(template),
      handedTo: (uid) => this.handOvers.get(uid),
    };
    this.devices = new WorldDevices((name) => source.all(name), this.nodesByName, salt);
    this.devices.onAssumed = (entry) => this.touchEntry(entry);
    this.migChanges.onChange = () => (this.touches.places = true);
    source.onChange((change) => this.takeSafely(change));
  }

  get claimSources(): ClaimSources {
    const all = (name: CollectionName): ReadonlyMap<string, JsonObject> => this.source.all(name);
    return {
      claims: all('persistentVolumeClaims'),
      volumes: all('persistentVolumes'),
      storageClasses: all('storageClasses'),
    };
  }

  get configuration(): Configuration {
    return this.config;
  }

  configure(config: Configuration): void {
    const renamed =
      config.schedulerName !== this.config.schedulerName || config.handOver.guarded !== this.config.handOver.guarded;
    this.config = config;
    this.queuesKnown = undefined;
    this.placesKnown = undefined;
    this.touches.everything();
    if (renamed) {
      this.readPods(() => true);
    }
  }

  /**
   * What changed beside the pods themselves is brought into them, once for many changes; and what follows from time, into nodes.
   *
   * @param now in the API server's time
   */
  settle(now: number): void {
    this.migChanges.settle(now, this.config.repartition);
    if (this.volumesChanged) {
      this.readPods(({ claims }) => claims.length > 0);
    }
    if (this.namespacesChanged) {
      this.readPods(({ raw }) => hasNamespaceSelector(raw));
    }
    const { stalePods } = this;
    this.stalePods = [];
    const keys = new Set(this.templates.newLabelKeys);
    this.templates.newLabelKeys.clear();
    if (keys.size > 0 || stalePods.length > 0) {
      this.readPods((entry) => hasLabelAmong(entry.raw, keys) || stalePods.some((isStale) => isStale(entry)));
    }
    for (const key of this.staleKeys) {
      const entry = this.pods.get(key);
      if (entry !== undefined) {
        this.takePod(key, entry.raw);
      }
    }
    this.staleKeys.clear();
    this.volumesChanged = false;
    this.namespacesChanged = false;
  }

  get nodes(): readonly ClusterNode[] {
    return this.places.nodes ?? [...this.nodesByName.values()];
  }

  /** The Node as it was last seen. */
  nodeObject(name: string): JsonObject | undefined {
    return this.source.all('nodes').get(name);
  }

  /** What the agent of its node says that the kubelet gave to the pod: only where an admission policy keeps others from saying it. */
  allocatedTo({ uid, node }: Pick<PodEntry, 'uid' | 'node'>): readonly number[] | undefined {
    return node === undefined || !this.config.handOver.guarded ? undefined : this.deviceReports.of(node)?.get(uid);
  }

  /** Nodes that report what the kubelet gave to pods. */
  get reportingNodes(): number {
    return this.config.handOver.guarded ? this.deviceReports.nodes : 0;
  }

  /** Something else is assumed of a pod. */
  touchPod(uid: string): void {
    const entry = this.byUid.get(uid);
    if (entry !== undefined) {
      this.touchEntry(entry);
    }
  }

  private touchEntry(entry: PodEntry): void {
    const { key, gang } = entry;
    this.devices.touch(entry);
    if (gang === undefined) {
      this.touches.pod(key);
    } else {
      this.touches.gang(gangId(gang));
    }
  }

  get topologies(): readonly Topology[] {
    return this.places.topologies;
  }

  get budgets(): ReturnType<typeof budgetsOf> {
    return (this.budgetIndex ??= budgetsOf(this.source.all('podDisruptionBudgets').values()));
  }

  get queues(): readonly Queue[] {
    return this.queueTree.list;
  }

  /** Queues of the configuration, of the cluster, and the default queue. */
  get queueTree(): QueueTree {
    if (this.queuesKnown === undefined) {
      this.queuesKnown = new QueueTree({
        defaultQueue: this.config.defaultQueue,
        configured: this.config.queues,
        objects: this.source.all('volcanoQueues').values(),
      });
      const { faults } = this.queuesKnown;
      this.aside.list
        .filter(({ kind, name }) => kind === 'queue' && !faults.has(name))
        .forEach(({ name }) => this.aside.remove('queue', name));
      faults.forEach((reason, name) => this.aside.put({ kind: 'queue', name, reason }));
    }
    return this.queuesKnown;
  }

  contextOf(members: GangMembers): GangContext {
    const group = this.podGroups.of(members.identity);
    return { group, queue: this.queueOf(members).name, priorities: this.priorities };
  }

  /**
   * The queue that a gang is charged to, and why it may not start in the queue that it names. A running pod that may not use its queue
   * is charged to the default queue, so that a label cannot fill another team's queue.
   */
  queueOf(members: GangMembers): QueueOfGang {
    const { namespace } = members.identity;
    const { queue } = members.hints(this.podGroups.of(members.identity));
    const { defaultQueue } = this.config;
    const { annotations } = asObject(this.source.all('namespaces').get(namespace)?.metadata);
    const tree = this.queueTree;
    const named =
      this.queueNamed(queue, tree) ??
      asString(asObject(annotations)['scheduling.volcano.sh/queue-name']) ??
      defaultQueue;
    const fault = tree.faults.get(named) ?? this.aside.reasonOf('queue', named);
    if (fault !== undefined) {
      return { name: defaultQueue, kind: 'queue-set-aside', refusal: `Queue "${named}" is set aside: ${fault}.` };
    }
    if (tree.has(named) && !tree.allows(named, namespace)) {
      const refusal = `Queue "${named}" may not be used from namespace "${namespace}".`;
      return { name: defaultQueue, kind: 'queue-not-allowed', refusal };
    }
    const runs = [...members.pods.values()].some(({ state }) => state === 'placed' || state === 'leaving');
    if (!tree.has(named) && runs) {
      return { name: defaultQueue, kind: 'unknown-queue', refusal: `Queue "${named}" does not exist.` };
    }
    return { name: named };
  }

  /**
   * The queue that pods name. A LocalQueue of Kueue is read as the queue with the name of its ClusterQueue, if there is one: otherwise quota is
   * Kueue's alone.
   */
  private queueNamed(queue: QueueName | undefined, tree: QueueTree): string | undefined {
    if (queue?.kind !== 'local-queue') {
      return queue?.name;
    }
    const object = this.source.all('kueueLocalQueues').get(`${queue.namespace}/${queue.name}`);
    const { clusterQueue } = (object === undefined ? undefined : localQueueOf(object)) ?? {};
    return clusterQueue !== undefined && tree.has(clusterQueue) ? clusterQueue : undefined;
  }

  /** The pod may show this node as that of its hand-over from now on. */
  willHandOver(uid: string, node: string): void {
    this.handOvers.set(uid, node);
  }

  private get priorities(): Priorities {
    return (this.priorityIndex ??= new Priorities([...this.source.all('priorityClasses').values()]));
  }

  private get places(): Places {
    return (this.placesKnown ??= placesOf(
      [...this.nodesByName.values()],
      [...this.config.topologies, ...[...this.source.all('kueueTopologies').values()].map(topologyOf)],
      [...this.source.all('hyperNodes').values()],
    ));
  }

  /** An object that cannot be read costs itself alone: the watch goes on, and what was known of it before is forgotten. */
  private takeSafely(change: Change): void {
    const { collection, key } = change;
    const kind = ASIDE_KINDS[collection] ?? 'object';
    const name = kind === 'object' ? `${collection} ${key}` : key;
    try {
      this.take(change);
      if (kind !== 'queue') {
        this.aside.remove(kind, name);
      }
    } catch (error) {
      if (collection === 'nodes') {
        this.takeNode(key, change.before, undefined);
      }
      this.aside.put({ kind, name, reason: messageOf(error) });
      this.onRelevant();
    }
  }

  private take({ collection, key, before, after }: Change): void {
    let isNews = true;
    switch (collection) {
      case 'pods':
        this.takePod(key, after);
        return;
      case 'nodes':
        isNews = this.takeNode(key, before, after);
        break;
      case 'hyperNodes':
        this.placesKnown = undefined;
        this.touches.places = true;
        this.readGroups();
        break;
      case 'podDisruptionBudgets':
        this.takeBudget(key, before, after);
        break;
      case 'volcanoQueues':
        // The queue of any gang may be another one, and so may be who is allowed to use it.
        this.queuesKnown = undefined;
        this.touches.queues = true;
        this.touchGangs(() => true);
        break;
      case 'kueueLocalQueues':
        this.touchGangs(({ identity }) => identity.namespace === key.split('/')[0]);
        break;
      case 'volcanoPodGroups':
      case 'nativePodGroups':
      case 'schedulerPluginsPodGroups':
        this.takeGroup(collection, key, after);
        break;
      case 'persistentVolumeClaims':
      case 'persistentVolumes':
      case 'storageClasses':
        this.volumesChanged = true;
        break;
      case 'namespaces':
        this.namespacesChanged = true;
        this.touchGangs(({ identity }) => identity.namespace === key);
        break;
      case 'kueueTopologies':
        this.placesKnown = undefined;
        this.touches.places = true;
        break;
      case 'priorityClasses':
        this.priorityIndex = undefined;
        this.touchGangs(() => true);
        break;
      case 'resourceSlices':
      case 'deviceClasses':
      case 'resourceClaims':
        isNews = this.takeDevices({ collection, key, before, after });
        break;
    }
    if (isNews) {
      this.onRelevant();
    }
  }

  /** @returns whether it says anything new */
  private takeNode(key: string, before: JsonObject | undefined, after: JsonObject | undefined): boolean {
    if (before !== undefined && after !== undefined && !differs(before, after)) {
      return false;
    }
    const known = this.nodesByName.get(key);
    const node = after === undefined ? undefined : checkedNode(after);
    if (node === undefined) {
      this.nodesByName.delete(key);
    } else {
      this.nodesByName.set(key, node);
    }
    // Without HyperNodes, topologies follow from labels.
    if (this.placesKnown?.nodes !== undefined || JSON.stringify(known?.labels) !== JSON.stringify(node?.labels)) {
      this.placesKnown = undefined;
    }
    this.touches.places = true;
    this.addStale(this.devices.nodeChanged());
    this.migChanges.take(key, node, after);
    this.deviceReports.take(key, node, after).forEach((uid) => this.touchPod(uid));
    return true;
  }

  /** @returns whether it says anything new */
  private takeDevices(change: Change): boolean {
    const said = this.devices.take(change);
    if (said === undefined) {
      return false;
    }
    this.addStale(said.read);
    said.pods?.forEach((key) => this.staleKeys.add(key));
    for (const uid of said.owners ?? []) {
      const owner = this.byUid.get(uid);
      if (owner !== undefined) {
        this.staleKeys.add(owner.key);
      }
    }
    this.touches.places ||= said.nodes;
    return true;
  }

  /** A replica that does not decide does not settle either. */
  private addStale(read: DeviceChange['read']): void {
    if (this.stalePods.length >= MOST_STALE) {
      this.stalePods = [() => true];
    } else if (read !== undefined) {
      this.stalePods.push(read);
    }
  }

  private takeBudget(key: string, before: JsonObject | undefined, after: JsonObject | undefined): void {
    this.budgetIndex = undefined;
    const budgets = (object: JsonObject | undefined): string =>
      JSON.stringify([...budgetsOf(object === undefined ? [] : [object])]);
    if (budgets(before) === budgets(after)) {
      return;
    }
    const [namespace] = key.split('/');
    const changed = [before, after].flatMap((object) => (object === undefined ? [] : [object]));
    const selectors = [...budgetsOf(changed).values()].flat().map(({ selector }) => selector);
    this.touchGangs(
      ({ identity, pods }) =>
        identity.namespace === namespace &&
        [...pods.values()].some((pod) => selectors.some((selector) => covers(selector, pod))),
    );
  }

  private touchGangs(which: (gang: GangMembers) => boolean): void {
    for (const [id, gang] of this.gangs) {
      if (which(gang)) {
        this.touches.gang(id);
      }
    }
  }

  private takeGroup(collection: CollectionName, key: string, after: JsonObject | undefined): void {
    const id = this.podGroups.take(collection, key, after, this.places.tiers);
    // What is reported of the gang depends on the object even where nothing else does.
    this.touches.gang(id);
    const members = this.gangs.get(id);
    if (members !== undefined) {
      this.names.put(members, this.shortName(members));
    }
  }

  private readGroups(): void {
    for (const collection of POD_GROUP_COLLECTIONS) {
      this.source.all(collection).forEach((object, key) => this.takeGroup(collection, key, object));
    }
  }

  private takePod(key: string, raw: JsonObject | undefined): void {
    const before = this.pods.get(key);
    if (before !== undefined) {
      this.pods.delete(key);
      this.byUid.delete(before.uid);
      this.unbound.delete(before.uid);
      this.leaveGang(before);
      this.touchEntry(before);
      this.devices.remove(before);
    }
    const entry = this.entryOf(key, raw, before);
    if (entry !== undefined) {
      this.pods.set(key, entry);
      this.byUid.set(entry.uid, entry);
      this.devices.add(entry);
      this.touchEntry(entry);
      if (entry.way === 'handed-over' && !entry.bound && entry.state === 'placed') {
        this.unbound.set(entry.uid, entry);
      }
      if (entry.gang !== undefined) {
        this.joinGang(entry, entry.gang);
      }
    }
    if (before !== undefined && before.uid !== entry?.uid) {
      this.handOvers.delete(before.uid);
      this.devices.assumed.forgetPod(before.uid);
    }
    this.onPod(before, entry);
    if (isRelevant(before, entry)) {
      this.onRelevant(entry?.state === 'waiting' && this.isReady(entry));
    }
  }

  /** A pod that asks for what it asked for before keeps its template, also where no other pod has it: then nothing has changed. */
  private entryOf(key: string, raw: JsonObject | undefined, before: PodEntry | undefined): PodEntry | undefined {
    const { schedulerName, handOver } = this.config;
    try {
      return raw === undefined
        ? undefined
        : podEntry(key, raw, { ...this.entryOptions, schedulerName, guarded: handOver.guarded });
    } finally {
      if (before !== undefined) {
        this.templates.release(before.template);
      }
    }
  }

  private joinGang(entry: PodEntry, identity: GangIdentity): void {
    const id = gangId(identity);
    let members = this.gangs.get(id);
    if (members === undefined) {
      members = new GangMembers(id, identity);
      this.gangs.set(id, members);
      this.names.put(members, this.shortName(members));
    }
    members.put(entry);
  }

  /** The gang of the pod has as many pods as it says that it needs: nothing more is worth waiting for. */
  private isReady({ gang, hints }: PodEntry): boolean {
    const members = gang === undefined ? undefined : this.gangs.get(gangId(gang));
    if (members === undefined) {
      return false;
    }
    const { kind, together } = members.identity;
    const minimum = this.podGroups.of(members.identity)?.hints.minimum ?? hints.minimum;
    return kind === 'Pod' || !together || (minimum !== undefined && members.pods.size >= minimum);
  }

  /** People know a gang that a job made by the job's name. */
  private shortName({ identity }: GangMembers): string {
    return `${identity.namespace}/${this.podGroups.of(identity)?.owner?.name ?? identity.name}`;
  }

  /** By its name in the latest snapshot. */
  gangNamed(name: string): GangMembers | undefined {
    return this.names.get(name);
  }

  private leaveGang({ key, gang }: PodEntry): void {
    const members = gang === undefined ? undefined : this.gangs.get(gangId(gang));
    if (members !== undefined) {
      members.remove(key);
      this.empty.add(members);
    }
  }

  /** The gang of a PodGroup, by the PodGroup's key. */
  gangOfGroup(collection: CollectionName, key: string): GangMembers | undefined {
    return this.gangs.get(groupId(collection, key));
  }

  /** Forgets gangs without pods. */
  sweep(): void {
    for (const members of this.empty) {
      if (members.pods.size === 0) {
        this.aside.remove('gang', gangId(members.identity));
        this.gangs.delete(members.key);
        this.names.remove(members);
      }
    }
    this.empty.clear();
  }

  private readPods(which: (entry: PodEntry) => boolean): void {
    for (const entry of [...this.pods.values()].filter(which)) {
      this.takePod(entry.key, entry.raw);
    }
  }

  private namespacesBy(selector: JsonObject): readonly string[] {
    const requirements = labelRequirements(selector);
    return [...this.source.all('namespaces')]
      .filter(([, { metadata }]) => {
        const labels = Object.fromEntries(stringEntries(asObject(metadata).labels));
        return requirements.every((requirement) => matchesRequirement(labels, requirement));
      })
      .map(([name]) => name);
  }
}

function hasLabelAmong({ metadata }: JsonObject, keys: ReadonlySet<string>): boolean {
  if (keys.size > 0) {
    for (const key in asObject(asObject(metadata).labels)) {
      if (keys.has(key)) {
        return true;
      }
    }
  }
  return false;
}

function hasNamespaceSelector(pod: JsonObject): boolean {
  const affinity = asObject(asObject(pod.spec).affinity);
  return JSON.stringify([affinity.podAffinity, affinity.podAntiAffinity]).includes('"namespaceSelector"');
}
