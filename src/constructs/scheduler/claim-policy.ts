/**
 * ClaimPolicy: a ValidatingAdmissionPolicy by which the scheduler gives devices to resource claims and takes them back, and changes nothing
 * else of them. RBAC cannot say that: a role grants `patch` on whole claims, since the finalizer is part of their metadata.
 */
import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  type Validation,
} from '../../facts/api/types/admissionregistration.k8s.io/v1';
import { CLAIM_FINALIZER } from '../../facts/catalog/device-classes';
import { celLiteral, changesOnly } from '../resources/admission-expressions';
import { Resource } from '../resources/resource';

export interface ClaimPolicyProps {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** User name of the scheduler's service account. */
  readonly username: string;
}

const finalizers = (object: string): string =>
  `(has(${object}.metadata.finalizers) ? ${object}.metadata.finalizers : []).filter(one, one != ${celLiteral(CLAIM_FINALIZER)})`;
const owners = (object: string): string =>
  `(has(${object}.metadata.ownerReferences) ? ${object}.metadata.ownerReferences : [])`;
const hasStatus = (object: string, field: string): string => `has(${object}.status) && has(${object}.status.${field})`;
/** Reservations for anything but pods. */
const others = (object: string): string =>
  `(${hasStatus(object, 'reservedFor')} ? ${object}.status.reservedFor : []).filter(one, ` +
  'one.resource != "pods" || (has(one.apiGroup) && one.apiGroup != ""))';
const reports = (object: string): string => `(${hasStatus(object, 'devices')} ? ${object}.status.devices : [])`;

export class ClaimPolicy extends Construct {
  readonly resource: ApiObject;
  readonly binding: ApiObject;

  constructor(scope: Construct, id: string, { name, labels, username }: ClaimPolicyProps) {
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
          resourceRules: [
            {
              apiGroups: ['resource.k8s.io'],
              apiVersions: ['*'],
              resources: ['resourceclaims', 'resourceclaims/*'],
              operations: ['*'],
            },
          ],
        },
        matchConditions: [
          { name: 'the-scheduler', expression: `request.userInfo.username == ${celLiteral(username)}` },
        ],
        validations: [
          validation('request.operation == "UPDATE"', 'the scheduler must only update resource claims'),
          validation(
            `${changesOnly('labels', [])} && ${changesOnly('annotations', [])}`,
            'the scheduler must not change labels and annotations of resource claims',
          ),
          validation(
            `${finalizers('object')} == ${finalizers('oldObject')} && ${owners('object')} == ${owners('oldObject')}`,
            `the scheduler must change only the finalizer ${CLAIM_FINALIZER}`,
          ),
          validation(
            `${others('object')} == ${others('oldObject')}`,
            'the scheduler must reserve resource claims for pods only',
          ),
          // What drivers report goes with the devices.
          validation(
            `!(${hasStatus('object', 'allocation')}) || ${reports('object')} == ${reports('oldObject')}`,
            'the scheduler must not change what drivers report about devices',
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
