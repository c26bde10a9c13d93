/**
 * A set of manifests as declarations of a stack.
 *
 * Each object is proposed as a construct, made in memory, rendered, and compared with what it was. What the props do not say becomes the
 * construct's overrides, what these cannot say JSON patches; an object of which too much would be written that way stays a typed object.
 * At the end the whole stack is made once more, since a construct may render other constructs into itself. So the stack means what the
 * manifests mean, by construction.
 */
import { App, Chart } from 'cdk8s';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { findKind } from '../../../facts/api/kinds';
import { kindKey } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { asArray, asObject, asString, isObject } from '../../../manifests/read';
import { type Reference as NameIn } from '../../../manifests/references/references';
import { differences, isSame } from '../../difference/compare';
import { type Declaration, make, type Made, render } from './declaration';
import {
  at,
  type Call,
  type Declared,
  type Fields,
  fieldsOf,
  KindName,
  Reference,
  without,
  wordOf,
} from './expression';
import { COMPOSITES, INVERSES } from './kinds';
import { marked } from './marked';
import { Names } from './names';
import { leaves, overridesFor, patchesFor } from './overrides';
import { type Composite } from './proposal';
import { declarationOf, type Proposed } from './proposed-declaration';
import { scheduledForms } from './scheduling';
import { withArticle } from '../../../facts/words';

/** Something of an object that no stack can contain. */
export interface NotCarried {
  readonly manifest: Manifest;
  readonly path: string;
  readonly reason: string;
}

export interface StackModel {
  /** In the order in which they are declared. */
  readonly declarations: readonly Declaration[];
  readonly notCarried: readonly NotCarried[];
}

export interface StackOptions {
  /** Objects that do not have the shape of their kind, and so not its type. */
  readonly misshapen: ReadonlySet<Manifest>;
}

/** Share of the object's values that may be in overrides and patches; a typed object says more plainly what is more than that. */
const MOST_OVERRIDDEN = 0.25;
/** That many may be there whatever the size of the object. */
const ALWAYS_ALLOWED = 3;
/** How often the whole stack is made to settle what constructs render into each other. */
const ROUNDS = 4;

/** Objects that a workload may render beside itself: they are declared after all others, unless a workload was found to render them. */
const BESIDE = new Set([
  'Service',
  'scheduling.volcano.sh/PodGroup',
  'scheduling.x-k8s.io/PodGroup',
  'scheduling.k8s.io/PodGroup',
  'scheduling.k8s.io/Workload',
]);

export function stackOf(set: ManifestSet, options: StackOptions): StackModel {
  return new StackBuilder(set, options).build();
}

class StackBuilder {
  private readonly names = new Names();
  private readonly declared = new Map<Manifest, Declaration>();
  private readonly covered = new Set<Manifest>();
  private readonly inProgress = new Set<Manifest>();
  private readonly marked = new Map<Manifest, Fields>();
  private readonly notCarried: NotCarried[] = [];
  /** Names of objects that are members of another construct. */
  private readonly parts = new Map<Manifest, Reference>();
  /** The object that leads another one. */
  private readonly firstOf = new Map<Manifest, Manifest>();
  private order: Declaration[] = [];
  private readonly built = new Map<Declared, unknown>();
  private readonly chart = new Chart(new App(), 'stack');

  constructor(
    private readonly set: ManifestSet,
    private readonly options: StackOptions,
  ) {}

  build(): StackModel {
    for (const manifest of this.set.manifests) {
      for (const member of Object.values(compositeOf(manifest)?.membersOf(manifest, this.set) ?? {})) {
        this.firstOf.set(member, manifest);
      }
    }
    const inOrder = this.set.inApplyOrder();
    const isBeside = ({ id }: Manifest): boolean => BESIDE.has(kindKey(id));
    for (const manifest of [...inOrder.filter((one) => !isBeside(one)), ...inOrder.filter(isBeside)]) {
      this.declare(manifest);
    }
    this.settle();
    return { declarations: this.order, notCarried: this.notCarried };
  }

  /** The declaration of an object; `undefined` while it is being made, or where another construct renders it. */
  private declare(manifest: Manifest): Declaration | undefined {
    const known = this.declared.get(manifest);
    if (known !== undefined || this.covered.has(manifest) || this.inProgress.has(manifest)) {
      return known;
    }
    const first = this.firstOf.get(manifest);
    if (first !== undefined && first !== manifest && !this.inProgress.has(first)) {
      this.declare(first);
      if (this.covered.has(manifest)) {
        return undefined;
      }
    }
    this.inProgress.add(manifest);
    const object = this.mark(manifest);
    this.marked.set(manifest, object);
    const { generateName } = asObject(manifest.object.metadata);
    const id = this.names.id(manifest.id, asString(generateName) ?? '');
    const variable = this.names.variable({ ...manifest.id, name: id });
    const found = this.composite(manifest, object, id, variable) ?? this.construct(manifest, object, id, variable);
    const declaration =
      typeof found === 'object'
        ? found
        : { ...this.object(manifest, object, id, variable), ...(found === undefined ? {} : { why: found }) };
    this.built.set(declaration, this.chart.node.tryFindChild(id));
    this.inProgress.delete(manifest);
    this.declared.set(manifest, declaration);
    declaration.covers.forEach((one) => this.covered.add(one));
    this.order.push(declaration);
    return declaration;
  }

  /** The object with references in place of the names of objects of the stack, and without keys that no literal can have. */
  private mark(manifest: Manifest): Fields {
    const names = new Map<string, Reference>();
    for (const reference of this.set.referencesFrom(manifest)) {
      const target = this.targetOf(reference);
      if (target !== undefined && target.name === reference.name) {
        names.set(reference.path, target);
      }
    }
    return marked(manifest.object, names, '') as Fields;
  }

  private targetOf(reference: NameIn): Reference | undefined {
    const target = this.set.resolve(reference);
    if (target === undefined || target === reference.from) {
      return undefined;
    }
    const declaration = BESIDE.has(reference.kind) ? this.declared.get(target) : this.declare(target);
    const part = this.parts.get(target);
    if (part !== undefined) {
      return part;
    }
    return declaration === undefined ? undefined : new Reference(declaration, 'name');
  }

  /** The construct that renders the object and those that it leads, as they are; `undefined` where none does. */
  private composite(manifest: Manifest, object: Fields, id: string, variable: string): Declaration | undefined {
    const composite = compositeOf(manifest);
    const members = composite?.membersOf(manifest, this.set);
    if (composite === undefined || members === undefined) {
      return undefined;
    }
    const marks = Object.fromEntries(Object.entries(members).map(([name, member]) => [name, this.mark(member)]));
    const proposal = attempt(() => composite.propose(object, marks));
    if (proposal === undefined) {
      return undefined;
    }
    const { declaration: proposed } = declarationOf(manifest, object, proposal, { id, variable, calls: [] });
    const declaration = attempt(() =>
      this.found(proposed).length > 0 ? undefined : { ...proposed, covers: this.coversOf(proposed) },
    );
    const covers = new Set(declaration?.covers);
    if (declaration === undefined || !Object.values(members).every((member) => covers.has(member))) {
      return undefined;
    }
    for (const [name, part] of Object.entries(composite.parts)) {
      const of = name === 'first' ? manifest : members[name];
      if (of !== undefined) {
        this.parts.set(of, new Reference(declaration, 'name', { ...part, name: of.id.name }));
      }
    }
    make(this.chart, declaration, this.built);
    return declaration;
  }

  /** The construct that says the object with the fewest overrides, or why none does; `undefined` for a kind that has none. */
  private construct(
    manifest: Manifest,
    object: Fields,
    id: string,
    variable: string,
  ): Declaration | string | undefined {
    const key = `${manifest.id.apiVersion}/${manifest.id.kind}`;
    const inverse = Object.hasOwn(INVERSES, key) ? INVERSES[key] : undefined;
    if (inverse === undefined) {
      return undefined;
    }
    if (this.options.misshapen.has(manifest)) {
      return 'it does not have the shape of its kind';
    }
    let why = 'the properties of the construct cannot state its structure';
    const forms = [...scheduledForms(object), { object, calls: [] }];
    let best: { readonly declaration: Declaration; readonly cost: number } | undefined;
    for (const form of forms) {
      const proposal = attempt(() => inverse(form.object));
      if (proposal === undefined) {
        continue;
      }
      const calls = [...(proposal.calls ?? []), ...form.calls];
      const candidate = attempt(
        () => this.fitted(manifest, object, declarationOf(manifest, form.object, proposal, { id, variable, calls })),
        (reason) => (why = reason),
      );
      if (candidate !== undefined && (best === undefined || candidate.cost < best.cost)) {
        best = candidate;
      }
      if (best?.cost === 0) {
        break;
      }
    }
    const most = Math.max(ALWAYS_ALLOWED, MOST_OVERRIDDEN * leaves(without(object, 'apiVersion', 'kind')));
    if (best === undefined) {
      return why;
    }
    if (best.cost > most) {
      return `${best.cost} of its values ${best.cost === 1 ? 'has' : 'have'} no property`;
    }
    make(this.chart, best.declaration, this.built);
    return best.declaration;
  }

  /**
   * The declaration with what its props do not say, and the number of values that it takes.
   *
   * @throws where the construct throws, or renders something that the set does not have
   */
  private fitted(
    manifest: Manifest,
    object: Fields,
    proposed: Proposed,
  ): { readonly declaration: Declaration; readonly cost: number } {
    const { hasSpec } = proposed;
    let { declaration } = proposed;
    let cost = leaves(at(declaration.args[0], 'overrides'));
    let found = this.found(declaration);
    if (found.length > 0 && hasSpec !== undefined) {
      const rendered = this.rendered(declaration);
      const overrides = overridesFor(found, rendered, object, hasSpec);
      if (overrides !== undefined) {
        const props = fieldsOf(declaration.args[0]);
        const merged = { ...fieldsOf(props.overrides), ...overrides };
        declaration = { ...declaration, args: [{ ...props, overrides: merged }] };
        cost = leaves(merged);
        found = this.found(declaration);
      }
    }
    if (found.length > 0) {
      declaration = { ...declaration, patches: patchesFor(found, object) };
      cost += leaves([...declaration.patches]);
      found = this.found(declaration);
    }
    if (found.length > 0) {
      throw new Error(`${manifest.id.name} is rendered with other values`);
    }
    return { declaration: { ...declaration, covers: this.coversOf(declaration) }, cost };
  }

  private found(declaration: Declaration): ReturnType<typeof differences> {
    return differences(declaration.manifest.object, this.rendered(declaration));
  }

  private rendered(declaration: Declaration): JsonObject {
    return this.within(declaration, ({ main }) => render(main));
  }

  /** Objects that the construct renders beside its own, which the set must have too. @throws where it has not */
  private coversOf(declaration: Declaration): readonly Manifest[] {
    return this.within(declaration, ({ others }) =>
      others.map((other) => {
        const object = render(other);
        const [group = ''] = other.apiVersion.includes('/') ? other.apiVersion.split('/') : [''];
        const key = group === '' ? other.kind : `${group}/${other.kind}`;
        const same = this.set
          .ofKind(key)
          .find((one) => !this.declared.has(one) && !this.covered.has(one) && isSame(one.object, object));
        if (same === undefined) {
          throw new Error(`renders ${withArticle(other.kind)} that the set does not have`);
        }
        return same;
      }),
    );
  }

  /** What a declaration is in memory, for as long as `use` takes. */
  private within<R>(declaration: Declaration, use: (made: Made) => R): R {
    const made = make(this.chart, declaration, this.built);
    try {
      return use(made);
    } finally {
      this.chart.node.tryRemoveChild(declaration.id);
    }
  }

  /** The object itself: typed where its kind is known and it has the kind's shape. */
  private object(manifest: Manifest, object: Fields, id: string, variable: string): Declaration {
    const { apiVersion, kind } = manifest.id;
    const isTyped =
      findKind(apiVersion, kind) !== undefined &&
      !this.options.misshapen.has(manifest) &&
      !hasNameless(manifest.object);
    const { metadata } = object;
    const rest = without(object, 'apiVersion', 'kind', 'metadata', 'status') ?? {};
    const base = { manifest, id, variable, name: manifest.id.name, calls: [], patches: [], covers: [] };
    let declaration: Declaration = isTyped
      ? {
          ...base,
          form: 'typed',
          className: 'Resource',
          args: [new KindName(apiVersion, kind), { metadata: metadata ?? {}, ...rest }],
        }
      : { ...base, form: 'plain', className: 'ApiObject', args: [object] };
    const made = make(this.chart, declaration, this.built);
    const found = differences(manifest.object, render(made.main));
    if (found.length > 0) {
      const patches = this.carried(manifest, patchesFor(found, marked(manifest.object, new Map(), '', false)));
      this.chart.node.tryRemoveChild(id);
      declaration = { ...declaration, patches };
      make(this.chart, declaration, this.built);
    }
    return declaration;
  }

  /** The patches that cdk8s can apply; what the others say is reported. */
  private carried(manifest: Manifest, patches: readonly Call[]): readonly Call[] {
    return patches.filter((patch) => {
      const [path] = patch.args;
      const isPossible = !wordOf(path).split('/').includes('__proto__');
      if (!isPossible) {
        const reason = 'cdk8s and JSON patches do not support this field name';
        this.notCarried.push({ manifest, path: wordOf(path), reason });
      }
      return isPossible;
    });
  }

  /** Makes the whole stack until it renders what the set has; what does not come to that becomes an object. */
  private settle(): void {
    for (let round = 0; round < ROUNDS; round += 1) {
      const changed = this.round(round === ROUNDS - 1);
      if (!changed) {
        return;
      }
    }
  }

  /** @returns whether a declaration changed */
  private round(isLast: boolean): boolean {
    const made = this.remade();
    let changed = false;
    for (const declaration of [...this.order]) {
      const main = made.get(declaration)?.main;
      const rendered = main === undefined ? undefined : attempt(() => render(main));
      const found = rendered === undefined ? undefined : differences(declaration.manifest.object, rendered);
      if (found?.length === 0 || (declaration.form !== 'construct' && found !== undefined)) {
        continue;
      }
      const object = this.marked.get(declaration.manifest) ?? {};
      if (found === undefined || isLast) {
        this.makeObject(declaration, object);
      } else {
        declaration.patches = [...declaration.patches, ...patchesFor(found, object)];
      }
      changed = true;
    }
    return changed;
  }

  private remade(): ReadonlyMap<Declaration, Made> {
    const chart = new Chart(new App(), 'stack');
    const built = new Map<Declared, unknown>();
    const made = new Map<Declaration, Made>();
    for (const declaration of this.order) {
      const one = attempt(() => make(chart, declaration, built));
      if (one !== undefined) {
        made.set(declaration, one);
        built.set(declaration, one.construct);
      }
    }
    return made;
  }

  /** A declaration whose construct does not come to what is wanted becomes an object, and so does what the construct rendered beside. */
  private makeObject(declaration: Declaration, object: Fields): void {
    const { manifest, id, variable, covers } = declaration;
    this.chart.node.tryRemoveChild(id);
    const { form, className, args, calls, patches } = this.object(manifest, object, id, variable);
    const why = 'other constructs of the stack change what it renders';
    Object.assign(declaration, { form, className, args, calls, patches, covers: [], why });
    for (const one of covers) {
      this.covered.delete(one);
      this.declare(one);
    }
  }
}

function compositeOf({ id: { apiVersion, kind } }: Manifest): Composite | undefined {
  const key = `${apiVersion}/${kind}`;
  return Object.hasOwn(COMPOSITES, key) ? COMPOSITES[key] : undefined;
}

/** The result of what may throw; the reason is the first line of the error, without the path of the construct. */
function attempt<T>(action: () => T, failed?: (reason: string) => void): T | undefined {
  try {
    return action();
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    failed?.(line.replace(/^(?:Error: )?stack\/\S+?: /, ''));
    return undefined;
  }
}

/** Knative's schema takes init containers without a name; the type of a container, which is Kubernetes' own, does not. */
function hasNameless(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  return Object.entries(value).some(
    ([name, member]) =>
      (name === 'initContainers' &&
        asArray(member).some((container) => isObject(container) && container.name === undefined)) ||
      hasNameless(member),
  );
}
