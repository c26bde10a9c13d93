/**
 * The public constructs as the compiler sees them: every exported class that is a construct, with the type of its props.
 */
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../words/files';
import { ENTRY_POINTS, program } from './documented';

/** An exported construct class. */
export interface PublicConstruct {
  /** As a user writes it: `volcano.Queue`. */
  readonly title: string;
  readonly instance: ts.Type;
  /** Type of the third parameter of the constructor. */
  readonly props: ts.Type | undefined;
}

/** The surface of the package, by the sources. */
export class Surface {
  readonly checker: ts.TypeChecker;
  readonly constructs: readonly PublicConstruct[];
  /** Exported types and values by name, with the namespaces that have them: `Job` in `batch` and `volcano`. */
  readonly names: ReadonlyMap<string, readonly string[]>;

  constructor() {
    const entry = join(ROOT, ENTRY_POINTS['cdk8s-gantry']);
    this.checker = program().getTypeChecker();
    const names = new Map<string, string[]>();
    const constructs: PublicConstruct[] = [];
    const visit = (module: ts.Symbol, prefix: string): void => {
      for (const exported of this.checker.getExportsOfModule(module)) {
        const symbol =
          (exported.flags & ts.SymbolFlags.Alias) === 0 ? exported : this.checker.getAliasedSymbol(exported);
        if ((symbol.flags & ts.SymbolFlags.ValueModule) !== 0) {
          visit(symbol, `${prefix}${exported.name}.`);
          continue;
        }
        names.set(exported.name, [...(names.get(exported.name) ?? []), prefix.replace(/\.$/, '')]);
        if ((symbol.flags & ts.SymbolFlags.Class) !== 0) {
          constructs.push(...this.constructOf(`${prefix}${exported.name}`, symbol));
        }
      }
    };
    visit(this.checker.getSymbolAtLocation(program().getSourceFile(entry)!)!, '');
    this.names = names;
    this.constructs = constructs;
  }

  private constructOf(title: string, symbol: ts.Symbol): readonly PublicConstruct[] {
    const instance = this.checker.getDeclaredTypeOfSymbol(symbol);
    const declaration = symbol.valueDeclaration as ts.ClassDeclaration;
    const isAbstract = declaration.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword) ?? false;
    if (isAbstract || instance.getProperty('node') === undefined) {
      return [];
    }
    const [signature] = this.checker.getTypeOfSymbol(symbol).getConstructSignatures();
    const [, , props] = signature?.getParameters() ?? [];
    const type = props && this.checker.getNonNullableType(this.checker.getTypeOfSymbol(props));
    return [{ title, instance, props: type }];
  }
}
