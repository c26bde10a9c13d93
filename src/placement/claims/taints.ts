/** Taints of devices, which the requests that tolerate them may use. */
import { type DeviceTaint, type DeviceToleration } from '../model/claims';

/** Effects that keep claims off a device; others only inform. */
const KEEPS_OFF: ReadonlySet<string> = new Set(['NoSchedule', 'NoExecute']);

/** The first taint that keeps a request with these tolerations off a device; `undefined` where none does. */
export function taintInTheWay(
  taints: readonly DeviceTaint[],
  tolerations: readonly DeviceToleration[],
): DeviceTaint | undefined {
  return taints.find((taint) => KEEPS_OFF.has(taint.effect) && !tolerations.some((one) => tolerates(one, taint)));
}

function tolerates({ key, operator = 'Equal', value = '', effect }: DeviceToleration, taint: DeviceTaint): boolean {
  if ((effect ?? '') !== '' && effect !== taint.effect) {
    return false;
  }
  if ((key ?? '') !== '' && key !== taint.key) {
    return false;
  }
  return operator === 'Exists' || (operator === 'Equal' && value === (taint.value ?? ''));
}
