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
const OPT_ENTRY = 'optEntry__';

/** The server's parser gives up on deeper brackets, and on a deeper tree. */
export const DEEPEST_TEXT = 249;
export const DEEPEST_TREE = 251;

const TEXT = /(?:[rRbB]{0,2}(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\/\/[^\n]*)/y;
const SELECT = /\.\?\s*([A-Za-z_][A-Za-z0-9_]*)/y;

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

/** How deep the brackets of an expression are nested. */
export function nestingOf(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < source.length; at++) {
    const text = matchAt(TEXT, source, at)?.[0] ?? '';
    at += text === '' ? 0 : text.length - 1;
    const char = text === '' ? source.charAt(at) : '';
    depth += '([{'.includes(char) && char !== '' ? 1 : ')]}'.includes(char) && char !== '' ? -1 : 0;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** Whether the tree has more levels; chains of `&&` and `||` count as one, as the server balances them. */
export function isDeeperThan(tree: Expr, most: number): boolean {
  const open: { readonly value: unknown; readonly depth: number; readonly logic: string }[] = [
    { value: tree, depth: 1, logic: '' },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth, logic } = next;
    if (depth > most) {
      return true;
    }
    if (typeof value !== 'object' || value === null) {
      continue;
    }
    const node = value as { readonly $typeName?: string; readonly function?: string };
    const isLogic = node.function === '_&&_' || node.function === '_||_';
    const isChain = isLogic && node.function === logic;
    const isNode = node.$typeName === 'cel.expr.Expr';
    for (const child of Object.values(node)) {
      const below = isLogic ? (node.function ?? '') : isNode || Array.isArray(node) ? logic : '';
      open.push({ value: child, depth: depth + (isNode ? 1 : isChain ? -1 : 0), logic: below });
    }
  }
  return false;
}

/** What a bracket that is open ends with: `)` of a call that was written for it, too. */
interface Opened {
  readonly closer: string;
  /** An optional entry of a list or map: its call ends before the next comma. */
  entry: 'none' | 'key' | 'value';
}

/** The first escape sequence in a string that CEL does not have; `undefined` where all are good. */
export function unknownEscape(source: string): string | undefined {
  for (let at = 0; at < source.length; at++) {
    const text = matchAt(TEXT, source, at)?.[0] ?? '';
    const prefix = /^[rRbB]*/.exec(text)?.[0] ?? '';
    if (text !== '' && !text.startsWith('//') && !/r/i.test(prefix)) {
      const escapes = /b/i.test(prefix) ? BYTE_ESCAPES : ESCAPES;
      const wrong = [...text.matchAll(/\\[^]/g)].find(({ index }) => matchAt(escapes, text, index) === null);
      if (wrong !== undefined) {
        return wrong[0];
      }
    }
    at += text === '' ? 0 : text.length - 1;
  }
  return undefined;
}

const BYTE_ESCAPES = /\\(?:[abfnrtv"'`\\?]|[xX][0-9a-fA-F]{2}|[0-3][0-7]{2})/y;
const ESCAPES = new RegExp(`${BYTE_ESCAPES.source}|\\\\u[0-9a-fA-F]{4}|\\\\U[0-9a-fA-F]{8}`, 'y');

/** Writes optional selections, indexes, and entries as calls, and leaves out comments; strings stay as they are. */
export function withoutOptionalSyntax(source: string): string {
  if (!source.includes('?') && !source.includes('//')) {
    return source;
  }
  let out = '';
  const opened: Opened[] = [];
  for (let at = 0; at < source.length;) {
    const text = matchAt(TEXT, source, at)?.[0] ?? '';
    const select = matchAt(SELECT, source, at);
    if (text !== '' || select !== null) {
      out += text.startsWith('//') ? ' ' : text !== '' ? text : `.${OPT_SELECT}("${select?.[1] ?? ''}")`;
      at += text !== '' ? text.length : (select?.[0].length ?? 1);
      continue;
    }
    const char = source.charAt(at);
    const isIndex = char === '[' && source.charAt(at + 1) === '?' && /[\w)\]}"']\s*$/.test(out.slice(-40));
    out += isIndex ? `.${OPT_INDEX}(` : written(char, out, opened);
    if (isIndex) {
      opened.push({ closer: ')', entry: 'none' });
    }
    at += isIndex ? 2 : 1;
  }
  return out;
}

const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** The character as it is written; brackets are opened and closed. */
function written(char: string, before: string, opened: Opened[]): string {
  const inner = opened[opened.length - 1];
  const closer = Object.hasOwn(CLOSERS, char) ? CLOSERS[char] : undefined;
  if (closer !== undefined) {
    opened.push({ closer, entry: 'none' });
    return char;
  }
  if (inner === undefined) {
    return char;
  }
  if (')]}'.includes(char)) {
    opened.pop();
    return `${inner.entry === 'value' ? ')' : ''}${inner.closer}`;
  }
  return writtenInside(char, before, inner);
}

/** A comma, a question mark, or a colon of an entry; other characters stay. */
function writtenInside(char: string, before: string, inner: Opened): string {
  if (char === ',') {
    const end = inner.entry === 'value' ? ')' : '';
    inner.entry = 'none';
    return `${end},`;
  }
  if (char === '?' && inner.closer !== ')' && /[[{,]\s*$/.test(before.slice(-40))) {
    inner.entry = inner.closer === ']' ? 'value' : 'key';
    return inner.closer === ']' ? `${OPT_ENTRY}(` : '';
  }
  if (char === ':' && inner.entry === 'key') {
    inner.entry = 'value';
    return `: ${OPT_ENTRY}(`;
  }
  return char;
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

/** The optional in the place of an entry; `undefined` for an ordinary entry. */
function optionalEntry(node: Expr | undefined): Expr | undefined {
  return node?.exprKind.case === 'callExpr' && node.exprKind.value.function === OPT_ENTRY
    ? node.exprKind.value.args[0]
    : undefined;
}

/** `[a, ?b]` is `[a] + entriesOf__(b)`. */
function rewrittenList(node: Expr, value: ValueOf<'listExpr'>): Expr {
  const { elements } = value;
  if (elements.every((element) => optionalEntry(element) === undefined)) {
    return { ...node, exprKind: { case: 'listExpr', value: { ...value, elements: elements.map(rewritten) } } };
  }
  return elements
    .map((element) => {
      const optional = optionalEntry(element);
      return optional === undefined ? list([rewritten(element)]) : call('entriesOf__', [rewritten(optional)]);
    })
    .reduce((all, next) => call('_+_', [all, next]));
}

/** `Object.spec{a: b}` is `{"a": b}`: the objects of mutating admission policies are not messages that the engine knows. */
function asMap({ entries, ...value }: ValueOf<'structExpr'>): ValueOf<'structExpr'> {
  return {
    ...value,
    messageName: '',
    entries: entries.map((entry) =>
      entry.keyKind.case === 'fieldKey'
        ? {
            ...entry,
            keyKind: { case: 'mapKey', value: constant({ case: 'stringValue', value: entry.keyKind.value }) },
          }
        : entry,
    ),
  };
}

/** `{k: a, ?l: b}` is `withOptional__({k: a}, l, b)`. */
function rewrittenMap(node: Expr, written: ValueOf<'structExpr'>): Expr {
  const value = /^(Object|JSONPatch)\b/.test(written.messageName) ? asMap(written) : written;
  const isOptional = (entry: (typeof value.entries)[number]): boolean => optionalEntry(entry.value) !== undefined;
  const entries = value.entries
    .filter((entry) => !isOptional(entry))
    .map((entry) => ({
      ...entry,
      ...(entry.value === undefined ? {} : { value: rewritten(entry.value) }),
      ...(entry.keyKind.case === 'mapKey'
        ? { keyKind: { case: 'mapKey' as const, value: rewritten(entry.keyKind.value) } }
        : {}),
    }));
  const plain: Expr = { ...node, exprKind: { case: 'structExpr', value: { ...value, entries } } };
  return value.entries
    .filter(isOptional)
    .reduce(
      (map, { keyKind, value: optional }) =>
        call('withOptional__', [
          map,
          keyKind.case === 'mapKey' ? rewritten(keyKind.value) : TRUE,
          rewritten(optionalEntry(optional)!),
        ]),
      plain,
    );
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
      return rewrittenList(node, kind.value);
    case 'structExpr':
      return rewrittenMap(node, kind.value);
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
