/**
 * Writes what the library reads at run time: the table of kinds, and the compressed schema bundles.
 */
import { brotliCompressSync, constants } from 'zlib';
import { type KubernetesMinor } from '../../src/facts/api/schema';
import { type CrdVersion } from './crd';
import { type KubernetesApi, order } from './openapi';
import { type Lifecycle } from './lifecycle';
import { COMMON, SchemaPool } from './schema-pool';

const BUILT_IN = 'kubernetes';

export interface ProjectCrds {
  /** Name of the project and of its bundle. */
  readonly project: string;
  /** Project and version, as `KindInfo.source` states them. */
  readonly source: string;
  readonly versions: readonly CrdVersion[];
}

export interface RuntimeFiles {
  readonly kindTable: string;
  /** Compressed bundles by file name. */
  readonly bundles: ReadonlyMap<string, Buffer>;
}

/**
 * @param apis ascending by minor
 * @param lifecycle when a definition's version is deprecated and removed
 */
export function runtimeFiles(
  apis: readonly KubernetesApi[],
  projects: readonly ProjectCrds[],
  lifecycle: ReadonlyMap<string, Lifecycle>,
): RuntimeFiles {
  const pool = new SchemaPool();
  const builtIn = builtInKinds(apis, pool, lifecycle);
  const custom = projects.flatMap(({ project, versions }) =>
    versions.map((version) => ({ project, version, root: pool.add(project, version.schema) })),
  );
  const bundles = pool.bundles();
  const rows = [
    ...builtIn.map(
      ({ row, roots }) => `${row} ${BUILT_IN} ${runs(roots, (root) => bundles.referenceOf(BUILT_IN, root))}`,
    ),
    ...custom.map(
      ({ project, version, root }) => `${customRow(version)} ${project} ${bundles.referenceOf(project, root)}`,
    ),
  ];
  return {
    kindTable: kindTableText(
      rows.sort(order),
      apis.map((api) => api.minor),
      projects,
    ),
    bundles: new Map(
      [...bundles.files]
        .filter(([name, lines]) => lines.length > 0 || name === COMMON)
        .map(([name, lines]) => [`${name}.br`, compressed(lines)]),
    ),
  };
}

interface BuiltInRow {
  readonly row: string;
  /** Root by minor, ascending. */
  readonly roots: ReadonlyMap<KubernetesMinor, number>;
}

function builtInKinds(
  apis: readonly KubernetesApi[],
  pool: SchemaPool,
  lifecycle: ReadonlyMap<string, Lifecycle>,
): readonly BuiltInRow[] {
  const newest = Number(apis.at(-1)?.minor.slice(2));
  const rows = new Map<string, { flags: string; plural: string; roots: Map<KubernetesMinor, number> }>();
  const preferred = new Map<string, string>();
  for (const api of apis) {
    for (const kind of api.kinds) {
      const groupKind = `${kind.group}/${kind.kind}`;
      const best = preferred.get(groupKind);
      if (best === undefined || versionRank(kind.version) > versionRank(best)) {
        preferred.set(groupKind, kind.version);
      }
      const key = `${kind.group || '-'} ${kind.version} ${kind.kind}`;
      const roots = rows.get(key)?.roots ?? new Map<KubernetesMinor, number>();
      roots.set(api.minor, pool.add(BUILT_IN, kind.definition.schema));
      const { deprecated, removed } = lifecycle.get(kind.definition.name) ?? {};
      const flags = [
        kind.scope === 'Namespaced' ? 'bns' : 'bcs',
        kind.hasStatusSubresource ? 't' : '',
        deprecated !== undefined && deprecated <= newest ? `d${deprecated}` : '',
        removed === undefined ? '' : `r${removed}`,
      ].join('');
      rows.set(key, { flags, plural: kind.plural, roots });
    }
  }
  return [...rows].map(([key, { flags, plural, roots }]) => {
    const [group, version, kind] = key.split(' ');
    const isPreferred = preferred.get(`${group === '-' ? '' : group}/${kind}`) === version;
    return { row: `${key} ${plural} ${isPreferred ? 'p' : ''}${flags}`, roots };
  });
}

/** Kubernetes' order of versions: v2, v1, v1beta2, v1beta1, v1alpha1. */
function versionRank(version: string): number {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) {
    return 0;
  }
  const stage = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0;
  return stage * 1e6 + Number(match[1]) * 1e3 + Number(match[3] ?? 0);
}

function customRow(version: CrdVersion): string {
  const flags = [
    version.scope === 'Namespaced' ? 'n' : 'c',
    version.served ? 's' : '',
    version.hasStatusSubresource ? 't' : '',
    version.storage ? 'p' : '',
    version.deprecated ? 'd' : '',
  ].join('');
  return `${version.group} ${version.version} ${version.kind} ${version.plural} ${flags}`;
}

/** `30-33:12,34:15` */
function runs(roots: ReadonlyMap<KubernetesMinor, number>, referenceOf: (root: number) => number): string {
  const out: { first: number; last: number; root: number }[] = [];
  for (const [minor, root] of roots) {
    const number = Number(minor.slice(2));
    const previous = out.at(-1);
    if (previous && previous.root === root && previous.last === number - 1) {
      previous.last = number;
    } else {
      out.push({ first: number, last: number, root });
    }
  }
  return out
    .map(({ first, last, root }) => `${first === last ? first : `${first}-${last}`}:${referenceOf(root)}`)
    .join(',');
}

export function compressed(lines: readonly string[]): Buffer {
  const text = Buffer.from(lines.join('\n'));
  return brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: 20,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  });
}

function kindTableText(
  rows: readonly string[],
  minors: readonly KubernetesMinor[],
  projects: readonly ProjectCrds[],
): string {
  const sources = [...projects]
    .sort((a, b) => order(a.project, b.project))
    .map(({ project, source }) => `  '${project}': '${source}',`);
  return [
    '/**',
    ' * Generated by `npm run generate:api`. Do not edit.',
    ' *',
    ' * One row per kind and version: group (`-` is core), version, kind, plural, flags, bundle, references into the bundle.',
    ' * Flags: b built in, n namespaced, c cluster-scoped, s served, p storage (built in: preferred) version, t has status,',
    ' * d deprecated (built in: since the minor that follows), r removed in the minor that follows.',
    ' * References of built-in kinds are per minor: `30-33:12,34:15`.',
    ' */',
    "import { type KubernetesMinor } from './schema';",
    '',
    `export const BUILT_IN_MINORS: readonly KubernetesMinor[] = [${minors.map((minor) => `'${minor}'`).join(', ')}];`,
    '',
    '/** Project and version by bundle. */',
    'export const SOURCES: Readonly<Record<string, string>> = {',
    ...sources,
    '};',
    '',
    `export const KIND_ROWS = \`${rows.join('\n')}\`;`,
    '',
  ].join('\n');
}
