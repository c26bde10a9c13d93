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
  readonly kind: string;
  /** Empty where the manifest names none. */
  readonly namespace: string;
  /** Empty where the manifest has only `generateName`, or no name at all. */
  readonly name: string;
}

/** A place in a source text; both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where a manifest came from. A manifest that a construct made has a `construct`, one that was read has a `file`. */
export interface Origin {
  /** As the user named it; `-` for standard input. */
  readonly file?: string;
  /** 0-based index of the YAML document in its file. */
  readonly document?: number;
  /** A Kustomization lists the file among its resources, and may fill in what the file leaves out, such as namespaces. */
  readonly kustomized?: true;
  /** Path of the construct, for example `platform/research/quota`. */
  readonly construct?: string;
  /** The place of a JSON pointer's value (or of the nearest parent that is in the text). */
  readonly locate?: (pointer: string) => Position | undefined;
}

export interface Manifest {
  readonly id: ObjectId;
  /** The object as it would be sent to the server. Read-only by convention: a change would alter what is checked. */
  readonly object: JsonObject;
  readonly origin: Origin;
}

/** What kept a document from becoming a manifest, or what its text says and its JSON cannot (a duplicate key, a very long integer). */
export interface SourceProblem {
  readonly kind: 'syntax' | 'duplicate-key' | 'not-an-object' | 'inexact-number' | 'huge-number';
  readonly file: string;
  readonly position: Position;
  readonly message: string;
  /** The manifest it lies in, where there is one. */
  readonly manifest?: Manifest;
  /** JSON pointer within the manifest. */
  readonly path?: string;
}

/** A file, or a document of it, that was recognized as something else than manifests, or left out. */
export interface SkippedSource {
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

export type { JsonObject, JsonValue };
