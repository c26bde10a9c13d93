/**
 * By which resources a cluster counts what a task has on this host: the kinds of the CDI names of its devices. Devices without a CDI name are those of the
 * NVIDIA driver.
 */
import { type HostDevice, type Inventory } from '../devices/inventory';
import { isOfModels } from '../devices/model-names';
import { type Task } from '../task/task';

const NVIDIA = 'nvidia.com/gpu';

/** Of the devices that the task has or had; for one that was never placed, of those that it may get. Empty without devices. */
export function resourcesOf(
  { spec, members }: Pick<Task, 'spec' | 'members'>,
  { devices }: Inventory,
): readonly string[] {
  const request = spec.devices;
  if (request.kind === 'none') {
    return [];
  }
  const held = new Set(members.flatMap(({ deviceIds }) => deviceIds));
  const isPossible = ({ id, model }: HostDevice): boolean =>
    held.size > 0 ? held.has(id) : isOfModels(model, request.models);
  return [...new Set(devices.filter(isPossible).map(({ cdi }) => cdi?.split('=')[0] ?? NVIDIA))].sort();
}
