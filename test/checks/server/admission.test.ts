/**
 * Which pods the API server admits: what a live one said about pods in namespaces with quotas, limit ranges, and pod security levels
 * (`npm run record:admission` asks it again), and the same engine on what a snapshot of a cluster would tell.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject } from '../../../src/facts/api/schema';
import { contentsOf } from '../../../src/checks/server/admission/cluster-contents';
import { admissionViolations } from '../../../src/checks/server/admission/admit-pod';
import { POD_SECURITY_CHECKS } from '../../../src/checks/server/admission/pod-security/checks';
import { asObject } from '../../../src/manifests/read';
import { agree, asManifest, gantrySays } from '../../e2e/admission/verdict';

const MINOR = '1.36';

interface Recorded {
  readonly namespace: string;
  readonly objects: readonly JsonObject[];
  readonly server: string;
  readonly pod: JsonObject;
}

/** Lines are the classes of the cluster, then each namespace with its objects, followed by pods and what the server said. */
function recorded(): readonly Recorded[] {
  const lines = readFileSync(join(__dirname, '../../fixtures/admission-verdicts.jsonl'), 'utf8').trim().split('\n');
  const found: Recorded[] = [];
  let classes: readonly JsonObject[] = [];
  let world: Pick<Recorded, 'namespace' | 'objects'> = { namespace: '', objects: [] };
  for (const line of lines) {
    const value = JSON.parse(line) as Partial<Recorded> & {
      readonly classes?: readonly JsonObject[];
      readonly annotations?: JsonObject;
      readonly spec?: JsonObject;
    };
    if (value.classes !== undefined) {
      classes = value.classes;
    } else if (value.objects !== undefined) {
      world = { namespace: value.namespace ?? '', objects: [...classes, ...value.objects] };
    } else {
      const { annotations = {}, spec = {}, server = '' } = value;
      const metadata = { name: 'pod', namespace: world.namespace, annotations };
      found.push({ ...world, server, pod: { apiVersion: 'v1', kind: 'Pod', metadata, spec } });
    }
  }
  return found;
}

const verdicts = recorded();

test('the server rejected pods for every plugin, and accepted many', () => {
  const counts = new Map<string, number>();
  for (const { server } of verdicts) {
    counts.set(server, (counts.get(server) ?? 0) + 1);
  }
  for (const plugin of ['LimitRanger', 'PodSecurity', 'Priority', 'ResourceQuota', 'RuntimeClass', 'Validation']) {
    expect([plugin, (counts.get(plugin) ?? 0) > 3]).toEqual([plugin, true]);
  }
  expect(counts.get('accepted')).toBeGreaterThan(90);
});

test('Gantry admits what the server admits, and rejects the rest for the same reason', () => {
  const wrong = verdicts
    .map((one) => ({ ...one, gantry: gantrySays(one.pod, one.objects, one.namespace, MINOR) }))
    .filter(({ server, gantry }) => !agree(server, gantry));
  expect(wrong).toEqual([]);
});

describe('pod security', () => {
  const namespace = (level: string, version?: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: 'ai',
      labels: {
        'pod-security.kubernetes.io/enforce': level,
        ...(version === undefined ? {} : { 'pod-security.kubernetes.io/enforce-version': version }),
      },
    },
  });
  const violations = (objects: readonly JsonObject[], spec: JsonObject, kubernetes: '1.30' | '1.36' = '1.36') =>
    [
      ...admissionViolations(
        { metadata: {}, spec },
        'ai',
        contentsOf(objects.map(asManifest), new Set(['ai'])),
        kubernetes,
      ),
    ].map(({ path }) => path);
  const withSysctl = (name: string): JsonObject => ({
    containers: [{ name: 'a', image: 'a' }],
    securityContext: { sysctls: [{ name, value: '1' }] },
  });

  test('the standard is that of the version that the namespace names', () => {
    const spec = withSysctl('net.ipv4.tcp_rmem');
    expect(violations([namespace('baseline')], spec)).toEqual([]);
    expect(violations([namespace('baseline', 'v1.31')], spec)).toEqual(['/spec/securityContext/sysctls/0/name']);
    expect(violations([namespace('baseline', 'v1.32')], spec)).toEqual([]);
  });

  test('a server does not know a later version than its own', () => {
    const spec = withSysctl('net.ipv4.tcp_rmem');
    expect(violations([namespace('baseline', 'v1.36')], spec, '1.30')).toEqual([
      '/spec/securityContext/sysctls/0/name',
    ]);
    expect(violations([namespace('baseline', 'latest')], spec, '1.30')).toEqual([
      '/spec/securityContext/sysctls/0/name',
    ]);
  });

  test('from 1.35 on, the mount of /proc may be unmasked in a pod with a user namespace', () => {
    const securityContext = { procMount: 'Unmasked' };
    const path = '/spec/containers/0/securityContext/procMount';
    const spec = { hostUsers: false, containers: [{ name: 'a', image: 'a', securityContext }] };
    const of = (version: string, hostUsers: boolean): readonly unknown[] =>
      violations([namespace('baseline', version)], { ...spec, hostUsers });
    expect([of('v1.34', false), of('v1.35', false), of('v1.35', true)]).toEqual([[path], [], [path]]);
  });

  test('before 1.19, seccomp profiles are annotations', () => {
    const pod = 'seccomp.security.alpha.kubernetes.io/pod';
    const container = 'container.seccomp.security.alpha.kubernetes.io/a';
    const of = (version: string, annotations: JsonObject): readonly unknown[] =>
      [
        ...admissionViolations(
          { metadata: { annotations }, spec: { containers: [{ name: 'a', image: 'a' }] } },
          'ai',
          contentsOf([asManifest(namespace('baseline', version))], new Set(['ai'])),
          '1.36',
        ),
      ].map(({ path }) => path);
    expect(of('v1.18', { [pod]: 'unconfined', [container]: 'unconfined' })).toEqual(
      [pod, container].map((key) => `/metadata/annotations/${key.replace('/', '~1')}`),
    );
    for (const profile of ['runtime/default', 'docker/default', 'localhost/profile.json']) {
      expect(of('v1.18', { [pod]: profile })).toEqual([]);
    }
    expect(of('v1.19', { [pod]: 'unconfined' })).toEqual([]);
  });

  test('from 1.34 on, no probe or hook may ask another host than the pod itself', () => {
    const asks = (host: string, port = 80): JsonObject => ({ httpGet: { host, port }, tcpSocket: { host, port } });
    const containerOf = (host: string): JsonObject => ({
      name: 'a',
      image: 'a',
      livenessProbe: asks(host),
      readinessProbe: asks(host),
      startupProbe: asks(host),
      lifecycle: { postStart: asks(host), preStop: asks(host) },
    });
    const of = (version: string, host: string): readonly unknown[] =>
      violations([namespace('baseline', version)], { containers: [containerOf(host)] });
    const handlers = ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle/postStart', 'lifecycle/preStop'];
    expect(of('v1.34', '169.254.169.254')).toEqual(
      handlers.flatMap((handler) =>
        ['httpGet', 'tcpSocket'].map((kind) => `/spec/containers/0/${handler}/${kind}/host`),
      ),
    );
    expect([of('v1.33', '169.254.169.254'), of('v1.34', '')]).toEqual([[], []]);
  });

  test('of a Windows pod, no container may be a process of the host', () => {
    const windows = { windowsOptions: { hostProcess: true } };
    const containers = [
      { name: 'a', image: 'a', securityContext: windows },
      { name: 'b', image: 'b', securityContext: { windowsOptions: { hostProcess: false } } },
    ];
    expect(
      violations([namespace('baseline')], { os: { name: 'windows' }, securityContext: windows, containers }),
    ).toEqual([
      '/spec/securityContext/windowsOptions/hostProcess',
      '/spec/containers/0/securityContext/windowsOptions/hostProcess',
    ]);
  });

  test('every check has revisions in ascending order, and overrides a check of baseline', () => {
    const baseline = POD_SECURITY_CHECKS.filter(({ level }) => level === 'baseline').map(({ id }) => id);
    for (const { id, level, revisions, overrides } of POD_SECURITY_CHECKS) {
      const since = revisions.map((revision) => revision.since);
      expect([id, [...new Set(since)].sort((a, b) => a - b)]).toEqual([id, since]);
      expect(overrides === undefined || (level === 'restricted' && baseline.includes(overrides))).toBe(true);
    }
  });
});

describe('what a cluster has', () => {
  const pod = { metadata: {}, spec: asObject({ containers: [{ name: 'a', image: 'a' }], priority: 5 }) };

  test('a priority is judged without a class only where all classes are known', () => {
    const says = (complete: readonly string[]): readonly string[] =>
      [...admissionViolations(pod, 'ai', contentsOf([], new Set(complete)), MINOR)].map(({ plugin }) => plugin);
    expect(says([])).toEqual([]);
    expect(says([''])).toEqual(['Priority']);
  });

  test('a quota counts the overhead of a pod: that of its RuntimeClass, or its own if the class is not known', () => {
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'ai' },
      spec: { hard: { 'requests.cpu': '1' } },
    };
    const runtimeClass = (podFixed: JsonObject): JsonObject => ({
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: 'gvisor' },
      handler: 'runsc',
      overhead: { podFixed },
    });
    const says = (spec: JsonObject, ...objects: readonly JsonObject[]): readonly string[] => {
      const containers = [{ name: 'a', image: 'a', resources: { requests: { cpu: '600m' } } }];
      const asked = { metadata: {}, spec: { runtimeClassName: 'gvisor', containers, ...spec } };
      const contents = contentsOf([quota, ...objects].map(asManifest), new Set());
      return [...admissionViolations(asked, 'ai', contents, MINOR)].map(({ message }) => message);
    };
    const exceeds = ['a single pod exceeds the ResourceQuota "q" (1100m > 1 requests.cpu)'];
    expect(says({})).toEqual([]);
    expect(says({ overhead: { cpu: '500m' } })).toEqual(exceeds);
    expect(says({}, runtimeClass({ cpu: '500m' }))).toEqual(exceeds);
    expect(says({}, runtimeClass({ cpu: '400m' }))).toEqual([]);
  });

  test('a later object replaces an earlier one of its name', () => {
    const quota = (pods: string): JsonObject => ({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'ai' },
      spec: { hard: { pods } },
    });
    const says = (...amounts: readonly string[]): readonly string[] =>
      [
        ...admissionViolations(
          { ...pod, spec: { containers: [{ name: 'a', image: 'a' }] } },
          'ai',
          contentsOf(
            amounts.map((amount) => asManifest(quota(amount))),
            new Set(),
          ),
          MINOR,
        ),
      ].map(({ message }) => message);
    expect(says('0')).toEqual(['a single pod exceeds the ResourceQuota "q" (1 > 0 pods)']);
    expect(says('0', '1')).toEqual([]);
  });
});
