/**
 * Ids of constructs and names of variables, unique in the stack.
 */
import { type ObjectId } from '../../../manifests/manifest';
import { LIBRARY } from './library';

/** Names that a variable must not have: words of the language, and what the stack imports or declares itself. */
const RESERVED: ReadonlySet<string> = new Set([
  ...Object.keys(LIBRARY),
  'App',
  'Chart',
  'Construct',
  'JsonPatch',
  'Stack',
  'chart',
  'scope',
  'id',
  'props',
  'vars',
  'arguments',
  'await',
  'break',
  'case',
  'catch',
  'class',
  'const',
  'continue',
  'debugger',
  'default',
  'delete',
  'do',
  'else',
  'enum',
  'eval',
  'export',
  'extends',
  'false',
  'finally',
  'for',
  'function',
  'if',
  'implements',
  'import',
  'in',
  'instanceof',
  'interface',
  'let',
  'module',
  'new',
  'null',
  'package',
  'private',
  'protected',
  'public',
  'require',
  'return',
  'static',
  'super',
  'switch',
  'this',
  'throw',
  'true',
  'try',
  'typeof',
  'undefined',
  'var',
  'void',
  'while',
  'with',
  'yield',
  'async',
  'exports',
  'globalThis',
  'process',
  'global',
  'console',
  'Object',
]);

export class Names {
  /** The tree of constructs looks ids up in an object, so that members of every object count as taken. */
  private readonly ids = new Set<string>(Object.getOwnPropertyNames(Object.prototype));
  private readonly variables = new Set<string>(RESERVED);

  /** The id of an object: its name where that is free, so that the construct needs no `name`. */
  id({ name, namespace, kind }: ObjectId, generateName: string): string {
    const base =
      (name === '' ? generateName.replace(/(?<!-)-+$/, '') : name).replaceAll('/', '-') || kind.toLowerCase();
    const candidates = [base, `${base}-${kind.toLowerCase()}`, `${namespace}-${base}-${kind.toLowerCase()}`];
    return free(candidates, this.ids);
  }

  variable({ name, namespace, kind }: ObjectId): string {
    const base = camel(name) || camel(kind);
    const own = /^\d/.test(base) ? camel(`${kind} ${name}`) : base;
    return free([own, camel(`${own} ${kind}`), camel(`${namespace} ${own} ${kind}`)], this.variables);
  }
}

function free(candidates: readonly string[], taken: Set<string>): string {
  const last = candidates.at(-1) ?? '';
  let chosen = candidates.find((candidate) => candidate !== '' && !taken.has(candidate));
  for (let number = 2; chosen === undefined; number += 1) {
    chosen = taken.has(`${last}${number}`) ? undefined : `${last}${number}`;
  }
  taken.add(chosen);
  return chosen;
}

function camel(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return words
    .map((word, index) => (index === 0 ? lowered(word) : `${word.charAt(0).toUpperCase()}${word.slice(1)}`))
    .join('');
}

/** `PodGroup` to `podGroup`, `GPU` to `gpu`. */
function lowered(word: string): string {
  return word === word.toUpperCase() ? word.toLowerCase() : `${word.charAt(0).toLowerCase()}${word.slice(1)}`;
}
