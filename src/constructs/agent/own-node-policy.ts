/**
 * OwnNodePolicy: a ValidatingAdmissionPolicy by which the agent's service account changes the Node that it runs on, and of that only what
 * the agent reports. RBAC cannot say either: a role grants `patch` on the status of all nodes, and of all of it.
 */
import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import {
  GANTRY_ACCELERATOR_CAPACITY,
  GANTRY_ALLOCATED_DEVICES,
  GANTRY_DEVICE_TOPOLOGY,
} from '../../facts/catalog/gantry-names';
import { NODE_AGENT_CONDITIONS } from '../../facts/catalog/node-conditions';
import {
  allUnchanged,
  celLiteral,
  changesOnly,
  entriesOf,
  forbidden,
  NODE_STATUS,
  otherItemsUnchanged,
} from '../resources/admission-expressions';
import { admissionPolicy, ON_NODES } from '../resources/admission-policy';

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

export class OwnNodePolicy extends Construct {
  readonly resource: ApiObject;
  readonly binding: ApiObject;

  constructor(scope: Construct, id: string, { name, labels, username }: OwnNodePolicyProps) {
    super(scope, id);
    const { resource, binding } = admissionPolicy(this, {
      name,
      labels,
      spec: {
        matchConstraints: ON_NODES,
        matchConditions: [
          { name: 'the-node-agent', expression: `request.userInfo.username == ${celLiteral(username)}` },
        ],
        validations: [
          forbidden(
            `request.operation == "UPDATE" && has(request.subResource) && request.subResource == "status"`,
            'the node agent must change the status of nodes only',
          ),
          forbidden(IS_OWN_NODE, 'the node agent must change its own node only'),
          forbidden(
            changesOnly('annotations', [GANTRY_ACCELERATOR_CAPACITY, GANTRY_ALLOCATED_DEVICES, GANTRY_DEVICE_TOPOLOGY]),
            'the node agent must change its own annotations only',
          ),
          forbidden(
            `${entriesOf('object', 'labels')} == ${entriesOf('oldObject', 'labels')}`,
            'the node agent must not change labels',
          ),
          forbidden(
            otherItemsUnchanged('status.conditions', `one.type in ${celLiteral(NODE_AGENT_CONDITIONS)}`),
            'the node agent must change its own conditions only',
          ),
          forbidden(allUnchanged(NODE_STATUS), 'the node agent must not change what the kubelet reports'),
        ],
      },
    });
    this.resource = resource;
    this.binding = binding;
  }
}
