/**
 * OwnNodePolicy: a ValidatingAdmissionPolicy by which the agent's service account changes the Node that it runs on, and of that only what
 * the agent reports. RBAC cannot say either: a role grants `patch` on the status of all nodes, and of all of it.
 */
import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  type Validation,
} from '../../facts/api/types/admissionregistration.k8s.io/v1';
import {
  GANTRY_ACCELERATOR_CAPACITY,
  GANTRY_ALLOCATED_DEVICES,
  GANTRY_DEVICE_TOPOLOGY,
} from '../../facts/catalog/gantry-names';
import { NODE_AGENT_CONDITIONS } from '../../facts/catalog/node-conditions';
import { celLiteral, changesOnly, entriesOf } from '../resources/admission-expressions';
import { Resource } from '../resources/resource';

export interface OwnNodePolicyProps {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** User name of the agent's service account. */
  readonly username: string;
}

/** Of a token that was issued for a pod on a node; Kubernetes 1.32 and newer put it into every such token. */
const NODE_NAME = celLiteral('authentication.kubernetes.io/node-name');
const IS_OWN_NODE =
  `has(request.userInfo.extra) && ${NODE_NAME} in request.userInfo.extra && ` +
  `object.metadata.name in request.userInfo.extra[${NODE_NAME}]`;

const CONDITIONS = celLiteral(NODE_AGENT_CONDITIONS);

const conditions = (object: string): string => `(has(${object}.status.conditions) ? ${object}.status.conditions : [])`;

/** All members of a Node's status but the conditions. */
const OTHER_MEMBERS = [
  'addresses',
  'allocatable',
  'capacity',
  'config',
  'daemonEndpoints',
  'declaredFeatures',
  'features',
  'images',
  'nodeInfo',
  'phase',
  'runtimeHandlers',
  'volumesAttached',
  'volumesInUse',
];

/** Whatever one of them has and may not be changed, the other has alike. */
const sameConditions = (a: string, b: string): string =>
  `${conditions(a)}.all(one, one.type in ${CONDITIONS} || ${conditions(b)}.exists(other, other == one))`;

const sameMember = (name: string): string =>
  `has(object.status.${name}) == has(oldObject.status.${name}) && ` +
  `(!has(object.status.${name}) || object.status.${name} == oldObject.status.${name})`;

export class OwnNodePolicy extends Construct {
  readonly resource: ApiObject;
  readonly binding: ApiObject;

  constructor(scope: Construct, id: string, { name, labels: ownLabels, username }: OwnNodePolicyProps) {
    super(scope, id);
    const metadata = { name, labels: ownLabels };
    const validation = (expression: string, message: string): Validation => ({
      expression,
      message,
      reason: 'Forbidden',
    });
    this.resource = new Resource(this, 'Policy', ValidatingAdmissionPolicy, {
      metadata,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['nodes', 'nodes/*'], operations: ['*'] }],
        },
        matchConditions: [
          { name: 'the-node-agent', expression: `request.userInfo.username == ${celLiteral(username)}` },
        ],
        validations: [
          validation(
            `request.operation == "UPDATE" && has(request.subResource) && request.subResource == "status"`,
            'the node agent must change the status of nodes only',
          ),
          validation(IS_OWN_NODE, 'the node agent must change its own node only'),
          validation(
            changesOnly('annotations', [GANTRY_ACCELERATOR_CAPACITY, GANTRY_ALLOCATED_DEVICES, GANTRY_DEVICE_TOPOLOGY]),
            'the node agent must change its own annotations only',
          ),
          validation(
            `${entriesOf('object', 'labels')} == ${entriesOf('oldObject', 'labels')}`,
            'the node agent must not change labels',
          ),
          validation(
            `${sameConditions('object', 'oldObject')} && ${sameConditions('oldObject', 'object')}`,
            'the node agent must change its own conditions only',
          ),
          validation(
            OTHER_MEMBERS.map(sameMember).join(' && '),
            'the node agent must not change what the kubelet reports',
          ),
        ],
      },
    });
    this.binding = new Resource(this, 'Binding', ValidatingAdmissionPolicyBinding, {
      metadata,
      spec: { policyName: name, validationActions: ['Deny'] },
    });
    this.binding.addDependency(this.resource);
  }
}
