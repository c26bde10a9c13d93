/**
 * Which files of `src/` import which files and packages, as the compiler resolves it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(__dirname, '../..');

/** Programs of other projects, which no source imports. */
const TEMPLATES = 'src/interfaces/cli/init/templates/';

export interface Import {
  /** A file below the root of the repository. */
  readonly from: string;
  /** A file below the root, or the name of a package, or of a module of Node.js. */
  readonly to: string;
  /** Whether the compiler erases it. */
  readonly typeOnly: boolean;
}

/** Every import of every TypeScript file of `src/`. @throws if a relative import names no file */
export function importsOfSources(): readonly Import[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path}`)
    .filter((path) => path.endsWith('.ts') && !path.startsWith(TEMPLATES))
    .flatMap(importsOf);
}

function importsOf(from: string): readonly Import[] {
  const code = readFileSync(join(ROOT, from), 'utf8');
  // Below statements, nothing else loads a module, or names one in a type.
  const hasLoads = LOADS.test(code);
  const file = ts.createSourceFile(from, hasLoads ? code : headOf(code), {
    languageVersion: ts.ScriptTarget.ES2022,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  });
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean): void => {
    if (specifier !== undefined && ts.isStringLiteralLike(specifier)) {
      found.push({ from, to: target(from, specifier.text), typeOnly });
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, isErased(node.importClause));
    } else if (ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, node.isTypeOnly || allTypes(node.exportClause));
    } else if (ts.isImportTypeNode(node)) {
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true);
    } else if (ts.isCallExpression(node) && isLoad(node.expression)) {
      add(node.arguments[0], false);
    }
    if (hasLoads) {
      ts.forEachChild(node, visit);
    }
  };
  file.statements.forEach(visit);
  return found;
}

/** The code up to the end of its last import or export from a module. */
function headOf(code: string): string {
  const last = [...code.matchAll(FROM_MODULE)].at(-1);
  return last === undefined ? '' : code.slice(0, last.index + last[0].length);
}

/** The end of a statement, as the formatter writes it. */
const FROM_MODULE = /^(?:import .*|(?:export .*|\}) from )'[^']+';$/gm;

const LOADS = /\b(?:import|require|createRequire)\s*\(/;

function isErased(clause: ts.ImportClause | undefined): boolean {
  const { isTypeOnly = false, name, namedBindings } = clause ?? {};
  return isTypeOnly || (name === undefined && allTypes(namedBindings));
}

function allTypes(names: ts.NamedImportBindings | ts.NamedExportBindings | undefined): boolean {
  return (
    names !== undefined &&
    (ts.isNamedImports(names) || ts.isNamedExports(names)) &&
    names.elements.length > 0 &&
    [...names.elements].every(({ isTypeOnly }) => isTypeOnly)
  );
}

/** `import(…)`, `require(…)`, and `createRequire(…)(…)`. */
function isLoad(called: ts.Expression): boolean {
  const name = ts.isCallExpression(called) ? called.expression : called;
  return (
    name.kind === ts.SyntaxKind.ImportKeyword ||
    (ts.isIdentifier(name) && name.text === (name === called ? 'require' : 'createRequire'))
  );
}

function target(from: string, specifier: string): string {
  if (!specifier.startsWith('.')) {
    const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)![0];
    return isBuiltin(specifier) ? specifier : name;
  }
  const path = relative(ROOT, resolve(ROOT, dirname(from), specifier));
  const file = [`${path}.ts`, `${path}/index.ts`, path].find((candidate) => existsSync(join(ROOT, candidate)));
  if (file === undefined) {
    throw new Error(`${from} imports ${specifier}, which is not a file`);
  }
  return file;
}

/** The imports that are part of a cycle. */
export function importsInCycles(imports: readonly Import[]): readonly Import[] {
  const component = components(imports);
  return imports.filter(({ from, to }) => from === to || component.get(from) === component.get(to));
}

/** For each file a number that it shares with the files that it reaches and that reach it (Tarjan's algorithm). */
function components(imports: readonly Import[]): ReadonlyMap<string, number> {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) {
    targets.set(from, [...(targets.get(from) ?? []), to]);
  }
  const low = new Map<string, number>();
  const component = new Map<string, number>();
  const open: string[] = [];
  const visit = (file: string): number => {
    const order = low.size;
    low.set(file, order);
    open.push(file);
    let lowest = order;
    for (const next of targets.get(file) ?? []) {
      if (!component.has(next)) {
        lowest = Math.min(lowest, low.get(next) ?? visit(next));
      }
    }
    low.set(file, lowest);
    if (lowest === order) {
      for (const member of open.splice(open.indexOf(file))) {
        component.set(member, order);
      }
    }
    return lowest;
  };
  for (const file of targets.keys()) {
    if (!low.has(file)) {
      visit(file);
    }
  }
  return component;
}
