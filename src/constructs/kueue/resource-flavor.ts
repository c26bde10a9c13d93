/**
 * ResourceFlavor: one sort of nodes, by their labels, that quotas are given for.
 */
import { Construct } from 'constructs';
import { type Taint, type Toleration } from '../../facts/api/types/core/v1';
import { ResourceFlavor as ResourceFlavorKind } from '../../facts/api/types/kueue.x-k8s.io/v1beta2';
import { dependOn } from '../resources/depend-on';
import { type ClusterObjectProps, clusterMetadata, type Overridable } from '../resources/object-props';
import { type ObjectReference } from '../resources/references';
import { Resource } from '../resources/resource';
import { type TopologyReference } from './topology';
import { publicClass } from '../resources/public-class';

/** Whatever names a flavor: a `ResourceFlavor`, or `ResourceFlavor.fromName(…)` for one of the cluster. */
export type ResourceFlavorReference = ObjectReference<'ResourceFlavor'>;

/** Props of a ResourceFlavor. */
export interface ResourceFlavorProps extends ClusterObjectProps, Overridable<ResourceFlavorKind> {
  /** Labels that all nodes of the flavor have; admitted pods select by them. Needed with a topology. @default - any node */
  readonly nodeLabels?: Readonly<Record<string, string>>;
  /** Taints of the nodes: only workloads that tolerate them get the flavor. @default - none */
  readonly nodeTaints?: readonly Taint[];
  /** Tolerations that Kueue adds to the pods that it admits to the flavor. @default - none */
  readonly tolerations?: readonly Toleration[];
  /** The levels by which pods are placed on these nodes. @default - none: Kueue leaves places to the scheduler */
  readonly topology?: TopologyReference;
}

/**
 * Rules: `kueue/flavor-*`. Source: kueue, pkg/webhooks/resourceflavor_webhook.go.
 *
 * @example
 * new kueue.ResourceFlavor(chart, 'h100', {
 *   nodeLabels: { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3' },
 *   topology: kueue.Topology.fromName('racks'),
 *   tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
 * });
 */
@publicClass('kueue.ResourceFlavor')
export class ResourceFlavor extends Construct implements ResourceFlavorReference {
  /** A flavor that exists in the cluster. */
  static fromName(name: string): ResourceFlavorReference {
    return { kind: 'ResourceFlavor', name };
  }

  /** Always `ResourceFlavor`, the kind that references carry. */
  readonly kind = 'ResourceFlavor';
  /** Name of the ResourceFlavor. */
  readonly name: string;
  /** The ResourceFlavor object. */
  readonly resource: Resource<ResourceFlavorKind>;

  constructor(scope: Construct, id: string, props: ResourceFlavorProps = {}) {
    super(scope, id);
    this.name = props.name ?? id;
    this.resource = new Resource(
      this,
      'Resource',
      ResourceFlavorKind,
      {
        metadata: clusterMetadata(id, props),
        spec: {
          nodeLabels: props.nodeLabels,
          nodeTaints: props.nodeTaints,
          tolerations: props.tolerations,
          topologyName: props.topology?.name,
        },
      },
      props.overrides,
    );
    dependOn(this.resource, props.topology);
  }
}
