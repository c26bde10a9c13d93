/**
 * HyperNode: nodes that are close to each other, in tiers.
 */
import { Construct } from 'constructs';
import {
  HyperNode as HyperNodeKind,
  type HyperNodeSpecMember,
} from '../../facts/api/types/topology.volcano.sh/v1alpha1';
import { type LabelSelector } from '../../facts/api/types/meta/v1';
import { type ObjectReference } from '../resources/references';
import { Resource } from '../resources/resource';
import { dependOn } from '../resources/depend-on';
import { type ClusterObjectProps, clusterMetadata, type Overridable } from '../resources/object-props';
import { publicClass } from '../resources/public-class';

/** Whatever names a hyper node. */
export type HyperNodeReference = ObjectReference<'HyperNode'>;

/**
 * A member of a HyperNode: nodes, or a HyperNode of the tier below.
 *
 * @example
 * new volcano.HyperNode(chart, 'rack-1', { tier: 1, members: [volcano.HyperNodeMember.nodesMatching('^rack-1-.*$')] });
 */
@publicClass('volcano.HyperNodeMember')
export class HyperNodeMember {
  /** One node. */
  static node(name: string): HyperNodeMember {
    return new HyperNodeMember({ type: 'Node', selector: { exactMatch: { name } } });
  }

  /** The nodes whose names match a Go regular expression, which need not match the whole name. */
  static nodesMatching(pattern: string): HyperNodeMember {
    return new HyperNodeMember({ type: 'Node', selector: { regexMatch: { pattern } } });
  }

  /** The nodes with all these labels. An empty selection chooses none. */
  static nodesLabeled(labels: Readonly<Record<string, string>>): HyperNodeMember {
    return HyperNodeMember.nodesSelected({ matchLabels: labels });
  }

  /** The nodes that a selector chooses. */
  static nodesSelected(selector: LabelSelector): HyperNodeMember {
    return new HyperNodeMember({ type: 'Node', selector: { labelMatch: selector } });
  }

  /** A hyper node of a lower tier. Hyper nodes can be named only one by one. */
  static hyperNode(hyperNode: HyperNodeReference): HyperNodeMember {
    return new HyperNodeMember({ type: 'HyperNode', selector: { exactMatch: { name: hyperNode.name } } }, hyperNode);
  }

  private constructor(
    private readonly member: HyperNodeSpecMember,
    /** The hyper node that this refers to. */
    readonly reference?: HyperNodeReference,
  ) {}

  /** Returns the member as the spec of the HyperNode has it. */
  toMember(): HyperNodeSpecMember {
    return this.member;
  }
}

/** Props of a HyperNode. */
export interface HyperNodeProps extends ClusterObjectProps, Overridable<HyperNodeKind> {
  /** How far apart the members are: 1 for the closest (one switch, one NVLink domain), rising. */
  readonly tier: number;
  /** A name of the tier, by which a job may ask for it. @default - none */
  readonly tierName?: string;
  /** At least one. */
  readonly members: readonly HyperNodeMember[];
}

/**
 * Rules: `volcano/hyper-node-*`. Source: volcano, pkg/scheduler/api/hyper_node_info.go.
 *
 * @example
 * new volcano.HyperNode(chart, 'leaf-1', {
 *   tier: 1,
 *   members: [volcano.HyperNodeMember.nodesLabeled({ 'topology.example.com/leaf': 'leaf-1' })],
 * });
 */
@publicClass('volcano.HyperNode')
export class HyperNode extends Construct implements HyperNodeReference {
  /** A hyper node that exists in the cluster. */
  static fromName(name: string): HyperNodeReference {
    return { kind: 'HyperNode', name };
  }

  /** Always `HyperNode`, the kind that references carry. */
  readonly kind = 'HyperNode';
  /** Name of the HyperNode. */
  readonly name: string;
  /** The HyperNode object. */
  readonly resource: Resource<HyperNodeKind>;

  constructor(scope: Construct, id: string, props: HyperNodeProps) {
    super(scope, id);
    this.name = props.name ?? id;
    this.resource = new Resource(
      this,
      'Resource',
      HyperNodeKind,
      {
        metadata: clusterMetadata(id, props),
        spec: { tier: props.tier, tierName: props.tierName, members: props.members.map((member) => member.toMember()) },
      },
      props.overrides,
    );
    dependOn(this.resource, ...props.members.map(({ reference }) => reference));
  }
}
