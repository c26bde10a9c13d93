/**
 * Who may work in a team's namespace, as role bindings.
 *
 * Kubernetes' own `admin` and `edit` know built-in kinds only: without the role beside them, members could run a Deployment and no
 * PyTorchJob.
 */
import { Construct } from 'constructs';
import { type PolicyRule, Role, RoleBinding, type Subject } from '../../facts/api/types/rbac.authorization.k8s.io/v1';
import { dependOn } from '../resources/depend-on';
import { Resource } from '../resources/resource';
import { type NamespaceReference } from './namespace';

/** A user or a group as the cluster's authentication names it, or a `User`, `Group` or `ServiceAccount` of cdk8s-plus. */
export type TeamSubject =
  | { readonly kind: 'User' | 'Group'; readonly name: string }
  | { toSubjectConfiguration(): Subject };

export interface TeamAccessProps {
  readonly namespace: NamespaceReference;
  /** @default - none */
  readonly admins?: readonly TeamSubject[];
  /** @default - none */
  readonly members?: readonly TeamSubject[];
}

const RBAC = 'rbac.authorization.k8s.io';
const WRITE = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

/** Workloads that Kubernetes' own roles know nothing of. */
const AI_WORKLOADS: readonly PolicyRule[] = [
  { apiGroups: ['batch.volcano.sh'], resources: ['jobs', 'cronjobs'], verbs: WRITE },
  { apiGroups: ['flow.volcano.sh'], resources: ['jobflows', 'jobtemplates'], verbs: WRITE },
  { apiGroups: ['scheduling.volcano.sh'], resources: ['podgroups'], verbs: WRITE },
  // `vcctl job suspend` and `resume` work through commands.
  { apiGroups: ['bus.volcano.sh'], resources: ['commands'], verbs: WRITE },
  {
    apiGroups: ['kubeflow.org'],
    resources: ['pytorchjobs', 'tfjobs', 'mpijobs', 'xgboostjobs', 'paddlejobs', 'jaxjobs'],
    verbs: WRITE,
  },
  { apiGroups: ['trainer.kubeflow.org'], resources: ['trainjobs'], verbs: WRITE },
  { apiGroups: ['jobset.x-k8s.io'], resources: ['jobsets'], verbs: WRITE },
  { apiGroups: ['ray.io'], resources: ['rayclusters', 'rayjobs', 'rayservices'], verbs: WRITE },
];

export class TeamAccess extends Construct {
  constructor(scope: Construct, id: string, props: TeamAccessProps) {
    super(scope, id);
    const admins = (props.admins ?? []).map(subjectOf);
    const members = (props.members ?? []).map(subjectOf);
    const namespace = props.namespace.name;
    if (admins.length > 0) {
      this.bind('team-admins', 'ClusterRole', 'admin', admins, namespace);
    }
    if (members.length > 0) {
      this.bind('team-members', 'ClusterRole', 'edit', members, namespace);
    }
    if (admins.length + members.length > 0) {
      const role = new Resource(this, 'ai-workloads', Role, {
        metadata: { name: 'ai-workloads', namespace },
        rules: AI_WORKLOADS,
      });
      this.bind('team-workloads', 'Role', role.name, [...admins, ...members], namespace).node.addDependency(role);
    }
    dependOn(this, props.namespace);
  }

  private bind(
    name: string,
    kind: 'ClusterRole' | 'Role',
    role: string,
    subjects: readonly Subject[],
    namespace: string,
  ): Construct {
    return new Resource(this, name, RoleBinding, {
      metadata: { name, namespace },
      roleRef: { apiGroup: RBAC, kind, name: role },
      subjects,
    });
  }
}

function subjectOf(subject: TeamSubject): Subject {
  if ('toSubjectConfiguration' in subject) {
    const { apiGroup, kind, name, namespace } = subject.toSubjectConfiguration();
    // cdk8s-plus calls the core group of a ServiceAccount `core`, and Kubernetes by no name.
    return { apiGroup: kind === 'ServiceAccount' ? undefined : (apiGroup ?? RBAC), kind, name, namespace };
  }
  return { apiGroup: RBAC, kind: subject.kind, name: subject.name };
}
