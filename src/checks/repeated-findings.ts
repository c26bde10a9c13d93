/**
 * Findings on one field that come from one mistake: one of them is reported.
 *
 * - A field that is missing or too short, or has a value that the format of the field excludes: where a rule of the server or of a project
 *   reports the field, or the schema a bound, the schema's shorter message is left out.
 * - A value of the wrong type: rules read it as if the field were unset or empty, so what they say about the value is left out, and so is that
 *   the field, or an item of its list, is missing.
 * - Information that an object is not in the set: one finding for each object that names it, at the first place, however often it is named.
 */
import { type Manifest } from '../manifests/manifest';
import { pointer, tokensOf } from '../manifests/pointer';
import { type Severity, type Tier } from './report/finding';
import { namesKey } from './rules/field-fix';
import { type AbsentObject } from './rules/rule';
import { shapeRules } from './schema/shape-rules';

interface Said {
  readonly rule: string;
  readonly tier: Tier;
  readonly severity: Severity;
  readonly manifest: Manifest;
  readonly path: string;
  readonly message: string;
}

/** What findings say about one field. */
interface Field {
  hasWrongType: boolean;
  /** Whether a rule reports the field that says more than the schema. */
  isSaidBetter: boolean;
}

/** The words in which rules report what is missing. */
const MISSING = /\bmust (be set|set|have|not be empty)\b|\b(has|have) no\b|\bis empty\b/;

/** Rules of the schema whose messages others replace. */
const SHORT: ReadonlySet<string> = new Set([shapeRules.required.id, shapeRules.format.id, shapeRules.size.id]);

/** Of a list or a string that is too short; a rule that reports one that is too long may mean something else. */
const TOO_SHORT = /\bmust have at least\b/;

export class RepeatedFindings {
  private readonly fields = new Map<Manifest, Map<string, Field>>();
  /** Names of fields with a value of the wrong type, by the path of the object or list that seems to lack them. */
  private readonly lacking = new Map<Manifest, Map<string, Set<string>>>();

  /** What each object is said to name without it being there: the rules and the absent objects. */
  private readonly absent = new Map<Manifest, Set<string>>();

  /** Whether these are findings of the schema that others replace. */
  static areFoundBy(rule: string): boolean {
    return SHORT.has(rule);
  }

  /** Takes note of a finding. The schema is checked before any rule runs. */
  note({ rule, tier, severity, manifest, path, message }: Said): void {
    if (tier === 'schema') {
      const isBound = rule === shapeRules.bound.id;
      const hasWrongType = rule === shapeRules.type.id;
      const isReplaceable = SHORT.has(rule) && (rule !== shapeRules.size.id || TOO_SHORT.test(message));
      if (isBound || hasWrongType || isReplaceable) {
        const field = this.fieldAt(manifest, path);
        field.hasWrongType ||= hasWrongType;
        field.isSaidBetter ||= isBound;
        if (hasWrongType) {
          this.noteLacking(manifest, path);
        }
      }
    } else if (severity === 'error' && (tier === 'server' || tier === 'webhook')) {
      const field = this.fields.get(manifest)?.get(path);
      if (field !== undefined) {
        field.isSaidBetter = true;
      }
    }
  }

  /** A value is missing in what contains it: a field in its object, an item in its list, and the list then in its object. */
  private noteLacking(manifest: Manifest, path: string): void {
    const tokens = tokensOf(path);
    const isItem = /^\d+$/.test(tokens.at(-1) ?? '');
    const field = isItem ? tokens.slice(0, -1) : tokens;
    const name = field.at(-1);
    if (name === undefined) {
      return;
    }
    let paths = this.lacking.get(manifest);
    if (paths === undefined) {
      this.lacking.set(manifest, (paths = new Map<string, Set<string>>()));
    }
    for (const at of new Set([pointer('', ...field.slice(0, -1)), pointer('', ...field), path])) {
      const names = paths.get(at) ?? new Set();
      paths.set(at, names.add(name));
    }
  }

  private fieldAt(manifest: Manifest, path: string): Field {
    let fields = this.fields.get(manifest);
    if (fields === undefined) {
      this.fields.set(manifest, (fields = new Map<string, Field>()));
    }
    let field = fields.get(path);
    if (field === undefined) {
      fields.set(path, (field = { hasWrongType: false, isSaidBetter: false }));
    }
    return field;
  }

  /** Whether the finding is about a value whose type the schema has reported, and not about its key. */
  followsFromType({ tier, manifest, path, message }: Said): boolean {
    if (tier === 'schema') {
      return false;
    }
    const hasWrongType = this.fields.get(manifest)?.get(path)?.hasWrongType === true;
    return (hasWrongType && !namesKey(path, message)) || this.reportsAsMissing(manifest, path, message);
  }

  /**
   * Whether the object was said before to name an object that is not there. Takes note of it.
   *
   * @param severity that of the rule: a misspelled name is more than information, and has to be corrected at each place
   */
  wasSaidAbsent({ rule, manifest }: Said, absent: AbsentObject | undefined, severity: Severity): boolean {
    if (severity !== 'info' || absent === undefined) {
      return false;
    }
    const said = this.absent.get(manifest) ?? new Set<string>();
    this.absent.set(manifest, said);
    const key = `${rule} ${absent.kind} ${absent.name}`;
    const wasSaid = said.has(key);
    said.add(key);
    return wasSaid;
  }

  private reportsAsMissing(manifest: Manifest, path: string, message: string): boolean {
    const names = this.lacking.get(manifest)?.get(path);
    if (names === undefined || !MISSING.test(message)) {
      return false;
    }
    const words = message.split(/[^\w.-]+/).map((word) => word.replace(/[.-]+$/, ''));
    return [...names].some((name) => words.some((word) => word === name || isShortFor(word, name)));
  }

  /** Whether the schema's message on the field is left out. */
  isReported({ manifest, path }: Pick<Said, 'manifest' | 'path'>): boolean {
    return this.fields.get(manifest)?.get(path)?.isSaidBetter === true;
  }
}

/** Messages may call `matchLabelExpressions` the expressions. */
function isShortFor(word: string, name: string): boolean {
  return word.length > 4 && name.endsWith(word.charAt(0).toUpperCase() + word.slice(1));
}
