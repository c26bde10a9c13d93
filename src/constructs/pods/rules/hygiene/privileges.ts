/**
 * Containers with more rights on the node than anything in the pod asks for.
 */
import { type JsonObject } from '../../../../facts/api/schema';
import { type Rule } from '../../../../checks/rules/rule';
import { asArray, asInteger, asObject, objectsAt, stringsIn } from '../../../../manifests/read';
import { containersIn, hostPathsOf, hygieneRule, type PodContainer } from './hygiene-rule';

const POD_SECURITY = 'Kubernetes 1.36, Pod Security Standards; kube-linter, privileged-container and run-as-non-root';

/** Programs that change the node or the network of the pod, and need the rights for it. */
const CHANGES_THE_NODE =
  /(^|[\s;&|/"'])(sysctl|modprobe|insmod|rmmod|nsenter|chroot|mount|umount|ulimit|iptables|nft|ip link|ip route|tc|nvidia-smi)\s/;

function commandOf({ value }: PodContainer): string {
  return [...stringsIn(value.command), ...stringsIn(value.args)].join(' ');
}

function sharesTheNode(spec: JsonObject): boolean {
  return ['hostPID', 'hostIPC', 'hostNetwork'].some((field) => spec[field] === true);
}

/** Something in the pod that needs rights on the node: a directory or a namespace of it, or a program that changes it. */
function worksOnNode(container: PodContainer, spec: JsonObject): boolean {
  return (
    sharesTheNode(spec) || hostPathsOf(container, spec).length > 0 || CHANGES_THE_NODE.test(`${commandOf(container)} `)
  );
}

const notPrivileged = hygieneRule(
  'privileged-for-a-reason',
  {
    concerns: ['privileged'],
    summary: 'A container should be privileged only if it works on the node.',
    why: 'A privileged container has all rights on the node, and all its devices. An accelerator needs no privileges: the device plugin adds the devices.',
    fix: 'Remove securityContext.privileged, and list the capabilities that the program needs in securityContext.capabilities.add.',
    source: POD_SECURITY,
  },
  function* ({ spec }) {
    for (const container of containersIn(spec)) {
      if (container.security.privileged === true && !worksOnNode(container, spec)) {
        yield {
          path: `${container.path}/securityContext/privileged`,
          message: `${container.title} is privileged, but nothing in the pod needs access to the node`,
          found: true,
          expected: 'unset',
        };
      }
    }
  },
);

function addedCapabilities({ security }: PodContainer): readonly string[] {
  return stringsIn(asObject(security.capabilities).add);
}

/** Each of them is enough to take over the node. `CAP_` may precede a name. */
const NODE_WIDE = /^(CAP_)?(ALL|SYS_ADMIN|SYS_MODULE|SYS_RAWIO)$/i;

const capabilityForReason = hygieneRule(
  'capability-for-a-reason',
  {
    concerns: ['capabilities'],
    summary:
      'A container should add the capabilities ALL, SYS_ADMIN, SYS_MODULE, and SYS_RAWIO only if it works on the node.',
    why: 'Each of them gives a container as many rights on the node as privileged does.',
    fix: 'Remove the capability from securityContext.capabilities.add, or replace it with the ones that the program needs.',
    source: 'Kubernetes 1.36, Pod Security Standards; capabilities(7)',
  },
  function* ({ spec }) {
    for (const container of containersIn(spec)) {
      if (container.security.privileged === true || worksOnNode(container, spec)) {
        continue;
      }
      for (const [index, capability] of asArray(asObject(container.security.capabilities).add).entries()) {
        if (typeof capability === 'string' && NODE_WIDE.test(capability)) {
          yield {
            path: `${container.path}/securityContext/capabilities/add/${index}`,
            message: `${container.title} has the capability ${capability}, but nothing in the pod needs access to the node`,
            found: capability,
          };
        }
      }
    }
  },
);

const notRoot = hygieneRule(
  'runs-as-non-root',
  {
    concerns: ['containers'],
    summary: 'A container should run as a user other than root, unless it needs access to the node.',
    why: 'A program that breaks out of its container as root is root on the node.',
    fix: 'Set securityContext.runAsNonRoot: true; if the image runs as root, also set securityContext.runAsUser to a user ID such as 1000.',
    source: POD_SECURITY,
  },
  function* ({ spec }) {
    const pod = asObject(spec.securityContext);
    // In a user namespace, root of the container is nobody on the node.
    if (asObject(spec.os).name === 'windows' || spec.hostUsers === false) {
      return;
    }
    for (const container of containersIn(spec)) {
      const { security, path, title } = container;
      const user = asInteger(security.runAsUser ?? pod.runAsUser);
      const isOther = user === undefined ? (security.runAsNonRoot ?? pod.runAsNonRoot) === true : user !== 0;
      if (
        isOther ||
        security.privileged === true ||
        addedCapabilities(container).length > 0 ||
        worksOnNode(container, spec)
      ) {
        continue;
      }
      yield {
        path: security.runAsUser === 0 ? `${path}/securityContext/runAsUser` : `${path}/securityContext`,
        message:
          user === 0
            ? `${title} runs as root, but nothing in the pod needs access to the node`
            : `${title} may run as root: neither runAsNonRoot nor runAsUser is set`,
        ...(user === 0 ? { found: 0 } : {}),
        expected: 'runAsNonRoot: true',
        ...(user === 0
          ? {
              fix: 'Set securityContext.runAsUser to a user ID greater than 0, such as 1000, and set securityContext.runAsNonRoot: true.',
            }
          : {}),
      };
    }
  },
);

/** `/`, `//`, `/./` and `/a/..` are all the root of the node. */
function isRoot(path: string): boolean {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') {
      parts.pop();
    } else if (part !== '' && part !== '.') {
      parts.push(part);
    }
  }
  return path.startsWith('/') && parts.length === 0;
}

const hostRootNotMounted = hygieneRule(
  'host-root-not-mounted',
  {
    concerns: ['hostPath'],
    summary: 'A pod should mount only the directories of the node that it needs, and not all of them.',
    why: 'The container can read the credentials of the kubelet and of every pod on the node; unless the mount is read-only, it can change the node.',
    fix: 'Set hostPath.path to the directory that the program needs, such as /var/log.',
    source: 'Kubernetes 1.36, Pod Security Standards; kube-linter, sensitive-host-mounts',
  },
  function* ({ spec }) {
    for (const { value, path } of objectsAt(spec, '/volumes')) {
      const hostPath = asObject(value.hostPath);
      if (typeof hostPath.path !== 'string' || !isRoot(hostPath.path)) {
        continue;
      }
      const writable = containersIn(spec).some(({ value: container }) =>
        asArray(container.volumeMounts)
          .map(asObject)
          .some((mount) => mount.name === value.name && mount.readOnly !== true),
      );
      yield {
        path: `/spec${path}/hostPath/path`,
        message: `the pod mounts the whole file system of the node${writable ? ' with write access' : ''}`,
        found: hostPath.path,
        expected: 'a directory below /',
      };
    }
  },
);

export const privilegeRules: readonly Rule[] = [notPrivileged, capabilityForReason, notRoot, hostRootNotMounted];
