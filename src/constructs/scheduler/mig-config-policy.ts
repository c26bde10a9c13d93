/**
 * MigConfigPolicy: a ValidatingAdmissionPolicy by which the scheduler changes the MIG configuration of nodes and nothing else of them. RBAC
 * cannot say that: a role grants `patch` on whole nodes.
 */
import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  type Validation,
} from '../../facts/api/types/admissionregistration.k8s.io/v1';
import { GANTRY_MIG_CHANGE } from '../../facts/catalog/gantry-names';
import { MIG_CONFIG, MIG_STATE } from '../../planning/cluster/objects/mig-manager';
import { celLiteral, changesOnly } from '../resources/admission-expressions';
import { Resource } from '../resources/resource';

export interface MigConfigPolicyProps {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** User name of the scheduler's service account. */
  readonly username: string;
}

/** Members of a Node's metadata by which other controllers act on it. */
const OTHER_METADATA = ['finalizers', 'ownerReferences'];

const sameMetadata = (name: string): string =>
  `has(object.metadata.${name}) == has(oldObject.metadata.${name}) && ` +
  `(!has(object.metadata.${name}) || object.metadata.${name} == oldObject.metadata.${name})`;

export class MigConfigPolicy extends Construct {
  readonly resource: ApiObject;
  readonly binding: ApiObject;

  constructor(scope: Construct, id: string, { name, labels, username }: MigConfigPolicyProps) {
    super(scope, id);
    const metadata = { name, labels };
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
          { name: 'the-scheduler', expression: `request.userInfo.username == ${celLiteral(username)}` },
        ],
        validations: [
          validation(
            'request.operation == "UPDATE" && (!has(request.subResource) || request.subResource == "")',
            'the scheduler must only update nodes',
          ),
          validation(
            changesOnly('labels', [MIG_CONFIG, MIG_STATE]),
            'the scheduler must change only the labels of the MIG configuration',
          ),
          validation(
            changesOnly('annotations', [GANTRY_MIG_CHANGE]),
            `the scheduler must change only the annotation ${GANTRY_MIG_CHANGE}`,
          ),
          validation(
            [...OTHER_METADATA.map(sameMetadata), 'object.spec == oldObject.spec'].join(' && '),
            'the scheduler must not change the spec, the finalizers, or the owners of nodes',
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
