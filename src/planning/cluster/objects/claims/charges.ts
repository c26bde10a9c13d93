/**
 * What queues are charged for a claim: devices by the extended resource of their class, in the amounts that a ResourceQuota counts.
 *
 * Source of the amounts: kubernetes, pkg/quota/v1/evaluator/core/resource_claims.go (`Usage`). Of alternatives each class counts with the
 * most that any of them takes, and a request for all devices counts as many as a claim can hold: what a tenant lists first, or leaves open,
 * makes nothing cheaper.
 */
import { deviceClassResource } from '../../../../facts/catalog/device-classes';
import { type JsonObject } from '../../../../facts/api/schema';
import { asArray, asInteger, asObject, asString } from '../../../../manifests/read';
import { addTo, type AmountsDraft } from '../../../../manifests/pods/resource-amounts';
import { DEVICES_OF_CLAIM } from '../../../../placement/model/claims';

/** The spec of a DeviceClass, by its name. */
export type ClassSpecOf = (name: string) => JsonObject | undefined;

/** @param spec of the claim */
export function chargedDevices(spec: JsonObject, classOf: ClassSpecOf): AmountsDraft {
  const charged: AmountsDraft = {};
  for (const request of asArray(asObject(spec.devices).requests).map(asObject)) {
    const listed = asArray(request.firstAvailable).map(asObject);
    const single = request.exactly === undefined ? request : asObject(request.exactly);
    const most: AmountsDraft = {};
    for (const alternative of listed.length > 0 ? listed : [single]) {
      const resource = chargedAs(asString(alternative.deviceClassName) ?? '', classOf);
      // Devices that are used with admin access stay free for others.
      if (resource !== undefined && alternative.adminAccess !== true) {
        const part = partOf(
          expressionsOf(alternative),
          expressionsOf(classOf(asString(alternative.deviceClassName) ?? '')),
        );
        most[resource] = Math.max(most[resource] ?? 0, countOf(alternative) * part);
      }
    }
    addTo(charged, most);
  }
  return charged;
}

function countOf({ allocationMode, count }: JsonObject): number {
  return allocationMode === 'All' ? DEVICES_OF_CLAIM : (asInteger(count) ?? 1);
}

/** The whole of a selector: a condition that can be avoided says nothing. */
const PROFILE = /^\s*device\.attributes\[["'][^"']+["']\]\.profile\s*==\s*["'](\d)g\.[^"']+["']\s*$/;
/** Compute slices of a GPU that is divided by MIG. */
const MIG_SLICES = 7;

/** A MIG instance of a stated profile counts as its share of the compute slices, every other device as a whole one. */
function partOf(...expressions: readonly (readonly string[])[]): number {
  const slices = expressions.flat().map((text) => Number(PROFILE.exec(text)?.[1] ?? MIG_SLICES));
  return Math.min(MIG_SLICES, ...slices) / MIG_SLICES;
}

function expressionsOf(spec: JsonObject | undefined): readonly string[] {
  return asArray(spec?.selectors).flatMap(
    (selector) => asString(asObject(asObject(selector as JsonObject).cel).expression) ?? [],
  );
}

/** `device.driver == "gpu.nvidia.com"`, as classes select the devices of one driver. */
const DRIVER = /\bdevice\.driver\s*==\s*["']([^"']+)["']/;

/** The resource that devices of the class are charged as; `undefined` where nothing says what they are. */
export function chargedAs(className: string, classOf: ClassSpecOf): string | undefined {
  const spec = classOf(className);
  const known = asString(spec?.extendedResourceName) ?? deviceClassResource(className);
  if (known !== undefined) {
    return known;
  }
  const drivers = expressionsOf(spec).map((text) => DRIVER.exec(text)?.[1] ?? '');
  return drivers.map(deviceClassResource).find((resource) => resource !== undefined);
}
