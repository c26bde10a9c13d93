/**
 * One patch of a Node that makes and removes marks, and writes the record of it. The resource version is part of it: the list of taints is
 * replaced, and a change by others in between must not be lost.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { GANTRY_REMEDIATION, GANTRY_UNHEALTHY_TAINT } from '../../facts/catalog/gantry-names';
import { asArray, asObject } from '../../manifests/read';
import {
  DRIVER_UPGRADE_ANNOTATION,
  type Mark,
  recordText,
  type RemediationSettings,
  type RemediationStep,
} from '../../planning/remediation';

export function nodePatch(node: JsonObject, step: RemediationStep, settings: RemediationSettings): JsonObject {
  const { resourceVersion } = asObject(node.metadata);
  const { add, remove, record } = step;
  const annotations: Record<string, JsonValue> = { [GANTRY_REMEDIATION]: recordText(record) ?? null };
  const annotate = (mark: Mark, key: string): void => {
    if (add.includes(mark)) {
      annotations[key] = 'true';
    } else if (remove.includes(mark)) {
      annotations[key] = null;
    }
  };
  annotate('request-driver-upgrade', DRIVER_UPGRADE_ANNOTATION);
  annotate('request-repair', settings.repairAnnotation);
  const spec = { ...cordon(step), ...taints(asArray(asObject(node.spec).taints), step) };
  return {
    metadata: { resourceVersion, annotations },
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  };
}

function cordon({ add, remove }: RemediationStep): JsonObject {
  return add.includes('cordon') ? { unschedulable: true } : remove.includes('cordon') ? { unschedulable: null } : {};
}

function taints(existing: readonly JsonValue[], { add, remove }: RemediationStep): JsonObject {
  if (!add.includes('taint') && !remove.includes('taint')) {
    return {};
  }
  const others = existing.filter((taint) => asObject(taint).key !== GANTRY_UNHEALTHY_TAINT);
  const own = { key: GANTRY_UNHEALTHY_TAINT, value: 'true', effect: 'NoSchedule' };
  return { taints: add.includes('taint') ? [...others, own] : others };
}
