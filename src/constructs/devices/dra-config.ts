/**
 * How NVIDIA's DRA driver decodes its configurations: strictly, into these fields and types.
 *
 * Source: dra-driver-nvidia-gpu, api/nvidia.com/resource/v1beta1 (StrictDecoder and the types), sharing.go, iommu.go.
 */
import { oneOf } from '../../facts/words';
import { type Violation } from '../../checks/rules/rule';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { pointer } from '../../manifests/pointer';
import { parseQuantity } from '../../manifests/values/quantity';
import { isObject } from '../../manifests/read';

type Type = 'a string' | 'an integer' | 'true or false' | 'a quantity' | 'a map of quantities';
interface Fields {
  readonly [field: string]: Type | Fields;
}

const MPS: Fields = {
  defaultActiveThreadPercentage: 'an integer',
  defaultPinnedDeviceMemoryLimit: 'a quantity',
  defaultPerDevicePinnedMemoryLimit: 'a map of quantities',
};

const FIELDS: ReadonlyMap<string, Fields> = new Map<string, Fields>([
  ['GpuConfig', { sharing: { strategy: 'a string', timeSlicingConfig: { interval: 'a string' }, mpsConfig: MPS } }],
  ['MigDeviceConfig', { sharing: { strategy: 'a string', mpsConfig: MPS } }],
  ['VfioDeviceConfig', { iommu: { backendPolicy: 'a string', enableAPIDevice: 'true or false' } }],
  ['ComputeDomainChannelConfig', { domainID: 'a string', allocationMode: 'a string' }],
  ['ComputeDomainDaemonConfig', { domainID: 'a string' }],
]);

const TYPE_META: Fields = { apiVersion: 'a string', kind: 'a string' };

/** What the decoder of the driver would not take in a configuration of this kind. */
export function* decodingComplaints(value: JsonObject, path: string, kind: string): Iterable<Violation> {
  yield* complaints(value, path, { ...TYPE_META, ...FIELDS.get(kind) });
}

function* complaints(value: JsonObject, path: string, fields: Fields): Iterable<Violation> {
  for (const [key, item] of Object.entries(value)) {
    const type = Object.hasOwn(fields, key) ? fields[key] : undefined;
    const at = pointer(path, key);
    if (type === undefined) {
      yield {
        path: at,
        message: `unknown field "${key}"`,
        found: key,
        expected: oneOf(Object.keys(fields)),
      };
    } else if (typeof type === 'object') {
      if (isObject(item)) {
        yield* complaints(item, at, type);
      } else if (item !== null) {
        yield {
          path: at,
          message: `${key} must be an object`,
          found: item,
          expected: `an object with ${oneOf(Object.keys(type))}`,
        };
      }
    } else if (item !== null && !isOfType(item, type)) {
      yield {
        path: at,
        message: `${key} must be ${type}`,
        found: item,
        expected: type === 'a quantity' ? 'a quantity such as 10Gi' : type,
      };
    }
  }
}

function isOfType(value: JsonValue, type: Type): boolean {
  switch (type) {
    case 'a string':
      return typeof value === 'string';
    case 'an integer':
      return Number.isInteger(value);
    case 'true or false':
      return typeof value === 'boolean';
    case 'a quantity':
      return isQuantity(value);
    case 'a map of quantities':
      return isObject(value) && Object.values(value).every((item) => item === null || isQuantity(item));
  }
}

function isQuantity(value: JsonValue): boolean {
  return typeof value === 'number' || (typeof value === 'string' && parseQuantity(value.trim()) !== undefined);
}
