/**
 * Pod security: what the level that a namespace enforces rejects of the pods that are meant for it.
 */
import { allOf } from '../../../facts/words';
import { fieldOf } from '../../../manifests/pointer';
import { type Rule, type Violation } from '../../../checks/rules/rule';
import { contentsOfSet } from '../../../checks/server/admission/cluster-contents';
import { enforcedLevel, podSecurityViolations } from '../../../checks/server/admission/pod-security';

const levelAllows: Rule = {
  id: 'tenancy/pod-security-level-allows',
  on: 'pod-template',
  sees: 'namespace',
  tier: 'server',
  severity: 'error',
  summary: 'Pods must comply with the pod security level that their namespace enforces.',
  why: 'The API server rejects the pods. A workload is accepted with a warning, but the pods of its controller are rejected. RDMA pods add IPC_LOCK, which even `baseline` rejects.',
  source: 'Kubernetes 1.36, k8s.io/pod-security-admission/policy',
  fix: 'Set securityContext of the pod and its containers as the level requires, or set the label pod-security.kubernetes.io/enforce of the namespace to a less restrictive level.',
  *check(template, { set, kubernetes }) {
    const { namespace } = template.manifest.id;
    const enforced = enforcedLevel(contentsOfSet(set).namespaces.get(namespace), kubernetes);
    for (const violation of enforced === undefined ? [] : podSecurityViolations(template, enforced)) {
      yield {
        ...violation,
        fix: `${complying(violation)}, or set the label pod-security.kubernetes.io/enforce of the namespace to a less restrictive level.`,
        message: `${violation.message}, but the namespace "${namespace}" enforces the pod security level ${enforced?.level ?? ''}`,
      };
    }
  },
};

/** What makes the pod comply, as the beginning of a fix. */
function complying({ path = '', message, expected = '', found }: Violation): string {
  const field = fieldOf(path);
  if (Array.isArray(found)) {
    return `Remove ${allOf(found.map(String))} from ${field}`;
  }
  if (/^[\w.]+: /.test(expected)) {
    return `Set ${expected} in ${field}`;
  }
  if (/^(?:no |unset\b)/.test(expected)) {
    return `Remove ${field}`;
  }
  return message.includes(' a volume of type ') ? `Replace ${field} with ${expected}` : `Set ${field} to ${expected}`;
}

export const podSecurityRules: readonly Rule[] = [levelAllows];
