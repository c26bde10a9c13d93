/**
 * The names under which CEL rules reach fields whose own names CEL does not allow (`apiserver/pkg/cel/escaping.go`).
 */

/** Names that CEL keeps for itself. */
export const RESERVED: ReadonlySet<string> = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);

/** The name under which rules reach a field; `undefined` where they cannot. */
export function escapedName(name: string): string | undefined {
  if (RESERVED.has(name)) {
    return `__${name}__`;
  }
  if (/^[0-9]/.test(name) || !/^[A-Za-z0-9_.\-/]+$/.test(name)) {
    return undefined;
  }
  if (!/__|[.\-/]/.test(name)) {
    return name;
  }
  return name.replace(/__|[.\-/]/g, (part) =>
    part === '__' ? '__underscores__' : part === '.' ? '__dot__' : part === '-' ? '__dash__' : '__slash__',
  );
}
