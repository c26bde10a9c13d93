/**
 * What evaluating a rule costs, counted as the API server counts it (cel-go's `interpreter/runtimecost.go`): a unit for each name, selection, and call, more
 * for what is built and for strings by their length. A rule that costs more than a call may is stopped, and so are the rules of an object that cost too
 * much together.
 *
 * The engine counts nothing. So each part of the tree that is evaluated or not as a whole is preceded by a call that pays for it; once the limit is
 * exceeded, that call is false, and every loop ends.
 */
import { CelScalar, celFunc, celMethod, listType, mapType, type CelFunc } from '@bufbuild/cel';
import { call, type Expr } from './syntax-extensions';

/** Units of one rule, and of all rules of one object. */
export const CALL_LIMIT = 1_000_000;
export const OBJECT_LIMIT = 10_000_000;
/** Units of the conditions of a policy on one object. */
export const CONDITIONS_LIMIT = 2_500_000;

const PAY = 'pay__';
/** What `in` searches: a list item by item, a map at once. */
const SEARCHED = 'searched__';
const LIST_COST = 10;
const MAP_COST = 30;
const MESSAGE_COST = 40;
/** Per character, and per byte of a pattern. */
const STRING_FACTOR = 0.1;
const PATTERN_FACTOR = 0.25;

let spent = 0;

/** Runs with a count of its own. */
export function metered<T>(run: () => T): { readonly value: T; readonly cost: number } {
  const before = spent;
  spent = 0;
  try {
    const value = run();
    return { value, cost: spent };
  } finally {
    spent = before;
  }
}

function pay(units: number): boolean {
  spent += units;
  return spent <= CALL_LIMIT;
}

function lengthCost(text: string): number {
  return Math.ceil(text.length * STRING_FACTOR);
}

/** Pays for matching a pattern, beyond the unit of its call. */
export function payForPattern(text: string, pattern: string): void {
  pay(lengthCost(text) * Math.ceil(pattern.length * PATTERN_FACTOR));
}

const { STRING, INT, BOOL, DYN } = CelScalar;
const LIST = listType(DYN);
const MAP = mapType(DYN, DYN);

export const costFunctions: readonly CelFunc[] = [
  celFunc(PAY, [INT], BOOL, (units) => pay(Number(units))),
  celFunc(SEARCHED, [LIST], LIST, (list) => {
    pay(list.size);
    return list;
  }),
  celFunc(SEARCHED, [MAP], MAP, (map) => map),
  celMethod('contains', STRING, [STRING], BOOL, function (part) {
    pay(lengthCost(this.toString()) * lengthCost(part));
    return this.includes(part);
  }),
  celMethod('startsWith', STRING, [STRING], BOOL, function (part) {
    pay(lengthCost(part));
    return this.startsWith(part);
  }),
  celMethod('endsWith', STRING, [STRING], BOOL, function (part) {
    pay(lengthCost(part));
    return this.endsWith(part);
  }),
];

/** The tree with what pays for its parts. */
export function paying(tree: Expr): Expr {
  const { node, cost } = visited(tree);
  return paid(node, cost);
}

interface Visited {
  readonly node: Expr;
  /** Of what is evaluated whenever the node is. */
  readonly cost: number;
}

function paid(node: Expr, cost: number): Expr {
  return cost === 0 ? node : call('_?_:_', [payment(cost), node, FALSE]);
}

function payment(cost: number): Expr {
  return call(PAY, [constant({ case: 'int64Value', value: BigInt(cost) })]);
}

function constant(kind: Extract<Expr['exprKind'], { case: 'constExpr' }>['value']['constantKind']): Expr {
  return {
    $typeName: 'cel.expr.Expr',
    id: 0n,
    exprKind: { case: 'constExpr', value: { $typeName: 'cel.expr.Constant', constantKind: kind } },
  };
}

const FALSE = constant({ case: 'boolValue', value: false });

/** Operators whose later operands are evaluated only at times. They cost nothing themselves. */
const LAZY: ReadonlySet<string> = new Set(['_&&_', '_||_', '_?_:_']);

/** Functions that cost what their arguments' sizes say, and no unit beside. */
const BY_SIZE: ReadonlySet<string> = new Set(['@in', 'contains', 'startsWith', 'endsWith', 'matches']);

/** Names and selections, which cost nothing as an outcome of a conditional. */
function isChain({ exprKind }: Expr): boolean {
  return (
    exprKind.case === 'identExpr' ||
    (exprKind.case === 'selectExpr' && exprKind.value.operand !== undefined && isChain(exprKind.value.operand))
  );
}

function visited(node: Expr): Visited {
  const kind = node.exprKind;
  switch (kind.case) {
    case 'identExpr':
      return { node, cost: 1 };
    case 'selectExpr': {
      const operand = visited(kind.value.operand!);
      const cost = operand.cost + (kind.value.testOnly ? 0 : 1);
      return {
        node: { ...node, exprKind: { case: 'selectExpr', value: { ...kind.value, operand: operand.node } } },
        cost,
      };
    }
    case 'callExpr':
      return visitedCall(node, kind.value);
    case 'listExpr': {
      const elements = kind.value.elements.map(visited);
      const cost = LIST_COST + total(elements);
      const value = { ...kind.value, elements: elements.map((element) => element.node) };
      return { node: { ...node, exprKind: { case: 'listExpr', value } }, cost };
    }
    case 'structExpr':
      return visitedStruct(node, kind.value);
    case 'comprehensionExpr':
      return visitedLoop(node, kind.value);
    case 'constExpr':
    case undefined:
      return { node, cost: 0 };
  }
}

type ValueOf<Case> = Extract<Expr['exprKind'], { readonly case: Case }>['value'];

function visitedCall(node: Expr, value: ValueOf<'callExpr'>): Visited {
  const target = value.target === undefined ? undefined : visited(value.target);
  const args = value.args.map((arg, index) => {
    const found = visited(arg);
    if (value.function === '@in' && index === 1) {
      return { node: call(SEARCHED, [found.node]), cost: found.cost };
    }
    if (!LAZY.has(value.function) || index === 0) {
      return found;
    }
    return value.function === '_?_:_' && isChain(arg)
      ? { ...found, cost: 0 }
      : { node: paid(found.node, found.cost), cost: 0 };
  });
  const own = LAZY.has(value.function) || BY_SIZE.has(value.function) ? 0 : 1;
  return {
    node: {
      ...node,
      exprKind: {
        case: 'callExpr',
        value: {
          ...value,
          args: args.map((arg) => arg.node),
          ...(target === undefined ? {} : { target: target.node }),
        },
      },
    },
    cost: own + total(args) + (target?.cost ?? 0),
  };
}

function visitedStruct(node: Expr, value: ValueOf<'structExpr'>): Visited {
  let cost = value.messageName === '' ? MAP_COST : MESSAGE_COST;
  const part = (child: Expr): Expr => {
    const found = visited(child);
    cost += found.cost;
    return found.node;
  };
  const entries = value.entries.map((entry) => ({
    ...entry,
    ...(entry.value === undefined ? {} : { value: part(entry.value) }),
    ...(entry.keyKind.case === 'mapKey'
      ? { keyKind: { case: 'mapKey' as const, value: part(entry.keyKind.value) } }
      : {}),
  }));
  return { node: { ...node, exprKind: { case: 'structExpr', value: { ...value, entries } } }, cost };
}

/** Each turn pays for its condition and its step before it begins. */
function visitedLoop(node: Expr, value: ValueOf<'comprehensionExpr'>): Visited {
  const [range, start, goOn, step, result] = [
    value.iterRange!,
    value.accuInit!,
    value.loopCondition!,
    value.loopStep!,
    value.result!,
  ].map(visited);
  const turn = Math.max(1, goOn.cost + step.cost);
  const loop = {
    ...value,
    iterRange: range.node,
    accuInit: start.node,
    loopCondition: call('_&&_', [payment(turn), goOn.node]),
    loopStep: step.node,
    result: result.node,
  };
  return {
    node: { ...node, exprKind: { case: 'comprehensionExpr', value: loop } },
    cost: range.cost + start.cost + result.cost,
  };
}

function total(parts: readonly Visited[]): number {
  return parts.reduce((sum, { cost }) => sum + cost, 0);
}
