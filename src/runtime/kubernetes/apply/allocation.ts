/**
 * What is written into a ResourceClaim for the devices that were chosen: the same that the allocator of Kubernetes writes, so that drivers
 * and other schedulers cannot tell the difference.
 *
 * Source: k8s.io/dynamic-resource-allocation, structured (`Allocate` and `createNodeSelector`).
 */
import { randomUUID } from 'node:crypto';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { asArray, asObject, asString } from '../../../manifests/read';
import { type AllocatedDevice, type DeviceId } from '../../../placement/model/claims';

export interface AllocationSources {
  /** DeviceClasses by name. */
  readonly classes: ReadonlyMap<string, JsonObject>;
  /** In the API server's time, RFC 3339. */
  readonly now: string;
}

/** A device with the slice that has it; without `basic`, below which older versions have its properties. */
interface Published {
  readonly device: JsonObject;
  readonly slice: JsonObject;
}

/**
 * `status.allocation` of the claim.
 *
 * @param spec of the claim
 * @param published the devices as their drivers publish them
 */
export function allocationFor(
  spec: JsonObject,
  devices: readonly AllocatedDevice[],
  node: string,
  published: (device: DeviceId) => Published | undefined,
  { classes, now }: AllocationSources,
): JsonObject {
  const found = devices.map((device) => published(device));
  const results = devices.map((device, index) => resultOf(device, found[index]?.device ?? {}, spec));
  const config: JsonObject[] = configOf(spec, devices, classes);
  const selector = nodeSelectorOf(found, node);
  return {
    devices: { results, ...(config.length > 0 && { config }) },
    ...(selector !== undefined && { nodeSelector: selector }),
    // Without it, kube-scheduler would add it with its own reservation, and no other member of an allocation may change.
    allocationTimestamp: now,
  };
}

/** Finds devices by driver, pool, and name: those of the newest generation of each pool. */
export function publishedDevices(slices: Iterable<JsonObject>): (device: DeviceId) => Published | undefined {
  const pools = new Map<string, { generation: number; devices: Map<string, Published> }>();
  for (const slice of slices) {
    const spec = asObject(slice.spec);
    const { name, generation } = asObject(spec.pool);
    const key = `${asString(spec.driver)}\0${asString(name)}`;
    const number = Number(generation ?? 1);
    let pool = pools.get(key);
    if (pool === undefined || pool.generation < number) {
      pool = { generation: number, devices: new Map() };
      pools.set(key, pool);
    }
    if (pool.generation === number) {
      for (const device of asArray(spec.devices).map(asObject)) {
        pool.devices.set(asString(device.name) ?? '', {
          device: { ...device, ...asObject(device.basic) },
          slice: spec,
        });
      }
    }
  }
  return ({ driver, pool, device }) => pools.get(`${driver}\0${pool}`)?.devices.get(device);
}

function resultOf(
  { request, driver, pool, device, adminAccess, share }: AllocatedDevice,
  published: JsonObject,
  spec: JsonObject,
): JsonObject {
  const { tolerations } = alternativeOf(spec, request) ?? {};
  const conditions = asArray(published.bindingConditions);
  const failures = asArray(published.bindingFailureConditions);
  return {
    request,
    driver,
    pool,
    device,
    ...(adminAccess && { adminAccess }),
    ...(tolerations !== undefined && { tolerations }),
    ...(conditions.length > 0 && { bindingConditions: [...conditions] }),
    ...(failures.length > 0 && { bindingFailureConditions: [...failures] }),
    ...(share !== undefined && {
      shareID: randomUUID(),
      ...(share.size > 0 && {
        consumedCapacity: Object.fromEntries([...share].map(([name, amount]) => [name, quantityText(amount)])),
      }),
    }),
  };
}

/** The request, or the one of its alternatives, that a result names. */
function alternativeOf(spec: JsonObject, name: string): JsonObject | undefined {
  const [request = '', alternative] = name.split('/');
  const found = asArray(asObject(spec.devices).requests)
    .map(asObject)
    .find((one) => one.name === request);
  if (alternative !== undefined) {
    return asArray(found?.firstAvailable)
      .map(asObject)
      .find((one) => one.name === alternative);
  }
  return found?.exactly === undefined ? found : asObject(found.exactly);
}

/** Configuration of the classes, each once, then that of the claim for the requests and alternatives that have devices. */
function configOf(
  spec: JsonObject,
  devices: readonly AllocatedDevice[],
  classes: ReadonlyMap<string, JsonObject>,
): JsonObject[] {
  const names = [...new Set(devices.map(({ request }) => request))];
  const byClass = new Map<string, string[]>();
  for (const name of namesInOrder(spec, names)) {
    const className = asString(alternativeOf(spec, name)?.deviceClassName) ?? '';
    byClass.set(className, [...(byClass.get(className) ?? []), name]);
  }
  const ofClasses = [...byClass].flatMap(([className, requests]) =>
    asArray(asObject(classes.get(className)?.spec).config)
      .map(asObject)
      .map((config): JsonObject => ({ source: 'FromClass', requests, ...settingsOf(config) })),
  );
  const chosen = new Set(names.flatMap((name) => [name, name.split('/')[0]]));
  const ofClaim = asArray(asObject(spec.devices).config)
    .map(asObject)
    .flatMap((config): JsonObject[] => {
      const requests = asArray(config.requests).flatMap((one) => asString(one) ?? []);
      const one: JsonObject = { source: 'FromClaim', ...(requests.length > 0 && { requests }), ...settingsOf(config) };
      // One entry for each request that it is for, as upstream writes it.
      return requests.length === 0 ? [one] : requests.filter((name) => chosen.has(name)).map(() => one);
    });
  return [...ofClasses, ...ofClaim];
}

/** In the order of the spec; a claim may have requests without devices. */
function namesInOrder(spec: JsonObject, names: readonly string[]): readonly string[] {
  return asArray(asObject(spec.devices).requests)
    .map((request) => asString(asObject(request).name) ?? '')
    .flatMap((request) => names.filter((name) => name === request || name.startsWith(`${request}/`)));
}

function settingsOf({ requests: _, ...settings }: JsonObject): JsonObject {
  return settings;
}

/** From which nodes all of the devices can be used; `undefined`: from every node. */
function nodeSelectorOf(found: readonly (Published | undefined)[], node: string): JsonObject | undefined {
  const fields: JsonValue[] = [];
  const expressions: JsonValue[] = [];
  for (const one of found) {
    const { slice = {}, device = {} } = one ?? {};
    const { nodeName, nodeSelector } = slice.perDeviceNodeSelection === true ? device : slice;
    if (one === undefined || (nodeName !== undefined && nodeName !== '') || device.bindsToNode === true) {
      return { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }] };
    }
    const [term] = asArray(asObject(nodeSelector).nodeSelectorTerms).map(asObject);
    addNew(fields, asArray(term?.matchFields));
    addNew(expressions, asArray(term?.matchExpressions));
  }
  return fields.length + expressions.length === 0
    ? undefined
    : {
        nodeSelectorTerms: [
          {
            ...(fields.length > 0 && { matchFields: fields }),
            ...(expressions.length > 0 && { matchExpressions: expressions }),
          },
        ],
      };
}

function addNew(list: JsonValue[], more: readonly JsonValue[]): void {
  const known = new Set(list.map((one) => JSON.stringify(one)));
  more.filter((one) => !known.has(JSON.stringify(one))).forEach((one) => list.push(one));
}

const NANOS = 1_000_000_000n;

/** A quantity of this many billionths. */
export function quantityText(nanos: bigint): string {
  return nanos % NANOS === 0n ? String(nanos / NANOS) : `${nanos}n`;
}
