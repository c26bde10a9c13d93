import { check } from '../../../src/checks/engine';
import { GATED_FIELDS } from '../../../src/checks/server/gated-fields';
import { findKind } from '../../../src/facts/api/kinds';
import { type JsonObject, type KubernetesMinor } from '../../../src/facts/api/schema';
import { allRules } from '../../../src/interfaces/checks/all-rules';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { manifestOf } from '../../support/manifest-of';

function found(object: JsonObject, kubernetes: KubernetesMinor): readonly string[] {
  const set = new ManifestSet([manifestOf(object)]);
  return check(set, { rules: allRules(), kubernetes, tiers: ['schema', 'server'] }).findings.map(
    ({ severity, path, message }) => `${severity} ${path} ${message}`,
  );
}

const metadata = { name: 'a', namespace: 'default' };
const podSpec = (container: JsonObject, more: JsonObject = {}): JsonObject => ({
  restartPolicy: 'Never',
  containers: [{ name: 'a', image: 'example.com/a:1', ...container }],
  ...more,
});
const pod = (container: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata,
  spec: podSpec(container, more),
});
const job = (spec: JsonObject, container: JsonObject = {}): JsonObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata,
  spec: { template: { spec: podSpec(container) }, ...spec },
});

const off = (field: string, gate: string, minor: number): string =>
  `${field} has no effect: the feature gate ${gate} is off by default before Kubernetes 1.${minor}`;

describe('fields whose feature gate is off in the checked minor', () => {
  test.each<[string, JsonObject, KubernetesMinor, KubernetesMinor, string]>([
    [
      'a claim that the pod does not have',
      pod({ resources: { claims: [{ name: 'gpu' }] } }),
      '1.33',
      '1.34',
      `warning /spec/containers/0/resources/claims ${off('resources.claims', 'DynamicResourceAllocation', 34)}`,
    ],
    [
      'a resize policy that does not exist',
      job({}, { resizePolicy: [{ resourceName: 'gpu', restartPolicy: 'Maybe' }] }),
      '1.32',
      '1.33',
      `warning /spec/template/spec/containers/0/resizePolicy ${off('containers[0].resizePolicy', 'InPlacePodVerticalScaling', 33)}`,
    ],
    [
      'a success policy of a Job that is not indexed',
      job({ successPolicy: { rules: [{ succeededCount: 1 }] } }),
      '1.30',
      '1.31',
      `warning /spec/successPolicy ${off('spec.successPolicy', 'JobSuccessPolicy', 31)}`,
    ],
    [
      'a distribution of traffic that does not exist',
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata,
        spec: { selector: { app: 'a' }, ports: [{ port: 80 }], trafficDistribution: 'Near by' },
      },
      '1.30',
      '1.31',
      `warning /spec/trafficDistribution ${off('spec.trafficDistribution', 'ServiceTrafficDistribution', 31)}`,
    ],
  ])('%s is dropped before it is validated', (_, object, before, since, expected) => {
    expect(found(object, before)).toEqual([expected]);
    const later = found(object, since);
    expect(later).not.toContain(expected);
    expect(later.filter((text) => text.startsWith('error'))).not.toEqual([]);
  });

  test.each([
    ['core/pod-field-enabled', job({}, { resizePolicy: [] })],
    ['core/field-enabled', job({ successPolicy: {} })],
  ])('%s fires', (rule, object) => {
    const set = new ManifestSet([manifestOf(object)]);
    const { findings } = check(set, { rules: allRules(), kubernetes: '1.30', tiers: ['server'] });
    expect(findings.map((finding) => finding.rule)).toEqual([rule]);
  });

  test('a field that is required in one is not', () => {
    const object = pod({}, { resourceClaims: [{}] });

    expect(found(object, '1.33')).toEqual([
      `warning /spec/resourceClaims ${off('spec.resourceClaims', 'DynamicResourceAllocation', 34)}`,
    ]);
    expect(found(object, '1.34').filter((text) => text.startsWith('error'))).not.toEqual([]);
  });

  test('a volume with the source image is dropped, whatever else it has', () => {
    const object = pod({}, { volumes: [{ name: 'Model', image: {}, emptyDir: {} }] });

    expect(found(object, '1.34')).toEqual([
      `warning /spec/volumes/0/image ${off('volumes[0].image', 'ImageVolume', 35)}`,
    ]);
    expect(found(object, '1.35').filter((text) => text.startsWith('error'))).toHaveLength(2);
    expect(found(object, '1.30')).toEqual([expect.stringMatching(/^error \/spec\/volumes\/0\/image .*unknown/)]);
  });

  test('a variable needs another source where a key of a file is dropped', () => {
    const from = (more: JsonObject): JsonObject =>
      pod({ env: [{ name: 'A', valueFrom: { fileKeyRef: { path: '../x', volumeName: 'gone' }, ...more } }] });
    const at = '/spec/containers/0/env/0/valueFrom';
    const dropped = `warning ${at}/fileKeyRef ${off('valueFrom.fileKeyRef', 'EnvFiles', 35)}`;

    expect(found(from({}), '1.34').toSorted()).toEqual([`error ${at} valueFrom must have a source`, dropped]);
    expect(found(from({ fieldRef: { fieldPath: 'metadata.name' } }), '1.34')).toEqual([dropped]);
    expect(found(from({ fieldRef: { fieldPath: 'metadata.name' } }), '1.35')).toContainEqual(
      expect.stringContaining('must have only one source'),
    );
  });

  test.each<[JsonObject, KubernetesMinor, string]>([
    [
      pod({ lifecycle: { stopSignal: 'SIGNONE' } }),
      '1.36',
      'warning /spec/containers/0/lifecycle/stopSignal lifecycle.stopSignal has no effect: the feature gate ContainerStopSignals is off by default',
    ],
    [
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata,
        spec: {
          serviceName: 'a',
          selector: { matchLabels: { app: 'a' } },
          updateStrategy: { rollingUpdate: { maxUnavailable: 0 } },
          template: {
            metadata: { labels: { app: 'a' } },
            spec: { containers: [{ name: 'a', image: 'example.com/a:1' }] },
          },
        },
      },
      '1.36',
      `warning /spec/updateStrategy/rollingUpdate/maxUnavailable ${off('rollingUpdate.maxUnavailable', 'MaxUnavailableStatefulSet', 37)}`,
    ],
  ])('one that is off in the newest minors as well is dropped', (object, minor, expected) => {
    expect(found(object, minor)).toEqual([expected]);
  });

  describe('of the fields that are off in every minor', () => {
    const group = (kind: string, apiVersion: string): JsonObject => ({
      apiVersion,
      kind,
      metadata: { ...metadata, name: 'g' },
    });
    const dropped = (field: string): string =>
      `warning /spec/${field} spec.${field} has no effect: the feature gate GenericWorkload is off by default`;
    const firing = (kubernetes: KubernetesMinor, ...objects: readonly JsonObject[]): readonly string[] =>
      check(new ManifestSet(objects.map((object) => manifestOf(object))), {
        rules: allRules(),
        kubernetes,
        tiers: ['server'],
      })
        .findings.filter(({ rule }) => rule === 'core/pod-field-enabled')
        .map(({ severity, path, message }) => `${severity} ${path} ${message}`);

    test.each<[string, KubernetesMinor, JsonObject, string, string]>([
      ['schedulingGroup', '1.36', { podGroupName: 'g' }, 'PodGroup', 'scheduling.k8s.io/v1alpha2'],
      ['schedulingGroup', '1.37', { podGroupName: 'g' }, 'CompositePodGroup', 'scheduling.k8s.io/v1alpha3'],
      ['workloadRef', '1.35', { name: 'g', podGroup: 'p' }, 'Workload', 'scheduling.k8s.io/v1alpha1'],
    ])('%s in %s has an effect where the set has a native gang', (field, minor, value, kind, apiVersion) => {
      const member = pod({}, { [field]: value });

      expect(firing(minor, member)).toEqual([dropped(field)]);
      expect(firing(minor, member, group(kind, apiVersion))).toEqual([]);
      expect(firing(minor, member, group('PodGroup', 'scheduling.volcano.sh/v1beta1'))).toEqual([dropped(field)]);
    });

    test('workloadRef is unknown in 1.36', () => {
      expect(firing('1.36', pod({}, { workloadRef: { name: 'g', podGroup: 'p' } }))).toEqual([]);
    });
  });

  test.each<[string, (spec: JsonObject) => JsonObject, string]>([
    ['a claim', (spec) => ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec }), '/spec'],
    [
      'the claim of a pod',
      (spec) => pod({}, { volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: { spec } } }] }),
      '/spec/volumes/0/ephemeral/volumeClaimTemplate/spec',
    ],
    [
      'the claims of a StatefulSet',
      (spec) => ({
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata,
        spec: {
          selector: { matchLabels: { app: 'a' } },
          template: {
            metadata: { labels: { app: 'a' } },
            spec: { containers: [{ name: 'a', image: 'example.com/a:1' }] },
          },
          volumeClaimTemplates: [{ metadata: { name: 'v' }, spec }],
        },
      }),
      '/spec/volumeClaimTemplates/0/spec',
    ],
  ])('%s loses a source in another namespace', (_, holding, path) => {
    const withSource = (more: JsonObject): JsonObject =>
      holding({
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'model', ...more },
      });
    const gate = 'the feature gate CrossNamespaceVolumeDataSource is off by default';

    expect(found(withSource({ namespace: 'models' }), '1.36')).toEqual([
      expect.stringMatching(new RegExp(`^warning ${path}/dataSourceRef .*, because its namespace is set: ${gate}$`)),
    ]);
    expect(found(withSource({}), '1.36')).toEqual([]);
    expect(found(withSource({ namespace: '' }), '1.36')).toEqual([]);
    expect(found(withSource({ namespace: null }), '1.36')).toEqual([]);
  });

  test('one is decoded as strictly as any other', () => {
    const errors = found(pod({ resizePolicy: [{ resource: 'cpu' }, 5] }), '1.30').filter(
      (text) => !text.includes('no effect'),
    );

    expect(errors).toEqual([
      expect.stringContaining('/spec/containers/0/resizePolicy/0/resource'),
      expect.stringContaining('/spec/containers/0/resizePolicy/1'),
    ]);
  });

  test('a minor that does not know the field rejects it, and says nothing else', () => {
    const [only, ...others] = found(pod({}, { resources: { limits: { cpu: 1 } } }), '1.31');

    expect(only).toMatch(/^error \/spec\/resources /);
    expect(others).toEqual([]);
  });

  test.each(GATED_FIELDS)(
    '$of $path is a field of each minor in which it is dropped, and not before',
    ({ of, path, from = 30, since = 36, until = 36 }) => {
      const kind = of === 'pod' ? 'Pod' : of;
      const [group, name] = kind.includes('/') ? kind.split('/') : ['', kind];
      const version = group === 'autoscaling' ? 'v2' : 'v1';
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const valueAt = ([token, ...rest]: readonly string[]): JsonObject =>
        (token === undefined ? null : token === '*' ? [valueAt(rest)] : { [token]: valueAt(rest) }) as JsonObject;
      const object = { apiVersion, kind: name, metadata, ...valueAt(path.split('/').slice(1)) } as JsonObject;
      const isUnknown = (minor: number): boolean =>
        check(new ManifestSet([manifestOf(object)]), {
          kubernetes: `1.${minor}`,
          tiers: ['schema'],
        }).findings.some(({ rule }) => rule === 'schema/unknown-field');

      expect(findKind(apiVersion, name)).toBeDefined();
      for (let minor = 30; minor <= Math.min(since, 36); minor += 1) {
        expect([minor, isUnknown(minor)]).toEqual([minor, minor < from || minor > until]);
      }
    },
  );
});

test('the rules concern the gated fields, by the names that manifests have for them', () => {
  const concerns = (id: string): readonly string[] => allRules().find((rule) => rule.id === id)?.concerns ?? [];
  expect(concerns('core/pod-field-enabled')).toEqual(expect.arrayContaining(['claims', 'resizePolicy']));
  expect(concerns('core/field-enabled')).toEqual(expect.arrayContaining(['successPolicy']));
  for (const { of, path } of GATED_FIELDS) {
    const id = of === 'pod' ? 'core/pod-field-enabled' : 'core/field-enabled';
    expect(concerns(id)).toContain(path.slice(path.lastIndexOf('/') + 1));
  }
});

/** Source: Kubernetes 1.30 to 1.37, pkg/features/kube_features.go and staging/src/k8s.io/apiextensions-apiserver/pkg/features. */
test('gates are on by default from the minor on in which they are on upstream', () => {
  const minors = new Map<string, Set<number | undefined>>();
  for (const { gate, since } of GATED_FIELDS) {
    minors.set(gate, (minors.get(gate) ?? new Set()).add(since));
  }
  expect(Object.fromEntries([...minors].map(([gate, all]) => [gate, [...all]]))).toEqual({
    ContainerRestartRules: [35],
    ContainerStopSignals: [undefined],
    CrossNamespaceVolumeDataSource: [undefined],
    CustomResourceFieldSelectors: [31],
    DynamicResourceAllocation: [34],
    EnvFiles: [35],
    GenericWorkload: [undefined],
    HPAConfigurableTolerance: [35],
    HostnameOverride: [35],
    ImageVolume: [35],
    InPlacePodVerticalScaling: [33],
    JobManagedBy: [32],
    JobSuccessPolicy: [31],
    MatchLabelKeysInPodAffinity: [31],
    MaxUnavailableStatefulSet: [37],
    PodLevelResources: [34],
    ProcMountType: [33],
    RecursiveReadOnlyMounts: [31],
    SELinuxChangePolicy: [33],
    ServiceTrafficDistribution: [31],
    SupplementalGroupsPolicy: [33],
    UserNamespacesSupport: [33],
    VolumeAttributesClass: [34],
  });
});
