/**
 * Which ResourceClaims a pod with templates has, and which one it waits for.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { type PodDeviceClaim, podDeviceClaims } from '../../../src/runtime/kubernetes/world/pod-claims';

const SPEC: JsonObject = {
  devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com' } }] },
};

function claimsOf(status: JsonObject, claims: Readonly<Record<string, JsonObject>> = {}): readonly PodDeviceClaim[] {
  return podDeviceClaims(
    {
      metadata: { namespace: 'research', name: 'p', uid: 'u-1' },
      spec: { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'one' }] },
      status,
    },
    { claims: new Map(Object.entries(claims)), classOf: () => undefined },
  );
}

const NOT_CREATED = {
  key: 'template:research/one',
  charged: {},
  problem: 'The ResourceClaim for "gpu" has not been created yet from ResourceClaimTemplate "one".',
};

test('a pod waits for no claim as long as its status names none', () => {
  expect(claimsOf({})).toEqual([NOT_CREATED]);
  expect(claimsOf({ resourceClaimStatuses: [{ name: 'other', resourceClaimName: 'p-other' }] })).toEqual([NOT_CREATED]);
});

test('a pod waits for the claim that its status names', () => {
  expect(claimsOf({ resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'p-gpu' }] })).toEqual([
    { ...NOT_CREATED, awaited: 'claim:research/p-gpu' },
  ]);
});

test('a pod has the claim that was created for it', () => {
  const claim = {
    metadata: {
      namespace: 'research',
      name: 'p-gpu',
      ownerReferences: [{ kind: 'Pod', uid: 'u-1', controller: true }],
    },
    spec: SPEC,
  };
  const [found] = claimsOf(
    { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'p-gpu' }] },
    { 'research/p-gpu': claim },
  );
  expect(found).toMatchObject({ own: 'claim:research/p-gpu', madeFrom: { claim } });
  expect(found.problem).toBeUndefined();
  expect(found.awaited).toBeUndefined();
});
