import { type ServerResponse } from 'node:http';
import { type JsonObject } from '../../../src/facts/api/schema';
import { Reflector, type ReflectorNote } from '../../../src/runtime/api/reflector';
import { type FakeServer, fakeServer, type Handler, refuse, reply, until } from '../fake-server';

const object = (name: string, version: string): JsonObject => ({ metadata: { name, resourceVersion: version } });

class Copy {
  readonly items = new Map<string, string>();
  readonly notes: ReflectorNote[] = [];
  readonly reflector: Reflector<JsonObject>;
  private readonly running: Promise<void>;

  constructor(
    server: FakeServer,
    path: () => Promise<string | undefined> = () => Promise.resolve('/things'),
    silence?: number,
  ) {
    const nameOf = (item: JsonObject): string => (item.metadata as JsonObject).name as string;
    const versionOf = (item: JsonObject): string => (item.metadata as JsonObject).resourceVersion as string;
    this.reflector = new Reflector<JsonObject>({
      client: server.client,
      path,
      page: 2,
      absence: 5,
      ...(silence !== undefined && { silence }),
      onNote: (note) => this.notes.push(note),
      handler: {
        replaced: (items) => {
          this.items.clear();
          items.forEach((item) => this.items.set(nameOf(item), versionOf(item)));
        },
        changed: (item) => this.items.set(nameOf(item), versionOf(item)),
        removed: (item) => this.items.delete(nameOf(item)),
      },
    });
    this.running = this.reflector.run();
  }

  async stop(): Promise<void> {
    this.reflector.stop();
    await this.running;
  }
}

describe('a reflector', () => {
  let server: FakeServer;
  let copy: Copy;
  let watches: ServerResponse[];
  let handler: Handler;

  beforeEach(async () => {
    watches = [];
    handler = (_, response) => reply(response, 200, { metadata: { resourceVersion: '10' }, items: [object('a', '1')] });
    server = await fakeServer((asked, response) => {
      if (asked.query.get('watch') !== null) {
        watches.push(response);
        response.writeHead(200);
        response.flushHeaders();
        return;
      }
      return handler(asked, response);
    });
  });
  afterEach(async () => {
    await copy.stop();
    await server.close();
  });

  const send = (type: string, item: JsonObject): void =>
    void watches.at(-1)!.write(`${JSON.stringify({ type, object: item })}\n`);
  const versionsAsked = (): (string | null)[] =>
    server.asked.filter(({ query }) => query.has('watch')).map(({ query }) => query.get('resourceVersion'));

  it('lists in pages, and watches from there with bookmarks', async () => {
    handler = ({ query }, response) =>
      query.get('continue') === null
        ? reply(response, 200, {
            metadata: { resourceVersion: '10', continue: 'more' },
            items: [object('a', '1'), object('b', '2')],
          })
        : reply(response, 200, { metadata: { resourceVersion: '10' }, items: [object('c', '3')] });
    copy = new Copy(server);
    await until(() => watches.length === 1);
    expect([...copy.items.keys()]).toEqual(['a', 'b', 'c']);
    expect(copy.reflector.isSynced).toBe(true);
    expect(server.asked.at(-1)!.query.get('allowWatchBookmarks')).toBe('true');
    send('ADDED', object('d', '11'));
    send('MODIFIED', object('a', '12'));
    send('DELETED', object('b', '13'));
    await until(() => !copy.items.has('b'));
    expect([...copy.items]).toEqual([
      ['a', '12'],
      ['c', '3'],
      ['d', '11'],
    ]);
  });

  it('resumes from the last version it saw when a watch ends, a bookmark included', async () => {
    copy = new Copy(server);
    await until(() => watches.length === 1);
    send('ADDED', object('b', '20'));
    send('BOOKMARK', { metadata: { resourceVersion: '99' } });
    await until(() => copy.items.has('b'));
    watches[0].end();
    await until(() => watches.length === 2);
    watches[1].destroy();
    await until(() => watches.length === 3);
    expect(versionsAsked()).toEqual(['10', '99', '99']);
    expect(server.asked.filter(({ query }) => !query.has('watch'))).toHaveLength(1);
    expect(copy.items.has('b')).toBe(true);
  });

  it('lists again after 410, and what is no longer there is gone', async () => {
    copy = new Copy(server);
    await until(() => watches.length === 1);
    handler = (_, response) =>
      reply(response, 200, { metadata: { resourceVersion: '50' }, items: [object('z', '49')] });
    watches[0].write(
      `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } })}\n`,
    );
    await until(() => watches.length === 2);
    expect([...copy.items.keys()]).toEqual(['z']);
    expect(versionsAsked()).toEqual(['10', '50']);
    expect(copy.notes.map(({ kind }) => kind)).toEqual(['listed', 'expired', 'listed']);
  });

  it('resumes from before a line that it cannot read', async () => {
    copy = new Copy(server);
    await until(() => watches.length === 1);
    send('ADDED', object('b', '20'));
    watches[0].write('{"type":"ADDED","object":{"metad\n');
    await until(() => watches.length === 2);
    expect(versionsAsked()).toEqual(['10', '20']);
  });

  it('takes a connection on which nothing comes for dead', async () => {
    copy = new Copy(server, undefined, 30);
    await until(() => watches.length === 2);
    expect(copy.notes.some((note) => note.kind === 'failed' && note.error.includes('no data for 30 ms'))).toBe(true);
  });

  it('takes a list of which nothing comes for dead, and asks again', async () => {
    const answer = handler;
    let asked = 0;
    handler = (request, response) => (asked++ === 0 ? undefined : answer(request, response));
    copy = new Copy(server, undefined, 30);
    await until(() => copy.items.has('a'));
    expect(copy.notes[0]).toMatchObject({ kind: 'failed', during: 'list' });
    expect((copy.notes[0] as { error: string }).error).toContain('no data for 30 ms');
  });

  it('keeps what it has while the server fails, and goes on when it is back', async () => {
    let fails = 2;
    const good = handler;
    handler = (asked, response) => (fails-- > 0 ? refuse(response, 500, 'InternalError') : good(asked, response));
    copy = new Copy(server);
    await until(() => watches.length === 1);
    expect(copy.notes.filter(({ kind }) => kind === 'failed')).toHaveLength(2);
    expect([...copy.items.keys()]).toEqual(['a']);
  });

  it('counts as read when the kind is not served, and reads it once it is', async () => {
    const served: { path?: string } = {};
    copy = new Copy(server, () => Promise.resolve(served.path));
    await until(() => copy.reflector.isSynced);
    expect(copy.items.size).toBe(0);
    served.path = '/things';
    await until(() => copy.items.size === 1);
  });

  it('reads everything again when asked, and says when that is done', async () => {
    copy = new Copy(server);
    await until(() => watches.length === 1);
    handler = (_, response) =>
      reply(response, 200, { metadata: { resourceVersion: '70' }, items: [object('new', '69')] });
    await copy.reflector.refresh();
    expect([...copy.items.keys()]).toEqual(['new']);
    await until(() => watches.length === 2);
    expect(versionsAsked()).toEqual(['10', '70']);
  });

  it('reads nothing again for a caller whose moment was before the last list', async () => {
    copy = new Copy(server);
    await until(() => watches.length === 1);
    const lists = (): number => server.asked.filter(({ query }) => !query.has('watch')).length;
    const before = performance.now();
    await copy.reflector.refresh();
    expect(lists()).toBe(2);
    await copy.reflector.refresh(before);
    expect(lists()).toBe(2);
    await copy.reflector.refresh();
    expect(lists()).toBe(3);
  });

  it('reads characters that are cut in two by the network', async () => {
    copy = new Copy(server);
    await until(() => watches.length === 1);
    const bytes = Buffer.from(`${JSON.stringify({ type: 'ADDED', object: object('größe-😀', '20') })}\n`);
    for (const byte of bytes) {
      watches[0].write(Buffer.from([byte]));
    }
    await until(() => copy.items.has('größe-😀'));
  });
});
