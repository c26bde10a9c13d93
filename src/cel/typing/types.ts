/**
 * Types of CEL as its type checker knows them, and how one is assigned to another: cel-go's `checker/types.go`.
 *
 * A type parameter represents a type that is still to be found. What it was found to be is in the substitution, which only grows: an attempt that fails
 * is taken back.
 */
export type CelType =
  | { readonly kind: Primitive }
  | { readonly kind: 'list'; readonly of: readonly [CelType] }
  | { readonly kind: 'map'; readonly of: readonly [CelType, CelType] }
  | { readonly kind: 'optional'; readonly of: readonly [CelType] }
  | { readonly kind: 'type' }
  | { readonly kind: 'parameter'; readonly name: string }
  /** A type of Kubernetes: fields, or only functions. */
  | { readonly kind: 'named'; readonly name: string };

export type Primitive =
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null_type'
  | 'dyn'
  | 'any'
  | 'duration'
  | 'timestamp';

const PRIMITIVES: ReadonlySet<string> = new Set<Primitive>([
  'bool',
  'int',
  'uint',
  'double',
  'string',
  'bytes',
  'null_type',
  'dyn',
  'any',
  'duration',
  'timestamp',
]);

export const DYN: CelType = { kind: 'dyn' };
export const BOOL: CelType = { kind: 'bool' };
export const INT: CelType = { kind: 'int' };
export const STRING: CelType = { kind: 'string' };
export const TYPE: CelType = { kind: 'type' };

export function listOf(item: CelType): CelType {
  return { kind: 'list', of: [item] };
}

export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: 'map', of: [key, value] };
}

export function optionalOf(value: CelType): CelType {
  return { kind: 'optional', of: [value] };
}

/** The type as messages show it: `list(string)`. */
export function printType(type: CelType): string {
  if (type.kind === 'parameter' || type.kind === 'named') {
    return type.name;
  }
  return 'of' in type ? `${type.kind}(${type.of.map(printType).join(', ')})` : type.kind;
}

/**
 * Reads a type from its text: `map(string, list(A))`. One capital letter is a parameter.
 * @throws TypeError if the text is not a type
 */
export function readType(text: string): CelType {
  const [, outer, inner] = /^([\w.]+)(?:\((.*)\))?$/.exec(text.trim()) ?? [];
  if (outer === undefined) {
    throw new TypeError(`not a CEL type: ${text}`);
  }
  const of = inner === undefined ? [] : splitTypes(inner).map(readType);
  if (outer === 'list' || outer === 'optional') {
    return { kind: outer, of: [of[0]] };
  }
  if (outer === 'map') {
    return { kind: 'map', of: [of[0], of[1]] };
  }
  if (outer === 'type') {
    return TYPE;
  }
  if (PRIMITIVES.has(outer)) {
    return { kind: outer as Primitive };
  }
  return /^[A-Z]$/.test(outer) ? { kind: 'parameter', name: outer } : { kind: 'named', name: outer };
}

/** The parts of a list of types, without splitting those in parentheses. */
export function splitTypes(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= text.length; at++) {
    const char = text[at] ?? ',';
    depth += char === '(' ? 1 : char === ')' ? -1 : 0;
    if (char === ',' && depth === 0) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return parts.filter((part) => part !== '');
}

/** Thrown where the types of an expression are too large to compare. */
export class TooLarge extends Error {}

/** Types that share parts can be huge; the server's parser stops before them. */
const MOST_STEPS = 1_000_000;

export class Substitution {
  private readonly found = new Map<string, CelType>();
  private next = 0;
  private steps = 0;

  fresh(): CelType {
    return { kind: 'parameter', name: `_${this.next++}` };
  }

  /** The type with fresh parameters in the place of its own. */
  instantiate(types: readonly CelType[]): readonly CelType[] {
    const own = new Map<string, CelType>();
    const renamed = (type: CelType): CelType => {
      if (type.kind !== 'parameter') {
        return mapParts(type, renamed);
      }
      const known = own.get(type.name) ?? this.fresh();
      own.set(type.name, known);
      return known;
    };
    return types.map(renamed);
  }

  /** The type with what is known about its parameters. */
  resolve(type: CelType): CelType {
    this.count();
    if (type.kind === 'parameter') {
      const known = this.found.get(type.name);
      return known === undefined ? type : this.resolve(known);
    }
    return mapParts(type, (part) => this.resolve(part));
  }

  /** Like {@link resolve}, with `dyn` for what is not known. */
  final(type: CelType): CelType {
    const resolved = this.resolve(type);
    const closed = (part: CelType): CelType => (part.kind === 'parameter' ? DYN : mapParts(part, closed));
    return closed(resolved);
  }

  /** Whether all types can be assigned; if not, the substitution is unchanged. */
  assign(from: readonly CelType[], to: readonly CelType[]): boolean {
    if (from.length !== to.length) {
      return false;
    }
    const before = new Map(this.found);
    if (from.every((type, index) => this.assignable(type, to[index]))) {
      return true;
    }
    this.found.clear();
    before.forEach((type, name) => this.found.set(name, type));
    return false;
  }

  private assignable(from: CelType, to: CelType): boolean {
    this.count();
    if (to.kind === 'parameter') {
      const outcome = this.substitutes(from, to);
      if (outcome !== undefined) {
        return outcome;
      }
    }
    if (from.kind === 'parameter') {
      return this.substitutes(to, from) === true;
    }
    if (isUnknown(from) || isUnknown(to)) {
      return true;
    }
    if (from.kind === 'null_type' || to.kind === 'null_type') {
      return isNullable(from) && isNullable(to);
    }
    if (from.kind !== to.kind) {
      return false;
    }
    if (from.kind === 'named') {
      return from.name === (to as typeof from).name;
    }
    const parts = partsOf(to);
    return partsOf(from).every((part, index) => this.assignable(part, parts[index]));
  }

  /** Whether the type can be the parameter's; `undefined` where the parameter is free and the type contains it. */
  private substitutes(type: CelType, parameter: Extract<CelType, { kind: 'parameter' }>): boolean | undefined {
    if (isSame(type, parameter)) {
      return true;
    }
    const known = this.found.get(parameter.name);
    if (known === undefined) {
      if (!this.contains(type, parameter.name)) {
        this.found.set(parameter.name, type);
        return true;
      }
      return undefined;
    }
    if (isSame(type, known)) {
      return true;
    }
    if (!this.assignable(type, known)) {
      return false;
    }
    const wider = isAtMostAsSpecific(type, known) ? type : known;
    if (!isSame(wider, parameter) && !this.contains(wider, parameter.name)) {
      this.found.set(parameter.name, wider);
    }
    return true;
  }

  private contains(type: CelType, name: string): boolean {
    this.count();
    if (type.kind !== 'parameter') {
      return partsOf(type).some((part) => this.contains(part, name));
    }
    const known = this.found.get(type.name);
    return type.name === name || (known !== undefined && this.contains(known, name));
  }

  private count(): void {
    if (++this.steps > MOST_STEPS) {
      throw new TooLarge('the types of the expression are too large');
    }
  }
}

/** Whether only the value tells the type: `dyn`, and `any`, which cannot be looped over. */
export function isUnknown({ kind }: CelType): boolean {
  return kind === 'dyn' || kind === 'any';
}

function partsOf(type: CelType): readonly CelType[] {
  return 'of' in type ? type.of : [];
}

function mapParts(type: CelType, change: (part: CelType) => CelType): CelType {
  if (type.kind === 'list' || type.kind === 'optional') {
    return { kind: type.kind, of: [change(type.of[0])] };
  }
  return type.kind === 'map' ? { kind: 'map', of: [change(type.of[0]), change(type.of[1])] } : type;
}

/** Null can be assigned to all that is not a plain value. */
function isNullable({ kind }: CelType): boolean {
  return ['null_type', 'optional', 'named', 'duration', 'timestamp'].includes(kind);
}

export function isSame(a: CelType, b: CelType): boolean {
  if (a === b) {
    return true;
  }
  if (a.kind !== b.kind) {
    return false;
  }
  if (a.kind === 'named' || a.kind === 'parameter') {
    return a.name === (b as typeof a).name;
  }
  const parts = partsOf(b);
  return partsOf(a).every((part, index) => isSame(part, parts[index]));
}

export function isAtMostAsSpecific(a: CelType, b: CelType): boolean {
  if (isUnknown(a) || a.kind === 'parameter') {
    return true;
  }
  if (isUnknown(b) || b.kind === 'parameter' || a.kind !== b.kind) {
    return false;
  }
  if (a.kind === 'named') {
    return a.name === (b as typeof a).name;
  }
  const parts = partsOf(b);
  return partsOf(a).every((part, index) => isAtMostAsSpecific(part, parts[index]));
}
