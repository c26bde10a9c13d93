/**
 * Two ValidatingAdmissionPolicies. One limits the service account of remediation to the marks that its rules make, which RBAC cannot: a role
 * grants `patch` on whole nodes. The other keeps kubelets from writing the record of remediation, by which it knows what it may undo.
 */
import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { type Validation } from '../../facts/api/types/admissionregistration.k8s.io/v1';
import { GANTRY_REMEDIATION, GANTRY_UNHEALTHY_TAINT } from '../../facts/catalog/gantry-names';
import { REPAIR_REQUESTED_CONDITION } from '../../facts/catalog/node-conditions';
import { DRIVER_UPGRADE_ANNOTATION, type RemediationAction } from '../../planning/remediation';
import {
  allUnchanged,
  celLiteral,
  changesOnly,
  entriesOf,
  forbidden,
  listOf,
  NODE_METADATA,
  NODE_STATUS,
  otherItemsUnchanged,
  unchanged,
} from '../resources/admission-expressions';
import { admissionPolicy, type AdmissionPolicyProps, ON_NODES } from '../resources/admission-policy';

export interface RemediationNodePolicyProps {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** User name of the service account. */
  readonly username: string;
  readonly actions: ReadonlySet<RemediationAction>;
  readonly repairAnnotation: string;
}

/** Members of a Node's spec that remediation never changes. */
const OTHER_SPEC = ['configSource', 'externalID', 'podCIDR', 'podCIDRs', 'providerID'];

const otherTaints = (object: string): string =>
  `${listOf(object, 'spec.taints')}.filter(one, one.key != ${celLiteral(GANTRY_UNHEALTHY_TAINT)})`;

const NO_SUBRESOURCE = '(!has(request.subResource) || request.subResource == "")';
const OF_STATUS = '(has(request.subResource) && request.subResource == "status")';

export class RemediationNodePolicy extends Construct {
  /** Bindings of both policies. */
  readonly bindings: readonly ApiObject[];

  constructor(scope: Construct, id: string, props: RemediationNodePolicyProps) {
    super(scope, id);
    const { name, username } = props;
    this.bindings = [
      this.policy('marks', name, props.labels, {
        matchConstraints: ON_NODES,
        matchConditions: [
          { name: 'the-remediation', expression: `request.userInfo.username == ${celLiteral(username)}` },
        ],
        validations: validationsOf(props),
      }),
      this.policy('record', `${name}-record`, props.labels, {
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: [''],
              apiVersions: ['v1'],
              resources: ['nodes', 'nodes/status'],
              operations: ['CREATE', 'UPDATE'],
            },
          ],
        },
        matchConditions: [
          {
            name: 'a-kubelet',
            expression: 'has(request.userInfo.groups) && "system:nodes" in request.userInfo.groups',
          },
        ],
        validations: [
          forbidden(
            `oldObject == null ? !(${celLiteral(GANTRY_REMEDIATION)} in ${entriesOf('object', 'annotations')}) : ` +
              sameAnnotation(GANTRY_REMEDIATION),
            `the annotation ${GANTRY_REMEDIATION} must be written by remediation only`,
          ),
        ],
      }),
    ];
  }

  private policy(
    id: string,
    name: string,
    labels: Readonly<Record<string, string>>,
    spec: AdmissionPolicyProps['spec'],
  ): ApiObject {
    return admissionPolicy(this, { name, labels, suffix: `-${id}`, spec }).binding;
  }
}

function validationsOf({ actions, repairAnnotation }: RemediationNodePolicyProps): readonly Validation[] {
  const annotations = [
    GANTRY_REMEDIATION,
    ...(actions.has('request-driver-upgrade') ? [DRIVER_UPGRADE_ANNOTATION] : []),
    ...(actions.has('request-repair') ? [repairAnnotation] : []),
  ];
  return [
    forbidden(
      `request.operation == "UPDATE" && (${NO_SUBRESOURCE} || ${OF_STATUS})`,
      'remediation must only update nodes',
    ),
    forbidden(
      `${entriesOf('object', 'labels')} == ${entriesOf('oldObject', 'labels')} && ` + allUnchanged(NODE_METADATA),
      'remediation must not change the labels, the finalizers, or the owners of nodes',
    ),
    forbidden(
      changesOnly('annotations', annotations),
      `remediation must change only the annotations ${annotations.join(', ')}`,
    ),
    forbidden(
      `${otherTaints('object')} == ${otherTaints('oldObject')} && ${listOf('object', 'spec.taints')}.all(one, ` +
        `one.key != ${celLiteral(GANTRY_UNHEALTHY_TAINT)} || one.effect == "NoSchedule")` +
        (actions.has('taint') ? '' : ` && ${unchanged('spec.taints')}`),
      actions.has('taint')
        ? `remediation must change only the taint ${GANTRY_UNHEALTHY_TAINT}:NoSchedule`
        : 'no rule of remediation changes taints',
    ),
    forbidden(
      allUnchanged([...OTHER_SPEC, ...(actions.has('cordon') ? [] : ['unschedulable'])].map((one) => `spec.${one}`)),
      'remediation must not change anything else in the spec of nodes',
    ),
    forbidden(
      `${NO_SUBRESOURCE} || (${allUnchanged(NODE_STATUS)} && ` +
        `${otherItemsUnchanged('status.conditions', `one.type == ${celLiteral(REPAIR_REQUESTED_CONDITION)}`)})`,
      `remediation must change only the condition ${REPAIR_REQUESTED_CONDITION} of the status`,
    ),
  ];
}

function sameAnnotation(key: string): string {
  const of = (object: string): string =>
    `(${celLiteral(key)} in ${entriesOf(object, 'annotations')} ? ${entriesOf(object, 'annotations')}[${celLiteral(key)}] : "")`;
  return `${of('object')} == ${of('oldObject')}`;
}
