/**
 * Topology: the levels of the data center, as node labels, by which Kueue places pods close to each other.
 */
import { Construct } from 'constructs';
import { Topology as TopologyKind } from '../../facts/api/types/kueue.x-k8s.io/v1beta2';
import { type ClusterObjectProps, clusterMetadata, type Overridable } from '../resources/object-props';
import { type ObjectReference } from '../resources/references';
import { Resource } from '../resources/resource';
import { publicClass } from '../resources/public-class';

/** Whatever names a topology: a `Topology`, or `Topology.fromName(…)` for one of the cluster. */
export type TopologyReference = ObjectReference<'Topology'>;

/** Props of a Topology. */
export interface TopologyProps extends ClusterObjectProps, Overridable<TopologyKind> {
  /**
   * Node labels, the widest first: block, rack, node. Cannot be changed later.
   *
   * With `kubernetes.io/hostname` last, Kueue chooses the node itself; without it, the lowest level it knows.
   */
  readonly levels: readonly string[];
}

/**
 * Rules: by the schema. Source: kueue, apis/kueue/v1beta2/topology_types.go.
 *
 * @example new kueue.Topology(chart, 'racks', { levels: ['example.com/block', 'example.com/rack', 'kubernetes.io/hostname'] });
 */
@publicClass('kueue.Topology')
export class Topology extends Construct implements TopologyReference {
  /** A topology that exists in the cluster. */
  static fromName(name: string): TopologyReference {
    return { kind: 'Topology', name };
  }

  /** Always `Topology`, the kind that references carry. */
  readonly kind = 'Topology';
  /** Name of the Topology. */
  readonly name: string;
  /** The Topology object. */
  readonly resource: Resource<TopologyKind>;

  constructor(scope: Construct, id: string, props: TopologyProps) {
    super(scope, id);
    this.name = props.name ?? id;
    this.resource = new Resource(
      this,
      'Resource',
      TopologyKind,
      {
        metadata: clusterMetadata(id, props),
        spec: { levels: props.levels.map((nodeLabel) => ({ nodeLabel })) },
      },
      props.overrides,
    );
  }
}
