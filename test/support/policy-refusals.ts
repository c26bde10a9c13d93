/**
 * What a ValidatingAdmissionPolicy refuses, evaluated as an API server evaluates it.
 */
import { celEnv, isCelError, parse, plan } from '@bufbuild/cel';
import { type ValidatingAdmissionPolicy } from '../../src/facts/api/types/admissionregistration.k8s.io/v1';
import { type JsonObject } from '../../src/facts/api/schema';

export interface AdmissionRequest {
  readonly before?: JsonObject | null;
  /** `null`: it is deleted. */
  readonly after: JsonObject | null;
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  /** Further members of `request`. */
  readonly request?: JsonObject;
}

/** Messages of the validations that fail; none where a match condition leaves the request out. */
export function policyRefusals(by: ValidatingAdmissionPolicy, asked: AdmissionRequest): readonly string[] {
  const { before, after, user = 'tenant', groups = ['system:authenticated'], extra, request = {} } = asked;
  const variables = {
    object: after,
    oldObject: before ?? null,
    request: {
      ...request,
      userInfo: { username: user, groups: [...groups], ...(extra && { extra: structuredClone(extra) as JsonObject }) },
    },
  };
  const holds = (expression: string): boolean => {
    const result = plan(celEnv(), parse(expression).expr)(variables);
    if (isCelError(result)) {
      throw new Error(`${expression}: ${result.message}`);
    }
    return result === true;
  };
  const { matchConditions = [], validations = [] } = by.spec ?? {};
  return matchConditions.every(({ expression }) => holds(expression))
    ? validations.filter(({ expression }) => !holds(expression)).map(({ message }) => message ?? '')
    : [];
}
