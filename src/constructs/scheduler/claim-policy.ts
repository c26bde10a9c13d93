/**
 * ClaimPolicy: a ValidatingAdmissionPolicy by which the scheduler gives devices to resource claims and takes them back, and changes nothing
 * else of them. RBAC cannot say that: a role grants `patch` on whole claims, since the finalizer is part of their metadata. The only claims that
 * it makes, and deletes, are those for the extended resources of a pod, which request devices of a class and nothing else.
 */
import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { CLAIM_FINALIZER, EXTENDED_CLAIM_ANNOTATION } from '../../facts/catalog/device-classes';
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

const isUpdate = 'request.operation == "UPDATE"';
const onUpdate = (condition: string): string => `!(${isUpdate}) || (${condition})`;
/** Made for the extended resources of a pod. */
const ofPod = (object: string): string =>
  `has(${object}.metadata.annotations) && ${celLiteral(EXTENDED_CLAIM_ANNOTATION)} in ${object}.metadata.annotations && ` +
  `has(${object}.metadata.ownerReferences) && ${object}.metadata.ownerReferences.size() == 1 && ` +
  `${object}.metadata.ownerReferences.all(one, one.apiVersion == "v1" && one.kind == "Pod" && has(one.controller) && one.controller)`;
const requestsOnly =
  'has(object.spec.devices) && !has(object.spec.devices.constraints) && !has(object.spec.devices.config) && ' +
  'has(object.spec.devices.requests) && object.spec.devices.requests.all(one, has(one.exactly) && !has(one.firstAvailable) && ' +
  '!has(one.exactly.selectors) && !has(one.exactly.adminAccess) && !has(one.exactly.tolerations))';

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
          forbidden(
            `request.operation != "CREATE" || (${ofPod('object')} && ${requestsOnly})`,
            'the scheduler must make resource claims only for the extended resources of a pod',
          ),
          forbidden(
            `request.operation != "DELETE" || (${ofPod('oldObject')} && !(${hasStatus('oldObject', 'reservedFor')}))`,
            'the scheduler must delete only resource claims for extended resources that no pod uses',
          ),
          forbidden(
            onUpdate(`${changesOnly('labels', [])} && ${changesOnly('annotations', [])}`),
            'the scheduler must not change labels and annotations of resource claims',
          ),
          forbidden(
            onUpdate(
              `${finalizers('object')} == ${finalizers('oldObject')} && ${listOf('object', 'metadata.ownerReferences')} == ${listOf('oldObject', 'metadata.ownerReferences')}`,
            ),
            `the scheduler must change only the finalizer ${CLAIM_FINALIZER}`,
          ),
          forbidden(
            onUpdate(`${others('object')} == ${others('oldObject')}`),
            'the scheduler must reserve resource claims for pods only',
          ),
          // What drivers report goes with the devices.
          forbidden(
            onUpdate(`!(${hasStatus('object', 'allocation')}) || ${reports('object')} == ${reports('oldObject')}`),
            'the scheduler must not change what drivers report about devices',
          ),
        ],
      },
    });
    this.resource = resource;
    this.binding = binding;
  }
}
