/**
 * Limits of the server's validation at their edges, and alternatives one by one: what passes, and the place of what does not.
 */
import { coreRules } from '../../../src/checks/server/rules';
import { podTemplateRules } from '../../../src/checks/server/pods/rules';
import { findingsOf } from '../../support/findings';
import { type Json, minimalPod, yaml } from './valid';

const list = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const faults = (object: Json): readonly string[] =>
  findingsOf(yaml(object), coreRules).map(({ path, message }) => `${path}: ${message}`);
const podFaults = (spec: Json): readonly string[] => {
  const pod = minimalPod();
  Object.assign(pod.spec as Json, spec);
  return findingsOf(yaml(pod), podTemplateRules).map(({ path, message }) => `${path}: ${message}`);
};

describe('the Windows user of a pod', () => {
  const AT = '/spec/securityContext/windowsOptions/runAsUserName';
  const of = (runAsUserName: string): readonly string[] =>
    podFaults({ os: { name: 'windows' }, securityContext: { windowsOptions: { runAsUserName } } });

  test.each([
    'ContainerUser',
    'NT AUTHORITY\\SYSTEM',
    `a.${'b'.repeat(63)}.c\\user`,
    'D'.repeat(15) + '\\user',
    'u'.repeat(104),
    'a.',
    '. a',
  ])('%s is valid', (name) => {
    expect(of(name)).toEqual([]);
  });

  test.each([
    ['', 'must not be empty'],
    ['a\tb', 'must not contain control characters'],
    ['a\\b\\c', 'must contain at most one backslash'],
    ['\\user', 'must have a NetBIOS or DNS name before the backslash'],
    ['.D\\user', 'must have a NetBIOS or DNS name before the backslash'],
    ['D_'.repeat(8) + '\\user', 'must have a NetBIOS or DNS name before the backslash'],
    [`${'a.'.repeat(128)}b\\user`, 'must have a NetBIOS or DNS name before the backslash'],
    ['domain\\', 'must have 1 to 104 characters'],
    ['u'.repeat(105), 'must have 1 to 104 characters'],
    ['. .', 'must not consist only of dots and spaces'],
    ['a:b', 'must not contain'],
    ['a]b', 'must not contain'],
  ])('%j %s', (name, message) => {
    expect(of(name)).toEqual([expect.stringContaining(message)]);
    expect(of(name)[0]).toMatch(new RegExp(`^${AT}: `));
  });
});

describe('a persistent volume', () => {
  const of = (source: Json): readonly string[] =>
    faults({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'v' },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...source },
    });
  const disk = (cachingMode: unknown): Json => ({
    azureDisk: { diskName: 'd', diskURI: 'https://u', cachingMode } as Json,
  });
  const file = (more: Json): Json => ({ azureFile: { secretName: 's', shareName: 'n', ...more } });

  test.each([
    disk('None'),
    disk('ReadOnly'),
    disk('ReadWrite'),
    disk(undefined),
    file({}),
    file({ secretNamespace: 'a' }),
  ])('%j is valid', (source) => {
    expect(of(source)).toEqual([]);
  });

  test.each([
    [disk('readonly'), '/spec/azureDisk/cachingMode'],
    [disk(''), '/spec/azureDisk/cachingMode'],
    [file({ secretNamespace: '' }), '/spec/azureFile/secretNamespace'],
    [file({ secretName: '' }), '/spec/azureFile/secretName'],
    [file({ shareName: '' }), '/spec/azureFile/shareName'],
  ])('%j has a fault at %s', (source, path) => {
    expect(of(source).map((fault) => fault.split(':')[0])).toEqual([path]);
  });
});

test.each([
  [600, false],
  [2 ** 32, false],
  [599, true],
  [2 ** 32 + 1, true],
])('a token of a CSI driver that expires after %d s is a fault: %s', (expirationSeconds, isFault) => {
  const driver = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: 'csi.example.com' },
    spec: { tokenRequests: [{ audience: 'a', expirationSeconds }] },
  };
  const places = faults(driver).map((fault) => fault.split(':')[0]);
  expect(places).toEqual(isFault ? ['/spec/tokenRequests/0/expirationSeconds'] : []);
});

test.each([
  [64, []],
  [65, ['/webhooks/0/matchConditions: must not have more than 64 conditions']],
])('a webhook with %d match conditions', (count, expected) => {
  const webhook = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'w' },
    webhooks: [
      {
        name: 'a.example.com',
        clientConfig: { url: 'https://a.example.com/' },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        matchConditions: list(count, (index) => ({ name: `c${index}`, expression: 'true' })),
      },
    ],
  };
  expect(faults(webhook)).toEqual(expected);
});

describe('a priority level', () => {
  const of = (name: string, spec: Json): readonly string[] =>
    faults({
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'PriorityLevelConfiguration',
      metadata: { name },
      spec,
    });
  const limited = { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } };

  test.each([
    ['work', { type: 'Limited', limited }],
    ['exempt', { type: 'Exempt' }],
    ['exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0 } }],
  ])('%s with %j is valid', (name, spec) => {
    expect(of(name, spec)).toEqual([]);
  });

  test.each([
    ['work', { type: 'Limited' }, '/spec/limited: limited must be set'],
    [
      'work',
      { type: 'Limited', limited, exempt: {} },
      '/spec/exempt: exempt must not be set for a priority level of type Limited',
    ],
    [
      'exempt',
      { type: 'Exempt', limited },
      '/spec/limited: limited must not be set for a priority level of type Exempt',
    ],
    ['work', { type: 'Exempt' }, '/spec/type: only the priority level "exempt" must have the type Exempt'],
    ['exempt', { type: 'Limited', limited }, '/spec/type: only the priority level "exempt" must have the type Exempt'],
    ['work', { type: 'Other', limited }, '/spec/type: unsupported type "Other"'],
  ])('%s with %j: %s', (name, spec, fault) => {
    expect(of(name, spec)).toEqual([fault]);
  });
});

describe('the port of health checks of a service', () => {
  const of = (spec: Json): readonly string[] =>
    faults({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports: [{ port: 80 }], selector: { app: 'x' }, ...spec },
    });
  const balanced = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };

  it('requires a load balancer with the policy Local', () => {
    expect(of({ ...balanced, healthCheckNodePort: 30_000 })).toEqual([]);
    expect(of({ ...balanced, externalTrafficPolicy: 'Cluster', healthCheckNodePort: 0 })).toEqual([]);
    const fault = [expect.stringMatching(/^\/spec\/healthCheckNodePort: .*requires type LoadBalancer/)];
    expect(of({ ...balanced, externalTrafficPolicy: 'Cluster', healthCheckNodePort: 30_000 })).toEqual(fault);
    expect(of({ type: 'NodePort', externalTrafficPolicy: 'Local', healthCheckNodePort: 30_000 })).toEqual(fault);
  });

  it('is a port', () => {
    expect(of({ ...balanced, healthCheckNodePort: 65_535 })).toEqual([]);
    expect(of({ ...balanced, healthCheckNodePort: 65_536 })).toEqual([
      '/spec/healthCheckNodePort: the port must be between 1 and 65535: 65536',
    ]);
  });
});

test.each([
  [{}, 30, true],
  [{}, 31, false],
  [{ terminationGracePeriodSeconds: 60 }, 60, true],
  [{ terminationGracePeriodSeconds: 60 }, 61, false],
  [{}, 0, true],
  [{}, -1, false],
])('with %j, a hook may sleep %d s: %s', (more, seconds, isValid) => {
  const containers = [{ name: 'main', image: 'img', lifecycle: { preStop: { sleep: { seconds } } } }];
  const found = podFaults({ ...more, containers }).map((fault) => fault.split(':')[0]);
  expect(found).toEqual(isValid ? [] : ['/spec/containers/0/lifecycle/preStop/sleep/seconds']);
});

test('before 1.33 a hook may not sleep 0 s', () => {
  const pod = minimalPod();
  (pod.spec as Json).containers = [{ name: 'main', image: 'img', lifecycle: { preStop: { sleep: { seconds: 0 } } } }];
  const of = (kubernetes: '1.32' | '1.33'): number => findingsOf(yaml(pod), podTemplateRules, { kubernetes }).length;
  expect([of('1.32'), of('1.33')]).toEqual([1, 0]);
});
