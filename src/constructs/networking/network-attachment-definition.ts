/**
 * NetworkAttachmentDefinition: a network that pods attach to beside the cluster's, with the device that belongs to it.
 */
import { embedded } from '../../manifests/values/deferred';
import { Construct } from 'constructs';
import { NetworkAttachmentDefinition as AttachmentKind } from '../../facts/api/types/k8s.cni.cncf.io/v1';
import { NETWORK_RESOURCE_ANNOTATION } from '../../facts/catalog';
import { type Fabric, type RdmaNetwork } from '../pods';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { type Cni } from './cni';
import { type DeviceReference, deviceResourceOf } from './device-reference';
import { publicClass } from '../resources/public-class';

/** Props of a NetworkAttachmentDefinition. */
export interface NetworkAttachmentDefinitionProps extends NamespacedObjectProps, Overridable<AttachmentKind> {
  /** The CNI plugin that attaches pods. */
  readonly cni: Cni;
  /**
   * The device that a pod asks for beside the attachment: virtual functions of a policy, a share of a device, or a resource name. Virtual
   * functions are tied to the attachment by an annotation, so that Multus passes on the right one.
   * @default - none
   */
  readonly device?: DeviceReference;
  /** Version of the CNI specification that the configuration follows. @default '1.0.0' */
  readonly cniVersion?: '0.3.1' | '0.4.0' | '1.0.0' | '1.1.0';
  /** The fabric for NCCL. @default - what the plugin creates: `sriov` and `macvlan` are RoCE, `ib-sriov` and `ipoib` InfiniBand */
  readonly fabric?: Fabric;
}

/**
 * Rules: `networking/cni-*`. Sources: network-attachment-definition-client, multus-cni v4.2.2.
 *
 * @example
 * const network = new networking.NetworkAttachmentDefinition(chart, 'rdma', {
 *   device: 'nvidia.com/mlx5_rdma', cni: networking.Cni.sriov({ ipam: networking.Ipam.whereabouts({ range: '192.168.100.0/24' }) }),
 * });
 * new PodTemplate({ image, rdma: Rdma.over(network, { count: 8 }) });
 */
@publicClass('networking.NetworkAttachmentDefinition')
export class NetworkAttachmentDefinition extends Construct implements RdmaNetwork {
  /** The NetworkAttachmentDefinition object. */
  readonly resource: Resource<AttachmentKind>;
  readonly deviceResource: string | undefined;
  readonly fabric: Fabric | undefined;

  constructor(scope: Construct, id: string, props: NetworkAttachmentDefinitionProps) {
    super(scope, id);
    const { cni, device, cniVersion = '1.0.0' } = props;
    this.deviceResource = device === undefined ? undefined : deviceResourceOf(device);
    this.fabric = props.fabric ?? cni.fabric;
    // A plugin cannot take a share as its device.
    const tied = this.deviceResource !== undefined && !this.deviceResource.startsWith('rdma/');
    const name = props.name ?? id;
    this.resource = new Resource(
      this,
      'Resource',
      AttachmentKind,
      {
        metadata: namespacedMetadata(id, {
          ...props,
          annotations: {
            ...(tied ? { [NETWORK_RESOURCE_ANNOTATION]: this.deviceResource ?? '' } : {}),
            ...props.annotations,
          },
        }),
        spec: { config: embedded(cni.toConfig(name, cniVersion), (config) => JSON.stringify(config)) },
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace, typeof device === 'object' ? device : undefined);
  }

  get name(): string {
    return this.resource.name;
  }

  get networkNamespace(): string | undefined {
    return this.resource.metadata.namespace;
  }
}
