/**
 * ClaimPolicy: a ValidatingAdmissionPolicy by which the scheduler gives devices to resource claims and takes them back, and changes nothing
 * else of them. RBAC cannot say that: a role grants `patch` on whole claims, since the finalizer is part of their metadata.
 */
import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { CLAIM_FINALIZER } from '../../facts/catalog/device-classes';
import { celLiteral, changesOnly, forbidden, listOf } from '../resources/admission-expressions';
import { admissionPolicy } from '../resources/admission-policy';

export interface ClaimPolicyProps {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** User name of the scheduler's service account. */
  readonly username: string;
}

const finalizers = (object: string): string =>
  `${listOf(object, 'metadata.finalizers')}.filter(one, one != ${celLiteral(CLAIM_FINALIZER)})`;
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
    const { resource, binding } = admissionPolicy(this, {
      name,
      labels,
      spec: {
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
          forbidden('request.operation == "UPDATE"', 'the scheduler must only update resource claims'),
          forbidden(
            `${changesOnly('labels', [])} && ${changesOnly('annotations', [])}`,
            'the scheduler must not change labels and annotations of resource claims',
          ),
          forbidden(
            `${finalizers('object')} == ${finalizers('oldObject')} && ${listOf('object', 'metadata.ownerReferences')} == ${listOf('oldObject', 'metadata.ownerReferences')}`,
            `the scheduler must change only the finalizer ${CLAIM_FINALIZER}`,
          ),
          forbidden(
            `${others('object')} == ${others('oldObject')}`,
            'the scheduler must reserve resource claims for pods only',
          ),
          // What drivers report goes with the devices.
          forbidden(
            `!(${hasStatus('object', 'allocation')}) || ${reports('object')} == ${reports('oldObject')}`,
            'the scheduler must not change what drivers report about devices',
          ),
        ],
      },
    });
    this.resource = resource;
    this.binding = binding;
  }
}
