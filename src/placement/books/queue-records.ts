/**
 * The working form of queues: what each states by account, and its place in the tree.
 */
import { SnapshotError } from '../model/facts';
import { type Queue } from '../model/model';
import { compareNames } from '../model/names';
import { type PodClass } from '../nodes/pod-class';
import { type QueueRecord } from './records';

/** What queues are charged in. */
export function accountNames(classes: Iterable<PodClass>, queues: Iterable<Queue>): string[] {
  const names = new Set<string>(['cpu', 'memory']);
  for (const { charge } of classes) {
    charge.forEach((_, name) => names.add(name));
  }
  for (const { deserved, guarantee, capability } of queues) {
    [deserved, guarantee, capability].forEach((amounts) =>
      Object.keys(amounts ?? {}).forEach((name) => names.add(name)),
    );
  }
  return [...names].sort(compareNames);
}

/** Sorted by name, but every queue after its parent. */
export function queueRecords(queues: readonly Queue[], accounts: readonly string[]): QueueRecord[] {
  const byName = new Map(queues.map((queue) => [queue.name, queue]));
  const records = new Map<string, QueueRecord>();
  const make = (queue: Queue, path: readonly string[]): QueueRecord => {
    const known = records.get(queue.name);
    if (known !== undefined) {
      return known;
    }
    if (path.includes(queue.name)) {
      throw new SnapshotError(`Queue "${queue.name}" is its own ancestor: ${[...path, queue.name].join(' -> ')}.`);
    }
    const parentQueue = queue.parent === undefined ? undefined : byName.get(queue.parent);
    const parent = parentQueue === undefined ? undefined : make(parentQueue, [...path, queue.name]);
    const record: QueueRecord = {
      index: records.size,
      queue,
      parent,
      children: [],
      depth: parent === undefined ? 0 : parent.depth + 1,
      allocated: new Float64Array(accounts.length),
      nonPreemptible: new Float64Array(accounts.length),
      requested: new Float64Array(accounts.length),
      fairShare: new Float64Array(accounts.length),
      deserved: Float64Array.from(accounts, (name) => {
        const amount = queue.deserved?.[name];
        return amount === 'unlimited' ? Infinity : (amount ?? 0);
      }),
      hasQuota: accounts.map((name) => queue.deserved?.[name] !== undefined),
      capability: Float64Array.from(accounts, (name) => queue.capability?.[name] ?? Infinity),
    };
    records.set(queue.name, record);
    parent?.children.push(record);
    return record;
  };
  [...queues].sort((a, b) => compareNames(a.name, b.name)).forEach((queue) => make(queue, []));
  return [...records.values()];
}
