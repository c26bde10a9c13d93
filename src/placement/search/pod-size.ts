/**
 * Which pods are hardest to place.
 */
import { type NodeTable, WHOLE } from '../nodes/node-table';
import { type PodClass } from '../nodes/pod-class';

/** What makes a pod hard to place: devices first, then its part of the cluster's CPU and memory. */
export function sizeIn(table: NodeTable, { accelerator, deviceCount, columns, amounts }: PodClass): number {
  const devices = accelerator?.kind === 'fraction' ? (deviceCount * accelerator.milli) / WHOLE : deviceCount;
  let part = 0;
  columns.forEach((column, i) => (part = Math.max(part, amounts[i] / (table.largest(column) || 1))));
  return devices + part;
}

/** The order in which pods of several classes are placed: negative when `a` is larger. */
export function largestFirst(table: NodeTable): (a: Sized, b: Sized) => number {
  return (a, b) => sizeIn(table, b.podClass) - sizeIn(table, a.podClass);
}

interface Sized {
  readonly podClass: PodClass;
}
