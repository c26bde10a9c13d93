/**
 * MigConfigPolicy: a ValidatingAdmissionPolicy by which the scheduler changes the MIG configuration of nodes and nothing else of them. RBAC
 * cannot say that: a role grants `patch` on whole nodes.
 */
import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { GANTRY_MIG_CHANGE } from '../../facts/catalog/gantry-names';
import { MIG_CONFIG, MIG_STATE } from '../../planning/cluster/objects/mig-manager';
import { allUnchanged, celLiteral, changesOnly, forbidden, NODE_METADATA } from '../resources/admission-expressions';
import { admissionPolicy, ON_NODES } from '../resources/admission-policy';

export interface MigConfigPolicyProps {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** User name of the scheduler's service account. */
  readonly username: string;
}

export class MigConfigPolicy extends Construct {
  readonly resource: ApiObject;
  readonly binding: ApiObject;

  constructor(scope: Construct, id: string, { name, labels, username }: MigConfigPolicyProps) {
    super(scope, id);
    const { resource, binding } = admissionPolicy(this, {
      name,
      labels,
      spec: {
        matchConstraints: ON_NODES,
        matchConditions: [
          { name: 'the-scheduler', expression: `request.userInfo.username == ${celLiteral(username)}` },
        ],
        validations: [
          forbidden(
            'request.operation == "UPDATE" && (!has(request.subResource) || request.subResource == "")',
            'the scheduler must only update nodes',
          ),
          forbidden(
            changesOnly('labels', [MIG_CONFIG, MIG_STATE]),
            'the scheduler must change only the labels of the MIG configuration',
          ),
          forbidden(
            changesOnly('annotations', [GANTRY_MIG_CHANGE]),
            `the scheduler must change only the annotation ${GANTRY_MIG_CHANGE}`,
          ),
          forbidden(
            `${allUnchanged(NODE_METADATA)} && object.spec == oldObject.spec`,
            'the scheduler must not change the spec, the finalizers, or the owners of nodes',
          ),
        ],
      },
    });
    this.resource = resource;
    this.binding = binding;
  }
}
