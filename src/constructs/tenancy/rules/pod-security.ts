/**
 * Pod security: what a namespace's level will refuse of the pods that are meant for it.
 *
 * Of the level's checks these are the ones that GPU workloads meet: host namespaces, privileged containers, capabilities (RDMA adds
 * IPC_LOCK), host paths and ports; and for `restricted` the fields that every container must set.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type Rule, type Violation } from '../../../checks/rule';
import { type PodTemplate } from '../../../manifests/pod-template';
import { asArray, asObject, asString, isObject, objectsAt, stringsIn } from '../../../manifests/read';
import { containersOf } from '../../../manifests/pod-amounts';

/** The label of a namespace that names its level. */
export const POD_SECURITY_LABEL = 'pod-security.kubernetes.io/enforce';

/** Capabilities that `baseline` lets containers add. */
const BASELINE_CAPABILITIES = new Set([
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

const levelAllows: Rule = {
  id: 'tenancy/pod-security-level-allows',
  on: 'pod-template',
  sees: 'namespace',
  tier: 'advice',
  severity: 'error',
  summary: 'Pods must comply with the pod security level that their namespace enforces.',
  why: 'The workload is accepted with a warning, but its pods are rejected. RDMA pods add IPC_LOCK, which even `baseline` rejects.',
  source: 'Kubernetes 1.36, k8s.io/pod-security-admission/policy',
  fix: 'Set the label pod-security.kubernetes.io/enforce of the namespace to a higher level (`privileged` for RDMA and host network), or change the pod.',
  *check(template, { set }) {
    const namespace = set.get('Namespace', template.manifest.id.namespace);
    const level = asString(asObject(asObject(namespace?.object.metadata).labels)[POD_SECURITY_LABEL]);
    if (level !== 'baseline' && level !== 'restricted') {
      return;
    }
    for (const violation of [
      ...beyondBaseline(template, level),
      ...(level === 'restricted' ? beyondRestricted(template) : []),
    ]) {
      yield {
        ...violation,
        message: `${violation.message}, but the namespace ${template.manifest.id.namespace} enforces ${level}`,
      };
    }
  },
};

function* beyondBaseline({ spec }: PodTemplate, level: 'baseline' | 'restricted'): Iterable<Violation> {
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC'] as const) {
    if (spec[field] === true) {
      yield { path: `/spec/${field}`, message: `the pod sets ${field}`, found: true, expected: `no ${field}` };
    }
  }
  for (const { value: volume, index } of objectsAt(spec, '/volumes')) {
    if (isObject(volume.hostPath)) {
      yield {
        path: `/spec/volumes/${index}/hostPath`,
        message: 'the pod mounts a hostPath volume',
        expected: 'no hostPath',
      };
    }
  }
  for (const { container, path, name, security } of containersWithSecurity(spec)) {
    if (security.privileged === true) {
      yield {
        path: `${path}/securityContext/privileged`,
        message: `the container ${name} is privileged`,
        found: true,
        expected: 'false',
      };
    }
    const added = stringsIn(asObject(security.capabilities).add);
    const allowed = (capability: string): boolean =>
      level === 'baseline' ? BASELINE_CAPABILITIES.has(capability) : capability === 'NET_BIND_SERVICE';
    const forbidden = added.filter((capability) => !allowed(capability));
    if (forbidden.length > 0) {
      yield {
        path: `${path}/securityContext/capabilities/add`,
        message: `the container ${name} adds ${forbidden.join(', ')}`,
        found: forbidden,
        expected: level === 'baseline' ? 'only the default capabilities of the runtime' : 'at most NET_BIND_SERVICE',
      };
    }
    for (const { value: port, index } of objectsAt(container, '/ports')) {
      if (typeof port.hostPort !== 'number' || port.hostPort === 0) {
        continue;
      }
      const message = `the container ${name} uses the host port ${port.hostPort}`;
      yield { path: `${path}/ports/${index}/hostPort`, message, found: port.hostPort, expected: 'no hostPort' };
    }
  }
}

function* beyondRestricted({ spec }: PodTemplate): Iterable<Violation> {
  if (asObject(spec.os).name === 'windows') {
    return;
  }
  const pod = asObject(spec.securityContext);
  for (const { value: volume, index } of objectsAt(spec, '/volumes')) {
    const type = Object.keys(volume).find((key) => key !== 'name');
    if (type === undefined || type === 'hostPath' || RESTRICTED_VOLUMES.includes(type)) {
      continue;
    }
    yield {
      path: `/spec/volumes/${index}/${type}`,
      message: `the pod mounts a ${type} volume`,
      found: type,
      expected: RESTRICTED_VOLUMES.join(', '),
    };
  }
  for (const { path, name, security } of containersWithSecurity(spec)) {
    const at = `${path}/securityContext`;
    if (security.allowPrivilegeEscalation !== false) {
      yield {
        path: at,
        message: `the container ${name} does not set allowPrivilegeEscalation to false`,
        expected: 'allowPrivilegeEscalation: false',
      };
    }
    if (!stringsIn(asObject(security.capabilities).drop).includes('ALL')) {
      yield {
        path: at,
        message: `the container ${name} does not drop all capabilities`,
        expected: 'capabilities: { drop: [ALL] }',
      };
    }
    if ((security.runAsNonRoot ?? pod.runAsNonRoot) !== true) {
      yield { path: at, message: `the container ${name} may run as root`, expected: 'runAsNonRoot: true' };
    }
    const seccomp = asString(asObject(security.seccompProfile).type) ?? asString(asObject(pod.seccompProfile).type);
    if (seccomp !== 'RuntimeDefault' && seccomp !== 'Localhost') {
      yield {
        path: at,
        message: `the container ${name} has no seccomp profile`,
        expected: 'seccompProfile: { type: RuntimeDefault }',
      };
    }
  }
}

interface SecuredContainer {
  readonly container: JsonObject;
  /** JSON pointer from the template. */
  readonly path: string;
  readonly name: string;
  readonly security: JsonObject;
}

function containersWithSecurity(spec: JsonObject): readonly SecuredContainer[] {
  const ephemeral = asArray(spec.ephemeralContainers).flatMap((container, index) =>
    isObject(container) ? [{ container, path: `/ephemeralContainers/${index}` }] : [],
  );
  return [...containersOf(spec), ...ephemeral].map(({ container, path }) => ({
    container,
    path: `/spec${path}`,
    name: asString(container.name) ?? '(no name)',
    security: asObject(container.securityContext),
  }));
}

export const podSecurityRules: readonly Rule[] = [levelAllows];
