/**
 * The queues that gangs may wait in: those of the configuration and of the cluster, without those that contradict themselves, and who may
 * use each.
 */
import { GANTRY_NAMESPACES } from '../../../facts/catalog/gantry-names';
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, asString } from '../../../manifests/read';
import { queueOf } from '../objects';
import { type Queue } from '../../../placement';
import { type ConfiguredQueue } from '../../scheduler-settings/configuration';

export interface QueueSources {
  readonly defaultQueue: string;
  /** Of two queues with one name, that of the configuration counts. */
  readonly configured: readonly ConfiguredQueue[];
  /** Volcano's Queues. */
  readonly objects: Iterable<JsonObject>;
}

export class QueueTree {
  /** Without those of `faults`. */
  readonly list: readonly Queue[];
  /** Why a queue cannot be used, by name. */
  readonly faults: ReadonlyMap<string, string>;
  private readonly byName: ReadonlyMap<string, ConfiguredQueue>;

  constructor({ defaultQueue, configured, objects }: QueueSources) {
    // The default queue exists even without an object.
    const byName = new Map<string, ConfiguredQueue>([[defaultQueue, { name: defaultQueue }]]);
    const faults = new Map<string, string>();
    for (const object of objects) {
      try {
        const queue = queueOf({ ...object, apiVersion: 'scheduling.volcano.sh/v1beta1', kind: 'Queue' });
        if (queue !== undefined) {
          const namespaces = namespacesIn(object);
          byName.set(queue.name, { ...queue, ...(namespaces !== undefined && { namespaces }) });
        }
      } catch (error) {
        faults.set(
          asString(asObject(object.metadata).name) ?? '',
          error instanceof Error ? error.message : String(error),
        );
      }
    }
    configured.forEach((queue) => byName.set(queue.name, queue));
    for (const { name } of byName.values()) {
      const circle = circleAbove(name, byName);
      if (circle !== undefined) {
        faults.set(name, `its parents form a cycle: ${circle.join(' -> ')}`);
      }
    }
    this.byName = byName;
    this.faults = faults;
    this.list = [...byName.values()]
      .filter(({ name }) => !faults.has(name))
      .map(({ namespaces: _, ...queue }): Queue => queue);
  }

  has(name: string): boolean {
    return this.byName.has(name) && !this.faults.has(name);
  }

  /** A queue that names no namespaces is open to those of its parent; without a parent that does, to all. */
  allows(name: string, namespace: string): boolean {
    const seen = new Set<string>();
    for (let queue = this.byName.get(name); queue !== undefined && !seen.has(queue.name);) {
      if (queue.namespaces !== undefined) {
        return queue.namespaces.includes(namespace);
      }
      seen.add(queue.name);
      queue = queue.parent === undefined ? undefined : this.byName.get(queue.parent);
    }
    return true;
  }
}

/** The annotation of a Queue, which only those may write who may write Queues. */
function namespacesIn(object: JsonObject): readonly string[] | undefined {
  const text = asString(asObject(asObject(object.metadata).annotations)[GANTRY_NAMESPACES]);
  return text
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The way up from the queue to the first name that comes twice; `undefined` where it ends at a root. */
function circleAbove(name: string, queues: ReadonlyMap<string, ConfiguredQueue>): readonly string[] | undefined {
  const path: string[] = [];
  for (let at: string | undefined = name; at !== undefined; at = queues.get(at)?.parent) {
    const isTwice = path.includes(at);
    path.push(at);
    if (isTwice) {
      return path;
    }
  }
  return undefined;
}
