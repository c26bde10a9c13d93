/**
 * API versions that the target serves, and that a later release removes.
 */
import { findKind, KUBERNETES_MINORS, versionsOfKind } from '../../../../facts/api/kinds';
import { type KindInfo, type KubernetesMinor } from '../../../../facts/api/schema';
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

const versionLasts: ObjectRule = {
  ...HYGIENE,
  id: 'hygiene/api-version-lasts',
  on: 'object',
  kinds: ['*'],
  summary: 'An API version should not be one that a later Kubernetes release removes.',
  why: 'After the upgrade the API server does not know the version, and rejects the manifest.',
  fix: 'Set apiVersion to the version that replaces it.',
  source: 'Kubernetes OpenAPI of each minor; k8s.io/api 0.37, zz_generated.prerelease-lifecycle.go',
  *check({ id }, { kubernetes }) {
    const info = findKind(id.apiVersion, id.kind);
    if (info?.builtIn !== true || info.minors?.includes(kubernetes) !== true) {
      return;
    }
    const removal = removalOf(info);
    if (removal === undefined || numberOf(removal) <= numberOf(kubernetes)) {
      return;
    }
    const successor = successorOf(info);
    const served = successor?.minors?.includes(kubernetes) === true;
    yield {
      path: '/apiVersion',
      message: `${id.apiVersion} ${id.kind} is removed in Kubernetes ${removal}${successor === undefined ? '' : `; use ${successor.apiVersion}`}`,
      found: id.apiVersion,
      ...(successor === undefined
        ? { fix: `Remove the object before you upgrade to Kubernetes ${removal}.` }
        : {
            expected: successor.apiVersion,
            fix: served
              ? `Set apiVersion to ${successor.apiVersion}.`
              : `Set apiVersion to ${successor.apiVersion} when you upgrade to Kubernetes ${successor.minors?.[0] ?? ''}, the first release that serves it.`,
          }),
    };
  },
};

export const laterRemovalRules: readonly Rule[] = [versionLasts];
