/**
 * Turns the example of a docstring into a module: declares the names of `prelude.json` that it uses, and imports all others from the entry
 * point, or the library, that exports them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ENTRY_POINTS } from './documented';
import { ROOT } from '../words/files';

/** Names that an example may use without declaring them, each with its declaration. */
const PRELUDE = JSON.parse(readFileSync(join(__dirname, 'prelude.json'), 'utf8')) as Readonly<Record<string, string>>;
const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  cdk8s: ['ApiObject', 'App', 'Chart', 'Cron', 'Duration', 'Size'],
  constructs: ['Construct'],
  'node:fs': ['readFileSync', 'writeFileSync'],
};

export class ExamplePrograms {
  /** The module of each name. */
  private readonly modules: ReadonlyMap<string, string>;

  constructor(program: ts.Program) {
    const checker = program.getTypeChecker();
    const own = Object.entries(ENTRY_POINTS).flatMap(([name, path]) => {
      const module = checker.getSymbolAtLocation(program.getSourceFile(join(ROOT, path))!)!;
      return checker.getExportsOfModule(module).map((symbol) => [symbol.name, name] as const);
    });
    const libraries = Object.entries(LIBRARIES).flatMap(([module, names]) =>
      names.map((name) => [name, module] as const),
    );
    // The first entry point that exports a name wins.
    this.modules = new Map([...libraries, ...own.reverse()]);
  }

  /** The text of the module. It exports the app of the example as `exampleApp`. */
  programOf(code: string): string {
    const own = declaredNames(code);
    const wanted = new Set<string>();
    const want = (name: string): void => {
      const declaration = PRELUDE[name];
      if (declaration !== undefined && !wanted.has(name) && !own.has(name)) {
        wanted.add(name);
        freeNames(declaration).forEach(want);
      }
    };
    ['app', ...freeNames(code)].forEach(want);
    // Each name of the prelude is declared before those that use it.
    const prelude = Object.keys(PRELUDE).filter((name) => wanted.has(name));
    const text = [...prelude.map((name) => PRELUDE[name]), code].join('\n');
    const imports = new Map<string, string[]>();
    for (const name of freeNames(text)) {
      const module = this.modules.get(name);
      if (module !== undefined) {
        imports.set(module, [...(imports.get(module) ?? []), name]);
      }
    }
    const lines = [...imports].map(([module, names]) => `import { ${names.join(', ')} } from '${module}';`);
    const kplus = freeNames(text).includes('kplus') ? ["import * as kplus from 'cdk8s-plus-28';"] : [];
    return [...lines, ...kplus, text, 'export { app as exampleApp };', ''].join('\n');
  }
}

function identifiersOf(code: string): readonly ts.Identifier[] {
  const found: ts.Identifier[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      found.push(node);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('example.ts', code, ts.ScriptTarget.Latest, true));
  return found;
}

function declaredNames(code: string): ReadonlySet<string> {
  return new Set(
    identifiersOf(code)
      .filter(isDeclared)
      .map(({ text }) => text),
  );
}

/** Names that a text uses and does not declare, each once. */
function freeNames(code: string): readonly string[] {
  const declared = declaredNames(code);
  const used = identifiersOf(code)
    .filter(isReference)
    .map(({ text }) => text);
  return [...new Set(used)].filter((name) => !declared.has(name));
}

function isDeclared(node: ts.Identifier): boolean {
  const { parent } = node;
  return (
    ((ts.isVariableDeclaration(parent) ||
      ts.isParameter(parent) ||
      ts.isFunctionDeclaration(parent) ||
      ts.isClassDeclaration(parent) ||
      ts.isBindingElement(parent) ||
      ts.isImportSpecifier(parent)) &&
      parent.name === node) ||
    ts.isImportClause(parent) ||
    ts.isNamespaceImport(parent)
  );
}

function isReference(node: ts.Identifier): boolean {
  const { parent } = node;
  return !(
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isQualifiedName(parent) && parent.right === node) ||
    ((ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent) || ts.isPropertyDeclaration(parent)) &&
      parent.name === node)
  );
}
