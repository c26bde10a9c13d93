/**
 * A ValidatingAdmissionPolicy with its binding, which denies what violates it.
 */
import { type ApiObject } from 'cdk8s';
import { type Construct } from 'constructs';
import {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  type ValidatingAdmissionPolicySpec,
} from '../../facts/api/types/admissionregistration.k8s.io/v1';
import { Resource } from './resource';

export interface AdmissionPolicyProps {
  /** Of both objects. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /**
   * What the ids of the constructs end in.
   * @default - nothing
   */
  readonly suffix?: string;
  readonly spec: Omit<ValidatingAdmissionPolicySpec, 'failurePolicy'>;
}

/** Every request for nodes and their subresources. */
export const ON_NODES: ValidatingAdmissionPolicySpec['matchConstraints'] = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['nodes', 'nodes/*'], operations: ['*'] }],
};

/** The policy and its binding, which comes after it. */
export function admissionPolicy(
  scope: Construct,
  { name, labels, suffix = '', spec }: AdmissionPolicyProps,
): { readonly resource: ApiObject; readonly binding: ApiObject } {
  const metadata = { name, labels };
  const resource = new Resource(scope, `Policy${suffix}`, ValidatingAdmissionPolicy, {
    metadata,
    spec: { failurePolicy: 'Fail', ...spec },
  });
  const binding = new Resource(scope, `Binding${suffix}`, ValidatingAdmissionPolicyBinding, {
    metadata,
    spec: { policyName: name, validationActions: ['Deny'] },
  });
  binding.addDependency(resource);
  return { resource, binding };
}
