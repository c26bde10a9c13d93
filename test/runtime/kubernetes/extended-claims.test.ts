/**
 * Which claim is the one for the extended resources of a pod.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { extendedClaimKey } from '../../../src/planning/cluster/objects/claim-key';
import { ClaimNames } from '../../../src/runtime/kubernetes/world/claim-names';
import { type ExtendedPod, ExtendedClaims } from '../../../src/runtime/kubernetes/world/extended-claims';

const SPEC: JsonObject = {
  devices: { requests: [{ name: 'container-0-request-0', exactly: { deviceClassName: 'gpu', count: 1 } }] },
};
const HELD: JsonObject = { allocation: { devices: { results: [] } }, reservedFor: [{ resource: 'pods', uid: 'u' }] };

function claim(name: string, more: { spec?: JsonObject; status?: JsonObject; metadata?: JsonObject } = {}): JsonObject {
  return {
    metadata: {
      namespace: 'default',
      name,
      annotations: { 'resource.kubernetes.io/extended-resource-claim': 'true' },
      ownerReferences: [{ kind: 'Pod', name: 'p', uid: 'u', controller: true }],
      ...more.metadata,
    },
    spec: more.spec ?? SPEC,
    status: more.status ?? {},
  };
}

function pod({ stated, ...more }: Partial<ExtendedPod> & { stated?: string } = {}): ExtendedPod {
  const requests = [{ resource: 'a/gpu', deviceClass: 'gpu', count: 1 }];
  const extendedResourceClaimStatus: JsonObject = stated === undefined ? {} : { resourceClaimName: stated };
  return {
    namespace: 'default',
    name: 'p',
    uid: 'u',
    way: 'direct',
    state: 'waiting',
    template: { request: {}, claims: [extendedClaimKey(requests)] },
    raw: {
      spec: { containers: [{ name: 'c', resources: { requests: { 'a/gpu': '1' } } }] },
      status: { extendedResourceClaimStatus },
    },
    ...more,
  };
}

class Claims {
  readonly store = new Map<string, JsonObject>();
  readonly extended = new ExtendedClaims(() => this.store, 'salt');

  put(...claims: readonly JsonObject[]): this {
    for (const one of claims) {
      const key = `default/${(one.metadata as { name: string }).name}`;
      const before = this.store.get(key);
      this.store.set(key, one);
      this.extended.take(key, before, one);
    }
    return this;
  }

  remove(name: string): this {
    const before = this.store.get(`default/${name}`);
    this.store.delete(`default/${name}`);
    this.extended.take(`default/${name}`, before, undefined);
    return this;
  }
}

const OWN = 'claim:default/p-extended-resources-';

it('is one that is going to be made, of a name that is as long as those of the API server', () => {
  const { extended } = new Claims();
  const key = extended.keyFor(pod());
  expect(key).toMatch(/^claim:default\/p-extended-resources-[0-9a-f]{8}$/);
  expect(extended.keyFor(pod())).toBe(key);
  expect(extended.keyFor(pod({ uid: 'other' }))).not.toBe(key);
  expect(new ExtendedClaims(() => new Map()).keyFor(pod())).not.toBe(key);
  const long = extended.keyFor(pod({ name: `${'x'.repeat(33)}--.${'y'.repeat(200)}` })) ?? '';
  expect(long).toMatch(/^claim:default\/x{33}-extended-resources-[0-9a-f]{8}$/);
  const longest = extended.keyFor(pod({ name: 'z'.repeat(200) })) ?? '';
  expect(longest.length - 'claim:default/'.length).toBe(63);
});

it('is one with devices, then the one that the scheduler itself made, then the one that the status names, then another', () => {
  const claims = new Claims().put(claim('a'), claim('b'));
  const own = (claims.extended.keyFor(pod({ uid: 'u', template: { request: {} } })) ?? '').slice(OWN.length);
  expect(claims.extended.keyFor(pod())).toBe('claim:default/a');
  expect(claims.extended.keyFor(pod({ stated: 'b' }))).toBe('claim:default/b');
  claims.put(claim(`p-extended-resources-${own}`));
  expect(claims.extended.keyFor(pod({ stated: 'b' }))).toBe(`${OWN}${own}`);
  claims.put(claim('z', { status: HELD }), claim('y', { status: HELD }));
  expect(claims.extended.keyFor(pod({ stated: 'b' }))).toBe('claim:default/y');
  expect([...claims.extended.allocatedFor('u')].sort()).toEqual(['claim:default/y', 'claim:default/z']);
  claims.remove('y').put(claim('z'));
  expect([...claims.extended.allocatedFor('u')]).toEqual([]);
  ['a', 'b', 'z', `p-extended-resources-${own}`].forEach((name) => claims.remove(name));
  expect(claims.extended.keyFor(pod({ stated: 'b' }))).toBe(`${OWN}${own}`);
});

it.each([
  ['of another pod', claim('a', { metadata: { ownerReferences: [{ kind: 'Pod', uid: 'v', controller: true }] } })],
  ['of a Job', claim('a', { metadata: { ownerReferences: [{ kind: 'Job', uid: 'u', controller: true }] } })],
  ['that the pod does not control', claim('a', { metadata: { ownerReferences: [{ kind: 'Pod', uid: 'u' }] } })],
  ['without the annotation', claim('a', { metadata: { annotations: {} } })],
  ['that is being deleted', claim('a', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })],
  ['of another namespace', claim('a', { metadata: { namespace: 'other' } })],
  ['that requests something else', claim('a', { spec: { devices: { requests: [] } } })],
  ['that another pod uses too', claim('a', { status: { ...HELD, reservedFor: [{ uid: 'u' }, { uid: 'another' }] } })],
])('is not a claim %s', (_, one) => {
  expect(new Claims().put(one).extended.keyFor(pod({ stated: 'a' }))).toMatch(/extended-resources/);
});

it('is looked for among a few of many', () => {
  const many = Array.from({ length: 50 }, (_, i) => claim(`n-${i}`, { spec: {} }));
  expect(new Claims().put(...many.slice(0, 7), claim('good')).extended.keyFor(pod())).toBe('claim:default/good');
  expect(new Claims().put(...many, claim('good')).extended.keyFor(pod())).toMatch(/extended-resources/);
  expect(new Claims().put(...many, claim('good')).extended.keyFor(pod({ stated: 'good' }))).toBe('claim:default/good');
});

it('is the one that the status names where another scheduler makes it, or the pod runs', () => {
  const { extended } = new Claims().put(
    claim('a'),
    claim('b', { metadata: { ownerReferences: [{ kind: 'Pod', uid: 'v', controller: true }] } }),
  );
  for (const other of [{ way: 'gated' as const }, { state: 'placed' as const }]) {
    expect(extended.keyFor(pod(other))).toBeUndefined();
    expect(extended.keyFor(pod({ ...other, stated: 'a' }))).toBe('claim:default/a');
    expect(extended.keyFor(pod({ ...other, stated: 'unseen' }))).toBe('claim:default/unseen');
    expect(extended.keyFor(pod({ ...other, stated: 'b' }))).toBeUndefined();
  }
});

it('names of claims are kept pod by pod', () => {
  const names = new ClaimNames();
  const changed: string[] = [];
  names.onChange = (key) => changed.push(key);
  names.put('p', { named: [{ key: 'k', charged: {} }], inUse: ['u'] });
  names.put('q', { named: [{ key: 'k', charged: {} }], inUse: ['u'] });
  expect([names.inUse('u'), names.named('k')?.key, [...names.names()]]).toEqual([true, 'k', ['k']]);
  names.put('p', undefined);
  expect([names.inUse('u'), names.named('k')?.key]).toEqual([true, 'k']);
  names.put('q', { named: [], inUse: [] });
  expect([names.inUse('u'), names.named('k'), [...names.names()]]).toEqual([false, undefined, []]);
  expect(changed).toEqual(['k', 'u', 'k', 'u', 'k', 'u', 'k', 'u']);
});
