/**
 * FieldGuard: reserves the fields that the scheduler writes on pods for the scheduler, and what a node reports for that node.
 *
 * Two ValidatingAdmissionPolicies. The scheduler trusts `gantry.dev/node` and `gantry.dev/devices`, so a tenant that could write them could
 * claim nodes and devices; and the gate of a pod keeps it from starting before its turn.
 */
import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../facts/api/types/admissionregistration.k8s.io/v1';
import {
  GANTRY_ACCELERATOR_CAPACITY,
  GANTRY_ALLOCATED_DEVICES,
  GANTRY_DEVICES,
  GANTRY_GANG_LABEL,
  GANTRY_NODE,
  GANTRY_PLACEMENT_GATE,
  GANTRY_QUEUE_LABEL,
} from '../../facts/catalog/gantry-names';
import { type ClusterObjectProps, clusterMetadata, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { publicClass } from '../resources/public-class';

/**
 * Props of a FieldGuard.
 *
 * @beta
 */
export interface FieldGuardProps extends ClusterObjectProps, Overridable<ValidatingAdmissionPolicy> {
  /** User name of the scheduler's service account. */
  readonly username: string;
}

const annotation = (object: string, key: string): string =>
  `(has(${object}.metadata.annotations) && ${key} in ${object}.metadata.annotations ? ${object}.metadata.annotations[${key}] : "")`;
const label = (object: string, key: string): string =>
  `(has(${object}.metadata.labels) && ${key} in ${object}.metadata.labels ? ${object}.metadata.labels[${key}] : "")`;
const text = (value: string): string => JSON.stringify(value);
const gated = (object: string): string =>
  `(has(${object}.spec.schedulingGates) && ${object}.spec.schedulingGates.exists(gate, gate.name == ${text(GANTRY_PLACEMENT_GATE)}))`;

/** Of a new pod nothing is known before; a Binding is not the pod that it binds. */
const unchanged = (key: string): string =>
  `(oldObject == null ? "" : ${annotation('oldObject', text(key))}) == ${annotation('object', text(key))}`;
const ON_UPDATE = 'oldObject == null';
const WAS_BOUND = 'has(oldObject.spec.nodeName) && oldObject.spec.nodeName != ""';

/** What a node says about its devices. */
const REPORTS = [GANTRY_ACCELERATOR_CAPACITY, GANTRY_ALLOCATED_DEVICES];

/** The kubelet of the node, or a service account whose token was issued for a pod on that node. */
const NODE_NAME = 'authentication.kubernetes.io/node-name';
const OF_THE_NODE =
  'request.userInfo.username == "system:node:" + object.metadata.name || ' +
  `(has(request.userInfo.extra) && ${text(NODE_NAME)} in request.userInfo.extra && ` +
  `object.metadata.name in request.userInfo.extra[${text(NODE_NAME)}])`;

/**
 * Reserves the fields that the scheduler writes on pods for the scheduler, and the annotations in which a node reports its devices for
 * that node: two ValidatingAdmissionPolicies. `GantryScheduler` makes one FieldGuard.
 *
 * @beta
 *
 * @example
 * new FieldGuard(chart, 'guard', {
 *   name: 'gantry-fields',
 *   username: 'system:serviceaccount:gantry-system:gantry-scheduler',
 * });
 */
@publicClass('FieldGuard')
export class FieldGuard extends Construct {
  /** The ValidatingAdmissionPolicy object. */
  readonly resource: ApiObject;
  /** The ValidatingAdmissionPolicyBinding object. */
  readonly binding: ApiObject;

  constructor(scope: Construct, id: string, props: FieldGuardProps) {
    super(scope, id);
    const { username } = props;
    const metadata = clusterMetadata(id, props);
    this.resource = new Resource(
      this,
      'Policy',
      ValidatingAdmissionPolicy,
      {
        metadata,
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: {
            resourceRules: [
              {
                apiGroups: [''],
                apiVersions: ['v1'],
                resources: ['pods', 'pods/status', 'pods/ephemeralcontainers', 'pods/resize'],
                operations: ['CREATE', 'UPDATE'],
              },
              { apiGroups: [''], apiVersions: ['v1'], resources: ['pods/binding'], operations: ['CREATE'] },
            ],
          },
          matchConditions: [
            {
              name: 'not-the-scheduler',
              expression: `request.userInfo.username != ${text(username)}`,
            },
            // Cluster administrators can make repairs by hand.
            {
              name: 'not-an-administrator',
              expression: '!has(request.userInfo.groups) || !("system:masters" in request.userInfo.groups)',
            },
          ],
          validations: [
            ...[GANTRY_NODE, GANTRY_DEVICES].map((key) => ({
              expression: unchanged(key),
              message: `the annotation ${key} must be set by the scheduler only`,
              reason: 'Forbidden',
            })),
            {
              expression: `${ON_UPDATE} || !${gated('oldObject')} || ${gated('object')}`,
              message: `the scheduling gate ${GANTRY_PLACEMENT_GATE} must be removed by the scheduler only`,
              reason: 'Forbidden',
            },
            ...[GANTRY_QUEUE_LABEL, GANTRY_GANG_LABEL].map((key) => ({
              expression: `${ON_UPDATE} || !(${WAS_BOUND}) || ${label('oldObject', text(key))} == ${label('object', text(key))}`,
              message: `the label ${key} must not change once the pod has a node`,
              reason: 'Forbidden',
            })),
          ],
        },
      },
      props.overrides,
    );
    this.binding = new Resource(this, 'Binding', ValidatingAdmissionPolicyBinding, {
      metadata,
      spec: { policyName: this.resource.name, validationActions: ['Deny'] },
    });
    this.binding.addDependency(this.resource);
    this.addNodePolicy(`${this.name}-nodes`);
  }

  private addNodePolicy(name: string): void {
    const policy = new Resource(this, 'NodePolicy', ValidatingAdmissionPolicy, {
      metadata: { name },
      spec: {
        failurePolicy: 'Fail',
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
        // Almost all updates of nodes do not touch the annotations.
        matchConditions: [{ name: 'reports-other-devices', expression: `!(${REPORTS.map(unchanged).join(' && ')})` }],
        validations: [
          {
            expression: OF_THE_NODE,
            message: `the annotations ${REPORTS.join(' and ')} must be set by the node itself only`,
            reason: 'Forbidden',
          },
        ],
      },
    });
    const binding = new Resource(this, 'NodeBinding', ValidatingAdmissionPolicyBinding, {
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    });
    binding.addDependency(policy);
  }

  /** Name of the object. */
  get name(): string {
    return this.resource.name;
  }
}
