import { type JsonObject, type JsonValue, type KubernetesMinor } from '../../../src/facts/api/schema';
import { ShapeChecker } from '../../../src/checks/schema/check-shape';
import { manifestOf } from '../../support/manifest-of';

const found = (object: JsonObject, kubernetes: KubernetesMinor = '1.35'): readonly string[] =>
  new ShapeChecker({ kubernetes }).check(manifestOf(object)).violations.map(({ rule, path }) => `${rule} ${path}`);

const metadata = { name: 'a', namespace: 'default' };
const pod = (container: JsonObject, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata,
  spec: { ...spec, containers: [{ name: 'a', image: 'b', ...container }] },
});
const limit = (value: JsonValue): JsonObject => pod({ resources: { limits: { cpu: value } } });

describe('built-in kinds are decoded as Go does', () => {
  test('a good object passes', () => {
    expect(found(pod({ ports: [{ containerPort: 80 }], env: [{ name: 'A', value: 'b' }] }))).toEqual([]);
  });

  test.each([['Gi'], ['+'], ['.'], ['m'], ['5 '], ['1e400'], [2], [0.5], [null]])('%j is a quantity', (value) => {
    expect(found(limit(value))).toEqual([]);
  });

  test.each([['1KI'], ['1e'], [''], ['two']])('%j is no quantity', (value) => {
    expect(found(limit(value))).toEqual(['schema/format /spec/containers/0/resources/limits/cpu']);
  });

  test('a quantity is text or number', () => {
    expect(found(limit(true))).toEqual(['schema/type /spec/containers/0/resources/limits/cpu']);
  });

  test('unknown fields are refused at any depth, letter case counts', () => {
    expect(found(pod({ imagepullpolicy: 'Always' }))).toEqual([
      'schema/unknown-field /spec/containers/0/imagepullpolicy',
    ]);
    expect(found(pod({ resources: { claims: [{ name: 'a', deviceClassName: 'gpu.nvidia.com' }] } }))).toEqual([
      'schema/unknown-field /spec/containers/0/resources/claims/0/deviceClassName',
    ]);
  });

  test('types are not converted', () => {
    expect(found(pod({ env: [{ name: 'A', value: 8 }] }))).toEqual(['schema/type /spec/containers/0/env/0/value']);
    expect(found(pod({ tty: 'true' }))).toEqual(['schema/type /spec/containers/0/tty']);
    expect(found(pod({ ports: [{ containerPort: '80' }] }))).toEqual([
      'schema/type /spec/containers/0/ports/0/containerPort',
    ]);
    expect(found(pod({ ports: [{ containerPort: 1.5 }] }))).toEqual([
      'schema/type /spec/containers/0/ports/0/containerPort',
    ]);
    expect(found(pod({ ports: [{ containerPort: 2147483648 }] }))).toEqual([
      'schema/format /spec/containers/0/ports/0/containerPort',
    ]);
    expect(found(pod({ command: 'sh' }))).toEqual(['schema/type /spec/containers/0/command']);
  });

  test('null is the same as absent, also in lists and maps', () => {
    expect(
      found(pod({ args: [null], ports: null, resources: { limits: { cpu: null } } }, { nodeSelector: { a: null } })),
    ).toEqual([]);
    expect(found(pod({ env: [null] }))).toEqual(['schema/required /spec/containers/0/env/0/name']);
  });

  test('ports take numbers and names', () => {
    const probe = (port: JsonValue): JsonObject => pod({ livenessProbe: { httpGet: { port } } });
    expect(found(probe('http'))).toEqual([]);
    expect(found(probe(80))).toEqual([]);
    expect(found(probe(1.5))).toEqual(['schema/type /spec/containers/0/livenessProbe/httpGet/port']);
  });

  test('bytes are base64, times RFC 3339', () => {
    const secret = (data: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'Secret', metadata, data });
    expect(found(secret({ a: 'YWJj', b: 'YQ==\n' }))).toEqual([]);
    expect(found(secret({ a: 'plain text' }))).toEqual(['schema/format /data/a']);
    const lease = (renewTime: string): JsonObject => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata,
      spec: { renewTime },
    });
    expect(found(lease('2026-01-01T00:00:00.000000Z'))).toEqual([]);
    expect(found(lease('2026-01-01T00:00:00Z'))).toEqual(['schema/format /spec/renewTime']);
  });

  test('further keys of a definition’s schema are a schema or a boolean', () => {
    const crd = (additionalProperties: JsonValue): JsonObject => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'Thing', plural: 'things' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', additionalProperties } },
          },
        ],
      },
    });
    expect([true, { type: 'string' }].flatMap((value) => found(crd(value)))).toEqual([]);
    expect(found(crd('yes'))).toEqual(['schema/type /spec/versions/0/schema/openAPIV3Schema/additionalProperties']);
    expect(found(crd({ items: { type: [], any: 1 } }))).toEqual([
      'schema/type /spec/versions/0/schema/openAPIV3Schema/additionalProperties/items/type',
    ]);
  });

  test('required fields that the server does without may be missing', () => {
    expect(found({ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'a' } })).toEqual([]);
    expect(found({ apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata })).toEqual([]);
    const roleRef = { kind: 'ClusterRole', name: 'view' };
    for (const kind of ['RoleBinding', 'ClusterRoleBinding']) {
      expect(found({ apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata: { name: 'a' }, roleRef })).toEqual([]);
    }
    expect(found({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { template: {} } })).toEqual([
      'schema/required /spec/selector',
    ]);
  });

  test('what the server drops, or never reads, may lack its required fields', () => {
    const owned = { ownerReferences: [{}] };
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] } };
    const jobTemplate = { metadata: owned, spec: { template } };
    const cronJob = { apiVersion: 'batch/v1', kind: 'CronJob', metadata, spec: { schedule: '@daily', jobTemplate } };
    const claims = [{ metadata: owned, spec: {}, status: { conditions: [{}], modifyVolumeStatus: {} } }];
    const selector = { matchLabels: { a: 'b' } };
    const statefulSet = { selector, serviceName: 'a', template, volumeClaimTemplates: claims };
    const trust = { clusterTrustBundle: { labelSelector: { matchExpressions: [{}] } } };
    expect(found(cronJob)).toEqual([]);
    expect(found({ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata, spec: statefulSet })).toEqual([]);
    expect(found(pod({}, { volumes: [{ name: 'a', projected: { sources: [trust] } }] }))).toEqual([]);
    expect(found({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec: { dataSource: {} } })).toEqual([]);
  });

  test('what OpenAPI requires only in an older minor, and its server never looks at, may be absent there', () => {
    const selector = { matchLabels: { a: 'b' } };
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'b' }] } };
    const statefulSet = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata, spec: { selector, template } };
    const podFailurePolicy = { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] };
    const pods = { spec: { ...template.spec, restartPolicy: 'Never' } };
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template: pods, podFailurePolicy } };
    const slice = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata, addressType: 'IPv4' };
    const policy = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata, spec: {} };
    expect([statefulSet, job, slice, policy].flatMap((object) => found(object, '1.30'))).toEqual([]);
  });

  test('a status is decoded and then dropped: nothing is demanded of it', () => {
    expect(found({ ...pod({}), status: { conditions: [{}] } })).toEqual([]);
    expect(found({ ...pod({}), status: { phase: 5, other: 1 } })).toEqual([
      'schema/type /status/phase',
      'schema/unknown-field /status/other',
    ]);
  });
});

describe('metadata is decoded in the same way for every kind', () => {
  const queue = (more: JsonObject): JsonObject => ({
    apiVersion: 'scheduling.volcano.sh/v1beta1',
    kind: 'Queue',
    metadata: { name: 'a', ...more },
    spec: {},
  });

  test('null labels pass, other types do not', () => {
    expect(found(queue({ labels: { a: null }, annotations: null, creationTimestamp: null }))).toEqual([]);
    expect(found(queue({ labels: { a: true } }))).toEqual(['schema/type /metadata/labels/a']);
    expect(found(queue({ clusterName: 'a' }))).toEqual(['schema/unknown-field /metadata/clusterName']);
  });
});
