/**
 * One generated TypeScript file: the interfaces of an API group and version, and a `ResourceKind` value for each kind. ts-morph writes it.
 */
import {
  IndentationText,
  type InterfaceDeclarationStructure,
  NewLineKind,
  Project,
  QuoteKind,
  StructureKind,
  VariableDeclarationKind,
} from 'ts-morph';
import { type Schema } from '../../src/facts/api/schema';
import { order } from './openapi';
import { NameScope } from './type-names';

export interface PropertyText {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
  readonly facts: string;
}

export interface InterfaceText {
  readonly name: string;
  readonly facts: string;
  readonly properties: readonly PropertyText[];
}

const project = new Project({
  useInMemoryFileSystem: true,
  manipulationSettings: {
    indentationText: IndentationText.TwoSpaces,
    quoteKind: QuoteKind.Single,
    newLineKind: NewLineKind.LineFeed,
  },
});

export class TypeFile {
  readonly names = new NameScope();
  private readonly interfaces = new Map<string, InterfaceText>();
  private readonly aliases = new Map<string, string>();
  private readonly kinds = new Map<string, string>();
  private readonly imports = new Map<string, Map<string, string>>();

  /** @param module path below `types/` without extension, `core/v1` */
  constructor(
    readonly module: string,
    private readonly header: string,
  ) {}

  addInterface(text: InterfaceText): void {
    this.interfaces.set(text.name, text);
  }

  addAlias(name: string, type: string): void {
    this.aliases.set(name, type);
  }

  addKind(kind: string, apiVersion: string): void {
    this.kinds.set(kind, apiVersion);
  }

  get isEmpty(): boolean {
    return this.interfaces.size === 0 && this.aliases.size === 0;
  }

  /** A name of another file of `types/`, imported; under another name where this file has its own of that name. */
  typeFrom(module: string, name: string): string {
    if (module === this.module) {
      return name;
    }
    return this.importName(relative(this.module, module), name);
  }

  /** A name of `src/facts/api/<file>.ts`. */
  apiType(file: string, name: string): string {
    return this.importName(`${'../'.repeat(this.module.split('/').length)}${file}`, name);
  }

  private importName(specifier: string, name: string): string {
    const names = this.imports.get(specifier) ?? new Map<string, string>();
    this.imports.set(specifier, names);
    const known = names.get(name);
    if (known !== undefined) {
      return known;
    }
    const local = this.names.has(name) ? this.names.claim(`Kubernetes${name}`, false) : this.names.claim(name, false);
    names.set(name, local);
    return local;
  }

  /** The file's text: deterministic, whatever order things were added in. */
  text(): string {
    const kindType = this.kinds.size > 0 ? this.apiType('resource-kind', 'ResourceKind') : '';
    const file = project.createSourceFile(`${this.module}.ts`, '', { overwrite: true });
    for (const specifier of [...this.imports.keys()].sort(order)) {
      file.addImportDeclaration({
        moduleSpecifier: specifier,
        namedImports: [...this.imports.get(specifier)!]
          .sort(([a], [b]) => order(a, b))
          .map(([name, local]) => ({ name, isTypeOnly: true, alias: local === name ? undefined : local })),
      });
    }
    for (const name of [...this.aliases.keys()].sort(order)) {
      file.addStatements(`\nexport type ${name} = ${this.aliases.get(name)!};`);
    }
    const structures = [...this.interfaces.keys()]
      .sort(order)
      .map((name) => interfaceStructure(this.interfaces.get(name)!));
    for (const structure of structures) {
      file.addInterface(structure);
      const apiVersion = this.kinds.get(structure.name);
      if (apiVersion === undefined) {
        continue;
      }
      file.addVariableStatement({
        isExported: true,
        declarationKind: VariableDeclarationKind.Const,
        declarations: [
          {
            name: structure.name,
            type: `${kindType}<${structure.name}>`,
            initializer: `{ apiVersion: '${apiVersion}', kind: '${structure.name}' }`,
          },
        ],
      });
    }
    const text = file.getFullText().trimStart();
    project.removeSourceFile(file);
    return `// ${this.header}\n${text}`;
  }
}

function interfaceStructure(text: InterfaceText): InterfaceDeclarationStructure {
  return {
    kind: StructureKind.Interface,
    isExported: true,
    name: text.name,
    docs: text.facts === '' ? [] : [{ description: text.facts }],
    properties: text.properties.map((property) => ({
      name: /^[A-Za-z_$][\w$]*$/.test(property.name)
        ? property.name
        : JSON.stringify(property.name).replace(/^"|"$/g, "'"),
      type: property.type,
      isReadonly: true,
      hasQuestionToken: property.optional,
      docs: property.facts === '' ? [] : [{ description: property.facts }],
    })),
  };
}

function relative(from: string, to: string): string {
  const up = from.split('/').slice(0, -1);
  const down = to.split('/');
  while (up.length > 0 && down.length > 1 && up[0] === down[0]) {
    up.shift();
    down.shift();
  }
  return `${up.length === 0 ? './' : '../'.repeat(up.length)}${down.join('/')}`;
}

/** What a schema says of a value beyond its type, in a line: bounds, default, pattern, list keys. */
export function factsOf(schema: Schema, since?: string): string {
  const facts: string[] = [];
  if (since !== undefined) {
    facts.push(`Kubernetes ${since}+.`);
  }
  if (schema.default !== undefined) {
    facts.push(`Default: \`${JSON.stringify(schema.default)}\`.`);
  }
  if (schema.minimum !== undefined || schema.maximum !== undefined) {
    facts.push(
      `${schema.exclusiveMinimum === true ? 'Above' : 'From'} ${schema.minimum ?? '-∞'} ${schema.exclusiveMaximum === true ? 'to below' : 'to'} ${schema.maximum ?? '∞'}.`,
    );
  }
  if (schema.multipleOf !== undefined) {
    facts.push(`Multiple of ${schema.multipleOf}.`);
  }
  const range = (low: number | undefined, high: number | undefined, what: string): void => {
    if (low !== undefined || high !== undefined) {
      facts.push(`${low ?? 0} to ${high ?? '∞'} ${what}.`);
    }
  };
  range(schema.minLength, schema.maxLength, 'characters');
  range(schema.minItems, schema.maxItems, 'items');
  range(schema.minProperties, schema.maxProperties, 'members');
  if (schema.pattern !== undefined && !schema['x-kubernetes-int-or-string'] && schema.pattern.length <= 100) {
    facts.push(`Pattern: \`${schema.pattern}\`.`);
  }
  if (schema.format !== undefined && !PLAIN_FORMATS.has(schema.format)) {
    facts.push(`Format: ${schema.format}.`);
  }
  if (schema['x-kubernetes-list-type'] === 'map') {
    facts.push(`One item per ${schema['x-kubernetes-list-map-keys']!.join(' + ')}.`);
  }
  if (schema['x-kubernetes-list-type'] === 'set') {
    facts.push('Each value once.');
  }
  return facts.join(' ').replaceAll('*/', '*\\/').replaceAll('@', '\\@');
}

const PLAIN_FORMATS = new Set(['int32', 'int64', 'double', 'float', 'date-time', 'quantity', 'int-or-string']);
