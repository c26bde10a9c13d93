/**
 * A cluster as a file: what `gantry snapshot` writes and everything that takes `--cluster` reads.
 *
 * The format has a version. A program reads its own version and the one before, which it brings to its own; a newer one it refuses. Bytes
 * are deterministic: members and objects are in one order, and the gzip header has neither a time nor a name.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { quoted } from '../values/shown-values';
import { InputError } from '../input-error';
import { asObject, asString, isObject } from '../read';

/** Version of the format that this program writes. */
export const SNAPSHOT_VERSION = 1;
const API_VERSION = 'gantry.dev/v1';
const KIND = 'ClusterSnapshot';
/** Half of the time of the best level, for a file that is a tenth larger. */
const COMPRESSION = 6;

/** A kind that the server serves, as its discovery lists it. */
export interface ServedKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Whether it has the subresource `status`. */
  readonly status: boolean;
}

/** `group/version`, or `version` alone for the core group. */
export function apiVersionOf({ group, version }: Pick<ServedKind, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The objects of one collection. */
export interface SnapshotList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  /** Without `apiVersion` and `kind`, ordered by namespace and name. */
  readonly items: readonly JsonObject[];
}

/** Something that could not be read, and why. */
export interface SnapshotGap {
  /** What was asked for: `pods`, `queues.scheduling.volcano.sh`, `configmap volcano-system/volcano-scheduler-configmap`. */
  readonly what: string;
  /** The server's reason. */
  readonly why: string;
}

/** A program that was found in the cluster. */
export interface FoundOperator {
  readonly name: string;
  /** The tag of its image. */
  readonly version: string;
  readonly namespace: string;
}

/** What is known of a cluster. */
export interface ClusterSnapshot {
  /** What the cluster is called. */
  readonly name: string;
  /** When it was read, RFC 3339. */
  readonly takenAt: string;
  /** Version of Gantry that read it. */
  readonly takenBy: string;
  /** `gitVersion` of the server, for example `v1.34.2`; empty if it could not be read. */
  readonly serverVersion: string;
  /** Feature gates by name, as far as the server shows them. */
  readonly featureGates: Readonly<Record<string, boolean>>;
  /** Kinds and versions that the server serves, by its discovery. */
  readonly kinds: readonly ServedKind[];
  /** Definitions of the server's OpenAPI v3 documents by name, without prose, for kinds that no CRD defines. */
  readonly schemas: JsonObject;
  /** The objects of the cluster, by collection. */
  readonly lists: readonly SnapshotList[];
  /** Programs that were found by the images of their pods. */
  readonly operators: readonly FoundOperator[];
  /** What could not be read. */
  readonly gaps: readonly SnapshotGap[];
  /** Names were replaced. */
  readonly anonymized: boolean;
}

/**
 * Thrown for a file that is not a snapshot that this program reads. The message names the file.
 */
export class SnapshotFileError extends InputError {
  override readonly name = 'SnapshotFileError';
}

/** Bytes of a snapshot: gzip, or JSON as it is. Equal snapshots have equal bytes. */
export function writeSnapshot(snapshot: ClusterSnapshot, { compressed = true } = {}): Buffer {
  const { lists, kinds, operators, gaps, ...rest } = snapshot;
  const head = { apiVersion: API_VERSION, kind: KIND, formatVersion: SNAPSHOT_VERSION };
  const ordered = {
    ...head,
    ...rest,
    gaps: [...gaps].sort(by(({ what, why }) => `${what}\n${why}`)),
    kinds: [...kinds].sort(by(({ group, version, kind }) => `${group}\n${version}\n${kind}`)),
    operators: [...operators].sort(by(({ name, namespace, version }) => `${name}\n${namespace}\n${version}`)),
    lists: [...lists]
      .sort(by(({ apiVersion, plural }) => `${apiVersion}\n${plural}`))
      .map((list) => ({ ...list, items: [...list.items].sort(by(orderOf)) })),
  };
  const text = Buffer.from(`${canonical(ordered as unknown as JsonValue)}\n`);
  return compressed ? withFixedHeader(gzipSync(text, { level: COMPRESSION, memLevel: 9 })) : text;
}

/** zlib writes the operating system into the header; the time it leaves at zero. */
function withFixedHeader(bytes: Buffer): Buffer {
  bytes.fill(0, 4, 8);
  bytes[9] = 255;
  return bytes;
}

function orderOf(object: JsonObject): string {
  const { namespace, name } = asObject(object.metadata);
  return `${asString(namespace) ?? ''}\n${asString(name) ?? ''}`;
}

function by<T>(keyOf: (value: T) => string): (a: T, b: T) => number {
  return (a, b) => {
    const [one, other] = [keyOf(a), keyOf(b)];
    return one < other ? -1 : one > other ? 1 : 0;
  };
}

/** JSON with the members of every object in the order of their names. */
function canonical(value: JsonValue): string {
  return JSON.stringify(inOrder(value));
}

function inOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    return value.map(inOrder);
  }
  if (!isObject(value)) {
    return value;
  }
  const entries = Object.keys(value)
    .sort()
    .map((key) => [key, inOrder(value[key])] as const);
  return Object.fromEntries(entries);
}

/** A file beyond this is not a snapshot: 100,000 pods are a tenth of it. */
const MOST_BYTES = 512 * 1024 * 1024 - 32;
const GZIP = Buffer.from([0x1f, 0x8b]);

/** Whether bytes begin as gzip does. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes.length >= 2 && bytes[0] === GZIP[0] && bytes[1] === GZIP[1];
}

/**
 * Text of a file, which may be compressed.
 * @throws SnapshotFileError where it cannot be decompressed, or would be too large
 */
export function textOfFile(bytes: Uint8Array, file: string): string {
  if (!isGzip(bytes)) {
    return new TextDecoder().decode(bytes);
  }
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_BYTES }).toString('utf8');
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
        ? `it has more than ${Math.round(MOST_BYTES / 1024 / 1024)} MiB when decompressed`
        : 'the gzip data is incomplete or damaged';
    throw new SnapshotFileError(`${file}: cannot be read: ${reason}; take a new snapshot with \`gantry snapshot\``);
  }
}

/**
 * The snapshot that a text contains; `undefined` where it is something else.
 * @throws SnapshotFileError for a snapshot of a newer format, and for one that is damaged
 */
export function readSnapshot(text: string, file: string): ClusterSnapshot | undefined {
  if (!/^\s*\{\s*"(apiVersion|anonymized)"/.test(text.slice(0, 200)) || !text.includes(`"${KIND}"`)) {
    return undefined;
  }
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    throw new SnapshotFileError(
      `${file}: the snapshot is damaged: not valid JSON; take a new one with \`gantry snapshot\``,
    );
  }
  return isObject(value) && value.kind === KIND ? snapshotOf(value, file) : undefined;
}

/** Brings a value of the version before to the next one. There is none before version 1. */
const UPGRADES: Readonly<Record<number, (value: JsonObject) => JsonObject>> = {};

function snapshotOf(value: JsonObject, file: string): ClusterSnapshot {
  let current = value;
  const { formatVersion: version } = value;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    const found = version === undefined ? 'is not set' : `is ${quoted(version)}`;
    throw new SnapshotFileError(
      `${file}: formatVersion must be ${SNAPSHOT_VERSION}, but ${found}; take a new one with \`gantry snapshot\``,
    );
  }
  if (version > SNAPSHOT_VERSION) {
    throw new SnapshotFileError(
      `${file}: the snapshot has format version ${version}, this version of Gantry reads up to ${SNAPSHOT_VERSION}; upgrade cdk8s-gantry`,
    );
  }
  for (let from = version; from < SNAPSHOT_VERSION; from++) {
    current = UPGRADES[from](current);
  }
  return checked(current, file);
}

/** A snapshot is a file like any other: each part must have its form. */
function checked(value: JsonObject, file: string): ClusterSnapshot {
  const wrong = (path: string, expected: string): never => {
    throw new SnapshotFileError(`${file}: /${path} must be ${expected}; take a new snapshot with \`gantry snapshot\``);
  };
  const text = (key: string): string => asString(value[key]) ?? wrong(key, 'a string');
  const objects = (key: string): readonly JsonObject[] => {
    const list = value[key];
    return Array.isArray(list) && list.every(isObject) ? list : wrong(key, 'a list of objects');
  };
  const member = (key: string): JsonObject => (isObject(value[key]) ? value[key] : wrong(key, 'an object'));
  const takenAt = text('takenAt');
  if (!Number.isFinite(Date.parse(takenAt))) {
    wrong('takenAt', 'a time such as 2026-01-31T12:00:00Z');
  }
  const word = (object: JsonObject, key: string, place: string): string =>
    asString(object[key]) ?? wrong(`${place}/${key}`, 'a string');
  return {
    name: text('name'),
    takenAt,
    takenBy: text('takenBy'),
    serverVersion: text('serverVersion'),
    featureGates: Object.fromEntries(Object.entries(member('featureGates')).map(([gate, on]) => [gate, on === true])),
    kinds: objects('kinds').map((kind, index) => ({
      group: word(kind, 'group', `kinds/${index}`),
      version: word(kind, 'version', `kinds/${index}`),
      kind: word(kind, 'kind', `kinds/${index}`),
      plural: word(kind, 'plural', `kinds/${index}`),
      namespaced: kind.namespaced === true,
      status: kind.status === true,
    })),
    schemas: member('schemas'),
    lists: objects('lists').map((list, index) => ({
      apiVersion: word(list, 'apiVersion', `lists/${index}`),
      kind: word(list, 'kind', `lists/${index}`),
      plural: word(list, 'plural', `lists/${index}`),
      items:
        Array.isArray(list.items) && list.items.every(isObject)
          ? list.items
          : wrong(`lists/${index}/items`, 'a list of objects'),
    })),
    operators: objects('operators').map((operator, index) => ({
      name: word(operator, 'name', `operators/${index}`),
      version: word(operator, 'version', `operators/${index}`),
      namespace: word(operator, 'namespace', `operators/${index}`),
    })),
    gaps: objects('gaps').map((gap, index) => ({
      what: word(gap, 'what', `gaps/${index}`),
      why: word(gap, 'why', `gaps/${index}`),
    })),
    anonymized: value.anonymized === true,
  };
}

/** All objects of a snapshot as the server would return them. */
export function objectsOfSnapshot(snapshot: ClusterSnapshot): readonly JsonObject[] {
  return snapshot.lists.flatMap(({ apiVersion, kind, items }) =>
    items.map((item): JsonObject => ({ ...item, apiVersion, kind })),
  );
}
