/**
 * The checks of the Pod Security Standards, each with the versions of the standard that it belongs to.
 *
 * Source: k8s.io/pod-security-admission 0.36, policy/check_*.go.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { type Violation } from '../../rule';
import { pointer } from '../../../manifests/pointer';
import { asObject, asString, isObject, objectsAt, stringEntries, stringsIn } from '../../../manifests/read';

export type RestrictedLevel = 'baseline' | 'restricted';

/** A pod, or the pods that a template makes. */
export interface SecuredPod {
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  readonly security: JsonObject;
  readonly containers: readonly SecuredContainer[];
}

interface SecuredContainer {
  readonly value: JsonObject;
  /** JSON pointer from the pod. */
  readonly path: string;
  readonly name: string;
  readonly security: JsonObject;
}

/** One revision of a check. */
interface Revision {
  /** The first minor of the standard with this revision. */
  readonly since: number;
  readonly find: (pod: SecuredPod) => Iterable<Violation>;
}

export interface PodSecurityCheck {
  readonly id: string;
  readonly level: RestrictedLevel;
  /** Ascending. */
  readonly revisions: readonly Revision[];
  /** The check of `baseline` that this one replaces in `restricted`. */
  readonly overrides?: string;
}

export function securedPod({
  metadata,
  spec,
}: {
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}): SecuredPod {
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    objectsAt(spec, `/${list}`).map(({ value, path }) => ({
      value,
      path: `/spec${path}`,
      name: asString(value.name) ?? '(no name)',
      security: asObject(value.securityContext),
    })),
  );
  return { metadata, spec, security: asObject(spec.securityContext), containers };
}

const isWindows = ({ spec }: SecuredPod): boolean => asObject(spec.os).name === 'windows';
const hasUserNamespace = ({ spec }: SecuredPod): boolean => spec.hostUsers === false;
const isSet = (value: JsonValue | undefined): boolean => value !== undefined && value !== null;

type Find = Revision['find'];

/** The revision for pods that this is true of finds nothing. */
const unless =
  (exempt: (pod: SecuredPod) => boolean, find: Find): Find =>
  (pod) =>
    exempt(pod) ? [] : find(pod);

/** A security context, of the pod or of a container, with its place and its name in messages. */
interface Setter {
  readonly security: JsonObject;
  readonly path: string;
  readonly name: string;
}

function settersOf({ security, containers }: SecuredPod): readonly Setter[] {
  return [
    { security, path: '/spec/securityContext', name: 'the pod' },
    ...containers.map((container) => ({
      security: container.security,
      path: `${container.path}/securityContext`,
      name: `the container ${container.name}`,
    })),
  ];
}

function* hostNamespaces({ spec }: SecuredPod): Iterable<Violation> {
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) {
    if (spec[field] === true) {
      yield { path: `/spec/${field}`, message: `the pod sets ${field}`, found: true, expected: `no ${field}` };
    }
  }
}

function* hostPaths({ spec }: SecuredPod): Iterable<Violation> {
  for (const { value, path } of objectsAt(spec, '/volumes')) {
    if (isObject(value.hostPath)) {
      yield { path: `/spec${path}/hostPath`, message: 'the pod mounts a hostPath volume', expected: 'no hostPath' };
    }
  }
}

function* privileged({ containers }: SecuredPod): Iterable<Violation> {
  for (const { security, path, name } of containers) {
    if (security.privileged === true) {
      const message = `the container ${name} is privileged`;
      yield { path: `${path}/securityContext/privileged`, message, found: true, expected: 'false' };
    }
  }
}

function* hostPorts({ containers }: SecuredPod): Iterable<Violation> {
  for (const { value, path, name } of containers) {
    for (const port of objectsAt(value, '/ports')) {
      const { hostPort } = port.value;
      if (typeof hostPort === 'number' && hostPort !== 0) {
        const message = `the container ${name} uses the host port ${hostPort}`;
        yield { path: `${path}${port.path}/hostPort`, message, found: hostPort, expected: 'no hostPort' };
      }
    }
  }
}

/** Probes and hooks that ask another host than the pod. */
function* hostProbes({ containers }: SecuredPod): Iterable<Violation> {
  for (const { value, path, name } of containers) {
    const lifecycle = asObject(value.lifecycle);
    const handlers: readonly (readonly [string, JsonObject])[] = [
      ['/livenessProbe', asObject(value.livenessProbe)],
      ['/readinessProbe', asObject(value.readinessProbe)],
      ['/startupProbe', asObject(value.startupProbe)],
      ['/lifecycle/postStart', asObject(lifecycle.postStart)],
      ['/lifecycle/preStop', asObject(lifecycle.preStop)],
    ];
    for (const [at, handler] of handlers) {
      for (const kind of ['httpGet', 'tcpSocket']) {
        const host = asString(asObject(handler[kind]).host);
        if (host !== undefined && host !== '') {
          const message = `the container ${name} sets the host of a probe or hook`;
          yield { path: `${path}${at}/${kind}/host`, message, found: host, expected: 'unset, which is the pod itself' };
        }
      }
    }
  }
}

const DEFAULT_CAPABILITIES: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

function* addedCapabilities(
  { containers }: SecuredPod,
  allowed: (capability: string) => boolean,
  expected: string,
): Iterable<Violation> {
  for (const { security, path, name } of containers) {
    const forbidden = stringsIn(asObject(security.capabilities).add).filter((capability) => !allowed(capability));
    if (forbidden.length > 0) {
      const message = `the container ${name} adds ${forbidden.join(', ')}`;
      yield { path: `${path}/securityContext/capabilities/add`, message, found: forbidden, expected };
    }
  }
}

function* capabilitiesRestricted(pod: SecuredPod): Iterable<Violation> {
  for (const { security, path, name } of pod.containers) {
    if (!stringsIn(asObject(security.capabilities).drop).includes('ALL')) {
      yield {
        path: `${path}/securityContext`,
        message: `the container ${name} does not drop all capabilities`,
        expected: 'capabilities: { drop: [ALL] }',
      };
    }
  }
  yield* addedCapabilities(pod, (capability) => capability === 'NET_BIND_SERVICE', 'at most NET_BIND_SERVICE');
}

function* procMount({ containers }: SecuredPod): Iterable<Violation> {
  for (const { security, path, name } of containers) {
    if (isSet(security.procMount) && security.procMount !== 'Default') {
      const message = `the container ${name} sets procMount`;
      yield { path: `${path}/securityContext/procMount`, message, found: security.procMount, expected: 'Default' };
    }
  }
}

const seLinux = (...types: readonly string[]): Find =>
  function* (pod) {
    for (const { security, path, name } of settersOf(pod)) {
      const options = asObject(security.seLinuxOptions);
      const allowedIn: readonly (readonly [string, readonly string[]])[] = [
        ['type', types],
        ['user', []],
        ['role', []],
      ];
      for (const [field, allowed] of allowedIn) {
        const value = asString(options[field]) ?? '';
        if (value !== '' && !allowed.includes(value)) {
          yield {
            path: `${path}/seLinuxOptions/${field}`,
            message: `${name} sets the SELinux ${field} ${value}`,
            found: value,
            expected: allowed.length === 0 ? 'unset' : allowed.join(', '),
          };
        }
      }
    }
  };

/** Types of profiles: of seccomp and of AppArmor. */
const PROFILES = ['RuntimeDefault', 'Localhost'];

function* profileTypes(pod: SecuredPod, field: string, words: string): Iterable<Violation> {
  for (const { security, path, name } of settersOf(pod)) {
    const profile = security[field];
    if (isObject(profile) && !PROFILES.includes(asString(profile.type) ?? '')) {
      yield {
        path: `${path}/${field}/type`,
        message: `${name} sets the ${words} ${asString(profile.type) ?? ''}`,
        found: profile.type ?? null,
        expected: PROFILES.join(' or '),
      };
    }
  }
}

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';

function* appArmor(pod: SecuredPod): Iterable<Violation> {
  yield* profileTypes(pod, 'appArmorProfile', 'AppArmor profile');
  for (const [key, value] of stringEntries(pod.metadata.annotations)) {
    if (key.startsWith(APP_ARMOR) && value !== '' && value !== 'runtime/default' && !value.startsWith('localhost/')) {
      yield {
        path: pointer('/metadata/annotations', key),
        message: `the pod sets the AppArmor profile ${value}`,
        found: value,
        expected: 'runtime/default or localhost/<profile>',
      };
    }
  }
}

const seccompBaseline: Find = (pod) => profileTypes(pod, 'seccompProfile', 'seccomp profile');

function* seccompAnnotations({ metadata, containers }: SecuredPod): Iterable<Violation> {
  const annotations = asObject(metadata.annotations);
  const keys = [
    'seccomp.security.alpha.kubernetes.io/pod',
    ...containers.map(({ name }) => `container.seccomp.security.alpha.kubernetes.io/${name}`),
  ];
  for (const key of keys) {
    const value = Object.hasOwn(annotations, key) ? asString(annotations[key]) : undefined;
    if (value !== undefined && !/^(runtime\/default|docker\/default|localhost\/.*)$/s.test(value)) {
      const path = pointer('/metadata/annotations', key);
      yield { path, message: `the pod sets the seccomp profile ${value}`, found: value, expected: 'runtime/default' };
    }
  }
}

function* seccompRestricted(pod: SecuredPod): Iterable<Violation> {
  yield* seccompBaseline(pod);
  const ofPod = asString(asObject(pod.security.seccompProfile).type) ?? '';
  for (const { security, path, name } of pod.containers) {
    if (!isObject(security.seccompProfile) && !PROFILES.includes(ofPod)) {
      yield {
        path: `${path}/securityContext`,
        message: `the container ${name} has no seccomp profile`,
        expected: 'seccompProfile: { type: RuntimeDefault }',
      };
    }
  }
}

const SYSCTLS_1_0 = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
const SYSCTLS_1_27 = [...SYSCTLS_1_0, 'net.ipv4.ip_local_reserved_ports'];
const SYSCTLS_1_29 = [
  ...SYSCTLS_1_27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
const SYSCTLS_1_32 = [...SYSCTLS_1_29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

const sysctls = (allowed: readonly string[]): Find =>
  function* ({ security }) {
    for (const { value, path } of objectsAt(security, '/sysctls')) {
      const name = asString(value.name) ?? '';
      if (!allowed.includes(name)) {
        yield {
          path: `/spec/securityContext${path}/name`,
          message: `the pod sets the sysctl ${name}`,
          found: name,
          expected: 'a safe sysctl',
        };
      }
    }
  };

function* windowsHostProcess(pod: SecuredPod): Iterable<Violation> {
  for (const { security, path, name } of settersOf(pod)) {
    if (asObject(security.windowsOptions).hostProcess === true) {
      yield {
        path: `${path}/windowsOptions/hostProcess`,
        message: `${name} is a host process`,
        found: true,
        expected: 'false',
      };
    }
  }
}

function* privilegeEscalation({ containers }: SecuredPod): Iterable<Violation> {
  for (const { security, path, name } of containers) {
    if (security.allowPrivilegeEscalation !== false) {
      yield {
        path: `${path}/securityContext`,
        message: `the container ${name} does not set allowPrivilegeEscalation to false`,
        expected: 'allowPrivilegeEscalation: false',
      };
    }
  }
}

/** Volume types that `restricted` allows. */
const RESTRICTED_VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

function* volumeTypes({ spec }: SecuredPod): Iterable<Violation> {
  for (const { value, path } of objectsAt(spec, '/volumes')) {
    const types = Object.keys(value).filter((key) => key !== 'name' && isObject(value[key]));
    // The server makes an emptyDir of a volume without a type.
    const [type] = types;
    if (type !== undefined && !types.some((one) => RESTRICTED_VOLUMES.includes(one))) {
      yield {
        path: `/spec${path}/${type}`,
        message: `the pod mounts a ${type} volume`,
        found: type,
        expected: RESTRICTED_VOLUMES.join(', '),
      };
    }
  }
}

function* runAsNonRoot({ security, containers }: SecuredPod): Iterable<Violation> {
  if (security.runAsNonRoot === false) {
    yield {
      path: '/spec/securityContext/runAsNonRoot',
      message: 'the pod may run as root',
      found: false,
      expected: 'true',
    };
  }
  for (const { security: own, path, name } of containers) {
    if ((isSet(own.runAsNonRoot) ? own.runAsNonRoot : security.runAsNonRoot) !== true) {
      yield {
        path: `${path}/securityContext`,
        message: `the container ${name} may run as root`,
        expected: 'runAsNonRoot: true',
      };
    }
  }
}

function* runAsUser(pod: SecuredPod): Iterable<Violation> {
  for (const { security, path, name } of settersOf(pod)) {
    if (security.runAsUser === 0) {
      yield { path: `${path}/runAsUser`, message: `${name} runs as root`, found: 0, expected: 'another user' };
    }
  }
}

const capabilitiesBaseline: Find = (pod) =>
  addedCapabilities(
    pod,
    (capability) => DEFAULT_CAPABILITIES.has(capability),
    'only the default capabilities of the runtime',
  );

const always = (find: Find): readonly Revision[] => [{ since: 0, find }];

export const POD_SECURITY_CHECKS: readonly PodSecurityCheck[] = [
  { id: 'appArmorProfile', level: 'baseline', revisions: always(appArmor) },
  { id: 'capabilities_baseline', level: 'baseline', revisions: always(capabilitiesBaseline) },
  { id: 'hostNamespaces', level: 'baseline', revisions: always(hostNamespaces) },
  { id: 'hostPathVolumes', level: 'baseline', revisions: always(hostPaths) },
  { id: 'hostPorts', level: 'baseline', revisions: always(hostPorts) },
  { id: 'hostProbesAndHostLifecycle', level: 'baseline', revisions: [{ since: 34, find: hostProbes }] },
  { id: 'privileged', level: 'baseline', revisions: always(privileged) },
  {
    id: 'procMount',
    level: 'baseline',
    revisions: [
      { since: 0, find: procMount },
      { since: 35, find: unless(hasUserNamespace, procMount) },
    ],
  },
  {
    id: 'seLinuxOptions',
    level: 'baseline',
    revisions: [
      { since: 0, find: seLinux('container_t', 'container_init_t', 'container_kvm_t') },
      { since: 31, find: seLinux('container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t') },
    ],
  },
  {
    id: 'seccompProfile_baseline',
    level: 'baseline',
    revisions: [
      { since: 0, find: seccompAnnotations },
      { since: 19, find: seccompBaseline },
    ],
  },
  {
    id: 'sysctls',
    level: 'baseline',
    revisions: [
      { since: 0, find: sysctls(SYSCTLS_1_0) },
      { since: 27, find: sysctls(SYSCTLS_1_27) },
      { since: 29, find: sysctls(SYSCTLS_1_29) },
      { since: 32, find: sysctls(SYSCTLS_1_32) },
    ],
  },
  { id: 'windowsHostProcess', level: 'baseline', revisions: always(windowsHostProcess) },
  {
    id: 'allowPrivilegeEscalation',
    level: 'restricted',
    revisions: [
      { since: 8, find: privilegeEscalation },
      { since: 25, find: unless(isWindows, privilegeEscalation) },
    ],
  },
  {
    id: 'capabilities_restricted',
    level: 'restricted',
    overrides: 'capabilities_baseline',
    revisions: [
      { since: 22, find: capabilitiesRestricted },
      { since: 25, find: unless(isWindows, capabilitiesRestricted) },
    ],
  },
  {
    id: 'procMount_restricted',
    level: 'restricted',
    overrides: 'procMount',
    revisions: [{ since: 35, find: procMount }],
  },
  { id: 'restrictedVolumes', level: 'restricted', overrides: 'hostPathVolumes', revisions: always(volumeTypes) },
  {
    id: 'runAsNonRoot',
    level: 'restricted',
    revisions: [
      { since: 0, find: runAsNonRoot },
      { since: 35, find: unless(hasUserNamespace, runAsNonRoot) },
    ],
  },
  {
    id: 'runAsUser',
    level: 'restricted',
    revisions: [
      { since: 23, find: runAsUser },
      { since: 35, find: unless(hasUserNamespace, runAsUser) },
    ],
  },
  {
    id: 'seccompProfile_restricted',
    level: 'restricted',
    overrides: 'seccompProfile_baseline',
    revisions: [
      { since: 19, find: seccompRestricted },
      { since: 25, find: unless(isWindows, seccompRestricted) },
    ],
  },
];
