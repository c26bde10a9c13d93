/**
 * Documents for each alternative of what the server checks: scopes of quotas, names of iSCSI, sources of volumes and claims, disruption budgets,
 * surges, certificate requests, and events.
 */
import { faulty, type LimitCase, valid } from './limit-case';
import { type Json, minimalPod } from './valid';
import { recordObjects } from './valid-objects';

const SELECTORS = '/spec/scopeSelector/matchExpressions';

const quotaOf = (spec: Json): Json => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'quota', namespace: 'default' },
  spec: { hard: { pods: 10 }, ...spec },
});
const selecting = (...matchExpressions: Json[]): Json => quotaOf({ scopeSelector: { matchExpressions } });
const scoped = (scopeName: string, operator: string, ...values: readonly string[]): Json => ({
  scopeName,
  operator,
  ...(values.length === 0 ? {} : { values: [...values] }),
});

const EXISTS_ONLY = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity'];

const QUOTAS: readonly LimitCase[] = [
  ...EXISTS_ONLY.flatMap((scope) => [
    valid(`a quota for ${scope}`, selecting(scoped(scope, 'Exists'))),
    faulty(
      `a quota for ${scope} In`,
      selecting(scoped(scope, 'In', 'a')),
      `${SELECTORS}/0/operator`,
      `the operator for the scope ${scope} must be Exists`,
    ),
    faulty(
      `a quota for ${scope} DoesNotExist`,
      selecting(scoped(scope, 'DoesNotExist')),
      `${SELECTORS}/0/operator`,
      `the operator for the scope ${scope} must be Exists`,
    ),
  ]),
  ...['In', 'NotIn'].flatMap((operator) => [
    valid(`a quota for priority classes ${operator} values`, selecting(scoped('PriorityClass', operator, 'high'))),
    faulty(
      `a quota for priority classes ${operator} no values`,
      selecting(scoped('PriorityClass', operator)),
      `${SELECTORS}/0/values`,
      `must be set`,
    ),
  ]),
  ...['Exists', 'DoesNotExist'].flatMap((operator) => [
    valid(`a quota for priority classes that ${operator}`, selecting(scoped('PriorityClass', operator))),
    faulty(
      `a quota for priority classes that ${operator}, with values`,
      selecting(scoped('PriorityClass', operator, 'high')),
      `${SELECTORS}/0/values`,
      `values must not be set for the operator ${operator}`,
    ),
  ]),
  faulty(
    'a quota with another operator',
    selecting(scoped('PriorityClass', 'Gt', '1')),
    `${SELECTORS}/0/operator`,
    'unsupported operator "Gt"',
  ),
  faulty(
    'a quota for another scope',
    selecting(scoped('Large', 'Exists')),
    `${SELECTORS}/0/scopeName`,
    'unsupported scope "Large"',
  ),
  ...[
    ['BestEffort', 'NotBestEffort'],
    ['Terminating', 'NotTerminating'],
  ].flatMap(([one, other]) => [
    faulty(
      `a quota for ${one} and ${other}`,
      quotaOf({ scopes: [one, other] }),
      '/spec/scopes',
      `the scopes ${one} and ${other} must not be set together`,
    ),
    faulty(
      `a quota that selects ${one} and ${other}`,
      selecting(scoped(one, 'Exists'), scoped(other, 'Exists')),
      SELECTORS,
      `the scopes ${one} and ${other} must not be set together`,
    ),
  ]),
  valid('a quota for NotBestEffort and Terminating', quotaOf({ scopes: ['NotBestEffort', 'Terminating'] })),
  valid('a quota of CPU for NotBestEffort', quotaOf({ hard: { 'limits.cpu': 1 }, scopes: ['NotBestEffort'] })),
  faulty(
    'a quota of CPU for BestEffort',
    quotaOf({ hard: { 'limits.cpu': 1 }, scopes: ['BestEffort'] }),
    '/spec/scopes/0',
  ),
  faulty(
    'a quota of services for Terminating',
    quotaOf({ hard: { services: 1 }, scopes: ['Terminating'] }),
    '/spec/scopes/0',
  ),
];

const podWithVolume = (source: Json): Json => {
  const pod = minimalPod();
  return { ...pod, spec: { ...(pod.spec as Json), volumes: [{ name: 'data', ...source }] } };
};
const iscsi = (more: Json): Json =>
  podWithVolume({ iscsi: { targetPortal: '10.0.0.1:3260', iqn: 'iqn.2015-02.example.com:test', lun: 0, ...more } });
const NFS = '/spec/volumes/0/nfs';
const nfs = (more: Json): Json => podWithVolume({ nfs: { server: 's', path: '/x', ...more } });

const ISCSI = '/spec/volumes/0/iscsi';

const ISCSI_NAMES: readonly LimitCase[] = [
  ...[`eui.${'0123456789abcdef'}`, `naa.${'0'.repeat(32)}`, 'iqn.2015-02.example.com:disk'].map((iqn) =>
    valid(`an iSCSI target ${iqn}`, iscsi({ iqn })),
  ),
  ...[
    `eui.${'0'.repeat(15)}`,
    `eui.${'0'.repeat(17)}`,
    `naa.${'0'.repeat(31)}`,
    `naa.${'0'.repeat(33)}`,
    'iqn.2015-2.example.com:disk',
    'iqn.2015-02.example.com',
    'iqn.2015-02.example.com:a b',
    'target',
  ].map((iqn) => faulty(`an iSCSI target ${iqn}`, iscsi({ iqn }), `${ISCSI}/iqn`, 'is not a valid iSCSI name')),
  faulty('an iSCSI target without a name', iscsi({ iqn: '' }), `${ISCSI}/iqn`, 'iqn must be set'),
  valid('an NFS volume', nfs({})),
  faulty('an NFS volume without a path', nfs({ path: '' }), `${NFS}/path`, 'path must be set'),
  faulty('an NFS volume without a server', nfs({ server: '' }), `${NFS}/server`, 'server must be set'),
  faulty('an NFS volume with a relative path', nfs({ path: 'x' }), `${NFS}/path`, 'path must be absolute'),
  valid('an iSCSI initiator', iscsi({ initiatorName: 'iqn.2015-02.example.com:node' })),
  faulty('another iSCSI initiator', iscsi({ initiatorName: 'node' }), `${ISCSI}/initiatorName`),
  ...[0, 255].map((lun) => valid(`the iSCSI lun ${lun}`, iscsi({ lun }))),
  ...[-1, 256].map((lun) => faulty(`the iSCSI lun ${lun}`, iscsi({ lun }), `${ISCSI}/lun`)),
  ...['chapAuthDiscovery', 'chapAuthSession'].flatMap((field) => [
    valid(`iSCSI with ${field} and a secret`, iscsi({ [field]: true, secretRef: { name: 's' } })),
    valid(`iSCSI without ${field}`, iscsi({ [field]: false })),
    faulty(
      `iSCSI with ${field} and no secret`,
      iscsi({ [field]: true }),
      `${ISCSI}/secretRef`,
      'CHAP requires a Secret',
    ),
  ]),
  ...[59, 60].map((length) => {
    const object = iscsi({ targetPortal: 'p'.repeat(length), initiatorName: 'iqn.2015-02.example.com:node' });
    // With the name of the volume and a colon, 64 and 65 characters.
    return length === 59
      ? valid('an iSCSI portal of 59 characters', object)
      : faulty('an iSCSI portal of 60 characters', object, `${ISCSI}/targetPortal`, 'no more than 64 characters');
  }),
];

const flocker = (source: Json): Json => podWithVolume({ flocker: source });
const quobyte = (source: Json): Json => podWithVolume({ quobyte: { registry: 'r:7861', volume: 'v', ...source } });
const FLOCKER = '/spec/volumes/0/flocker';
const QUOBYTE = '/spec/volumes/0/quobyte';

const NETWORK_VOLUMES: readonly LimitCase[] = [
  valid('Flocker with a name', flocker({ datasetName: 'data' })),
  valid('Flocker with an id', flocker({ datasetUUID: 'u' })),
  faulty('Flocker with neither', flocker({}), FLOCKER, 'exactly one of datasetName and datasetUUID'),
  faulty('Flocker with both', flocker({ datasetName: 'data', datasetUUID: 'u' }), FLOCKER),
  faulty('Flocker with a path', flocker({ datasetName: 'a/b' }), `${FLOCKER}/datasetName`, 'must not contain "/"'),
  valid('Quobyte with a tenant of 64 characters', quobyte({ tenant: 't'.repeat(64) })),
  faulty('Quobyte with one of 65', quobyte({ tenant: 't'.repeat(65) }), `${QUOBYTE}/tenant`, 'no more than 64'),
  ...['a:1,b:2', '[::1]:7861'].map((registry) => valid(`Quobyte with the registry ${registry}`, quobyte({ registry }))),
  ...['a', 'a:1,b', 'a:1:2'].map((registry) =>
    faulty(
      `Quobyte with the registry ${registry}`,
      quobyte({ registry }),
      `${QUOBYTE}/registry`,
      'one or more host:port pairs, separated by commas',
    ),
  ),
];

const budget = (spec: Json): Json => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web' },
  spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
});

const BUDGETS: readonly LimitCase[] = ['minAvailable', 'maxUnavailable'].flatMap((field) => [
  ...[0, '0%', '100%'].map((share) => valid(`a budget with ${field} ${share}`, budget({ [field]: share }))),
  ...[-1, '101%', '5', '-1%'].map((share) =>
    faulty(`a budget with ${field} ${JSON.stringify(share)}`, budget({ [field]: share }), `/spec/${field}`),
  ),
]);

const certificateRequest = recordObjects().find(({ kind }) => kind === 'CertificateSigningRequest')!;
const PEM_LINES = Buffer.from((certificateRequest.spec as { readonly request: string }).request, 'base64')
  .toString()
  .trim()
  .split('\n');

/** A certificate request whose DER is changed. */
function requesting(change: (der: Buffer) => Uint8Array): Json {
  const der = change(Buffer.from(PEM_LINES.slice(1, -1).join(''), 'base64'));
  const pem = [PEM_LINES[0], Buffer.from(der).toString('base64'), PEM_LINES.at(-1), ''].join('\n');
  const request = Buffer.from(pem).toString('base64');
  return { ...certificateRequest, spec: { ...(certificateRequest.spec as Json), request } };
}
/** Another tag at this position. */
const retagged =
  (position: number) =>
  (der: Buffer): Uint8Array =>
    der.fill(0x04, position, position + 1);

const CERTIFICATES: readonly LimitCase[] = [
  valid(
    'a certificate request',
    requesting((der) => der),
  ),
  ...(
    [
      ['the request', retagged(0)],
      ['its information', retagged(3)],
      ['the version', retagged(5)],
      ['the subject', retagged(8)],
      ['a set of names in the subject', retagged(10)],
      ['the public key', retagged(27)],
      ['the algorithm of the key', retagged(29)],
      ['the identifier of that algorithm', retagged(31)],
      ['the bits of the key', retagged(50)],
      ['the attributes', retagged(118)],
      ['the algorithm of the signature', retagged(120)],
      ['the identifier of that algorithm for the signature', retagged(122)],
      ['the signature', retagged(132)],
    ] as const
  ).map(([what, change]) =>
    faulty(`a certificate request with another tag of ${what}`, requesting(change), '/spec/request', 'PEM-encoded'),
  ),
  faulty(
    'a certificate request that is cut',
    requesting((der) => der.subarray(0, -1)),
    '/spec/request',
  ),
  faulty(
    'a certificate request with more behind it',
    requesting((der) => Buffer.concat([der, Buffer.of(0x05, 0)])),
    '/spec/request',
  ),
];

/** A template of a DaemonSet that surges by a share of the nodes. */
const surging = (maxSurge: number | string): Json => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agents' },
  spec: {
    selector: { matchLabels: { app: 'agents' } },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge } },
    template: {
      metadata: { labels: { app: 'agents' } },
      spec: { containers: [{ name: 'main', image: 'img' }] },
    },
  },
});

const SURGES: readonly LimitCase[] = [
  ...[1, '1%', '100%'].map((share) => valid(`a surge of ${share}`, surging(share))),
  faulty('a surge of 101%', surging('101%'), '/spec/updateStrategy/rollingUpdate/maxSurge', 'no more than 100%'),
];

const volume = (name: string): Json => ({ kind: 'PersistentVolumeClaim', name });
const claim = (dataSource: Json, dataSourceRef: Json): Json => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'copy' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, dataSource, dataSourceRef },
});

const SOURCES: readonly LimitCase[] = [
  valid('a source that is given twice', claim(volume('a'), volume('a'))),
  ...[volume('b'), { kind: 'VolumeSnapshot', name: 'a', apiGroup: 'snapshot.storage.k8s.io' }].map((other) =>
    faulty(
      `a second source ${JSON.stringify(other)}`,
      claim(volume('a'), other),
      '/spec/dataSource',
      'must name the same object',
    ),
  ),
];

/** An event about an object without a namespace. */
const event = (namespace: string, more: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e', namespace },
  involvedObject: { kind: 'Node', name: 'n' },
  ...more,
});
const observed: Json = {
  eventTime: '2026-01-01T00:00:00.000000Z',
  reportingComponent: 'example.com/c',
  reportingInstance: 'c-0',
  action: 'Drain',
  reason: 'Spot',
  type: 'Normal',
};

const EVENTS: readonly LimitCase[] = [
  valid('an event about a node', event('default')),
  faulty('an event about a node in a namespace', event('ai'), '/involvedObject/namespace', 'has no namespace'),
  ...['default', 'kube-system'].map((namespace) =>
    valid(`an observed event about a node in ${namespace}`, event(namespace, observed)),
  ),
  faulty(
    'an observed event about a node in a namespace',
    event('ai', observed),
    '/involvedObject/namespace',
    'the object has no namespace, but the event is in',
  ),
];

export const ALTERNATIVE_CASES: readonly LimitCase[] = [
  ...QUOTAS,
  ...ISCSI_NAMES,
  ...NETWORK_VOLUMES,
  ...BUDGETS,
  ...CERTIFICATES,
  ...SURGES,
  ...SOURCES,
  ...EVENTS,
];
