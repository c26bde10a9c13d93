/**
 * The construct Remediation: rights that follow from its rules, a dry run without any to change something, and what its program accepts.
 */
import { App, Chart, Duration } from 'cdk8s';
import { type Deployment } from '../../../src/facts/api/types/apps/v1';
import { type JsonObject } from '../../../src/facts/api/schema';
import { type NetworkPolicy } from '../../../src/facts/api/types/networking.k8s.io/v1';
import { type PolicyRule } from '../../../src/facts/api/types/rbac.authorization.k8s.io/v1';
import { GpuPlatform } from '../../../src/constructs/platform';
import { REMEDIATION_ALERTS, Remediation, type RemediationProps } from '../../../src/constructs/remediation';
import { Testing } from '../../../src/interfaces/testing';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { DEFAULT_REMEDIATION, readRemediationSettings } from '../../../src/planning/remediation';
import { readOptions } from '../../../src/runtime/remediation/options';

function rendered(props: RemediationProps = {}): readonly JsonObject[] {
  const app = new App();
  new Remediation(new Chart(app, 'chart'), 'remediation', props);
  return Testing.synth(app);
}

const ofKind = (objects: readonly JsonObject[], kind: string): readonly JsonObject[] =>
  objects.filter((object) => object.kind === kind);
const rightsOf = (objects: readonly JsonObject[]): readonly string[] =>
  [...ofKind(objects, 'ClusterRole'), ...ofKind(objects, 'Role')]
    .flatMap(({ rules }) => asArray(rules) as unknown as readonly PolicyRule[])
    .flatMap(({ resources = [], verbs }) => resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)))
    .sort();
const podOf = (objects: readonly JsonObject[]): NonNullable<NonNullable<Deployment['spec']>['template']['spec']> =>
  (ofKind(objects, 'Deployment')[0] as unknown as Required<Deployment>).spec.template.spec!;
const optionsOf = (objects: readonly JsonObject[]): ReturnType<typeof readOptions> =>
  readOptions(podOf(objects).containers[0].args ?? [], { POD_NAME: 'p', POD_NAMESPACE: 'gantry-remediation' });
const settingsOf = (objects: readonly JsonObject[]): ReturnType<typeof readRemediationSettings> => {
  const map = ofKind(objects, 'ConfigMap').find(({ data }) => asObject(data)['settings.json'] !== undefined);
  return readRemediationSettings(JSON.parse(asString(asObject(map?.data)['settings.json']) ?? '') as JsonObject);
};
const taints = { name: 'bad', cause: { condition: 'Bad' }, actions: ['taint'] } as const;
const active = (props: RemediationProps): readonly JsonObject[] => rendered({ mode: 'active', ...props });

test('by default it is a dry run of the default rules: one replica, no lease, and no right to change anything', () => {
  const objects = rendered();
  expect(optionsOf(objects)).toMatchObject({ mode: 'dry-run', leaderElection: false, alertTokenFile: undefined });
  expect(settingsOf(objects)).toEqual(DEFAULT_REMEDIATION);
  expect(rightsOf(objects).every((right) => /^(list|watch) /.test(right))).toBe(true);
  expect(
    ['Role', 'RoleBinding', 'PodDisruptionBudget', 'ValidatingAdmissionPolicy'].flatMap((kind) =>
      ofKind(objects, kind),
    ),
  ).toEqual([]);
  expect(asObject(ofKind(objects, 'Deployment')[0].spec).replicas).toBe(1);
});

const LEASE = ['create leases', 'get leases', 'update leases'];
const NODES = ['list nodes', 'patch nodes', 'watch nodes'];
const PODS = ['list pods', 'watch pods', 'create pods/eviction'];

test.each<readonly [string, RemediationProps, readonly string[]]>([
  ['a taint', { rules: [taints] }, NODES],
  ['a cordon', { rules: [{ ...taints, actions: ['cordon'] }] }, NODES],
  ['an upgrade of the driver', { rules: [{ ...taints, actions: ['request-driver-upgrade'] }] }, NODES],
  ['a repair', { rules: [{ ...taints, actions: ['request-repair'] }] }, [...NODES, 'patch nodes/status']],
  ['an eviction', { rules: [{ ...taints, actions: ['evict'] }] }, [...NODES, ...PODS]],
  [
    'a restart of the device plugin',
    { rules: [{ ...taints, actions: ['restart-device-plugin'] }] },
    [...NODES, ...PODS],
  ],
  [
    'an alert',
    { rules: [{ ...taints, cause: { alert: 'Fire' } }], webhook: { tokenSecret: 's' } },
    [...NODES, 'get configmaps', 'list configmaps', 'watch configmaps', 'update configmaps'],
  ],
])('the rights of %s', (_, props, expected) => {
  expect(rightsOf(active(props))).toEqual([...expected, ...LEASE, 'create events'].sort());
});

test('a move reads what placement depends on', () => {
  const rights = rightsOf(active({ rules: [{ ...taints, actions: ['move'] }] }));
  expect(rights).toEqual(
    expect.arrayContaining(['watch podgroups', 'watch topologies', 'watch hypernodes', 'watch persistentvolumes']),
  );
  expect(rights).not.toContain('watch secrets');
});

test('rights on its Lease and its ConfigMap name them', () => {
  const [role] = ofKind(
    active({ rules: [{ ...taints, cause: { alert: 'F' } }], webhook: { tokenSecret: 's' } }),
    'Role',
  );
  const named = (asArray(role.rules) as unknown as readonly PolicyRule[]).filter(
    ({ verbs }) => !verbs.includes('create'),
  );
  expect(named.map(({ resourceNames }) => resourceNames)).toEqual([
    ['gantry-remediation'],
    ['gantry-remediation-alerts'],
  ]);
});

test('the pod has no more than PodSecurity "restricted" allows, and runs the program with its settings', () => {
  const objects = active({
    rules: [{ ...taints, after: Duration.minutes(2), grace: Duration.seconds(9) }],
    budget: { maxUnavailablePercent: 20, maxPerRack: 2, poolLabel: 'pool', rackLabel: 'rack' },
    healthyTime: Duration.minutes(3),
    devicePlugin: { namespace: 'plugins', labels: { app: 'plugin' } },
    repairAnnotation: 'example.com/repair',
  });
  const [namespace] = ofKind(objects, 'Namespace');
  expect(asObject(asObject(namespace.metadata).labels)['pod-security.kubernetes.io/enforce']).toBe('restricted');
  const { securityContext, containers } = podOf(objects);
  expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  expect(containers[0].securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  expect(optionsOf(objects)).toMatchObject({ mode: 'active', leaderElection: true, namespace: 'gantry-remediation' });
  expect(settingsOf(objects)).toEqual({
    rules: [{ name: 'bad', cause: { condition: 'Bad' }, afterSeconds: 120, actions: ['taint'], graceSeconds: 9 }],
    maxUnavailablePercent: 20,
    maxPerRack: 2,
    healthySeconds: 180,
    poolLabel: 'pool',
    rackLabel: 'rack',
    devicePluginNamespace: 'plugins',
    devicePluginLabels: { app: 'plugin' },
    repairAnnotation: 'example.com/repair',
  });
});

test('other settings are another ConfigMap, so that the pods are replaced', () => {
  const nameOf = (props: RemediationProps): unknown =>
    podOf(rendered(props)).volumes?.find(({ name }) => name === 'settings')?.configMap?.name;
  expect(nameOf({})).toBe(nameOf({}));
  expect(nameOf({})).not.toBe(nameOf({ healthyTime: Duration.minutes(3) }));
});

test('the token comes from the Secret, and the address for Alertmanager is known', () => {
  const app = new App();
  const remediation = new Remediation(new Chart(app, 'chart'), 'remediation', {
    rules: [{ ...taints, cause: { alert: 'Fire', labels: { severity: 'critical' }, nodeLabel: 'Hostname' } }],
    webhook: { tokenSecret: 'alert-token', tokenKey: 'bearer' },
  });
  expect(remediation.webhookUrl).toBe('http://gantry-remediation.gantry-remediation.svc:10272/alerts');
  const objects = Testing.synth(app);
  expect(podOf(objects).volumes?.find(({ secret }) => secret !== undefined)?.secret).toEqual({
    secretName: 'alert-token',
    items: [{ key: 'bearer', path: 'token' }],
    defaultMode: 0o440,
  });
  expect(optionsOf(objects)?.alertTokenFile).toBe('/etc/gantry-alerts/token');
});

test('who may reach it', () => {
  const from = [{ podSelector: { matchLabels: { app: 'alertmanager' } } }];
  const ingress = (props: RemediationProps): unknown =>
    (ofKind(rendered(props), 'NetworkPolicy')[0] as unknown as NetworkPolicy | undefined)?.spec?.ingress;
  expect(ingress({ allowedFrom: from })).toEqual([{ from, ports: [{ port: 'http', protocol: 'TCP' }] }]);
  // An empty list admits no peer, and not every peer.
  expect(ingress({ allowedFrom: [] })).toEqual([]);
  expect(ingress({ allowedFrom: false })).toBeUndefined();
});

test.each<readonly [string, RemediationProps, string]>([
  [
    'an alert without a webhook',
    { rules: [{ ...taints, cause: { alert: 'Fire' } }] },
    'Set webhook to the Secret with the token.',
  ],
  [
    'a webhook without an alert',
    { webhook: { tokenSecret: 's' } },
    'webhook must not be set when no rule has an alert',
  ],
  [
    'an unknown action',
    { rules: [{ ...taints, actions: ['reboot' as never] }] },
    'rules[0].actions[0] must be one of "taint"',
  ],
  ['two rules of one name', { rules: [taints, taints] }, 'rules[1].name: duplicate value "bad"'],
  ['a part of a second', { rules: [{ ...taints, after: Duration.millis(1500) }] }, 'rules[0].after'],
  ['no replica', { mode: 'active', replicas: 0 }, 'replicas must be a whole number greater than or equal to 1, not 0.'],
  ['two replicas of a dry run', { replicas: 2 }, 'replicas must be 1 in a dry run'],
  [
    'a budget above everything',
    { budget: { maxUnavailablePercent: 101 } },
    'maxUnavailablePercent must be a whole number from 1 to 100',
  ],
])('throws for %s', (_, props, message) => {
  expect(() => rendered(props)).toThrow(message);
});

test('each alert reads metrics that the program has, and names a heading of the page', () => {
  const names = REMEDIATION_ALERTS.flatMap(({ expr }) => expr.match(/gantry_remediation_\w+/g) ?? []);
  expect(new Set(names)).toEqual(
    new Set([
      'gantry_remediation_leader',
      'gantry_remediation_dry_run',
      'gantry_remediation_refused',
      'gantry_remediation_actions_total',
      'gantry_remediation_plan_failures_total',
      'gantry_remediation_alerts_total',
    ]),
  );
  expect(ofKind(rendered({ monitoring: false }), 'PrometheusRule')).toEqual([]);
});

describe('of a platform', () => {
  const platform = (more: Partial<ConstructorParameters<typeof GpuPlatform>[2]>): readonly JsonObject[] => {
    const app = new App();
    new GpuPlatform(app, 'platform', {
      pools: { training: { nodes: 2, accelerator: 'H100-SXM-80GB', devices: 8, cpu: 160, memory: '1536Gi' } },
      teams: { research: { deserved: { training: 1 } } },
      ...more,
    });
    return Testing.synth(app).filter(({ metadata }) => asObject(metadata).namespace === 'gantry-remediation');
  };

  test('is off, and with an empty object a dry run whose pools are those of the platform', () => {
    expect(platform({})).toEqual([]);
    const objects = platform({ agent: {}, remediation: {} });
    expect(optionsOf(objects)?.mode).toBe('dry-run');
    expect(settingsOf(objects).poolLabel).toBe('gantry.dev/node-profile');
  });

  test('follows the monitoring of the platform, and its own props', () => {
    const labels = (objects: readonly JsonObject[]): unknown =>
      asObject(asObject(ofKind(objects, 'ServiceMonitor')[0]?.metadata).labels).release;
    expect(labels(platform({ remediation: {}, monitoring: { labels: { release: 'p' } } }))).toBe('p');
    expect(labels(platform({ remediation: {}, monitoring: false }))).toBeUndefined();
    const objects = platform({ remediation: { mode: 'active', budget: { maxPerRack: 3 } } });
    expect([optionsOf(objects)?.mode, settingsOf(objects).maxPerRack]).toEqual(['active', 3]);
  });
});
