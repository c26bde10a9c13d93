/**
 * What a ResourceQuota counts of a ResourceClaim: the devices of each class that its requests may take at most.
 *
 * Source: Kubernetes 1.36, pkg/quota/v1/evaluator/core/resource_claims.go. The counts by extended resource follow from the device classes of
 * the cluster, and are not counted here.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { Quantity } from '../../../manifests/values/quantity';
import { asInteger, asString, isObject, objectsAt } from '../../../manifests/read';

/** The most devices that one claim can get. */
const MOST_DEVICES = 32;

/** @param spec the spec of the claim */
export function claimedDevices(spec: JsonObject): ReadonlyMap<string, Quantity> {
  const use = new Map<string, number>();
  for (const { value: request } of objectsAt(spec, '/devices/requests')) {
    for (const [deviceClass, count] of devicesOf(request)) {
      const key = `${deviceClass}.deviceclass.resource.k8s.io/devices`;
      use.set(key, (use.get(key) ?? 0) + count);
    }
  }
  return new Map([...use].map(([key, count]) => [key, Quantity.of(count)]));
}

/** By class; of alternatives, the one that takes most of a class counts. Older versions state one request without `exactly`. */
function devicesOf(request: JsonObject): ReadonlyMap<string, number> {
  const alternatives = objectsAt(request, '/firstAvailable').map(({ value }) => value);
  const exactly = isObject(request.exactly) ? request.exactly : request;
  const devices = new Map<string, number>();
  for (const one of alternatives.length > 0 ? alternatives : [exactly]) {
    const deviceClass = asString(one.deviceClassName);
    if (deviceClass !== undefined && deviceClass !== '') {
      devices.set(deviceClass, Math.max(devices.get(deviceClass) ?? 0, countOf(one)));
    }
  }
  return devices;
}

function countOf({ allocationMode, count }: JsonObject): number {
  return allocationMode === 'All' ? MOST_DEVICES : Math.max(0, asInteger(count) ?? 1);
}
