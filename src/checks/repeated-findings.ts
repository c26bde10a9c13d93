/**
 * Findings on one field that come from one mistake: one of them is reported.
 *
 * - A field that is missing, or has a value that the format of the field excludes: where a rule of the server or of a project reports the field,
 *   or the schema a bound, the schema's shorter message is left out.
 * - A value of the wrong type: rules read it as if the field were unset or empty, so what they say about the value is left out.
 */
import { type Manifest } from '../manifests/manifest';
import { type Severity, type Tier } from './report/finding';
import { namesKey } from './rules/field-fix';
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

/** Rules of the schema whose messages others replace. */
const SHORT: ReadonlySet<string> = new Set([shapeRules.required.id, shapeRules.format.id]);

export class RepeatedFindings {
  private readonly fields = new Map<Manifest, Map<string, Field>>();

  /** Whether these are findings of the schema that others replace. */
  static areFoundBy(rule: string): boolean {
    return SHORT.has(rule);
  }

  /** Takes note of a finding. The schema is checked before any rule runs. */
  note({ rule, tier, severity, manifest, path }: Said): void {
    if (tier === 'schema') {
      const isBound = rule === shapeRules.bound.id;
      const hasWrongType = rule === shapeRules.type.id;
      if (isBound || hasWrongType || SHORT.has(rule)) {
        const field = this.fieldAt(manifest, path);
        field.hasWrongType ||= hasWrongType;
        field.isSaidBetter ||= isBound;
      }
    } else if (severity === 'error' && (tier === 'server' || tier === 'webhook')) {
      const field = this.fields.get(manifest)?.get(path);
      if (field !== undefined) {
        field.isSaidBetter = true;
      }
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
    return tier !== 'schema' && this.fields.get(manifest)?.get(path)?.hasWrongType === true && !namesKey(path, message);
  }

  /** Whether the schema's message on the field is left out. */
  isReported({ manifest, path }: Pick<Said, 'manifest' | 'path'>): boolean {
    return this.fields.get(manifest)?.get(path)?.isSaidBetter === true;
  }
}
