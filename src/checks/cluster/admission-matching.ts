/**
 * Which requests admission policies and webhooks are asked about.
 *
 * Source: Kubernetes 1.36, staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/predicates and plugin/policy/matching.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { type Manifest } from '../../manifests/manifest';
import { type ManifestSet } from '../../manifests/manifest-set';
import { asArray, asObject, isObject, stringsIn } from '../../manifests/read';
import { selectorChooses } from '../../manifests/references/selectors';
import { type TargetCluster } from './target-cluster';

export interface AdmissionRequest {
  readonly manifest: Manifest;
  /** The manifests and the objects of the cluster: the labels of namespaces. */
  readonly set: ManifestSet;
  readonly cluster: TargetCluster;
  /** @default 'CREATE' */
  readonly operation?: 'CREATE' | 'UPDATE';
}

/**
 * Whether the resource rules and selectors of a policy, a binding, or a webhook choose the request.
 *
 * @param required whether nothing is chosen without rules
 */
export function admissionMatches(resources: JsonObject, request: AdmissionRequest, required = false): boolean {
  const { manifest, set } = request;
  const rules = asArray(resources.resourceRules).filter(isObject);
  const isChosen = rules.some((rule) => ruleMatches(rule, request)) || (rules.length === 0 && !required);
  if (!isChosen || asArray(resources.excludeResourceRules).some((rule) => ruleMatches(asObject(rule), request))) {
    return false;
  }
  const labels = asObject(asObject(manifest.object.metadata).labels);
  if (isObject(resources.objectSelector) && !selectorChooses(resources.objectSelector, labels)) {
    return false;
  }
  const { namespace } = manifest.id;
  if (!isObject(resources.namespaceSelector) || namespace === '') {
    return true;
  }
  const object = set.get('Namespace', namespace)?.object;
  const named = { 'kubernetes.io/metadata.name': namespace, ...asObject(asObject(object?.metadata).labels) };
  return selectorChooses(resources.namespaceSelector, named);
}

function ruleMatches(rule: JsonObject, { manifest: { id }, cluster, operation = 'CREATE' }: AdmissionRequest): boolean {
  const has = (list: JsonValue | undefined, ...wanted: readonly string[]): boolean =>
    stringsIn(list).some((text) => text === '*' || wanted.includes(text));
  const served = cluster.kindOf(id.apiVersion, id.kind);
  const names = stringsIn(rule.resourceNames);
  return (
    has(rule.apiGroups, id.group) &&
    has(rule.apiVersions, id.apiVersion.split('/').at(-1) ?? '') &&
    has(rule.operations, operation) &&
    has(rule.resources, '*/*', served?.plural ?? '') &&
    (names.length === 0 || names.includes(id.name)) &&
    (rule.scope === undefined || rule.scope === '*' || (rule.scope === 'Namespaced') === (id.namespace !== ''))
  );
}
