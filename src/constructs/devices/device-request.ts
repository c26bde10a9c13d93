/**
 * What a claim asks for, and how that is written in the form of a Kubernetes minor.
 */
import { bytesText, type ByteSize } from '../resources/quantities';
import { type ObjectReference } from '../resources/references';
import { type JsonObject } from '../../facts/api/schema';
import { type DeviceToleration } from '../../facts/api/types/resource.k8s.io/v1';
import { type Toleration } from '../../facts/api/types/core/v1';
import { type DeviceClassName } from '../../facts/catalog';
import { deviceClassToleration } from '../../facts/catalog/device-classes';
import { type ClaimSharing } from './claim-sharing';
import { type DeviceSelector } from './device-selector';
import { type ClaimForm, GPU_DRIVER, NVIDIA_CONFIG_VERSION, type STANDARD_ATTRIBUTES } from './dra-facts';

/** Amounts of a device's capacity by the names of its driver. Memory has a unit; what is counted is a number. */
export interface DeviceCapacity {
  /** @default - the whole memory */
  readonly memory?: ByteSize;
  readonly [name: string]: number | ByteSize | undefined;
}

/** Devices of one class. */
export interface DeviceOptions {
  /** A DeviceClass, or its name. @default gpu.nvidia.com */
  readonly deviceClass?: DeviceClassName | ObjectReference<'DeviceClass'>;
  /** How many, or `all` that match. @default 1 */
  readonly count?: number | 'all';
  /** All of them must hold. @default - any device of the class */
  readonly selectors?: readonly DeviceSelector[];
  /** Part of a device's capacity (consumable capacity), by name: `{ memory: '4Gi' }`. @default - the whole device */
  readonly capacity?: DeviceCapacity;
  /** Taints of devices that the pod tolerates. @default - none */
  readonly tolerations?: readonly DeviceToleration[];
  /**
   * Access to devices that others use, for monitoring; the namespace needs the label `resource.kubernetes.io/admin-access: "true"`.
   * @default false
   */
  readonly adminAccess?: boolean;
}

/** A named request of a claim: devices of one kind, or the first of several kinds that is available. */
export type DeviceRequest = {
  /** Name of the request, unique in the claim. */
  readonly name: string;
} & (
  | (DeviceOptions & { readonly firstAvailable?: undefined })
  | {
      /** The first of these that can be had, at most 8. From Kubernetes 1.33 on. */
      readonly firstAvailable: readonly (Omit<DeviceOptions, 'adminAccess'> & { readonly name: string })[];
    }
);

/** A condition on several devices of a claim. */
export interface DeviceConstraint {
  /** An attribute that must have the same value on all devices, for example the PCIe root. @default - none */
  readonly sameAttribute?: (typeof STANDARD_ATTRIBUTES)[number] | `${string}/${string}`;
  /**
   * An attribute that must have a different value on each device; instead of `sameAttribute`. From Kubernetes 1.34 on.
   * @default - none
   */
  readonly distinctAttribute?: `${string}/${string}`;
  /** Names of requests, `request/alternative` for one alternative. @default - all devices of the claim */
  readonly requests?: readonly string[];
}

/** Parameters for a driver, which it applies to devices of the claim. */
export interface DriverConfig {
  /** Name of the driver, for example `gpu.nvidia.com`. */
  readonly driver: string;
  /** What the driver takes. */
  readonly parameters: JsonObject;
  /** Names of the requests that the parameters apply to. @default - all devices of the claim */
  readonly requests?: readonly string[];
}

/** What a claim asks for. */
export interface ClaimStatement {
  /** At least one. */
  readonly requests: readonly DeviceRequest[];
  /** Conditions on several devices of the claim. @default - none */
  readonly constraints?: readonly DeviceConstraint[];
  /** Parameters for drivers. @default - none */
  readonly config?: readonly DriverConfig[];
  /** How NVIDIA GPUs of the claim are shared by its containers. @default - not shared */
  readonly sharing?: ClaimSharing;
}

/** @throws if there is no request, a count is none, or the form has no alternatives */
export function renderDevices(statement: ClaimStatement, form: ClaimForm): object {
  const { constraints, config = [], sharing, requests } = statement;
  if (requests.length === 0) {
    throw new Error('requests must not be empty. Add at least one request.');
  }
  const configs = [...config, ...(sharing === undefined ? [] : sharingConfigs(sharing, requests))];
  return {
    requests: requests.map((request) => renderRequest(request, form)),
    ...(constraints === undefined
      ? {}
      : {
          constraints: constraints.map(({ sameAttribute, distinctAttribute, requests: names }) => ({
            ...(names === undefined ? {} : { requests: names }),
            matchAttribute: sameAttribute,
            distinctAttribute,
          })),
        }),
    ...(configs.length === 0
      ? {}
      : {
          config: configs.map(({ driver, parameters, requests: names }) => ({
            ...(names === undefined ? {} : { requests: names }),
            opaque: { driver, parameters },
          })),
        }),
  };
}

function renderRequest(request: DeviceRequest, form: ClaimForm): object {
  if (request.firstAvailable === undefined) {
    const exact = renderOptions(request);
    return form.flat ? { name: request.name, ...exact } : { name: request.name, exactly: exact };
  }
  if (!form.firstAvailable) {
    throw new Error(
      `request "${request.name}": alternatives (firstAvailable) require Kubernetes 1.33 or later. ${form.apiVersion} does not support them.`,
    );
  }
  const alternatives = request.firstAvailable.map((alternative) => ({
    name: alternative.name,
    ...renderOptions(alternative),
  }));
  return { name: request.name, firstAvailable: alternatives };
}

function renderOptions(options: DeviceOptions): object {
  const { count = 1, selectors, capacity, tolerations, adminAccess } = options;
  if (count !== 'all' && (!Number.isInteger(count) || count < 1)) {
    throw new Error(`count must be a whole number greater than or equal to 1, or 'all', not ${count}.`);
  }
  return {
    deviceClassName: classNameOf(options),
    ...(count === 'all' ? { allocationMode: 'All' } : { allocationMode: 'ExactCount', count }),
    ...(selectors === undefined || selectors.length === 0
      ? {}
      : { selectors: selectors.map((selector) => selector.toSelector()) }),
    ...(capacity === undefined ? {} : { capacity: { requests: capacityOf(capacity) } }),
    ...(tolerations === undefined ? {} : { tolerations }),
    ...(adminAccess === undefined ? {} : { adminAccess }),
  };
}

/** Whole GPUs and MIG devices are configured by kinds of their own. */
function sharingConfigs(sharing: ClaimSharing, requests: readonly DeviceRequest[]): readonly DriverConfig[] {
  const all = requests.flatMap((request): readonly { readonly name: string; readonly options: DeviceOptions }[] =>
    request.firstAvailable === undefined
      ? [{ name: request.name, options: request }]
      : request.firstAvailable.map((alternative) => ({
          name: `${request.name}/${alternative.name}`,
          options: alternative,
        })),
  );
  return (
    [
      ['GpuConfig', false],
      ['MigDeviceConfig', true],
    ] as const
  ).flatMap(([kind, mig]) => {
    const names = all
      .filter(({ options }) => (classNameOf(options) === 'mig.nvidia.com') === mig)
      .map(({ name }) => name);
    const parameters: JsonObject = { apiVersion: NVIDIA_CONFIG_VERSION, kind, sharing: sharing.toSharing() };
    return names.length === 0 ? [] : [{ driver: GPU_DRIVER, requests: names, parameters }];
  });
}

/** Devices that a request brings; `undefined` where it does not say. */
export function countOf(request: DeviceRequest): number | undefined {
  if (request.firstAvailable === undefined) {
    return typeof request.count === 'string' ? undefined : (request.count ?? 1);
  }
  const counts = new Set(request.firstAvailable.map(({ count = 1 }) => count));
  const [only] = counts;
  return counts.size === 1 && typeof only === 'number' ? only : undefined;
}

/** DeviceClasses that are constructs. */
export function classesIn(requests: readonly DeviceRequest[]): readonly object[] {
  return optionsIn(requests).flatMap(({ deviceClass }) => (typeof deviceClass === 'object' ? [deviceClass] : []));
}

/** Tolerations for the nodes of all known classes that the requests name. */
export function tolerationsFor(requests: readonly DeviceRequest[]): readonly Toleration[] {
  const found = optionsIn(requests).flatMap((options) => deviceClassToleration(classNameOf(options)) ?? []);
  return [...new Map(found.map((toleration) => [toleration.key, { ...toleration }])).values()];
}

function optionsIn(requests: readonly DeviceRequest[]): readonly DeviceOptions[] {
  return requests.flatMap((request): readonly DeviceOptions[] => request.firstAvailable ?? [request]);
}

function classNameOf({ deviceClass = 'gpu.nvidia.com' }: DeviceOptions): string {
  return typeof deviceClass === 'string' ? deviceClass : deviceClass.name;
}

function capacityOf(capacity: DeviceCapacity): Readonly<Record<string, number | string>> {
  return Object.fromEntries(
    Object.entries(capacity).flatMap(([name, amount]) => {
      if (amount === undefined) {
        return [];
      }
      const counted = typeof amount === 'number' && !/memory$/i.test(name);
      return [
        [
          name,
          counted
            ? amount
            : typeof amount === 'string' && !/memory$/i.test(name)
              ? amount
              : bytesText(`capacity.${name}`, amount as ByteSize),
        ],
      ];
    }),
  );
}
