/** What Gantry makes of a case of the allocator's tables: read, allocated, and written as the scheduler does it. */
import { type JsonObject } from '../../../../src/facts/api/schema';
import { asObject, asString } from '../../../../src/manifests/read';
import { parseQuantity } from '../../../../src/manifests/values/quantity';
import { allocateDevices } from '../../../../src/placement/claims/allocate';
import { type DeviceClaim, deviceKey, type HeldDevices } from '../../../../src/placement/model/claims';
import { ClaimReader, classSelectorsOf } from '../../../../src/planning/cluster/objects/claims/read-claims';
import { sliceOf } from '../../../../src/planning/cluster/objects/claims/read-slices';
import { nodeOf } from '../../../../src/planning/cluster/objects/node';
import { allocationFor, publishedDevices } from '../../../../src/runtime/kubernetes/apply/allocation';
import { type AllocatorCase } from './tables';

export type Outcome =
  | { readonly kind: 'allocated'; readonly allocations: readonly JsonObject[] }
  | { readonly kind: 'none' | 'wait' | 'undecided' }
  /** A claim that cannot be read keeps its pods waiting, with this reason. */
  | { readonly kind: 'problem'; readonly problem: string };

export function outcomeOf({ node, classes = [], slices = [], claims = [], whole, shares }: AllocatorCase): Outcome {
  const known = nodeOf(node);
  const reader = new ClaimReader(classSelectorsOf(classes), true);
  const read = claims.map(({ spec, metadata }) => {
    const name = asString(asObject(metadata).name) ?? '';
    return reader.read(asObject(spec), name, `ResourceClaim "${name}"`);
  });
  const problem = read.find((one) => one.problem !== undefined)?.problem;
  if (problem !== undefined) {
    return { kind: 'problem', problem };
  }
  const found = allocateDevices(
    read.flatMap(({ claim }): readonly DeviceClaim[] => (claim === undefined ? [] : [claim])),
    {
      slices: slices.map((slice) => sliceOf(slice, new Map([[known.name, known]]))),
      held: heldOf(whole, shares),
      node: known.name,
    },
  );
  if (found.kind !== 'allocated') {
    return { kind: found.kind };
  }
  const published = publishedDevices(slices);
  const sources = {
    classes: new Map(classes.map((one) => [asString(asObject(one.metadata).name) ?? '', one])),
    now: '2026-01-01T00:00:00Z',
  };
  return {
    kind: 'allocated',
    allocations: claims.map(({ spec }, index) =>
      allocationFor(asObject(spec), found.claims[index] ?? [], known.name, published, sources),
    ),
  };
}

function heldOf(whole: AllocatorCase['whole'] = [], shares: AllocatorCase['shares'] = {}): HeldDevices {
  return {
    whole: new Set(whole.map(keyOf)),
    shares: new Map(
      Object.entries(shares).map(([device, amounts]) => [
        keyOf(device),
        new Map(Object.entries(amounts).map(([name, amount]) => [name, parseQuantity(amount)?.nanos ?? 0n])),
      ]),
    ),
  };
}

function keyOf(text: string): string {
  const [driver = '', pool = '', device = ''] = text.split('/');
  return deviceKey({ driver, pool, device });
}
