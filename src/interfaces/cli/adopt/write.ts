/**
 * Declarations as the source of a stack.
 */
import type * as TsMorph from 'ts-morph';
import { type Declaration } from './declaration';
import { Call, type Expression, isFields, type KindName, Reference } from './expression';
import { LIBRARY, OF_CDK8S } from './library';
import { type Imports, print } from './print';

/** More declarations than this are divided into functions. */
const MOST_IN_CONSTRUCTOR = 150;

export interface WriteOptions {
  /** Name of the class. */
  readonly className: string;
  /** Comments by declaration, above its statement. */
  readonly comments: ReadonlyMap<Declaration, string>;
}

/** The source: a Chart that declares every object. */
export function writeStack(
  declarations: readonly Declaration[],
  { className, comments }: WriteOptions,
  { Project, IndentationText, QuoteKind }: typeof TsMorph,
): string {
  const imports = new SourceImports();
  imports.cdk8s.add('Chart');
  const parts = partsOf(declarations);
  const used = usedVariables(declarations);
  const several = parts.length > 1;
  const statements = parts.map((part) =>
    part.flatMap((declaration) => statementsOf(declaration, several ? 'chart' : 'this', used, imports, comments)),
  );
  const project = new Project({
    useInMemoryFileSystem: true,
    skipLoadingLibFiles: true,
    compilerOptions: { noLib: true },
    manipulationSettings: { indentationText: IndentationText.TwoSpaces, quoteKind: QuoteKind.Single },
  });
  const file = project.createSourceFile('stack.ts');
  imports.writeTo(file);
  file.addClass({
    name: className,
    isExported: true,
    extends: 'Chart',
    ctors: [
      {
        parameters: [
          { name: 'scope', type: 'Construct' },
          { name: 'id', type: 'string' },
        ],
        statements: ['super(scope, id);', ...(several ? callsOf(parts) : (statements[0] ?? []))],
      },
    ],
  });
  if (several) {
    // In one step, since each reads the whole file again.
    file.addFunctions(parts.map((_, index) => functionOf(parts, index, statements[index] ?? [])));
  }
  file.insertText(0, `${HEADER}\n`);
  file.formatText({ indentSize: 2, ensureNewLineAtEndOfFile: true });
  return file.getFullText();
}

function functionOf(
  parts: readonly (readonly Declaration[])[],
  index: number,
  body: readonly string[],
): TsMorph.OptionalKind<TsMorph.FunctionDeclarationStructure> {
  const [needs, gives] = sharedBy(parts, index);
  const named = (list: readonly Declaration[]): string => `{ ${list.map(({ variable }) => variable).join(', ')} }`;
  return {
    name: `part${index + 1}`,
    parameters: [
      { name: 'chart', type: 'Chart' },
      ...(needs.length === 0 ? [] : [{ name: named(needs), type: typeOf(needs, parts) }]),
    ],
    statements: gives.length === 0 ? [...body] : [...body, `return ${named(gives)};`],
  };
}

const HEADER = '// Written by gantry adopt. It is yours to change; gantry adopt does not read it again.';

/** In equal parts, in the order of the declarations. */
function partsOf(declarations: readonly Declaration[]): readonly (readonly Declaration[])[] {
  if (declarations.length <= MOST_IN_CONSTRUCTOR) {
    return [declarations];
  }
  const count = Math.ceil(declarations.length / MOST_IN_CONSTRUCTOR);
  const size = Math.ceil(declarations.length / count);
  return Array.from({ length: count }, (_, index) => declarations.slice(index * size, (index + 1) * size));
}

/** What a part needs of the parts before it, and what it gives to those after it. */
function sharedBy(
  parts: readonly (readonly Declaration[])[],
  index: number,
): readonly [needs: readonly Declaration[], gives: readonly Declaration[]] {
  const own = new Set(parts[index]);
  const needs = [...new Set((parts[index] ?? []).flatMap(referencesOf))].filter((one) => !own.has(one));
  const later = new Set(parts.slice(index + 1).flatMap((part) => part.flatMap(referencesOf)));
  return [needs, [...own].filter((one) => later.has(one))];
}

function typeOf(needs: readonly Declaration[], parts: readonly (readonly Declaration[])[]): string {
  const from = [...new Set(needs.map((one) => parts.findIndex((part) => part.includes(one)) + 1))].sort(
    (a, b) => a - b,
  );
  return from.map((number) => `ReturnType<typeof part${number}>`).join(' & ');
}

function callsOf(parts: readonly (readonly Declaration[])[]): readonly string[] {
  return parts.map((_, index) => {
    const [needs, gives] = sharedBy(parts, index);
    const from = [...new Set(needs.map((one) => parts.findIndex((part) => part.includes(one)) + 1))].sort(
      (a, b) => a - b,
    );
    const given = from.map((number) => `fromPart${number}`);
    const argument = given.length === 1 ? given[0] : `{ ${given.map((name) => `...${name}`).join(', ')} }`;
    const call = `part${index + 1}(this${needs.length === 0 ? '' : `, ${argument}`});`;
    return gives.length === 0 ? call : `const fromPart${index + 1} = ${call}`;
  });
}

function referencesOf({ args, calls, patches }: Declaration): readonly Declaration[] {
  const found: Declaration[] = [];
  const look = (value: Expression): void => {
    if (value instanceof Reference) {
      found.push(value.declared as Declaration);
    } else if (value instanceof Call) {
      value.args.forEach(look);
    } else if (Array.isArray(value)) {
      (value as readonly Expression[]).forEach(look);
    } else if (isFields(value)) {
      Object.values(value).forEach(look);
    }
  };
  [...args, ...calls.flatMap((call) => call.args), ...patches].forEach(look);
  return found;
}

function usedVariables(declarations: readonly Declaration[]): ReadonlySet<Declaration> {
  return new Set([...declarations.flatMap(referencesOf), ...declarations.filter(({ patches }) => patches.length > 0)]);
}

function statementsOf(
  declaration: Declaration,
  scope: string,
  used: ReadonlySet<Declaration>,
  imports: SourceImports,
  comments: ReadonlyMap<Declaration, string>,
): readonly string[] {
  const { className, id, args, calls, patches, variable, form } = declaration;
  const isEmpty = (value: Expression): boolean => isFields(value) && Object.keys(value).length === 0;
  const given = form === 'construct' ? args.filter((argument) => !isEmpty(argument)) : args;
  imports.library(className.split('.')[0] ?? className);
  const printed = [scope, print(id, imports), ...given.map((argument) => print(argument, imports))].join(', ');
  const chain = calls
    .map(({ method, args: values }) => `.${method}(${values.map((value) => print(value, imports)).join(', ')})`)
    .join('');
  const made = `new ${className}(${printed})${chain};`;
  const comment = comments.get(declaration);
  const statements = [
    ...(comment === undefined ? [] : [`// ${comment}`]),
    used.has(declaration) ? `const ${variable} = ${made}` : made,
  ];
  if (patches.length === 0) {
    return statements;
  }
  imports.cdk8s.add('JsonPatch');
  const object = form === 'construct' ? `${variable}.resource` : variable;
  return [...statements, `${object}.addJsonPatch(${patches.map((patch) => print(patch, imports)).join(', ')});`];
}

/** What a source imports, by module. */
class SourceImports implements Imports {
  readonly cdk8s = new Set<string>();
  private readonly gantry = new Set<string>();
  private readonly kinds = new Map<string, Map<string, string>>();
  private readonly taken = new Set([...Object.keys(LIBRARY), 'App', 'Chart', 'Construct', 'JsonPatch']);

  library(name: string): void {
    (OF_CDK8S.has(name) ? this.cdk8s : this.gantry).add(name);
  }

  /** A kind whose name another import has gets one of its own. */
  kind({ apiVersion, kind }: KindName): string {
    const module = `cdk8s-gantry/api/${apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`}`;
    const names = this.kinds.get(module) ?? new Map<string, string>();
    this.kinds.set(module, names);
    const known = names.get(kind);
    if (known !== undefined) {
      return known;
    }
    let name = kind;
    for (let number = 1; this.taken.has(name); number += 1) {
      name = number === 1 ? `${kind}Kind` : `${kind}Kind${number}`;
    }
    this.taken.add(name);
    names.set(kind, name);
    return name;
  }

  writeTo(file: TsMorph.SourceFile): void {
    const declare = (moduleSpecifier: string, names: readonly { name: string; alias?: string }[]): void => {
      if (names.length > 0) {
        file.addImportDeclaration({ moduleSpecifier, namedImports: [...names] });
      }
    };
    const sorted = (names: Iterable<string>): { name: string }[] => [...names].sort().map((name) => ({ name }));
    declare('cdk8s', sorted(this.cdk8s));
    declare('cdk8s-gantry', sorted(this.gantry));
    for (const [module, names] of [...this.kinds].sort(([a], [b]) => (a < b ? -1 : 1))) {
      declare(
        module,
        [...names].sort().map(([name, alias]) => (name === alias ? { name } : { name, alias })),
      );
    }
    declare('constructs', [{ name: 'Construct' }]);
  }
}
