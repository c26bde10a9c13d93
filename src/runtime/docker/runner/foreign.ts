/**
 * Devices that containers hold which the runner did not start: they are not promised to tasks.
 */
import { type ContainerSummary } from '../engine/answers';
import { type Inventory } from '../devices/inventory';
import { LABELS } from './container-spec';
import { type EngineCalls } from './runner-types';

const RUNNING: ReadonlySet<string> = new Set(['running', 'paused', 'restarting']);

export async function foreignDevices(
  engine: Pick<EngineCalls, 'inspect'>,
  containers: readonly ContainerSummary[],
  inventory: Inventory,
): Promise<ReadonlySet<string>> {
  const held = new Set<string>();
  for (const { Id, Labels, State } of containers) {
    if (RUNNING.has(State) && !Object.hasOwn(Labels ?? {}, LABELS.runner)) {
      const found = await engine.inspect(Id);
      for (const request of found?.HostConfig?.DeviceRequests ?? []) {
        devicesOf(request, inventory).forEach((id) => held.add(id));
      }
    }
  }
  return held;
}

type Request = { readonly DeviceIDs?: readonly string[] | null; readonly Count?: number };

/** A request by count gets the first devices; -1 all of them. */
function devicesOf({ DeviceIDs, Count = 0 }: Request, { devices }: Inventory): readonly string[] {
  const names = DeviceIDs ?? [];
  if (names.length === 0) {
    return (Count < 0 ? devices : devices.slice(0, Count)).map(({ id }) => id);
  }
  return devices.flatMap(({ id, cdi }, index) => {
    const own = [id, cdi, String(index), `nvidia.com/gpu=${id}`, `nvidia.com/gpu=${index}`, `amd.com/gpu=${index}`];
    return names.some((name) => own.includes(name) || /=all$|^all$/.test(name)) ? [id] : [];
  });
}
