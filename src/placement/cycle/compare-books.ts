/**
 * Do two sessions have the same books? Compared by name, as what a session has seen before may have left it with more classes or accounts.
 */
import { type ClaimBooks } from '../books/claim-books';
import { compareText } from '../model/names';
import { type NodeTable } from '../nodes/node-table';
import { DUST } from '../queues/queues';
import { type GangRecord, type QueueRecord } from '../books/records';
import { type Session } from '../books/session';

/** What differs first, in words; undefined where nothing does. O(nodes + devices + gangs). */
export function firstDifference(kept: Session, scratch: Session): string | undefined {
  return (
    nodesDiffer(kept.table, scratch.table) ??
    gangsDiffer(kept, scratch) ??
    queuesDiffer(kept, scratch) ??
    claimsDiffer(kept.ledger.claims, scratch.ledger.claims)
  );
}

function claimsDiffer(a: ClaimBooks, b: ClaimBooks): string | undefined {
  const [known, all] = [a.holders, b.holders];
  for (const [key, pods] of all) {
    const other = known.get(key) ?? 0;
    if (other !== pods) {
      return `the claim ${key} is held ${other} times instead of ${pods} times`;
    }
  }
  if (known.size !== all.size) {
    return `there are ${known.size} claims with devices instead of ${all.size}`;
  }
  const [held, expected] = [heldText(a), heldText(b)];
  return held === expected ? undefined : `claims hold ${held} instead of ${expected}`;
}

function heldText({ holdings: { whole, shares } }: ClaimBooks): string {
  const amounts = [...shares].map(([key, share]) => `${key}: ${[...share].map(String).sort(compareText).join(' ')}`);
  return [...[...whole].sort(compareText), ...amounts.sort(compareText)].join('; ').replaceAll('\0', '/');
}

function nodesDiffer(a: NodeTable, b: NodeTable): string | undefined {
  if (a.count !== b.count || a.nodes.some(({ name }, row) => name !== b.nodes[row].name)) {
    return `there are ${a.count} nodes instead of ${b.count}, or others`;
  }
  for (const [name, column] of b.columns) {
    const other = a.columns.get(name);
    for (let row = 0; row < b.count; row++) {
      const free = other === undefined ? 0 : a.free[other][row];
      if (free !== b.free[column][row]) {
        return `node "${b.nodes[row].name}" has ${free} ${name} free instead of ${b.free[column][row]}`;
      }
    }
  }
  for (let row = 0; row < b.count; row++) {
    const [from, to] = [b.deviceStart[row], b.deviceStart[row + 1]];
    for (let slot = from; slot < to; slot++) {
      if (a.deviceFree[slot] !== b.deviceFree[slot]) {
        const device = `device ${slot - from} of node "${b.nodes[row].name}"`;
        return `${device} has ${a.deviceFree[slot]} thousandths free instead of ${b.deviceFree[slot]}`;
      }
    }
  }
  return undefined;
}

function gangsDiffer(a: Session, b: Session): string | undefined {
  const known = new Map(a.gangs.map((record) => [record.gang.name, record]));
  if (known.size !== b.gangs.length) {
    return `there are ${known.size} gangs instead of ${b.gangs.length}`;
  }
  for (const record of b.gangs) {
    const other = known.get(record.gang.name);
    if (other === undefined || textOf(other) !== textOf(record)) {
      const is = other === undefined ? 'is not known' : textOf(other);
      return `gang "${record.gang.name}" ${is} instead of ${textOf(record)}`;
    }
  }
  return undefined;
}

function textOf({ placed, size, needed }: GangRecord): string {
  return `has ${placed} of ${size} pods and needs ${needed}`;
}

function queuesDiffer(a: Session, b: Session): string | undefined {
  const known = new Map(a.queues.map((record) => [record.queue.name, record]));
  for (const record of b.queues) {
    const other = known.get(record.queue.name);
    for (const [account, name] of b.accounts.entries()) {
      const at = a.accounts.indexOf(name);
      for (const what of ['requested', 'allocated', 'nonPreemptible'] as const) {
        const amount = other === undefined || at < 0 ? 0 : amountIn(other, what, at);
        if (Math.abs(amount - amountIn(record, what, account)) > DUST) {
          return `queue "${record.queue.name}" has ${amount} ${name} ${what} instead of ${amountIn(record, what, account)}`;
        }
      }
    }
  }
  return known.size === b.queues.length ? undefined : `there are ${known.size} queues instead of ${b.queues.length}`;
}

function amountIn(queue: QueueRecord, what: 'requested' | 'allocated' | 'nonPreemptible', account: number): number {
  return queue[what][account];
}
