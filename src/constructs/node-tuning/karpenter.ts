/**
 * Nodes that Karpenter makes: a NodePool by profile, and the EC2NodeClass that says how a node of AWS is built.
 */
import { type Carried, type CarriedMap, passed } from '../../manifests/values/deferred';
import { durationText } from '../resources/durations';
import { bytesText, type ByteSize } from '../resources/quantities';
import { type Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { EC2NodeClass, type EC2NodeClassSpec } from '../../facts/api/types/karpenter.k8s.aws/v1';
import {
  NodePool as NodePoolKind,
  type NodePoolSpec,
  type NodePoolSpecDisruption,
  type NodePoolSpecTemplateSpecRequirement,
} from '../../facts/api/types/karpenter.sh/v1';
import { KARPENTER_CAPACITY } from '../../facts/catalog';
import { type Amounts, amountsByName } from '../pods/amounts';
import { dependOn } from '../resources/depend-on';
import { clusterMetadata, type ClusterObjectProps, type Overridable } from '../resources/object-props';
import { type OpenPartial } from '../resources/merge';
import { Resource } from '../resources/resource';
import { type NodeProfile } from './node-profile';
import { publicClass } from '../resources/public-class';

/** How a node of Karpenter is bought. */
export type CapacityType = (typeof KARPENTER_CAPACITY.values)[number];

/** A node class of Karpenter, of any provider. */
export interface NodeClassReference {
  /** API group of the node class. */
  readonly group: string;
  /** Kind of the node class. */
  readonly kind: string;
  /** Name of the node class. */
  readonly name: string;
}

/** Props of an Ec2NodeClass. */
export interface Ec2NodeClassProps extends ClusterObjectProps {
  /** IAM role of the nodes. Exactly one of `role` and `instanceProfile`. @default - none */
  readonly role?: Carried<string>;
  /** Instance profile of the nodes. @default - made from the role */
  readonly instanceProfile?: Carried<string>;
  /** Machine images, for example `al2023@v20260101`: pinned, so that nodes do not drift by themselves. */
  readonly amiAlias: Carried<string>;
  /** Tags of subnets. @default - `karpenter.sh/discovery` with the cluster's name, which must then be given */
  readonly subnetTags?: CarriedMap<string>;
  /** Tags of security groups. @default - like subnets */
  readonly securityGroupTags?: CarriedMap<string>;
  /** Name of the EKS cluster. @default - tags must be given */
  readonly clusterName?: Carried<string>;
  /** Size of the root volume; images of GPU workloads are large. @default 200Gi */
  readonly rootVolumeSize?: ByteSize;
  /** Puts local disks together as one for images and `emptyDir`. @default true */
  readonly localDisks?: boolean;
  /** Settings of the kubelet. Karpenter has no field for the CPU manager; set it in `userData`. @default - none */
  readonly kubelet?: EC2NodeClassSpec['kubelet'];
  /** A NodeConfig or cloud-init, for example with a `KubeletDropIn`. @default - none */
  readonly userData?: Carried<string>;
  /** Whatever has no property of its own. @default - none */
  readonly overrides?: OpenPartial<EC2NodeClassSpec>;
}

/**
 * An EC2NodeClass of Karpenter (`karpenter.k8s.aws/v1`): how nodes are made on AWS.
 *
 * Source: karpenter-provider-aws, EC2NodeClass v1.
 *
 * @example
 * new nodeTuning.Ec2NodeClass(chart, 'gpu', { role: 'KarpenterNodeRole', clusterName: 'ai', amiAlias: 'al2023@v20260101' });
 */
@publicClass('nodeTuning.Ec2NodeClass')
export class Ec2NodeClass extends Construct implements NodeClassReference {
  /** One that is in the cluster already. */
  static fromName(name: string): NodeClassReference {
    return { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: name };
  }

  /** The EC2NodeClass object. */
  readonly resource: Resource<EC2NodeClass>;
  /** Always `karpenter.k8s.aws`, the group that references carry. */
  readonly group = 'karpenter.k8s.aws';
  /** Always `EC2NodeClass`, the kind that references carry. */
  readonly kind = 'EC2NodeClass';
  /** Name of the EC2NodeClass. */
  readonly name: string;

  /** @throws if neither tags nor a cluster name say where nodes are to be made */
  constructor(scope: Construct, id: string, props: Ec2NodeClassProps) {
    super(scope, id);
    this.name = props.name ?? id;
    const discovered = props.clusterName === undefined ? undefined : { 'karpenter.sh/discovery': props.clusterName };
    const subnet = props.subnetTags ?? discovered;
    const group = props.securityGroupTags ?? discovered;
    if (subnet === undefined || group === undefined) {
      throw new Error(
        `${this.node.path}: clusterName, or the tags of subnets and security groups, must be set. Set clusterName.`,
      );
    }
    this.resource = new Resource(
      this,
      'Resource',
      EC2NodeClass,
      {
        metadata: clusterMetadata(this.name, props),
        spec: {
          ...(props.role === undefined ? {} : { role: props.role }),
          ...(props.instanceProfile === undefined ? {} : { instanceProfile: props.instanceProfile }),
          amiSelectorTerms: [{ alias: props.amiAlias }],
          subnetSelectorTerms: [{ tags: subnet }],
          securityGroupSelectorTerms: [{ tags: group }],
          blockDeviceMappings: [
            {
              deviceName: '/dev/xvda',
              rootVolume: true,
              ebs: {
                volumeSize: bytesText('rootVolumeSize', props.rootVolumeSize ?? '200Gi'),
                volumeType: 'gp3',
                encrypted: true,
              },
            },
          ],
          ...(props.localDisks === false ? {} : { instanceStorePolicy: 'RAID0' }),
          ...(props.kubelet === undefined ? {} : { kubelet: props.kubelet }),
          ...(props.userData === undefined ? {} : { userData: props.userData }),
        },
      },
      props.overrides,
    );
  }
}

/** Props of a NodePool. */
export interface NodePoolProps extends ClusterObjectProps, Overridable<NodePoolKind> {
  /** Labels, taints and whether the nodes are spot nodes. */
  readonly profile: NodeProfile;
  /** How a node is built: an `Ec2NodeClass`, `Ec2NodeClass.fromName(...)`, or a reference to another provider's kind. */
  readonly nodeClass: NodeClassReference;
  /** Instance types, for example `p5.48xlarge`. @default - any that the other requirements leave */
  readonly instanceTypes?: readonly Carried<string>[];
  /** The name by which the provider knows the GPU, for example `h100`. @default - any */
  readonly gpuName?: string;
  /** Zones; a gang that must be near stays in one. @default - any */
  readonly zones?: readonly Carried<string>[];
  /** How the nodes are bought. @default - spot for a profile of spot nodes, else on-demand and reserved */
  readonly capacityTypes?: readonly CapacityType[];
  /** Further requirements. @default - linux */
  readonly requirements?: readonly NodePoolSpecTemplateSpecRequirement[];
  /** The most that all nodes together may have: `{ accelerators: Accelerator.nvidia({ count: 64 }) }`. */
  readonly limits: Amounts;
  /**
   * When nodes are given back. Moving pods together ends them, which training pays for with the time since its last checkpoint.
   * @default - empty nodes only, after ten minutes
   */
  readonly disruption?: NodePoolSpecDisruption;
  /** Age at which a node is replaced, or `Never`. @default 'Never' */
  readonly expireAfter?: Duration | 'Never';
  /** The longest that a node's end waits for pods that do not want to go. @default - as long as it takes */
  readonly terminationGracePeriod?: Duration;
  /** Which pool comes first, 1 to 100. @default - none has precedence */
  readonly weight?: number;
}

/**
 * A NodePool of Karpenter (`karpenter.sh/v1`).
 *
 * @example
 * new nodeTuning.NodePool(chart, 'h100', {
 *   profile: new nodeTuning.NodeProfile('h100', { devices: { perNode: 8 } }),
 *   nodeClass: nodeTuning.Ec2NodeClass.fromName('gpu'),
 *   instanceTypes: ['p5.48xlarge'],
 *   limits: { accelerators: Accelerator.nvidia({ count: 64 }) },
 * });
 */
@publicClass('nodeTuning.NodePool')
export class NodePool extends Construct {
  /** The NodePool object. */
  readonly resource: Resource<NodePoolKind>;
  /** Name of the NodePool. */
  readonly name: string;

  /** @throws if the profile is of another provider's spot nodes, or nothing limits the pool */
  constructor(scope: Construct, id: string, props: NodePoolProps) {
    super(scope, id);
    const { profile } = props;
    this.name = props.name ?? id;
    if (profile.props.spot !== undefined && profile.props.spot !== 'karpenter') {
      throw new Error(
        `${this.node.path}: the profile ${profile.name} selects spot nodes of ${profile.props.spot}, which Karpenter does not create. Set spot: 'karpenter' in the profile.`,
      );
    }
    if (Object.keys(props.limits).length === 0) {
      throw new Error(
        `${this.node.path}: limits must not be empty, because the pool would grow without bounds. Set a maximum such as { accelerators: Accelerator.nvidia({ count: 64 }) }.`,
      );
    }
    this.resource = new Resource(
      this,
      'Resource',
      NodePoolKind,
      {
        metadata: clusterMetadata(this.name, props),
        spec: specOf(props),
      },
      props.overrides,
    );
    dependOn(this.resource, props.nodeClass);
  }
}

function specOf(props: NodePoolProps): NodePoolSpec {
  const expiry = props.expireAfter ?? 'Never';
  const { profile, nodeClass, disruption = { consolidationPolicy: 'WhenEmpty', consolidateAfter: '10m' } } = props;
  return {
    template: {
      metadata: { labels: profile.labels },
      spec: {
        nodeClassRef: { group: nodeClass.group, kind: nodeClass.kind, name: nodeClass.name },
        requirements: requirementsOf(props),
        ...(profile.taints.length === 0 ? {} : { taints: profile.taints }),
        ...(profile.startupTaints.length === 0 ? {} : { startupTaints: profile.startupTaints }),
        expireAfter: expiry === 'Never' ? expiry : durationText('expireAfter', expiry),
        ...(props.terminationGracePeriod === undefined
          ? {}
          : { terminationGracePeriod: durationText('terminationGracePeriod', props.terminationGracePeriod) }),
      },
    },
    disruption,
    limits: amountsByName('limits', props.limits),
    ...(props.weight === undefined ? {} : { weight: props.weight }),
  };
}

function requirementsOf(props: NodePoolProps): readonly NodePoolSpecTemplateSpecRequirement[] {
  const capacity =
    props.capacityTypes ?? (props.profile.props.spot === undefined ? ['on-demand', 'reserved'] : ['spot']);
  const within = (
    key: string,
    values: readonly Carried<string>[] | undefined,
  ): readonly NodePoolSpecTemplateSpecRequirement[] =>
    values === undefined || values.length === 0 ? [] : [{ key, operator: 'In', values: values.map(passed) }];
  return [
    ...within(KARPENTER_CAPACITY.label, capacity),
    ...within('kubernetes.io/os', ['linux']),
    ...within('node.kubernetes.io/instance-type', props.instanceTypes),
    ...within('karpenter.k8s.aws/instance-gpu-name', props.gpuName === undefined ? undefined : [props.gpuName]),
    ...within('topology.kubernetes.io/zone', props.zones),
    ...(props.requirements ?? []),
  ];
}
