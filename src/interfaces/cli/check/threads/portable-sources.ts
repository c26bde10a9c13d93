/**
 * What a thread read from its files, as bytes that another thread can be sent: everything but the texts, in which findings get their places.
 *
 * The format is that of structured clones: unlike JSON, it keeps numbers that are too large, and the sign of zero.
 */
import { createRequire } from 'node:module';
import type * as V8 from 'node:v8';
import { type JsonObject } from '../../../../facts/api/schema';
import { addTo } from '../../../../facts/collections';
import {
  type Manifest,
  type ObjectId,
  type Origin,
  type SkippedSource,
  type SourceProblem,
} from '../../../../manifests/manifest';
import { kindKey } from '../../../../manifests/identity';
import { type ManifestSet } from '../../../../manifests/manifest-set';

/** What was read, or a part of it. */
export type Sources = Pick<ManifestSet, 'manifests' | 'problems' | 'skipped'>;

interface Portable {
  readonly manifests: readonly (readonly [id: ObjectId, origin: Omit<Origin, 'locate'>])[];
  /** The objects of each kind, in their order, as the bytes of a list. */
  readonly objects: ReadonlyMap<string, Uint8Array>;
  /** The manifest of a problem is its number. */
  readonly problems: readonly (readonly [problem: Omit<SourceProblem, 'manifest'>, manifest: number | undefined])[];
  readonly skipped: readonly SkippedSource[];
}

/** Loaded where it is needed: a check on one thread does not wait for it. */
const v8 = (): typeof V8 => createRequire(__filename)('node:v8') as typeof V8;

export function bytesOf({ manifests, problems, skipped }: Sources): Uint8Array {
  const numbers = new Map(manifests.map((manifest, number) => [manifest, number]));
  const objects = new Map<string, JsonObject[]>();
  manifests.forEach(({ id, object }) => addTo(objects, kindKey(id), object));
  const portable: Portable = {
    manifests: manifests.map(({ id, origin: { locate: _, ...origin } }) => [id, origin]),
    objects: new Map([...objects].map(([kind, ofKind]) => [kind, v8().serialize(ofKind)])),
    problems: problems.map(({ manifest, ...problem }) => [problem, manifest && numbers.get(manifest)]),
    skipped,
  };
  return v8().serialize(portable);
}

/**
 * The objects of a kind are made of the bytes when the first of them is asked for.
 *
 * @param locatorOf finds places in an object, by its file and its number among the objects of the file. @default - places are unknown
 */
export function sourcesOf(
  bytes: Uint8Array,
  locatorOf?: (file: string, number: number) => NonNullable<Origin['locate']>,
): Sources {
  const portable = v8().deserialize(bytes) as Portable;
  const kinds = new Map([...portable.objects].map(([kind, ofKind]) => [kind, new SentObjects(ofKind)]));
  const counts = new Map<string, number>();
  const manifests = portable.manifests.map(([id, origin]): Manifest => {
    const { file = '' } = origin;
    const number = counts.get(file) ?? 0;
    counts.set(file, number + 1);
    const place = locatorOf === undefined ? origin : { ...origin, locate: locatorOf(file, number) };
    return kinds.get(kindKey(id))!.next(id, place);
  });
  const problems = portable.problems.map(([problem, number]): SourceProblem =>
    number === undefined ? problem : { ...problem, manifest: manifests[number] },
  );
  return { manifests, problems, skipped: portable.skipped };
}

/** The objects of one kind. */
class SentObjects {
  private objects?: readonly JsonObject[];
  private count = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** The manifest of the next object. */
  next(id: ObjectId, origin: Origin): Manifest {
    const number = this.count++;
    const objectAt = (): JsonObject => this.at(number);
    return {
      id,
      origin,
      get object() {
        return objectAt();
      },
    };
  }

  private at(number: number): JsonObject {
    this.objects ??= v8().deserialize(this.bytes) as readonly JsonObject[];
    return this.objects[number];
  }
}

export function joined(all: readonly Sources[]): Sources {
  return {
    manifests: all.flatMap(({ manifests }) => manifests),
    problems: all.flatMap(({ problems }) => problems),
    skipped: all.flatMap(({ skipped }) => skipped),
  };
}
