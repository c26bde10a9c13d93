/**
 * What a set of manifests lays down for a namespace: its quotas, its limit ranges, the defaults that containers get.
 */
import { type JsonObject } from '../../facts/api/schema';
import { type Manifest } from '../../manifests/manifest';
import { type ManifestSet } from '../../manifests/manifest-set';
import { type PodTemplate } from '../../manifests/pod-template';
import { type Quantity } from '../../manifests/quantity';
import { asArray, asObject, asString, isObject } from '../../manifests/read';
import {
  type Amounts,
  amountsIn,
  type ContainerAmounts,
  type ContainerDefaults,
  NO_DEFAULTS,
  podAmounts,
} from '../../manifests/pod-amounts';

export interface Quota {
  readonly manifest: Manifest;
  readonly hard: Amounts;
  /** Counts only some of the namespace's pods. */
  readonly scoped: boolean;
}

/** One item of a LimitRange. */
export interface LimitItem {
  readonly manifest: Manifest;
  /** JSON pointer of the item. */
  readonly path: string;
  readonly type: string;
  readonly value: JsonObject;
}

export function quotaOf(manifest: Manifest): Quota {
  const spec = asObject(manifest.object.spec);
  return {
    manifest,
    hard: amountsIn(spec.hard),
    scoped: asArray(spec.scopes).length > 0 || asArray(asObject(spec.scopeSelector).matchExpressions).length > 0,
  };
}

export function limitItemsIn(manifest: Manifest): readonly LimitItem[] {
  return asArray(asObject(manifest.object.spec).limits).flatMap((value, index) =>
    isObject(value) ? [{ manifest, path: `/spec/limits/${index}`, type: asString(value.type) ?? '', value }] : [],
  );
}

/**
 * The defaults of a `Container` item as the server completes them: a limit is by default the maximum, a request the default limit, else
 * the minimum.
 *
 * Source: Kubernetes 1.36, pkg/apis/core/v1/defaults.go (SetDefaults_LimitRangeItem).
 */
export function containerDefaultsOf(item: LimitItem): ContainerDefaults {
  const limits = new Map([...amountsIn(item.value.max), ...amountsIn(item.value.default)]);
  const requests = new Map([...amountsIn(item.value.min), ...limits, ...amountsIn(item.value.defaultRequest)]);
  return { limits, requests };
}

/** What the containers of a namespace get from all its limit ranges together; the first that says something counts. */
function defaultsFrom(items: readonly LimitItem[]): ContainerDefaults {
  const limits = new Map<string, Quantity>();
  const requests = new Map<string, Quantity>();
  for (const item of items) {
    if (item.type !== 'Container') {
      continue;
    }
    const defaults = containerDefaultsOf(item);
    for (const [name, amount] of defaults.limits) {
      if (!limits.has(name)) {
        limits.set(name, amount);
      }
    }
    for (const [name, amount] of defaults.requests) {
      if (!requests.has(name)) {
        requests.set(name, amount);
      }
    }
  }
  return { limits, requests };
}

/** What a set lays down for one namespace. */
export interface NamespacePolicy {
  /** Quotas that count every pod; those with a scope are left out. */
  readonly quotas: readonly Quota[];
  readonly limits: readonly LimitItem[];
  readonly defaults: ContainerDefaults;
}

const NO_POLICY: NamespacePolicy = { quotas: [], limits: [], defaults: NO_DEFAULTS };
const policies = new WeakMap<ManifestSet, ReadonlyMap<string, NamespacePolicy>>();

/** The policy of a namespace. Worked out once for each set, since rules ask for it with every pod template. */
export function policyOf(set: ManifestSet, namespace: string): NamespacePolicy {
  let all = policies.get(set);
  if (all === undefined) {
    const quotas = byNamespace(set.ofKind('ResourceQuota').map(quotaOf));
    const limits = byNamespace(set.ofKind('LimitRange').flatMap(limitItemsIn));
    all = new Map(
      [...new Set([...quotas.keys(), ...limits.keys()])].map((name) => [
        name,
        {
          quotas: (quotas.get(name) ?? []).filter(({ scoped }) => !scoped),
          limits: limits.get(name) ?? [],
          defaults: defaultsFrom(limits.get(name) ?? []),
        },
      ]),
    );
    policies.set(set, all);
  }
  return all.get(namespace) ?? NO_POLICY;
}

/** The namespace is made in this set, so that nothing but the set fills it. */
export function namespaceIsOurs(set: ManifestSet, namespace: string): boolean {
  return namespace !== '' && set.get('Namespace', namespace) !== undefined;
}

const amountsOfTemplates = new WeakMap<PodTemplate, ContainerAmounts>();

/** What one pod of a template of this set asks for, with the defaults of its namespace. Worked out once, since several rules ask. */
export function amountsOf(template: PodTemplate, set: ManifestSet): ContainerAmounts {
  let amounts = amountsOfTemplates.get(template);
  if (amounts === undefined) {
    amounts = podAmounts(template.spec, policyOf(set, template.manifest.id.namespace).defaults);
    amountsOfTemplates.set(template, amounts);
  }
  return amounts;
}

function byNamespace<T extends { readonly manifest: Manifest }>(
  items: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const { namespace } = item.manifest.id;
    const group = groups.get(namespace);
    if (group === undefined) {
      groups.set(namespace, [item]);
    } else {
      group.push(item);
    }
  }
  return groups;
}
