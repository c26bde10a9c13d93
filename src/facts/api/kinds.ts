/**
 * Which kinds there are: built-in ones per Kubernetes minor, and those of the projects Gantry knows. No schema is read here.
 */
import { BUILT_IN_MINORS, KIND_ROWS, SOURCES } from './kind-table';
import { type KindInfo, type KubernetesMinor } from './schema';

/** The Kubernetes minors whose API Gantry knows, ascending. */
export const KUBERNETES_MINORS: readonly KubernetesMinor[] = BUILT_IN_MINORS;

/** The minor that is checked against unless another is asked for. */
export const DEFAULT_MINOR: KubernetesMinor = '1.35';

/** Where a kind's schema stands: a bundle of `schemas/` and a reference into it. For the schema loader alone. */
export interface SchemaPlace {
  readonly bundle: string;
  readonly reference: number;
}

interface Entry {
  readonly info: KindInfo;
  readonly bundle: string;
  /** References by minor; custom resources have one, under the empty string. */
  readonly references: ReadonlyMap<string, number>;
}

let table: ReadonlyMap<string, Entry> | undefined;
let byGroupKind: ReadonlyMap<string, readonly KindInfo[]> | undefined;

/** @returns undefined for a kind that Gantry does not know, also where it knows the kind under another version */
export function findKind(apiVersion: string, kind: string): KindInfo | undefined {
  return entries().get(`${apiVersion}/${kind}`)?.info;
}

/** All known versions of a kind, in the order of the kind table; empty where the kind is not known. */
export function versionsOfKind(group: string, kind: string): readonly KindInfo[] {
  byGroupKind ??= groupKinds();
  return byGroupKind.get(`${group}/${kind}`) ?? [];
}

/** Every kind and version, sorted by group, version and kind. */
export function allKinds(): readonly KindInfo[] {
  return [...entries().values()].map((entry) => entry.info);
}

/** Whether a group is served by the API server's own code (`''` is the core group). */
export function isBuiltInGroup(group: string): boolean {
  builtInGroups ??= new Set(allKinds().flatMap((info) => (info.builtIn ? [info.group] : [])));
  return builtInGroups.has(group);
}

let builtInGroups: ReadonlySet<string> | undefined;

/** @returns undefined where the minor does not serve the kind's version */
export function schemaPlace(info: KindInfo, minor: KubernetesMinor): SchemaPlace | undefined {
  const entry = entries().get(`${info.apiVersion}/${info.kind}`);
  const reference = entry?.references.get(info.builtIn ? minor : '');
  return entry === undefined || reference === undefined ? undefined : { bundle: entry.bundle, reference };
}

function entries(): ReadonlyMap<string, Entry> {
  table ??= new Map(
    KIND_ROWS.split('\n').map((row) => {
      const entry = parseRow(row);
      return [`${entry.info.apiVersion}/${entry.info.kind}`, entry];
    }),
  );
  return table;
}

/** Row: group, version, kind, plural, flags, bundle, references; see the table's own comment. */
function parseRow(row: string): Entry {
  const [group, version, kind, plural, flags, bundle, places] = row.split(' ');
  const builtIn = flags.includes('b');
  const references = builtIn ? referencesByMinor(places) : new Map([['', Number(places)]]);
  const core = group === '-';
  const since = /d(\d+)/.exec(flags)?.[1];
  const removed = /r(\d+)/.exec(flags)?.[1];
  return {
    bundle,
    references,
    info: {
      group: core ? '' : group,
      version,
      apiVersion: core ? version : `${group}/${version}`,
      kind,
      plural,
      scope: flags.includes('n') ? 'Namespaced' : 'Cluster',
      builtIn,
      source: builtIn ? 'kubernetes' : SOURCES[bundle],
      served: flags.includes('s'),
      storage: flags.includes('p'),
      deprecated: flags.includes('d'),
      hasStatusSubresource: flags.includes('t'),
      ...(since === undefined ? {} : { deprecatedSince: `1.${Number(since)}` as const }),
      ...(removed === undefined ? {} : { removedIn: `1.${Number(removed)}` as const }),
      ...(builtIn ? { minors: KUBERNETES_MINORS.filter((minor) => references.has(minor)) } : {}),
    },
  };
}

/** `30-33:12,34:15` */
function referencesByMinor(text: string): ReadonlyMap<string, number> {
  const references = new Map<string, number>();
  for (const run of text.split(',')) {
    const [minors, reference] = run.split(':');
    const [first, last = first] = minors.split('-');
    for (let minor = Number(first); minor <= Number(last); minor++) {
      references.set(`1.${minor}`, Number(reference));
    }
  }
  return references;
}

function groupKinds(): ReadonlyMap<string, readonly KindInfo[]> {
  const found = new Map<string, KindInfo[]>();
  for (const info of allKinds()) {
    const key = `${info.group}/${info.kind}`;
    const versions = found.get(key);
    if (versions) {
      versions.push(info);
    } else {
      found.set(key, [info]);
    }
  }
  return found;
}
