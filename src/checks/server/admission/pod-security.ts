/**
 * The PodSecurity admission plugin: what the level that a namespace enforces forbids of a pod.
 *
 * Source: k8s.io/pod-security-admission 0.36, api/helpers.go and policy/registry.go.
 */
import { type JsonObject, type KubernetesMinor } from '../../../facts/api/schema';
import { type Violation } from '../../rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { asObject, asString } from '../../../manifests/read';
import { POD_SECURITY_CHECKS } from './pod-security/checks';
import { type PodSecurityCheck, type RestrictedLevel, securedPod } from './pod-security/secured-pod';

/** The label of a namespace that names its level. */
const POD_SECURITY_LABEL = 'pod-security.kubernetes.io/enforce';
const VERSION_LABEL = 'pod-security.kubernetes.io/enforce-version';

/** The level that a namespace enforces, and the minor of the standard by which it does. */
export interface EnforcedLevel {
  readonly level: RestrictedLevel;
  readonly version: number;
}

/** @returns `undefined` where the namespace enforces nothing that a pod could violate */
export function enforcedLevel(namespace: Manifest | undefined, target: KubernetesMinor): EnforcedLevel | undefined {
  const labels = asObject(asObject(namespace?.object.metadata).labels);
  const level = asString(labels[POD_SECURITY_LABEL]);
  if (level !== 'baseline' && level !== 'restricted') {
    return undefined;
  }
  const [, minor] = /^v1\.(0|[1-9]\d*)$/.exec(asString(labels[VERSION_LABEL]) ?? '') ?? [];
  const newest = Number(target.slice(2));
  // A version that the server does not have yet is its newest.
  return { level, version: minor === undefined ? newest : Math.min(newest, Number(minor)) };
}

/** The checks of a level in a version of the standard, each in the revision of that version. */
const inForce = new Map<string, readonly PodSecurityCheck['revisions'][number][]>();

function checksOf({ level, version }: EnforcedLevel): readonly PodSecurityCheck['revisions'][number][] {
  const key = `${level} ${version}`;
  let found = inForce.get(key);
  if (found === undefined) {
    const current = POD_SECURITY_CHECKS.flatMap((check) => {
      const revision = check.revisions.filter(({ since }) => since <= version).at(-1);
      return revision === undefined || (level === 'baseline' && check.level === 'restricted')
        ? []
        : [{ check, revision }];
    });
    const replaced = new Set(current.map(({ check }) => check.overrides));
    found = current.filter(({ check }) => !replaced.has(check.id)).map(({ revision }) => revision);
    inForce.set(key, found);
  }
  return found;
}

/** What the level forbids of a pod; paths start from the object with its `metadata` and `spec`. */
export function* podSecurityViolations(
  pod: { readonly metadata: JsonObject; readonly spec: JsonObject },
  enforced: EnforcedLevel,
): Iterable<Violation> {
  const secured = securedPod(pod);
  for (const { find } of checksOf(enforced)) {
    yield* find(secured);
  }
}
