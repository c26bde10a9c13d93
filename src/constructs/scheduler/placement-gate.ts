/**
 * PlacementGate: pods that no construct of Gantry makes wait for Gantry's placement too, in the namespaces that are chosen.
 *
 * A MutatingAdmissionPolicy adds the scheduling gate `gantry.dev/placement` to each new pod; Gantry decides where the pod goes, and the
 * cluster's own scheduler binds it there.
 */
import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { DEFAULT_MINOR } from '../../facts/api/kinds';
import { type ResourceKind } from '../../facts/api/resource-kind';
import { type KubernetesMinor } from '../../facts/api/schema';
import {
  type MatchCondition,
  type MutatingAdmissionPolicy,
  type MutatingAdmissionPolicyBinding,
} from '../../facts/api/types/admissionregistration.k8s.io/v1';
import { type LabelSelector } from '../../facts/api/types/meta/v1';
import { GANTRY_PLACEMENT_GATE } from '../../facts/catalog/gantry-names';
import { Checks } from '../../checks/synth/checks-of';
import { clusterMetadata, type ClusterObjectProps, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { NAME_LABEL, SCHEDULER_NAME } from '../../planning/scheduler-settings/deployment-names';
import { publicClass } from '../resources/public-class';

/** Label of namespaces whose pods are gated, where nothing else is chosen. */
export const GATED_NAMESPACES: LabelSelector = { matchLabels: { 'gantry.dev/placement': 'enabled' } };

/**
 * Props of a PlacementGate.
 *
 * @beta
 */
export interface PlacementGateProps extends ClusterObjectProps, Overridable<MutatingAdmissionPolicy> {
  /** Namespaces whose pods are gated; `kube-system` never is. @default - those with the label `gantry.dev/placement: enabled` */
  readonly namespaces?: LabelSelector;
  /** Pods of these namespaces that are gated. @default - all but those of DaemonSets, which belong to their node */
  readonly pods?: LabelSelector;
  /** Further conditions on a pod (`object`), in CEL: it is gated where all hold. @default - none */
  readonly conditions?: readonly MatchCondition[];
  /**
   * What becomes of a pod for which the policy cannot be evaluated: refused, or let through without the gate, so that kube-scheduler places
   * it by itself.
   * @default Fail
   */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /** The minor whose form is written. @default - the target of the app's checks, when the construct is made */
  readonly kubernetes?: KubernetesMinor;
}

/**
 * Pods that kube-scheduler would place: bound already, meant for another scheduler, or of a DaemonSet they are none of Gantry's business.
 * What Gantry itself needs must not wait for it: its own pods, and those of the cluster.
 */
const CONDITIONS: readonly MatchCondition[] = [
  { name: 'not-bound', expression: '!has(object.spec.nodeName) || object.spec.nodeName == ""' },
  {
    name: 'of-the-default-scheduler',
    expression: '!has(object.spec.schedulerName) || object.spec.schedulerName == "default-scheduler"',
  },
  {
    name: 'not-of-a-daemon-set',
    expression:
      '!has(object.metadata.ownerReferences) || !object.metadata.ownerReferences.exists(owner, owner.kind == "DaemonSet")',
  },
  { name: 'not-of-the-cluster', expression: 'request.namespace != "kube-system"' },
  {
    name: 'not-the-scheduler-itself',
    expression: `!has(object.metadata.labels) || !("${NAME_LABEL}" in object.metadata.labels) || object.metadata.labels["${NAME_LABEL}"] != "${SCHEDULER_NAME}"`,
  },
];

/** A list with the gate's name as its key: applied twice it is there once. */
const ADD_GATE = `Object{ spec: Object.spec{ schedulingGates: [Object.spec.schedulingGates{ name: "${GANTRY_PLACEMENT_GATE}" }] } }`;

/** By the version that each minor serves without an alpha gate. */
function apiVersionFor(minor: KubernetesMinor): string | undefined {
  const number = Number(minor.split('.')[1]);
  if (number < 34) {
    return undefined;
  }
  return `admissionregistration.k8s.io/${number < 36 ? 'v1beta1' : 'v1'}`;
}

/**
 * Source: Kubernetes, MutatingAdmissionPolicy (beta and off by default in 1.34 and 1.35, where the API server needs the feature gate and
 * `--runtime-config=admissionregistration.k8s.io/v1beta1=true`; stable from 1.36).
 *
 * @beta
 *
 * @example
 * new PlacementGate(chart, 'gate', { namespaces: { matchLabels: { 'kubernetes.io/metadata.name': 'notebooks' } } });
 */
@publicClass('PlacementGate')
export class PlacementGate extends Construct {
  /** The MutatingAdmissionPolicy object. */
  readonly resource: ApiObject;
  /** The MutatingAdmissionPolicyBinding object. */
  readonly binding: ApiObject;

  /** @throws if the target minor has no such policies, or a selector is empty, which selects everything */
  constructor(scope: Construct, id: string, props: PlacementGateProps = {}) {
    super(scope, id);
    for (const [prop, selector] of Object.entries({ namespaces: props.namespaces, pods: props.pods })) {
      if (selector !== undefined && !selects(selector)) {
        throw new Error(
          `${this.node.path}: ${prop} must have matchLabels or matchExpressions: an empty selector gates ${prop === 'pods' ? 'all pods' : 'the pods of all namespaces'}. Remove it to use the default, or select by a label.`,
        );
      }
    }
    const minor = props.kubernetes ?? Checks.of(this).options.kubernetes ?? DEFAULT_MINOR;
    const apiVersion = apiVersionFor(minor);
    if (apiVersion === undefined) {
      throw new Error(
        `Kubernetes ${minor} does not serve MutatingAdmissionPolicy as beta or stable, which requires 1.34 or later. Add the scheduling gate ` +
          `"${GANTRY_PLACEMENT_GATE}" to the pods themselves, with Scheduling.gantry(queue, { handOver: true }).`,
      );
    }
    const metadata = clusterMetadata(props.name ?? 'gantry-placement-gate', props);
    const policy: ResourceKind<MutatingAdmissionPolicy> = { apiVersion, kind: 'MutatingAdmissionPolicy' };
    this.resource = new Resource(
      this,
      'Policy',
      policy,
      {
        metadata,
        spec: {
          failurePolicy: props.failurePolicy ?? 'Fail',
          reinvocationPolicy: 'Never',
          matchConstraints: {
            resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
            namespaceSelector: props.namespaces ?? GATED_NAMESPACES,
            ...(props.pods === undefined ? {} : { objectSelector: props.pods }),
          },
          matchConditions: [...CONDITIONS, ...(props.conditions ?? [])],
          mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: ADD_GATE } }],
        },
      },
      props.overrides,
    );
    const binding: ResourceKind<MutatingAdmissionPolicyBinding> = {
      apiVersion,
      kind: 'MutatingAdmissionPolicyBinding',
    };
    this.binding = new Resource(this, 'Binding', binding, { metadata, spec: { policyName: this.resource.name } });
    this.binding.addDependency(this.resource);
  }

  /** Name of the object. */
  get name(): string {
    return this.resource.name;
  }
}

function selects({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length > 0 || matchExpressions.length > 0;
}
