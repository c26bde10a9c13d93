/**
 * Which type a CEL expression has in an environment of the API server, or why it does not compile: cel-go's type checker on the tree of our parser.
 *
 * The tree is the parser's, before extensions are rewritten: `a.?b` is a call of `optSelect__`, and macros that the parser does not know are calls.
 */
import { type Expr } from '../syntax-extensions';
import { formatComplaint, literalComplaint } from './literals';
import { CONSTANTS, TYPE_NAMES, WELL_KNOWN } from './known-types';
import { hasTwoVariables, isBind, isMacro } from './macros';
import { type Functions, type Overload, standardFunctions } from './signatures';
import { checkRange, type Kind, nameOf, qualifiedName, textOf, TypeMistake, unwrapped } from './tree';
import {
  BOOL,
  DYN,
  INT,
  isAtMostAsSpecific,
  isSame,
  isUnknown,
  listOf,
  mapOf,
  optionalOf,
  printType,
  STRING,
  Substitution,
  TooLarge,
  TYPE,
  type CelType,
} from './types';

/** Fields of a named type by name; a function for a type that takes any. */
export type Fields = Readonly<Record<string, CelType>> | ((field: string) => CelType | undefined);

export interface TypeEnvironment {
  readonly variables: Readonly<Record<string, CelType>>;
  /** Fields of the named types that have some. */
  readonly types: (name: string) => Fields | undefined;
  /** Functions beyond the standard ones. @default - none */
  readonly functions?: Functions;
  /** Minor of the Kubernetes version whose functions can be used. */
  readonly minor: number;
  /** Whether `cel.bind` can be used. @default false */
  readonly hasBind?: boolean;
}

export interface ExpressionFault {
  /** Continues "the expression". */
  readonly complaint: string;
  /** Names that would be right in the place of the one that is wrong. @default - not known */
  readonly choices?: readonly string[];
  /** Types that the place admits, for an expression that does not compile. @default - any */
  readonly types?: readonly CelType[];
}

/** What an expression is: its type, or what is wrong with it. Neither where the types are too large to tell. */
export interface Compiled {
  readonly type?: CelType;
  readonly fault?: ExpressionFault;
  /** What is known about the parts of the tree. @default - it does not compile */
  readonly parts?: CheckedParts;
}

/** What the type checker found out about the nodes of a tree. */
export interface CheckedParts {
  readonly typeOf: (node: Expr) => CelType;
  /** The overloads that a call may run; none for a node that is not a call. */
  readonly overloadsOf: (node: Expr) => readonly Overload[];
  /** Whether a selection is the name of a variable or type with a dot in it. */
  readonly isName: (node: Expr) => boolean;
}

/**
 * The type of the expression, or why it does not compile. A fault is returned and not thrown: this module is loaded on demand, and the
 * bundle of `gantry check` has classes of its own.
 */
export function typingOf(tree: Expr, environment: TypeEnvironment): Compiled {
  const checker = new Checker(environment);
  try {
    const type = checker.final(checker.check(tree, new Map()));
    checker.checkLiterals();
    return { type, parts: checker.parts() };
  } catch (error) {
    if (error instanceof TypeMistake) {
      const { message: complaint, choices } = error;
      return { fault: { complaint, ...(choices === undefined ? {} : { choices }) } };
    }
    if (error instanceof TooLarge) {
      return {};
    }
    throw error;
  }
}

type Scope = ReadonlyMap<string, CelType>;

/** The ways to call a function, as `timestamp.getFullYear()`: those of the target, if it has some. */
function waysToCall(
  name: string,
  isMethod: boolean,
  target: string,
  overloads: readonly Overload[],
): readonly string[] {
  const sameKind = overloads.filter((overload) => overload.isMethod === isMethod);
  const ofTarget = sameKind.filter(
    ({ takes: [first] }) => isMethod && first !== undefined && printType(first) === target,
  );
  const shown = ofTarget.length > 0 ? ofTarget : sameKind.length > 0 ? sameKind : overloads;
  return shown.map(({ takes, isMethod: isCalledOn }) => {
    const types = takes.map(printType);
    return isCalledOn ? `${types[0]}.${name}(${types.slice(1).join(', ')})` : `${name}(${types.join(', ')})`;
  });
}

class Checker {
  private readonly known = new Substitution();
  private readonly functions: Functions = standardFunctions();
  /** Lists and maps whose items must have one type in the end. */
  private readonly literals: (readonly CelType[])[] = [];
  private readonly formats: { readonly format: string; readonly types: readonly CelType[] }[] = [];
  /** How many calls of `format` surround the node: their lists may mix types. */
  private formatting = 0;
  private readonly types = new Map<Expr, CelType>();
  private readonly overloadsByCall = new Map<Expr, readonly Overload[]>();
  private readonly names = new Set<Expr>();

  constructor(private readonly environment: TypeEnvironment) {}

  final(type: CelType): CelType {
    return this.known.final(type);
  }

  /** Items of a literal have the same type, also where one of them is `dyn`; and `format` has the arguments that its text names. */
  checkLiterals(): void {
    for (const { format, types } of this.formats) {
      const complaint = formatComplaint(
        format,
        types.map((type) => this.final(type)),
      );
      if (complaint !== undefined) {
        throw new TypeMistake(complaint);
      }
    }
    for (const [first, ...others] of this.literals.filter((types) => types.length > 1)) {
      const expected = this.final(first);
      const wrong = others.map((type) => this.final(type)).find((type) => !isSame(expected, type));
      if (wrong !== undefined) {
        throw new TypeMistake(`mixes ${printType(expected)} and ${printType(wrong)} in one list or map`);
      }
    }
  }

  parts(): CheckedParts {
    return {
      typeOf: (node) => this.final(this.types.get(node) ?? DYN),
      overloadsOf: (node) => this.overloadsByCall.get(node) ?? [],
      isName: (node) => this.names.has(node),
    };
  }

  check(node: Expr, scope: Scope): CelType {
    const type = this.typeOf(node, scope);
    this.types.set(node, type);
    return type;
  }

  private typeOf(node: Expr, scope: Scope): CelType {
    const kind = node.exprKind;
    switch (kind.case) {
      case 'constExpr':
        checkRange(kind.value);
        return CONSTANTS[kind.value.constantKind.case ?? ''] ?? DYN;
      case 'identExpr':
        return this.variable(kind.value.name, scope);
      case 'selectExpr':
        return this.select(node, kind.value, scope);
      case 'callExpr':
        return this.call(node, kind.value, scope);
      case 'listExpr':
        return this.list(kind.value, scope);
      case 'structExpr':
        return kind.value.messageName === '' ? this.map(kind.value, scope) : this.struct(kind.value, scope);
      case 'comprehensionExpr':
        return this.comprehension(kind.value, scope);
      case undefined:
        return DYN;
    }
  }

  private variable(name: string, scope: Scope): CelType {
    const type = this.find(name, scope);
    if (type === undefined) {
      throw new TypeMistake(`references the undeclared variable "${name}"`, Object.keys(this.environment.variables));
    }
    return type;
  }

  private find(name: string, scope: Scope): CelType | undefined {
    const own = Object.hasOwn(this.environment.variables, name) ? this.environment.variables[name] : undefined;
    return scope.get(name) ?? own ?? (this.isType(name) ? TYPE : undefined);
  }

  private isType(name: string): boolean {
    return TYPE_NAMES.has(name) || this.environment.types(name) !== undefined;
  }

  private select(node: Expr, { operand, field, testOnly }: Kind<'selectExpr'>, scope: Scope): CelType {
    const name = qualifiedName(node);
    const whole = name === undefined ? undefined : this.find(name, scope);
    if (whole !== undefined) {
      this.names.add(node);
      return whole;
    }
    const type = this.selected(operand!, field, false, scope);
    return testOnly ? BOOL : this.known.resolve(type);
  }

  private selected(operand: Expr, field: string, isOptional: boolean, scope: Scope): CelType {
    const of = this.known.resolve(this.check(operand, scope));
    const target = of.kind === 'optional' ? of.of[0] : of;
    const result = this.fieldOf(target, field);
    return isOptional || of.kind === 'optional' ? optionalOf(result) : result;
  }

  private fieldOf(target: CelType, field: string): CelType {
    if (target.kind === 'map') {
      return target.of[1];
    }
    if (target.kind === 'parameter') {
      this.known.assign([DYN], [target]);
      return DYN;
    }
    if (isUnknown(target)) {
      return DYN;
    }
    const type = target.kind === 'named' ? this.fieldOfNamed(target.name, field) : undefined;
    if (type === undefined) {
      throw new TypeMistake(
        target.kind === 'named'
          ? `selects the undefined field "${field}"`
          : `selects the field "${field}" of a value of type ${printType(target)}`,
        target.kind === 'named' ? this.fieldNames(target.name) : undefined,
      );
    }
    return type;
  }

  private fieldNames(type: string): readonly string[] | undefined {
    const fields = this.environment.types(type);
    return typeof fields === 'function' || fields === undefined ? undefined : Object.keys(fields);
  }

  private fieldOfNamed(type: string, field: string): CelType | undefined {
    const fields = this.environment.types(type);
    if (typeof fields === 'function') {
      return fields(field);
    }
    return fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
  }

  private call(node: Expr, call: Kind<'callExpr'>, scope: Scope): CelType {
    const { function: name, target, args } = call;
    this.formatting += name === 'format' ? 1 : 0;
    const type = this.called(node, call, scope);
    const format = name === 'format' ? textOf(target) : undefined;
    if (format !== undefined && args[0]?.exprKind.case === 'listExpr') {
      this.formats.push({ format, types: args[0].exprKind.value.elements.map((item) => this.check(item, scope)) });
    }
    this.formatting -= name === 'format' ? 1 : 0;
    const constant = textOf(args[0]);
    const complaint = constant === undefined ? undefined : literalComplaint(name, constant);
    if (complaint !== undefined) {
      throw new TypeMistake(complaint);
    }
    return type;
  }

  private called(node: Expr, { function: name, target, args }: Kind<'callExpr'>, scope: Scope): CelType {
    if (target === undefined) {
      return this.calledFunction(node, name, args, scope);
    }
    const macro = this.macro(node, name, target, args, scope);
    if (macro !== undefined) {
      return macro;
    }
    if (name === 'optSelect__') {
      return this.known.resolve(this.selected(target, textOf(args[0]) ?? '', true, scope));
    }
    if (name === 'optIndex__') {
      return this.overload(node, '_[?_]', false, [this.check(target, scope), this.check(args[0], scope)]);
    }
    const types = args.map((arg) => this.check(arg, scope));
    const prefix = qualifiedName(target);
    if (prefix !== undefined && this.overloads(`${prefix}.${name}`).length > 0) {
      return this.overload(node, `${prefix}.${name}`, false, types);
    }
    return this.overload(node, name, true, [this.check(target, scope), ...types]);
  }

  private calledFunction(node: Expr, name: string, args: readonly Expr[], scope: Scope): CelType {
    if (name === 'has' && args.length === 1) {
      throw new TypeMistake('calls has() with something other than a field');
    }
    if (name === 'optEntry__') {
      return unwrapped(this.check(args[0], scope));
    }
    return this.overload(
      node,
      name,
      false,
      args.map((arg) => this.check(arg, scope)),
    );
  }

  private overloads(name: string): readonly Overload[] {
    const all = [...(this.functions.get(name) ?? []), ...(this.environment.functions?.get(name) ?? [])];
    return all.filter(({ since }) => since <= this.environment.minor);
  }

  private overload(node: Expr, name: string, isMethod: boolean, types: readonly CelType[]): CelType {
    const overloads = this.overloads(name);
    if (overloads.length === 0) {
      throw new TypeMistake(`calls the undeclared function "${name}"`);
    }
    let result: CelType | undefined;
    const possible: Overload[] = [];
    for (const overload of overloads.filter((one) => one.isMethod === isMethod)) {
      const [gives, ...takes] = this.known.instantiate([overload.gives, ...overload.takes]);
      if (this.known.assign(types, takes)) {
        const found = this.known.resolve(gives);
        possible.push(overload);
        result = result === undefined || isSame(found, result) || isUnknown(result) ? (result ?? found) : DYN;
      }
    }
    this.overloadsByCall.set(node, possible);
    if (result === undefined) {
      const shown = types.map((type) => printType(this.final(type)));
      const operator = /^(?:@(in)|(-|!)_|_(\?)_(:)_|_(\W+)_|_(\[)_(\]))$/.exec(name)?.slice(1).join('');
      const operands = isMethod ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
      throw new TypeMistake(
        operator === undefined
          ? `calls the function "${name}" with the unsupported types ${operands}`
          : `applies the operator "${operator}" to the unsupported types ${operands}`,
        operator === undefined ? waysToCall(name, isMethod, shown[0] ?? '', overloads) : undefined,
      );
    }
    return result;
  }

  private list({ elements }: Kind<'listExpr'>, scope: Scope): CelType {
    const types = elements.map((element) => this.check(element, scope));
    this.keep(types);
    return listOf(this.joined(types));
  }

  private map({ entries }: Kind<'structExpr'>, scope: Scope): CelType {
    const keys: CelType[] = [];
    const values: CelType[] = [];
    for (const { keyKind, value } of entries) {
      keys.push(keyKind.case === 'mapKey' ? this.check(keyKind.value, scope) : STRING);
      values.push(value === undefined ? DYN : this.check(value, scope));
    }
    this.keep(keys, values);
    return mapOf(this.joined(keys), this.joined(values));
  }

  private keep(...lists: readonly (readonly CelType[])[]): void {
    if (this.formatting === 0) {
      this.literals.push(...lists);
    }
  }

  private joined(types: readonly CelType[]): CelType {
    let joined: CelType | undefined;
    for (const type of types) {
      if (joined === undefined) {
        joined = type;
      } else if (this.known.assign([joined], [type])) {
        joined = isAtMostAsSpecific(joined, type) ? joined : type;
      } else {
        joined = DYN;
      }
    }
    return joined ?? this.known.fresh();
  }

  private struct({ messageName, entries }: Kind<'structExpr'>, scope: Scope): CelType {
    if (messageName.startsWith('google.protobuf.')) {
      entries.forEach(({ value }) => value !== undefined && this.check(value, scope));
      return WELL_KNOWN[messageName] ?? DYN;
    }
    if (this.environment.types(messageName) === undefined) {
      throw new TypeMistake(`uses the undeclared type "${messageName}"`);
    }
    for (const { keyKind, value } of entries) {
      const field = keyKind.case === 'fieldKey' ? keyKind.value : '';
      const given = value === undefined ? DYN : this.check(value, scope);
      const type = this.fieldOfNamed(messageName, field);
      if (type === undefined) {
        throw new TypeMistake(`sets the undefined field "${field}"`);
      }
      if (!this.known.assign([type], [given])) {
        throw new TypeMistake(
          `sets the field "${field}" of type ${printType(type)} to ${printType(this.final(given))}`,
        );
      }
    }
    return { kind: 'named', name: messageName };
  }

  private comprehension(node: Kind<'comprehensionExpr'>, scope: Scope): CelType {
    const [item] = this.iterated(this.check(node.iterRange!, scope));
    const start = this.check(node.accuInit!, scope);
    const outer = new Map(scope).set(node.accuVar, start);
    const inner = new Map(outer).set(node.iterVar, item);
    this.expect(this.check(node.loopCondition!, inner), BOOL);
    this.expect(this.check(node.loopStep!, inner), start);
    return this.known.resolve(this.check(node.result!, outer));
  }

  /** What loops over a value see: an item of a list, a key of a map; and with two variables: index and item, key and value. */
  private iterated(range: CelType): readonly [CelType, CelType, CelType] {
    const type = this.known.resolve(range);
    if (type.kind === 'list') {
      return [type.of[0], INT, type.of[0]];
    }
    if (type.kind === 'map') {
      return [type.of[0], type.of[0], type.of[1]];
    }
    if (type.kind === 'dyn' || type.kind === 'parameter') {
      this.known.assign([DYN], [type]);
      return [DYN, DYN, DYN];
    }
    throw new TypeMistake(`loops over a value of type ${printType(type)}, which must be a list or map`);
  }

  private expect(type: CelType, wanted: CelType): void {
    if (!this.known.assign([wanted], [type])) {
      throw new TypeMistake(`needs ${printType(this.final(wanted))}, but has ${printType(this.final(type))}`);
    }
  }

  /** The type of a macro that the parser leaves as a call; `undefined` for a call. */
  private macro(node: Expr, name: string, target: Expr, args: readonly Expr[], scope: Scope): CelType | undefined {
    if (isBind(name, target, args, this.environment.hasBind === true)) {
      const bound = this.check(args[1], scope);
      return this.check(args[2], new Map(scope).set(nameOf(args[0]), bound));
    }
    if (!isMacro(name, args.length, this.environment.minor)) {
      return undefined;
    }
    const range = this.check(target, scope);
    if (name === 'optMap' || name === 'optFlatMap') {
      return this.optionalMacro(node, name, range, args, scope);
    }
    if (name === 'sortBy') {
      const [item] = this.iterated(range);
      const keys = listOf(this.check(args[1], new Map(scope).set(nameOf(args[0]), item)));
      return this.overload(node, '@sortByAssociatedKeys', true, [range, keys]);
    }
    return hasTwoVariables(name, args.length) ? this.twoVariables(name, range, args, scope) : this.loop(args);
  }

  /** The parser has expanded each loop over a name. */
  private loop([variable]: readonly Expr[]): never {
    nameOf(variable);
    throw new TypeMistake('has a macro that cannot be expanded');
  }

  private optionalMacro(node: Expr, name: string, of: CelType, args: readonly Expr[], scope: Scope): CelType {
    const value = this.overload(node, 'value', true, [of]);
    const mapped = this.check(args[1], new Map(scope).set(nameOf(args[0]), value));
    return this.overload(node, '_?_:_', false, [
      BOOL,
      name === 'optMap' ? optionalOf(mapped) : mapped,
      optionalOf(this.known.fresh()),
    ]);
  }

  private twoVariables(name: string, range: CelType, args: readonly Expr[], scope: Scope): CelType {
    const [, first, second] = this.iterated(range);
    const inner = new Map(scope).set(nameOf(args[0]), first).set(nameOf(args[1]), second);
    const types = args.slice(2).map((arg) => this.check(arg, inner));
    const last = types[types.length - 1];
    if (types.length === 2) {
      this.expect(types[0], BOOL);
    }
    switch (name) {
      case 'transformList':
        return listOf(this.known.resolve(last));
      case 'transformMap':
        return mapOf(first, this.known.resolve(last));
      case 'transformMapEntry': {
        const map = mapOf(this.known.fresh(), this.known.fresh());
        this.expect(last, map);
        return this.known.resolve(map);
      }
      default:
        this.expect(last, BOOL);
        return BOOL;
    }
  }
}
