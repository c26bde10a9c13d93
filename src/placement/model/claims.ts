/**
 * Devices that are requested by claim (`resource.k8s.io/v1`), as values: what drivers publish, what claims request, what is allocated already.
 * Selectors are predicates here, and amounts are integers in billionths of the unit, so that no amount is rounded.
 */

/** The type of an attribute, and its values. Values of different types never match. */
export interface DeviceAttribute {
  readonly type: 'bool' | 'int' | 'string' | 'version';
  readonly values: readonly (bigint | boolean | string)[];
  /** Selectors see a list, even of one value; constraints make no difference. @default false */
  readonly isList?: boolean;
}

/** Which amounts of a capacity a claim can consume. */
export interface CapacityPolicy {
  /** Consumed where the claim states no amount. */
  readonly default?: bigint;
  /** Amounts are rounded up to the next of these. */
  readonly values?: readonly bigint[];
  readonly range?: { readonly min?: bigint; readonly max?: bigint; readonly step?: bigint };
}

export interface DeviceCapacity {
  readonly value: bigint;
  readonly policy?: CapacityPolicy;
}

export interface DeviceTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export interface DeviceToleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

/** From which nodes a device can be used. */
export type NodeScope = (node: string) => boolean;

export interface Device {
  readonly name: string;
  /** By name, with or without the domain, as the driver writes them. */
  readonly attributes: ReadonlyMap<string, DeviceAttribute>;
  readonly capacity: ReadonlyMap<string, DeviceCapacity>;
  /** Amounts of the pool's shared counters, by counter set and counter. */
  readonly consumes: readonly { readonly set: string; readonly counters: ReadonlyMap<string, bigint> }[];
  readonly taints: readonly DeviceTaint[];
  /** Several claims can hold the device at once, each with its share of the capacity. */
  readonly shareable: boolean;
  /** Its allocation is complete only when conditions hold; such devices are considered last. */
  readonly bindsLater: boolean;
  /**
   * Where the slice leaves the choice of nodes to each device.
   * @default - the nodes of the slice
   */
  readonly nodes?: NodeScope;
}

/** What a driver publishes: devices, or the counters that devices of the same pool share. */
export interface DeviceSlice {
  readonly name: string;
  readonly driver: string;
  readonly pool: string;
  readonly generation: number;
  /** Slices in the pool, in this generation. */
  readonly sliceCount: number;
  /** `per-device`: each device states its own. */
  readonly nodes: NodeScope | 'per-device';
  /**
   * The only node that can use the devices; says the same as `nodes`, and is found faster.
   * @default - `nodes` is asked for each node
   */
  readonly node?: string;
  readonly devices: readonly Device[];
  /** Counter sets by name; a slice that has them has no devices. */
  readonly counters: ReadonlyMap<string, ReadonlyMap<string, bigint>>;
}

export interface DeviceId {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
}

/** One way to satisfy a request. */
export interface RequestAlternative {
  /**
   * The name among the alternatives of a prioritized list.
   * @default - the request has this one way only
   */
  readonly name?: string;
  /** Whether the selectors of the claim and its device class accept the device. */
  readonly accepts: (driver: string, device: Device) => boolean;
  readonly count: number | 'all';
  /** Other claims keep the device: it may be in use. */
  readonly adminAccess: boolean;
  readonly tolerations: readonly DeviceToleration[];
  /** Amounts of capacities, which the device must have. */
  readonly capacity: ReadonlyMap<string, bigint>;
  /**
   * Says in one clause why `accepts` accepts none of these devices, which are all that there are.
   * @default - the request is named alone
   */
  readonly whyNone?: (devices: readonly KnownDevice[]) => string;
}

/** A device, with the name of its driver. */
export interface KnownDevice {
  readonly driver: string;
  readonly device: Device;
}

export interface DeviceRequest {
  readonly name: string;
  /** In the order of preference. */
  readonly alternatives: readonly RequestAlternative[];
}

/** All devices of some requests have one value of an attribute in common, or no two of them share one. */
export interface DeviceConstraint {
  readonly kind: 'match' | 'distinct';
  /** With its domain. */
  readonly attribute: string;
  /** Names of requests, or `REQUEST/ALTERNATIVE`; empty: all requests of the claim. */
  readonly requests: readonly string[];
}

export interface DeviceClaim {
  readonly name: string;
  readonly requests: readonly DeviceRequest[];
  readonly constraints: readonly DeviceConstraint[];
}

/** What claims hold already, of all nodes. */
export interface HeldDevices {
  /** Keys (`deviceKey`) of devices that one claim holds whole. */
  readonly whole: ReadonlySet<string>;
  /** Of shareable devices by key: the capacity that all claims together hold. */
  readonly shares: ReadonlyMap<string, ReadonlyMap<string, bigint>>;
}

export interface AllocatedDevice extends DeviceId {
  /** `REQUEST` or `REQUEST/ALTERNATIVE`. */
  readonly request: string;
  readonly adminAccess: boolean;
  /**
   * What the claim consumes of a shareable device.
   * @default - the device is held whole
   */
  readonly share?: ReadonlyMap<string, bigint>;
}

/** Devices and claims of a snapshot. */
export interface DeviceClaims {
  readonly slices: readonly DeviceSlice[];
  /** By the keys that `PodTemplate.claims` and `Pod.claims` state. */
  readonly claims: ReadonlyMap<string, ClaimFacts>;
}

/** A claim, or a template that each pod gets a claim of its own from. */
export interface ClaimFacts {
  /** What people call it: `claim "team/gpu"`, `template "team/gpu"`. */
  readonly title: string;
  /**
   * What it requests.
   * @default - nothing can be allocated: see `problem`
   */
  readonly claim?: DeviceClaim;
  /** Why no pod that names it can start, as a clause. @default - there is no such reason */
  readonly problem?: string;
  /** One claim for all pods that name it. */
  readonly shared: boolean;
  /** What it holds already. @default - nothing */
  readonly allocation?: ClaimAllocation;
}

export interface ClaimAllocation {
  readonly devices: readonly AllocatedDevice[];
  /** From which nodes the devices can be used. */
  readonly nodes: NodeScope;
  /** Whether it stays when no pod of the snapshot that runs names the claim. */
  readonly retained: boolean;
}

/** A claim of a pod with its devices. */
export interface ClaimedDevices {
  /** The claim's own key; that of a template is followed by the name of the pod. */
  readonly key: string;
  readonly devices: readonly AllocatedDevice[];
}

/** Pods that one claim can be reserved for; the API takes no more. */
export const PODS_OF_CLAIM = 256;

/** Devices of a node by the keys of what claims can hold of them. */
export type ClaimableDevices = ReadonlyMap<string, ClaimablePart>;

/** A whole device, or a part of one that has a name of its own. */
export interface ClaimablePart {
  /** Index of the device on its node. */
  readonly device: number;
  /** How much of the device it is, in thousandths. */
  readonly milli: number;
  /** Its capacity; claims that share it take amounts of it. @default - it is held as a whole */
  readonly capacity?: ReadonlyMap<string, bigint>;
}

/** A key of a device that no two devices share: names have no NUL. */
export function deviceKey({ driver, pool, device }: DeviceId): string {
  return `${driver}\0${pool}\0${device}`;
}

/** Devices that one claim can hold; the API takes no more results. */
export const DEVICES_OF_CLAIM = 32;
