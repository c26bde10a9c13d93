/**
 * What a check can say only if it knows the cluster: references to what does not exist, and quotas that are used already.
 */
import { ObjectNames } from '../../facts/spelling';
import { type Manifest } from '../../manifests/manifest';
import { namesOfKind } from '../../manifests/references/placed-names';
import { fieldOf, valueAt } from '../../manifests/pointer';
import { Quantity } from '../../manifests/values/quantity';
import { asArray, asObject, asString, isObject } from '../../manifests/read';
import { amountsIn } from '../../manifests/pods/pod-amounts';
import { type SetRule, type Violation } from '../rules/rule';
import { countedPod } from '../server/admission/admit-pod';
import { contentsOfSet } from '../server/admission/cluster-contents';
import { policyIn } from '../server/admission/namespace-policy';
import { nearObject } from '../server/near-object';
import { countsPod, podUse } from '../server/admission/quotas';
import { admissionPolicyRule } from './admission-policies';
import { mutatingPolicyRule } from './mutating-policies';
import { Mutations } from './mutations';
import { type TargetCluster } from './target-cluster';

type Found = Violation & { readonly manifest: Manifest };

/** The rules of a check against this cluster. */
export function clusterRules(cluster: TargetCluster): readonly SetRule[] {
  const mutations = new Mutations(cluster);
  return [
    referenceFound(cluster),
    quotaLeft(cluster),
    admissionPolicyRule(cluster, mutations),
    mutatingPolicyRule(cluster, mutations),
  ];
}

/** Kinds that controllers create when they are missing, or that every namespace gets. */
const MADE: ReadonlySet<string> = new Set(['ServiceAccount/default']);

function referenceFound(cluster: TargetCluster): SetRule {
  return {
    id: 'cluster/reference-found',
    row: 'CL3',
    on: 'set',
    tier: 'server',
    severity: 'error',
    summary: 'Every object that a manifest names exists in the manifests or in the cluster.',
    why: 'The API server or a controller rejects the object, or it waits for what does not exist.',
    source: 'the cluster given with --cluster',
    fix: 'Set the reference to the metadata.name of an existing object, or add the object to the manifests.',
    *check({ set }): Iterable<Found> {
      const known = new Map<string, ObjectNames>();
      const nearest = (kind: string, namespace: string, name: string): string | undefined => {
        const key = `${kind} ${namespace}`;
        let names = known.get(key);
        if (names === undefined) {
          names = new ObjectNames([...cluster.namesOf(kind, namespace), ...namesOfKind(set, kind).all]);
          known.set(key, names);
        }
        return names.nearest(name);
      };
      for (const manifest of set.manifests) {
        for (const reference of set.referencesFrom(manifest)) {
          const { kind, name, namespace, path, optional } = reference;
          const exists = cluster.has(kind, namespace, name);
          if (exists !== false || optional || set.resolve(reference) !== undefined || isGiven(reference, manifest)) {
            continue;
          }
          const nearestName = nearest(kind, namespace, name);
          const value = valueAt(manifest.object, path);
          const near =
            nearestName === undefined ? undefined : nearObject(set, { kind, name, path, value }, nearestName);
          const meant = near !== undefined && near.expected === nearestName ? ` (did you mean "${nearestName}"?)` : '';
          const short = kind.split('/').at(-1) ?? kind;
          yield {
            manifest,
            path,
            message: `${short} "${namespace === '' ? name : `${namespace}/${name}`}" not found in the manifests or in the cluster ${cluster.name}${meant}`,
            found: name,
            fix:
              near?.fix ??
              `Set ${fieldOf(path)} to the name of an existing ${short}, or add the ${short} to the manifests.`,
          };
        }
      }
    },
  };
}

/** Whether the namespace of the reference is unknown, or every namespace has the object. */
function isGiven(
  { kind, name, namespace }: { readonly kind: string; readonly name: string; readonly namespace: string },
  { id }: Manifest,
): boolean {
  return (id.namespace !== '' && namespace === '' && kind === 'ServiceAccount') || MADE.has(`${kind}/${name}`);
}

function quotaLeft(cluster: TargetCluster): SetRule {
  return {
    id: 'cluster/quota-left',
    row: 'CL4',
    on: 'set',
    tier: 'server',
    severity: 'warning',
    summary: 'The pods of new workloads fit what the quotas of the cluster have left.',
    why: 'The API server rejects the pods above the quota until others end.',
    source: 'pkg/quota/v1 of Kubernetes, with the use that the cluster states',
    fix: 'Increase spec.hard of the ResourceQuota, or delete pods of the namespace that are no longer needed.',
    *check({ set }): Iterable<Found> {
      const running = workloadsOf(cluster);
      const contents = contentsOfSet(set);
      const fresh = set.manifests.filter(({ id }) => !isRunning(id, running));
      for (const namespace of new Set(fresh.map(({ id }) => id.namespace))) {
        const own = fresh.filter(({ id }) => id.namespace === namespace);
        for (const quota of policyIn(contents, namespace).allQuotas) {
          const used = amountsIn(asObject(quota.manifest.object.status).used);
          for (const [key, hard] of quota.hard) {
            const before = used.get(key);
            if (before === undefined || before.isGreaterThan(hard)) {
              continue;
            }
            let sum = Quantity.ZERO;
            let last: Manifest | undefined;
            for (const manifest of own) {
              for (const template of set.podTemplatesOf(manifest)) {
                const pod = countedPod(template.spec, namespace, contents);
                const each = countsPod(quota, pod) ? podUse(key, pod.amounts) : undefined;
                if (each !== undefined && (template.count ?? 0) > 0) {
                  sum = sum.add(each.multiply(template.count ?? 0));
                  last = manifest;
                }
              }
            }
            if (last !== undefined && before.add(sum).isGreaterThan(hard)) {
              yield {
                manifest: last,
                path: '/spec',
                message: `the new workloads of the namespace "${namespace}" exceed what the ResourceQuota "${quota.manifest.id.name}" has left (${sum.toString()} requested, ${before.toString()} of ${hard.toString()} ${key} used)`,
                found: sum.toString(),
              };
            }
          }
        }
      }
    },
  };
}

/** Owners of the cluster's pods, `namespace/name`. */
function workloadsOf(cluster: TargetCluster): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { metadata } of cluster.itemsOf('Pod')) {
    const { namespace, name, ownerReferences, labels } = asObject(metadata);
    names.add(`${asString(namespace) ?? ''}/${asString(name) ?? ''}`);
    for (const owner of asArray(ownerReferences).filter(isObject)) {
      const hash = asString(asObject(labels)['pod-template-hash']);
      const ownerName = asString(owner.name) ?? '';
      names.add(`${asString(namespace) ?? ''}/${ownerName}`);
      if (hash !== undefined && ownerName.endsWith(`-${hash}`)) {
        names.add(`${asString(namespace) ?? ''}/${ownerName.slice(0, -hash.length - 1)}`);
      }
    }
  }
  return names;
}

function isRunning({ namespace, name }: Manifest['id'], running: ReadonlySet<string>): boolean {
  return running.has(`${namespace}/${name}`);
}
