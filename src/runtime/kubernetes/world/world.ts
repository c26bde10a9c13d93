/**
 * From what is watched to what the placement core is asked, kept up to date change by change: only what a change concerns is made anew.
 */
import { type JsonObject } from '../../../facts/api/schema';
import {
  commonLevels,
  type GangIdentity,
  hyperNodeOf,
  hyperNodeTiers,
  nodeOf,
  type PodGroupFacts,
  podGroupOf,
  Priorities,
  queueOf,
  tiersOfLevels,
  type TierResolver,
  topologyOf,
} from '../../../planning/cluster/objects';
import { labelRequirements, type NamespaceChooser } from '../../../planning/cluster/objects/selectors';
import { asObject, asString, stringEntries } from '../../../manifests/read';
import { type ClusterNode, type PodTemplate, type Queue, type Topology } from '../../../placement';
import { matchesRequirement } from '../../../placement/filters/selectors';
import { type CollectionName } from '../../../planning/scheduler-settings/collections';
import { type Configuration } from '../../../planning/scheduler-settings/configuration';
import { type Change, type Watched } from '../watched';
import { budgetsOf } from './budgets';
import { type ClaimSources, claimTerms } from './claims';
import { type GangContext, GangMembers } from './gang-members';
import { type EntryOptions, type PodEntry, podEntry } from './pod-entry';
import { labelKeysIn } from './selector-keys';

type Source = Pick<Watched, 'all' | 'onChange'>;

/** What the cluster says of where its nodes are. */
interface Places {
  readonly nodes: readonly ClusterNode[];
  readonly topologies: readonly Topology[];
  readonly tiers: TierResolver | undefined;
}

/** Groups that their collections leave out of their objects, since lists do not repeat them. */
const POD_GROUP_VERSIONS: Readonly<Partial<Record<CollectionName, string>>> = {
  volcanoPodGroups: 'scheduling.volcano.sh/v1beta1',
  schedulerPluginsPodGroups: 'scheduling.x-k8s.io/v1alpha1',
  nativePodGroups: 'scheduling.k8s.io/v1alpha2',
};

export class World {
  readonly pods = new Map<string, PodEntry>();
  readonly gangs = new Map<string, GangMembers>();
  private readonly nodesByName = new Map<string, ClusterNode>();
  private readonly byName = new Map<string, GangMembers>();
  private readonly groups = new Map<string, PodGroupFacts>();
  private priorityIndex: Priorities | undefined;
  private readonly templates = new Map<string, { readonly template: PodTemplate; used: number }>();
  /** Keys of pod labels that some selector between pods asks for; it only grows. */
  private readonly labelKeys = new Set<string>();
  private readonly texts = new WeakMap<PodTemplate, string>();
  private readonly entryOptions: Omit<EntryOptions, 'schedulerName'>;
  private placesKnown: Places | undefined;
  private budgetIndex: ReturnType<typeof budgetsOf> | undefined;
  private queueList: readonly Queue[] | undefined;
  private volumesChanged = false;
  private namespacesChanged = false;
  private labelKeysChanged = false;

  /** Told of every pod of the cluster that is new, different or gone. */
  onPod: (before: PodEntry | undefined, after: PodEntry | undefined) => void = () => undefined;
  /** Told when something changed that a decision may depend on. */
  onRelevant: () => void = () => undefined;

  constructor(
    private readonly source: Source,
    private config: Configuration,
  ) {
    const namespaces: NamespaceChooser = (selector) => this.namespacesBy(selector);
    this.entryOptions = {
      template: { claimTerms: (claim, namespace) => claimTerms(this.claimSources)(claim, namespace), namespaces },
      intern: (template) => this.intern(template),
    };
    source.onChange((change) => this.take(change));
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
    const renamed = config.schedulerName !== this.config.schedulerName;
    this.config = config;
    this.queueList = undefined;
    this.placesKnown = undefined;
    if (renamed) {
      this.readPods(() => true);
    }
  }

  /** What changed beside the pods themselves is brought into them, once for many changes. */
  settle(): void {
    if (this.volumesChanged) {
      this.readPods(({ claims }) => claims.length > 0);
    }
    if (this.namespacesChanged) {
      this.readPods(({ raw }) => hasNamespaceSelector(raw));
    }
    if (this.labelKeysChanged) {
      this.readPods(() => true);
    }
    this.volumesChanged = false;
    this.namespacesChanged = false;
    this.labelKeysChanged = false;
  }

  get nodes(): readonly ClusterNode[] {
    return this.places.nodes;
  }

  get topologies(): readonly Topology[] {
    return this.places.topologies;
  }

  get budgets(): ReturnType<typeof budgetsOf> {
    return (this.budgetIndex ??= budgetsOf(this.source.all('podDisruptionBudgets').values()));
  }

  /** Queues of the configuration, of the cluster, and the one for whoever names none, which exists even if nobody has made it. */
  get queues(): readonly Queue[] {
    if (this.queueList === undefined) {
      const byName = new Map<string, Queue>([[this.config.defaultQueue, { name: this.config.defaultQueue }]]);
      for (const object of this.source.all('volcanoQueues').values()) {
        const queue = queueOf({ ...object, apiVersion: 'scheduling.volcano.sh/v1beta1', kind: 'Queue' });
        if (queue !== undefined) {
          byName.set(queue.name, queue);
        }
      }
      this.config.queues.forEach((queue) => byName.set(queue.name, queue));
      this.queueList = [...byName.values()];
    }
    return this.queueList;
  }

  contextOf({ identity }: GangMembers): GangContext {
    const group = this.groupOf(identity);
    const { annotations } = asObject(this.source.all('namespaces').get(identity.namespace)?.metadata);
    const ofNamespace = asString(asObject(annotations)['scheduling.volcano.sh/queue-name']);
    return { group, defaultQueue: ofNamespace ?? this.config.defaultQueue, priorities: this.priorities };
  }

  private groupOf({ kind, group, key }: GangIdentity): PodGroupFacts | undefined {
    return kind === 'PodGroup' ? this.groups.get(groupKey(group, key)) : undefined;
  }

  private get priorities(): Priorities {
    return (this.priorityIndex ??= new Priorities([...this.source.all('priorityClasses').values()]));
  }

  private get places(): Places {
    return (this.placesKnown ??= this.makePlaces());
  }

  private makePlaces(): Places {
    const nodes = [...this.nodesByName.values()];
    const stated = [...this.config.topologies, ...[...this.source.all('kueueTopologies').values()].map(topologyOf)];
    const hyperNodes = [...this.source.all('hyperNodes').values()].map(hyperNodeOf);
    if (hyperNodes.length === 0) {
      const levels = commonLevels(nodes, stated);
      const topologies = stated.length > 0 || levels.length === 0 ? stated : [{ name: 'levels', levels }];
      return {
        nodes,
        topologies,
        tiers: levels.length === 0 ? undefined : tiersOfLevels({ name: topologies[0].name, levels }),
      };
    }
    const { topology, domains, resolver } = hyperNodeTiers(hyperNodes, nodes);
    return {
      nodes: nodes.map((node) => ({ ...node, domains: domains.get(node.name) })),
      topologies: [...stated, topology],
      tiers: resolver,
    };
  }

  private take({ collection, key, before, after }: Change): void {
    switch (collection) {
      case 'pods':
        this.takePod(key, after);
        return;
      case 'nodes':
        if (after === undefined) {
          this.nodesByName.delete(key);
          this.placesKnown = undefined;
        } else if (before === undefined || differs(before, after)) {
          this.nodesByName.set(key, nodeOf(after));
          this.placesKnown = undefined;
        } else {
          return;
        }
        break;
      case 'hyperNodes':
        this.placesKnown = undefined;
        this.readGroups();
        break;
      case 'podDisruptionBudgets':
        this.budgetIndex = undefined;
        break;
      case 'volcanoQueues':
        this.queueList = undefined;
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
        break;
      case 'kueueTopologies':
        this.placesKnown = undefined;
        break;
      case 'priorityClasses':
        this.priorityIndex = undefined;
        break;
    }
    this.onRelevant();
  }

  private takeGroup(collection: CollectionName, key: string, after: JsonObject | undefined): void {
    const apiVersion = POD_GROUP_VERSIONS[collection]!;
    const name = groupKey(apiVersion.split('/')[0], key.replace('/', '/podgroup/'));
    if (after === undefined) {
      this.groups.delete(name);
      return;
    }
    const facts = podGroupOf({ ...after, apiVersion, kind: 'PodGroup' }, this.places.tiers);
    // Its status is written often, and says nothing here.
    if (JSON.stringify(this.groups.get(name)) !== JSON.stringify(facts)) {
      this.groups.set(name, facts);
    }
  }

  private readGroups(): void {
    for (const collection of Object.keys(POD_GROUP_VERSIONS) as CollectionName[]) {
      this.source.all(collection).forEach((object, key) => this.takeGroup(collection, key, object));
    }
  }

  private takePod(key: string, raw: JsonObject | undefined): void {
    const before = this.pods.get(key);
    if (before !== undefined) {
      this.pods.delete(key);
      this.release(before.template);
      this.leaveGang(before);
    }
    const entry =
      raw === undefined
        ? undefined
        : podEntry(key, raw, { ...this.entryOptions, schedulerName: this.config.schedulerName });
    if (entry !== undefined) {
      this.pods.set(key, entry);
      if (entry.gang !== undefined) {
        const members = this.gangs.get(entry.gang.key) ?? new GangMembers(entry.gang.key, entry.gang);
        members.put(entry);
        this.gangs.set(entry.gang.key, members);
      }
    }
    this.onPod(before, entry);
    if (isRelevant(before, entry)) {
      this.onRelevant();
    }
  }

  /** A new look at who is called what: two kinds may have objects of one name. */
  nameGangs(): void {
    const times = new Map<string, number>();
    const shorts = [...this.gangs.values()].map((members) => ({ members, short: this.shortName(members) }));
    shorts.forEach(({ short }) => times.set(short, (times.get(short) ?? 0) + 1));
    this.byName.clear();
    for (const { members, short } of shorts) {
      members.name = times.get(short) === 1 ? short : members.key;
      this.byName.set(members.name, members);
    }
  }

  /** People know a gang that a job made by the job's name. */
  private shortName({ identity }: GangMembers): string {
    return `${identity.namespace}/${this.groupOf(identity)?.owner?.name ?? identity.name}`;
  }

  /** By its name in the latest snapshot. */
  gangNamed(name: string): GangMembers | undefined {
    return this.byName.get(name);
  }

  private leaveGang({ key, gang }: PodEntry): void {
    const members = gang === undefined ? undefined : this.gangs.get(gang.key);
    members?.remove(key);
  }

  /** Gangs of which nothing is left; called when nobody holds on to them. */
  sweep(): void {
    for (const [key, { pods }] of this.gangs) {
      if (pods.size === 0) {
        this.gangs.delete(key);
      }
    }
  }

  private readPods(which: (entry: PodEntry) => boolean): void {
    for (const entry of [...this.pods.values()].filter(which)) {
      this.takePod(entry.key, entry.raw);
    }
  }

  private intern(whole: PodTemplate): PodTemplate {
    const template = this.withoutIdleLabels(whole);
    const text = JSON.stringify(template);
    const known = this.templates.get(text);
    if (known !== undefined) {
      known.used++;
      return known.template;
    }
    this.templates.set(text, { template, used: 1 });
    this.texts.set(template, text);
    return template;
  }

  /**
   * Many pods carry a label that no other has, such as their index; with it each would be of a kind of its own. When a selector asks for a
   * key that none has asked for yet, all pods are read again.
   */
  private withoutIdleLabels(template: PodTemplate): PodTemplate {
    const before = this.labelKeys.size;
    labelKeysIn(template).forEach((key) => this.labelKeys.add(key));
    this.labelKeysChanged ||= this.labelKeys.size > before;
    const { labels, ...rest } = template;
    const asked = Object.entries(labels ?? {}).filter(([key]) => this.labelKeys.has(key));
    return asked.length === 0 ? rest : { ...rest, labels: Object.fromEntries(asked) };
  }

  private release(template: PodTemplate): void {
    const text = this.texts.get(template) ?? '';
    const known = this.templates.get(text);
    if (known !== undefined && --known.used === 0) {
      this.templates.delete(text);
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

/** A pod that gets the place which was decided for it, or whose containers report something, is no reason to decide. */
function isRelevant(before: PodEntry | undefined, after: PodEntry | undefined): boolean {
  if (before === undefined || after === undefined) {
    return after === undefined || after.state === 'waiting';
  }
  if (before.uid !== after.uid || before.otherGates.length !== after.otherGates.length) {
    return true;
  }
  if (before.state !== after.state) {
    return !(before.state === 'waiting' && after.state === 'placed');
  }
  return (
    after.state === 'waiting' &&
    (before.template !== after.template || JSON.stringify(before.hints) !== JSON.stringify(after.hints))
  );
}

function groupKey(group: string, key: string): string {
  return `${group} ${key}`;
}

/** A node writes its heartbeat often, and says the same otherwise. */
function differs(before: JsonObject, after: JsonObject): boolean {
  return JSON.stringify(relevant(before)) !== JSON.stringify(relevant(after));
}

function relevant(node: JsonObject): unknown {
  const { labels, annotations } = asObject(node.metadata);
  const { allocatable, capacity, conditions } = asObject(node.status);
  const ready = (Array.isArray(conditions) ? conditions : []).map(asObject).find(({ type }) => type === 'Ready');
  return [labels, annotations, node.spec, allocatable, capacity, asString(ready?.status)];
}

function hasNamespaceSelector(pod: JsonObject): boolean {
  const affinity = asObject(asObject(pod.spec).affinity);
  return JSON.stringify([affinity.podAffinity, affinity.podAntiAffinity]).includes('"namespaceSelector"');
}
