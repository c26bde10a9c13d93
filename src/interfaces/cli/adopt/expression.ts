/**
 * TypeScript expressions as values: what `adopt` proposes is evaluated in memory and printed from the same value, so that both are one.
 */
import { type JsonPrimitive } from '../../../facts/api/schema';
import { LIBRARY } from './library';

/** A literal, a list or object of expressions, or code. */
export type Expression =
  | JsonPrimitive
  | undefined
  | readonly Expression[]
  | Fields
  | Call
  | Reference
  | Unset
  | KindName;

/** An object literal. */
export interface Fields {
  readonly [name: string]: Expression;
}

/** A call of a function of the library, or of a constructor: `Accelerator.nvidia({ count: 8 })`. */
export class Call {
  constructor(
    /** Path from a name that is imported: `volcano.Queue.fromName`. */
    readonly target: string,
    readonly args: readonly Expression[],
    readonly isNew = false,
  ) {}
}

/** An object that the stack declares, as far as a reference needs it. */
export interface Declared {
  readonly variable: string;
  /** Name of the object in the cluster. */
  readonly name: string;
  /** The class of the construct: `volcano.Queue`, `Resource`. */
  readonly className: string;
}

/** An object that the construct of another one has as a member, such as the queue of a team. */
export interface Part {
  readonly member: string;
  readonly className: string;
  /** Name of the object in the cluster. */
  readonly name: string;
}

/** A variable of the stack, a member of it, or the name of its object. */
export class Reference {
  constructor(
    readonly declared: Declared,
    readonly member?: 'name',
    readonly part?: Part,
  ) {}

  /** The construct in place of its name. */
  get construct(): Reference {
    return new Reference(this.declared, undefined, this.part);
  }

  get className(): string {
    return (this.part ?? this.declared).className;
  }

  /** Name of the object in the cluster. */
  get name(): string {
    return (this.part ?? this.declared).name;
  }

  /** As the source has it. */
  get text(): string {
    return [this.declared.variable, this.part?.member, this.member].filter((word) => word !== undefined).join('.');
  }
}

/** `undefined` that is written, to unset what another object sets. */
export class Unset {
  readonly unset = true;
}

/** A kind as a value of `cdk8s-gantry/api/GROUP/VERSION`: what `Resource` takes. */
export class KindName {
  constructor(
    readonly apiVersion: string,
    readonly kind: string,
  ) {}
}

/** The constructs that were built for the declarations so far. */
export type Built = ReadonlyMap<Declared, unknown>;

/** @throws what the library throws, or if a variable was not built */
export function evaluate(expression: Expression, built: Built): unknown {
  if (Array.isArray(expression)) {
    return (expression as readonly Expression[]).map((item) => evaluate(item, built));
  }
  if (typeof expression !== 'object' || expression === null) {
    return expression;
  }
  if (expression instanceof Call) {
    return call(expression, built);
  }
  if (expression instanceof Unset) {
    return undefined;
  }
  if (expression instanceof KindName) {
    return { apiVersion: expression.apiVersion, kind: expression.kind };
  }
  if (expression instanceof Reference) {
    if (expression.member === 'name') {
      return expression.name;
    }
    const { part } = expression;
    const construct = built.get(expression.declared);
    const value = part === undefined || construct === undefined ? construct : memberOf(construct, part.member);
    if (value === undefined) {
      throw new Error(`${expression.text} is not declared yet`);
    }
    return value;
  }
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(expression as Fields)) {
    setOwn(fields, name, evaluate(value, built));
  }
  return fields;
}

function call({ target, args, isNew }: Call, built: Built): unknown {
  const values = args.map((argument) => evaluate(argument, built));
  const path = target.split('.');
  const last = path.pop() ?? '';
  const owner = path.reduce<unknown>((value, member) => memberOf(value, member), LIBRARY);
  const found = memberOf(owner, last);
  if (typeof found !== 'function') {
    throw new Error(`${target} is not a function of the library`);
  }
  return isNew
    ? Reflect.construct(found, values)
    : Reflect.apply(found as (...given: readonly unknown[]) => unknown, owner, values);
}

function memberOf(value: unknown, member: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[member];
}

/** The class of this path in the library. */
export function classOf(path: string): new (...args: readonly unknown[]) => unknown {
  return path.split('.').reduce<unknown>((value, member) => memberOf(value, member), LIBRARY) as new (
    ...args: readonly unknown[]
  ) => unknown;
}

/** Sets an own member also where its name is `__proto__`. */
export function setOwn(fields: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
}

export function isFields(value: Expression): value is Fields {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Call) &&
    !(value instanceof Reference) &&
    !(value instanceof Unset) &&
    !(value instanceof KindName)
  );
}

/** The value as an object; an empty one where it is none. */
export function fieldsOf(value: Expression): Fields {
  return isFields(value) ? value : {};
}

/** The value as a list; an empty one where it is none. */
export function listOf(value: Expression): readonly Expression[] {
  return Array.isArray(value) ? (value as readonly Expression[]) : [];
}

/** An own member of an object. */
export function at(value: Expression, ...path: readonly string[]): Expression {
  let found = value;
  for (const name of path) {
    found = isFields(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}

/** The string of a literal or of a name. */
export function textOf(value: Expression): string | undefined {
  if (value instanceof Reference && value.member === 'name') {
    return value.name;
  }
  return typeof value === 'string' ? value : undefined;
}

/** The string of a literal or of a name; empty where it is none. */
export function wordOf(value: Expression): string {
  return textOf(value) ?? '';
}

/** The JSON of an expression of literals and names. */
export function jsonOf(value: Expression): unknown {
  return evaluate(value, new Map());
}

/** The members that are set, in their order; `undefined` where there is none. */
export function present(fields: Fields): Fields | undefined {
  const members = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (members.length === 0) {
    return undefined;
  }
  const result: Record<string, Expression> = {};
  for (const [name, value] of members) {
    setOwn(result, name, value);
  }
  return result;
}

/** The members but those of these names; `undefined` where there is none left. */
export function without(fields: Fields, ...names: readonly string[]): Fields | undefined {
  const kept: Record<string, Expression> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!names.includes(name)) {
      setOwn(kept, name, value);
    }
  }
  return present(kept);
}

/** A list, or nothing where it is empty. */
export function nonEmpty(list: readonly Expression[]): readonly Expression[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** The variable of a construct of this class where a name refers to one of the stack; otherwise `CLASS.fromName('…')`. */
export function referenceTo(name: Expression, className: string): Expression {
  if (name instanceof Reference && name.className === className) {
    return name.construct;
  }
  const text = textOf(name);
  return text === undefined ? undefined : new Call(`${className}.fromName`, [text]);
}

/** The variable of any object of the stack where a name refers to one; otherwise the name. */
export function namedReference(name: Expression): Expression {
  return name instanceof Reference ? name.construct : name;
}

/** A time in the largest unit that divides it. */
export function duration(seconds: Expression): Expression {
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < 0) {
    return undefined;
  }
  for (const [unit, length] of [
    ['days', 86_400],
    ['hours', 3600],
    ['minutes', 60],
  ] as const) {
    if (seconds >= length && seconds % length === 0) {
      return new Call(`Duration.${unit}`, [seconds / length]);
    }
  }
  return new Call('Duration.seconds', [seconds]);
}
