/**
 * Which kinds there are: built-in ones per Kubernetes minor, and those of the projects Gantry knows. No schema is read here.
 */
import { BUILT_IN_MINORS, KIND_ROWS, SOURCES } from './kind-table';
import { groupBy } from '../collections';
import { type KindInfo, type KubernetesMinor } from './schema';

/** The Kubernetes minors whose API Gantry knows, ascending. */
export const KUBERNETES_MINORS: readonly KubernetesMinor[] = BUILT_IN_MINORS;

/** The minor that is checked against unless another is asked for. */
export const DEFAULT_MINOR: KubernetesMinor = '1.35';

/** The core group in the table. */
const CORE = '-';

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

/** A row of the table, which is read when its kind is asked for: a check of one file needs a few of them. */
interface Row {
  readonly text: string;
  entry?: Entry;
}

let table: ReadonlyMap<string, Row> | undefined;
let byGroupKind: ReadonlyMap<string, readonly Row[]> | undefined;

/** @returns undefined for a kind that Gantry does not know, also where it knows the kind under another version */
export function findKind(apiVersion: string, kind: string): KindInfo | undefined {
  return entryAt(apiVersion, kind)?.info;
}

/** All known versions of a kind, in the order of the kind table; empty where the kind is not known. */
export function versionsOfKind(group: string, kind: string): readonly KindInfo[] {
  byGroupKind ??= groupBy([...rows().values()], ({ text }) => {
    const [ofRow, , kindOfRow] = text.split(' ', 3);
    return `${ofRow === CORE ? '' : ofRow}/${kindOfRow}`;
  });
  return (byGroupKind.get(`${group}/${kind}`) ?? []).map((row) => entryOf(row).info);
}

/** Every kind and version, sorted by group, version and kind. */
export function allKinds(): readonly KindInfo[] {
  return [...rows().values()].map((row) => entryOf(row).info);
}

/** Whether a group is served by the API server's own code (`''` is the core group). */
export function isBuiltInGroup(group: string): boolean {
  builtInGroups ??= new Set(allKinds().flatMap((info) => (info.builtIn ? [info.group] : [])));
  return builtInGroups.has(group);
}

let builtInGroups: ReadonlySet<string> | undefined;

/** @returns undefined where the minor does not serve the kind's version */
export function schemaPlace(info: KindInfo, minor: KubernetesMinor): SchemaPlace | undefined {
  const entry = entryAt(info.apiVersion, info.kind);
  const reference = entry?.references.get(info.builtIn ? minor : '');
  return entry === undefined || reference === undefined ? undefined : { bundle: entry.bundle, reference };
}

function entryAt(apiVersion: string, kind: string): Entry | undefined {
  const row = rows().get(`${apiVersion}/${kind}`);
  return row && entryOf(row);
}

/** By API version and kind. */
function rows(): ReadonlyMap<string, Row> {
  table ??= new Map(
    KIND_ROWS.split('\n').map((text) => {
      const [group, version, kind] = text.split(' ', 3);
      return [`${group === CORE ? '' : `${group}/`}${version}/${kind}`, { text }];
    }),
  );
  return table;
}

function entryOf(row: Row): Entry {
  return (row.entry ??= parseRow(row.text));
}

/** Row: group, version, kind, plural, flags, bundle, references; see the table's own comment. */
function parseRow(row: string): Entry {
  const [group, version, kind, plural, flags, bundle, places] = row.split(' ');
  const builtIn = flags.includes('b');
  const references = builtIn ? referencesByMinor(places) : new Map([['', Number(places)]]);
  const core = group === CORE;
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
