/**
 * Gangs that have waited for a part of a device for as long as `Policy.sharedDeviceWaitSeconds` allows.
 *
 * Such a gang comes before all other claims, and may evict gangs of lower priority from shared devices even in other queues. It does so
 * only while its queue stays within its fair share: then no queue can reclaim from it what it got, and nothing is evicted back and forth.
 */
import { isShared } from '../nodes/devices';
import { runs } from '../books/needs';
import { type GangRecord } from '../books/records';
import { type Session } from '../books/session';

/** O(pods) of gangs with a priority, where the policy has a bound; otherwise O(1). */
export function isOverdue({ now, policy }: Pick<Session, 'now' | 'policy'>, gang: GangRecord): boolean {
  return (
    gang.priority > 0 &&
    now - gang.arrival >= policy.sharedDeviceWaitSeconds * 1000 &&
    gang.queue !== undefined &&
    !runs(gang) &&
    usesSharedDevices(gang)
  );
}

/** Does any pod of the gang take a part of a device? */
export function usesSharedDevices({ roles }: GangRecord): boolean {
  return roles.some(({ pods }) => pods.some(({ podClass }) => isShared(podClass)));
}
