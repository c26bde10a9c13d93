/**
 * API versions that the target serves, and that a later release removes.
 */
import { toVersion } from '../../../../checks/schema/renamed-fields';
import { findKind, KUBERNETES_MINORS, versionsOfKind } from '../../../../facts/api/kinds';
import { type JsonObject, type KindInfo, type KubernetesMinor } from '../../../../facts/api/schema';
import { loadSchema } from '../../../../facts/api/schemas';
import { type ObjectRule, type Rule } from '../../../../checks/rules/rule';
import { HYGIENE } from './hygiene-rule';

const numberOf = (minor: KubernetesMinor): number => Number(minor.slice(2));

const NEWEST = Math.max(...KUBERNETES_MINORS.map(numberOf));

/** The first minor without the version: that of the released APIs, or else the planned one. */
function removalOf({ minors = [], removedIn }: KindInfo): KubernetesMinor | undefined {
  const last = Math.max(0, ...minors.map(numberOf));
  if (last > 0 && last < NEWEST) {
    return `1.${last + 1}`;
  }
  return removedIn !== undefined && numberOf(removedIn) > NEWEST ? removedIn : undefined;
}

/** The most stable version that outlives this one. */
function successorOf(info: KindInfo): KindInfo | undefined {
  return versionsOfKind(info.group, info.kind)
    .filter(
      (other) => other.apiVersion !== info.apiVersion && other.minors?.some((minor) => numberOf(minor) === NEWEST),
    )
    .filter((other) => {
      const [ours, theirs] = [removalOf(info), removalOf(other)];
      return theirs === undefined || (ours !== undefined && numberOf(theirs) > numberOf(ours));
    })
    .sort((a, b) => rank(b.version) - rank(a.version))[0];
}

/** Kubernetes' order of versions: v2, v1, v1beta2, v1beta1, v1alpha1. */
function rank(version: string): number {
  const [, major, stage, count] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  return (stage === undefined ? 2 : stage === 'beta' ? 1 : 0) * 1e6 + Number(major ?? 0) * 1e3 + Number(count ?? 0);
}

/** What to write now, or with the upgrade to the release that serves the version first. */
function fixOf(object: JsonObject, info: KindInfo, successor: KindInfo, kubernetes: KubernetesMinor): string {
  const first = successor.minors?.includes(kubernetes) === true ? undefined : successor.minors?.[0];
  const newer = loadSchema(successor, first ?? kubernetes);
  const change = toVersion(successor.apiVersion, object, loadSchema(info, kubernetes), newer);
  return first === undefined
    ? `${change}.`
    : `When you upgrade to Kubernetes ${first}, the first release that serves it, ${change.charAt(0).toLowerCase()}${change.slice(1)}.`;
}

const versionLasts: ObjectRule = {
  ...HYGIENE,
  id: 'hygiene/api-version-lasts',
  on: 'object',
  kinds: ['*'],
  summary: 'An API version should not be one that a later Kubernetes release removes.',
  why: 'After the upgrade the API server does not know the version, and rejects the manifest.',
  fix: 'Set apiVersion to the version that replaces it.',
  source: 'Kubernetes OpenAPI of each minor; k8s.io/api 0.37, zz_generated.prerelease-lifecycle.go',
  *check({ id, object }, { kubernetes }) {
    const info = findKind(id.apiVersion, id.kind);
    if (info?.builtIn !== true || info.minors?.includes(kubernetes) !== true) {
      return;
    }
    const removal = removalOf(info);
    if (removal === undefined || numberOf(removal) <= numberOf(kubernetes)) {
      return;
    }
    const successor = successorOf(info);
    yield {
      path: '/apiVersion',
      message: `${id.apiVersion} ${id.kind} is removed in Kubernetes ${removal}${successor === undefined ? '' : `; use ${successor.apiVersion}`}`,
      found: id.apiVersion,
      ...(successor === undefined
        ? { fix: `Remove the object before you upgrade to Kubernetes ${removal}.` }
        : {
            expected: successor.apiVersion,
            fix: fixOf(object, info, successor, kubernetes),
          }),
    };
  },
};

export const laterRemovalRules: readonly Rule[] = [versionLasts];
