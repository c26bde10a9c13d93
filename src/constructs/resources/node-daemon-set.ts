/**
 * A DaemonSet that serves the devices of its node: a device plugin or an exporter, with the permissions that it needs.
 */
import { type CarriedMap } from '../../manifests/values/deferred';
import { type Construct } from 'constructs';
import { DaemonSet } from '../../facts/api/types/apps/v1';
import {
  type Container,
  type NodeSelectorRequirement,
  ServiceAccount,
  type Toleration,
  type Volume,
} from '../../facts/api/types/core/v1';
import { ClusterRole, ClusterRoleBinding, type PolicyRule } from '../../facts/api/types/rbac.authorization.k8s.io/v1';
import { dependOn } from './depend-on';
import { type Overridable } from './object-props';
import { type NamedReference, nameOf } from './references';
import { Resource } from './resource';

/** A folder or file of the node that a container sees. */
export interface HostMount {
  readonly name: string;
  /** Path on the node, and in the container unless `at` says otherwise. */
  readonly path: string;
  /** @default - the path on the node */
  readonly at?: string;
  /** @default false */
  readonly readOnly?: boolean;
  /** @default - not checked */
  readonly type?: 'Directory' | 'DirectoryOrCreate' | 'File' | 'Socket';
}

export interface NodeDaemonSetProps {
  readonly name: string;
  readonly namespace?: NamedReference<'Namespace'>;
  /** Labels of the pods, by which the DaemonSet and monitors find them. */
  readonly podLabels: Readonly<Record<string, string>>;
  readonly container: Container;
  readonly hostMounts: readonly HostMount[];
  readonly tolerations: readonly Toleration[];
  readonly nodeSelector?: CarriedMap<string>;
  readonly nodeRequirements?: readonly NodeSelectorRequirement[];
  /** Whether the pods use the network of the node. @default false */
  readonly hostNetwork?: boolean;
  /** Permissions in the whole cluster. @default - none, and no token */
  readonly permissions?: readonly PolicyRule[];
  readonly labels?: CarriedMap<string>;
  readonly annotations?: CarriedMap<string>;
  readonly overrides: Overridable<DaemonSet>['overrides'];
}

/** Makes the DaemonSet, and with permissions a ServiceAccount, a ClusterRole, and their binding. */
export function nodeDaemonSet(scope: Construct, props: NodeDaemonSetProps): Resource<DaemonSet> {
  const { name, namespace, labels = {}, annotations = {}, permissions = [], nodeRequirements = [] } = props;
  const own = namespace === undefined ? {} : { namespace: nameOf(namespace) };
  const objects: Resource<unknown>[] = [];
  if (permissions.length > 0) {
    objects.push(
      new Resource(scope, 'ServiceAccount', ServiceAccount, { metadata: { name, ...own, labels } }),
      new Resource(scope, 'ClusterRole', ClusterRole, { metadata: { name, labels }, rules: permissions }),
      new Resource(scope, 'ClusterRoleBinding', ClusterRoleBinding, {
        metadata: { name, labels },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ kind: 'ServiceAccount', name, ...own }],
      }),
    );
  }
  const daemonSet = new Resource(
    scope,
    'Resource',
    DaemonSet,
    {
      metadata: { name, ...own, labels, annotations },
      spec: {
        selector: { matchLabels: props.podLabels },
        updateStrategy: { type: 'RollingUpdate' },
        template: {
          metadata: { labels: { ...props.podLabels } },
          spec: {
            ...(permissions.length > 0 ? { serviceAccountName: name } : { automountServiceAccountToken: false }),
            priorityClassName: 'system-node-critical',
            ...(props.hostNetwork === true ? { hostNetwork: true } : {}),
            ...(props.nodeSelector === undefined ? {} : { nodeSelector: props.nodeSelector }),
            ...(nodeRequirements.length === 0
              ? {}
              : {
                  affinity: {
                    nodeAffinity: {
                      requiredDuringSchedulingIgnoredDuringExecution: {
                        nodeSelectorTerms: [{ matchExpressions: nodeRequirements }],
                      },
                    },
                  },
                }),
            tolerations: props.tolerations,
            containers: [
              {
                ...props.container,
                volumeMounts: props.hostMounts.map(({ name: volume, path, at, readOnly }) => ({
                  name: volume,
                  mountPath: at ?? path,
                  ...(readOnly === true ? { readOnly } : {}),
                })),
              },
            ],
            volumes: props.hostMounts.map(({ name: volume, path, type }): Volume => ({
              name: volume,
              hostPath: { path, ...(type === undefined ? {} : { type }) },
            })),
          },
        },
      },
    },
    props.overrides,
  );
  for (const object of objects) {
    dependOn(daemonSet, object);
  }
  dependOn(daemonSet, namespace);
  return daemonSet;
}
