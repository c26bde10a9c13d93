/**
 * Which rules are worth running on a manifest, by the names of the fields that occur in it.
 *
 * Nearly all rules read fields that nearly all manifests leave unset. One walk over a manifest collects the names that occur in it, and one
 * over each of several equal specs; manifests with the same names share the result.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { addTo } from '../../facts/collections';
import { kindKey } from '../../manifests/identity';
import { type Manifest } from '../../manifests/manifest';
import { unguarded } from '../../manifests/values/unknown';
import { type SpecContent } from '../contents';
import { type ObjectRule, type PodTemplateRule, type Rule } from './rule';

/** Sets of names whose rules are remembered at a time. */
const MOST_NAMES = 5000;

/** Bits of a character: a set of names is kept as a text, which is what maps take for a key. */
const BITS = 16;

/** Rules on objects: those that see the spec alone, those that see all but the name, and all others. */
export interface ObjectRules extends SortedByAsking {
  readonly ofSpec: readonly ObjectRule[];
  readonly unnamed: SortedByAsking;
}

/** Rules that ask first whether they apply, and all others. */
export interface SortedByAsking {
  readonly asking: readonly AskingRules[];
  readonly others: readonly ObjectRule[];
}

/** Rules that apply to the same manifests. */
export interface AskingRules {
  readonly applyTo: NonNullable<ObjectRule['appliesTo']>;
  readonly rules: readonly ObjectRule[];
}

/** Rules on pod templates: those that see nothing of the object around, those that see its namespace as well, and all others. */
export interface TemplateRules {
  readonly alone: readonly PodTemplateRule[];
  readonly inNamespace: readonly PodTemplateRule[];
  readonly others: readonly PodTemplateRule[];
}

export class RulesByField {
  private readonly bits = new Map<string, number>();
  private readonly objectRules = new Map<string, ObjectRule[]>();
  private readonly templateRules: readonly PodTemplateRule[];
  private readonly names = new WeakMap<Manifest, string>();
  private readonly forObjects = new Map<string, ObjectRules>();
  private readonly forTemplates = new Map<string, TemplateRules>();

  constructor(rules: readonly Rule[]) {
    const onObjects = rules.filter((rule): rule is ObjectRule => rule.on === 'object');
    for (const rule of onObjects) {
      rule.kinds.forEach((kind) => addTo(this.objectRules, kind, rule));
    }
    this.templateRules = rules.filter((rule): rule is PodTemplateRule => rule.on === 'pod-template');
    for (const name of [...onObjects, ...this.templateRules].flatMap((rule) => rule.concerns ?? [])) {
      if (!this.bits.has(name)) {
        this.bits.set(name, this.bits.size);
      }
    }
  }

  /** The rules on objects of this kind that may apply to this one, in their order. Rules on every kind come first. */
  ofObject(manifest: Manifest, spec: SpecContent | undefined): ObjectRules {
    const names = this.namesIn(manifest, spec);
    const kind = kindKey(manifest.id);
    const key = `${names}${kind}`;
    let rules = this.forObjects.get(key);
    if (rules === undefined) {
      const on = (wanted: string): readonly ObjectRule[] => this.objectRules.get(wanted) ?? [];
      const all = [...on('*'), ...on(kind)].filter((rule) => this.concerned(rule, names));
      const seeing = (what: ObjectRule['sees']): readonly ObjectRule[] => all.filter(({ sees }) => sees === what);
      rules = {
        ofSpec: seeing('spec'),
        unnamed: sortedByAsking(seeing('all-but-name')),
        ...sortedByAsking(seeing(undefined)),
      };
      if (this.forObjects.size >= MOST_NAMES) {
        this.forObjects.clear();
      }
      this.forObjects.set(key, rules);
    }
    return rules;
  }

  /** The rules on pod templates that may apply to those of this manifest, in their order. */
  ofTemplates(manifest: Manifest, spec: SpecContent | undefined): TemplateRules {
    const names = this.namesIn(manifest, spec);
    let rules = this.forTemplates.get(names);
    if (rules === undefined) {
      const concerned = this.templateRules.filter((rule) => this.concerned(rule, names));
      const seeing = (what: PodTemplateRule['sees']): readonly PodTemplateRule[] =>
        concerned.filter(({ sees }) => sees === what);
      rules = { alone: seeing('template'), inNamespace: seeing('namespace'), others: seeing(undefined) };
      if (this.forTemplates.size >= MOST_NAMES) {
        this.forTemplates.clear();
      }
      this.forTemplates.set(names, rules);
    }
    return rules;
  }

  private concerned(rule: ObjectRule | PodTemplateRule, names: string): boolean {
    return (
      rule.concerns?.some((name) => {
        const bit = this.bits.get(name) ?? 0;
        return (names.charCodeAt(Math.floor(bit / BITS)) & (1 << (bit % BITS))) !== 0;
      }) ?? true
    );
  }

  private namesIn(manifest: Manifest, spec: SpecContent | undefined): string {
    let names = this.names.get(manifest);
    if (names === undefined) {
      const object = unguarded(manifest.object);
      const found = new Uint16Array(Math.ceil(this.bits.size / BITS));
      if (spec === undefined) {
        this.walk(object, found);
      } else {
        found.set(this.namesInSpec(object, spec));
        for (const name of Object.keys(object)) {
          this.member(name, name === 'spec' ? null : object[name], found);
        }
      }
      names = String.fromCharCode(...found);
      this.names.set(manifest, names);
    }
    return names;
  }

  private namesInSpec({ spec }: JsonObject, content: SpecContent): Uint16Array {
    if (content.names === undefined) {
      content.names = new Uint16Array(Math.ceil(this.bits.size / BITS));
      if (typeof spec === 'object' && spec !== null) {
        this.walk(spec, content.names);
      }
    }
    return content.names;
  }

  private walk(value: JsonValue, found: Uint16Array): void {
    if (Array.isArray(value)) {
      for (const item of value) {
        if (typeof item === 'object' && item !== null) {
          this.walk(item, found);
        }
      }
      return;
    }
    const object = value as JsonObject;
    for (const name of Object.keys(object)) {
      this.member(name, object[name], found);
    }
  }

  private member(name: string, value: JsonValue | undefined, found: Uint16Array): void {
    const bit = this.bits.get(name);
    if (bit !== undefined) {
      found[Math.floor(bit / BITS)] |= 1 << (bit % BITS);
    }
    if (typeof value === 'object' && value !== null) {
      this.walk(value, found);
    }
  }
}

function sortedByAsking(rules: readonly ObjectRule[]): SortedByAsking {
  return { asking: askingAmong(rules), others: rules.filter(({ appliesTo }) => appliesTo === undefined) };
}

function askingAmong(rules: readonly ObjectRule[]): readonly AskingRules[] {
  const groups = new Map<AskingRules['applyTo'], ObjectRule[]>();
  for (const rule of rules) {
    if (rule.appliesTo !== undefined) {
      const group = groups.get(rule.appliesTo) ?? [];
      groups.set(rule.appliesTo, [...group, rule]);
    }
  }
  return [...groups].map(([applyTo, group]) => ({ applyTo, rules: group }));
}
