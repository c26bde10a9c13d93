/**
 * References to queues. A reference carries the engine whose queue it is, so that `submitTo(queue)` alone decides how a workload is
 * scheduled. Queues of two engines may have one name; they never have one type.
 */

/** Scheduling systems that have queues. */
export type QueueEngine = 'volcano' | 'kueue' | 'kai' | 'gantry';

/** A Queue of Volcano: `volcano.Queue`, `volcano.Queue.fromName('research')`, `team.queue`. */
export interface VolcanoQueueReference {
  /** Marks the queue as one of Volcano. */
  readonly engine: 'volcano';
  /** Name of the Queue. */
  readonly name: string;
}

/** A LocalQueue of Kueue: `kueue.LocalQueue`, `kueue.LocalQueue.fromName('team-a')`. */
export interface KueueQueueReference {
  /** Marks the queue as one of Kueue. */
  readonly engine: 'kueue';
  /** Name of the LocalQueue. */
  readonly name: string;
  /** Namespace of the queue, which must be the workload's. @default - not known */
  readonly namespace?: string;
}

/** A Queue of the KAI scheduler: `kai.Queue.fromName('team-a')`. */
export interface KaiQueueReference {
  /** Marks the queue as one of KAI Scheduler. */
  readonly engine: 'kai';
  /** Name of the Queue. */
  readonly name: string;
}

/** A queue of Gantry's scheduler: `gantryScheduler.queue('research')`, `GantryQueue.fromName('research')`. */
export interface GantryQueueReference {
  /** Marks the queue as one of Gantry's scheduler. */
  readonly engine: 'gantry';
  /** Name of the queue. */
  readonly name: string;
  /** `schedulerName` of the scheduler that has the queue. @default gantry */
  readonly schedulerName?: string;
}

interface QueueReferences {
  readonly volcano: VolcanoQueueReference;
  readonly kueue: KueueQueueReference;
  readonly kai: KaiQueueReference;
  readonly gantry: GantryQueueReference;
}

/** A queue of any engine. `engine` tells them apart. */
export type QueueReference = QueueReferences[QueueEngine];

/** The queues of some engines: `QueueReferenceOf<'volcano' | 'gantry'>`. */
export type QueueReferenceOf<Engine extends string> = QueueReferences[Engine & QueueEngine];

/** What a queue of each engine is called, in messages. */
const TITLES: Readonly<Record<QueueEngine, string>> = {
  volcano: 'Volcano queue',
  kueue: 'Kueue LocalQueue',
  kai: 'KAI queue',
  gantry: 'Gantry queue',
};

/** How a queue of each engine is referred to, for messages. */
const FROM_NAME: Readonly<Record<QueueEngine, string>> = {
  volcano: 'volcano.Queue.fromName',
  kueue: 'kueue.LocalQueue.fromName',
  kai: 'kai.Queue.fromName',
  gantry: 'GantryQueue.fromName',
};

/** For example `Volcano queue "research"`. */
export function queueTitle({ engine, name }: QueueReference): string {
  return `${TITLES[engine]} "${name}"`;
}

/**
 * Holds a value from outside against what a queue reference is; JavaScript and casts pass anything.
 *
 * @param where the API that got the value, for the message
 * @param engines the engines whose queues are accepted
 * @throws if the value is not a queue reference, or belongs to another engine
 */
export function requireQueue<Engine extends QueueEngine>(
  where: string,
  value: unknown,
  engines: readonly Engine[],
): asserts value is QueueReferenceOf<Engine> {
  const wanted = engines.map((engine) => TITLES[engine]).join(', ');
  const found = engineOf(value);
  if (found === undefined) {
    throw new Error(
      `${where}: must be a queue reference (${wanted}), got ${shown(value)}. ` +
        `Pass the queue construct, or refer to a queue in the cluster by ${engines.map((engine) => FROM_NAME[engine]).join(', ')}.`,
    );
  }
  if (!(engines as readonly QueueEngine[]).includes(found.engine)) {
    throw new Error(`${where}: must be a ${wanted}, got the ${queueTitle(found)}. Pass a ${wanted}.`);
  }
}

function engineOf(value: unknown): QueueReference | undefined {
  if (typeof value !== 'object' || value === null || !('engine' in value) || !('name' in value)) {
    return undefined;
  }
  const { engine, name } = value;
  return typeof engine === 'string' && Object.hasOwn(TITLES, engine) && typeof name === 'string' && name !== ''
    ? (value as QueueReference)
    : undefined;
}

function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'string' ? `"${value}"` : String(value);
  }
  const { name } = value.constructor as { readonly name?: string };
  const plain = Object.getPrototypeOf(value) === Object.prototype;
  return plain ? JSON.stringify(value) : `an object of class ${name ?? 'unknown'}`;
}
