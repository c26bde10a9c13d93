import { ApiClient, type ApiClientOptions } from '../../../src/runtime/api/client';
import { type FakeServer, fakeServer, type Handler, refuse, reply } from '../fake-server';

describe('a watch', () => {
  let server: FakeServer;
  let handler: Handler;
  beforeEach(async () => {
    server = await fakeServer((asked, response) => handler(asked, response));
  });
  afterEach(() => server.close());

  it('and what was asked before keep their connections until the client is closed', async () => {
    handler = ({ path }, response) => {
      if (path === '/watched') {
        response.writeHead(200);
        response.write('first\n');
      } else {
        reply(response, 200, {});
      }
    };
    await server.client.get('/things');
    const watched = await server.client.stream('/watched', {});
    watched.on('error', () => undefined);
    expect(await server.connections()).toBe(2);
    server.client.close();
    for (let left = 2; left > 0; left = await server.connections()) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await server.connections()).toBe(0);
  });

  it('that is refused ends within the timeout, although the refusal does not', async () => {
    handler = (_, response) => {
      response.writeHead(503);
      response.write('{"kind":"Status",');
    };
    await expect(server.client.stream('/things', { timeout: 50 })).rejects.toMatchObject({ status: 0 });
  });

  it('that is open goes on after the timeout', async () => {
    handler = (_, response) => {
      response.writeHead(200);
      response.write('first\n');
      setTimeout(() => response.end('last\n'), 1300);
    };
    const response = await server.client.stream('/things', { timeout: 1000 });
    let text = '';
    for await (const part of response) {
      text += String(part);
    }
    expect(text).toBe('first\nlast\n');
  });
});

describe('a request', () => {
  let server: FakeServer;
  let handler: Handler;
  let client: ApiClient;
  let admissions: number;
  let heard: unknown[];

  beforeEach(async () => {
    handler = (_, response) => reply(response, 200, { kind: 'Thing' });
    server = await fakeServer((asked, response) => handler(asked, response));
    admissions = 0;
    heard = [];
    client = clientOf({ onRequest: (method, path, status) => heard.push([method, path, status]) });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    client.close();
    await server.close();
  });

  const clientOf = (options: Partial<ApiClientOptions>): ApiClient =>
    new ApiClient({
      admission: () => {
        admissions++;
        return Promise.resolve({ url: server.url, connection: {}, headers: { authorization: `Bearer ${admissions}` } });
      },
      ...options,
    });

  it('has the credentials, the query, and the body as JSON of the type that is stated', async () => {
    expect(await client.get('/things', { query: { a: 'x y', none: undefined, b: 1 } })).toEqual({ kind: 'Thing' });
    await client.request('PATCH', '/things/a', { body: { name: 'ä' }, contentType: 'application/merge-patch+json' });
    await client.request('POST', '/things', { body: {} });
    const [first, second, third] = server.asked;
    expect([first.method, first.path, [...first.query]]).toEqual([
      'GET',
      '/things',
      [
        ['a', 'x y'],
        ['b', '1'],
      ],
    ]);
    expect(first.headers).toMatchObject({
      accept: 'application/json',
      'user-agent': 'gantry-scheduler',
      authorization: 'Bearer 1',
    });
    expect(first.headers['content-type']).toBeUndefined();
    expect([second.body, second.headers['content-type'], second.headers['content-length']]).toEqual([
      '{"name":"ä"}',
      'application/merge-patch+json',
      '13',
    ]);
    expect(third.headers['content-type']).toBe('application/json');
    expect(heard).toEqual([
      ['GET', '/things', 200],
      ['PATCH', '/things/a', 200],
      ['POST', '/things', 200],
    ]);
  });

  it('uses the open connection after the credentials are read again, unless the certificates changed', async () => {
    const ca = ['one', 'one', 'two'];
    client = clientOf({
      admission: () =>
        Promise.resolve({ url: server.url, connection: { ca: ca[Math.min(admissions++, 2)] }, headers: {} }),
    });
    const ports = new Set<unknown>();
    handler = (_, response) => {
      ports.add(response.socket?.remotePort);
      reply(response, 200, {});
    };
    const again = async (): Promise<void> => {
      const before = handler;
      handler = (_, response) => refuse(response, 401, 'Unauthorized', 'expired');
      await client.get('/things').catch(() => undefined);
      handler = before;
      await client.get('/things');
    };
    await client.get('/things');
    await again();
    expect([admissions, ports.size]).toEqual([2, 1]);
    await again();
    expect([admissions, ports.size]).toEqual([3, 2]);
  });

  it('that is refused ends with the status, the reason, and the seconds that the server asks to wait', async () => {
    handler = (_, response) => refuse(response, 409, 'Conflict', 'changed');
    const error = { name: 'ApiError', message: 'changed', status: 409, reason: 'Conflict', retryAfter: undefined };
    await expect(client.get('/things')).rejects.toMatchObject(error);
    handler = (_, response) => reply(response, 300, {}, { 'retry-after': '7' });
    await expect(client.get('/things')).rejects.toMatchObject({ message: 'status 300', status: 300, retryAfter: 7 });
    handler = (_, response) => reply(response, 429, { details: { retryAfterSeconds: 3 } });
    await expect(client.get('/things')).rejects.toMatchObject({ status: 429, retryAfter: 3 });
    expect(heard).toEqual([409, 300, 429].map((status) => ['GET', '/things', status]));
  });

  it('that is not answered in time, or whose answer breaks off, has no status', async () => {
    handler = () => undefined;
    await expect(client.get('/slow', { timeout: 30 })).rejects.toMatchObject({
      status: 0,
      reason: 'NoAnswer',
      message: 'GET /slow: no response within 30 ms',
    });
    handler = (_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{');
      setTimeout(() => response.destroy(), 5);
    };
    await expect(client.get('/broken')).rejects.toMatchObject({ status: 0, reason: 'NoAnswer' });
    expect(heard).toEqual([
      ['GET', '/slow', 0],
      ['GET', '/broken', 200],
    ]);
  });

  it('is read to its end where the headers and all of the body come at once', async () => {
    const text = JSON.stringify({ a: 'x'.repeat(1000) });
    // In one packet, as servers send it.
    handler = (_, response) => {
      const { socket } = response;
      const head = `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${text.length}\r\n\r\n`;
      response.detachSocket(socket!);
      socket!.end(`${head}${text}`);
    };
    await expect(client.get('/things', { silence: 1000 })).resolves.toEqual({ a: 'x'.repeat(1000) });
  });

  it('counts as dead after some silence, and not while its answer comes in', async () => {
    handler = () => undefined;
    const limits = { timeout: 5000, silence: 60 };
    await expect(client.get('/frozen', limits)).rejects.toThrow('no data for 60 ms; the connection is dead');
    handler = (_, response) => {
      response.writeHead(200);
      response.write('{"a":');
    };
    await expect(client.get('/frozen-later', limits)).rejects.toThrow('no data for 60 ms');
    const patient = { ...limits, silence: 500 };
    const started = performance.now();
    handler = (_, response) => {
      response.writeHead(200);
      const parts = [...'{"a": 1}'];
      const timer = setInterval(() => {
        const part = parts.shift();
        if (part === undefined) {
          clearInterval(timer);
          response.end();
        } else {
          response.write(part);
        }
      }, 100);
    };
    await expect(client.get('/slow', patient)).resolves.toEqual({ a: 1 });
    expect(performance.now() - started).toBeGreaterThan(patient.silence);
  });

  it.each([
    ['plain text', 'ok'],
    ['a list', '[1]'],
    ['nothing', 'null'],
  ])('that is answered with %s has it as the message', async (_, text) => {
    handler = (__, response) => void response.end(text);
    expect(await client.get('/healthz')).toEqual({ message: text });
  });

  it('takes new credentials after a minute, and when the old ones were refused', async () => {
    let now = 1000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    await client.get('/things');
    now += 60_000;
    await client.get('/things');
    expect(admissions).toBe(1);
    now += 1;
    await client.get('/things');
    expect(admissions).toBe(2);
    handler = (_, response) => refuse(response, 401, 'Unauthorized');
    await expect(client.get('/things')).rejects.toMatchObject({ status: 401 });
    await expect(client.get('/things')).rejects.toMatchObject({ status: 401 });
    expect(admissions).toBe(3);
    handler = (_, response) => refuse(response, 403, 'Forbidden');
    await expect(client.get('/things')).rejects.toMatchObject({ status: 403 });
    await expect(client.get('/things')).rejects.toMatchObject({ status: 403 });
    expect(admissions).toBe(4);
  });

  it('asks for credentials again that could not be had', async () => {
    let fails = true;
    const { url } = server;
    client = clientOf({
      admission: () =>
        fails ? Promise.reject(new Error('no token')) : Promise.resolve({ url, connection: {}, headers: {} }),
    });
    await expect(client.get('/things')).rejects.toMatchObject({ status: 0, message: 'GET /things: no token' });
    fails = false;
    expect(await client.get('/things')).toEqual({ kind: 'Thing' });
  });

  it('reports the date of its answer', async () => {
    const dates: string[] = [];
    client = clientOf({ onDate: (date) => dates.push(date), userAgent: 'me' });
    handler = (_, response) => reply(response, 200, {}, { date: 'Thu, 01 Jan 2026 00:00:00 GMT' });
    await client.get('/things');
    expect(dates).toEqual(['Thu, 01 Jan 2026 00:00:00 GMT']);
    expect(server.asked[0].headers['user-agent']).toBe('me');
  });

  it('of a watch that is refused says why', async () => {
    handler = (_, response) => refuse(response, 410, 'Expired', 'too old');
    await expect(client.stream('/things', {})).rejects.toMatchObject({ status: 410, message: 'too old' });
    expect(heard).toEqual([['WATCH', '/things', 410]]);
    handler = (_, response) => void response.destroy();
    await expect(client.stream('/things', {})).rejects.toMatchObject({ status: 0, reason: 'NoAnswer' });
    expect(heard[1]).toEqual(['WATCH', '/things', 0]);
  });
});
