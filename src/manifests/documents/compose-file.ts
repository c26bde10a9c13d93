/**
 * Compose files: recognized by their contents where a service asks for GPUs, so that rules can check them. They are files of a host, not Kubernetes objects.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { asArray, asString, isObject } from '../read';

/** Kind of a manifest that is a Compose file with GPUs. */
export const COMPOSE_FILE = 'ComposeFile' as const;

const CDI_DEVICE = /^[a-z0-9][a-z0-9.-]*\/[A-Za-z0-9_-]+=.+$/;
const GPU_RUNTIME = /^(nvidia|amd)/;

export function own(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function isCompose(value: JsonObject): boolean {
  const services = own(value, 'services');
  return isObject(services) && Object.values(services).some(isObject);
}

/** The device reservations of a service, as they are written. */
export function reservationsOf(service: JsonObject): JsonValue | undefined {
  return own(own(own(own(service, 'deploy'), 'resources'), 'reservations'), 'devices');
}

export function isCdiName(text: string): boolean {
  return CDI_DEVICE.test(text);
}

export function isGpuRuntime(runtime: JsonValue | undefined): boolean {
  return GPU_RUNTIME.test(asString(runtime) ?? '');
}

/** Whether a service asks for GPUs in one of the ways that Compose knows. */
export function composeUsesGpus(value: JsonObject): boolean {
  const services = own(value, 'services');
  return (
    isCompose(value) &&
    Object.values(services as JsonObject).some(
      (service) =>
        isObject(service) &&
        (Object.hasOwn(service, 'gpus') ||
          reservationsOf(service) !== undefined ||
          isGpuRuntime(own(service, 'runtime')) ||
          asArray(own(service, 'devices')).some((device) => isCdiName(asString(device) ?? ''))),
    )
  );
}
