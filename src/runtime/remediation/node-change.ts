/**
 * Which changes of a Node a rule may read.
 */
import { type JsonObject } from '../../facts/api/schema';
import { GANTRY_REMEDIATION } from '../../facts/catalog/gantry-names';
import { asObject } from '../../manifests/read';

/** A heartbeat of the kubelet changes nothing that a rule reads. */
export function differs(before: JsonObject | undefined, after: JsonObject | undefined): boolean {
  return before === undefined || after === undefined || essence(before) !== essence(after);
}

function essence({ metadata, spec, status }: JsonObject): string {
  const { labels, annotations } = asObject(metadata);
  const { unschedulable, taints } = asObject(spec);
  const { conditions } = asObject(status);
  const states = (Array.isArray(conditions) ? conditions : []).map(asObject).map((one) => [one.type, one.status]);
  return JSON.stringify([labels, asObject(annotations)[GANTRY_REMEDIATION], unschedulable, taints, states]);
}
