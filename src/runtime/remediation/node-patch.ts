/**
 * Patches of a Node: one that makes and removes marks and writes the record of it, and one of the condition that requests a repair. The resource
 * version is part of the first: the list of taints is replaced, and a change by others in between must not be lost.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { GANTRY_REMEDIATION, GANTRY_UNHEALTHY_TAINT } from '../../facts/catalog/gantry-names';
import { REPAIR_REQUESTED_CONDITION } from '../../facts/catalog/node-conditions';
import { asArray, asObject } from '../../manifests/read';
import {
  DRIVER_UPGRADE_ANNOTATION,
  type Mark,
  recordText,
  type RemediationNode,
  type RemediationSettings,
  type RemediationStep,
} from '../../planning/remediation';
import { timeText } from '../api/clock';

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

/** What the condition should be; `undefined` if it is that. The record decides, so that a patch that failed is made up for. */
export function repairCondition(node: RemediationNode, now: number): JsonObject | undefined {
  const isWanted = node.record.marks.includes('request-repair');
  if (node.problems.includes(REPAIR_REQUESTED_CONDITION) === isWanted) {
    return undefined;
  }
  const condition = {
    type: REPAIR_REQUESTED_CONDITION,
    status: isWanted ? 'True' : 'False',
    reason: isWanted ? 'RemediationRequested' : 'NoCause',
    message: isWanted ? node.record.why.join('. ') : 'Remediation requests no repair',
    lastHeartbeatTime: timeText(now),
    lastTransitionTime: timeText(now),
  };
  return { status: { conditions: [condition] } };
}
