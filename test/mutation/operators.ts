/**
 * What may be changed in the code: each operator looks at one node of the syntax tree and offers replacements for it.
 *
 * A replacement is JavaScript that stands for the node where the mutant is active. Prose (messages, summaries, fixes) is left alone: strings are
 * changed only where the code compares with them or lists them.
 */
import ts from 'typescript';

export interface Replacement {
  readonly operator: string;
  /** What takes the node's place; empty for a statement or a block that is left out. */
  readonly text: string;
}

type Offer = (node: ts.Node, source: ts.SourceFile) => readonly Replacement[];

const COMPARISONS: Readonly<Record<string, readonly string[]>> = {
  '===': ['!=='],
  '!==': ['==='],
  '==': ['!='],
  '!=': ['=='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
};
const LOGICAL: Readonly<Record<string, readonly string[]>> = { '&&': ['||'], '||': ['&&'], '??': ['&&'] };
const ARITHMETIC: Readonly<Record<string, readonly string[]>> = {
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
};
/** The call of one method becomes the call of another. */
const METHODS: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
};
/** The call of a method becomes what it was called on. */
const LEFT_OUT = new Set(['filter', 'sort', 'reverse', 'slice', 'trim', 'toLowerCase', 'toUpperCase']);

const binary: Offer = (node, source) => {
  if (!ts.isBinaryExpression(node)) {
    return [];
  }
  const sign = node.operatorToken.getText(source);
  const left = node.left.getText(source);
  const right = node.right.getText(source);
  const others = (operator: string, table: Readonly<Record<string, readonly string[]>>): readonly Replacement[] =>
    (Object.hasOwn(table, sign) ? table[sign] : []).map((other) => ({
      operator,
      // Logical operators of two kinds may not be side by side without parentheses.
      text: `(${left}) ${other} (${right})`,
    }));
  const isText = [node.left, node.right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side));
  return [
    ...others('comparison', COMPARISONS),
    ...others('logical operator', LOGICAL),
    ...(isText ? [] : others('arithmetic', ARITHMETIC)),
  ];
};

const negation: Offer = (node, source) =>
  ts.isPrefixUnaryExpression(node) &&
  (node.operator === ts.SyntaxKind.ExclamationToken || node.operator === ts.SyntaxKind.MinusToken)
    ? [{ operator: 'negation', text: node.operand.getText(source) }]
    : [];

const truth: Offer = (node) => {
  if (node.kind === ts.SyntaxKind.TrueKeyword) {
    return [{ operator: 'boolean', text: 'false' }];
  }
  return node.kind === ts.SyntaxKind.FalseKeyword ? [{ operator: 'boolean', text: 'true' }] : [];
};

const number: Offer = (node, source) =>
  ts.isNumericLiteral(node)
    ? [{ operator: 'number', text: `${node.getText(source)}${node.getText(source).endsWith('n') ? ' + 1n' : ' + 1'}` }]
    : [];

const condition: Offer = (node) => {
  const { parent } = node;
  const both = [
    { operator: 'condition', text: 'true' },
    { operator: 'condition', text: 'false' },
  ];
  if (ts.isIfStatement(parent) && parent.expression === node) {
    return both;
  }
  if (ts.isConditionalExpression(parent) && parent.condition === node) {
    return both;
  }
  if (ts.isWhileStatement(parent) && parent.expression === node) {
    return both.slice(1);
  }
  return ts.isForStatement(parent) && parent.condition === node ? both.slice(1) : [];
};

const block: Offer = (node) => {
  if (!ts.isBlock(node) || node.statements.length === 0) {
    return [];
  }
  const { parent } = node;
  // What calls `super` cannot be left out, and a `try` is an effect of its own.
  return ts.isConstructorDeclaration(parent) || ts.isTryStatement(parent) ? [] : [{ operator: 'block', text: '' }];
};

const call: Offer = (node, source) => {
  if (ts.isExpressionStatement(node)) {
    const inner = ts.isAwaitExpression(node.expression) ? node.expression.expression : node.expression;
    const isSuper = ts.isCallExpression(inner) && inner.expression.kind === ts.SyntaxKind.SuperKeyword;
    return (ts.isCallExpression(inner) && !isSuper) || isAssignment(inner) ? [{ operator: 'statement', text: '' }] : [];
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression) || ts.isOptionalChain(node)) {
    return [];
  }
  const object = node.expression.expression.getText(source);
  const method = node.expression.name.text;
  if (LEFT_OUT.has(method)) {
    return [{ operator: 'method', text: method === 'sort' || method === 'reverse' ? `[...${object}]` : object }];
  }
  const args = node.arguments.map((argument) => argument.getText(source)).join(', ');
  return Object.hasOwn(METHODS, method) ? [{ operator: 'method', text: `${object}.${METHODS[method]}(${args})` }] : [];
};

function isAssignment(node: ts.Node): boolean {
  return (
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
    node.operatorToken.kind <= ts.SyntaxKind.LastAssignment
  );
}

const list: Offer = (node) =>
  ts.isArrayLiteralExpression(node) && node.elements.length > 0 && !isTarget(node)
    ? [{ operator: 'list', text: '[]' }]
    : [];

/** Something that is assigned to: `[a, b] = [b, a]`. */
function isTarget({ parent, ...node }: ts.Node): boolean {
  return (
    (ts.isBinaryExpression(parent) && isAssignment(parent) && parent.left.pos === node.pos) ||
    ((ts.isForOfStatement(parent) || ts.isForInStatement(parent)) && parent.initializer.pos === node.pos)
  );
}

const word: Offer = (node) => {
  if (!ts.isStringLiteralLike(node)) {
    return [];
  }
  const { parent } = node;
  const isCompared =
    (ts.isBinaryExpression(parent) && Object.hasOwn(COMPARISONS, parent.operatorToken.getText())) ||
    (ts.isCaseClause(parent) && parent.expression === node) ||
    (ts.isArrayLiteralExpression(parent) && !/\s/.test(node.text));
  return isCompared ? [{ operator: 'string', text: node.text === '' ? '"mutant"' : '""' }] : [];
};

const pattern: Offer = (node, source) => {
  if (!ts.isRegularExpressionLiteral(node)) {
    return [];
  }
  const text = node.getText(source);
  const without = [text.replace(/^\/\^/, '/'), text.replace(/\$\/([a-z]*)$/, '/$1')];
  return without
    .filter((other) => other !== text && !other.startsWith('//'))
    .map((other) => ({ operator: 'pattern', text: other }));
};

export const OFFERS: readonly Offer[] = [binary, negation, truth, number, condition, block, call, list, word, pattern];
