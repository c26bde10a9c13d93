/**
 * Pods for each alternative of what the server checks in them: security, resources, environment, restarts, and volumes.
 */
import { faulty, type LimitCase, list, valid } from './limit-case';
import { type Json, minimalPod } from './valid';

const pod = (spec: Json): Json => {
  const made = minimalPod();
  return { ...made, spec: { ...(made.spec as Json), ...spec } };
};
const container = (more: Json): Json => pod({ containers: [{ name: 'main', image: 'img', ...more }] });
const MAIN = '/spec/containers/0';

const secured = (securityContext: Json, more: Json = {}): Json =>
  pod({ ...more, containers: [{ name: 'main', image: 'img', securityContext }] });
const CONTEXT = `${MAIN}/securityContext`;
const windows = (more: Json): Json => pod({ os: { name: 'windows' }, ...more });
const profiled = (field: string, profile: Json): Json => secured({ [field]: profile });

const SECURITY: readonly LimitCase[] = [
  valid('no escalation', secured({ allowPrivilegeEscalation: false, capabilities: { add: ['SYS_ADMIN'] } })),
  faulty(
    'no escalation, but CAP_SYS_ADMIN',
    secured({ allowPrivilegeEscalation: false, capabilities: { add: ['CAP_SYS_ADMIN'] } }),
    `${CONTEXT}`,
    'when capabilities.add contains CAP_SYS_ADMIN',
  ),
  faulty('no escalation, but privileged', secured({ allowPrivilegeEscalation: false, privileged: true }), CONTEXT),
  valid('the default mount of /proc', secured({ procMount: 'Default' })),
  valid('all of /proc for a pod with users of its own', secured({ procMount: 'Unmasked' }, { hostUsers: false })),
  faulty('all of /proc', secured({ procMount: 'Unmasked' }), `${CONTEXT}/procMount`, 'requires hostUsers: false'),
  faulty('another mount of /proc', secured({ procMount: 'Some' }), `${CONTEXT}/procMount`, 'unsupported value "Some"'),
  valid('a seccomp profile', profiled('seccompProfile', { type: 'Localhost', localhostProfile: 'a/b.json' })),
  faulty(
    'a seccomp profile above its folder',
    profiled('seccompProfile', { type: 'Localhost', localhostProfile: '../b.json' }),
    `${CONTEXT}/seccompProfile/localhostProfile`,
  ),
  ...['a', 'a'.repeat(4095)].map((localhostProfile) =>
    valid(
      `an AppArmor profile of ${localhostProfile.length} characters`,
      profiled('appArmorProfile', { type: 'Localhost', localhostProfile }),
    ),
  ),
  ...(
    [
      ['', 'must be set when type is Localhost'],
      [' ', 'must be set when type is Localhost'],
      [' a', 'must not have leading or trailing white space'],
      ['a'.repeat(4096), 'no more than 4095 characters'],
    ] as const
  ).map(([localhostProfile, words]) =>
    faulty(
      `an AppArmor profile of ${JSON.stringify(localhostProfile).slice(0, 8)}`,
      profiled('appArmorProfile', { type: 'Localhost', localhostProfile }),
      `${CONTEXT}/appArmorProfile/localhostProfile`,
      words,
    ),
  ),
  ...['hostPID', 'hostIPC'].map((field) =>
    faulty(`a Windows pod with ${field}`, windows({ [field]: true }), `/spec/${field}`, 'for a Windows pod'),
  ),
  ...['hostUsers', 'shareProcessNamespace'].map((field) =>
    faulty(`a Windows pod with ${field}`, windows({ [field]: false }), `/spec/${field}`, 'for a Windows pod'),
  ),
  faulty(
    'a Windows pod with sysctls',
    windows({ securityContext: { sysctls: [{ name: 'kernel.shm_rmid_forced', value: '1' }] } }),
    '/spec/securityContext/sysctls',
  ),
  faulty(
    'a Windows container with a user id',
    windows({ containers: [{ name: 'main', image: 'img', securityContext: { runAsUser: 1 } }] }),
    `${CONTEXT}/runAsUser`,
    'must not be set for a Windows container',
  ),
  ...[1, 64 * 1024].map((length) =>
    valid(
      `a gMSA specification of ${length} characters`,
      windows({ securityContext: { windowsOptions: { gmsaCredentialSpec: 'a'.repeat(length) } } }),
    ),
  ),
  ...[0, 64 * 1024 + 1].map((length) =>
    faulty(
      `a gMSA specification of ${length} characters`,
      windows({ securityContext: { windowsOptions: { gmsaCredentialSpec: 'a'.repeat(length) } } }),
      '/spec/securityContext/windowsOptions/gmsaCredentialSpec',
    ),
  ),
];

const FILE_KEY = `${MAIN}/env/0/valueFrom/fileKeyRef`;
const fromFile = (reference: Json, volume: Json = { emptyDir: {} }): Json =>
  pod({
    volumes: [{ name: 'files', ...volume }],
    containers: [
      {
        name: 'main',
        image: 'img',
        env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'files', path: 'a', key: 'A', ...reference } } }],
      },
    ],
  });
const fromField = (fieldPath: string): Json =>
  container({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath } } }] });

const ENVIRONMENT: readonly LimitCase[] = [
  valid('a variable from a file', fromFile({})),
  faulty('one from a file above the volume', fromFile({ path: '../a' }), `${FILE_KEY}/path`, 'must not contain ".."'),
  faulty('one from no file', fromFile({ path: '' }), `${FILE_KEY}/path`, 'must be set'),
  faulty(
    'one from a volume of a host',
    fromFile({}, { hostPath: { path: '/a' } }),
    `${FILE_KEY}/volumeName`,
    'emptyDir',
  ),
  faulty('one from an unknown volume', fromFile({ volumeName: 'other' }), `${FILE_KEY}/volumeName`, 'unknown volume'),
  faulty('one with a key that has "="', fromFile({ key: 'A=' }), `${FILE_KEY}/key`),
  valid('a variable from a label', fromField("metadata.labels['a.io/b']")),
  valid('a variable from an annotation in upper case', fromField("metadata.annotations['A.io/b']")),
  faulty(
    'a variable from a field that is not set',
    fromField(''),
    `${MAIN}/env/0/valueFrom/fieldRef/fieldPath`,
    'fieldPath must be set',
  ),
  faulty(
    'a variable from no label',
    fromField("metadata.labels['a b']"),
    `${MAIN}/env/0/valueFrom/fieldRef/fieldPath`,
    'the key "a b" in metadata.labels must',
  ),
];

const amounts = (resources: Json, ofContainer: Json = {}): Json =>
  pod({ resources, containers: [{ name: 'main', image: 'img', resources: ofContainer }] });
const OF_POD = '/spec/resources';

const RESOURCES: readonly LimitCase[] = [
  valid('amounts of a whole pod', amounts({ requests: { cpu: 1 }, limits: { cpu: 2, memory: '1Gi' } })),
  faulty(
    'devices of a whole pod',
    amounts({ limits: { 'nvidia.com/gpu': 1 } }),
    `${OF_POD}/limits/nvidia.com~1gpu`,
    'which can set only cpu, memory, and huge pages',
  ),
  faulty(
    'a request of a pod above its limit',
    amounts({ requests: { cpu: 3 }, limits: { cpu: 2 } }),
    `${OF_POD}/requests/cpu`,
    'the pod request for cpu must be less than or equal to the pod limit',
  ),
  valid('a container at the limit of its pod', amounts({ limits: { cpu: 2 } }, { limits: { cpu: 2 } })),
  faulty(
    'a container above the limit of its pod',
    amounts({ limits: { cpu: 2 } }, { limits: { cpu: 3 }, requests: { cpu: 1 } }),
    `${MAIN}/resources/limits/cpu`,
    'less than or equal to the pod limit (3 > 2)',
  ),
];

const resizing = (resizePolicy: Json[], more: Json = {}): Json =>
  pod({ ...more, containers: [{ name: 'main', image: 'img', resizePolicy }] });
const policy = (resourceName: string, restartPolicy: string): Json => ({ resourceName, restartPolicy });
const RESIZE = `${MAIN}/resizePolicy`;
const restartRules = (restartPolicyRules: Json[], restartPolicy?: string): Json =>
  container({ restartPolicyRules, ...(restartPolicy === undefined ? {} : { restartPolicy }) });
const rule = (exitCodes: Json, action = 'Restart'): Json => ({ action, exitCodes });
const ONE = { operator: 'In', values: [1] };
const restarting = (codes: number): Json =>
  restartRules([rule({ operator: 'In', values: list(codes, (index) => index + 1) })], 'Never');
const RULES = `${MAIN}/restartPolicyRules`;

const RESTARTS: readonly LimitCase[] = [
  valid('two resize policies', resizing([policy('cpu', 'NotRequired'), policy('memory', 'RestartContainer')])),
  faulty(
    'two of one resource',
    resizing([policy('cpu', 'NotRequired'), policy('cpu', 'RestartContainer')]),
    `${RESIZE}/1/resourceName`,
    'duplicate resize policy for "cpu"',
  ),
  faulty('another policy', resizing([policy('cpu', 'Restart')]), `${RESIZE}/0/restartPolicy`, 'unsupported'),
  valid('a policy of a pod that never restarts', resizing([policy('cpu', 'NotRequired')], { restartPolicy: 'Never' })),
  faulty(
    'a restart of a pod that never restarts',
    resizing([policy('cpu', 'RestartContainer')], { restartPolicy: 'Never' }),
    `${RESIZE}/0/restartPolicy`,
    'must not be set for a pod that never restarts',
  ),
  valid('a rule for 255 exit codes', restarting(255)),
  faulty('a rule for 256 exit codes', restarting(256), `${RULES}/0/exitCodes/values`, '255'),
  valid(
    '20 rules',
    restartRules(
      list(20, () => rule(ONE)),
      'Never',
    ),
  ),
  faulty(
    '21 rules',
    restartRules(
      list(21, () => rule(ONE)),
      'Never',
    ),
    RULES,
    'at most 20',
  ),
  ...['Always', 'Never', 'OnFailure'].map((own) =>
    valid(`a rule of a container that restarts ${own}`, restartRules([rule(ONE)], own)),
  ),
  faulty('a rule of a container without a policy', restartRules([rule(ONE)]), `${MAIN}/restartPolicy`, 'without'),
  faulty('an action in lower case', restartRules([rule(ONE, 'restart')], 'Never'), `${RULES}/0/action`, 'unsupported'),
  faulty('a rule without exit codes', restartRules([{ action: 'Restart' }], 'Never'), `${RULES}/0/exitCodes`),
  faulty(
    'exit codes that exist',
    restartRules([rule({ operator: 'Exists', values: [1] })], 'Never'),
    `${RULES}/0/exitCodes/operator`,
    'unsupported',
  ),
  ...[[], [0], [-1], [256], [1, 1]].map((values) =>
    valid(
      `a rule for the exit codes ${JSON.stringify(values)}`,
      restartRules([rule({ operator: 'NotIn', values })], 'Never'),
    ),
  ),
  ...['Always', 'Never', 'OnFailure'].map((restartPolicy) =>
    valid(`a container that restarts ${restartPolicy}`, container({ restartPolicy })),
  ),
  faulty('a container that restarts at times', container({ restartPolicy: 'Sometimes' }), `${MAIN}/restartPolicy`),
];

const withVolume = (source: Json): Json => pod({ volumes: [{ name: 'data', ...source }] });
const VOLUME = '/spec/volumes/0';
const fibre = (more: Json): Json => withVolume({ fc: more });

const VOLUMES: readonly LimitCase[] = [
  valid('an empty folder of 0 bytes', withVolume({ emptyDir: { sizeLimit: '0' } })),
  faulty('an empty folder of -1 byte', withVolume({ emptyDir: { sizeLimit: '-1' } }), `${VOLUME}/emptyDir/sizeLimit`),
  valid('a repository', withVolume({ gitRepo: { repository: 'r', directory: 'a/b' } })),
  faulty(
    'one above the volume',
    withVolume({ gitRepo: { repository: 'r', directory: '../b' } }),
    `${VOLUME}/gitRepo/directory`,
  ),
  faulty('a path of the host with ".."', withVolume({ hostPath: { path: '/a/../b' } }), `${VOLUME}/hostPath/path`),
  valid('Fibre Channel by names', fibre({ targetWWNs: ['a'], lun: 255 })),
  valid('Fibre Channel by ids', fibre({ wwids: ['a'] })),
  faulty('Fibre Channel by neither', fibre({ lun: 1 }), `${VOLUME}/fc`, 'exactly one of targetWWNs and wwids'),
  faulty('Fibre Channel by both', fibre({ targetWWNs: ['a'], wwids: ['a'], lun: 0 }), `${VOLUME}/fc`),
  faulty(
    'Fibre Channel without a lun',
    fibre({ targetWWNs: ['a'] }),
    `${VOLUME}/fc/lun`,
    'lun must be set when targetWWNs is set',
  ),
  faulty(
    'Fibre Channel with the lun 256',
    fibre({ targetWWNs: ['a'], lun: 256 }),
    `${VOLUME}/fc/lun`,
    'between 0 and 255',
  ),
  valid('a driver with options', withVolume({ flexVolume: { driver: 'a.io/b', options: { 'a.io/c': 'd' } } })),
  ...['kubernetes.io/a', 'sub.k8s.io/a'].map((option) =>
    faulty(
      `a driver with the option ${option}`,
      withVolume({ flexVolume: { driver: 'a.io/b', options: { [option]: 'd' } } }),
      `${VOLUME}/flexVolume/options/${option.replace('/', '~1')}`,
      'must not have a reserved prefix',
    ),
  ),
  valid('a managed disk', withVolume({ azureDisk: { diskName: 'd', diskURI: '/subscriptions/a', kind: 'Managed' } })),
  faulty(
    'a managed disk by a URL',
    withVolume({ azureDisk: { diskName: 'd', diskURI: 'https://a', kind: 'Managed' } }),
    `${VOLUME}/azureDisk/diskURI`,
    'must begin with /subscriptions/',
  ),
  faulty(
    'a disk of another kind',
    withVolume({ azureDisk: { diskName: 'd', diskURI: 'https://a', kind: 'Mine' } }),
    `${VOLUME}/azureDisk/kind`,
    'unsupported disk kind "Mine"',
  ),
  valid('a StorageOS volume', withVolume({ storageos: { volumeName: 'a', volumeNamespace: 'b' } })),
  faulty('one with another name', withVolume({ storageos: { volumeName: 'A' } }), `${VOLUME}/storageos/volumeName`),
  faulty(
    'one in another namespace',
    withVolume({ storageos: { volumeName: 'a', volumeNamespace: 'B' } }),
    `${VOLUME}/storageos/volumeNamespace`,
  ),
];

export const POD_LIMIT_CASES: readonly LimitCase[] = [
  ...SECURITY,
  ...ENVIRONMENT,
  ...RESOURCES,
  ...RESTARTS,
  ...VOLUMES,
];
