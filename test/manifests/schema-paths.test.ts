/**
 * The tables of pod templates and references name fields; here they are held against the schemas of the kinds.
 */
import { allKinds } from '../../src/facts/api/kinds';
import { type KindInfo, type Schema } from '../../src/facts/api/schema';
import { loadSchema } from '../../src/facts/api/schemas';
import { TEMPLATE_PLACES } from '../../src/manifests/pods/pod-templates';
import { PARTIAL_POD_SPECS, POD_SPEC_PLACES, REFERENCE_PLACES } from '../../src/manifests/references/reference-places';

/** What a schema says is at a path; `open` where it takes anything. */
function schemaAt(schema: Schema | undefined, tokens: readonly string[]): Schema | 'open' | undefined {
  if (schema === undefined) {
    return undefined;
  }
  const [token, ...rest] = tokens;
  if (token === undefined) {
    return schema;
  }
  const found = token === '*' ? (schema.items ?? schema.additionalProperties) : schema.properties?.[token];
  if (typeof found === 'object') {
    return schemaAt(found, rest);
  }
  return schema['x-kubernetes-preserve-unknown-fields'] === true || found === true ? 'open' : undefined;
}

function versionsOf(kindKey: string): readonly KindInfo[] {
  const [group, kind] = kindKey.includes('/') ? kindKey.split('/') : ['', kindKey];
  return allKinds().filter((info) => info.group === group && info.kind === kind);
}

const minorOf = (info: KindInfo): NonNullable<KindInfo['minors']>[number] => info.minors?.at(-1) ?? '1.35';

/** Versions with the field, of all versions of the kind. */
function versionsWith(kindKey: string, tokens: readonly string[]): readonly string[] {
  const has = (info: KindInfo): boolean => schemaAt(loadSchema(info, minorOf(info)), tokens) !== undefined;
  return versionsOf(kindKey)
    .filter(has)
    .map(({ version }) => version);
}

describe('every pod template of the table is one in every version of its kind', () => {
  const rows = Object.entries(TEMPLATE_PLACES).flatMap(([kind, places]) =>
    places.map(({ path }) => [kind, path] as const),
  );

  test.each(rows)('%s at %j', (kind, path) => {
    const versions = versionsOf(kind);
    expect(versions).not.toEqual([]);
    const tokens = [...path.split('/').slice(1), 'spec', 'containers'];
    expect(versionsWith(kind, tokens)).toEqual(versions.map(({ version }) => version));
  });
});

test('no other kind has a pod template', () => {
  const known = new Set(Object.keys(TEMPLATE_PLACES));
  const podSpecs = (schema: Schema, path: string, depth: number, seen: ReadonlySet<Schema>): string[] => {
    if (depth > 14 || seen.has(schema)) {
      return [];
    }
    const below = new Set([...seen, schema]);
    if (
      schema.properties?.containers?.items?.properties?.image !== undefined &&
      schema.properties.volumes !== undefined
    ) {
      return [path];
    }
    return [
      ...Object.entries(schema.properties ?? {}).flatMap(([key, member]) =>
        podSpecs(member, `${path}/${key}`, depth + 1, below),
      ),
      ...(schema.items === undefined ? [] : podSpecs(schema.items, `${path}/*`, depth + 1, below)),
      ...(typeof schema.additionalProperties === 'object'
        ? podSpecs(schema.additionalProperties, `${path}/*`, depth + 1, below)
        : []),
    ];
  };
  const unknown = allKinds()
    .filter(({ group, kind }) => !known.has(group === '' ? kind : `${group}/${kind}`) && !kind.endsWith('List'))
    .flatMap((info) =>
      podSpecs(loadSchema(info, minorOf(info)), '', 0, new Set()).map((path) => `${info.group}/${info.kind}${path}`),
    );
  expect([...new Set(unknown)].sort()).toEqual([
    // A part of a template, laid over a whole one elsewhere.
    'flow.volcano.sh/JobFlow/spec/flows/*/patch/jobSpec/tasks/*/template/spec',
    // Containers and volumes that are added to pods which the operator makes.
    'monitoring.coreos.com/Alertmanager/spec',
    'monitoring.coreos.com/Prometheus/spec',
    'monitoring.coreos.com/PrometheusAgent/spec',
    'monitoring.coreos.com/ThanosRuler/spec',
  ]);
});

/** Kinds of the Gateway API, of which there is no schema here. */
const WITHOUT_SCHEMA = ['gateway.networking.k8s.io/GRPCRoute', 'gateway.networking.k8s.io/HTTPRoute'];

describe('every reference of the tables is a field that at least one version of its kind has', () => {
  const rows = [...REFERENCE_PLACES]
    .filter(([kind]) => !WITHOUT_SCHEMA.includes(kind))
    .flatMap(([kind, places]) => places.map(({ tokens }) => [kind, tokens.join('/'), tokens] as const));

  test('a kind without a schema is listed above, and no other', () => {
    const known = new Set(allKinds().map(({ group, kind }) => (group === '' ? kind : `${group}/${kind}`)));
    expect([...REFERENCE_PLACES.keys()].filter((kind) => !known.has(kind)).sort()).toEqual(WITHOUT_SCHEMA);
  });

  test.each(rows)('%s at %s', (kind, _, tokens) => {
    expect(versionsWith(kind, tokens)).not.toEqual([]);
  });

  test.each(POD_SPEC_PLACES.map(({ tokens }) => [tokens.join('/'), tokens] as const))('Pod at spec/%s', (_, tokens) => {
    const [pod] = versionsOf('Pod');
    const minors = pod.minors ?? [];
    expect(minors.filter((minor) => schemaAt(loadSchema(pod, minor), ['spec', ...tokens]) !== undefined)).not.toEqual(
      [],
    );
  });

  test.each([...PARTIAL_POD_SPECS].map(([kind, places]) => [kind, places] as const))(
    'parts of pod specs in %s',
    (kind, places) => {
      expect(places.filter(({ tokens }) => versionsWith(kind, tokens).length > 0).length).toBeGreaterThan(5);
    },
  );
});
