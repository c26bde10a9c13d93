/**
 * The API report: every declaration that a user of the package can see, by entry point, as the compiler wrote it, without comments.
 * A test compares it with the build, so that a change of the surface is a diff that somebody reviews.
 *
 *     npm run generate:api-report
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(__dirname, '../..');
const LIB = join(ROOT, 'lib');
const FOLDER = join(ROOT, 'api');

/** Types that are generated from upstream schemas are reviewed where they are generated. */
const GENERATED = /[\\/]facts[\\/]api[\\/]types[\\/]/;

/** A declared name, or several declarations of one name, in one file. */
interface Declared {
  readonly file: string;
  readonly name: string;
}

/** A namespace object made by `export * as`. */
interface Namespace {
  readonly namespace: string;
}

/** What a declaration file declares, imports, and exports. Purely syntactic: declaration files state every type. */
class DeclarationFile {
  readonly declarations = new Map<string, ts.Statement[]>();
  readonly imports = new Map<string, { readonly from: string; readonly name: string }>();
  readonly exports = new Map<string, { readonly from?: string; readonly name: string; readonly all?: true }>();
  readonly stars: string[] = [];

  constructor(readonly path: string) {
    const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022, true);
    for (const statement of source.statements) {
      if (ts.isImportDeclaration(statement)) {
        this.addImport(statement);
      } else if (ts.isExportDeclaration(statement)) {
        this.addExport(statement);
      } else {
        this.addDeclaration(statement);
      }
    }
  }

  private addImport({ importClause, moduleSpecifier }: ts.ImportDeclaration): void {
    const from = (moduleSpecifier as ts.StringLiteral).text;
    const bindings = importClause?.namedBindings;
    if (bindings !== undefined && ts.isNamedImports(bindings)) {
      for (const { name, propertyName } of bindings.elements) {
        this.imports.set(name.text, { from, name: (propertyName ?? name).text });
      }
    }
  }

  private addExport({ exportClause, moduleSpecifier }: ts.ExportDeclaration): void {
    const from = moduleSpecifier === undefined ? undefined : (moduleSpecifier as ts.StringLiteral).text;
    if (exportClause === undefined) {
      this.stars.push(from!);
    } else if (ts.isNamespaceExport(exportClause)) {
      this.exports.set(exportClause.name.text, { from: from!, name: exportClause.name.text, all: true });
    } else {
      for (const { name, propertyName } of exportClause.elements) {
        const exported = { name: (propertyName ?? name).text, ...(from === undefined ? {} : { from }) };
        this.exports.set(name.text, exported);
      }
    }
  }

  private addDeclaration(statement: ts.Statement): void {
    const names = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.map(({ name }) => name.getText())
      : [(statement as ts.DeclarationStatement).name?.getText()];
    const isExported = ts.canHaveModifiers(statement)
      ? (ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false)
      : false;
    for (const name of names.filter((found) => found !== undefined)) {
      this.declarations.set(name, [...(this.declarations.get(name) ?? []), statement]);
      if (isExported) {
        this.exports.set(name, { name });
      }
    }
  }
}

class Surface {
  private readonly files = new Map<string, DeclarationFile>();

  /** The report of one entry point. */
  report(entry: string, title: string): string {
    const exported = this.exportsOf(entry);
    const shown = new Map<string, { readonly title: string; readonly text: string }>();
    const waiting: Declared[] = [];
    const lines: string[] = [];
    const visit = (names: ReadonlyMap<string, Declared | Namespace>, prefix: string): void => {
      for (const [name, target] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
        if ('namespace' in target) {
          visit(this.exportsOf(target.namespace), `${prefix}${name}.`);
          continue;
        }
        const key = keyOf(target);
        const first = shown.get(key);
        if (first === undefined) {
          shown.set(key, { title: `${prefix}${name}`, text: this.textOf(target, waiting) });
        } else {
          lines.push(`// ${prefix}${name} is ${first.title}`);
        }
      }
    };
    visit(exported, '');
    const named = [...shown.values()].map(({ title: name, text }) => `// ${name}\n${text}`);
    const behind: string[] = [];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const key = keyOf(next);
      if (!shown.has(key)) {
        shown.set(key, { title: next.name, text: '' });
        behind.push(`// ${relative(LIB, next.file).replaceAll('\\', '/')}\n${this.textOf(next, waiting)}`);
      }
    }
    const blocks = [...named, ...lines.sort()].join('\n\n');
    const more =
      behind.length === 0
        ? ''
        : `\n\n## Reached by these, without a name of their own\n\n${fence(behind.sort().join('\n\n'))}`;
    return `# ${title}\n\nGenerated by \`npm run generate:api-report\`. A change here is a change for users.\n\n${fence(blocks)}${more}\n`;
  }

  /** The text of a declaration. What it refers to inside the package is added to `waiting`. */
  private textOf(target: Declared, waiting: Declared[]): string {
    const file = this.file(target.file);
    const statements = file.declarations.get(target.name) ?? [];
    const printer = ts.createPrinter({ removeComments: true });
    return statements
      .map((statement) => {
        const visit = (node: ts.Node): void => {
          if (ts.isIdentifier(node) && node.text !== target.name) {
            const found = this.resolveLocal(file, node.text);
            if (found !== undefined && !GENERATED.test(found.file)) {
              waiting.push(found);
            }
          }
          ts.forEachChild(node, visit);
        };
        visit(visible(statement));
        return (
          stability(statement) +
          printer.printNode(ts.EmitHint.Unspecified, visible(statement), statement.getSourceFile())
        );
      })
      .join('\n');
  }

  private resolveLocal(file: DeclarationFile, name: string): Declared | undefined {
    if (file.declarations.has(name)) {
      return { file: file.path, name };
    }
    const imported = file.imports.get(name);
    if (imported === undefined || !imported.from.startsWith('.')) {
      return undefined;
    }
    const target = this.exportsOf(locate(file.path, imported.from)).get(imported.name);
    return target === undefined || 'namespace' in target ? undefined : target;
  }

  /** Everything that a file exports, each with the place of its declaration. */
  private exportsOf(path: string): ReadonlyMap<string, Declared | Namespace> {
    const file = this.file(path);
    const found = new Map<string, Declared | Namespace>();
    for (const star of file.stars.filter((from) => from.startsWith('.'))) {
      for (const [name, target] of this.exportsOf(locate(path, star))) {
        found.set(name, target);
      }
    }
    for (const [name, { from, name: original, all }] of file.exports) {
      if (all === true) {
        found.set(name, { namespace: locate(path, from!) });
        continue;
      }
      const target =
        from === undefined ? this.resolveLocal(file, original) : this.exportsOf(locate(path, from)).get(original);
      if (target === undefined) {
        throw new Error(`${path}: the export "${name}" has no declaration`);
      }
      found.set(name, target);
    }
    return found;
  }

  private file(path: string): DeclarationFile {
    let file = this.files.get(path);
    if (file === undefined) {
      file = new DeclarationFile(path);
      this.files.set(path, file);
    }
    return file;
  }
}

/** A class without its private members, which no user sees. */
function visible(statement: ts.Statement): ts.Statement {
  if (!ts.isClassDeclaration(statement)) {
    return statement;
  }
  const { modifiers, name, typeParameters, heritageClauses, members } = statement;
  const isPrivate = (member: ts.ClassElement): boolean =>
    !ts.isConstructorDeclaration(member) &&
    ((ts.canHaveModifiers(member) &&
      (ts.getModifiers(member)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) ?? false)) ||
      (member.name !== undefined && ts.isPrivateIdentifier(member.name)));
  return ts.factory.updateClassDeclaration(
    statement,
    modifiers,
    name,
    typeParameters,
    heritageClauses,
    members.filter((member) => !isPrivate(member)),
  );
}

function keyOf({ file, name }: Declared): string {
  return `${file}\n${name}`;
}

function fence(text: string): string {
  return `\`\`\`ts\n${text}\n\`\`\``;
}

/** Declarations without a tag are public. */
function stability(statement: ts.Statement): string {
  const tag = ts
    .getJSDocTags(statement)
    .find(({ tagName }) => tagName.text === 'beta' || tagName.text === 'deprecated');
  return tag === undefined ? '' : `// @${tag.tagName.text}\n`;
}

function locate(from: string, specifier: string): string {
  const base = resolve(dirname(from), specifier);
  const file = [`${base}.d.ts`, join(base, 'index.d.ts')].find((path) => existsSync(path));
  if (file === undefined) {
    throw new Error(`${from}: no declarations for "${specifier}"`);
  }
  return file;
}

/** The reports by file name. */
export function apiReports(): ReadonlyMap<string, string> {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
  const surface = new Surface();
  return new Map(
    Object.entries(exports).flatMap(([name, target]) => {
      if (typeof target === 'string' || name.includes('*')) {
        return [];
      }
      const title = name.replace('.', 'cdk8s-gantry');
      return [[join(FOLDER, `${title.replace('/', '-')}.api.md`), surface.report(resolve(ROOT, target.types), title)]];
    }),
  );
}

if (require.main === module) {
  mkdirSync(FOLDER, { recursive: true });
  for (const [file, text] of apiReports()) {
    writeFileSync(file, text);
    console.log(relative(ROOT, file));
  }
}
