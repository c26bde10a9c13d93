/**
 * A manifest: one Kubernetes object as plain JSON, who it is and where it came from.
 */
import { type JsonObject, type JsonValue } from '../facts/api/schema';

/** What identifies an object: two manifests with an equal id would overwrite each other in a cluster. */
export interface ObjectId {
  /** `group/version`, or `version` alone for the core group. */
  readonly apiVersion: string;
  /** Empty for the core group. */
  readonly group: string;
  /** Kind of the object. */
  readonly kind: string;
  /** Empty where the manifest names none. */
  readonly namespace: string;
  /** Empty where the manifest has only `generateName`, or no name at all. */
  readonly name: string;
}

/** A place in a source text; both count from 1. */
export interface Position {
  /** Line, from 1. */
  readonly line: number;
  /** Column, from 1. */
  readonly column: number;
}

/**
 * Where a manifest comes from. A manifest that a construct rendered has a `construct`, one that was read has a `file`.
 */
export interface Origin {
  /** The file as the user named it; `-` for standard input. Absent for what a construct rendered. */
  readonly file?: string;
  /** Index of the YAML document in its file, from 0. Absent for what a construct rendered. */
  readonly document?: number;
  /** A Kustomization lists the file among its resources, and may fill in what the file leaves out, such as namespaces. Absent otherwise. */
  readonly kustomized?: true;
  /** Path of the construct, for example `platform/research/quota`. Absent for what was read from a file. */
  readonly construct?: string;
  /**
   * Returns the place of the value at a JSON pointer, or of the nearest parent that the text contains. Absent where
   * there is no text.
   */
  readonly locate?: (pointer: string) => Position | undefined;
}

/** One object of a set, with its identity and its origin. */
export interface Manifest {
  /** Identity of the object. */
  readonly id: ObjectId;
  /** The object as it would be sent to the server. Read-only by convention: a change would alter what is checked. */
  readonly object: JsonObject;
  /** Where the object comes from. */
  readonly origin: Origin;
}

/**
 * Why a document is not a manifest, or what its text says and its JSON cannot (a duplicate key, an integer that JSON
 * numbers cannot hold).
 */
export interface SourceProblem {
  /** What kind of problem it is. */
  readonly kind: 'syntax' | 'duplicate-key' | 'not-an-object' | 'inexact-number' | 'huge-number';
  /** The file as the user named it. */
  readonly file: string;
  /** The place in the file. */
  readonly position: Position;
  /** What is wrong, as a clause in lower case. */
  readonly message: string;
  /** The manifest that contains the problem. Absent where the document is not a manifest. */
  readonly manifest?: Manifest;
  /** JSON pointer within the manifest. Absent where the document is not a manifest. */
  readonly path?: string;
}

/** A file, or a document of it, that was recognized as something else than manifests, or left out. */
export interface SkippedSource {
  /** The file as the user named it. */
  readonly file: string;
  /** The line where the document begins; the whole file where it is absent. */
  readonly line?: number;
  /** What it is, or why it was left out: `a Compose file`. */
  readonly why: string;
}

/** `Queue research` or `Job ai-workloads/train`, with the API version in front: how findings name an object. */
export function describeId(id: ObjectId): string {
  const name = id.name === '' ? '(no name)' : id.name;
  return `${id.apiVersion} ${id.kind} ${id.namespace === '' ? name : `${id.namespace}/${name}`}`;
}

/** `Queue "research"`: how messages name another object. */
export function kindAndName({ kind, name }: ObjectId): string {
  return name === '' ? `${kind} without a name` : `${kind} "${name}"`;
}

export type { JsonObject, JsonValue };
