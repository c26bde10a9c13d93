/**
 * Names and hosts: a fault for each rule, made in a pod that is otherwise valid.
 */
import { type PodFault } from './pod-fault';

export const POD_NAMES_FAULTS: readonly PodFault[] = [
  ['pod-reference-name-valid', 'an empty runtime class', (spec) => (spec.runtimeClassName = '')],
  ['pod-host-name-valid', 'an uppercase host name', (spec) => (spec.hostname = 'Rank0')],
  ['host-alias-valid', 'no address', (spec) => (spec.hostAliases = [{ ip: 'here' }])],
  [
    'dns-config-valid',
    'None without name servers',
    (spec) => {
      spec.dnsPolicy = 'None';
      delete spec.dnsConfig;
    },
  ],
];
