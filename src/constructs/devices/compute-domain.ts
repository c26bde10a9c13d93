/**
 * ComputeDomain: memory of GPUs in several nodes that reach each other over NVLink (GB200, GB300 racks), for one workload.
 */
import { Construct } from 'constructs';
import { ComputeDomain as ComputeDomainKind } from '../../facts/api/types/resource.nvidia.com/v1beta1';
import { podPart, type PodPart } from '../pods/pod-part';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { type ObjectReference } from '../resources/references';
import { Resource } from '../resources/resource';
import { publicClass } from '../resources/public-class';

/**
 * Props of a ComputeDomain.
 *
 * @beta
 */
export interface ComputeDomainProps extends NamespacedObjectProps, Overridable<ComputeDomainKind> {
  /** Name of the claim template that the driver makes for the domain. @default - `<name>-channel` */
  readonly channelTemplate?: string;
  /** One channel for each pod, or all of a domain. @default Single */
  readonly allocationMode?: 'Single' | 'All';
  /** Nodes after which the domain counts as ready. Deprecated: with DNS names for daemons, the default, nothing waits for it. @default 0 */
  readonly numNodes?: number;
}

/**
 * Cannot be changed once it is made.
 *
 * Rules: `devices/compute-domain-*`. Source: dra-driver-nvidia-gpu, api/nvidia.com/resource/v1beta1/computedomain.go.
 *
 * @beta
 *
 * @example
 * const domain = new devices.ComputeDomain(chart, 'train');
 * new PodTemplate({ image, accelerators: Accelerator.nvidia({ count: 4 }), parts: [domain.channel] });
 */
@publicClass('devices.ComputeDomain')
export class ComputeDomain extends Construct {
  /** Name of the ResourceClaimTemplate that pods claim their channel by. */
  readonly name: string;
  /** The claim template that the driver makes for the domain. */
  readonly channelTemplate: ObjectReference<'ResourceClaimTemplate'>;
  /** The ComputeDomain object. */
  readonly resource: Resource<ComputeDomainKind>;

  constructor(scope: Construct, id: string, props: ComputeDomainProps = {}) {
    super(scope, id);
    this.name = props.name ?? id;
    this.channelTemplate = { kind: 'ResourceClaimTemplate', name: props.channelTemplate ?? `${this.name}-channel` };
    this.resource = new Resource(
      this,
      'Resource',
      ComputeDomainKind,
      {
        metadata: namespacedMetadata(this.name, props),
        spec: {
          numNodes: props.numNodes ?? 0,
          channel: { resourceClaimTemplate: { name: this.channelTemplate.name }, allocationMode: props.allocationMode },
        },
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace);
  }

  /** The part of a pod that joins the domain: a claim for a channel. Pods must be of the same namespace. */
  get channel(): PodPart {
    const name = 'compute-domain-channel';
    return podPart({
      claims: [{ name }],
      pod: { resourceClaims: [{ name, resourceClaimTemplateName: this.channelTemplate.name }] },
      references: [this.resource],
    });
  }
}
