/**
 * Manifests that are invalid after the MutatingAdmissionPolicies of a cluster, and mutations that fail.
 */
import { type Manifest } from '../../manifests/manifest';
import { type RuleContext, type SetRule, type Violation } from '../rules/rule';
import { ShapeChecker, type ShapeViolation } from '../schema/check-shape';
import { type Mutations } from './mutations';
import { type TargetCluster } from './target-cluster';

const CRD = 'apiextensions.k8s.io/CustomResourceDefinition';

export function mutatingPolicyRule(cluster: TargetCluster, mutations: Mutations): SetRule {
  return {
    id: 'cluster/mutating-policy',
    row: 'CL6',
    on: 'set',
    tier: 'server',
    severity: 'error',
    summary: 'Every manifest is valid after the mutating admission policies of the cluster.',
    why: 'The API server rejects the object: a mutation fails, or what it returns is invalid.',
    source: 'the MutatingAdmissionPolicies of the cluster given with --cluster',
    fix: 'Correct spec.mutations of the policy, or exclude the object in spec.matchConditions.',
    *check(context): Iterable<Violation & { readonly manifest: Manifest }> {
      let checker: ShapeChecker | undefined;
      for (const manifest of context.set.manifests) {
        const { object, by, failures } = mutations.of(manifest, context);
        for (const { policy, why } of failures) {
          yield { manifest, path: '', message: `MutatingAdmissionPolicy "${policy}" fails: ${why}` };
        }
        if (by.length === 0) {
          continue;
        }
        checker ??= checkerOf(context);
        for (const { path, message } of added(manifest, { ...manifest, object }, checker)) {
          yield {
            manifest,
            path: '',
            message: `invalid after MutatingAdmissionPolicy ${by.join(', ')}: ${path} ${message}`,
          };
        }
      }
    },
  };

  function checkerOf({ set, kubernetes }: RuleContext): ShapeChecker {
    return new ShapeChecker({ kubernetes, definitions: set.ofKind(CRD).map(({ object }) => object), cluster });
  }
}

/** What is wrong with the mutated object and not with the manifest. */
function added(before: Manifest, now: Manifest, checker: ShapeChecker): readonly ShapeViolation[] {
  const key = ({ rule, path, message }: ShapeViolation): string => `${rule} ${path} ${message}`;
  const known = new Set(checker.check(before).violations.map(key));
  return checker.check(now).violations.filter((violation) => !known.has(key(violation)));
}
