/**
 * What the API server expects a call to cost at most, beside its arguments, and how large its result is: cel-go's `checker/cost.go`, its extensions
 * for lists and sets, and the libraries of Kubernetes (`apiserver/pkg/cel/library/cost.go`).
 */
import { type Overload } from '../typing/signatures';
import { isSame, type CelType } from '../typing/types';
import {
  exactly,
  ONE,
  plus,
  plusSize,
  scaled,
  times,
  timesSize,
  UNKNOWN_SIZE,
  union,
  UNLIMITED,
  type Size,
} from './sizes';

/** A target or an argument. */
export interface Operand {
  readonly type: CelType;
  /** Unlimited where nothing is known. */
  readonly size: Size;
  /** Of one item, for a list. */
  readonly itemSize: () => Size;
  /** The value of a constant integer. */
  readonly integer?: number;
}

export interface Call {
  readonly name: string;
  readonly overload: Overload;
  /** For a method. */
  readonly target?: Operand;
  readonly args: readonly Operand[];
}

export interface CallEstimate {
  readonly cost: number;
  /** Of the result. @default - not estimated */
  readonly size?: Size;
}

/** Per character. */
const TEXT = 0.1;
/** Per character of a pattern. */
const PATTERN = 0.25;
const CALL = 1;
export const LIST = 10;
/** Bytes of an IP address. */
const LONGEST_ADDRESS = 16;
/** Characters of the longest name of a format, and of the longest pattern of one. */
const LONGEST_FORMAT = 64;
const LONGEST_FORMAT_PATTERN = 128;

type Estimator = (call: Call) => CallEstimate | undefined;

/** A call that reads a string once and whose result is no longer. */
function readsOnce(text: Operand | undefined): CallEstimate | undefined {
  return text === undefined ? undefined : { cost: scaled(text.size.max, TEXT), size: text.size };
}

const onTarget: Estimator = ({ target }) => readsOnce(target);
const onArgument: Estimator = ({ args }) => ({ cost: scaled(args[0].size.max, TEXT) });

function matching(text: Operand, pattern: Operand): number {
  return times(scaled(plus(text.size.max, 1), TEXT), scaled(pattern.size.max, PATTERN));
}

const find: Estimator = ({ target, args }) =>
  target === undefined ? undefined : { cost: matching(target, args[0]), size: { min: 0, max: target.size.max } };

/** Of a function that compares the items of a list, or searches a string. */
const overItems: Estimator = ({ target }) => {
  if (target === undefined) {
    return undefined;
  }
  if (target.type.kind !== 'list') {
    return { cost: scaled(target.size.max, TEXT) };
  }
  const [{ kind }] = target.type.of;
  const each = kind === 'string' || kind === 'bytes' ? plus(1, scaled(target.itemSize().max, TEXT)) : 1;
  return { cost: times(target.size.max, each) };
};

/** How often a string is replaced, and how much of the text stays, at the least or at the most. */
function replacements(length: number, from: number, isNeverWorthIt: boolean): readonly [number, number] {
  if (from === 0) {
    return [plus(length, 1), length];
  }
  return isNeverWorthIt ? [0, length] : [Math.ceil(length / from), 0];
}

const replace: Estimator = ({ target, args: [from, to] }) => {
  if (target === undefined || to === undefined) {
    return undefined;
  }
  const { size } = target;
  const [mostOften, mostKept] = replacements(size.max, from.size.min, to.size.max <= from.size.min);
  const [leastOften, leastKept] = replacements(size.min, from.size.max, from.size.max <= to.size.min);
  return {
    cost: scaled(size.max, 2 * TEXT),
    size: plusSize(timesSize({ min: leastOften, max: mostOften }, to.size), { min: leastKept, max: mostKept }),
  };
};

const split: Estimator = ({ target, args }) =>
  target === undefined
    ? undefined
    : {
        cost: scaled(target.size.max, 2 * TEXT),
        size: { min: 0, max: unsigned(args[1]?.integer) ?? target.size.max },
      };

const join: Estimator = ({ target, args: [separator] }) => {
  if (target === undefined) {
    return undefined;
  }
  const items = target.type.kind === 'list' ? timesSize(target.size, target.itemSize()) : exactly(0);
  const gaps = { min: Math.max(0, target.size.min - 1), max: Math.max(0, target.size.max - 1) };
  const size = separator === undefined ? items : plusSize(items, timesSize(separator.size, gaps));
  return { cost: scaled(size.max, TEXT), size };
};

/** A network that contains an address or a network, which may be a string. */
function contains(cost: number): Estimator {
  return ({ overload, args }) => ({
    cost: overload.takes[1].kind === 'string' ? plus(cost, scaled(args[0].size.max, TEXT)) : cost,
  });
}

const COMPARED_ADDRESSES = scaled(2 * LONGEST_ADDRESS, TEXT);

/** A new list of this size, each of whose items costs the factor. */
function newList(size: Size, factor = 1): CallEstimate {
  return { cost: plus(scaled(size.max, factor), CALL + LIST), size };
}

/** Sorting and removing duplicates compare each item with each other one. */
function pairs({ size }: Operand, factor: number): CallEstimate {
  return newList(timesSize(size, size), factor);
}

function sorting(keys: Operand | undefined, { takes }: Overload): CallEstimate | undefined {
  const by = takes[takes.length - 1];
  const item = by.kind === 'list' ? by.of[0].kind : undefined;
  return keys === undefined ? undefined : pairs(keys, item === 'string' || item === 'bytes' ? 2 + TEXT : 2);
}

function sets(factor: number): Estimator {
  return ({ args: [a, b] }) => ({ cost: plus(scaled(times(a.size.max, b.size.max), factor), CALL) });
}

/** The server reads a constant that is negative as 0. */
function constantOr(operand: Operand | undefined, otherwise: number): number {
  return operand?.integer === undefined ? otherwise : Math.max(0, operand.integer);
}

/** A negative number as one without a sign. */
function unsigned(integer: number | undefined): number | undefined {
  return integer === undefined || integer >= 0 ? integer : UNLIMITED + integer;
}

const slice: Estimator = ({ target, args: [from, to] }) => {
  const length = constantOr(to, target?.size.max ?? UNLIMITED) - constantOr(from, 0);
  return newList(exactly(unsigned(length) ?? 0));
};

/** Equal types whose comparison has a cost of its own. */
const equals: Estimator = ({ args: [a, b] }) => {
  if (a.type.kind !== 'named' || !isSame(a.type, b.type)) {
    return undefined;
  }
  switch (a.type.name) {
    case 'net.IP':
    case 'net.CIDR':
    case 'kubernetes.Quantity':
    case 'kubernetes.Semver':
      return { cost: CALL };
    case 'kubernetes.NamedFormat':
      return { cost: scaled(LONGEST_FORMAT, TEXT) };
    case 'kubernetes.URL':
      return { cost: scaled(b.size === UNKNOWN_SIZE ? 1 : b.size.max, TEXT) };
    default:
      return undefined;
  }
};

/** By name, before what follows from the overload alone. */
const BY_NAME: ReadonlyMap<string, Estimator> = new Map<string, Estimator>([
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'].map((name) => [name, overItems] as const),
  ...['lowerAscii', 'upperAscii', 'substring', 'trim'].map((name) => [name, onTarget] as const),
  ...['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'].map(
    (name) => [name, onArgument] as const,
  ),
  ...['find', 'findAll'].map((name) => [name, find] as const),
  ['url', ({ args }) => readsOnce(args[0])],
  ['ip', (call) => (call.target === undefined ? onArgument(call) : undefined)],
  ['ip.isCanonical', ({ args }) => ({ cost: scaled(args[0].size.max, 2 * TEXT) })],
  ['containsIP', contains(COMPARED_ADDRESSES)],
  ['containsCIDR', contains(COMPARED_ADDRESSES + scaled(LONGEST_ADDRESS, TEXT) + 1)],
  ['validate', ({ args }) => ({ cost: scaled(scaled(args[0].size.max, TEXT), LONGEST_FORMAT_PATTERN * PATTERN) })],
  ['replace', replace],
  ['split', split],
  ['join', join],
  ['slice', slice],
  ['flatten', ({ target, args }) => newList(target!.size, args.length === 0 ? 1 : constantOr(args[0], UNLIMITED))],
  ['lists.range', ({ args }) => newList(exactly(constantOr(args[0], UNLIMITED)))],
  ['reverse', ({ target }) => newList(target!.size)],
  ['distinct', ({ target }) => pairs(target!, 2)],
  ['sort', ({ target, overload }) => sorting(target, overload)],
  ['@sortByAssociatedKeys', ({ args, overload }) => sorting(args[0], overload)],
  ['sets.contains', sets(1)],
  ['sets.intersects', sets(1)],
  ['sets.equivalent', sets(2)],
  ['_==_', equals],
]);

const COMPARISONS: ReadonlySet<string> = new Set(['_==_', '_!=_', '_<_', '_<=_', '_>_', '_>=_']);

const CONVERSIONS: ReadonlySet<string> = new Set(['bytes', 'string', 'strings.quote']);

/** By the types that the overload takes. */
function byOverload({ name, overload, target, args }: Call): CallEstimate {
  const [first, second] = overload.takes.map(({ kind }) => kind);
  if (COMPARISONS.has(name)) {
    return { cost: first === second ? comparison(first, args) : CALL };
  }
  if (CONVERSIONS.has(name)) {
    return conversion(name, first, args[0].size);
  }
  if (name === '_+_') {
    return concatenation(first, args);
  }
  if (name === '@in') {
    return { cost: second === 'list' ? args[1].size.max : CALL };
  }
  return { cost: target === undefined ? CALL : methodCost(name, target, args) };
}

/** Of any two values that may be equal, and of two strings or bytes in order. */
function comparison(kind: CelType['kind'], [a, b]: readonly Operand[]): number {
  const isByLength = kind === 'string' || kind === 'bytes' || kind === 'parameter';
  return isByLength ? scaled(Math.min(a.size.max, b.size.max), TEXT) : CALL;
}

function methodCost(name: string, target: Operand, [first]: readonly Operand[]): number {
  switch (name) {
    case 'format':
      return scaled(target.size.max, TEXT);
    case 'startsWith':
    case 'endsWith':
      return scaled(first.size.max, TEXT);
    case 'contains':
      return times(scaled(target.size.max, TEXT), scaled(first.size.max, TEXT));
    case 'matches':
      return matching(target, first);
    default:
      return CALL;
  }
}

function concatenation(kind: CelType['kind'], [a, b]: readonly Operand[]): CallEstimate {
  if (kind !== 'string' && kind !== 'bytes' && kind !== 'list') {
    return { cost: CALL };
  }
  const size = plusSize(a.size, b.size);
  return { cost: kind === 'list' ? CALL : scaled(size.max, TEXT), size };
}

/** The server multiplies without a check: twice the largest number, and 2, is 0. */
function conversion(name: string, from: CelType['kind'], { min, max }: Size): CallEstimate {
  const cost = scaled(max, TEXT);
  if (name === 'strings.quote') {
    return { cost, size: { min: min + 2, max: max === UNLIMITED ? 0 : max * 2 + 2 } };
  }
  if (name === 'bytes' && from === 'string') {
    return { cost, size: { min, max: times(max, 4) } };
  }
  return name === 'string' && from === 'bytes' ? { cost, size: { min: Math.floor(min / 4), max } } : { cost: CALL };
}

/** Of one call of this overload. */
export function estimateCall(call: Call): CallEstimate {
  return BY_NAME.get(call.name)?.(call) ?? byOverload(call);
}

/** What any of the overloads may cost. */
export function eitherOf(a: CallEstimate | undefined, b: CallEstimate): CallEstimate {
  if (a === undefined) {
    return b;
  }
  const size = a.size === undefined || b.size === undefined ? (a.size ?? b.size) : union(a.size, b.size);
  return { cost: Math.max(a.cost, b.cost), ...(size === undefined ? {} : { size }) };
}

/** Of values that the type tells: those that have no length. */
export function sizeOfType(type: CelType): Size | undefined {
  const scalars: readonly string[] = ['bool', 'double', 'duration', 'int', 'timestamp', 'uint'];
  if (type.kind === 'optional') {
    return sizeOfType(type.of[0]);
  }
  return scalars.includes(type.kind) ? ONE : undefined;
}
