/**
 * Security settings of pods and containers: ids in range, profiles complete, and combinations that contradict each other.
 */
import { oneOf } from '../../../facts/words';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { fieldOf } from '../../../manifests/pointer';
import { asObject, isObject } from '../../../manifests/read';
import { nameFix } from '../../rules/name-fix';
import { type Rule } from '../../rules/rule';
import { type PodView } from '../pod-view';
import { podRule, type Say, since } from '../server-rule';
import { dnsSubdomain, userOrGroupId } from '../../../manifests/values/name-syntax';
import { given, itemsOf, text, whole } from '../values';
import { relativePath } from './paths';

const SECCOMP = ['Localhost', 'RuntimeDefault', 'Unconfined'];

/** Localhost requires a profile of the node, and the other types exclude one. */
const profileTypesFor = (localhostProfile: JsonValue | undefined): readonly string[] =>
  SECCOMP.filter((type) => (type === 'Localhost') === given(localhostProfile));
const SYSCTL_PATTERN = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const WINDOWS_FORBIDS_IN_CONTAINER = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];
const WINDOWS_FORBIDS_IN_POD = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
];

export const securityRules: readonly Rule[] = [
  podRule(
    'security-context-ids-valid',
    {
      concerns: ['fsGroup', 'runAsUser', 'runAsGroup', 'supplementalGroups'],
      summary: 'User and group ids must be between 0 and 2147483647.',
      fix: 'Set runAsUser, runAsGroup, fsGroup, or supplementalGroups to an id from 0 to 2147483647.',
    },
    (pod, say) => {
      const check = (context: JsonObject, path: string, fields: readonly string[]): void => {
        for (const field of fields) {
          const id = whole(context[field]);
          const complaint = id === undefined ? undefined : userOrGroupId(id);
          if (complaint !== undefined) {
            say(`${path}/${field}`, `${field} must ${complaint}`);
          }
        }
      };
      check(pod.securityContext, '/spec/securityContext', ['fsGroup', 'runAsUser', 'runAsGroup']);
      if (Array.isArray(pod.securityContext.supplementalGroups)) {
        pod.securityContext.supplementalGroups.forEach((group, index) => {
          if (typeof group === 'number' && userOrGroupId(group) !== undefined) {
            say(`/spec/securityContext/supplementalGroups/${index}`, `${group} is not a valid group id`, {
              expected: '0-2147483647',
            });
          }
        });
      }
      for (const { context, path } of contextsOf(pod)) {
        check(context, path, ['runAsUser', 'runAsGroup']);
      }
    },
  ),

  podRule(
    'security-context-consistent',
    {
      concerns: ['allowPrivilegeEscalation', 'procMount'],
      summary:
        'A privileged container must allow privilege escalation, and an unmasked /proc requires a user namespace.',
      fix: 'Remove allowPrivilegeEscalation: false, or privileged: true.',
    },
    (pod, say) => {
      for (const { context, path } of contextsOf(pod)) {
        if (context.allowPrivilegeEscalation === false) {
          if (context.privileged === true) {
            say(path, 'allowPrivilegeEscalation must not be false when privileged is true', {
              fix: `Remove allowPrivilegeEscalation from ${fieldOf(path)}, or set privileged: false.`,
            });
          }
          const added = asObject(context.capabilities).add;
          if (Array.isArray(added) && added.includes('CAP_SYS_ADMIN')) {
            say(path, 'allowPrivilegeEscalation must not be false when capabilities.add contains CAP_SYS_ADMIN', {
              fix: `Remove allowPrivilegeEscalation from ${fieldOf(path)}, or CAP_SYS_ADMIN from capabilities.add.`,
            });
          }
        }
        if (typeof context.procMount === 'string') {
          if (!['Default', 'Unmasked'].includes(context.procMount)) {
            say(`${path}/procMount`, `unsupported value "${context.procMount}" for procMount`, {
              expected: 'Default or Unmasked',
            });
          } else if (context.procMount === 'Unmasked' && pod.spec.hostUsers !== false) {
            say(`${path}/procMount`, 'procMount Unmasked requires hostUsers: false', {
              fix: 'Set hostUsers: false in the spec of the pod, or remove procMount.',
            });
          }
        }
      }
    },
  ),

  podRule(
    'seccomp-profile-valid',
    {
      concerns: ['seccompProfile'],
      summary:
        "A seccomp profile must be RuntimeDefault, Unconfined, or Localhost with a file inside the kubelet's directory.",
      fix: 'Set seccompProfile.type, and localhostProfile only with Localhost.',
    },
    (pod, say) => {
      for (const { context, path } of [
        { context: pod.securityContext, path: '/spec/securityContext' },
        ...contextsOf(pod),
      ]) {
        if (!isObject(context.seccompProfile)) {
          continue;
        }
        const at = `${path}/seccompProfile`;
        const { type, localhostProfile } = context.seccompProfile;
        if (!SECCOMP.includes(text(type))) {
          say(`${at}/type`, text(type) === '' ? 'the profile must have a type' : `unsupported type "${text(type)}"`, {
            expected: oneOf(profileTypesFor(localhostProfile)),
          });
        }
        if (type === 'Localhost') {
          if (!given(localhostProfile)) {
            say(`${at}/localhostProfile`, 'localhostProfile must be set when type is Localhost');
          }
          const complaint = relativePath(text(localhostProfile));
          if (complaint !== undefined) {
            say(`${at}/localhostProfile`, `localhostProfile must ${complaint}`);
          }
        } else if (given(localhostProfile)) {
          say(`${at}/localhostProfile`, 'localhostProfile must not be set unless type is Localhost');
        }
      }
    },
  ),

  podRule(
    'apparmor-profile-valid',
    {
      concerns: ['appArmorProfile'],
      summary: 'An AppArmor profile must be RuntimeDefault, Unconfined, or Localhost with a profile name.',
      fix: 'Set appArmorProfile.type, and localhostProfile only with Localhost.',
    },
    (pod, say) => {
      for (const { context, path } of [
        { context: pod.securityContext, path: '/spec/securityContext' },
        ...contextsOf(pod),
      ]) {
        if (!isObject(context.appArmorProfile)) {
          continue;
        }
        const at = `${path}/appArmorProfile`;
        const { type, localhostProfile } = context.appArmorProfile;
        if (!SECCOMP.includes(text(type))) {
          say(`${at}/type`, text(type) === '' ? 'the profile must have a type' : `unsupported type "${text(type)}"`, {
            expected: oneOf(profileTypesFor(localhostProfile)),
          });
        } else if (type !== 'Localhost') {
          if (given(localhostProfile)) {
            say(`${at}/localhostProfile`, 'localhostProfile must not be set unless type is Localhost');
          }
        } else {
          const profile = text(localhostProfile);
          if (profile.trim() === '') {
            say(`${at}/localhostProfile`, 'localhostProfile must be set when type is Localhost');
          } else if (profile !== profile.trim()) {
            say(`${at}/localhostProfile`, 'localhostProfile must not have leading or trailing white space');
          } else if (Buffer.byteLength(profile) > 4095) {
            say(`${at}/localhostProfile`, 'localhostProfile must have no more than 4095 characters');
          }
        }
      }
    },
  ),

  podRule(
    'sysctl-valid',
    {
      concerns: ['sysctls'],
      summary:
        "A sysctl must have a valid name, be unique, and not be the host's own (net.* on the host network, kernel IPC with hostIPC).",
      fix: 'Set the full name of the sysctl, such as net.core.somaxconn, in securityContext.sysctls, or remove the entry.',
    },
    (pod, say) => {
      const seen = new Set<string>();
      for (const { value, path } of itemsOf(pod.securityContext.sysctls, '/spec/securityContext/sysctls')) {
        const name = text(value.name);
        if (name === '') {
          say(`${path}/name`, 'the sysctl must have a name');
        } else if (name.length > 253 || !SYSCTL_PATTERN.test(name)) {
          say(`${path}/name`, `"${name}" is not a valid sysctl name`);
        } else if (seen.has(name)) {
          say(`${path}/name`, `duplicate sysctl "${name}"`);
        }
        seen.add(name);
        const dotted = sysctlInDots(name);
        if (pod.hostNetwork && dotted.startsWith('net.')) {
          say(`${path}/name`, `the sysctl "${name}" must not be set when hostNetwork is true`);
        }
        if (pod.spec.hostIPC === true && isIpcSysctl(dotted)) {
          say(`${path}/name`, `the sysctl "${name}" must not be set when hostIPC is true`);
        }
      }
    },
  ),

  podRule(
    'pod-security-policies-valid',
    {
      concerns: ['fsGroupChangePolicy', 'supplementalGroupsPolicy', 'seLinuxChangePolicy'],
      summary:
        'fsGroupChangePolicy, supplementalGroupsPolicy, and seLinuxChangePolicy must have supported values (MountOption requires a feature gate).',
      fix: 'Set fsGroupChangePolicy, supplementalGroupsPolicy, or seLinuxChangePolicy to a supported value.',
    },
    (pod, say, context) => {
      const known: readonly (readonly [string, readonly string[], number])[] = [
        ['fsGroupChangePolicy', ['Always', 'OnRootMismatch'], 0],
        ['supplementalGroupsPolicy', ['Merge', 'Strict'], 33],
        ['seLinuxChangePolicy', ['Recursive'], 33],
      ];
      for (const [field, values, minor] of known) {
        const value = pod.securityContext[field];
        if (since(context, minor) && typeof value === 'string' && !values.includes(value)) {
          say(`/spec/securityContext/${field}`, `unsupported value "${value}" for ${field}`, {
            expected: oneOf(values),
          });
        }
      }
    },
  ),

  podRule(
    'host-namespaces-consistent',
    {
      concerns: ['shareProcessNamespace', 'hostUsers'],
      summary:
        'shareProcessNamespace must not be set with hostPID, and a pod with its own user namespace must not use namespaces of the host.',
      fix: 'Remove shareProcessNamespace or hostPID, or set hostUsers: true.',
    },
    (pod, say, context) => {
      if (pod.spec.shareProcessNamespace === true && pod.spec.hostPID === true) {
        say('/spec/shareProcessNamespace', 'shareProcessNamespace must not be set when hostPID is set');
      }
      if (pod.spec.hostUsers !== false || !since(context, 33)) {
        return;
      }
      for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) {
        if (pod.spec[field] === true) {
          say(`/spec/${field}`, `${field} must not be set when hostUsers is false`);
        }
      }
    },
  ),

  podRule(
    'os-settings-consistent',
    {
      concerns: ['os'],
      summary: 'spec.os must be linux or windows, and the pod must not have settings of the other one.',
      fix: 'Remove the Windows settings from a pod with os.name: linux, or the Linux settings from a pod with os.name: windows.',
    },
    (pod, say) => {
      if (!isObject(pod.spec.os)) {
        return;
      }
      const os = text(pod.spec.os.name);
      if (os !== 'linux' && os !== 'windows') {
        say('/spec/os/name', os === '' ? 'os.name must be set' : `unsupported operating system "${os}"`, {
          expected: 'linux or windows',
        });
        return;
      }
      const podForbids = os === 'linux' ? ['windowsOptions'] : WINDOWS_FORBIDS_IN_POD;
      const containerForbids = os === 'linux' ? ['windowsOptions'] : WINDOWS_FORBIDS_IN_CONTAINER;
      for (const field of podForbids) {
        const value = pod.securityContext[field];
        if (given(value) && !(field === 'supplementalGroups' && !Array.isArray(value))) {
          say(`/spec/securityContext/${field}`, `${field} must not be set for a ${osNameOf(os)} pod`);
        }
      }
      if (os === 'windows') {
        checkWindowsPod(pod, say);
      }
      for (const { context, path } of contextsOf(pod)) {
        for (const field of containerForbids) {
          if (given(context[field])) {
            say(`${path}/${field}`, `${field} must not be set for a ${osNameOf(os)} container`);
          }
        }
      }
    },
  ),

  podRule(
    'windows-options-valid',
    {
      concerns: ['windowsOptions'],
      summary:
        'Windows options must name a GMSA credential spec, and a user as [domain\\]name within the limits of Windows.',
      fix: 'Set windowsOptions.gmsaCredentialSpecName and windowsOptions.runAsUserName to valid names.',
    },
    (pod, say) => {
      for (const { context, path } of [
        { context: pod.securityContext, path: '/spec/securityContext' },
        ...contextsOf(pod),
      ]) {
        if (!isObject(context.windowsOptions)) {
          continue;
        }
        const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = context.windowsOptions;
        const at = `${path}/windowsOptions`;
        if (typeof gmsaCredentialSpecName === 'string') {
          const bad = dnsSubdomain(gmsaCredentialSpecName);
          if (bad !== undefined) {
            say(`${at}/gmsaCredentialSpecName`, `gmsaCredentialSpecName must ${bad}`, {
              fix: nameFix(fieldOf(`${at}/gmsaCredentialSpecName`), bad, gmsaCredentialSpecName),
            });
          }
        }
        if (
          typeof gmsaCredentialSpec === 'string' &&
          (gmsaCredentialSpec === '' || gmsaCredentialSpec.length > 64 * 1024)
        ) {
          say(`${at}/gmsaCredentialSpec`, 'gmsaCredentialSpec must be 1 byte to 64 KiB', {
            found: null,
            fix: `Set ${fieldOf(at)}.gmsaCredentialSpec to a string of 1 byte to 64 KiB.`,
          });
        }
        const bad = typeof runAsUserName === 'string' ? windowsUser(runAsUserName) : undefined;
        if (bad !== undefined) {
          say(`${at}/runAsUserName`, `runAsUserName must ${bad}`, {
            fix: nameFix(fieldOf(`${at}/runAsUserName`), bad),
          });
        }
      }
    },
  ),

  podRule(
    'windows-host-process-consistent',
    {
      concerns: ['hostProcess'],
      summary: 'Either all containers of a pod must be Windows host-process containers, on the host network, or none.',
      fix: 'Set windowsOptions.hostProcess on the pod, and hostNetwork: true.',
    },
    (pod, say) => {
      const own = (context: JsonObject): unknown => asObject(context.windowsOptions).hostProcess;
      const ofPod = own(pod.securityContext);
      let count = 0;
      for (const { value, path } of pod.all) {
        const ofContainer = own(asObject(value.securityContext));
        if (typeof ofPod === 'boolean' && typeof ofContainer === 'boolean' && ofPod !== ofContainer) {
          say(
            `${path}/securityContext/windowsOptions/hostProcess`,
            'hostProcess must have the same value as in securityContext of the pod',
          );
        }
        if (ofContainer === true || (typeof ofContainer !== 'boolean' && ofPod === true)) {
          count += 1;
        }
      }
      if (count === 0) {
        return;
      }
      if (count !== pod.all.length) {
        say('/spec', 'either all containers or none must be host-process containers', { found: count });
      }
      if (!pod.hostNetwork) {
        say('/spec/hostNetwork', 'host-process containers require hostNetwork: true');
      }
    },
  ),
];

function contextsOf(pod: PodView): readonly { readonly context: JsonObject; readonly path: string }[] {
  return pod.all.flatMap(({ value, path }) =>
    isObject(value.securityContext) ? [{ context: value.securityContext, path: `${path}/securityContext` }] : [],
  );
}

/** `net/ipv4/ip_forward` is the same sysctl as `net.ipv4.ip_forward`. */
function sysctlInDots(name: string): string {
  const first = /[./]/.exec(name)?.[0];
  return first === '/' ? name.replace(/[./]/g, (separator) => (separator === '/' ? '.' : '/')) : name;
}

/** The sysctls of the IPC namespace. */
function isIpcSysctl(name: string): boolean {
  return (
    /^kernel\.(sem|shm|shmall|shmmax|shmmni|shm_rmid_forced|msg|msgmax|msgmnb|msgmni)$/.test(name) ||
    name.startsWith('fs.mqueue.')
  );
}

/** The operating system as text names it: `Linux` for `linux`. */
const osNameOf = (os: string): string => os.charAt(0).toUpperCase() + os.slice(1);

/** What a Windows user's name would have to be: `[domain\\]user`. */
function windowsUser(name: string): string | undefined {
  if (name === '') {
    return 'not be empty';
  }
  if (/\p{Cc}/u.test(name)) {
    return 'not contain control characters';
  }
  const parts = name.split('\\');
  if (parts.length > 2) {
    return 'contain at most one backslash';
  }
  const user = parts[parts.length - 1] ?? '';
  if (parts.length === 2) {
    const domain = parts[0] ?? '';
    const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/.test(domain);
    const dns =
      /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/.test(
        domain,
      );
    if (domain.length >= 256 || !(netBios || dns)) {
      return 'have a NetBIOS or DNS name before the backslash';
    }
  }
  if (user === '' || user.length > 104) {
    return 'have 1 to 104 characters';
  }
  if (/^[. ]+$/.test(user)) {
    return 'not consist only of dots and spaces';
  }
  return /["/\\:;|=,+*?<>@[\]]/.test(user)
    ? 'not contain any of the characters " / \\ : ; | = , + * ? < > @ [ ]'
    : undefined;
}

/** Settings of Linux outside security contexts. */
function checkWindowsPod(pod: PodView, say: Say): void {
  if (Array.isArray(pod.securityContext.sysctls) && pod.securityContext.sysctls.length > 0) {
    say('/spec/securityContext/sysctls', 'sysctls must not be set for a Windows pod');
  }
  for (const field of ['hostPID', 'hostIPC']) {
    if (pod.spec[field] === true) {
      say(`/spec/${field}`, `${field} must not be set for a Windows pod`);
    }
  }
  for (const field of ['hostUsers', 'shareProcessNamespace']) {
    if (given(pod.spec[field])) {
      say(`/spec/${field}`, `${field} must not be set for a Windows pod`);
    }
  }
}
