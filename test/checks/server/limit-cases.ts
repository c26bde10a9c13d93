/**
 * Documents at the edges of the server's limits, and for each alternative of what it checks, with what is wrong in them.
 */
import { AUTOSCALER_LIMIT_CASES } from './autoscaler-limit-cases';
import { ALTERNATIVE_CASES } from './alternative-cases';
import { faulty, type LimitCase, list, valid } from './limit-case';
import { NETWORK_LIMIT_CASES } from './network-limit-cases';
import { POD_LIMIT_CASES } from './pod-limit-cases';
import { SCHEMA_LIMIT_CASES } from './schema-limit-cases';
import { TIME_LIMIT_CASES } from './time-limit-cases';
import { type Json, minimalPod } from './valid';

const quoted = (value: unknown): string => JSON.stringify(value).slice(0, 60);

function pod(spec: Json): Json {
  const made = minimalPod();
  return { ...made, spec: { ...(made.spec as Json), ...spec } };
}

const windowsUser = (runAsUserName: string): Json =>
  pod({ os: { name: 'windows' }, securityContext: { windowsOptions: { runAsUserName } } });

const WINDOWS_USERS: readonly LimitCase[] = [
  ...[
    'ContainerUser',
    'NT AUTHORITY\\SYSTEM',
    `a.${'b'.repeat(63)}.c\\user`,
    'D'.repeat(15) + '\\user',
    'u'.repeat(104),
    'a.',
    '. a',
  ].map((name) => valid(`the Windows user ${quoted(name)}`, windowsUser(name))),
  ...[
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
  ].map(([name, message]) =>
    faulty(
      `the Windows user ${quoted(name)}`,
      windowsUser(name),
      '/spec/securityContext/windowsOptions/runAsUserName',
      message,
    ),
  ),
];

const volume = (source: Json): Json => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'v' },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...source },
});
const ofModes = (accessModes: string[]): Json => volume({ nfs: { server: 's', path: '/x' }, accessModes });
const disk = (more: Json): Json => volume({ azureDisk: { diskName: 'd', diskURI: 'https://u', ...more } });
const share = (more: Json): Json => volume({ azureFile: { secretName: 's', shareName: 'n', ...more } });

const VOLUMES: readonly LimitCase[] = [
  valid('a volume with ReadWriteOncePod', ofModes(['ReadWriteOncePod'])),
  valid('a volume with several modes', ofModes(['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'])),
  faulty(
    'a volume with ReadWriteOncePod and another mode',
    ofModes(['ReadWriteOncePod', 'ReadWriteOnce']),
    '/spec/accessModes',
    'ReadWriteOncePod must not be combined',
  ),
  valid('a disk without a caching mode', disk({})),
  ...['None', 'ReadOnly', 'ReadWrite'].map((cachingMode) => valid(`a disk with ${cachingMode}`, disk({ cachingMode }))),
  ...['readonly', ''].map((cachingMode) =>
    faulty(`a disk with ${quoted(cachingMode)}`, disk({ cachingMode }), '/spec/azureDisk/cachingMode'),
  ),
  valid('a share', share({})),
  valid('a share with a namespace', share({ secretNamespace: 'a' })),
  ...['secretNamespace', 'secretName', 'shareName'].map((field) =>
    faulty(`a share with an empty ${field}`, share({ [field]: '' }), `/spec/azureFile/${field}`),
  ),
];

const tokenOf = (expirationSeconds: number): Json => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: 'csi.example.com' },
  spec: { tokenRequests: [{ audience: 'a', expirationSeconds }] },
});

const TOKENS: readonly LimitCase[] = [
  ...[600, 2 ** 32].map((seconds) => valid(`a token of a CSI driver for ${seconds} s`, tokenOf(seconds))),
  ...[599, 2 ** 32 + 1].map((seconds) =>
    faulty(`a token of a CSI driver for ${seconds} s`, tokenOf(seconds), '/spec/tokenRequests/0/expirationSeconds'),
  ),
];

const webhookWith = (conditions: number): Json => ({
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
      matchConditions: list(conditions, (index) => ({ name: `c${index}`, expression: 'true' })),
    },
  ],
});

const WEBHOOKS: readonly LimitCase[] = [
  valid('a webhook with 64 match conditions', webhookWith(64)),
  faulty('a webhook with 65', webhookWith(65), '/webhooks/0/matchConditions', 'must not have more than 64 conditions'),
];

const level = (name: string, spec: Json): Json => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'PriorityLevelConfiguration',
  metadata: { name },
  spec,
});
const limited = { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } };
const ONLY_EXEMPT = 'only the priority level "exempt" may have the type Exempt';

const PRIORITY_LEVELS: readonly LimitCase[] = [
  valid('a limited level', level('work', { type: 'Limited', limited })),
  valid('the exempt level', level('exempt', { type: 'Exempt' })),
  valid('the exempt level with shares', level('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0 } })),
  faulty('a limited level without limits', level('work', { type: 'Limited' }), '/spec/limited', 'limited must be set'),
  faulty(
    'a limited level with exempt',
    level('work', { type: 'Limited', limited, exempt: {} }),
    '/spec/exempt',
    'exempt must not be set for a priority level of type Limited',
  ),
  faulty(
    'the exempt level with limits',
    level('exempt', { type: 'Exempt', limited }),
    '/spec/limited',
    'limited must not be set for a priority level of type Exempt',
  ),
  faulty('another exempt level', level('work', { type: 'Exempt' }), '/spec/type', ONLY_EXEMPT),
  faulty(
    'the exempt level as a limited one',
    level('exempt', { type: 'Limited', limited }),
    '/spec/type',
    'the priority level "exempt" must have the type Exempt',
  ),
  faulty(
    'a level of another type',
    level('work', { type: 'Other', limited }),
    '/spec/type',
    'unsupported type "Other"',
  ),
];

const service = (spec: Json): Json => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's' },
  spec: { ports: [{ port: 80 }], selector: { app: 'x' }, ...spec },
});
const balanced = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };
const FOR_LOCAL = '/spec/healthCheckNodePort';

const HEALTH_CHECKS: readonly LimitCase[] = [
  valid('a health check of a load balancer', service({ ...balanced, healthCheckNodePort: 30_000 })),
  valid('none of one', service({ ...balanced, externalTrafficPolicy: 'Cluster', healthCheckNodePort: 0 })),
  faulty(
    'one with the policy Cluster',
    service({ ...balanced, externalTrafficPolicy: 'Cluster', healthCheckNodePort: 30_000 }),
    FOR_LOCAL,
  ),
  faulty('one of node ports', service({ ...balanced, type: 'NodePort', healthCheckNodePort: 30_000 }), FOR_LOCAL),
  faulty(
    'port 65536',
    service({ ...balanced, healthCheckNodePort: 65_536 }),
    '/spec/healthCheckNodePort',
    'the port must be between 1 and 65535, but is 65536',
  ),
];

const sleeping = (seconds: number, more: Json = {}): Json =>
  pod({ ...more, containers: [{ name: 'main', image: 'img', lifecycle: { preStop: { sleep: { seconds } } } }] });
const SLEEP = '/spec/containers/0/lifecycle/preStop/sleep/seconds';

const HOOKS: readonly LimitCase[] = [
  valid('a hook that sleeps 0 s', sleeping(0)),
  valid('a hook that sleeps 30 s', sleeping(30)),
  valid('a hook that sleeps 60 s of 60', sleeping(60, { terminationGracePeriodSeconds: 60 })),
  faulty('a hook that sleeps -1 s', sleeping(-1), SLEEP),
  faulty('a hook that sleeps 31 s', sleeping(31), SLEEP),
  faulty('a hook that sleeps 61 s of 60', sleeping(61, { terminationGracePeriodSeconds: 60 }), SLEEP),
];

const request = (more: Json = {}, name = 'gpu'): Json => ({
  name,
  exactly: { deviceClassName: 'gpu.nvidia.com', ...more },
});
const claim = (devices: Json): Json => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name: 'gpus', namespace: 'default' },
  spec: { devices: { requests: [request()], ...devices } },
});
/** Lists of a claim that have at most 32 items: the claim with so many, and the place of the list. */
const DEVICE_LISTS: readonly (readonly [what: string, make: (count: number) => Json, path: string])[] = [
  ['requests', (count) => claim({ requests: list(count, (i) => request({}, `gpu-${i}`)) }), '/spec/devices/requests'],
  [
    'constraints',
    (count) => claim({ constraints: list(count, () => ({ matchAttribute: 'gpu.nvidia.com/type' })) }),
    '/spec/devices/constraints',
  ],
  [
    'configurations',
    (count) => claim({ config: list(count, () => ({ opaque: { driver: 'gpu.nvidia.com', parameters: { a: 1 } } })) }),
    '/spec/devices/config',
  ],
  [
    'selectors',
    (count) => claim({ requests: [request({ selectors: list(count, () => ({ cel: { expression: 'true' } })) })] }),
    '/spec/devices/requests/0/exactly/selectors',
  ],
];

const DEVICES: readonly LimitCase[] = DEVICE_LISTS.flatMap(([what, make, path]) => [
  valid(`a claim with 32 ${what}`, make(32)),
  faulty(`a claim with 33 ${what}`, make(33), path, '32'),
]);

const flatClaim = (more: Json): Json => ({
  apiVersion: 'resource.k8s.io/v1beta1',
  kind: 'ResourceClaim',
  metadata: { name: 'flat', namespace: 'default' },
  spec: { devices: { requests: [{ name: 'gpu', ...more }] } },
});
const firstAvailable = [{ name: 'big', deviceClassName: 'gpu.nvidia.com' }];
const FLAT_REQUEST = '/spec/devices/requests/0';

const flatCases = (cases: readonly Json[], make: (more: Json, what: string) => LimitCase): readonly LimitCase[] =>
  cases.map((more) => make(more, JSON.stringify(more)));

/** A request of v1beta1 has alternatives, or fields of its own; of these, lists and objects count as soon as they are there. */
const FLAT_REQUESTS: readonly LimitCase[] = [
  ...flatCases(
    [{}, { selectors: null }, { tolerations: null }, { deviceClassName: '' }, { allocationMode: '' }, { count: 0 }],
    (more, what) => valid(`a flat request with alternatives and ${what}`, flatClaim({ firstAvailable, ...more })),
  ),
  ...flatCases(
    [
      { deviceClassName: 'gpu.nvidia.com' },
      { selectors: [] },
      { selectors: [{ cel: { expression: 'true' } }] },
      { allocationMode: 'All' },
      { count: 1 },
      { tolerations: [] },
      { tolerations: [{ operator: 'Exists' }] },
      { capacity: {} },
    ],
    (more, what) =>
      faulty(
        `a flat request with alternatives and ${what}`,
        flatClaim({ firstAvailable, ...more }),
        FLAT_REQUEST,
        'deviceClassName must not be set when firstAvailable is set',
      ),
  ),
  faulty('a flat request with nothing', flatClaim({}), FLAT_REQUEST, 'deviceClassName or firstAvailable must be set'),
  ...flatCases([{ selectors: [] }, { tolerations: [] }, { capacity: {} }], (more, what) =>
    faulty(`a flat request with ${what}`, flatClaim(more), `${FLAT_REQUEST}/deviceClassName`),
  ),
];

export const LIMIT_CASES: readonly LimitCase[] = [
  ...ALTERNATIVE_CASES,
  ...POD_LIMIT_CASES,
  ...NETWORK_LIMIT_CASES,
  ...SCHEMA_LIMIT_CASES,
  ...TIME_LIMIT_CASES,
  ...AUTOSCALER_LIMIT_CASES,
  ...DEVICES,
  ...FLAT_REQUESTS,
  ...WINDOWS_USERS,
  ...VOLUMES,
  ...TOKENS,
  ...WEBHOOKS,
  ...PRIORITY_LEVELS,
  ...HEALTH_CHECKS,
  ...HOOKS,
];
