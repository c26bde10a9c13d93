/**
 * What a namespace imposes on its pods: quotas, limit ranges, and the defaults that containers get.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { type Quantity } from '../../../manifests/values/quantity';
import { asArray, asObject, asString, isObject } from '../../../manifests/read';
import {
  type Amounts,
  amountsIn,
  type ContainerAmounts,
  type ContainerDefaults,
  podAmounts,
} from '../../../manifests/pods/pod-amounts';
import { type ClusterContents, contentsFor, contentsOfSet } from './cluster-contents';

/** A condition on pods that a quota counts. */
export interface ScopeSelector {
  readonly scope: string;
  readonly operator: string;
  readonly values: readonly string[];
}

export interface Quota {
  readonly manifest: Manifest;
  readonly hard: Amounts;
  /** All of them must hold for what the quota counts. */
  readonly selectors: readonly ScopeSelector[];
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
  const scopes = asArray(spec.scopes).map((scope) => ({
    scope: asString(scope) ?? '',
    operator: 'Exists',
    values: [],
  }));
  const expressions = asArray(asObject(spec.scopeSelector).matchExpressions)
    .filter(isObject)
    .map((expression) => ({
      scope: asString(expression.scopeName) ?? '',
      operator: asString(expression.operator) ?? '',
      values: asArray(expression.values).filter((value): value is string => typeof value === 'string'),
    }));
  const selectors = [...scopes, ...expressions];
  return { manifest, hard: amountsIn(spec.hard), selectors, scoped: selectors.length > 0 };
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

/** What a cluster imposes in one namespace. */
export interface NamespacePolicy {
  /** All quotas, those with a scope as well. */
  readonly allQuotas: readonly Quota[];
  /** Quotas that count every pod. */
  readonly quotas: readonly Quota[];
  readonly limits: readonly LimitItem[];
  readonly defaults: ContainerDefaults;
}

const policies = new WeakMap<ClusterContents, Map<string, NamespacePolicy>>();

/** The policy of a namespace. Worked out once for each, since rules ask for it with every pod template. */
export function policyIn(contents: ClusterContents, namespace: string): NamespacePolicy {
  let all = policies.get(contents);
  if (all === undefined) {
    all = new Map<string, NamespacePolicy>();
    policies.set(contents, all);
  }
  let policy = all.get(namespace);
  if (policy === undefined) {
    const allQuotas = (contents.quotas.get(namespace) ?? []).map(quotaOf);
    const limits = (contents.limitRanges.get(namespace) ?? []).flatMap(limitItemsIn);
    policy = { allQuotas, quotas: allQuotas.filter(({ scoped }) => !scoped), limits, defaults: defaultsFrom(limits) };
    all.set(namespace, policy);
  }
  return policy;
}

/** The policy of the namespace of a manifest, as the set describes it. */
export function policyOf(set: ManifestSet, manifest: Manifest): NamespacePolicy {
  return policyIn(contentsFor(set, manifest), manifest.id.namespace);
}

/** The namespace is made in this set, so that nothing but the set fills it. */
export function namespaceIsOurs(set: ManifestSet, namespace: string): boolean {
  return namespace !== '' && contentsOfSet(set).complete.has(namespace);
}

const amountsOfTemplates = new WeakMap<PodTemplate, ContainerAmounts>();

/** What one pod of a template of this set asks for, with the defaults of its namespace. Worked out once, since several rules ask. */
export function amountsOf(template: PodTemplate, set: ManifestSet): ContainerAmounts {
  let amounts = amountsOfTemplates.get(template);
  if (amounts === undefined) {
    amounts = podAmounts(template.spec, policyOf(set, template.manifest).defaults);
    amountsOfTemplates.set(template, amounts);
  }
  return amounts;
}
