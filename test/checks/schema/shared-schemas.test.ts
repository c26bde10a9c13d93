/**
 * The verdicts of the generated schema store against those of the schemas that stand beside the project, where they do.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
import { manifestOf } from '../../support/manifest-of';
import { mutantsOf } from '../../support/mutants';
import { Random } from '../../support/random';

const SHARED = resolve(__dirname, '../../../../shared');
const present = existsSync(join(SHARED, 'crds')) && existsSync(join(SHARED, 'seeds'));
if (!present) {
  console.log(`skipped: no schemas to compare with at ${SHARED}`);
}

const MINOR = '1.35';
const read = (...path: readonly string[]): JsonObject =>
  JSON.parse(readFileSync(join(SHARED, ...path), 'utf8')) as JsonObject;

/** A file of one kind's versions as the CustomResourceDefinition that it came from. */
function definitionOf(file: JsonObject): JsonObject {
  const text = (name: string): string => asString(file[name]) ?? '';
  const versions = (file.versions as JsonObject[]).map((version): JsonObject => ({
    ...version,
    schema: { openAPIV3Schema: version.schema ?? {} },
    subresources: (version.subresources as string[]).includes('status') ? { status: {} } : {},
  }));
  return {
    metadata: { name: `${text('plural')}.${text('group')}` },
    spec: {
      group: text('group'),
      scope: text('scope'),
      names: { kind: text('kind'), plural: text('plural') },
      versions,
    },
  };
}

function kindFiles(): readonly JsonObject[] {
  return readdirSync(join(SHARED, 'crds'))
    .filter((project) => project !== 'kubernetes')
    .flatMap((project) =>
      readdirSync(join(SHARED, 'crds', project))
        .filter((file) => file !== 'scalers-schema.json')
        .map((file) => read('crds', project, file)),
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

function seeds(): readonly { readonly file: string; readonly object: JsonObject }[] {
  return ['fixed', 'snippets'].flatMap((folder) =>
    readdirSync(join(SHARED, 'seeds', folder))
      .filter((file) => file.endsWith('.yaml'))
      .flatMap((file) =>
        parseAllDocuments(readFileSync(join(SHARED, 'seeds', folder, file), 'utf8')).flatMap((document) => {
          const object = document.toJS() as JsonValue;
          return isObject(object) ? [{ file: `${folder}/${file}`, object }] : [];
        }),
      ),
  );
}

(present ? describe : describe.skip)('verdicts by the generated schemas and by the shared ones', () => {
  const ours = new ShapeChecker({ kubernetes: MINOR });
  const theirs = new ShapeChecker({ kubernetes: MINOR, crds: present ? kindFiles().map(definitionOf) : [] });
  const openApi = new OpenApi(present ? asObject(read('crds', 'kubernetes', `openapi-${MINOR}.json`).definitions) : {});

  const rulesOf = (checker: ShapeChecker, object: JsonObject): readonly string[] => {
    const { violations, notChecked } = checker.check(manifestOf(object));
    const schema = violations
      .filter(({ tier }) => tier === 'schema' || tier === 'cel')
      .map(({ rule, path }) => `${rule} ${path}`);
    return notChecked === undefined ? schema.sort() : ['not checked', ...schema.sort()];
  };

  const decoded = (object: JsonObject, schema: Schema, kind: string, hasStatus: boolean): readonly string[] => {
    const list = new ViolationList();
    new TypedDecoding(list, true, (path) => isOptionalField(kind, path)).root(object, nodeOf(schema), hasStatus);
    // Which values a field lists is not said by OpenAPI v2.
    return list.violations
      .filter(({ rule }) => rule !== 'schema/enum')
      .map(({ rule, path }) => `${rule} ${path}`)
      .sort();
  };

  const random = new Random(3);
  const questions = present
    ? seeds().flatMap(({ file, object }) => {
        const info = findKind(asString(object.apiVersion) ?? '', asString(object.kind) ?? '');
        const known = info !== undefined && (info.minors === undefined || info.minors.includes(MINOR));
        const mutants = known ? mutantsOf(object, info, loadSchema(info, MINOR), random) : [];
        const changed = mutants.map((mutant) => ({
          file: `${file}, ${mutant.operator} at ${mutant.path}`,
          object: mutant.object,
          info,
        }));
        return [{ file, object, info }, ...changed];
      })
    : [];

  test('custom resources: every seed document, and mutants of it', () => {
    for (const { file, object } of questions) {
      expect({ file, found: rulesOf(ours, object) }).toEqual({ file, found: rulesOf(theirs, object) });
    }
    expect(questions.length).toBeGreaterThan(200);
  });

  test('every kind with a scale subresource has its path in the table', () => {
    const scaled = kindFiles().filter((file) =>
      (file.versions as JsonObject[]).some((version) => (version.subresources as string[]).includes('scale')),
    );
    expect(
      scaled.map((file) => `${asString(file.group)}/${asString(file.kind)}`).filter((kind) => !(kind in SCALE_PATHS)),
    ).toEqual([]);
  });

  test('built-in kinds: every seed document, and mutants of it', () => {
    for (const { file, object, info } of questions) {
      if (info?.builtIn !== true || info.minors?.includes(MINOR) !== true) {
        continue;
      }
      const kind = info.group === '' ? info.kind : `${info.group}/${info.kind}`;
      const shared = openApi.schemaOf(info.group, info.version, info.kind);
      if (shared === undefined) {
        throw new Error(`no shared schema of ${info.apiVersion} ${info.kind}`);
      }
      const mine = decoded(object, loadSchema(info, MINOR), kind, info.hasStatusSubresource);
      expect({ file, found: mine }).toEqual({ file, found: decoded(object, shared, kind, info.hasStatusSubresource) });
    }
  });
});
