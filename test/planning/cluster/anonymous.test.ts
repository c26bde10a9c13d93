/**
 * The plan of an anonymized snapshot is the plan of the original, but for the names: random clusters with every kind of constraint.
 */
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { isObject } from '../../../src/manifests/read';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { anonymous } from '../../../src/manifests/snapshot/anonymous';
import { type ClusterSnapshot, type SnapshotList } from '../../../src/manifests/snapshot/cluster-snapshot';
import { type Decision } from '../../../src/placement';
import { planOf } from '../../../src/planning/cluster';
import { clusterOfSnapshot } from '../../../src/planning/cluster/read-cluster';
import { RandomWorld } from '../../e2e/scheduler/random-world';
import { Random } from '../../support/random';
import { smallSnapshot } from '../../support/small-snapshot';

function list(apiVersion: string, kind: string, items: readonly JsonObject[]): SnapshotList {
  return { apiVersion, kind, plural: `${kind.toLowerCase()}s`, items };
}

const WORKS = ['apollo', 'gemini', 'mercury', 'voyager'];

function snapshotOf(seed: number): ClusterSnapshot {
  const random = new Random(seed);
  const world = new RandomWorld(() => random.next());
  const nodes = world.nodes(6);
  const queues = ['moonshot', 'oslo'].map((name, index) => ({
    metadata: { name },
    spec: { weight: index + 1, capability: { cpu: String(4 + random.below(30)) } },
  }));
  const pods = Array.from({ length: 24 }, (_, index) => {
    const pod = world.pod('gantry');
    const metadata = pod.metadata as JsonObject;
    const gang = random.chance(0.6) ? random.pick(WORKS) : undefined;
    const labels = {
      ...(metadata.labels as JsonObject),
      ...(gang !== undefined && { 'gantry.dev/gang': gang, 'gantry.dev/queue': random.pick(['moonshot', 'oslo']) }),
    };
    const runs = index < 6;
    const spec = { ...(pod.spec as JsonObject), ...(runs && { nodeName: `n-${random.below(6)}` }) };
    // Many arrive at the same time, so that names decide.
    const creationTimestamp = new Date(1_767_225_600_000 + random.below(3) * 1000).toISOString();
    return {
      metadata: { ...metadata, labels, creationTimestamp },
      spec,
      status: { phase: runs ? 'Running' : 'Pending' },
    };
  });
  const [volumes, claims] = ['PersistentVolume', 'PersistentVolumeClaim'].map((kind) =>
    world.volumes().filter((object) => object.kind === kind),
  );
  return smallSnapshot({
    lists: [
      list('v1', 'Namespace', [{ metadata: { name: 'default' } }]),
      list('v1', 'Node', nodes),
      list('scheduling.volcano.sh/v1beta1', 'Queue', queues),
      list('v1', 'PersistentVolume', volumes),
      list('v1', 'PersistentVolumeClaim', claims),
      list('v1', 'Pod', pods),
    ],
  });
}

/** What each name was replaced by: the two snapshots have the same form. */
function namesIn(original: JsonValue, replaced: JsonValue, names: Map<string, string>): Map<string, string> {
  if (typeof original === 'string' && typeof replaced === 'string') {
    names.set(original, replaced);
  } else if (Array.isArray(original) && Array.isArray(replaced)) {
    expect(replaced).toHaveLength(original.length);
    original.forEach((item, index) => namesIn(item, replaced[index], names));
  } else if (isObject(original) && isObject(replaced)) {
    const [before, after] = [Object.entries(original).filter(([key]) => key !== 'message'), Object.entries(replaced)];
    expect(after).toHaveLength(before.length);
    before.forEach(([key, value], index) => {
      names.set(key, after[index][0]);
      namesIn(value, after[index][1], names);
    });
  }
  return names;
}

/** Decisions without their messages, whose words are not names. */
function outcome({ bindings, evictions, pending }: Decision, nameOf: (name: string) => string): JsonValue {
  const renamed = (value: JsonValue): JsonValue =>
    typeof value === 'string'
      ? value.split('/').map(nameOf).join('/')
      : Array.isArray(value)
        ? value.map(renamed)
        : isObject(value)
          ? Object.fromEntries(Object.entries(value).map(([key, child]) => [nameOf(key), renamed(child)]))
          : value;
  const reasons = pending.map(({ gang, queue, kind, needed }) => ({ gang, queue, kind, needed }));
  return renamed(JSON.parse(JSON.stringify({ bindings, evictions, reasons })) as JsonValue);
}

test.each(Array.from({ length: 12 }, (_, index) => index + 1))(
  'an anonymized snapshot has the same plan (seed %i)',
  (seed) => {
    const snapshot = snapshotOf(seed);
    const hidden = anonymous(snapshot);
    const names = namesIn(snapshot.lists as unknown as JsonValue, hidden.lists as unknown as JsonValue, new Map());
    const decide = (of: ClusterSnapshot): Decision => planOf(new ManifestSet([]), clusterOfSnapshot(of)).decision;
    const before = decide(snapshot);
    expect(outcome(decide(hidden), (name) => name)).toEqual(outcome(before, (name) => names.get(name) ?? name));
    expect(before.bindings.length + before.pending.length).toBeGreaterThan(5);
    expect(JSON.stringify(hidden)).not.toMatch(/apollo|gemini|mercury|voyager|moonshot|oslo/);
  },
);
