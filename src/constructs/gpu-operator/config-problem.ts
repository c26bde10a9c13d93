/**
 * What a reader of an embedded configuration notes: texts in ConfigMaps, which no server checks.
 */
import { nearestName } from '../../facts/spelling';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { oneOf } from '../../facts/words';
import { isObject } from '../../manifests/read';
import { fieldBelow } from '../../manifests/pointer';
import { parseValue } from '../../manifests/yaml';
import { unknownKeyFix } from '../../checks/rules/unknown-key-fix';

export interface ConfigProblem<Kind extends string> {
  readonly kind: Kind;
  /** The place within the text, `sharing.timeSlicing.resources[0].replicas`; empty for the whole. */
  readonly at: string;
  readonly message: string;
  readonly found?: JsonValue;
  readonly expected?: string;
  /** What to write; otherwise what the rule says. */
  readonly fix?: string | undefined;
}

/** Notes a problem. */
export type Note<Kind extends string> = (
  kind: Kind,
  at: string,
  message: string,
  found?: JsonValue,
  expected?: string,
  fix?: string,
) => void;

/** A text as YAML or JSON, or one line on why it is neither. */
export function valueOf(text: string): { readonly value: JsonValue } | { readonly broken: string } {
  const parsed = parseValue(text, 'config.yaml');
  if ('value' in parsed) {
    return parsed;
  }
  const { message, position } = parsed.problem;
  return { broken: `line ${position.line}: ${message.split('\n', 1)[0] ?? ''}` };
}

/** The configuration in a text; where it is none, that is noted, with the keys that it should have. */
export function configurationIn(text: string, keys: string, note: Note<'shape'>): JsonObject | undefined {
  const parsed = valueOf(text);
  if ('broken' in parsed) {
    const message = `the configuration is not valid YAML: ${parsed.broken}`;
    note('shape', '', message, undefined, undefined, syntaxFix(parsed.broken));
    return undefined;
  }
  if (!isObject(parsed.value)) {
    note('shape', '', `the configuration must be a mapping, but is ${kindOf(parsed.value)}`, undefined, keys);
    return undefined;
  }
  return parsed.value;
}

/**
 * Notes the keys of a mapping that its reader does not know, each with the unset key that it resembles.
 *
 * @param places where keys belong that are known elsewhere
 */
export function noteUnknown(
  value: JsonObject,
  at: string,
  known: readonly string[],
  note: Note<'unknown-key'>,
  places: Readonly<Record<string, string>> = {},
): void {
  for (const key of Object.keys(value).filter((name) => !known.includes(name))) {
    const unset = known.filter((name) => !Object.hasOwn(value, name));
    const near = unset.find((name) => bare(name) === bare(key)) ?? nearestName(key, unset);
    note(
      'unknown-key',
      fieldBelow(at, key),
      `unknown key "${key}" ${at === '' ? 'at the top level' : `in ${at}`}`,
      key,
      near ?? oneOf(known),
      unknownKeyFix({ key, at, near, place: Object.hasOwn(places, key) ? places[key] : undefined }),
    );
  }
}

/** What to do about a text that is not YAML. */
const syntaxFix = (broken: string): string =>
  `Correct the YAML in ${/^line \d+/.exec(broken)?.[0] ?? 'the configuration'} of the configuration.`;

/** Case and separators taken away: `time-slicing` and `timeSlicing` are alike. */
function bare(key: string): string {
  return key.toLowerCase().replace(/[^a-z0-9]/g, '');
}

export function kindOf(value: JsonValue | undefined): string {
  if (value === null || value === undefined) {
    return 'null';
  }
  if (Array.isArray(value)) {
    return 'a list';
  }
  if (typeof value === 'object') {
    return 'a mapping';
  }
  if (typeof value === 'boolean') {
    return `${value}`;
  }
  return typeof value === 'string' ? `the string "${value}"` : `the number ${value}`;
}
