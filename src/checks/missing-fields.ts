/**
 * Missing fields, each of which is reported once: where a rule of the server or of a project reports one, the schema's shorter message on it is
 * left out.
 */
import { type Manifest } from '../manifests/manifest';
import { type Severity, type Tier } from './finding';
import { shapeRules } from './schema/shape-rules';

interface Place {
  readonly manifest: Manifest;
  readonly path: string;
}

export class MissingFields {
  /** Whether a rule with a better message reports the field, by its path. */
  private readonly reported = new Map<Manifest, Map<string, boolean>>();

  /** Whether these are findings of the schema about missing fields. */
  static areFoundBy(rule: string): boolean {
    return rule === shapeRules.required.id;
  }

  /** Takes note of a finding. The schema is checked before any rule runs. */
  note(rule: string, tier: Tier, severity: Severity, { manifest, path }: Place): void {
    let fields = this.reported.get(manifest);
    if (MissingFields.areFoundBy(rule)) {
      this.reported.set(manifest, (fields ??= new Map<string, boolean>()));
      fields.set(path, false);
    } else if (fields?.has(path) === true && severity === 'error' && (tier === 'server' || tier === 'webhook')) {
      fields.set(path, true);
    }
  }

  /** Whether the schema's message on the field is left out. */
  isReported({ manifest, path }: Place): boolean {
    return this.reported.get(manifest)?.get(path) === true;
  }
}
