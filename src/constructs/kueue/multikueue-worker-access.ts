/**
 * MultiKueueWorkerAccess: what a worker cluster grants to the Kueue of the manager cluster.
 */
import { Construct } from 'constructs';
import { Secret, ServiceAccount } from '../../facts/api/types/core/v1';
import { ClusterRole, ClusterRoleBinding, type PolicyRule } from '../../facts/api/types/rbac.authorization.k8s.io/v1';
import { dependOn } from '../resources/depend-on';
import {
  type NamespacedObjectProps,
  clusterMetadata,
  namespacedMetadata,
  type Overridable,
} from '../resources/object-props';
import { publicClass } from '../resources/public-class';
import { nameOf } from '../resources/references';
import { Resource } from '../resources/resource';
import { MULTIKUEUE_KINDS, type RemoteKind } from './kueue-facts';

/** A kind of workload that Kueue can run in another cluster. */
export type MultiKueueKind = (typeof MULTIKUEUE_KINDS)[number]['kind'];

/**
 * Props of MultiKueueWorkerAccess.
 *
 * @beta
 */
export interface MultiKueueWorkerAccessProps extends NamespacedObjectProps, Overridable<ClusterRole> {
  /** Kinds that the manager cluster may create in this cluster. @default - all that Kueue can run in another cluster */
  readonly kinds?: readonly MultiKueueKind[];
}

/**
 * Access of the manager cluster's Kueue to this worker cluster: a ServiceAccount, its token, and the rights to create, watch, and delete
 * workloads and their jobs. Write a kubeconfig with the token into a Secret of the manager cluster, under the key `kubeconfig`, and name the
 * Secret in a `MultiKueueCluster`. The token does not expire; delete the Secret to revoke it.
 *
 * Source: kueue, pkg/controller/admissionchecks/multikueue, and the adapters in pkg/controller/jobs.
 *
 * @beta
 *
 * @example
 * new kueue.MultiKueueWorkerAccess(chart, 'multikueue', { namespace: 'kueue-system', kinds: ['Job', 'JobSet', 'PyTorchJob'] });
 */
@publicClass('kueue.MultiKueueWorkerAccess')
export class MultiKueueWorkerAccess extends Construct {
  /** Name of the objects. */
  readonly name: string;
  /** The ClusterRole object. */
  readonly resource: Resource<ClusterRole>;
  /** The Secret to which the API server writes the token. */
  readonly token: Resource<Secret>;

  constructor(scope: Construct, id: string, props: MultiKueueWorkerAccessProps = {}) {
    super(scope, id);
    const metadata = namespacedMetadata(id, { ...props, namespace: props.namespace ?? 'kueue-system' });
    this.name = props.name ?? id;
    const account = new Resource(this, 'ServiceAccount', ServiceAccount, { metadata });
    this.resource = new Resource(
      this,
      'ClusterRole',
      ClusterRole,
      { metadata: clusterMetadata(id, props), rules: rulesFor(props.kinds) },
      props.overrides,
    );
    const binding = new Resource(this, 'ClusterRoleBinding', ClusterRoleBinding, {
      metadata: clusterMetadata(id, props),
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: this.name },
      subjects: [
        { kind: 'ServiceAccount', name: this.name, namespace: nameOf(props.namespace ?? 'kueue-system', 'Namespace') },
      ],
    });
    this.token = new Resource(this, 'Token', Secret, {
      metadata: {
        ...metadata,
        annotations: { ...metadata.annotations, 'kubernetes.io/service-account.name': this.name },
      },
      type: 'kubernetes.io/service-account-token',
    });
    dependOn(binding, this.resource, account);
    dependOn(this.token, account);
  }
}

function rulesFor(wanted: readonly MultiKueueKind[] | undefined): readonly PolicyRule[] {
  const byGroup = new Map<string, string[]>();
  const kinds: readonly RemoteKind[] = MULTIKUEUE_KINDS.filter(({ kind }) => wanted?.includes(kind) ?? true);
  for (const { apiVersion, plural } of kinds) {
    const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [''];
    byGroup.set(group, [...(byGroup.get(group) ?? []), plural]);
  }
  const jobs = [...byGroup].sort(([one], [other]) => (one < other ? -1 : 1));
  return [
    {
      apiGroups: ['kueue.x-k8s.io'],
      resources: ['workloads'],
      verbs: ['create', 'delete', 'get', 'list', 'update', 'watch'],
    },
    { apiGroups: ['kueue.x-k8s.io'], resources: ['workloads/status'], verbs: ['get', 'patch', 'update'] },
    ...jobs.map(([group, resources]) => ({
      apiGroups: [group],
      resources,
      verbs: ['create', 'delete', 'get', 'list', 'watch', ...(group === 'ray.io' ? ['patch', 'update'] : [])],
    })),
    ...jobs.map(([group, resources]) => ({
      apiGroups: [group],
      resources: resources.map((resource) => `${resource}/status`),
      verbs: ['get'],
    })),
  ];
}
