/**
 * Checks of the Pod Security Standards on what a pod takes from its node: namespaces, paths, ports, volumes, kernel settings.
 *
 * Source: k8s.io/pod-security-admission 0.36, policy/check_*.go.
 */
import { oneOf } from '../../../../facts/words';
import { type JsonObject } from '../../../../facts/api/schema';
import { type Violation } from '../../../rules/rule';
import { asObject, asString, isObject, objectsAt } from '../../../../manifests/read';
import { type SecuredPod, type Find, settersOf, isSet } from './secured-pod';

export function* hostNamespaces({ spec }: SecuredPod): Iterable<Violation> {
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) {
    if (spec[field] === true) {
      yield { path: `/spec/${field}`, message: `the pod sets ${field}`, found: true, expected: `no ${field}` };
    }
  }
}

export function* hostPaths({ spec }: SecuredPod): Iterable<Violation> {
  for (const { value, path } of objectsAt(spec, '/volumes')) {
    if (isObject(value.hostPath)) {
      yield { path: `/spec${path}/hostPath`, message: 'the pod mounts a hostPath volume', expected: 'no hostPath' };
    }
  }
}

export function* privileged({ containers }: SecuredPod): Iterable<Violation> {
  for (const { security, path, name } of containers) {
    if (security.privileged === true) {
      const message = `the container "${name}" is privileged`;
      yield { path: `${path}/securityContext/privileged`, message, found: true, expected: 'false' };
    }
  }
}

export function* hostPorts({ containers }: SecuredPod): Iterable<Violation> {
  for (const { value, path, name } of containers) {
    for (const port of objectsAt(value, '/ports')) {
      const { hostPort } = port.value;
      if (typeof hostPort === 'number' && hostPort !== 0) {
        const message = `the container "${name}" uses the host port ${hostPort}`;
        yield { path: `${path}${port.path}/hostPort`, message, found: hostPort, expected: 'no hostPort' };
      }
    }
  }
}

/** Probes and hooks that ask another host than the pod. */
export function* hostProbes({ containers }: SecuredPod): Iterable<Violation> {
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
          const message = `the container "${name}" sets the host of a probe or hook`;
          yield { path: `${path}${at}/${kind}/host`, message, found: host, expected: 'unset, which is the pod itself' };
        }
      }
    }
  }
}

export function* procMount({ containers }: SecuredPod): Iterable<Violation> {
  for (const { security, path, name } of containers) {
    if (isSet(security.procMount) && security.procMount !== 'Default') {
      const message = `the container "${name}" sets procMount`;
      yield { path: `${path}/securityContext/procMount`, message, found: security.procMount, expected: 'Default' };
    }
  }
}

export const SYSCTLS_1_0 = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
export const SYSCTLS_1_27 = [...SYSCTLS_1_0, 'net.ipv4.ip_local_reserved_ports'];
export const SYSCTLS_1_29 = [
  ...SYSCTLS_1_27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
export const SYSCTLS_1_32 = [...SYSCTLS_1_29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

export const sysctls = (allowed: readonly string[]): Find =>
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

export function* windowsHostProcess(pod: SecuredPod): Iterable<Violation> {
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

export function* volumeTypes({ spec }: SecuredPod): Iterable<Violation> {
  for (const { value, path } of objectsAt(spec, '/volumes')) {
    const types = Object.keys(value).filter((key) => key !== 'name' && isObject(value[key]));
    // The server makes an emptyDir of a volume without a type.
    const [type] = types;
    if (type !== undefined && !types.some((one) => RESTRICTED_VOLUMES.includes(one))) {
      yield {
        path: `/spec${path}/${type}`,
        message: `the pod mounts a volume of type ${type}`,
        found: type,
        expected: oneOf(RESTRICTED_VOLUMES),
      };
    }
  }
}
