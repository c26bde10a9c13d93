/**
 * Reads the struct types of Go files as far as their `keda` tags go: enough Go for KEDA's scaler files, and no more.
 */

export interface GoField {
  /** Empty for an embedded struct. */
  readonly name: string;
  /** As written, for example `[]string`, `*authentication.Config`. */
  readonly type: string;
  /** Content of the `keda` tag; undefined where the field has none. */
  readonly tag?: string;
}

export interface GoFile {
  readonly structs: ReadonlyMap<string, readonly GoField[]>;
  /** `type offsetResetPolicy string`: what a named type is. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Functions at the top level, by name. */
  readonly functions: ReadonlySet<string>;
}

export function readGoFile(text: string): GoFile {
  const structs = new Map<string, readonly GoField[]>();
  const aliases = new Map<string, string>();
  const functions = new Set<string>();
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    const struct = /^type (\w+) struct \{$/.exec(line);
    const alias = /^type (\w+) (string|int|int64|float64|bool)$/.exec(line);
    const fn = /^func (\w+)\(/.exec(line);
    if (struct !== null) {
      const fields: GoField[] = [];
      for (i++; i < lines.length && lines[i] !== '}'; i++) {
        fields.push(...fieldOf(lines[i]));
      }
      structs.set(struct[1], fields);
    } else if (alias !== null) {
      aliases.set(alias[1], alias[2]);
    } else if (fn !== null) {
      functions.add(fn[1]);
    }
  }
  return { structs, aliases, functions };
}

function fieldOf(line: string): readonly GoField[] {
  const [, code, tag] = /^\s*([^`]*?)\s*(?:`keda:"([^"]*)"`.*)?$/.exec(line) ?? [];
  const declaration = (code ?? '').replace(/\/\/.*$/, '').trim();
  if (declaration === '') {
    return [];
  }
  const parts = declaration.split(/\s+/);
  return parts.length === 1
    ? [{ name: '', type: parts[0], tag }]
    : [{ name: parts[0], type: parts.slice(1).join(' '), tag }];
}
