/**
 * A snapshot without the names that people gave: each is replaced by another, the same one wherever it occurs, so that a plan on the
 * result is the plan on the original. Amounts, hardware, times, and what projects name themselves stay.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { compareNames } from '../../placement/model/names';
import { asArray, asObject, asString, isObject, stringEntries } from '../read';
import { type ClusterSnapshot, type SnapshotList } from './cluster-snapshot';

/** Domains of keys and groups that projects define; below others are those of the user. */
const PUBLIC_DOMAIN =
  /(^|\.)(kubernetes\.io|k8s\.io|x-k8s\.io|volcano\.sh|gantry\.dev|nvidia\.com|amd\.com|intel\.com|habana\.ai|huawei\.com|kubeflow\.org|ray\.io|run\.ai|kai\.scheduler|karpenter\.sh|karpenter\.k8s\.aws|keda\.sh|coreos\.com|cncf\.io|knative\.dev|amazonaws\.com|amazon\.com|google\.com|azure\.com|mellanox\.com|openshift\.io|cilium\.io|projectcalico\.org|cert-manager\.io|istio\.io|helm\.sh)$/;
/** Labels without a domain that projects write. */
const PUBLIC_LABELS: ReadonlySet<string> = new Set([
  'app',
  'controller-revision-hash',
  'controller-uid',
  'job-name',
  'pod-template-generation',
  'pod-template-hash',
  'priorityClassName',
  'statefulset.kubernetes.io/pod-name',
]);
/** Labels whose values mean something to programs. */
const TECHNICAL =
  /^(pod-template-hash|controller-revision-hash|training\.kubeflow\.org\/(operator-name|replica-type|job-role)|ray\.io\/node-type|app\.kubernetes\.io\/managed-by|(beta\.)?kubernetes\.io\/(arch|os)|(beta|node)\.kubernetes\.io\/instance-type|pod-security\.kubernetes\.io\/.*|kai\.scheduler\/preemptibility|karpenter\.sh\/capacity-type|([a-z0-9-]+\.)*(nvidia|amd|intel|huawei)\.com\/.*|([a-z0-9-]+\.)*habana\.ai\/.*|feature\.node\.kubernetes\.io\/.*|gantry\.dev\/(tier|node-profile))$/;
/** Names that every cluster has. */
const PUBLIC_NAMES: ReadonlySet<string> = new Set([
  'default',
  'root',
  'kube-system',
  'kube-public',
  'kube-node-lease',
  'system-cluster-critical',
  'system-node-critical',
  'kube-root-ca.crt',
  'gantry',
  'volcano',
  'kueue',
  'nvidia',
  'runc',
]);
const ANCHORS = [...PUBLIC_NAMES].sort(compareNames);
/** Letters that come after the anchor before, and before the anchor of the same index. */
const BETWEEN = [...ANCHORS, ''].map((anchor, index) => lettersBetween(ANCHORS[index - 1] ?? '', anchor));
/** Kinds whose names are those of projects. */
const PUBLIC_KINDS: ReadonlySet<string> = new Set(['CustomResourceDefinition', 'DeviceClass', 'ConfigMap']);
/** Members whose strings are words of an API, whatever else bears such a name. */
const WORDS: ReadonlySet<string> = new Set([
  'apiGroup',
  'apiVersion',
  'kind',
  'operator',
  'effect',
  'type',
  'status',
  'phase',
  'reason',
  'resource',
  'resourceName',
  'preemptionPolicy',
  'restartPolicy',
  'creationTimestamp',
  'deletionTimestamp',
  'lastTransitionTime',
  'startTime',
]);
/** Members whose keys are labels. */
const LABEL_MAPS: ReadonlySet<string> = new Set(['labels', 'matchLabels', 'nodeSelector', 'nodeLabels']);
/** Lists that describe the API, not the cluster. */
const API_KINDS: ReadonlySet<string> = new Set(['CustomResourceDefinition']);
/** Members with text in which names occur. */
const TEXTS: ReadonlySet<string> = new Set(['data', 'annotations', 'expression', 'messageExpression']);
const TRIVIAL = /^(-?\d+(\.\d+)?|true|false|)$/i;
const TOKEN = /[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?/g;

/** Replaces all names. Equal snapshots give equal results. */
export function anonymous(snapshot: ClusterSnapshot): ClusterSnapshot {
  const kept = snapshot.lists.map((list) =>
    list.kind === 'CustomResourceDefinition'
      ? { ...list, items: list.items.filter(({ spec }) => isPublic(asString(asObject(spec).group) ?? '')) }
      : list,
  );
  const names = new Names();
  for (const list of kept) {
    collectNames(list, names);
  }
  names.assign();
  const groups = new Set(snapshot.kinds.map(({ group }) => group).filter((group) => group !== '' && isPublic(group)));
  return {
    ...snapshot,
    name: 'cluster',
    kinds: snapshot.kinds.filter(({ group }) => group === '' || !group.includes('.') || groups.has(group)),
    lists: kept.map((list) =>
      API_KINDS.has(list.kind)
        ? list
        : { ...list, items: list.items.map((item) => replaced(item, '', names) as JsonObject) },
    ),
    operators: snapshot.operators.map((operator) => ({ ...operator, namespace: names.of(operator.namespace) })),
    gaps: snapshot.gaps.map(({ what, why }) => ({ what: names.inText(what), why: names.inText(why) })),
    anonymized: true,
  };
}

/** The first letters that come after one name and before another; an empty name sets no limit. */
function lettersBetween(low: string, high: string): string {
  let common = 0;
  while (common < low.length && low[common] === high[common]) {
    common++;
  }
  const after = Math.max(low.charCodeAt(common) || 0, 'a'.charCodeAt(0) - 1) + 1;
  const limit = high === '' ? 'z'.charCodeAt(0) + 1 : high.charCodeAt(common);
  return after < limit
    ? low.slice(0, common) + String.fromCharCode(after)
    : low.slice(0, common + 1) + lettersBetween(low.slice(common + 1), '');
}

function isPublic(domain: string): boolean {
  return PUBLIC_DOMAIN.test(domain);
}

class Names {
  private readonly found = new Map<string, string>();
  private readonly other = new Map<string, string>();
  /** Names of ReplicaSets follow that of their Deployment. */
  private readonly derived = new Map<string, { readonly base: string; readonly suffix: string }>();

  /** @param what has the name, which the new name says */
  add(name: string | undefined, what: string): void {
    if (name !== undefined && !TRIVIAL.test(name) && !PUBLIC_NAMES.has(name) && !this.found.has(name)) {
      this.found.set(name, what);
    }
  }

  derive(name: string, base: string, suffix: string): void {
    this.add(base, 'workload');
    this.derived.set(name, { base, suffix });
  }

  /** The new names are in the order of the old ones, also among the names that stay: ties are broken by it. */
  assign(): void {
    const digits = Math.max(4, String(this.found.size).length);
    let passed = 0;
    [...this.found]
      .sort(([a], [b]) => compareNames(a, b))
      .forEach(([name, what], index) => {
        while (passed < ANCHORS.length && compareNames(ANCHORS[passed], name) < 0) {
          passed++;
        }
        this.other.set(name, `${BETWEEN[passed]}${String(index + 1).padStart(digits, '0')}-${what}`);
      });
    for (const [name, { base, suffix }] of this.derived) {
      this.other.set(name, `${this.of(base)}${suffix}`);
    }
  }

  of(name: string): string {
    return this.other.get(name) ?? name;
  }

  inText(text: string): string {
    return text.replace(TOKEN, (token) => this.of(token));
  }
}

function collectNames({ kind, items }: SnapshotList, names: Names): void {
  for (const item of items) {
    const metadata = asObject(item.metadata);
    const labels = asObject(metadata.labels);
    names.add(asString(metadata.namespace), 'namespace');
    if (!PUBLIC_KINDS.has(kind)) {
      names.add(asString(metadata.name), kind.toLowerCase());
    }
    for (const owner of asArray(metadata.ownerReferences).filter(isObject)) {
      const name = asString(owner.name) ?? '';
      const hash = asString(labels['pod-template-hash']);
      if (owner.kind === 'ReplicaSet' && hash !== undefined && name.endsWith(`-${hash}`)) {
        names.derive(name, name.slice(0, -hash.length - 1), `-${hash}`);
      } else {
        names.add(name, 'workload');
      }
    }
    collectLabels(item, names, 0);
    for (const container of asArray(asObject(item.spec).containers).filter(isObject)) {
      names.add(asString(container.name), 'container');
    }
  }
}

function collectLabels(value: JsonValue, names: Names, depth: number): void {
  if (depth > 50) {
    return;
  }
  for (const [member, child] of Array.isArray(value) ? value.map((one) => ['', one] as const) : entries(value)) {
    if (LABEL_MAPS.has(member) && isObject(child)) {
      for (const [key, text] of stringEntries(child)) {
        collectLabel(key, text, names);
      }
    } else if ((member === 'key' || member === 'topologyKey' || member === 'nodeLabel') && typeof child === 'string') {
      collectLabel(child, '', names);
    } else {
      collectLabels(child, names, depth + 1);
    }
  }
}

function entries(value: JsonValue): readonly (readonly [string, JsonValue])[] {
  return isObject(value) ? Object.entries(value) : [];
}

function collectLabel(key: string, text: string, names: Names): void {
  const slash = key.indexOf('/');
  if (slash < 0 ? !PUBLIC_LABELS.has(key) : !isPublic(key.slice(0, slash))) {
    names.add(key, 'label');
  }
  if (!TECHNICAL.test(key)) {
    names.add(text, 'value');
  }
}

function replaced(value: JsonValue, member: string, names: Names): JsonValue {
  if (typeof value === 'string') {
    return WORDS.has(member) ? value : names.of(value);
  }
  if (Array.isArray(value)) {
    return value.map((item) => replaced(item, member, names));
  }
  if (!isObject(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'message')
      .map(([key, child]): [string, JsonValue] => {
        if (TEXTS.has(key)) {
          return [key, textReplaced(child, names)];
        }
        return [LABEL_MAPS.has(member) ? names.of(key) : key, replaced(child, key, names)];
      }),
  );
}

function textReplaced(value: JsonValue, names: Names): JsonValue {
  if (typeof value === 'string') {
    return names.inText(value);
  }
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, child]) => [key, textReplaced(child, names)]))
    : value;
}
