/**
 * JSON pointers (RFC 6901): how findings name a place inside an object.
 */
import { type JsonValue } from '../facts/api/schema';

/** Appends reference tokens to a pointer, escaped: `pointer('/spec', 'limits', 'nvidia.com/gpu')` is `/spec/limits/nvidia.com~1gpu`. */
export function pointer(base: string, ...tokens: readonly (string | number)[]): string {
  let path = base;
  for (const token of tokens) {
    path += '/';
    path += typeof token === 'number' ? token : escapedToken(token);
  }
  return path;
}

/** A reference token as a pointer contains it. */
export function escapedToken(token: string): string {
  return token.includes('/') || token.includes('~') ? token.replace(/~/g, '~0').replace(/\//g, '~1') : token;
}

/** The reference tokens of a pointer, unescaped; none for the empty pointer. */
export function tokensOf(path: string): string[] {
  if (path === '') {
    return [];
  }
  const tokens = path.slice(1).split('/');
  return path.includes('~') ? tokens.map((token) => token.replace(/~1/g, '/').replace(/~0/g, '~')) : tokens;
}

/** Parents that an object may have at several levels: `spec.containers` of a Job could be read as a field of the Job itself. */
const AT_SEVERAL_LEVELS: ReadonlySet<string> = new Set(['metadata', 'spec']);

/** Maps of objects, whose keys say little without the name of the map. */
const MAPS: ReadonlySet<string> = new Set(['attributes', 'capacity']);

/**
 * The field at a place, with its parent: `roleRef.kind`, `volumeMounts[0].name`, `limits["nvidia.com/gpu"]`, `template.spec.containers`;
 * `the object` for the root.
 */
export function fieldOf(path: string): string {
  const tokens = tokensOf(path);
  let first = Math.max(0, tokens.length - 2);
  const isUnclear = (token = ''): boolean => isIndex(token) || AT_SEVERAL_LEVELS.has(token);
  while (first > 0 && (isUnclear(tokens[first]) || MAPS.has(tokens[first - 1] ?? ''))) {
    first -= 1;
  }
  // A name that begins with a bracket reads as a list.
  if (first > 0 && isInBrackets(tokens[first])) {
    first -= 1;
    while (first > 0 && (isIndex(tokens[first]) || isInBrackets(tokens[first]))) {
      first -= 1;
    }
  }
  return tokens.length === 0 ? 'the object' : joined(tokens.slice(first));
}

/** The whole path of a field: `rules["schema/type"].reason`; empty for the root. */
export function fieldPathOf(path: string): string {
  return joined(tokensOf(path));
}

function isInBrackets(token = ''): boolean {
  return !/^[\w$]+(?:-+[\w$]+)*$/.test(token);
}

function isIndex(token = ''): boolean {
  return /^(0|[1-9]\d*)$/.test(token);
}

function joined(tokens: readonly string[]): string {
  return tokens.reduce((field, token) => fieldBelow(field, isIndex(token) ? Number(token) : token), '');
}

/** A field or an item below another field: `spec.template`, `limits["nvidia.com/gpu"]`, `volumes[0]`, `byNumber["0"]`. */
export function fieldBelow(field: string, key: string | number): string {
  if (typeof key === 'number' || isIndex(key) || isInBrackets(key)) {
    return `${field}[${JSON.stringify(key)}]`;
  }
  return field === '' ? key : `${field}.${key}`;
}

/** The value at a pointer; `undefined` where the path leaves the document. */
export function valueAt(root: JsonValue | undefined, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const token of tokensOf(path)) {
    if (value === null || typeof value !== 'object') {
      return undefined;
    }
    if (Array.isArray(value)) {
      value = /^(0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
    } else {
      value = Object.prototype.hasOwnProperty.call(value, token) ? value[token] : undefined;
    }
  }
  return value;
}
