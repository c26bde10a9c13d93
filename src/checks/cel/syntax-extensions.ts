/**
 * Syntax that Kubernetes' CEL has and the engine has not: optional fields and indexes (`x.?y`, `x[?k]`), macros with two variables, and
 * the macros of optionals. Each is rewritten into what the engine has, before and after it parses.
 *
 * `x.?y` becomes a call of `optSelect__`, in the text, since the engine's parser stops there; everything else is rewritten in the tree.
 */
import { type parse } from '@bufbuild/cel';

export type Expr = NonNullable<ReturnType<typeof parse>['expr']>;

const OPT_SELECT = 'optSelect__';
const OPT_INDEX = 'optIndex__';

/** Writes optional selections as calls; strings and comments stay as they are. */
export function withoutOptionalSyntax(source: string): string {
  if (!source.includes('?')) {
    return source;
  }
  let out = '';
  const closers: string[] = [];
  for (let i = 0; i < source.length;) {
    const text =
      /^(?:[rRbB]{0,2}(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\/\/[^\n]*)/.exec(
        source.slice(i),
      )?.[0];
    if (text !== undefined && text !== '') {
      out += text;
      i += text.length;
      continue;
    }
    const select = /^\.\?\s*([A-Za-z_][A-Za-z0-9_]*)/.exec(source.slice(i));
    if (select !== null) {
      out += `.${OPT_SELECT}("${select[1] ?? ''}")`;
      i += select[0].length;
      continue;
    }
    const char = source.charAt(i);
    if (char === '[' && source.charAt(i + 1) === '?' && /[\w)\]}"']\s*$/.test(out)) {
      out += `.${OPT_INDEX}(`;
      closers.push(')');
      i += 2;
      continue;
    }
    if (char === '[') {
      closers.push(']');
    }
    out += char === ']' ? (closers.pop() ?? ']') : char;
    i += 1;
  }
  return out;
}

function expr(kind: Expr['exprKind']): Expr {
  return { $typeName: 'cel.expr.Expr', id: 0n, exprKind: kind };
}

export function call(name: string, args: readonly Expr[], target?: Expr): Expr {
  return expr({
    case: 'callExpr',
    value: {
      $typeName: 'cel.expr.Expr.Call',
      function: name,
      args: [...args],
      ...(target === undefined ? {} : { target }),
    },
  });
}

function constant(kind: Extract<Expr['exprKind'], { case: 'constExpr' }>['value']['constantKind']): Expr {
  return expr({ case: 'constExpr', value: { $typeName: 'cel.expr.Constant', constantKind: kind } });
}

function ident(name: string): Expr {
  return expr({ case: 'identExpr', value: { $typeName: 'cel.expr.Expr.Ident', name } });
}

function list(elements: readonly Expr[]): Expr {
  return expr({
    case: 'listExpr',
    value: { $typeName: 'cel.expr.Expr.CreateList', elements: [...elements], optionalIndices: [] },
  });
}

interface Fold {
  readonly range: Expr;
  readonly variable: string;
  readonly start: Expr;
  readonly goOn: Expr;
  readonly step: Expr;
  readonly result: Expr;
  readonly into: string;
}

function fold({ range, variable, start, goOn, step, result, into }: Fold): Expr {
  return expr({
    case: 'comprehensionExpr',
    value: {
      $typeName: 'cel.expr.Expr.Comprehension',
      iterVar: variable,
      iterVar2: '',
      iterRange: range,
      accuVar: into,
      accuInit: start,
      loopCondition: goOn,
      loopStep: step,
      result,
    },
  });
}

const TRUE = constant({ case: 'boolValue', value: true });
const FALSE = constant({ case: 'boolValue', value: false });
const ONE = constant({ case: 'int64Value', value: 1n });
const ZERO = constant({ case: 'int64Value', value: 0n });
const RESULT = '@result';

/** `value` under a name within `body`: a fold over nothing, whose result is the body. */
function bind(name: string, value: Expr, body: Expr): Expr {
  return fold({
    range: list([]),
    variable: '#unused',
    start: value,
    goOn: FALSE,
    step: ident(name),
    result: body,
    into: name,
  });
}

type ValueOf<Case> = Extract<Expr['exprKind'], { readonly case: Case }>['value'];

/** `a.?b.c`: a member of an optional value is optional. */
function rewrittenSelect(node: Expr, select: ValueOf<'selectExpr'>): Expr {
  const operand = select.operand === undefined ? undefined : rewritten(select.operand);
  if (operand !== undefined && yieldsOptional(operand)) {
    const member = call(OPT_SELECT, [constant({ case: 'stringValue', value: select.field })], operand);
    return select.testOnly ? call('hasValue', [], member) : member;
  }
  return {
    ...node,
    exprKind: { case: 'selectExpr', value: { ...select, ...(operand === undefined ? {} : { operand }) } },
  };
}

/** Macros, and `a.?b[0]`. */
function rewrittenCall(node: Expr, { function: name, ...value }: ValueOf<'callExpr'>): Expr {
  const args = value.args.map(rewritten);
  const target = value.target === undefined ? undefined : rewritten(value.target);
  const macro = target === undefined ? undefined : expandedMacro(name, target, args);
  if (macro !== undefined) {
    return macro;
  }
  const [from, index] = args;
  if (name === '_[_]' && from !== undefined && index !== undefined && yieldsOptional(from)) {
    return call(OPT_INDEX, [index], from);
  }
  return {
    ...node,
    exprKind: {
      case: 'callExpr',
      value: { ...value, function: name, args, ...(target === undefined ? {} : { target }) },
    },
  };
}

/** The tree with every extension rewritten. */
export function rewritten(node: Expr): Expr {
  const kind = node.exprKind;
  switch (kind.case) {
    case 'selectExpr':
      return rewrittenSelect(node, kind.value);
    case 'callExpr':
      return rewrittenCall(node, kind.value);
    case 'listExpr':
      return {
        ...node,
        exprKind: { case: 'listExpr', value: { ...kind.value, elements: kind.value.elements.map(rewritten) } },
      };
    case 'structExpr':
      return {
        ...node,
        exprKind: {
          case: 'structExpr',
          value: {
            ...kind.value,
            entries: kind.value.entries.map((entry) => ({
              ...entry,
              ...(entry.value === undefined ? {} : { value: rewritten(entry.value) }),
              ...(entry.keyKind.case === 'mapKey'
                ? { keyKind: { case: 'mapKey' as const, value: rewritten(entry.keyKind.value) } }
                : {}),
            })),
          },
        },
      };
    case 'comprehensionExpr': {
      const { iterRange, accuInit, loopCondition, loopStep, result } = kind.value;
      const part = (child: Expr | undefined): Expr => rewritten(child ?? TRUE);
      return {
        ...node,
        exprKind: {
          case: 'comprehensionExpr',
          value: {
            ...kind.value,
            iterRange: part(iterRange),
            accuInit: part(accuInit),
            loopCondition: part(loopCondition),
            loopStep: part(loopStep),
            result: part(result),
          },
        },
      };
    }
    case 'constExpr':
    case 'identExpr':
    case undefined:
      return node;
  }
}

function yieldsOptional(node: Expr): boolean {
  return (
    node.exprKind.case === 'callExpr' &&
    (node.exprKind.value.function === OPT_SELECT || node.exprKind.value.function === OPT_INDEX)
  );
}

function nameOf(node: Expr | undefined): string | undefined {
  return node?.exprKind.case === 'identExpr' ? node.exprKind.value.name : undefined;
}

function expandedMacro(name: string, target: Expr, args: readonly Expr[]): Expr | undefined {
  const first = nameOf(args[0]);
  const [, second, third] = args;
  if (first === undefined || second === undefined) {
    return undefined;
  }
  if (args.length === 2 && (name === 'optMap' || name === 'optFlatMap')) {
    const value = bind(first, call('value', [], target), second);
    const mapped = name === 'optMap' ? call('optionalOf__', [value]) : value;
    return call('_?_:_', [call('hasValue', [], target), mapped, call('optionalNone__', [])]);
  }
  const other = nameOf(second);
  if (args.length < 3 || other === undefined || third === undefined) {
    return undefined;
  }
  return twoVariables(name, target, first, other, third, args[3]);
}

/** `range.all(k, v, test)`: a fold over the keys, or the indexes, with the value bound at each. */
function twoVariables(
  name: string,
  range: Expr,
  key: string,
  value: string,
  body: Expr,
  last: Expr | undefined,
): Expr | undefined {
  const at = (inner: Expr): Expr => bind(value, call('_[_]', [range, ident(key)]), inner);
  const keys = call('keysOf__', [range]);
  const result = ident(RESULT);
  const over = (start: Expr, step: Expr, end: Expr = result, goOn: Expr = TRUE): Expr =>
    fold({ range: keys, variable: key, start, goOn, step, result: end, into: RESULT });
  const entry = (item: Expr): Expr => call('withEntry__', [result, ident(key), item]);
  const empty = expr({
    case: 'structExpr',
    value: { $typeName: 'cel.expr.Expr.CreateStruct', messageName: '', entries: [] },
  });
  const when = (yes: Expr): Expr => (last === undefined ? yes : call('_?_:_', [at(body), yes, result]));
  const item = last ?? body;
  switch (name) {
    case 'all':
      return over(TRUE, call('_&&_', [result, at(body)]), result, call('@not_strictly_false', [result]));
    case 'exists':
      return over(FALSE, call('_||_', [result, at(body)]), result, call('@not_strictly_false', [call('!_', [result])]));
    case 'existsOne':
    case 'exists_one':
      return over(ZERO, call('_?_:_', [at(body), call('_+_', [result, ONE]), result]), call('_==_', [result, ONE]));
    case 'transformList':
      return over(list([]), when(call('_+_', [result, list([at(item)])])));
    case 'transformMap':
      return over(empty, when(entry(at(item))));
    case 'transformMapEntry':
      return over(empty, when(call('withEntries__', [result, at(item)])));
    default:
      return undefined;
  }
}
