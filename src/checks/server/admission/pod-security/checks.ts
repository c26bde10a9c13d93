/**
 * The checks of the Pod Security Standards, each with the versions of the standard that it belongs to.
 *
 * Source: k8s.io/pod-security-admission 0.36, policy/check_*.go.
 */
import { type Revision, type PodSecurityCheck, isWindows, type Find, unless, hasUserNamespace } from './secured-pod';
import {
  hostNamespaces,
  hostPaths,
  privileged,
  hostPorts,
  hostProbes,
  procMount,
  SYSCTLS_1_0,
  sysctls,
  windowsHostProcess,
  volumeTypes,
  SYSCTLS_1_27,
  SYSCTLS_1_29,
  SYSCTLS_1_32,
} from './host';
import { seLinux, appArmor, seccompBaseline, seccompAnnotations, seccompRestricted } from './profiles';
import {
  capabilitiesRestricted,
  capabilitiesBaseline,
  privilegeEscalation,
  runAsNonRoot,
  runAsUser,
} from './privileges';

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
