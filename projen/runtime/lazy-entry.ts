/**
 * Writes the main module of the package: the exports of `src/index.ts`, each of which loads its module when it is used for the first time. A
 * program that uses two kinds of construct does not load the others.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(__dirname, '../..');
const SOURCE = join(ROOT, 'src/index.ts');
/** What is written, from the project's root. */
export const LAZY_ENTRY = 'lib/entry.js';

interface LazyExport {
  readonly name: string;
  /** JavaScript that loads it. */
  readonly value: string;
}

/** @returns the number of exports */
export function writeLazyEntry(): number {
  const load = createRequire(join(ROOT, 'lib/index.js'));
  const source = ts.createSourceFile(SOURCE, readFileSync(SOURCE, 'utf8'), ts.ScriptTarget.ES2022);
  const effects = source.statements.filter(ts.isImportDeclaration).map(specifierOf);
  const exports = source.statements.filter(ts.isExportDeclaration).flatMap((statement) => exportsOf(statement, load));
  const lines = [
    '"use strict";',
    'Object.defineProperty(exports, "__esModule", { value: true });',
    'const lazy = (name, load) =>',
    '  Object.defineProperty(exports, name, {',
    '    configurable: true,',
    '    enumerable: true,',
    '    get() {',
    '      const value = load();',
    '      Object.defineProperty(exports, name, { enumerable: true, value });',
    '      return value;',
    '    },',
    '  });',
    ...effects.map((path) => `require(${JSON.stringify(path)});`),
    ...exports.map(({ name, value }) => `lazy(${JSON.stringify(name)}, () => ${value});`),
    '// The names, for import statements of ES modules.',
    `0 && (module.exports = { ${exports.map(({ name }) => name).join(', ')} });`,
    '',
  ];
  writeFileSync(join(ROOT, LAZY_ENTRY), lines.join('\n'));
  return exports.length;
}

function exportsOf(
  { exportClause, isTypeOnly, ...statement }: ts.ExportDeclaration,
  load: NodeJS.Require,
): readonly LazyExport[] {
  if (isTypeOnly) {
    return [];
  }
  const path = specifierOf(statement);
  const module = `require(${JSON.stringify(path)})`;
  if (exportClause !== undefined && ts.isNamespaceExport(exportClause)) {
    return [{ name: exportClause.name.text, value: module }];
  }
  const known = Object.keys(load(path) as object);
  const names =
    exportClause === undefined
      ? known
      : exportClause.elements.filter((element) => !element.isTypeOnly).map(({ name }) => name.text);
  return names.filter((name) => known.includes(name)).map((name) => ({ name, value: `${module}.${name}` }));
}

function specifierOf({ moduleSpecifier }: { readonly moduleSpecifier?: ts.Expression }): string {
  return (moduleSpecifier as ts.StringLiteral).text;
}
