/**
 * The ConfigMaps of a history: random events in small segments, compared with a replay of all of them.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { asObject, asString } from '../../../src/manifests/read';
import {
  type EndedGang,
  type HistoryEvent,
  readHistory,
  readSegment,
  Replay,
  segmentIn,
} from '../../../src/planning/history';
import { ApiError } from '../../../src/runtime/api/api-error';
import { Ring, type RingOptions, SEGMENT_BYTES } from '../../../src/runtime/kubernetes/history/ring';
import { Random } from '../../support/random';

const COUNT = 3;

/** ConfigMaps with versions. */
class Stored {
  readonly objects: JsonObject[] = Array.from({ length: COUNT }, (_, index) => ({
    metadata: { namespace: 'ns', name: `s-history-${index}`, resourceVersion: '1' },
  }));
  /** Bytes of the largest write. */
  largest = 0;

  readonly request: RingOptions['client']['request'] = <T>(
    method: string,
    path: string,
    { body }: { readonly body?: unknown } = {},
  ): Promise<T> => {
    const index = Number(/^\/api\/v1\/namespaces\/ns\/configmaps\/s-history-(\d)$/.exec(path)?.[1]);
    if (method === 'PUT') {
      const version = Number(asString(asObject(this.objects[index].metadata).resourceVersion));
      const { metadata, ...rest } = body as JsonObject;
      if (asObject(metadata).resourceVersion !== String(version)) {
        return Promise.reject(new ApiError('modified', 409, 'Conflict'));
      }
      this.largest = Math.max(this.largest, JSON.stringify(body).length);
      this.objects[index] = { ...rest, metadata: { ...asObject(metadata), resourceVersion: String(version + 1) } };
    }
    return Promise.resolve(this.objects[index] as T);
  };

  ring(more: Partial<RingOptions> = {}): Ring {
    return new Ring({
      client: { request: this.request },
      namespace: 'ns',
      scheduler: 's',
      configMaps: COUNT,
      timeout: 1000,
      permit: () => true,
      onUnreadable: () => undefined,
      segmentBytes: 600,
      ...more,
    });
  }

  history(): ReturnType<typeof readHistory> {
    return readHistory(
      this.objects.flatMap((object) => {
        const text = segmentIn(object);
        return text === undefined ? [] : readSegment(text);
      }),
    );
  }
}

/** What happens to gangs, at random; at most 8 of them at once. */
function* happenings(random: Random): Generator<HistoryEvent> {
  const open: number[] = [];
  for (let at = 1000, id = 0; ; at += random.below(5)) {
    if (open.length < 8 && random.chance(0.3)) {
      open.push(++id);
      yield { kind: 'arrive', at, id, gang: { key: `ns/job/${random.below(1e9)}`, members: { name: `g-${id}` } } };
    } else if (open.length > 0) {
      const some = random.pick(open);
      const kind = random.pick(['start', 'stop', 'evict', 'end'] as const);
      yield kind === 'evict' ? { kind, at, id: some, pods: 1 } : { kind, at, id: some };
      if (kind === 'end') {
        open.splice(open.indexOf(some), 1);
      }
    }
  }
}

test.each([1, 2, 3, 4])('a history of any length fits, and the next leader continues it (seed %i)', async (seed) => {
  const random = new Random(seed);
  const events = happenings(random);
  const all = new Replay();
  const ended: EndedGang[] = [];
  const stored = new Stored();
  let ring = stored.ring();
  await ring.load();
  for (let round = 0; round < 60; round++) {
    let batch: readonly HistoryEvent[] = Array.from(
      { length: 1 + random.below(8) },
      () => events.next().value as HistoryEvent,
    );
    batch.forEach((event) => {
      const gang = all.apply(event);
      if (gang?.progress.started !== undefined) {
        ended.push(gang);
      }
    });
    while (batch.length > 0) {
      batch = batch.slice(await ring.write(batch, 5000));
    }
    if (random.chance(0.2)) {
      ring = stored.ring();
      const { open, nextId } = await ring.load();
      expect(open).toEqual(all.open);
      expect(nextId).toBe(all.nextId);
    }
  }
  const { ended: kept, unseen, lost } = stored.history();
  expect(kept.length).toBeGreaterThan(10);
  expect(kept.length).toBeLessThan(ended.length);
  // Nothing but the oldest is missing.
  const byKey = (list: readonly EndedGang[]): readonly EndedGang[] =>
    [...list].sort((a, b) => (a.gang.key < b.gang.key ? -1 : 1));
  expect(byKey(kept)).toEqual(byKey(ended.slice(-kept.length)));
  expect({ unseen, lost }).toEqual({ unseen: 0, lost: 0 });
  expect(stored.largest).toBeLessThan(600 * (4 / 3) + 300);
});

test('gangs that do not fit into half of a segment are left out of the next one', async () => {
  const stored = new Stored();
  const ring = stored.ring();
  await ring.load();
  const random = new Random(1);
  const arrivals = Array.from({ length: 60 }, (_, index): HistoryEvent => ({
    kind: 'arrive',
    at: index,
    id: index + 1,
    gang: { key: `ns/job/${random.next()}${random.next()}` },
  }));
  for (let rest: readonly HistoryEvent[] = arrivals; rest.length > 0;) {
    const count = await ring.write(rest.slice(0, 10), 100);
    expect(count).toBeGreaterThan(0);
    rest = rest.slice(count);
  }
  const { waiting, unseen } = stored.history();
  expect(unseen).toBeGreaterThan(0);
  expect(waiting).toBeLessThan(60);
  expect((await stored.ring().load()).open.size).toBe(waiting);
  expect(stored.largest).toBeLessThan(600 * (4 / 3) + 300);
});

test('of two leaders, the one with the older version is refused', async () => {
  const stored = new Stored();
  const [old, next] = [stored.ring(), stored.ring()];
  await old.load();
  await next.load();
  const event: HistoryEvent = { kind: 'arrive', at: 1, id: 1, gang: { key: 'k' } };
  await next.write([event], 1);
  await expect(old.write([event], 1)).rejects.toThrow('modified');
  expect(stored.history().waiting).toBe(1);
});

test('a ConfigMap that holds something else is reported, and overwritten', async () => {
  const stored = new Stored();
  const metadata = asObject(stored.objects[0].metadata);
  stored.objects[0] = {
    metadata,
    binaryData: { 'history.jsonl.gz': Buffer.from('not compressed').toString('base64') },
  };
  const unreadable: string[] = [];
  const ring = stored.ring({ onUnreadable: (index, message) => unreadable.push(`${index}: ${message}`) });
  await ring.load();
  expect(unreadable).toEqual(['0: incorrect header check']);
  await ring.write([{ kind: 'arrive', at: 1, id: 1, gang: { key: 'k' } }], 1);
  expect(stored.history().waiting).toBe(1);
});

test('a ConfigMap holds the history of 2,500 gangs with names as jobs have them', async () => {
  const stored = new Stored();
  const ring = stored.ring({ segmentBytes: SEGMENT_BYTES });
  await ring.load();
  const random = new Random(1);
  const eventsOf = (id: number): readonly HistoryEvent[] => {
    const [name, at] = [
      `team-${random.below(20)}/train-${random.below(36 ** 6).toString(36)}`,
      1_767_225_600 + id * 97,
    ];
    const [started, ended] = [at + random.below(9000), at + 9000 + random.below(90_000)];
    const request = {
      pods: 1 + random.below(8),
      cpu: 8 * (1 + random.below(8)),
      memory: '64Gi',
      devices: 1 + random.below(8),
    };
    const members = {
      name,
      queue: `team-${random.below(20)}`,
      ...request,
      nodeSelector: { 'nvidia.com/gpu.product': random.pick(['NVIDIA-H100-80GB-HBM3', 'NVIDIA-L40S']) },
      tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
      expected: 'unknown',
    };
    return [
      { kind: 'arrive', at, id, gang: { key: name.replace('/', '/job/'), members } },
      { kind: 'start', at: started, id },
      { kind: 'end', at: ended, id },
    ];
  };
  for (let id = 0; id < 2500; id += 250) {
    const batch = Array.from({ length: 250 }, (_, index) => eventsOf(id + index + 1)).flat();
    expect(await ring.write(batch, 1_767_225_600)).toBe(batch.length);
  }
  const used = Buffer.from(asString(asObject(stored.objects[0].binaryData)['history.jsonl.gz']) ?? '', 'base64').length;
  expect(used / 2500).toBeLessThan(40);
  expect(stored.objects[1]).not.toHaveProperty('binaryData');
  expect(stored.history().ended).toHaveLength(2500);
});
