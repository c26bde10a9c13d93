/**
 * What a class prefers of a node whatever runs there: preferred node affinity, and taints that only prefer to keep it away. From -1 to 1.
 */
import { matchesTerm, tolerates } from '../../nodes/filters/selectors';
import { type NodeTable } from '../../nodes/node-table';
import { type PodClass } from '../../nodes/pod-class';

/** One number per row, or undefined when every node is the same to the class. */
export function preferenceRow(table: NodeTable, { template }: PodClass): Float64Array | undefined {
  const wishes = template.preferredNodeTerms ?? [];
  if (wishes.length === 0 && !table.softTaints) {
    return undefined;
  }
  const weights = wishes.reduce((sum, { weight }) => sum + weight, 0);
  const row = Float64Array.from(table.nodes, (node) => {
    const met = wishes.reduce((sum, { weight, term }) => sum + (matchesTerm(node, term) ? weight : 0), 0);
    const against = (node.taints ?? []).some(
      (taint) =>
        taint.effect === 'PreferNoSchedule' &&
        !(template.tolerations ?? []).some((toleration) => tolerates(toleration, taint)),
    );
    return (weights === 0 ? 0 : met / weights) - (against ? 1 : 0);
  });
  return row.some((value) => value !== row[0]) ? row : undefined;
}

/** What fresh reports say against a row: mean utilization, and latency against 100 ms. From 0 to 1. */
export function signalPenalty(table: NodeTable, row: number): number {
  let sum = 0;
  let known = 0;
  for (let slot = table.deviceStart[row]; slot < table.deviceStart[row + 1]; slot++) {
    const report = table.deviceReport[slot];
    if (report !== undefined) {
      const utilization = Math.min(1, report.utilization ?? 0);
      const latency = Math.min(1, (report.latencyMs ?? 0) / FULL_LATENCY);
      sum += Math.max(utilization, latency);
      known++;
    }
  }
  return known === 0 ? 0 : sum / known;
}

/** Latency that counts as bad as full utilization, milliseconds. */
const FULL_LATENCY = 100;
