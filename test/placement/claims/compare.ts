/** One line that states an allocation, to compare and to record. */
import { type DeviceAllocation, allocateDevices } from '../../../src/placement/claims/allocate';
import { type AllocatedDevice } from '../../../src/placement/model/claims';
import { NODE, type World } from './worlds';

export function allocated(world: World): DeviceAllocation {
  return allocateDevices(world.claims, { slices: world.slices, held: world.held, node: NODE });
}

export function lineOf(claims: readonly (readonly AllocatedDevice[])[] | undefined): string {
  return claims === undefined
    ? 'none'
    : claims
        .map((devices) => devices.map((one) => `${one.request}=${one.driver}/${one.pool}/${one.device}`).join(','))
        .join(';');
}
