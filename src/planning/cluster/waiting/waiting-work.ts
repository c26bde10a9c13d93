/**
 * Why work of a cluster waits: what the placement core decides on it, who is before it, and what the cluster itself says.
 *
 * The plan is `planOf`, the one of every command.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { ManifestSet } from '../../../manifests/manifest-set';
import { asArray, asObject, asString } from '../../../manifests/read';
import { compareNames } from '../../../placement/model/names';
import { type ClusterState } from '../cluster-state';
import { itemsOf } from '../from-objects';
import { creationOf, kindOf, nameOf, namespaceOf } from '../lookups';
import { gangKey } from '../objects/gang-identity';
import { cohortQueue } from '../objects/queue';
import { planOf } from '../plan';
import { eventStatements, newest } from './event-statements';
import { keysOf, type Statement, statementsOf } from './statements';
import { type ClusterView, type ViewGang, type ViewQueue } from '../view/view';
import { QUEUE_NAMES, type WorkName } from './work-names';

/** A gang of the cluster, with what the plan says about it. */
export interface PlannedWork {
  readonly gang: ViewGang;
  /** Its keys, as `ClusterGang.keys`. */
  readonly keys: readonly string[];
  /** `namespace/name` of its pods that exist. */
  readonly pods: readonly string[];
  /** Whether all its pods ran when the cluster was read. */
  readonly runs: boolean;
  /** Since when it is there, milliseconds since the epoch. */
  readonly since?: number;
}

/** The same, with what is before it and what the cluster says. */
export interface Work extends PlannedWork {
  /** Gangs of its queue that come before it, in their order. Empty where it does not wait. */
  readonly before: readonly PlannedWork[];
  readonly statements: readonly Statement[];
}

/** A queue of the cluster with its work that waits, in the order in which it is considered. */
export interface QueueWork {
  readonly queue: ViewQueue;
  readonly waiting: readonly PlannedWork[];
  /** Work that runs, or that the plan starts now. */
  readonly placed: readonly PlannedWork[];
  readonly statements: readonly Statement[];
}

/** A pod group or Workload that has no pods and no template to plan. */
export interface UnplannedWork {
  readonly kind: string;
  readonly name: string;
  readonly since?: number;
  readonly phase?: string;
  readonly statements: readonly Statement[];
}

export class WaitingWork {
  readonly view: ClusterView;
  private readonly objects: readonly JsonObject[];
  private readonly works: readonly PlannedWork[];
  private readonly statements: readonly Statement[];
  private readonly events: readonly Statement[];

  constructor(
    readonly cluster: ClusterState,
    objects: readonly JsonObject[],
  ) {
    this.objects = objects.flatMap(itemsOf);
    this.statements = statementsOf(this.objects);
    this.events = eventStatements(this.objects);
    this.view = planOf(new ManifestSet([]), cluster).view;
    const byName = new Map(cluster.gangs.map((one) => [one.gang.name, one]));
    this.works = this.view.gangs.map((gang) => {
      const { keys = [], pods = [], gang: { arrival: since } = {} } = byName.get(gang.name) ?? {};
      return {
        gang,
        keys,
        pods: pods.map(({ name }) => name),
        runs: pods.length > 0 && pods.every(({ state }) => state === 'running'),
        ...(since !== undefined && since > 0 && { since }),
      };
    });
  }

  /** Kinds of the objects that the work belongs to, in lower case. */
  kinds(): ReadonlySet<string> {
    const known = this.works.flatMap(({ keys }) => keys.map((key) => key.split('/')[1]));
    return new Set(['pod', 'podgroup', 'job', 'workload', ...known]);
  }

  /** Names to suggest for one that is not found. */
  names(): readonly string[] {
    return [...this.works.map(({ gang }) => gang.name), ...this.view.queues.map(({ name }) => `queue/${name}`)];
  }

  /** The work of that name; several where the name is not unique. */
  workNamed({ kind, namespace, name }: WorkName): readonly Work[] {
    const found = this.works.filter(({ gang, keys, pods }) => {
      if (kind === 'pod') {
        return pods.some((pod) => isNamed(pod, namespace, name));
      }
      const byKey = keys.some((key) => isKey(key, { kind, namespace, name }));
      return byKey || (kind === undefined && (gang.name === name || isNamed(gang.name, namespace, name)));
    });
    return found.map((one) => this.whole(one));
  }

  /** The queue of that name; a LocalQueue is the ClusterQueue that it names. */
  queueNamed({ kind, namespace, name }: WorkName): QueueWork | undefined {
    if (kind !== undefined && !QUEUE_NAMES.has(kind)) {
      return undefined;
    }
    const local = this.objects.find(
      (object) =>
        kind === 'localqueue' &&
        kindOf(object) === 'kueue.x-k8s.io/LocalQueue' &&
        isNamed(`${namespaceOf(object)}/${nameOf(object)}`, namespace, name),
    );
    const meant =
      local === undefined
        ? kind === 'cohort'
          ? cohortQueue(name)
          : name
        : asString(asObject(local.spec).clusterQueue);
    const queue = this.view.queues.find((one) => one.name === meant);
    if (queue === undefined || (kind === 'localqueue' && local === undefined)) {
      return undefined;
    }
    const own = this.works.filter(({ gang }) => gang.queue === queue.name);
    return {
      queue,
      waiting: own.filter(({ gang }) => isWaiting(gang)).sort(byTurn),
      placed: own.filter(({ gang }) => !isWaiting(gang)),
      statements: [
        ...inactive(this.objects, queue.name),
        ...newest(this.events.filter((one) => isOfQueue(one, local === undefined ? queue.name : nameOf(local)))),
      ],
    };
  }

  /** A pod group or Workload without pods, which is not in the plan. */
  unplannedNamed({ kind, namespace, name }: WorkName): UnplannedWork | undefined {
    const object = this.objects.find(
      (one) =>
        /\/(PodGroup|Workload)$/.test(kindOf(one)) &&
        keysOf(one, kindOf(one)).some((key) => isKey(key, { kind, namespace, name })),
    );
    if (object === undefined) {
      return undefined;
    }
    const keys = keysOf(object, kindOf(object));
    const since = creationOf(object);
    const phase = asString(asObject(object.status).phase);
    return {
      kind: asString(object.kind) ?? '',
      name: `${namespaceOf(object)}/${nameOf(object)}`,
      ...(since !== undefined && { since }),
      ...(phase !== undefined && { phase }),
      statements: this.about(keys),
    };
  }

  private whole(work: PlannedWork): Work {
    const { gang, keys } = work;
    const before = isWaiting(gang)
      ? this.works.filter(
          (other) => other.gang.queue === gang.queue && isWaiting(other.gang) && byTurn(other, work) < 0,
        )
      : [];
    return {
      ...work,
      before: [...before].sort(byTurn),
      statements: this.about(keys),
    };
  }

  private about(keys: readonly string[]): readonly Statement[] {
    const isAbout = (one: Statement): boolean => one.keys.some((key) => keys.includes(key));
    const conditions = this.statements.filter(isAbout);
    return [...conditions, ...newest(this.events.filter(isAbout), conditions)];
  }
}

/** Whether the plan leaves pods of the gang without a place. */
export function isWaiting({ state }: ViewGang): boolean {
  return state === 'pending' || state === 'partial';
}

/** In a queue the higher priority is first, then the older; what has its minimum comes after what has not. */
function byTurn(a: PlannedWork, b: PlannedWork): number {
  return (
    b.gang.priority - a.gang.priority ||
    Number(a.gang.state === 'partial') - Number(b.gang.state === 'partial') ||
    (a.since ?? Infinity) - (b.since ?? Infinity) ||
    compareNames(a.gang.name, b.gang.name)
  );
}

/** What a ClusterQueue says where it is not active. */
function inactive(objects: readonly JsonObject[], queue: string): readonly Statement[] {
  return objects
    .filter((object) => kindOf(object) === 'kueue.x-k8s.io/ClusterQueue' && nameOf(object) === queue)
    .flatMap((object) =>
      asArray(asObject(object.status).conditions)
        .map(asObject)
        .filter(({ type, status }) => type === 'Active' && status === 'False')
        .map(({ reason, message }): Statement => ({
          kind: 'ClusterQueue',
          names: [queue],
          keys: [],
          condition: 'Active',
          ...(typeof reason === 'string' && { reason }),
          ...(typeof message === 'string' && { message }),
        })),
    );
}

function isOfQueue({ kind, names }: Statement, queue: string): boolean {
  return QUEUE_NAMES.has(kind.toLowerCase()) && names.some((name) => name.slice(name.indexOf('/') + 1) === queue);
}

function isNamed(whole: string, namespace: string | undefined, name: string): boolean {
  return namespace === undefined ? whole.endsWith(`/${name}`) : whole === `${namespace}/${name}`;
}

function isKey(key: string, { kind, namespace, name }: WorkName): boolean {
  const [ofNamespace, ofKind] = key.split('/');
  return (
    key === gangKey(decodeURIComponent(ofNamespace), kind ?? ofKind, name) &&
    (namespace === undefined || key === gangKey(namespace, kind ?? ofKind, name))
  );
}
