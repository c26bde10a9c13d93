/**
 * Security settings: a fault for each rule, made in a pod that is otherwise valid.
 */
import { main, type PodFault } from './pod-fault';

export const POD_SECURITY_FAULTS: readonly PodFault[] = [
  ['security-context-ids-valid', 'a negative user', (spec) => (spec.securityContext = { runAsUser: -1 })],
  [
    'security-context-consistent',
    'privileged without escalation',
    (spec) => (main(spec).securityContext = { privileged: true, allowPrivilegeEscalation: false }),
  ],
  [
    'seccomp-profile-valid',
    'Localhost without a file',
    (spec) => (spec.securityContext = { seccompProfile: { type: 'Localhost' } }),
  ],
  [
    'apparmor-profile-valid',
    'a name without Localhost',
    (spec) => (spec.securityContext = { appArmorProfile: { type: 'RuntimeDefault', localhostProfile: 'x' } }),
  ],
  [
    'sysctl-valid',
    'an uppercase name',
    (spec) => (spec.securityContext = { sysctls: [{ name: 'NET.core', value: '1' }] }),
  ],
  [
    'sysctl-valid',
    'a network sysctl of the host',
    (spec) => {
      spec.hostNetwork = true;
      main(spec).ports = [];
      spec.securityContext = { sysctls: [{ name: 'net/core/somaxconn', value: '1' }] };
    },
  ],
  [
    'pod-security-policies-valid',
    'a wrong word',
    (spec) => (spec.securityContext = { fsGroupChangePolicy: 'Sometimes' }),
  ],
  [
    'host-namespaces-consistent',
    'hostPID with a shared namespace',
    (spec) => {
      spec.hostPID = true;
      spec.shareProcessNamespace = true;
    },
  ],
  ['os-settings-consistent', 'Windows options on Linux', (spec) => (spec.securityContext = { windowsOptions: {} })],
  [
    'windows-options-valid',
    'a user with a bracket',
    (spec) => (spec.securityContext = { windowsOptions: { runAsUserName: 'a[b' } }),
  ],
  [
    'windows-host-process-consistent',
    'no host network',
    (spec) => {
      delete spec.os;
      spec.securityContext = { windowsOptions: { hostProcess: true } };
    },
  ],
];
