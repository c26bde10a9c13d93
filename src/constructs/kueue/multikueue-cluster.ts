/**
 * MultiKueueCluster: how Kueue in the manager cluster reaches one worker cluster.
 */
import { Construct } from 'constructs';
import {
  MultiKueueCluster as MultiKueueClusterKind,
  type MultiKueueClusterSpecClusterSource,
} from '../../facts/api/types/kueue.x-k8s.io/v1beta2';
import { type ClusterObjectProps, clusterMetadata, type Overridable } from '../resources/object-props';
import { publicClass } from '../resources/public-class';
import { type ObjectReference } from '../resources/references';
import { Resource } from '../resources/resource';

/** Whatever names a worker cluster: a `MultiKueueCluster`, or `MultiKueueCluster.fromName(…)` for one that the manager cluster has. */
export type MultiKueueClusterReference = ObjectReference<'MultiKueueCluster'>;

/** Where the access to a worker cluster comes from: exactly one of the members. */
export type MultiKueueAccess =
  /** Name of a Secret in the namespace of Kueue, with a kubeconfig under the key `kubeconfig`. */
  | { readonly secret: string }
  /** Path of a kubeconfig file in the container of Kueue, below /etc/multikueue/kubeconfigs. */
  | { readonly path: string }
  /** Name of a ClusterProfile in the namespace of Kueue. Requires the feature gate MultiKueueClusterProfile. */
  | { readonly clusterProfile: string };

/**
 * Props of a MultiKueueCluster.
 *
 * @beta
 */
export interface MultiKueueClusterProps extends ClusterObjectProps, Overridable<MultiKueueClusterKind> {
  /** Where Kueue finds the access to the worker cluster. The kubeconfig must contain its certificates and its token, not name files. */
  readonly access: MultiKueueAccess;
}

/**
 * A worker cluster, as the manager cluster knows it. Rules: `kueue/multikueue-*`.
 *
 * Source: kueue, pkg/controller/admissionchecks/multikueue/multikueuecluster.go.
 *
 * @beta
 *
 * @example
 * new kueue.MultiKueueCluster(chart, 'east', { access: { secret: 'east-kubeconfig' } });
 */
@publicClass('kueue.MultiKueueCluster')
export class MultiKueueCluster extends Construct implements MultiKueueClusterReference {
  /** A worker cluster that the manager cluster knows already. */
  static fromName(name: string): MultiKueueClusterReference {
    return { kind: 'MultiKueueCluster', name };
  }

  /** Always `MultiKueueCluster`, the kind that references carry. */
  readonly kind = 'MultiKueueCluster';
  /** Name of the MultiKueueCluster. */
  readonly name: string;
  /** The MultiKueueCluster object. */
  readonly resource: Resource<MultiKueueClusterKind>;

  /** @throws if `access` has none or several of its members */
  constructor(scope: Construct, id: string, props: MultiKueueClusterProps) {
    super(scope, id);
    this.name = props.name ?? id;
    this.resource = new Resource(
      this,
      'Resource',
      MultiKueueClusterKind,
      { metadata: clusterMetadata(id, props), spec: { clusterSource: sourceOf(props.access) } },
      props.overrides,
    );
  }
}

const SOURCES = ['secret', 'path', 'clusterProfile'];

function sourceOf(access: MultiKueueAccess): MultiKueueClusterSpecClusterSource {
  const given = Object.keys(access).filter((member) => SOURCES.includes(member));
  if (given.length !== 1) {
    throw new Error(`access must have exactly one of secret, path, and clusterProfile, not ${given.length}`);
  }
  if ('clusterProfile' in access) {
    return { clusterProfileRef: { name: access.clusterProfile } };
  }
  return 'path' in access
    ? { kubeConfig: { locationType: 'Path', location: access.path } }
    : { kubeConfig: { locationType: 'Secret', location: access.secret } };
}
