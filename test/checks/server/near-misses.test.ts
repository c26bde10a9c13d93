/**
 * Pairs of values that look alike, of which the API server accepts one and refuses the other.
 */
import { isAddress, isRange } from '../../../src/checks/server/addresses';
import { coreRules } from '../../../src/checks/server/rules';
import { schemaAt } from '../../../src/checks/server/objects/schema-rules';
import { semanticVersion } from '../../../src/manifests/values/name-syntax';
import { findingsOf } from '../../support/findings';
import { type Json, minimalPod, yaml } from './valid';
import { admissionObjects, deviceObjects } from './valid-objects';
import { by, crd, first, schemaOf } from './faults/fault';

const saidOf = (object: Json): readonly string[] =>
  findingsOf(yaml(object), coreRules).map(({ rule, path, message }) => `${rule} ${path} ${message}`);

function changed(make: () => Json, change: (object: Json) => void): Json {
  const object = structuredClone(make());
  change(object);
  return object;
}

describe('the URL of a webhook', () => {
  const saidOfUrl = (url: string): readonly string[] =>
    saidOf(
      changed(by(admissionObjects, 'ValidatingWebhookConfiguration'), (object) => {
        first(object.webhooks).clientConfig = { url };
      }),
    ).map((said) => said.replace(/^.* must /, ''));

  test.each([
    ['https://hooks.example.com/validate', []],
    ['https://hooks.example.com:8443', []],
    // Go finds no host in these, JavaScript the first part of the path.
    ['https:///validate', ['have a host']],
    ['https:validate', ['have a host']],
    ['https://?a=b', ['be a URL such as https://hooks.example.com/validate']],
    ['http://hooks.example.com', ['begin with https://']],
    ['https://user@hooks.example.com', ['not contain a user']],
    ['https://hooks.example.com/#a', ['not contain a fragment']],
  ])('%s', (url, complaints) => {
    expect(saidOfUrl(url)).toEqual(complaints);
  });
});

test.each([
  ['1.2.3', true],
  ['1.2.3-0', true],
  ['1.2.3-0a', true],
  ['1.2.3-10', true],
  ['1.2.3-01', false],
  ['1.2.3-a.01', false],
  ['01.2.3', false],
  ['1.2', false],
])('%s is a semantic version: %s', (version, isOne) => {
  expect(semanticVersion(version) === undefined).toBe(isOne);
});

test.each(['StatefulSet', 'Deployment', 'DaemonSet'])('a negative history limit of a %s', (kind) => {
  const labels = { app: 'a' };
  const workload = (count: Json): Json => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'a' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a:1' }] } },
      ...count,
    },
  });
  expect(saidOf(workload({ revisionHistoryLimit: 0 }))).toEqual([]);
  expect(saidOf(workload({ minReadySeconds: -1 }))).toHaveLength(1);
  // The server validates it for the others only.
  expect(saidOf(workload({ revisionHistoryLimit: -1 }))).toHaveLength(kind === 'StatefulSet' ? 0 : 1);
});

test.each([
  ['memory', []],
  ['gpu-memory', []],
  ['Memory', ['/spec/sharedCounters/0/counters/Memory']],
  ['gpu_memory', ['/spec/sharedCounters/0/counters/gpu_memory']],
])('a shared counter named %s', (name, places) => {
  const slice = changed(by(deviceObjects, 'ResourceSlice'), (object) => {
    const spec = object.spec as Json;
    delete spec.devices;
    spec.sharedCounters = [{ name: 'gpu-0', counters: { [name]: { value: '1Gi' } } }];
  });
  const placesIn = (kubernetes: '1.35' | '1.36'): readonly string[] =>
    findingsOf(yaml(slice), coreRules, { kubernetes }).map(({ path }) => path);
  expect(placesIn('1.36')).toEqual(places);
  // Shared counters are off by default before, and the server drops them.
  expect(placesIn('1.35')).toEqual([]);
});

describe('a path to a field of a schema', () => {
  const leaf = { type: 'string' };
  const schema: Json = {
    properties: {
      spec: { properties: { 'a.b': leaf, "it's": leaf }, type: 'object' },
      labels: { additionalProperties: leaf },
    },
  };

  test.each([
    ['.spec', true],
    [".spec['a.b']", true],
    [".spec['it\\'s']", true],
    ["['spec']['a.b']", true],
    [".labels['any.key/at-all']", true],
    ['.spec.a.b', false],
    [".spec['a']", false],
    ['spec', false],
    ['.spec[0]', false],
    [".labels['a']['b']", false],
  ])('%s', (path, exists) => {
    expect(schemaAt(schema, path) !== undefined).toBe(exists);
  });
});

test('a requirement of no common form is the fix of its field', () => {
  const scaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps', kind: 'Deployment', name: 'web' } },
  };
  expect(findingsOf(yaml(scaler), coreRules).map(({ fix }) => fix)).toEqual([
    'Set scaleTargetRef.apiVersion to the apiVersion of the target, such as apps/v1.',
  ]);
});

describe('the size of a Secret', () => {
  const MEBIBYTE = 1024 * 1024;
  const secret = (fields: Json): readonly string[] =>
    saidOf({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, ...fields });
  const half = 'x'.repeat(MEBIBYTE / 2);

  test('stringData counts, as the data that it becomes', () => {
    expect(secret({ stringData: { a: half, b: half } })).toEqual([]);
    expect(secret({ stringData: { a: half, b: `${half}x` } })).toEqual([
      `core/config-size-within-limit /data the data must have no more than ${MEBIBYTE} bytes, but has ${MEBIBYTE + 1}`,
    ]);
  });

  test('a key of stringData replaces the one of data', () => {
    const encoded = Buffer.from(half).toString('base64');
    expect(secret({ data: { a: encoded }, stringData: { a: half, b: half } })).toEqual([]);
    expect(secret({ data: { c: encoded }, stringData: { a: half, b: half } })).toHaveLength(1);
  });
});

test('a counter set is listed once', () => {
  const slice = changed(by(deviceObjects, 'ResourceSlice'), (object) => {
    const spec = object.spec as Json;
    delete spec.devices;
    const set = { name: 'gpu-0', counters: { memory: { value: '1Gi' } } };
    spec.sharedCounters = [set, set];
  });
  expect(
    findingsOf(yaml(slice), coreRules, { kubernetes: '1.36' }).map(({ path, message }) => [path, message]),
  ).toEqual([['/spec/sharedCounters/1/name', 'duplicate counter set "gpu-0"']]);
});

test('on the network of the host, the port of a container is one of the host', () => {
  const pod = (spec: Json): readonly string[] =>
    findingsOf(
      yaml({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'a' },
        spec: {
          ...spec,
          containers: ['a', 'b'].map((name) => ({ name, image: 'a:1', ports: [{ containerPort: 80 }] })),
        },
      }),
      coreRules,
    ).map(({ rule, path }) => `${rule} ${path}`);
  expect(pod({})).toEqual([]);
  expect(pod({ hostNetwork: true })).toEqual(['core/host-port-unique /spec/containers/1/ports/0/hostPort']);
});

describe('a Windows host-process container', () => {
  const options = (hostProcess: boolean): Json => ({ windowsOptions: { hostProcess } });
  const placesIn = (ofPod: Json | undefined, containers: readonly (Json | undefined)[], hostNetwork = false) =>
    findingsOf(
      yaml({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'a' },
        spec: {
          ...(ofPod === undefined ? {} : { securityContext: ofPod }),
          ...(hostNetwork ? { hostNetwork } : {}),
          containers: containers.map((securityContext, index) => ({
            name: `c${index}`,
            image: 'a:1',
            ...(securityContext === undefined ? {} : { securityContext }),
          })),
        },
      }),
      coreRules,
    )
      .filter(({ rule }) => rule === 'core/windows-host-process-consistent')
      .map(({ path }) => path);

  test.each<[string, Json | undefined, readonly (Json | undefined)[], readonly string[]]>([
    ['is all or none, on the host network', options(true), [undefined, undefined], []],
    ['may say so itself', undefined, [options(true), options(true)], []],
    ['is not beside another container', undefined, [options(true), undefined], ['/spec']],
    [
      'does not contradict its pod',
      options(true),
      [options(false)],
      ['/spec/containers/0/securityContext/windowsOptions/hostProcess'],
    ],
  ])('%s', (_, ofPod, containers, places) => {
    expect(placesIn(ofPod, containers, true)).toEqual(places);
    const isOne = places.length === 0 || places.includes('/spec');
    expect(placesIn(ofPod, containers)).toEqual(isOne ? [...places, '/spec/hostNetwork'] : places);
  });
});

describe('a resource that a variable refers to', () => {
  const placesOf = (reference: Json): readonly string[] =>
    findingsOf(
      yaml({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'a' },
        spec: {
          containers: [{ name: 'a', image: 'a:1', env: [{ name: 'A', valueFrom: { resourceFieldRef: reference } }] }],
        },
      }),
      coreRules,
    ).map(({ path }) => path.replace(/^.*\//, ''));

  test.each([
    [{ resource: 'limits.hugepages-2Mi' }, []],
    [{ resource: 'requests.hugepages-1Gi', divisor: '1Mi' }, []],
    [{ resource: 'requests.hugepages-1Gi', divisor: '1m' }, ['divisor']],
    [{ resource: 'xlimits.hugepages-2Mi' }, ['resource']],
    [{ resource: 'limits.hugepages' }, ['resource']],
    [{ resource: 'limits.cpu', divisor: '1m' }, []],
    [{ resource: 'limits.cpu', divisor: '1Mi' }, ['divisor']],
    [{ resource: 'limits.nvidia.com/gpu' }, ['resource']],
  ])('%j', (reference, places) => {
    expect(placesOf(reference)).toEqual(places);
  });
});

test.each<[string, Json, readonly string[]]>([
  ['labels and annotations', { labels: { app: 'a' }, annotations: { note: 'b' } }, []],
  ['an empty map', { managedFields: {} }, []],
  ['a name', { name: 'scratch' }, ['/metadata/name']],
  ['an empty list', { finalizers: [] }, ['/metadata/finalizers']],
])('the metadata of a claim template with %s', (_, metadata, places) => {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a' },
    spec: {
      containers: [{ name: 'a', image: 'a:1' }],
      volumes: [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { metadata, spec } } }],
    },
  };
  expect(findingsOf(yaml(pod), coreRules).map(({ path }) => path)).toEqual(
    places.map((place) => `/spec/volumes/0/ephemeral/volumeClaimTemplate${place}`),
  );
});

test.each([
  ['1.2.3.4', true, true],
  // IPv4 in the notation of IPv6, and an address of IPv6 beside it.
  ['::ffff:1.2.3.4', false, true],
  ['::ffff:102:304', false, true],
  ['::fffe:102:304', true, true],
  ['::1:ffff:102:304', true, true],
  ['1.2.3.04', false, true],
])('%s is an address for servers since 1.36: %s, for older ones: %s', (address, strict, loose) => {
  expect([isAddress(address, true), isAddress(address, false)]).toEqual([strict, loose]);
  const range = `${address}/${address.includes(':') ? 128 : 32}`;
  expect([isRange(range, true), isRange(range, false)]).toEqual([strict, loose]);
});

describe('a key in two maps', () => {
  const said = (kind: string, maps: Json): readonly string[] =>
    saidOf({ apiVersion: 'v1', kind, metadata: { name: 'a', namespace: 'b' }, ...maps });

  test.each(['ConfigMap', 'Secret'])('of a %s', (kind) => {
    expect(said(kind, { data: { a: 'YQ==' }, binaryData: { 'a.b': 'YQ==' } })).toEqual([]);
    expect(said(kind, { data: { a: 'YQ==', b: 'YQ==' }, binaryData: { b: 'YQ==', c: 'YQ==' } })).toEqual([
      'core/config-key-valid /binaryData/b duplicate key "b" in data and binaryData',
    ]);
    expect(said(kind, { data: { a: 'YQ==' }, stringData: { a: 'b' } })).toEqual([]);
  });
});

test.each<[more: Json, isBranchOfTypes: boolean]>([
  [{}, true],
  [{ nullable: false }, true],
  [{ enum: [] }, true],
  [{ not: {} }, false],
  [{ properties: {} }, false],
  [{ minimum: 1 }, false],
])('the types of an int-or-string may be named beside %j: %s', (more, isFree) => {
  const object = crd();
  const field = { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer', ...more }, { type: 'string' }] };
  (schemaOf(object.spec as Json).properties as Json).spec = { type: 'object', properties: { field } };
  const types = saidOf(object).filter((said) => said.includes('type must not be set inside'));
  expect(types).toHaveLength(isFree ? 0 : 2);
});

test.each([
  ['A_', [], []],
  ['', [], []],
  ['1 A', ['consist of letters'], []],
  ['A=', ['consist of letters'], ['consist of printable']],
])('the prefix %j of environment variables', (prefix, before, since132) => {
  const pod = minimalPod();
  const [container] = (pod.spec as Json).containers as Json[];
  container.envFrom = [{ prefix, configMapRef: { name: 'a' } }];
  const said = (kubernetes: '1.31' | '1.32'): readonly string[] =>
    findingsOf(yaml(pod), coreRules, { kubernetes }).map(({ path, message }) => {
      expect(path).toBe('/spec/containers/0/envFrom/0/prefix');
      return /must (\w+ of \w+)/.exec(message)?.[1] ?? message;
    });
  expect([said('1.31'), said('1.32')]).toEqual([before, since132]);
});

test('a resource claim of a pod without a name is not one that a container can have', () => {
  const expected = (...resourceClaims: Json[]): unknown => {
    const pod = minimalPod();
    (pod.spec as Json).resourceClaims = resourceClaims;
    ((pod.spec as Json).containers as Json[])[0].resources = { claims: [{ name: 'x' }] };
    return findingsOf(yaml(pod), coreRules).find(({ rule }) => rule === 'core/resource-claim-of-pod')?.expected;
  };
  expect(expected({})).toBe('the name of an entry in spec.resourceClaims');
  expect(expected({}, { name: 'y', resourceClaimName: 'y' })).toBe('"y"');
  expect(expected({ name: 'x', resourceClaimName: 'y' })).toBeUndefined();
});

test.each([
  [{ type: 'OnDelete', rollingUpdate: {} }, true],
  [{ type: 'OnDelete', rollingUpdate: { partition: 1 } }, true],
  [{ type: 'OnDelete' }, false],
  [{ type: 'OnDelete', rollingUpdate: null }, false],
  [{ type: 'RollingUpdate', rollingUpdate: {} }, false],
  [{ rollingUpdate: { partition: 1 } }, false],
])('the update strategy %j of a StatefulSet is refused: %s', (updateStrategy, isRefused) => {
  const labels = { app: 'a' };
  const object = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'a', namespace: 'b' },
    spec: {
      serviceName: 'a',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      updateStrategy,
    },
  };
  expect(saidOf(object as Json).filter((said) => said.includes('/spec/updateStrategy/rollingUpdate '))).toHaveLength(
    isRefused ? 1 : 0,
  );
});
