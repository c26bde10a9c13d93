/**
 * Which changes of a Node object say anything new.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, asString } from '../../../manifests/read';
import { type ClusterNode } from '../../../placement';
import { nodeOf } from '../../../planning/cluster/objects';
import { MOST_DEVICES } from '../../../planning/cluster/objects/node-devices';

/** @throws where what the node says cannot be */
export function checkedNode(object: JsonObject): ClusterNode {
  const node = nodeOf(object);
  if ((node.devices?.length ?? 0) >= MOST_DEVICES) {
    throw new Error(`the node reports ${MOST_DEVICES} devices or more, which is not possible`);
  }
  return node;
}

/** A node writes its heartbeat often, and says the same otherwise. */
export function differs(before: JsonObject, after: JsonObject): boolean {
  return JSON.stringify(relevant(before)) !== JSON.stringify(relevant(after));
}

function relevant(node: JsonObject): unknown {
  const { labels, annotations } = asObject(node.metadata);
  const { allocatable, capacity, conditions } = asObject(node.status);
  const ready = (Array.isArray(conditions) ? conditions : []).map(asObject).find(({ type }) => type === 'Ready');
  return [labels, annotations, node.spec, allocatable, capacity, asString(ready?.status)];
}
