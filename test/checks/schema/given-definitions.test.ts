/**
 * Verdicts by the generated schema store compared with verdicts by definitions that are given as CustomResourceDefinitions and as OpenAPI v2.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { findKind } from '../../../src/facts/api/kinds';
import { type JsonObject, type JsonValue, type Schema } from '../../../src/facts/api/schema';
import { loadSchema } from '../../../src/facts/api/schemas';
import { ShapeChecker } from '../../../src/checks/schema/check-shape';
import { SCALE_PATHS } from '../../../src/checks/schema/known-kinds';
import { nodeOf } from '../../../src/checks/schema/schema-node';
import { TypedDecoding } from '../../../src/checks/schema/typed-decoding';
import { ViolationList } from '../../../src/checks/schema/violation-list';
import { isOptionalField } from '../../../src/checks/schema/optional-fields';
import { asObject, asString, isObject } from '../../../src/manifests/read';
import { readVendored, type VendoredProject, type WholeKind } from '../../../projen/api/vendored';
import { manifestOf } from '../../support/manifest-of';
import { mutantsOf } from '../../support/mutants';
import { Random } from '../../support/random';

const FIXTURES = resolve(__dirname, '../../fixtures');
const VENDOR = resolve(__dirname, '../../../vendor');

const MINOR = '1.35';
const OPEN_API = `kubernetes-${MINOR}.json`;
const readJson = (path: string): JsonValue => JSON.parse(readFileSync(path, 'utf8')) as JsonValue;

/** A kind as the CustomResourceDefinition that it came from. */
function definitionOf({ group, kind, plural, scope, versions }: WholeKind): JsonObject {
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural },
      versions: versions.map(({ schema, subresources, ...version }): JsonObject => ({
        ...version,
        schema: { openAPIV3Schema: schema },
        subresources: subresources.includes('status') ? { status: {} } : {},
      })),
    },
  };
}

function givenKinds(): readonly WholeKind[] {
  return [VENDOR, join(FIXTURES, 'definitions')].flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.json') && file !== OPEN_API)
      .flatMap((file) => readVendored(readJson(join(folder, file)) as unknown as VendoredProject, file)),
  );
}

/** The definitions of an OpenAPI v2 file as a graph; what the server decodes in its own way is put in its place. */
class OpenApi {
  private readonly made = new Map<string, Schema>();

  constructor(private readonly definitions: JsonObject) {}

  schemaOf(group: string, version: string, kind: string): Schema | undefined {
    const name = Object.keys(this.definitions).find((key) =>
      (asObject(this.definitions[key])['x-kubernetes-group-version-kind'] as JsonObject[] | undefined)?.some(
        (gvk) => (gvk.group ?? '') === group && gvk.version === version && gvk.kind === kind,
      ),
    );
    return name === undefined ? undefined : this.named(name);
  }

  private named(name: string): Schema {
    const known = this.made.get(name);
    if (known !== undefined) {
      return known;
    }
    const schema: Record<string, unknown> = {};
    this.made.set(name, schema);
    Object.assign(schema, special(name) ?? this.resolved(asObject(this.definitions[name])));
    return schema;
  }

  private resolved(raw: JsonObject): Schema {
    const reference = asString(raw.$ref);
    if (reference !== undefined) {
      return this.named(reference.slice('#/definitions/'.length));
    }
    const schema: Record<string, unknown> = { ...raw };
    if (isObject(raw.properties)) {
      schema.properties = Object.fromEntries(
        Object.entries(raw.properties).map(([name, child]) => [name, this.resolved(asObject(child))]),
      );
    }
    if (isObject(raw.items)) {
      schema.items = this.resolved(raw.items);
    }
    if (isObject(raw.additionalProperties)) {
      schema.additionalProperties = this.resolved(raw.additionalProperties);
    }
    return schema;
  }
}

function special(name: string): Schema | undefined {
  if (name.endsWith('.resource.Quantity')) {
    return { type: 'string', format: 'quantity' };
  }
  if (/\.(RawExtension|FieldsV1)$/.test(name)) {
    return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  }
  return /\.v1\.JSON(SchemaPropsOr(Array|Bool|StringArray))?$/.test(name) ? {} : undefined;
}

function manifests(): readonly { readonly file: string; readonly object: JsonObject }[] {
  return ['corrected', 'defects'].flatMap((folder) =>
    readdirSync(join(FIXTURES, 'manifests', folder)).flatMap((file) =>
      parseAllDocuments(readFileSync(join(FIXTURES, 'manifests', folder, file), 'utf8')).flatMap((document) => {
        const object = document.toJS() as JsonValue;
        return isObject(object) ? [{ file: `${folder}/${file}`, object }] : [];
      }),
    ),
  );
}

describe('verdicts by the generated schemas and by given definitions', () => {
  const ours = new ShapeChecker({ kubernetes: MINOR });
  const theirs = new ShapeChecker({ kubernetes: MINOR, crds: givenKinds().map(definitionOf) });
  const openApi = new OpenApi(asObject(asObject(readJson(join(FIXTURES, 'definitions', OPEN_API))).definitions));

  const rulesOf = (checker: ShapeChecker, object: JsonObject): readonly string[] => {
    const { violations, notChecked } = checker.check(manifestOf(object));
    const schema = violations
      .filter(({ tier }) => tier === 'schema' || tier === 'cel')
      .map(({ rule, path }) => `${rule} ${path}`);
    return notChecked === undefined ? schema.sort() : ['not checked', ...schema.sort()];
  };

  const decoded = (object: JsonObject, schema: Schema, kind: string, hasStatus: boolean): readonly string[] => {
    const list = new ViolationList();
    new TypedDecoding(list, true, (path) => isOptionalField(kind, path, 36)).root(object, nodeOf(schema), hasStatus);
    // Which values a field lists is not said by OpenAPI v2.
    return list.violations
      .filter(({ rule }) => rule !== 'schema/enum')
      .map(({ rule, path }) => `${rule} ${path}`)
      .sort();
  };

  const random = new Random(3);
  const questions = manifests().flatMap(({ file, object }) => {
    const info = findKind(asString(object.apiVersion) ?? '', asString(object.kind) ?? '');
    const known = info !== undefined && (info.minors === undefined || info.minors.includes(MINOR));
    const mutants = known ? mutantsOf(object, info, loadSchema(info, MINOR), random) : [];
    const changed = mutants.map((mutant) => ({
      file: `${file}, ${mutant.operator} at ${mutant.path}`,
      object: mutant.object,
      info,
    }));
    return [{ file, object, info }, ...changed];
  });

  test('custom resources: every document, and mutants of it', () => {
    for (const { file, object } of questions) {
      expect({ file, found: rulesOf(ours, object) }).toEqual({ file, found: rulesOf(theirs, object) });
    }
    expect(questions.length).toBeGreaterThan(200);
  });

  test('every kind with a scale subresource has its path in the table', () => {
    const scaled = givenKinds().filter(({ versions }) =>
      versions.some(({ subresources }) => subresources.includes('scale')),
    );
    expect(scaled.length).toBeGreaterThan(0);
    expect(scaled.map(({ group, kind }) => `${group}/${kind}`).filter((kind) => !(kind in SCALE_PATHS))).toEqual([]);
  });

  test('built-in kinds: every document, and mutants of it', () => {
    for (const { file, object, info } of questions) {
      if (info?.builtIn !== true || info.minors?.includes(MINOR) !== true) {
        continue;
      }
      const kind = info.group === '' ? info.kind : `${info.group}/${info.kind}`;
      const given = openApi.schemaOf(info.group, info.version, info.kind);
      if (given === undefined) {
        throw new Error(`no definition of ${info.apiVersion} ${info.kind}`);
      }
      const mine = decoded(object, loadSchema(info, MINOR), kind, info.hasStatusSubresource);
      expect({ file, found: mine }).toEqual({ file, found: decoded(object, given, kind, info.hasStatusSubresource) });
    }
  });
});
