/**
 * The mutants of a source file, and a sample of those of many files. The same seed gives the same sample.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { Random } from '../support/random';
import { OFFERS } from './operators';

export const PROJECT = resolve(__dirname, '../..');

export interface Mutant {
  /** Counts from 1 over the whole run; 0 means that no mutant is active. */
  readonly id: number;
  /** Path inside the project. */
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly shape: 'expression' | 'statement' | 'block';
  readonly operator: string;
  /** What is there without it. */
  readonly code: string;
  readonly text: string;
}

/** All mutants of one file, numbered from 1. */
export function mutantsOf(file: string, code: string): readonly Mutant[] {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.ES2022, true);
  const mutants: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    if (isType(node) || isProse(node)) {
      return;
    }
    if (mayChange(node)) {
      const start = node.getStart(source);
      const line = source.getLineAndCharacterOfPosition(start).line + 1;
      const shape = ts.isBlock(node) ? 'block' : ts.isExpressionStatement(node) ? 'statement' : 'expression';
      for (const replacement of OFFERS.flatMap((offer) => offer(node, source))) {
        const place = { file, line, start, end: node.getEnd(), shape, code: node.getText(source) } as const;
        mutants.push({ id: mutants.length + 1, ...place, ...replacement });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return mutants;
}

/** Nothing of these runs. */
function isType(node: ts.Node): boolean {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isEnumDeclaration(node)
  );
}

/** Members of findings and rules that people read; `test/words` holds them to the style of the project. */
const PROSE = new Set(['message', 'expected', 'fix', 'summary', 'why', 'source']);

/** What a finding says in words. Its rule, place, severity, and whether it is there at all are no prose. */
function isProse({ parent, pos }: ts.Node): boolean {
  if (parent === undefined) {
    return false;
  }
  if (ts.isPropertyAssignment(parent)) {
    return ts.isIdentifier(parent.name) && PROSE.has(parent.name.text) && parent.initializer.pos === pos;
  }
  const isSay = ts.isCallExpression(parent) && ts.isIdentifier(parent.expression) && parent.expression.text === 'say';
  return isSay && parent.arguments[1]?.pos === pos;
}

/** Where an expression may be put into parentheses without another meaning. */
function mayChange(node: ts.Node): boolean {
  const { parent } = node;
  if (parent === undefined) {
    return false;
  }
  const isName =
    (ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent) || ts.isPropertyDeclaration(parent)) &&
    parent.name === node;
  // Parentheses would end a chain of `?.`.
  const isInChain =
    ts.isOptionalChain(node) &&
    (ts.isPropertyAccessExpression(parent) || ts.isCallExpression(parent) || ts.isElementAccessExpression(parent)) &&
    parent.expression === node;
  return !isName && !isInChain;
}

/** The mutants of all TypeScript files of a folder, or of one file. */
export function mutantsIn(folder: string): readonly Mutant[] {
  return filesIn(folder).flatMap((file) => mutantsOf(file, readFileSync(join(PROJECT, file), 'utf8')));
}

function filesIn(folder: string): readonly string[] {
  const path = resolve(PROJECT, folder);
  if (statSync(path).isFile()) {
    return [relative(PROJECT, path)];
  }
  return (readdirSync(path, { recursive: true }) as string[])
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((file) => relative(PROJECT, join(path, file)))
    .sort();
}

/** So many of them, drawn by the seed, in the order of the code. */
export function sampled(mutants: readonly Mutant[], size: number, seed: number): readonly Mutant[] {
  const random = new Random(seed);
  const left = [...mutants];
  const drawn: Mutant[] = [];
  while (drawn.length < size && left.length > 0) {
    drawn.push(...left.splice(Math.floor(random.next() * left.length), 1));
  }
  return drawn.sort((a, b) => (a.file === b.file ? a.start - b.start || a.id - b.id : a.file < b.file ? -1 : 1));
}
