/**
 * A set of manifests that belong together: what one app, one folder or one stream would put into a cluster.
 *
 * Indexes are built when they are first asked for; a set never changes.
 */
import { applyOrder } from './apply-order';
import { addTo, groupBy } from '../facts/collections';
import { EqualSpecs, type SharedSpec } from './equal-specs';
import { kindKey } from './identity';
import { type Manifest, type SkippedSource, type SourceProblem } from './manifest';
import { type PodTemplate } from './pods/pod-template';
import { podTemplatesOf } from './pods/pod-templates';
import { asObject } from './read';
import { referencesIn, type Reference } from './references/references';
import { selectionOf } from './references/selectors';
import { unlessUnknown } from './values/unknown';

const NONE: readonly never[] = [];

/**
 * A set of manifests that belong together, with indexes by identity, kind, and namespace. `check` takes one.
 *
 * @example
 * const set = readManifests('apiVersion: v1\nkind: Namespace\nmetadata:\n  name: research\n');
 * console.log(check(set).findings.length);
 */
export class ManifestSet {
  private kinds?: ReadonlyMap<string, readonly Manifest[]>;
  private kindsByNamespace?: ReadonlyMap<string, readonly Manifest[]>;
  private namespaces?: ReadonlyMap<string, readonly Manifest[]>;
  private readonly templatesByNamespace = new Map<string, readonly PodTemplate[]>();
  private identities?: ReadonlyMap<string, readonly Manifest[]>;
  private templates?: readonly PodTemplate[];
  private readonly templatesByManifest = new Map<Manifest, readonly PodTemplate[]>();
  private readonly references = new Map<Manifest, readonly Reference[]>();
  private readonly selectedPods = new Map<Manifest, readonly PodTemplate[]>();
  private readonly selectedServices = new Map<Manifest, readonly Manifest[]>();
  private referrers?: ReadonlyMap<Manifest, readonly Reference[]>;
  private order?: readonly Manifest[];
  private specs?: EqualSpecs;

  constructor(
    /** In the order in which they were read or would be applied. */
    readonly manifests: readonly Manifest[],
    /** What could not be read, and what the text of a file says and its JSON cannot. */
    readonly problems: readonly SourceProblem[] = [],
    /** What was skipped while reading. */
    readonly skipped: readonly SkippedSource[] = [],
  ) {}

  /**
   * All manifests of a kind, `group/Kind` (or `Kind` alone for the core group), any version.
   *
   * @param namespace only those in this namespace; empty for those in none
   */
  ofKind(kind: string, namespace?: string): readonly Manifest[] {
    if (namespace !== undefined) {
      this.kindsByNamespace ??= groupBy(this.manifests, ({ id }) => `${kindKey(id)}\n${id.namespace}`);
      return this.kindsByNamespace.get(`${kind}\n${namespace}`) ?? NONE;
    }
    this.kinds ??= groupBy(this.manifests, ({ id }) => kindKey(id));
    return this.kinds.get(kind) ?? NONE;
  }

  /**
   * All manifests in a namespace; with an empty one, those in none.
   * @internal
   */
  inNamespace(namespace: string): readonly Manifest[] {
    this.namespaces ??= groupBy(this.manifests, ({ id }) => id.namespace);
    return this.namespaces.get(namespace) ?? NONE;
  }

  /** The manifest with this kind (`group/Kind`), name and namespace (empty for cluster-scoped kinds); the first of several. */
  get(kind: string, name: string, namespace = ''): Manifest | undefined {
    return this.identityIndex.get(identityKey(kind, namespace, name))?.[0];
  }

  /**
   * All manifests with this kind, name, and namespace: several where folders have alternatives, such as one for each environment.
   * @internal
   */
  definitionsOf(kind: string, name: string, namespace = ''): readonly Manifest[] {
    return this.identityIndex.get(identityKey(kind, namespace, name)) ?? NONE;
  }

  /** Manifests that name one and the same object, in groups of two or more: the last to be applied would overwrite the others. */
  get duplicates(): readonly (readonly Manifest[])[] {
    return [...this.identityIndex.values()].filter((group) => group.length > 1);
  }

  /** Every pod template of every known workload kind. */
  get podTemplates(): readonly PodTemplate[] {
    this.templates ??= this.manifests.flatMap((manifest) => this.podTemplatesOf(manifest));
    return this.templates;
  }

  /** The pod templates of one manifest of this set. */
  podTemplatesOf(manifest: Manifest): readonly PodTemplate[] {
    let templates = this.templatesByManifest.get(manifest);
    if (templates === undefined) {
      templates = unlessUnknown(() => podTemplatesOf(manifest, this.specOf(manifest)), NONE);
      this.templatesByManifest.set(manifest, templates);
    }
    return templates;
  }

  /**
   * The pod templates of the manifests in a namespace.
   * @internal
   */
  podTemplatesIn(namespace: string): readonly PodTemplate[] {
    let templates = this.templatesByNamespace.get(namespace);
    if (templates === undefined) {
      templates = this.inNamespace(namespace).flatMap((manifest) => this.podTemplatesOf(manifest));
      this.templatesByNamespace.set(namespace, templates);
    }
    return templates;
  }

  /** What a manifest names, wherever it names it: queues, classes, config maps, claims, service accounts and so on. */
  referencesFrom(manifest: Manifest): readonly Reference[] {
    let references = this.references.get(manifest);
    if (references === undefined) {
      references = referencesIn(manifest, this.podTemplatesOf(manifest), this.specOf(manifest));
      this.references.set(manifest, references);
    }
    return references;
  }

  /**
   * What represents the spec of a manifest: the same object for all manifests of its API version and kind whose specs are equal, and
   * `undefined` if it may differ from another in what JSON does not show.
   * @internal
   */
  specOf(manifest: Manifest): SharedSpec | undefined {
    this.specs ??= new EqualSpecs(this.problems);
    return this.specs.of(manifest);
  }

  /** The manifest that a reference names, where it is in this set; it may as well live in the cluster already. */
  resolve(reference: Reference): Manifest | undefined {
    return this.get(reference.kind, reference.name, reference.namespace);
  }

  /** The references of the whole set that name this manifest. */
  referencesTo(manifest: Manifest): readonly Reference[] {
    if (this.referrers === undefined) {
      const referrers = new Map<Manifest, Reference[]>();
      for (const reference of this.manifests.flatMap((from) => this.referencesFrom(from))) {
        const target = this.resolve(reference);
        if (target !== undefined) {
          addTo(referrers, target, reference);
        }
      }
      this.referrers = referrers;
    }
    return this.referrers.get(manifest) ?? NONE;
  }

  /** The pod templates that a manifest (a Service, a disruption budget, a PodMonitor, a Deployment and so on) chooses by their labels. */
  podsSelectedBy(manifest: Manifest): readonly PodTemplate[] {
    let pods = this.selectedPods.get(manifest);
    if (pods === undefined) {
      this.selectedPods.set(manifest, (pods = this.podsChosenBy(manifest)));
    }
    return pods;
  }

  private podsChosenBy(manifest: Manifest): readonly PodTemplate[] {
    const selection = selectionOf(manifest);
    if (selection?.of !== 'pods') {
      return NONE;
    }
    const { namespaces, chooses } = selection;
    const [only, ...others] = namespaces ?? [];
    const inReach =
      only !== undefined && others.length === 0
        ? this.podTemplatesIn(only)
        : this.podTemplates.filter(({ manifest: { id } }) => namespaces?.includes(id.namespace) ?? true);
    return inReach.filter((template) => chooses(asObject(template.metadata.labels)));
  }

  /** The Services that a ServiceMonitor chooses by their labels. */
  servicesSelectedBy(manifest: Manifest): readonly Manifest[] {
    let services = this.selectedServices.get(manifest);
    if (services === undefined) {
      this.selectedServices.set(manifest, (services = this.servicesChosenBy(manifest)));
    }
    return services;
  }

  private servicesChosenBy(manifest: Manifest): readonly Manifest[] {
    const selection = selectionOf(manifest);
    if (selection?.of !== 'services') {
      return NONE;
    }
    const { namespaces, chooses } = selection;
    const [only, ...others] = namespaces ?? [];
    const inReach = only !== undefined && others.length === 0 ? this.ofKind('Service', only) : this.ofKind('Service');
    return inReach.filter(
      ({ id, object }) =>
        (namespaces?.includes(id.namespace) ?? true) && chooses(asObject(asObject(object.metadata).labels)),
    );
  }

  /**
   * The manifests in an order in which a cluster takes them: what others need comes first. Stable: what nothing orders keeps the
   * order in which it was given.
   */
  inApplyOrder(): readonly Manifest[] {
    this.order ??= applyOrder(this);
    return this.order;
  }

  private get identityIndex(): ReadonlyMap<string, readonly Manifest[]> {
    this.identities ??= groupBy(
      this.manifests.filter(({ id }) => id.name !== ''),
      ({ id }) => identityKey(kindKey(id), id.namespace, id.name),
    );
    return this.identities;
  }
}

function identityKey(kind: string, namespace: string, name: string): string {
  return `${kind}\n${namespace}\n${name}`;
}
