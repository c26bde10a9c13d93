/**
 * `gantry diff` against a running cluster says what a server-side dry run makes of the same manifests, object by object and field by field.
 */
import { findKind } from '../../../src/facts/api/kinds';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { liveDiff } from '../../../src/interfaces/cli/diff/diff-live';
import { type ObjectDifference } from '../../../src/interfaces/difference';
import { differences } from '../../../src/interfaces/difference/compare';
import { authored } from '../../../src/interfaces/difference/server-fields';
import { collect, type Client } from '../../../src/interfaces/live/collect';
import { readObjects } from '../../../src/interfaces/live/objects';
import { idOf } from '../../../src/manifests/identity';
import { type Manifest } from '../../../src/manifests/manifest';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { tokensOf } from '../../../src/manifests/pointer';
import { asInteger, asObject, asString, isObject } from '../../../src/manifests/read';
import { type ClusterSnapshot } from '../../../src/manifests/snapshot/cluster-snapshot';
import { ApiError } from '../../../src/runtime/api/api-error';
import { Random } from '../../support/random';
import { corpus } from '../agreement/corpus';
import { prepareCluster } from '../agreement/prepare';
import { type Reply } from '../control-plane/api-client';
import { collectionPath } from '../control-plane/discovery';
import { describeLive, liveCluster, type LiveCluster } from '../live-cluster';
import { changedManifest } from './manifest-changes';

const SEED = Number(process.env.GANTRY_SEED ?? 1);
const ROUNDS = Number(process.env.GANTRY_ROUNDS ?? 3);
const MANAGER = 'gantry-live-diff';
const OTHER = 'another-manager';
const SUFFIX = '-live-diff';
/** Kinds whose objects change what the server does with others. */
const SERVER_WIDE = /Webhook|AdmissionPolicy|CustomResourceDefinition|APIService|Namespace|FlowSchema|PriorityLevel/;
/** Kinds that programs write, and kinds whose updates the server ignores or completes in ways of their own. */
const NOT_APPLIED = /SigningRequest|^(Node|CSINode|Event|ReplicationController)$/;
/** Two projects define it. */
const AMBIGUOUS = /^MPIJob$/;
/** A Job that loses the labels of its pods; docs/diff.md says so. */
const LOST_LABELS = /labels\[controller-uid\]: Required value/;
/** Who rejects what this server does not run. */
const WEBHOOK = /'s webhook rejects/;

describeLive('gantry diff against a running cluster', () => {
  let live: LiveCluster;
  let client: Client;
  let snapshot: ClusterSnapshot;
  const applied: JsonObject[] = [];

  const apply = (object: JsonObject, query: string): Promise<Reply> => {
    const { apiVersion, kind, namespace, name } = idOf(object);
    const served = live.discovery.get(apiVersion, kind)!;
    const path = `${collectionPath(served, namespace || 'default')}/${encodeURIComponent(name)}`;
    return live.cluster.client.request('PATCH', `${path}?${query}`, {
      body: object,
      contentType: 'application/apply-patch+yaml',
    });
  };

  beforeAll(async () => {
    live = await liveCluster();
    client = clientOf(live);
    const wanted = corpus()
      .map(({ file, object }) => ({ file, object: renamed(object) }))
      .filter(
        ({ object }) =>
          ![SERVER_WIDE, NOT_APPLIED, AMBIGUOUS].some((kinds) => kinds.test(asString(object.kind) ?? '')) &&
          idOf(object).name !== SUFFIX,
      )
      .filter(({ object }) => isStored(live, object));
    await prepareCluster(live.cluster.client, live.discovery, wanted);
    const distinct = new Map(wanted.map(({ object }) => [label(object), object]));
    for (const object of distinct.values()) {
      const { status } = await apply(object, `fieldManager=${MANAGER}&force=true`);
      if (status < 300) {
        applied.push(object);
      }
    }
    snapshot = await collect(client, { name: 'live', takenAt: '2026-01-31T12:00:00Z', takenBy: 'test' });
  });

  afterAll(async () => {
    for (const object of applied) {
      const { apiVersion, kind, namespace, name } = idOf(object);
      const path = collectionPath(live.discovery.get(apiVersion, kind)!, namespace || 'default');
      await live.cluster.client.request('DELETE', `${path}/${encodeURIComponent(name)}`);
    }
    live.cluster.client.close();
  });

  /** What Gantry says of each manifest, and each as the server has it. */
  async function gantry(objects: readonly JsonObject[], manager: string): Promise<readonly Said[]> {
    const manifests = objects.map((object): Manifest => ({ id: idOf(object), object, origin: {} }));
    const ids = manifests.map(({ id }) => id);
    const answers = await readObjects(client, ids, { kinds: snapshot.kinds, namespace: 'default' });
    const { difference, now } = liveDiff(new ManifestSet(manifests), { snapshot, objects: answers }, manager);
    const found = new Map(
      difference.differences.map((one) => [one.object.change === 'removed' ? undefined : one.object.after, one]),
    );
    return answers.map((answer, index) => ({
      before: answer.answer === 'found' ? answer.object : {},
      predicted: now.manifests[index],
      difference: found.get(now.manifests[index]),
    }));
  }

  it('finds nothing to change in what was applied', async () => {
    expect(applied.length).toBeGreaterThan(250);
    const said = await gantry(applied, MANAGER);
    expect(said.flatMap(({ difference }) => (difference === undefined ? [] : [shown(difference)]))).toEqual([]);
  });

  it('agrees with a dry run of changed manifests', async () => {
    const random = new Random(SEED);
    const wrong: string[] = [];
    const counts = { taken: 0, rejected: 0, invalid: 0, fields: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const changed = applied.map((object) => changedManifest(object, random));
      const said = await gantry(changed, MANAGER);
      for (const [index, object] of changed.entries()) {
        const one = said[index];
        const { status, body } = await apply(object, `fieldManager=${MANAGER}&force=true&dryRun=All`);
        const rejected = rejectionOf(one.difference);
        if (status < 300) {
          counts.taken++;
          counts.fields += fieldsOf(one.difference).length;
          wrong.push(...disagreements(one, body).map((text) => `${label(object)}: ${text}`));
          if (rejected !== undefined) {
            wrong.push(`${label(object)}: taken, but ${rejected}`);
          }
          continue;
        }
        // Whether the object could be created as it is: then the update is at fault.
        const fresh = await apply(withName(object, 'fresh'), `fieldManager=${MANAGER}&force=true&dryRun=All`);
        if (fresh.status >= 300) {
          counts.invalid++;
        } else {
          counts.rejected++;
          if (rejected === undefined && !LOST_LABELS.test(asString(body.message) ?? '')) {
            wrong.push(`${label(object)}: not predicted: ${status} ${(asString(body.message) ?? '').slice(0, 300)}`);
          }
        }
      }
    }
    const kinds = new Set(applied.map(({ apiVersion, kind }) => `${asString(apiVersion)} ${asString(kind)}`));
    process.stdout.write(
      `gantry diff and the dry run, seed ${SEED}, ${applied.length} objects of ${kinds.size} kinds: ${JSON.stringify(counts)}\n`,
    );
    expect(wrong).toEqual([]);
    expect(counts.taken).toBeGreaterThan(ROUNDS * 100);
    expect(counts.rejected).toBeGreaterThan(0);
  });

  it('names the conflicts that an apply by another manager has', async () => {
    const random = new Random(SEED + 1);
    const wrong: string[] = [];
    let conflicts = 0;
    const changed = applied.map((object) => changedManifest(object, random));
    const said = await gantry(changed, OTHER);
    for (const [index, object] of changed.entries()) {
      const { status, body } = await apply(object, `fieldManager=${OTHER}&dryRun=All`);
      const predicted = said[index].difference?.consequences.some(({ effect }) => effect === 'conflict') === true;
      if (status === 409) {
        conflicts++;
      }
      if (status < 300 || status === 409) {
        if ((status === 409) !== predicted) {
          wrong.push(`${label(object)}: ${status}, ${asString(body.message)?.slice(0, 200)}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(conflicts).toBeGreaterThan(20);
  });
});

interface Said {
  readonly before: JsonObject;
  readonly predicted: Manifest;
  readonly difference: ObjectDifference | undefined;
}

function clientOf({ cluster }: LiveCluster): Client {
  return {
    request: async <T>(
      method: string,
      path: string,
      { query = {} }: { readonly query?: Readonly<Record<string, string | number | boolean | undefined>> } = {},
    ): Promise<T> => {
      const set = Object.entries(query).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, String(value)] as [string, string]],
      );
      const { status, body } = await cluster.client.request(method, `${path}?${new URLSearchParams(set).toString()}`);
      if (status >= 300) {
        throw ApiError.fromStatus(status, body, undefined);
      }
      return body as T;
    },
  };
}

/** Without its conversion webhook, a CRD loses fields of other versions than the stored one. */
function isStored({ discovery }: LiveCluster, object: JsonObject): boolean {
  const { apiVersion, kind } = idOf(object);
  const info = findKind(apiVersion, kind);
  return discovery.get(apiVersion, kind) !== undefined && (info?.builtIn === true || info?.storage === true);
}

function withName(object: JsonObject, more: string): JsonObject {
  const metadata = asObject(object.metadata);
  return { ...object, metadata: { ...metadata, name: `${asString(metadata.name)}-${more}` } };
}

/** A name of its own, so that no other suite changes the object. Some names are the words of a system. */
function renamed(object: JsonObject): JsonObject {
  const { metadata } = object;
  return {
    ...object,
    metadata: { ...asObject(metadata), name: `${(asString(asObject(metadata).name) ?? '').slice(0, 40)}${SUFFIX}` },
  };
}

function label(object: JsonObject): string {
  const { apiVersion, kind, namespace, name } = idOf(object);
  return `${apiVersion} ${kind} ${namespace}/${name}`;
}

function shown({ object, consequences }: ObjectDifference): string {
  const fields = object.change === 'changed' ? object.fields.map(({ field }) => field) : [object.change];
  const { id } = object.change === 'removed' ? object.before : object.after;
  return `${id.kind} ${id.name}: ${fields.join(', ')} ${consequences.map(({ text }) => text).join('; ')}`;
}

function fieldsOf(difference: ObjectDifference | undefined): readonly { path: string; change: string }[] {
  return difference?.object.change === 'changed' ? difference.object.fields : [];
}

function rejectionOf(difference: ObjectDifference | undefined): string | undefined {
  return difference?.consequences.find(({ effect, text }) => effect === 'rejected' && !WEBHOOK.test(text))?.text;
}

/** Each value that the dry run changes must be within a field of the diff, and each field of the diff must contain one. */
function disagreements({ before, predicted, difference }: Said, after: JsonObject): readonly string[] {
  const [old, now, guess] = [before, after, predicted.object].map(
    (object) => authored({ id: predicted.id, object, origin: {} }).object,
  );
  const real = changedLeaves(leavesOf(old), leavesOf(now));
  const named = fieldsOf(difference).map(({ path, change }) =>
    keyed(change === 'removed' ? old : guess, tokensOf(path)),
  );
  // Webhooks, which this server does not run, set a default again that is removed.
  const isRestored = (leaf: string): boolean =>
    findKind(predicted.id.apiVersion, predicted.id.kind)?.builtIn !== true &&
    [undefined, '{}'].includes(leavesOf(now).get(leaf));
  const missing = real.filter((leaf) => !named.some((field) => within(leaf, field)) && !isRestored(leaf));
  const further = named.filter((field) => !real.some((leaf) => within(leaf, field)));
  return [
    ...(missing.length === 0 ? [] : [`the diff lacks ${missing.join(', ')}`]),
    ...(further.length === 0 ? [] : [`the diff has ${further.join(', ')} too much`]),
    ...differences(guess, now, 'by-item')
      .map(({ path }) => keyed(now, path))
      .filter((path) => !named.some((field) => within(path, field)))
      .map((path) => `the server has another ${path}`),
  ];
}

function within(leaf: string, field: string): boolean {
  return leaf === field || leaf.startsWith(`${field}/`) || field.startsWith(`${leaf}/`);
}

/** Marks the order of the items of a list. */
const ORDER = '\u0000';

function changedLeaves(old: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((path) => {
    const [before, after] = [old.get(path), now.get(path)];
    if (before === after) {
      return [];
    }
    if (!path.endsWith(ORDER)) {
      return [path];
    }
    const members = [before, after].map((names) => names?.split('\n').sort().join('\n'));
    return members[0] === members[1] ? [path.slice(0, -ORDER.length)] : [];
  });
}

/** Values by their paths: items of lists by their names; a list whose items have none is one value. */
function leavesOf(value: JsonValue, path = ''): Map<string, string> {
  const names = Array.isArray(value) ? namesOf(value) : undefined;
  const entries: [string, JsonValue][] = Array.isArray(value)
    ? (names ?? []).map((name, index) => [name, value[index]])
    : isObject(value)
      ? Object.entries(value)
      : [];
  return entries.length === 0
    ? new Map([[path, JSON.stringify(value)]])
    : new Map([
        ...(names === undefined ? [] : [[`${path}${ORDER}`, names.join('\n')] as const]),
        ...entries.flatMap(([name, child]) => [...leavesOf(child, `${path}/${name}`)]),
      ]);
}

function namesOf(list: readonly JsonValue[]): readonly string[] | undefined {
  const names = list.flatMap((item) => itemName(asObject(item)) ?? []);
  return names.length === list.length && new Set(names).size === list.length ? names : undefined;
}

function itemName({ mountPath, containerPort, port, protocol, name }: JsonObject): string | undefined {
  const number = asInteger(containerPort) ?? asInteger(port);
  return asString(mountPath) ?? (number === undefined ? asString(name) : `${number} ${asString(protocol) ?? 'TCP'}`);
}

/** The path in the terms of `leavesOf`. */
function keyed(root: JsonObject, path: readonly string[]): string {
  let value: JsonValue | undefined = root;
  let text = '';
  for (const token of path) {
    if (Array.isArray(value)) {
      const names = namesOf(value);
      if (names === undefined) {
        return text;
      }
      text += `/${names[Number(token)]}`;
      value = value[Number(token)];
    } else {
      text += `/${token}`;
      value = asObject(value)[token];
    }
  }
  return text;
}
