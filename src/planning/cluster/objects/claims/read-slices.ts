/**
 * ResourceSlices in the terms of the placement core. What cannot be read is left out.
 */
import { type JsonObject } from '../../../../facts/api/schema';
import { asArray, asInteger, asObject, asString } from '../../../../manifests/read';
import { parseQuantity } from '../../../../manifests/values/quantity';
import {
  type CapacityPolicy,
  type Device,
  type DeviceAttribute,
  type DeviceCapacity,
  type DeviceSlice,
  type NodeScope,
} from '../../../../placement/model/claims';
import { nodeTermsOf } from '../selectors';
import { type ClusterNode } from '../../../../placement';
import { matchesTerm } from '../../../../placement/nodes/filters/selectors';

export type Nodes = ReadonlyMap<string, ClusterNode>;

export function sliceOf(object: JsonObject, nodes: Nodes): DeviceSlice {
  const spec = asObject(object.spec);
  const pool = asObject(spec.pool);
  const node = asString(spec.nodeName);
  const scope = scopeOf(spec, nodes);
  return {
    name: asString(asObject(object.metadata).name) ?? '',
    driver: asString(spec.driver) ?? '',
    pool: asString(pool.name) ?? '',
    generation: asInteger(pool.generation) ?? 1,
    sliceCount: asInteger(pool.resourceSliceCount) ?? 1,
    nodes: spec.perDeviceNodeSelection === true ? 'per-device' : (scope ?? (() => false)),
    ...(node !== undefined && { node }),
    devices: asArray(spec.devices).map((device) => deviceOf(asObject(device), nodes)),
    counters: new Map(
      asArray(spec.sharedCounters)
        .map(asObject)
        .map((set) => [asString(set.name) ?? '', countersOf(set.counters)]),
    ),
  };
}

export function scopeOf(object: JsonObject, nodes: Nodes): NodeScope | undefined {
  const name = asString(object.nodeName);
  if (name !== undefined && name !== '') {
    return (node) => node === name;
  }
  if (object.allNodes === true) {
    return () => true;
  }
  return object.nodeSelector === undefined ? undefined : selectedBy(asObject(object.nodeSelector), nodes);
}

export function selectedBy(selector: JsonObject, nodes: Nodes): NodeScope {
  const terms = nodeTermsOf(selector);
  return (name) => {
    const node = nodes.get(name);
    return node !== undefined && terms.some((term) => matchesTerm(node, term));
  };
}

/** Up to v1beta1 the properties of a device are below `basic`. */
function deviceOf(object: JsonObject, nodes: Nodes): Device {
  const device = object.basic === undefined ? object : { ...object, ...asObject(object.basic) };
  const scope = scopeOf(device, nodes);
  return {
    name: asString(device.name) ?? '',
    attributes: new Map(
      Object.entries(asObject(device.attributes)).flatMap(([name, value]) => {
        const attribute = attributeOf(asObject(value));
        return attribute === undefined ? [] : [[name, attribute] as const];
      }),
    ),
    capacity: new Map(
      Object.entries(asObject(device.capacity)).flatMap(([name, value]) => {
        const capacity = capacityOf(typeof value === 'string' ? { value } : asObject(value));
        return capacity === undefined ? [] : [[name, capacity] as const];
      }),
    ),
    consumes: asArray(device.consumesCounters)
      .map(asObject)
      .map((use) => ({ set: asString(use.counterSet) ?? '', counters: countersOf(use.counters) })),
    taints: asArray(device.taints)
      .map(asObject)
      .map((taint) => ({
        key: asString(taint.key) ?? '',
        value: asString(taint.value) ?? '',
        effect: asString(taint.effect) ?? '',
      })),
    shareable: device.allowMultipleAllocations === true,
    bindsLater: asArray(device.bindingConditions).length > 0,
    ...(scope !== undefined && { nodes: scope }),
  };
}

/** Lists are in fields of their own: `strings` beside `string` (Kubernetes 1.36). */
function attributeOf(attribute: JsonObject): DeviceAttribute | undefined {
  for (const type of TYPES) {
    const single = valueOf(type, attribute[type]);
    if (single !== undefined) {
      return { type, values: [single] };
    }
    const list = attribute[`${type}s`];
    if (Array.isArray(list)) {
      const values = list.map((one) => valueOf(type, one));
      return values.includes(undefined)
        ? undefined
        : { type, values: values.flatMap((one) => one ?? []), isList: true };
    }
  }
  return undefined;
}

const TYPES: readonly DeviceAttribute['type'][] = ['bool', 'int', 'string', 'version'];

function valueOf(type: DeviceAttribute['type'], value: unknown): DeviceAttribute['values'][number] | undefined {
  if (type === 'bool') {
    return typeof value === 'boolean' ? value : undefined;
  }
  if (type === 'int') {
    return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : undefined;
  }
  return typeof value === 'string' ? value : undefined;
}

export function nanosOf(value: unknown): bigint | undefined {
  return typeof value === 'string' || typeof value === 'number' ? parseQuantity(value)?.nanos : undefined;
}

function capacityOf({ value, requestPolicy }: JsonObject): DeviceCapacity | undefined {
  const nanos = nanosOf(value);
  if (nanos === undefined) {
    return undefined;
  }
  if (requestPolicy === undefined) {
    return { value: nanos };
  }
  const policy = asObject(requestPolicy);
  const range = asObject(policy.validRange);
  const amounts = (from: Readonly<Record<string, unknown>>): Record<string, bigint> =>
    Object.fromEntries(
      Object.entries(from).flatMap(([name, one]) => {
        const amount = nanosOf(one);
        return amount === undefined ? [] : [[name, amount] as const];
      }),
    );
  const read: CapacityPolicy = {
    ...amounts({ default: policy.default }),
    ...(policy.validValues !== undefined && {
      values: asArray(policy.validValues).flatMap((one) => nanosOf(one) ?? []),
    }),
    ...(policy.validRange !== undefined && {
      range: amounts({ min: range.min, max: range.max, step: range.step }),
    }),
  };
  return { value: nanos, policy: read };
}

function countersOf(counters: unknown): ReadonlyMap<string, bigint> {
  return new Map(
    Object.entries(asObject(counters as JsonObject)).flatMap(([name, counter]) => {
      const amount = nanosOf(asObject(counter).value);
      return amount === undefined ? [] : [[name, amount] as const];
    }),
  );
}
