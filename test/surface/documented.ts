/**
 * The public surface as a reader of the API reference sees it: every declaration that an entry point exports, the base classes and
 * interfaces behind them, and their members, each with its docstring.
 */
import { join, relative } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../words/files';

/** The source of each entry point. Types that are generated from upstream schemas carry no prose and are left out. */
export const ENTRY_POINTS: Readonly<Record<string, string>> = {
  'cdk8s-gantry': 'src/index.ts',
  'cdk8s-gantry/checks': 'src/interfaces/checks/index.ts',
  'cdk8s-gantry/manifests': 'src/manifests/index.ts',
  'cdk8s-gantry/placement': 'src/placement/index.ts',
  'cdk8s-gantry/testing': 'src/interfaces/testing/index.ts',
  'cdk8s-gantry/pulumi': 'src/interfaces/pulumi/index.ts',
};
const GENERATED = /\/facts\/api\/(?:types|schemas)\//;

/** Packages whose classes and interfaces those of the surface extend. The others have more declarations than the whole package. */
const DECLARING: ReadonlySet<string> = new Set(['cdk8s', 'constructs', '@pulumi/pulumi']);

/** One declared thing with a docstring of its own: an export, or a member of one. */
export interface Documented {
  /** File and line, for an editor. */
  readonly at: string;
  /** `volcano.Job`, or `volcano.Job.name` for a member. */
  readonly name: string;
  readonly node: ts.Node;
  /** The docstring without its tags, also the one of the interface or base class that declares the member; undefined where there is none. */
  readonly text: string | undefined;
  readonly tags: readonly ts.JSDocTagInfo[];
  /** `base`: a class or an interface that is not exported, whose members are those of what is. */
  readonly role: 'class' | 'interface' | 'base' | 'other' | 'member';
  /** Whether it is an optional property of an interface or of a type. */
  readonly optional: boolean;
}

let made: ts.Program | undefined;

/** The program over the source of all entry points. Nothing is type-checked. */
export function program(): ts.Program {
  return (made ??= makeProgram());
}

function makeProgram(): ts.Program {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  const entries = Object.values(ENTRY_POINTS).map((path) => join(ROOT, path));
  const host = ts.createCompilerHost(options);
  const cache = ts.createModuleResolutionCache(ROOT, (name) => name, options);
  host.resolveModuleNameLiterals = (names, file) =>
    names.map(({ text }) =>
      text.startsWith('.') || DECLARING.has(text)
        ? ts.resolveModuleName(text, file, options, host, cache)
        : { resolvedModule: undefined },
    );
  return ts.createProgram(entries, options, host);
}

let documented: readonly Documented[] | undefined;

/** Everything that the entry points export, each once, in the order of files and lines. */
export function surface(): readonly Documented[] {
  return (documented ??= new Surface(program().getTypeChecker()).of(
    Object.values(ENTRY_POINTS).map((path) => program().getSourceFile(join(ROOT, path))!),
  ));
}

class Surface {
  private readonly found = new Map<ts.Node, Documented>();
  private readonly bases = new Set<ts.Symbol>();

  constructor(private readonly checker: ts.TypeChecker) {}

  of(entries: readonly ts.SourceFile[]): readonly Documented[] {
    for (const entry of entries) {
      this.addModule(this.checker.getSymbolAtLocation(entry)!, '', []);
    }
    // A set that grows while it is iterated over: a base has bases of its own.
    for (const base of this.bases) {
      this.addSymbol(base, base.name, 'base');
    }
    return [...this.found.values()].sort((a, b) => (a.at < b.at ? -1 : 1));
  }

  private addModule(module: ts.Symbol, prefix: string, within: readonly ts.Symbol[]): void {
    for (const symbol of this.checker.getExportsOfModule(module)) {
      const target = this.resolved(symbol);
      if (target.flags & ts.SymbolFlags.ValueModule) {
        if (!within.includes(target)) {
          this.addModule(target, `${prefix}${symbol.name}.`, [...within, target]);
        }
      } else {
        this.addSymbol(target, `${prefix}${symbol.name}`);
      }
    }
  }

  private addSymbol(symbol: ts.Symbol, name: string, means?: 'base'): void {
    for (const node of symbol.declarations ?? []) {
      if (isOurs(node) && !this.found.has(node) && !isFurtherOverload(node, symbol)) {
        const role = ts.isClassDeclaration(node) ? 'class' : ts.isInterfaceDeclaration(node) ? 'interface' : 'other';
        this.add(node, symbol, name, means ?? role);
        this.addMembers(membersOf(node), name);
        this.addBases(node);
      }
    }
  }

  /** Members of a base class that no entry point exports are members of what it exports. */
  private addBases(node: ts.Node): void {
    if (!ts.isClassDeclaration(node) && !ts.isInterfaceDeclaration(node)) {
      return;
    }
    for (const { expression } of (node.heritageClauses ?? []).flatMap(({ types }) => types)) {
      const base = this.checker.getSymbolAtLocation(expression);
      if (base !== undefined) {
        this.bases.add(this.resolved(base));
      }
    }
  }

  private addMembers(members: readonly ts.Node[], owner: string): void {
    const overloaded = new Set<string>();
    for (const member of members) {
      const symbol = this.symbolOf(member);
      // The name of a property with a symbol as its key is not one that a user writes.
      if (symbol === undefined || symbol.name.startsWith('__@') || isHidden(member)) {
        continue;
      }
      const name = `${owner}.${symbol.name}`;
      if (!overloaded.has(name)) {
        overloaded.add(name);
        this.add(member, symbol, name, 'member');
        this.addMembers(ts.isPropertySignature(member) && member.type ? membersOfType(member.type) : [], name);
      }
    }
  }

  private symbolOf(node: ts.Node): ts.Symbol | undefined {
    const { name } = node as ts.NamedDeclaration;
    return name === undefined ? undefined : this.checker.getSymbolAtLocation(name);
  }

  private resolved(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  private add(node: ts.Node, symbol: ts.Symbol, name: string, role: Documented['role']): void {
    const file = node.getSourceFile();
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    const comment = ts.getJSDocCommentsAndTags(node).findLast((part) => ts.isJSDoc(part));
    // The first comment of a file describes the file.
    const isOfFile = comment !== undefined && file.text.slice(0, comment.pos).trim() === '';
    const text = isOfFile ? '' : ts.displayPartsToString(symbol.getDocumentationComment(this.checker)).trim();
    this.found.set(node, {
      at: `${relative(ROOT, file.fileName)}:${String(line + 1).padStart(4)}`,
      name,
      node,
      role,
      text: text === '' ? undefined : text,
      tags: symbol.getJsDocTags(this.checker),
      optional: ts.isPropertySignature(node) && node.questionToken !== undefined,
    });
  }
}

function isOurs(node: ts.Node): boolean {
  const { fileName } = node.getSourceFile();
  return fileName.startsWith(join(ROOT, 'src/')) && !GENERATED.test(fileName);
}

function isFurtherOverload(node: ts.Node, symbol: ts.Symbol): boolean {
  return ts.isFunctionDeclaration(node) && symbol.declarations?.[0] !== node;
}

function membersOf(node: ts.Node): readonly ts.Node[] {
  if (ts.isClassDeclaration(node)) {
    const parameters = node.members.filter(ts.isConstructorDeclaration).flatMap((made) => [...made.parameters]);
    return [
      ...parameters.filter((parameter) => ts.isParameterPropertyDeclaration(parameter, parameter.parent)),
      ...node.members,
    ];
  }
  if (ts.isInterfaceDeclaration(node) || ts.isEnumDeclaration(node)) {
    return [...node.members];
  }
  return ts.isTypeAliasDeclaration(node) ? membersOfType(node.type) : [];
}

function membersOfType(type: ts.TypeNode): readonly ts.Node[] {
  if (ts.isTypeLiteralNode(type)) {
    return [...type.members];
  }
  // What the variants of a union mean is described at the union.
  return ts.isIntersectionTypeNode(type) ? type.types.flatMap(membersOfType) : [];
}

function isHidden(member: ts.Node): boolean {
  const modifiers = ts.canHaveModifiers(member) ? (ts.getModifiers(member) ?? []) : [];
  return (
    modifiers.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword) ||
    ts.isPrivateIdentifier((member as ts.NamedDeclaration).name!) ||
    ts.getJSDocTags(member).some(({ tagName }) => tagName.text === 'internal')
  );
}
