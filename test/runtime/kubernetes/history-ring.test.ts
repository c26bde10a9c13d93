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

describe('segments', () => {
  const random = new Random(7);
  /** Names that compress badly. */
  const arrivals = (count: number): readonly HistoryEvent[] =>
    Array.from({ length: count }, (_, index) => ({
      kind: 'arrive',
      at: index,
      id: index + 1,
      gang: { key: `ns/job/${random.next()}${random.next()}` },
    }));
  const textIn = (stored: Stored, index: number): string | undefined => segmentIn(stored.objects[index]);
  /** Gangs of the events of a kind in a segment. */
  const idsOf = (stored: Stored, index: number, kind: HistoryEvent['kind']): readonly number[] => {
    const text = textIn(stored, index);
    const events = text === undefined ? [] : readSegment(text).events;
    return events.flatMap((event) => (event.kind === kind && 'id' in event ? [event.id] : []));
  };
  const packedBytes = (stored: Stored, index: number): number =>
    Buffer.from(asString(asObject(stored.objects[index].binaryData)['history.jsonl.gz']) ?? '', 'base64').length;

  test('take as many of the events as fit, and the number of them is returned', async () => {
    const stored = new Stored();
    const ring = stored.ring();
    await ring.load();
    const count = await ring.write(arrivals(200), 100);
    expect(count).toBeGreaterThan(0);
    expect(idsOf(stored, 0, 'arrive')).toHaveLength(count);
    expect(packedBytes(stored, 0)).toBeLessThanOrEqual(600);
  });

  test('take no event where none fits, which ends the write', async () => {
    const stored = new Stored();
    const ring = stored.ring({ segmentBytes: 60 });
    await ring.load();
    expect(await ring.write(arrivals(3), 100)).toBe(0);
    expect((await stored.ring().load()).open.size).toBe(0);
  });

  test('are numbered one after another, and the one after the last is in the first ConfigMap', async () => {
    const stored = new Stored();
    const ring = stored.ring();
    await ring.load();
    const sequences = (): readonly unknown[] =>
      stored.objects.map((_, index) => {
        const text = textIn(stored, index);
        return text === undefined ? undefined : readSegment(text).sequence;
      });
    const seen: unknown[] = [];
    for (let rest = arrivals(60); rest.length > 0 && seen.length < 4;) {
      rest = rest.slice(await ring.write(rest.slice(0, 6), 100));
      if (JSON.stringify(sequences()) !== JSON.stringify(seen.at(-1))) {
        seen.push(sequences());
      }
    }
    expect(seen).toEqual([
      [1, undefined, undefined],
      [1, 2, undefined],
      [1, 2, 3],
      [4, 2, 3],
    ]);
  });

  test('begin with the open gangs that fit into half of one, the oldest first, and the others are unknown from then on', async () => {
    const stored = new Stored();
    const ring = stored.ring();
    await ring.load();
    const many = arrivals(60);
    const first = await ring.write(many, 100);
    await ring.write(many.slice(first), 100);
    const [kept, arrived] = [idsOf(stored, 1, 'open'), idsOf(stored, 1, 'arrive')];
    expect(kept.length).toBeLessThan(first);
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => index + 1));
    const known = [...kept, ...arrived];
    expect([...(await stored.ring().load()).open.keys()]).toEqual(known);
    // The leader that wrote it has forgotten the others too.
    await ring.write(many.slice(first + arrived.length), 100);
    expect(idsOf(stored, 2, 'open').length).toBeGreaterThan(0);
    expect(known).toEqual(expect.arrayContaining([...idsOf(stored, 2, 'open')]));
  });

  test('are continued by the next leader without a line in between', async () => {
    const stored = new Stored();
    const [one, two] = arrivals(2);
    const first = stored.ring();
    await first.load();
    await first.write([one], 100);
    const next = stored.ring();
    await next.load();
    await next.write([two], 100);
    expect(textIn(stored, 0)).toMatch(/^(?:.+\n){3}$/);
  });

  test('that another leader has written meanwhile are what a leader knows once it has read them', async () => {
    const stored = new Stored();
    const [one, two] = arrivals(2);
    const ring = stored.ring();
    await ring.load();
    await ring.write([one], 100);
    const other = stored.ring();
    await other.load();
    await other.write([{ kind: 'end', at: 5, id: 1 }], 100);
    expect((await ring.load()).open.size).toBe(0);
    // Somebody deleted the content of all of them: nothing is known of what was there.
    stored.objects.forEach(({ metadata }, index) => (stored.objects[index] = { metadata }));
    expect((await ring.load()).open.size).toBe(0);
    await ring.write([two], 100);
    expect(idsOf(stored, 0, 'arrive')).toEqual([2]);
  });

  test.each([
    ['as they are', { team: 'ml' }, { note: 'kept' }],
    ['absent where there are none', undefined, undefined],
  ])('leave labels and annotations of their ConfigMap %s', async (_, labels, annotations) => {
    const stored = new Stored();
    const before = asObject(stored.objects[0].metadata);
    stored.objects[0] = { metadata: { ...before, ...(labels && { labels }), ...(annotations && { annotations }) } };
    const ring = stored.ring();
    await ring.load();
    await ring.write(arrivals(1), 100);
    expect(stored.objects[0].metadata).toEqual({
      ...before,
      resourceVersion: '2',
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    });
  });
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
