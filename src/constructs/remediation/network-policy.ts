/**
 * The connections of remediation: Prometheus and Alertmanager to its port, the API server, and DNS.
 */
import { type ApiObjectMetadata } from 'cdk8s';
import { type NetworkPolicyPeer, type NetworkPolicySpec } from '../../facts/api/types/networking.k8s.io/v1';
import { HTTP_PORT_NAME } from './pod';

export interface RemediationNetworkPolicy {
  readonly metadata: ApiObjectMetadata;
  readonly spec: NetworkPolicySpec;
}

export function remediationNetworkPolicy(
  metadata: ApiObjectMetadata,
  pods: Readonly<Record<string, string>>,
  from: readonly NetworkPolicyPeer[],
  apiServerPorts: readonly number[],
): RemediationNetworkPolicy {
  return {
    metadata,
    spec: {
      podSelector: { matchLabels: pods },
      policyTypes: ['Ingress', 'Egress'],
      // An empty list of peers admits every address, and no rule admits none.
      ingress: from.length === 0 ? [] : [{ from, ports: [{ port: HTTP_PORT_NAME, protocol: 'TCP' }] }],
      // A policy cannot select the API server, which is not a pod, so its ports are open to every address.
      egress: [
        { ports: apiServerPorts.map((number) => ({ port: number, protocol: 'TCP' })) },
        {
          to: [{ namespaceSelector: {} }],
          ports: [
            { port: 53, protocol: 'UDP' },
            { port: 53, protocol: 'TCP' },
          ],
        },
      ],
    },
  };
}
