/**
 * The two sides of a diff: manifests, and snapshots of clusters.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { idOf, kindKey } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';
import { ManifestSet } from '../../../manifests/manifest-set';
import { type ClusterSnapshot, readSnapshot, textOfFile } from '../../../manifests/snapshot/cluster-snapshot';
import { SNAPSHOT_COLLECTIONS } from '../../../manifests/snapshot/collections';
import { readBytes } from '../../checks/read-files';
import { type ClusterInput } from '../cluster-option';
import { placeOf, readManifests } from '../inputs';
import { type Terminal, UsageError } from '../terminal';

/** What is compared. */
export interface Sides {
  readonly old: ManifestSet;
  readonly now: ManifestSet;
  /** Kinds that the old side cannot contain. */
  readonly notCompared: readonly string[];
}

/** @throws UsageError where a part cannot be read: a diff without it would call its objects removed */
export async function readSide(path: string, terminal: Terminal): Promise<ManifestSet> {
  if (/\.(json|gz)$/.test(path)) {
    const snapshot = readSnapshot(textOfFile(readBytes(path, terminal.cwd), path), path);
    if (snapshot !== undefined) {
      return new ManifestSet(manifestsOf(snapshot));
    }
  }
  const set = await readManifests([path], terminal);
  const broken = set.problems.filter(({ kind }) => kind === 'syntax' || kind === 'not-an-object');
  if (broken.length > 0) {
    throw new UsageError(broken.map((problem) => `${placeOf(problem)}: ${problem.message}`).join('\n'));
  }
  return set;
}

function manifestsOf(snapshot: ClusterSnapshot): readonly Manifest[] {
  // Events come and go by themselves.
  const lists = snapshot.lists.filter(({ kind, apiVersion }) => !(kind === 'Event' && apiVersion === 'v1'));
  return lists.flatMap(({ apiVersion, kind, items }) =>
    items.map((item) => {
      const object = { apiVersion, kind, ...item };
      return { id: idOf(object), object, origin: { file: snapshot.name } };
    }),
  );
}

/** Kinds that a snapshot contains with their specs. */
const WHOLE: ReadonlySet<string> = new Set(
  SNAPSHOT_COLLECTIONS.filter(({ keep = 'spec' }) => keep === 'spec').map(({ group, kind }) =>
    kindKey({ group, kind }),
  ),
);

/** The objects of the manifests as the snapshot has them. It keeps few labels and annotations, so metadata is not compared. */
export function againstSnapshot(set: ManifestSet, input: ClusterInput | undefined): Sides {
  if (input?.snapshot === undefined) {
    throw new UsageError(
      `--cluster ${input?.file ?? ''}: a diff of one path requires a snapshot (\`gantry snapshot\`) or live[:CONTEXT]`,
    );
  }
  const compared = set.manifests.filter(({ id }) => WHOLE.has(kindKey(id)));
  const keys = new Set(compared.map(identity));
  const old = manifestsOf(input.snapshot).filter((manifest) => keys.has(identity(manifest)));
  const others = set.manifests.filter(({ id }) => !WHOLE.has(kindKey(id))).map(({ id }) => kindKey(id));
  return {
    old: new ManifestSet(old.map(withoutMetadata)),
    now: new ManifestSet(compared.map(withoutMetadata)),
    notCompared: [...new Set(others)].sort(),
  };
}

function identity({ id }: Manifest): string {
  return JSON.stringify([kindKey(id), id.namespace, id.name]);
}

function withoutMetadata(manifest: Manifest): Manifest {
  const { name, namespace } = manifest.id;
  const metadata: JsonObject = namespace === '' ? { name } : { name, namespace };
  return { ...manifest, object: { ...manifest.object, metadata } };
}
