import { type JsonObject } from '../../../src/facts/api/schema';
import { podRequest } from '../../../src/planning/cluster/objects/pod-request';
import {
  byRequest,
  extendedClaimOf,
  extendedClaimSpec,
  requestsExactly,
} from '../../../src/planning/cluster/objects/claims/extended-claim';
import { classServing, pluginResources } from '../../../src/planning/cluster/objects/claims/serving';
import { seeded } from '../../support/api-server/faults';

type Amounts = Readonly<Record<string, number | string>>;

const container = (name: string, requests: Amounts, more: JsonObject = {}): JsonObject => ({
  name,
  resources: { requests },
  ...more,
});
const sidecar = (name: string, requests: Amounts): JsonObject => container(name, requests, { restartPolicy: 'Always' });

/** Requests as `NAME CLASS xCOUNT`, mappings as `CONTAINER RESOURCE REQUEST`. */
function claimOf(
  spec: JsonObject,
  classes: Readonly<Record<string, string>>,
): { readonly requests: string[]; readonly mappings: string[] } {
  const wanted = Object.entries(classes).map(([resource, deviceClass]) => ({ resource, deviceClass, count: 1 }));
  const { requests, mappings } = extendedClaimOf(spec, wanted);
  return {
    requests: requests.map(({ name, deviceClass, count }) => `${name} ${deviceClass} x${count}`),
    mappings: mappings.map(
      ({ containerName, resourceName, requestName }) => `${containerName} ${resourceName} ${requestName}`,
    ),
  };
}

// The situations of the table tests of kube-scheduler (extendeddynamicresources_test.go, createRequestsAndMappings).
describe('the claim for extended resources', () => {
  it('has a request for each resource of a container that a class serves', () => {
    const spec = { containers: [container('con0', { 'a/gpu': 1, 'a/gpu1': 2 })] };
    expect(claimOf(spec, { 'a/gpu': 'class' })).toEqual({
      requests: ['container-0-request-0 class x1'],
      mappings: ['con0 a/gpu container-0-request-0'],
    });
    expect(claimOf(spec, { 'a/gpu1': 'class1', 'a/gpu': 'class' })).toEqual({
      requests: ['container-0-request-0 class x1', 'container-0-request-1 class1 x2'],
      mappings: ['con0 a/gpu container-0-request-0', 'con0 a/gpu1 container-0-request-1'],
    });
  });

  it('has requests of each container that runs, numbered as its resources are sorted', () => {
    const spec = {
      containers: [
        container('con0', { memory: '1Gi', cpu: '1', 'a/gpu': 1 }),
        container('con1', { cpu: '1', 'z/other': 1, 'a/gpu': 3 }),
        { name: 'con2', resources: { limits: { 'a/gpu': '2' } } },
        container('con3', { cpu: 1, 'a/gpu': 0 }),
      ],
    };
    expect(claimOf(spec, { 'a/gpu': 'class' })).toEqual({
      requests: ['container-0-request-0 class x1', 'container-1-request-0 class x3', 'container-2-request-0 class x2'],
      mappings: [
        'con0 a/gpu container-0-request-0',
        'con1 a/gpu container-1-request-0',
        'con2 a/gpu container-2-request-0',
      ],
    });
  });

  it('has one request for init containers that run one after the other, the largest', () => {
    const spec = {
      initContainers: [container('i0', { 'a/init': 1 }), container('i1', { 'a/init': 2 })],
      containers: [container('con', { 'a/gpu': 1 })],
    };
    expect(claimOf(spec, { 'a/gpu': 'class', 'a/init': 'classInit' })).toEqual({
      requests: ['container-1-request-0 classInit x2', 'container-2-request-0 class x1'],
      mappings: [
        'con a/gpu container-2-request-0',
        'i0 a/init container-1-request-0',
        'i1 a/init container-1-request-0',
      ],
    });
  });

  it('lets init containers use what starts after them, and not sidecars that run beside them', () => {
    const spec = {
      initContainers: [container('i0', { 'a/gpu': 1 }), sidecar('s', { 'a/gpu': 1 }), container('i2', { 'a/gpu': 3 })],
      containers: [container('con', { 'a/gpu': 2 })],
    };
    expect(claimOf(spec, { 'a/gpu': 'class' })).toEqual({
      requests: ['container-1-request-0 class x1', 'container-2-request-0 class x1', 'container-3-request-0 class x2'],
      mappings: [
        's a/gpu container-1-request-0',
        'con a/gpu container-3-request-0',
        'i0 a/gpu container-1-request-0',
        'i2 a/gpu container-3-request-0',
        'i2 a/gpu container-2-request-0',
      ],
    });
  });

  it('sorts requests as text, as kube-scheduler does', () => {
    const containers = Array.from({ length: 11 }, (_, i) => container(`c${i}`, { 'a/gpu': 1 }));
    const { requests } = claimOf({ containers }, { 'a/gpu': 'class' });
    expect(requests.slice(0, 4).map((one) => one.split(' ')[0])).toEqual([
      'container-0-request-0',
      'container-1-request-0',
      'container-10-request-0',
      'container-2-request-0',
    ]);
  });

  it('requests as many devices as the pod does as a whole, in random pods', () => {
    const random = seeded(18_042);
    const upTo = (most: number): number => Math.floor(random() * (most + 1));
    for (let sample = 0; sample < 2000; sample++) {
      const some = (prefix: string, count: number, first: boolean): JsonObject[] =>
        Array.from({ length: count }, (_, i) =>
          container(
            `${prefix}${i}`,
            { cpu: '1', ...(upTo(2) > 0 && { 'a/x': upTo(4) }), ...(upTo(2) > 0 && { 'b/y': upTo(2) }) },
            first && upTo(1) === 0 ? { restartPolicy: 'Always' } : {},
          ),
        );
      const spec = { initContainers: some('i', upTo(4), true), containers: some('c', 1 + upTo(2), false) };
      const wanted = ['a/x', 'b/y'].map((resource) => ({ resource, deviceClass: resource[0], count: 1 }));
      const { requests, mappings } = extendedClaimOf(spec, wanted);
      const sums: Record<string, number> = {};
      requests.forEach(({ resource, count }) => (sums[resource] = (sums[resource] ?? 0) + count));
      const whole = podRequest(spec);
      for (const resource of ['a/x', 'b/y']) {
        expect({ sample, resource, sum: sums[resource] ?? 0 }).toEqual({
          sample,
          resource,
          sum: whole[resource] ?? 0,
        });
      }
      // Each container gets enough, and no name is given twice.
      expect(new Set(requests.map(({ name }) => name)).size).toBe(requests.length);
      for (const { name, resources } of [...spec.initContainers, ...spec.containers]) {
        for (const resource of ['a/x', 'b/y']) {
          const found = mappings
            .filter((one) => one.containerName === name && one.resourceName === resource)
            .reduce((sum, one) => sum + (requests.find((request) => request.name === one.requestName)?.count ?? 0), 0);
          const asked = Number(((resources as JsonObject).requests as JsonObject)[resource] ?? 0);
          expect(found).toBeGreaterThanOrEqual(asked);
        }
      }
    }
  });

  it('gives each request its part of the devices of the pod', () => {
    const spec = { containers: [container('a', { 'a/x': 2, 'b/y': 1 }), container('b', { 'a/x': 1 })] };
    const claim = extendedClaimOf(spec, [
      { resource: 'a/x', deviceClass: 'x', count: 3 },
      { resource: 'b/y', deviceClass: 'y', count: 1 },
    ]);
    const device = (request: string, name: string) => ({
      request,
      driver: 'd',
      pool: 'p',
      device: name,
      adminAccess: false,
    });
    const chosen = [device('a/x', '0'), device('a/x', '1'), device('a/x', '2'), device('b/y', '3')];
    const given = byRequest(chosen, claim).map(({ request, device: name }) => `${request}=${name}`);
    expect(given).toEqual([
      'container-0-request-0=0',
      'container-0-request-0=1',
      'container-0-request-1=3',
      'container-1-request-0=2',
    ]);
    // Devices that the claim has already stay where they are.
    expect(byRequest(byRequest(chosen, claim), claim)).toEqual(byRequest(chosen, claim));
  });

  it('differs from a claim that requests anything else', () => {
    const claim = extendedClaimOf({ containers: [container('a', { 'a/x': 2 })] }, [
      { resource: 'a/x', deviceClass: 'x', count: 2 },
    ]);
    const spec = extendedClaimSpec(claim);
    expect(spec).toEqual({
      devices: {
        requests: [
          {
            name: 'container-0-request-0',
            exactly: { deviceClassName: 'x', allocationMode: 'ExactCount', count: 2 },
          },
        ],
      },
    });
    expect(requestsExactly(spec, claim)).toBe(true);
    const altered = (request: JsonObject, exactly: JsonObject, devices: JsonObject = {}): JsonObject => ({
      devices: {
        requests: [
          {
            name: 'container-0-request-0',
            exactly: { deviceClassName: 'x', allocationMode: 'ExactCount', count: 2, ...exactly },
            ...request,
          },
        ],
        ...devices,
      },
    });
    expect(requestsExactly(altered({}, {}), claim)).toBe(true);
    for (const other of [
      altered({ name: 'gpu' }, {}),
      altered({ firstAvailable: [] }, {}),
      altered({}, { count: 3 }),
      altered({}, { deviceClassName: 'y' }),
      altered({}, { allocationMode: 'All' }),
      altered({}, { adminAccess: true }),
      altered({}, { selectors: [] }),
      altered({}, {}, { config: [] }),
      altered({}, {}, { requests: [] }),
      { ...altered({}, {}), more: true },
    ]) {
      expect(requestsExactly(other, claim)).toBe(false);
    }
  });
});

describe('the class that serves an extended resource', () => {
  const deviceClass = (name: string, created: string): JsonObject => ({
    metadata: { name, creationTimestamp: created },
    spec: { extendedResourceName: 'a/gpu' },
  });

  it('is the newer one of two, and of two of one moment the first by name', () => {
    const serving = (...classes: readonly JsonObject[]): string | undefined =>
      classServing(classes, new Set())('a/gpu');
    const [b, a] = [deviceClass('b', '2026-01-01T00:00:00Z'), deviceClass('a', '2026-01-01T00:00:00Z')];
    expect([serving(a, b), serving(b, a)]).toEqual(['a', 'a']);
    const newer = deviceClass('z', '2026-01-01T00:00:01Z');
    expect([serving(newer, a), serving(a, newer)]).toEqual(['z', 'z']);
  });

  it('is not needed where nodes have the resource from a plugin, of which 0 are left once the plugin was removed', () => {
    const node = (amount: number) => ({ name: 'n', labels: {}, taints: [], allocatable: { 'a/gpu': amount } });
    const resources = (amount: number): readonly string[] => [...pluginResources([node(amount)])];
    expect(resources(8)).toEqual(['a/gpu']);
    expect(resources(0)).toEqual([]);
  });
});
