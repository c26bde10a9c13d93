/**
 * What limit ranges say about claims, and what quotas count of objects other than pods.
 */
import { claimViolations } from '../../../src/checks/server/admission/limit-ranges';
import { contentsOf } from '../../../src/checks/server/admission/cluster-contents';
import { policyIn } from '../../../src/checks/server/admission/namespace-policy';
import { objectUse } from '../../../src/checks/server/admission/quotas';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asManifest } from '../../e2e/admission/verdict';

describe('a claim in a namespace with limit ranges', () => {
  const range = (...limits: readonly JsonObject[]): JsonObject => ({
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'sizes', namespace: 'ai' },
    spec: { limits: [...limits] },
  });
  const bounds = range({ type: 'PersistentVolumeClaim', min: { storage: '2Gi' }, max: { storage: '10Gi' } });
  const said = (ranges: JsonObject, requests: JsonObject | undefined, limits: JsonObject = {}): readonly unknown[] => {
    const policy = policyIn(contentsOf([asManifest(ranges)], new Set()), 'ai');
    const resources: JsonObject = requests === undefined ? { limits } : { requests, limits };
    return [...claimViolations({ resources }, policy)].map(({ path, message, expected }) => [path, message, expected]);
  };

  test.each(['2Gi', '10Gi'])('may request %s', (storage) => {
    expect(said(bounds, { storage })).toEqual([]);
  });

  test.each([
    ['11Gi', 'more than the maximum of 10Gi', 'at most 10Gi'],
    ['1Gi', 'less than the minimum of 2Gi', 'at least 2Gi'],
  ])('may not request %s', (storage, words, expected) => {
    expect(said(bounds, { storage })).toEqual([
      [
        '/resources/requests/storage',
        `the claim has a request of ${storage} for storage, ${words} in the LimitRange "sizes"`,
        expected,
      ],
    ]);
  });

  test('must request what is bounded, whatever its limits are', () => {
    expect(said(bounds, undefined, { storage: '5Gi' })).toEqual([
      [
        '/resources/requests/storage',
        expect.stringContaining('must set a request for storage, because there is a maximum of 10Gi'),
        'at most 10Gi',
      ],
      [
        '/resources/requests/storage',
        expect.stringContaining('must set a request for storage, because there is a minimum of 2Gi'),
        'at least 2Gi',
      ],
    ]);
  });

  test('is not bounded by what is for pods and containers', () => {
    const max = { storage: '1Gi' };
    expect(said(range({ type: 'Container', max }, { type: 'Pod', max }), { storage: '5Gi' })).toEqual([]);
  });
});

describe('quotas count', () => {
  const used = (apiVersion: string, kind: string, spec?: JsonObject): Readonly<Record<string, string>> => {
    const manifest = asManifest({ apiVersion, kind, metadata: { name: 'a' }, ...(spec === undefined ? {} : { spec }) });
    return Object.fromEntries([...objectUse(manifest)].map(([key, amount]) => [key, amount.toString()]));
  };

  test.each([
    ['v1', 'Secret', { 'count/secrets': '1', secrets: '1' }],
    ['v1', 'ConfigMap', { 'count/configmaps': '1', configmaps: '1' }],
    ['v1', 'ResourceQuota', { 'count/resourcequotas': '1', resourcequotas: '1' }],
    ['v1', 'ReplicationController', { 'count/replicationcontrollers': '1', replicationcontrollers: '1' }],
    ['apps/v1', 'Deployment', { 'count/deployments.apps': '1' }],
    ['example.com/v1', 'Secret', {}],
  ])('one %s %s', (apiVersion, kind, use) => {
    expect(used(apiVersion, kind)).toEqual(use);
  });

  const service = (balancers: string, nodePorts: string): Readonly<Record<string, string>> => ({
    services: '1',
    'count/services': '1',
    'services.loadbalancers': balancers,
    'services.nodeports': nodePorts,
  });
  const ports: JsonObject[] = [{ port: 80 }, { port: 443, nodePort: 30_443 }, { port: 81, nodePort: 0 }];

  test.each<[string, JsonObject, Readonly<Record<string, string>>]>([
    ['of the cluster', { ports }, service('0', '0')],
    ['with ports of nodes', { type: 'NodePort', ports }, service('0', '3')],
    ['with a load balancer', { type: 'LoadBalancer', ports }, service('1', '3')],
    [
      'with a load balancer that needs no ports of nodes: those that are set',
      { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports },
      service('1', '1'),
    ],
  ])('a Service %s', (_what, spec, use) => {
    expect(used('v1', 'Service', spec)).toEqual(use);
  });

  test('the storage of a claim, in all and of its class', () => {
    const spec = { storageClassName: 'fast', resources: { requests: { storage: '5Gi' } } };
    expect(used('v1', 'PersistentVolumeClaim', spec)).toMatchObject({
      persistentvolumeclaims: '1',
      'requests.storage': '5Gi',
      'fast.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
      'fast.storageclass.storage.k8s.io/requests.storage': '5Gi',
    });
  });
});
