/**
 * Selectors that choose nothing of the set.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { ACCELERATOR_EXPORTERS } from '../../../facts/catalog';
import { addTo } from '../../../facts/collections';
import { nearestObjectName } from '../../../facts/spelling';
import { kindKey, mayShareNamespace } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asObject, asString, stringEntries } from '../../../manifests/read';
import { selectionOf } from '../../../manifests/references/selectors';
import { type SetRule, type Violation } from '../../../checks/rules/rule';
import { controllerLabels } from './controller-labels';

/** Objects that choose others which others make; workloads choose their own pods, which the API server holds to the template. */
const SELECTING: ReadonlyMap<string, { readonly path: string; readonly labels: string }> = new Map([
  ['Service', { path: '/spec/selector', labels: '' }],
  ['networking.k8s.io/NetworkPolicy', { path: '/spec/podSelector', labels: 'matchLabels' }],
  ['policy/PodDisruptionBudget', { path: '/spec/selector', labels: 'matchLabels' }],
  ['monitoring.coreos.com/PodMonitor', { path: '/spec/selector', labels: 'matchLabels' }],
  ['monitoring.coreos.com/ServiceMonitor', { path: '/spec/selector', labels: 'matchLabels' }],
]);

/** Labels that controllers add to the pods of their templates. */
const ADDED_BY_CONTROLLERS =
  /^(job-name|controller-uid|controller-revision-hash|pod-template-hash|pod-template-generation|(batch|statefulset|apps)\.kubernetes\.io\/.+|(volcano\.sh|training\.kubeflow\.org|jobset\.sigs\.k8s\.io|leaderworkerset\.sigs\.k8s\.io|ray\.io|serving\.knative\.dev)\/.+)$/;

/** Services and pods that operators make for exporters of devices, by their labels: no manifests have them. */
const MADE_BY_OPERATORS: readonly JsonObject[] = [
  { app: 'nvidia-dcgm-exporter' },
  ...Object.values(ACCELERATOR_EXPORTERS).flatMap(({ podLabels }) => (podLabels === undefined ? [] : [podLabels])),
];

interface Candidate {
  readonly manifest: Manifest;
  readonly labels: JsonObject;
}

/** Candidates of some namespaces, by their labels: most selectors demand at least one. */
class Reach {
  private readonly byLabel = new Map<string, Candidate[]>();
  private readonly keys = new Set<string>();

  constructor(readonly all: readonly Candidate[]) {
    for (const candidate of all) {
      for (const label of stringEntries(candidate.labels)) {
        addTo(this.byLabel, JSON.stringify(label), candidate);
        this.keys.add(label[0]);
      }
    }
  }

  /** Candidates with one of the wanted labels; all if no label is wanted. */
  withLabelOf(wanted: JsonObject): readonly Candidate[] {
    const [first] = stringEntries(wanted);
    return first === undefined ? this.all : (this.byLabel.get(JSON.stringify(first)) ?? []);
  }

  hasKey(key: string): boolean {
    return this.keys.has(key);
  }
}

/** Candidates that are compared with selectors that choose none of them; after that many, a near label is not looked for. */
const MOST_COMPARED = 1_000_000;

/** Everything in a set that selectors choose. */
class Candidates {
  private compared = 0;
  private someWithout?: boolean;
  private readonly inNamespaces = new Map<string, Reach>();

  constructor(private readonly set: ManifestSet) {}

  /** What a selector could have chosen: pods of templates, or Services, in its namespaces. */
  in(of: 'pods' | 'services', namespaces: readonly string[] | undefined): Reach {
    const key = JSON.stringify([of, namespaces]);
    let found = this.inNamespaces.get(key);
    if (found === undefined) {
      found = new Reach(of === 'pods' ? this.pods(namespaces) : this.services(namespaces));
      this.inNamespaces.set(key, found);
    }
    return found;
  }

  /** A candidate that has every wanted label but one, whose value nearly matches. */
  nearMiss(wanted: JsonObject, { all }: Reach): Miss | undefined {
    this.compared += all.length;
    return this.compared > MOST_COMPARED ? undefined : nearMiss(wanted, all);
  }

  private pods(namespaces: readonly string[] | undefined): readonly Candidate[] {
    const namespace = this.onlyNamespace(namespaces);
    const templates =
      namespace === undefined
        ? this.set.podTemplates.filter(({ manifest }) => isInReach(manifest, namespaces))
        : this.set.podTemplatesIn(namespace);
    return templates.map(({ manifest, metadata }) => {
      const own = asObject(metadata.labels);
      const added = controllerLabels(manifest);
      return { manifest, labels: added === undefined ? own : { ...own, ...added } };
    });
  }

  private services(namespaces: readonly string[] | undefined): readonly Candidate[] {
    const namespace = this.onlyNamespace(namespaces);
    const services =
      namespace === undefined
        ? this.set.ofKind('Service').filter((manifest) => isInReach(manifest, namespaces))
        : this.set.ofKind('Service', namespace);
    return services.map((manifest) => ({ manifest, labels: asObject(asObject(manifest.object.metadata).labels) }));
  }

  /** The namespace in which all candidates are; `undefined` where there may be several: an object without a namespace may be in any. */
  private onlyNamespace(namespaces: readonly string[] | undefined): string | undefined {
    const [only = '', ...others] = namespaces ?? [];
    this.someWithout ??= this.set.podTemplatesIn('').length + this.set.ofKind('Service', '').length > 0;
    return only === '' || others.length > 0 || this.someWithout ? undefined : only;
  }
}

function isInReach({ id }: Manifest, namespaces: readonly string[] | undefined): boolean {
  return namespaces?.some((namespace) => mayShareNamespace(namespace, id.namespace)) ?? true;
}

interface Miss {
  readonly key: string;
  readonly wanted: string;
  readonly has: string;
  readonly manifest: Manifest;
}

function nearMiss(wanted: JsonObject, candidates: readonly Candidate[]): Miss | undefined {
  const entries = stringEntries(wanted);
  for (const { manifest, labels } of candidates) {
    const missing = entries.filter(([key, value]) => labels[key] !== value);
    const [first] = missing;
    const has = first === undefined ? undefined : asString(labels[first[0]]);
    if (
      missing.length === 1 &&
      first !== undefined &&
      has !== undefined &&
      nearestObjectName(first[1], [has]) !== undefined
    ) {
      return { key: first[0], wanted: first[1], has, manifest };
    }
  }
  return undefined;
}

/** A label value in a sentence. */
const plain = (value: string): string => (/^[\w./-]+$/.test(value) ? value : JSON.stringify(value));

/** A label that a controller may add, with a value that the manifests do not say. */
function isUnknownLabel(key: string, candidates: Reach): boolean {
  return ADDED_BY_CONTROLLERS.test(key) && !candidates.hasKey(key);
}

export const selectsSomething: SetRule = {
  id: 'references/selector-matches',
  tier: 'advice',
  severity: 'info',
  on: 'set',
  summary:
    'A selector should match at least one object of the manifests, if they contain objects of the kind that it selects.',
  why: 'A Service without pods has no endpoints, a monitor without targets collects nothing, and a policy without pods has no effect. The objects may be in the cluster; a label that nearly matches is most likely misspelled.',
  source: 'kubernetes 1.36, label selectors',
  fix: 'Set the selector to the labels of the objects to select, or add these objects to the manifests.',
  *check({ set }) {
    const candidates = new Candidates(set);
    for (const manifest of set.manifests) {
      const place = SELECTING.get(kindKey(manifest.id));
      const selection = place === undefined ? undefined : selectionOf(manifest);
      if (place !== undefined && selection !== undefined) {
        yield* unmatched(manifest, place, selection, candidates);
      }
    }
  },
};

function* unmatched(
  manifest: Manifest,
  place: { readonly path: string; readonly labels: string },
  { of, namespaces, chooses }: NonNullable<ReturnType<typeof selectionOf>>,
  all: Candidates,
): Iterable<Violation & { readonly manifest: Manifest }> {
  const candidates = all.in(of, namespaces);
  const selector = asObject(asObject(manifest.object.spec)[place.path.split('/').at(-1) ?? '']);
  const wanted = place.labels === '' ? selector : asObject(selector[place.labels]);
  if (candidates.all.length === 0 || candidates.withLabelOf(wanted).some(({ labels }) => chooses(labels))) {
    return;
  }
  if (MADE_BY_OPERATORS.some((labels) => chooses(labels))) {
    return;
  }
  if (of === 'pods' && Object.keys(wanted).some((key) => isUnknownLabel(key, candidates))) {
    return;
  }
  const miss = all.nearMiss(wanted, candidates);
  if (miss === undefined) {
    yield {
      manifest,
      path: place.path,
      message: `the selector matches none of the ${of === 'pods' ? 'pods' : 'Services'} in these manifests`,
      found: wanted,
      fix: `Set ${fieldOf(place.path)} to the labels of the ${of === 'pods' ? 'pods' : 'Services'} to select, or add these ${of === 'pods' ? 'pods' : 'Services'} to the manifests.`,
    };
    return;
  }
  const nearest = `${miss.manifest.id.kind} "${miss.manifest.id.name}"`;
  const labelPath = place.labels === '' ? place.path : `${place.path}/${place.labels}`;
  yield {
    manifest,
    severity: 'warning',
    path: pointer(labelPath, miss.key),
    message: `the selector matches none of the ${of === 'pods' ? 'pods' : 'Services'} in these manifests: ${nearest} has the label ${miss.key}: ${miss.has}`,
    found: miss.wanted,
    expected: miss.has,
    fix: `Set ${miss.key} to ${plain(miss.has)} in the selector, or set it to ${plain(miss.wanted)} in the labels of ${nearest}.`,
  };
}
