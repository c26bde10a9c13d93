/**
 * What is wrong with a Node by its own conditions, and what remediation did to it: for people who look at a plan or a running scheduler.
 * No decision depends on it; what keeps pods away is a taint, a cordon, or a device that is not offered.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { GANTRY_REMEDIATION } from '../../../facts/catalog/gantry-names';
import { NODE_AGENT_CONDITIONS, REPAIR_REQUESTED_CONDITION } from '../../../facts/catalog/node-conditions';
import { asArray, asObject, asString } from '../../../manifests/read';
import { readRecord } from '../../remediation';
import { type ViewNodeHealth } from '../view/view';

/** Conditions of which `True` is a problem. Of a condition that is not known here, `True` may be good. */
const PROBLEMS: ReadonlySet<string> = new Set([
  ...NODE_AGENT_CONDITIONS,
  REPAIR_REQUESTED_CONDITION,
  'MemoryPressure',
  'DiskPressure',
  'PIDPressure',
  'NetworkUnavailable',
]);

/** A message is from a program on the node, and may be of any length. */
const LONGEST_MESSAGE = 200;
const MOST_REASONS = 4;

/** @returns `undefined` for a node without a problem that remediation did nothing to */
export function nodeHealthOf(node: JsonObject): ViewNodeHealth | undefined {
  const problems = asArray(asObject(node.status).conditions)
    .map(asObject)
    .flatMap(({ type, status, message }) => {
      const name = asString(type) ?? '';
      const text = (asString(message) ?? '').slice(0, LONGEST_MESSAGE);
      return status === 'True' && PROBLEMS.has(name)
        ? [{ condition: name, ...(text !== '' && { message: text }) }]
        : [];
    });
  const annotations = asObject(asObject(node.metadata).annotations);
  const text = Object.hasOwn(annotations, GANTRY_REMEDIATION) ? asString(annotations[GANTRY_REMEDIATION]) : undefined;
  const { marks, why, clearing } = readRecord(text);
  const evicts = [...new Set(clearing.map(({ gang }) => gang))];
  return problems.length + marks.length + why.length + evicts.length === 0
    ? undefined
    : {
        problems,
        ...(marks.length > 0 && { marks }),
        ...(evicts.length > 0 && { evicts }),
        ...(why.length > 0 && { why: why.slice(-MOST_REASONS) }),
      };
}
