/**
 * Checks of the Pod Security Standards on capabilities and users.
 *
 * Source: k8s.io/pod-security-admission 0.36, policy/check_*.go.
 */
import { type Violation } from '../../../rules/rule';
import { asObject, stringsIn } from '../../../../manifests/read';
import { type SecuredPod, type Find, settersOf, isSet } from './secured-pod';

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
      const message = `the container "${name}" adds ${forbidden.join(', ')}`;
      yield { path: `${path}/securityContext/capabilities/add`, message, found: forbidden, expected };
    }
  }
}

export function* capabilitiesRestricted(pod: SecuredPod): Iterable<Violation> {
  for (const { security, path, name } of pod.containers) {
    if (!stringsIn(asObject(security.capabilities).drop).includes('ALL')) {
      yield {
        path: `${path}/securityContext`,
        message: `the container "${name}" does not set capabilities.drop: [ALL]`,
        expected: 'capabilities: { drop: [ALL] }',
      };
    }
  }
  yield* addedCapabilities(pod, (capability) => capability === 'NET_BIND_SERVICE', 'at most NET_BIND_SERVICE');
}

export const capabilitiesBaseline: Find = (pod) =>
  addedCapabilities(
    pod,
    (capability) => DEFAULT_CAPABILITIES.has(capability),
    'only the default capabilities of the runtime',
  );

export function* privilegeEscalation({ containers }: SecuredPod): Iterable<Violation> {
  for (const { security, path, name } of containers) {
    if (security.allowPrivilegeEscalation !== false) {
      yield {
        path: `${path}/securityContext`,
        message: `the container "${name}" does not set allowPrivilegeEscalation to false`,
        expected: 'allowPrivilegeEscalation: false',
      };
    }
  }
}

export function* runAsNonRoot({ security, containers }: SecuredPod): Iterable<Violation> {
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
        message: `the container "${name}" may run as root`,
        expected: 'runAsNonRoot: true',
      };
    }
  }
}

export function* runAsUser(pod: SecuredPod): Iterable<Violation> {
  for (const { security, path, name } of settersOf(pod)) {
    if (security.runAsUser === 0) {
      yield {
        path: `${path}/runAsUser`,
        message: `${name} runs as root`,
        found: 0,
        expected: 'a user ID greater than 0',
      };
    }
  }
}
