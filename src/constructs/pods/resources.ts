/**
 * Requests and limits of the main container.
 *
 * Memory is requested and limited alike: a trainer that is promised less than it may use is the first to be killed. CPU is requested
 * and not limited, since a quota throttles the data loaders; a `cpuLimit` equal to `cpu` makes the pod Guaranteed.
 */
import { definedMembers } from '../../manifests/members';
import { type ResourceRequirements } from '../../facts/api/types/core/v1';
import { type Quantity } from '../../facts/api/scalars';
import { type CombinedParts } from './pod-part';
import { type SharedMemory } from './shared-memory';

export interface ResourcesProps {
  /** CPUs requested. @default - none: the pod goes where there may be none left */
  readonly cpu?: Quantity;
  /** @default - no limit */
  readonly cpuLimit?: Quantity;
  /** Memory, requested and limited. @default - none */
  readonly memory?: Quantity;
  /** A limit above the request. @default - equal to `memory` */
  readonly memoryLimit?: Quantity;
  /** Disk of the node, requested and limited. @default - none */
  readonly ephemeralStorage?: Quantity;
  /** Huge pages by size, `{ '2Mi': '5120Mi' }`, requested and limited. @default - none */
  readonly hugepages?: Readonly<Record<string, Quantity>>;
  /** Extended resources beside accelerator and RDMA, as limits. @default - none */
  readonly extended?: Readonly<Record<string, Quantity>>;
}

/** @throws if a resource is stated twice, or shared memory leaves no memory */
export function containerResources(
  props: ResourcesProps,
  parts: CombinedParts,
  shm: SharedMemory | undefined,
): ResourceRequirements | undefined {
  const { memory: stated, memoryLimit: limit = stated } = props;
  const memory = stated === undefined ? undefined : (shm?.requestWith(stated) ?? stated);
  const memoryLimit =
    limit === undefined
      ? undefined
      : (shm?.limitWith(limit, props.memoryLimit === undefined ? 'memory' : 'memoryLimit') ?? limit);
  const hugepages = Object.fromEntries(
    Object.entries(props.hugepages ?? {}).map(([size, amount]) => [`hugepages-${size}`, amount]),
  );
  const requests = definedMembers({ cpu: props.cpu, memory, 'ephemeral-storage': props.ephemeralStorage }) as Record<
    string,
    Quantity
  >;
  const limits = definedMembers({
    cpu: props.cpuLimit,
    memory: memoryLimit,
    'ephemeral-storage': props.ephemeralStorage,
  }) as Record<string, Quantity>;
  const all = {
    limits: united(parts.limits, limits, hugepages, props.extended ?? {}),
    requests: united(parts.requests, requests),
  };
  return emptied({
    ...(parts.claims.length === 0 ? {} : { claims: parts.claims }),
    ...(Object.keys(all.limits).length === 0 ? {} : { limits: all.limits }),
    ...(Object.keys(all.requests).length === 0 ? {} : { requests: all.requests }),
  });
}

function united(...maps: readonly Readonly<Record<string, Quantity>>[]): Record<string, Quantity> {
  const result: Record<string, Quantity> = {};
  for (const [name, amount] of maps.flatMap((map) => Object.entries(map))) {
    if (name in result && result[name] !== amount) {
      throw new Error(`The container gets ${String(result[name])} and ${amount} of ${name}. State it once.`);
    }
    result[name] = amount;
  }
  return result;
}

function emptied(requirements: ResourceRequirements): ResourceRequirements | undefined {
  return Object.keys(requirements).length === 0 ? undefined : requirements;
}
