/**
 * Requests and limits of the main container.
 *
 * Memory is requested and limited alike: a trainer that is promised less than it may use is the first to be killed. CPU is requested
 * and not limited, since a quota throttles the data loaders; a `cpuLimit` equal to `cpu` makes the pod Guaranteed.
 */
import { amountsByName, type HugepageAmounts, type OtherAmounts } from './amounts';
import { type ByteSize, type Cores, carriedBytesText, coresText } from '../resources/quantities';
import { type Carried, isDeferred, known, passed } from '../../manifests/values/deferred';
import { insteadOf } from '../resources/instead-of';
import { definedMembers } from '../../manifests/values/members';
import { type ResourceRequirements } from '../../facts/api/types/core/v1';
import { type Quantity } from '../../facts/api/scalars';
import { type CombinedParts } from './pod-part';
import { type SharedMemory } from './shared-memory';

/** CPU, memory, and other resources of the main container, beside accelerators. */
export interface ResourcesProps {
  /** CPUs requested. @default - none: the pod goes where there may be none left */
  readonly cpu?: Carried<Cores>;
  /** CPU limit in cores. @default - no limit */
  readonly cpuLimit?: Carried<Cores>;
  /** Memory, requested and limited. @default - none */
  readonly memory?: Carried<ByteSize>;
  /** A limit above the request. @default - equal to `memory` */
  readonly memoryLimit?: Carried<ByteSize>;
  /** Disk of the node, requested and limited. @default - none */
  readonly ephemeralStorage?: Carried<ByteSize>;
  /** Huge pages by size, `{ '2Mi': '5120Mi' }`, requested and limited. @default - none */
  readonly hugepages?: HugepageAmounts;
  /** Extended resources beside accelerator and RDMA, as limits, by full name. @default - none */
  readonly other?: OtherAmounts;
}

/** @throws if a resource is stated twice, or shared memory leaves no memory */
export function containerResources(
  props: ResourcesProps,
  parts: CombinedParts,
  shm: SharedMemory | undefined,
): ResourceRequirements | undefined {
  const unknown = Object.keys(props).find((member) => !MEMBERS.includes(member));
  if (unknown !== undefined) {
    throw new Error(`resources: unknown field "${unknown}"${insteadOf(unknown, MEMBERS)}`);
  }
  if (shm !== undefined) {
    // What the shared memory adds, or leaves, is computed.
    known('resources.memory', props.memory);
    known('resources.memoryLimit', props.memoryLimit);
  }
  const stated = carriedBytesText('resources.memory', props.memory);
  const limit = carriedBytesText('resources.memoryLimit', props.memoryLimit) ?? stated;
  const memory = stated === undefined ? undefined : (shm?.requestWith(stated) ?? stated);
  const memoryLimit =
    limit === undefined
      ? undefined
      : (shm?.limitWith(limit, props.memoryLimit === undefined ? 'memory' : 'memoryLimit') ?? limit);
  const named = amountsByName('resources', { hugepages: props.hugepages, other: props.other });
  const storage = carriedBytesText('resources.ephemeralStorage', props.ephemeralStorage);
  const requests = definedMembers({
    cpu: cores('resources.cpu', props.cpu),
    memory,
    'ephemeral-storage': storage,
  }) as Record<string, Quantity>;
  const limits = definedMembers({
    cpu: cores('resources.cpuLimit', props.cpuLimit),
    memory: memoryLimit,
    'ephemeral-storage': storage,
  }) as Record<string, Quantity>;
  const all = {
    limits: united(parts.limits, limits, named),
    requests: united(parts.requests, requests),
  };
  return emptied({
    ...(parts.claims.length === 0 ? {} : { claims: parts.claims }),
    ...(Object.keys(all.limits).length === 0 ? {} : { limits: all.limits }),
    ...(Object.keys(all.requests).length === 0 ? {} : { requests: all.requests }),
  });
}

const MEMBERS: readonly string[] = [
  'cpu',
  'cpuLimit',
  'memory',
  'memoryLimit',
  'ephemeralStorage',
  'hugepages',
  'other',
];

/** Numbers stay numbers here, as users write cores. */
function cores(prop: string, value: Carried<Cores> | undefined): Cores | undefined {
  if (isDeferred(value)) {
    return passed(value);
  }
  if (value !== undefined) {
    coresText(prop, value);
  }
  return value;
}

function united(...maps: readonly Readonly<Record<string, Quantity>>[]): Record<string, Quantity> {
  const result: Record<string, Quantity> = {};
  for (const [name, amount] of maps.flatMap((map) => Object.entries(map))) {
    if (Object.hasOwn(result, name) && !isDeferred(amount) && String(result[name]) !== String(amount)) {
      throw new Error(`${name} of the container is set to both ${String(result[name])} and ${amount}. Set it once.`);
    }
    result[name] = amount;
  }
  return result;
}

function emptied(requirements: ResourceRequirements): ResourceRequirements | undefined {
  return Object.keys(requirements).length === 0 ? undefined : requirements;
}
