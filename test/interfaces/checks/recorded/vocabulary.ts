/**
 * What manifests are changed with: the fields and values of other manifests, and what the code of the rules names.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import ts from 'typescript';
import { type JsonValue } from '../../../../src/facts/api/schema';
import { PROJECT } from '../../../mutation/mutants';
import { ODD_VALUES, type Vocabulary } from '../../../support/changed-manifests';

/** Something that the code names: a field, a string, or a number. */
interface Word {
  readonly file: string;
  readonly position: number;
  readonly name?: string;
  readonly values: readonly JsonValue[];
}

/** What documents of a domain are changed with. */
export interface Source {
  readonly fields: Vocabulary['fields'];
  /** In the order of the code, so that words that belong together are close to each other. */
  readonly words: readonly Word[];
}

export function wordsOf(modules: readonly string[]): readonly Word[] {
  const words: Word[] = [];
  for (const path of modules) {
    const file = relative(PROJECT, path);
    const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022, true);
    const add = (node: ts.Node, values: readonly JsonValue[], name?: string): void => {
      words.push({ file, position: node.getStart(source), values, ...(name === undefined ? {} : { name }) });
    };
    const visit = (node: ts.Node): void => {
      if (ts.isImportDeclaration(node)) {
        return;
      }
      if (ts.isPropertyAccessExpression(node)) {
        add(node.name, [], node.name.text);
      } else if (ts.isStringLiteralLike(node) && !/\s/.test(node.text)) {
        add(node, [node.text], node.text);
      } else if (ts.isNumericLiteral(node)) {
        const isNegative = ts.isPrefixUnaryExpression(node.parent) && node.parent.operator === ts.SyntaxKind.MinusToken;
        const value = isNegative ? -Number(node.text) : Number(node.text);
        add(node, [value, String(value)]);
      } else if (ts.isRegularExpressionLiteral(node)) {
        add(node, node.text.match(/[A-Za-z][\w.-]*/g) ?? []);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return words;
}

/** The words around one of them. */
export function vocabularyAround({ fields, words }: Source, center: number, reach: number): Vocabulary {
  return vocabularyOf(fields, words.slice(Math.max(0, center - reach), center + reach));
}

export function vocabularyOf(fields: Vocabulary['fields'], words: Source['words']): Vocabulary {
  const names = words.flatMap(({ name }) => name ?? []);
  return {
    fields,
    names: names.length === 0 ? [...fields.keys()] : names,
    values: [...words.flatMap(({ values }) => values), ...ODD_VALUES],
  };
}
