/**
 * The GPU requests of a Compose file, service by service. What Compose replaces when it runs, such as `${COUNT}`, is not known here.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { own, reservationsOf } from '../../../manifests/documents/compose-file';
import { pointer } from '../../../manifests/pointer';
import { asArray, asString, isObject } from '../../../manifests/read';

export interface ServiceView {
  readonly name: string;
  readonly value: JsonObject;
  readonly path: string;
}

/** An entry of `deploy.resources.reservations.devices` or of `gpus`. */
export interface RequestView {
  readonly service: ServiceView;
  readonly value: JsonObject;
  readonly path: string;
  readonly isReservation: boolean;
}

export function servicesOf(file: JsonObject): readonly ServiceView[] {
  const services = own(file, 'services');
  return isObject(services)
    ? Object.entries(services).flatMap(([name, value]) =>
        isObject(value) ? [{ name, value, path: pointer('/services', name) }] : [],
      )
    : [];
}

/** The lists of requests of a service, with their places. */
export function listsOf({ value, path }: ServiceView): readonly {
  readonly value: JsonValue | undefined;
  readonly path: string;
  readonly isReservation: boolean;
}[] {
  return [
    {
      value: reservationsOf(value),
      path: `${path}/deploy/resources/reservations/devices`,
      isReservation: true,
    },
    { value: own(value, 'gpus'), path: `${path}/gpus`, isReservation: false },
  ];
}

export function requestsOf(file: JsonObject): readonly RequestView[] {
  return servicesOf(file).flatMap((service) =>
    listsOf(service).flatMap(({ value, path, isReservation }) =>
      asArray(value).flatMap((entry, index) =>
        isObject(entry) ? [{ service, value: entry, path: pointer(path, index), isReservation }] : [],
      ),
    ),
  );
}

/** A text that Compose replaces when it runs. */
export function isReplaced(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && /\$(?!\$)/.test(value);
}

/** A member that is set. What is reset in an override (`!reset null`) is read as `null`, a text. */
export function given(request: JsonObject, key: string): JsonValue | undefined {
  const value = own(request, key);
  return isUnset(value) ? undefined : value;
}

export function isUnset(value: JsonValue | undefined): value is undefined {
  return value === undefined || value === null || value === 'null';
}

/** Whether a request is for devices by their CDI names. */
export function isCdiRequest({ value }: RequestView): boolean {
  return given(value, 'driver') === 'cdi';
}

export function isAll(value: JsonValue | undefined): boolean {
  return value === -1 || /^(all|-1)$/i.test(asString(value) ?? '');
}

/** Ids of a request that are known here. */
export function idsOf({ value }: RequestView): readonly string[] {
  return asArray(given(value, 'device_ids')).flatMap((id) => (isReplaced(id) ? [] : (asString(id) ?? [])));
}
