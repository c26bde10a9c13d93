/**
 * What the type checker reads in the tree of an expression: names, texts, and numbers.
 */
import { type Expr } from '../syntax-extensions';
import { type CelType, printType } from './types';

/** Thrown for the first mistake; the message continues "the expression". */
export class TypeMistake extends Error {
  /** @param choices names that would be right in the place of the one that is wrong */
  constructor(
    message: string,
    readonly choices?: readonly string[],
  ) {
    super(message);
  }
}

/** A node of the tree of this kind. */
export type Kind<Case> = Extract<Expr['exprKind'], { readonly case: Case }>['value'];

/** An optional entry's value; `dyn` may be one. */
export function unwrapped(type: CelType): CelType {
  if (type.kind !== 'optional' && type.kind !== 'dyn') {
    throw new TypeMistake(`has an optional entry of type ${printType(type)}, which must be an optional`);
  }
  return type.kind === 'optional' ? type.of[0] : type;
}

/** `a.b.c` as text; `undefined` for an expression of another form. */
export function qualifiedName({ exprKind }: Expr): string | undefined {
  if (exprKind.case === 'identExpr') {
    return exprKind.value.name;
  }
  if (exprKind.case !== 'selectExpr' || exprKind.value.testOnly || exprKind.value.operand === undefined) {
    return undefined;
  }
  const prefix = qualifiedName(exprKind.value.operand);
  return prefix === undefined ? undefined : `${prefix}.${exprKind.value.field}`;
}

export function nameOf({ exprKind }: Expr): string {
  if (exprKind.case !== 'identExpr') {
    throw new TypeMistake('has a macro whose variable is not a name');
  }
  return exprKind.value.name;
}

export function textOf(node: Expr | undefined): string | undefined {
  const constant = node?.exprKind.case === 'constExpr' ? node.exprKind.value.constantKind : undefined;
  return constant?.case === 'stringValue' ? constant.value : undefined;
}

/** @throws TypeMistake for a number that its type cannot hold */
export function checkRange({ constantKind: { case: kind, value } }: Kind<'constExpr'>): void {
  const isOut =
    (kind === 'int64Value' && BigInt.asIntN(64, value) !== value) ||
    (kind === 'uint64Value' && BigInt.asUintN(64, value) !== value);
  if (isOut) {
    throw new TypeMistake(`has the number ${value}, which does not fit in 64 bits`);
  }
}
