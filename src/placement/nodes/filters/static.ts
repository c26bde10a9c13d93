/**
 * Constraints that depend on the node alone and not on what runs there: asked once for a pod class and a node, then kept.
 */
import { type Constraint } from '../../model/decision';
import { type ClusterNode, type PodTemplate, type Taint } from '../../model/model';
import { type NodeTable } from '../node-table';
import { type PodClass } from '../pod-class';
import { matchesAnyTerm, matchesLabels, tolerates, untoleratedTaint } from './selectors';

/** In the order in which they are tested; the place in the list plus one is the code in a row of results. */
export const STATIC_CONSTRAINTS = [
  'not-ready',
  'unschedulable',
  'node-name',
  'taints',
  'node-selector',
  'node-affinity',
  'volume-affinity',
  'device-model',
  'devices',
] as const satisfies readonly Constraint[];

const NO_TOLERATIONS: NonNullable<PodTemplate['tolerations']> = [];
const CORDON: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** One code per node: 0 where the class may run, else which constraint forbids it. */
export function staticRow(table: NodeTable, podClass: PodClass): Uint8Array {
  const codes = new Uint8Array(table.count);
  for (let row = 0; row < table.count; row++) {
    codes[row] = staticCode(table, podClass, row);
  }
  return codes;
}

export function staticCode(table: NodeTable, podClass: PodClass, row: number): number {
  const constraint = nodeConstraint(table.nodes[row], podClass.template) ?? deviceConstraint(table, row, podClass);
  return constraint === undefined ? 0 : STATIC_CONSTRAINTS.indexOf(constraint) + 1;
}

export type StaticConstraint = (typeof STATIC_CONSTRAINTS)[number];

/** What of the node itself keeps pods of this template away; neither resources nor devices are asked. */
export function nodeConstraint(node: ClusterNode, template: PodTemplate): StaticConstraint | undefined {
  const { nodeName, nodeSelector, nodeTerms, volumeNodeTerms, tolerations = NO_TOLERATIONS } = template;
  if (node.ready === false) {
    return 'not-ready';
  }
  if (node.unschedulable === true && !tolerations.some((toleration) => tolerates(toleration, CORDON))) {
    return 'unschedulable';
  }
  if (nodeName !== undefined && nodeName !== node.name) {
    return 'node-name';
  }
  if (node.taints !== undefined && untoleratedTaint(node.taints, tolerations) !== undefined) {
    return 'taints';
  }
  if (nodeSelector !== undefined && !matchesLabels(node.labels ?? {}, nodeSelector)) {
    return 'node-selector';
  }
  if (nodeTerms !== undefined && !matchesAnyTerm(node, nodeTerms)) {
    return 'node-affinity';
  }
  if (volumeNodeTerms !== undefined && !volumeNodeTerms.every((terms) => matchesAnyTerm(node, terms))) {
    return 'volume-affinity';
  }
  return undefined;
}

function deviceConstraint(
  table: NodeTable,
  row: number,
  { models, deviceCount, deviceResource }: PodClass,
): StaticConstraint | undefined {
  if (deviceResource !== undefined && !table.gives(row, deviceResource)) {
    return 'devices';
  }
  if (models === undefined) {
    return undefined;
  }
  let matching = 0;
  for (let slot = table.deviceStart[row]; slot < table.deviceStart[row + 1]; slot++) {
    matching += models.has(table.deviceModel[slot]) ? 1 : 0;
  }
  return matching >= deviceCount ? undefined : 'device-model';
}
