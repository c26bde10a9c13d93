/**
 * The ResourceClaim for the extended resources of a pod that DeviceClasses serve: which requests it has, and which of them each container
 * gets its devices from.
 *
 * Containers that run together have requests of their own. An init container that ends before others start uses the devices of those that
 * start after it, and of what it needs beyond them, only the largest such need becomes a request.
 *
 * Source: kubernetes, pkg/scheduler/framework/plugins/dynamicresources (`createRequestsAndMappings`).
 */
import { type JsonObject } from '../../../../facts/api/schema';
import { amountsOf } from '../../../../manifests/pods/resource-amounts';
import { asArray, asObject, asString } from '../../../../manifests/read';
import { type AllocatedDevice } from '../../../../placement/model/claims';
import { type ClassRequest } from '../claim-key';

/** One request of the claim. */
export interface ExtendedRequest {
  readonly name: string;
  readonly resource: string;
  readonly deviceClass: string;
  readonly count: number;
}

/** From which request a container gets a resource: an element of `status.extendedResourceClaimStatus.requestMappings`. */
export interface RequestMapping {
  readonly containerName: string;
  readonly resourceName: string;
  readonly requestName: string;
}

export interface ExtendedClaim {
  /** In the order of the claim. */
  readonly requests: readonly ExtendedRequest[];
  readonly mappings: readonly RequestMapping[];
}

interface Container {
  readonly index: number;
  readonly name: string;
  /** It ends before the containers after it start. */
  readonly ends: boolean;
  readonly amounts: Readonly<Record<string, number>>;
}

/**
 * @param spec of the pod
 * @param wanted resources that DeviceClasses serve, of the pod as a whole
 */
export function extendedClaimOf(spec: JsonObject, wanted: readonly ClassRequest[]): ExtendedClaim {
  const containers = containersOf(spec);
  const parts = [...wanted].sort((a, b) => compare(a.resource, b.resource)).map((one) => requestsFor(one, containers));
  return {
    requests: parts.flatMap(({ requests }) => requests).sort((a, b) => compare(a.name, b.name)),
    mappings: parts.flatMap(({ mappings }) => mappings),
  };
}

/** The spec of the claim, in `resource.k8s.io/v1`. */
export function extendedClaimSpec({ requests }: ExtendedClaim): JsonObject {
  return {
    devices: {
      requests: requests.map(({ name, deviceClass: deviceClassName, count }) => ({
        name,
        exactly: { deviceClassName, allocationMode: 'ExactCount', count },
      })),
    },
  };
}

/** Whether a claim requests this and nothing else: no selector, configuration, or admin access of a user. */
export function requestsExactly(spec: JsonObject, { requests }: ExtendedClaim): boolean {
  const devices = asObject(spec.devices);
  const found = asArray(devices.requests).map(asObject);
  return (
    hasOnly(spec, 'devices') &&
    hasOnly(devices, 'requests') &&
    found.length === requests.length &&
    found.every((one, index) => {
      const exactly = asObject(one.exactly);
      const { name, deviceClass, count } = requests[index];
      return (
        hasOnly(one, 'name', 'exactly') &&
        hasOnly(exactly, 'deviceClassName', 'allocationMode', 'count') &&
        one.name === name &&
        exactly.deviceClassName === deviceClass &&
        (exactly.allocationMode ?? 'ExactCount') === 'ExactCount' &&
        (exactly.count ?? 1) === count
      );
    })
  );
}

function hasOnly(object: JsonObject, ...members: readonly string[]): boolean {
  return Object.keys(object).every((member) => members.includes(member));
}

/** Devices that were chosen for a resource of the pod as a whole, as those of the requests of its claim, in their order. */
export function byRequest(
  devices: readonly AllocatedDevice[],
  { requests }: ExtendedClaim,
): readonly AllocatedDevice[] {
  const left = new Map<string, AllocatedDevice[]>();
  for (const device of devices) {
    left.set(device.request, [...(left.get(device.request) ?? []), device]);
  }
  return requests.flatMap(({ name: request, resource, count }) =>
    // What was chosen for the claim itself names its requests already.
    (left.get(request) ?? left.get(resource)?.splice(0, count) ?? []).map((device) => ({ ...device, request })),
  );
}

function requestsFor({ resource, deviceClass }: ClassRequest, containers: readonly Container[]): ExtendedClaim {
  const own: (ExtendedRequest | undefined)[] = containers.map((container) =>
    container.ends ? undefined : requestOf(container, resource, deviceClass, 0),
  );
  const mappings = containers.flatMap(({ name, ends, index }): readonly RequestMapping[] => {
    const request = own[index];
    return ends || request === undefined
      ? []
      : [{ containerName: name, resourceName: resource, requestName: request.name }];
  });
  let most: ExtendedRequest | undefined;
  const ofEnding: { readonly mapping: RequestMapping; readonly isBeyond: boolean }[] = [];
  for (const container of containers.filter(({ ends }) => ends)) {
    const needed = container.amounts[resource] ?? 0;
    const mapped = (requestName: string): RequestMapping => ({
      containerName: container.name,
      resourceName: resource,
      requestName,
    });
    let found = 0;
    for (const later of own.slice(container.index)) {
      if (found < needed && later !== undefined) {
        found += later.count;
        ofEnding.push({ mapping: mapped(later.name), isBeyond: false });
      }
    }
    const beyond = found < needed ? requestOf(container, resource, deviceClass, found) : undefined;
    if (beyond !== undefined) {
      ofEnding.push({ mapping: mapped(beyond.name), isBeyond: true });
      most = most === undefined || most.count < beyond.count ? beyond : most;
    }
  }
  const requestName = most?.name ?? '';
  return {
    requests: [...(most === undefined ? [] : [most]), ...own.flatMap((request) => request ?? [])],
    mappings: [
      ...mappings,
      ...ofEnding.map(({ mapping, isBeyond }) => (isBeyond ? { ...mapping, requestName } : mapping)),
    ],
  };
}

function requestOf(
  { index, amounts }: Container,
  resource: string,
  deviceClass: string,
  found: number,
): ExtendedRequest | undefined {
  const count = (amounts[resource] ?? 0) - found;
  const place = Object.keys(amounts).sort(compare).indexOf(resource);
  return count <= 0 ? undefined : { name: `container-${index}-request-${place}`, resource, deviceClass, count };
}

/** Init containers first, as they are counted in the names of requests. */
function containersOf(spec: JsonObject): readonly Container[] {
  const first = asArray(spec.initContainers).map(asObject);
  return [...first, ...asArray(spec.containers).map(asObject)].map((container, index) => {
    const { limits, requests } = asObject(container.resources);
    return {
      index,
      name: asString(container.name) ?? '',
      ends: index < first.length && container.restartPolicy !== 'Always',
      amounts: { ...amountsOf(limits), ...amountsOf(requests) },
    };
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
