/**
 * Contents that occur many times in a set: equal specs, and equal pod templates. What rules found in one holds for each that is equal.
 *
 * Contents are compared by their JSON, which is written once for each object.
 */
import { type Schema } from '../facts/api/schema';
import { type SharedSpec } from '../manifests/equal-specs';
import { type Manifest } from '../manifests/manifest';
import { type ManifestSet } from '../manifests/manifest-set';
import { type PodTemplate } from '../manifests/pods/pod-template';
import { isObject } from '../manifests/read';
import { unlessUnknown } from '../manifests/values/unknown';
import { Remembered, type Said } from './remembered';
import { type ObjectRule, type PodTemplateRule } from './rules/rule';
import { neighborhoodOf } from './server/admission/cluster-contents';
import { addedVolumes } from './server/pod-view';

/** Characters of an object, without its spec, that are remembered. */
const LONGEST = 20_000;

/** The spec of objects of one API version and kind. */
export class SpecContent {
  /** What a walk over the spec found; see `RulesByField`. */
  names?: Uint16Array;
  /** The schema in which an object of nothing but metadata and this spec was valid; see `ShapeChecker`. */
  validIn?: Schema;
  private readonly said = new Map<object, readonly Said<ObjectRule>[]>();
  private readonly templates = new Map<string, TemplateContent>();
  private readonly unnamed = new Remembered<UnnamedContent>();
  private first?: { readonly manifest: Manifest; readonly content: UnnamedContent; isAlone: boolean };

  /** What rules found in the spec, which `judge` runs if they have not seen it. */
  saidBy(rules: object, judge: () => readonly Said<ObjectRule>[]): readonly Said<ObjectRule>[] {
    return memberOf(this.said, rules, judge);
  }

  /**
   * What is known of objects with this spec and all else that the text contains. Most specs are in one object, whose text is not needed.
   *
   * @param textOf `undefined` for an object that is not remembered
   */
  unnamedOf(manifest: Manifest, textOf: (manifest: Manifest) => string | undefined): UnnamedContent | undefined {
    if (this.first === undefined) {
      this.first = { manifest, content: new UnnamedContent(), isAlone: true };
      return this.first.content;
    }
    if (this.first.isAlone) {
      this.first.isAlone = false;
      const { manifest: first, content } = this.first;
      const firstText = textOf(first);
      if (firstText !== undefined) {
        this.unnamed.get(firstText, () => content);
      }
    }
    const text = textOf(manifest);
    return text === undefined ? undefined : this.unnamed.get(text, () => new UnnamedContent());
  }

  /** The content of the template at this path, which `read` reads if it is not known. */
  templateAt(path: string, read: () => TemplateContent): TemplateContent {
    return memberOf(this.templates, path, read);
  }
}

/** Objects that differ in their names alone. */
export class UnnamedContent {
  private readonly said = new Map<object, readonly Said<ObjectRule>[]>();

  /** What rules that do not see the name found in such an object, on which `judge` runs them if they have not seen one. */
  saidBy(rules: object, judge: () => readonly Said<ObjectRule>[]): readonly Said<ObjectRule>[] {
    return memberOf(this.said, rules, judge);
  }
}

/** What is known of templates with equal specs. */
export interface SaidOfTemplates {
  readonly said: readonly Said<PodTemplateRule>[];
  /** Rules that read the metadata of a template with this spec. */
  readonly ofMetadata: readonly PodTemplateRule[];
  /** What these found, by the JSON of the metadata. */
  readonly byMetadata: Remembered<readonly Said<PodTemplateRule>[]>;
}

/** The spec of pod templates of one API version and kind. */
export class TemplateContent {
  private readonly said = new Map<readonly PodTemplateRule[], Map<string, SaidOfTemplates>>();

  /** @param namespace that of the workloads, empty for rules that do not see it */
  saidBy(rules: readonly PodTemplateRule[], namespace: string, judge: () => SaidOfTemplates): SaidOfTemplates {
    const inNamespaces = memberOf(this.said, rules, () => new Map<string, SaidOfTemplates>());
    return memberOf(inNamespaces, namespace, judge);
  }
}

/** The contents of one set. */
export class Contents {
  private readonly specs = new Map<SharedSpec, SpecContent>();
  private readonly templates = new Remembered<TemplateContent>();

  constructor(private readonly set: ManifestSet) {}

  /** `undefined` if the spec has unknown values, which are not equal to any other, or numbers that its JSON does not show. */
  ofSpec(manifest: Manifest): SpecContent | undefined {
    const spec = this.set.specOf(manifest);
    return spec && memberOf(this.specs, spec, () => new SpecContent());
  }

  /** `undefined` if the object has unknown values, or is too large to be remembered. */
  ofUnnamed(manifest: Manifest, content: SpecContent): UnnamedContent | undefined {
    return content.unnamedOf(manifest, this.textOfUnnamed);
  }

  private readonly textOfUnnamed = (manifest: Manifest): string | undefined => {
    const text = unlessUnknown(() => textOfUnnamed(manifest), undefined);
    return text === undefined || text.length > LONGEST ? undefined : `${neighborhoodOf(this.set, manifest)}\n${text}`;
  };

  /** `undefined` if the template has unknown values. */
  ofTemplate(template: PodTemplate): TemplateContent | undefined {
    const read = (): TemplateContent => this.templates.get(textOf(template), () => new TemplateContent());
    const spec = isInSpec(template) ? this.ofSpec(template.manifest) : undefined;
    return spec?.templateAt(template.path, read) ?? unlessUnknown(read, undefined);
  }
}

/** A PodTemplate has no spec of its own, only that of its template. */
function isInSpec({ path }: PodTemplate): boolean {
  return path === '' || path.startsWith('/spec/');
}

/** All of an object but its name and what its spec says already. */
function textOfUnnamed({ object }: Manifest): string {
  const { metadata } = object;
  const unnamed = isObject(metadata) ? { ...metadata, name: typeof metadata.name } : metadata;
  return JSON.stringify({ ...object, spec: undefined, metadata: unnamed });
}

/** All that a rule sees of a template if it does not see the metadata. */
function textOf(template: PodTemplate): string {
  const { apiVersion, kind } = template.manifest.id;
  return `${apiVersion}\n${kind}\n${template.isPod}\n${addedVolumes(template).join()}\n${JSON.stringify(template.spec)}`;
}

function memberOf<K, T>(members: Map<K, T>, key: K, make: () => T): T {
  let member = members.get(key);
  if (member === undefined && !members.has(key)) {
    members.set(key, (member = make()));
  }
  return member as T;
}
