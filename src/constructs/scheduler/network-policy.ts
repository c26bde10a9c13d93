/**
 * The connections of the scheduler: clients of its page and API, the API server, and DNS.
 */
import { type ApiObjectMetadata } from 'cdk8s';
import { Construct } from 'constructs';
import { NetworkPolicy, type NetworkPolicyPeer } from '../../facts/api/types/networking.k8s.io/v1';
import { Resource } from '../resources/resource';
import { type Overridable } from '../resources/object-props';

export interface SchedulerNetworkPolicyProps extends Overridable<NetworkPolicy> {
  readonly metadata: ApiObjectMetadata;
  readonly pods: Readonly<Record<string, string>>;
  /** @default - every pod of the cluster */
  readonly from?: readonly NetworkPolicyPeer[];
  /** Name of the container's port. */
  readonly port: string;
  /** @default - 443 and 6443 */
  readonly apiServerPorts?: readonly number[];
}

export class SchedulerNetworkPolicy extends Construct {
  readonly resource: Resource<NetworkPolicy>;

  constructor(scope: Construct, id: string, props: SchedulerNetworkPolicyProps) {
    super(scope, id);
    const { metadata, pods, from = [{ namespaceSelector: {} }], port, apiServerPorts = [443, 6443] } = props;
    this.resource = new Resource(
      this,
      'Resource',
      NetworkPolicy,
      {
        metadata,
        spec: {
          podSelector: { matchLabels: pods },
          policyTypes: ['Ingress', 'Egress'],
          ingress: [{ from, ports: [{ port, protocol: 'TCP' }] }],
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
      },
      props.overrides,
    );
  }

  /** Name of the object. */
  get name(): string {
    return this.resource.name;
  }
}
