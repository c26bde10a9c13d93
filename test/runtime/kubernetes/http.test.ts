import { get, request } from 'node:http';
import { ClusterAuthorizer, EVERYBODY } from '../../../src/runtime/kubernetes/http/authorizer';
import { type Face, HttpFace, isLoopback } from '../../../src/runtime/kubernetes/http/server';
import { ApiError } from '../../../src/runtime/api/api-error';
import { type ApiClient, type ApiRequest } from '../../../src/runtime/api/client';
import { asObject } from '../../../src/manifests/read';
import { Reviews } from '../../support/api-server/reviews';
import { until } from '../fake-server';

interface Got {
  readonly status: number;
  readonly text: string;
}

describe('the face of the program', () => {
  let face: HttpFace;
  let port: number;
  const state: { healthy: boolean; ready: boolean; view: object | null } = {
    healthy: true,
    ready: false,
    view: { version: 1 },
  };
  const shown: Face = {
    isHealthy: () => state.healthy,
    isReady: () => state.ready,
    whyNotReady: () => 'reading',
    metrics: () => Promise.resolve({ type: 'text/plain', text: 'gantry_leader 1\n' }),
    view: () => state.view,
    waitingFor: () => 'another decides',
    pending: () => [{ gang: 'default/a', kind: 'no-fit' } as { gang: string }],
    decisions: () => [],
    page: () => '<!doctype html>',
  };

  beforeEach(async () => {
    face = new HttpFace({ address: '127.0.0.1', port: 0, face: shown, authorizer: EVERYBODY });
    port = await face.listen();
  });
  afterEach(() => face.close());

  const ask = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Got> =>
    new Promise((done, fail) => {
      request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (part: string) => (text += part))
          .on('end', () => done({ status: response.statusCode ?? 0, text }));
      })
        .on('error', fail)
        .end();
    });

  it('says whether it is healthy and ready', async () => {
    expect(await ask('/healthz')).toEqual({ status: 200, text: 'ok' });
    expect((await ask('/readyz')).status).toBe(503);
    state.ready = true;
    expect((await ask('/readyz')).status).toBe(200);
  });

  it('shows metrics, the view, who waits, and the page', async () => {
    expect((await ask('/metrics')).text).toContain('gantry_leader 1');
    expect(JSON.parse((await ask('/gantry/v1/view')).text)).toEqual({ version: 1 });
    expect(JSON.parse((await ask('/gantry/v1/pending')).text)).toHaveLength(1);
    expect(JSON.parse((await ask('/gantry/v1/pending/default%2Fa')).text)).toMatchObject({ kind: 'no-fit' });
    expect((await ask('/gantry/v1/pending/default/b')).status).toBe(404);
    expect((await ask('/')).text).toBe('<!doctype html>');
    expect((await ask('/else')).status).toBe(404);
  });

  it('changes nothing', async () => {
    expect((await ask('/gantry/v1/view', {}, 'POST')).status).toBe(405);
    expect((await ask('/gantry/v1/view', {}, 'DELETE')).status).toBe(405);
  });

  it('does not answer a browser that was lured to loopback by another name', async () => {
    expect((await ask('/gantry/v1/view', { host: 'evil.example' })).status).toBe(403);
    expect((await ask('/gantry/v1/view', { host: 'localhost:8080' })).status).toBe(200);
  });

  it('streams a view at once, and again when something changes', async () => {
    const parts: string[] = [];
    const call = get({ host: '127.0.0.1', port, path: '/gantry/v1/stream' }, (response) => {
      response
        .setEncoding('utf8')
        .on('data', (part: string) => parts.push(part))
        .on('error', () => undefined);
    }).on('error', () => undefined);
    await until(() => parts.length === 1);
    expect(parts[0]).toBe('data: {"version":1}\n\n');
    face.publish();
    face.publish();
    await until(() => parts.length === 2);
    call.destroy();
  });

  it('says why there is nothing to see', async () => {
    state.view = null;
    let said = '';
    const call = get({ host: '127.0.0.1', port, path: '/gantry/v1/stream' }, (response) => {
      response
        .setEncoding('utf8')
        .on('data', (part: string) => (said += part))
        .on('error', () => undefined);
    }).on('error', () => undefined);
    await until(() => said !== '');
    expect(said).toBe('event: waiting\ndata: "another decides"\n\n');
    call.destroy();
    state.view = { version: 1 };
  });

  it('authenticates over loopback too behind a proxy, and lets probes and Prometheus through', async () => {
    const refusal = { status: 401, message: 'who are you?' } as const;
    const strict = new HttpFace({
      address: '127.0.0.1',
      port: 0,
      face: shown,
      authorizer: { refusal: () => Promise.resolve(refusal) },
      trustsLoopback: false,
    });
    port = await strict.listen();
    expect(await ask('/gantry/v1/view')).toEqual({ status: 401, text: 'who are you?' });
    expect((await ask('/')).status).toBe(401);
    expect([(await ask('/healthz')).status, (await ask('/metrics')).status]).toEqual([200, 200]);
    await strict.close();
  });

  it('knows loopback addresses from others', () => {
    expect(['127.0.0.1', '::1', '::ffff:127.0.0.1', 'localhost', '[::1]', '127.8.0.1'].every(isLoopback)).toBe(true);
    expect(['10.0.0.1', 'localhost.evil.example', '::ffff:10.0.0.1', '', '127.0.0.1.example'].some(isLoopback)).toBe(
      false,
    );
  });
});

const FROM = '10.0.0.1';

describe('who may look', () => {
  const reviews = new Reviews();
  let asked: number;
  let isUp: boolean;
  let authorizer: ClusterAuthorizer;
  const clock = { time: 0, monotonic: () => clock.time, wall: () => 0 };
  const client: Pick<ApiClient, 'request'> = {
    request: async <T>(_: string, path: string, { body }: ApiRequest = {}): Promise<T> => {
      asked++;
      await Promise.resolve();
      if (!isUp) {
        throw new ApiError('connect ECONNREFUSED', 0, 'NoAnswer');
      }
      return reviews.answer(path, asObject(body)) as T;
    },
  };
  reviews.users.set('good', { username: 'good', groups: ['readers'] });
  reviews.users.set('poor', { username: 'poor', groups: ['people'] });
  reviews.roles.push({ name: 'viewer', urls: ['/gantry/v1/*', '/metrics'], groups: ['readers'] });

  beforeEach(() => {
    clock.time = asked = 0;
    isUp = true;
    authorizer = new ClusterAuthorizer(client, clock);
  });

  it('is whom the cluster knows and lets get the path', async () => {
    expect(await authorizer.refusal('Bearer good', '/gantry/v1/view', FROM)).toBeUndefined();
    expect(await authorizer.refusal('Bearer poor', '/gantry/v1/view', FROM)).toMatchObject({ status: 403 });
    expect(await authorizer.refusal('Bearer unknown', '/gantry/v1/view', FROM)).toMatchObject({ status: 401 });
    expect(await authorizer.refusal(undefined, '/gantry/v1/view', FROM)).toMatchObject({ status: 401 });
    expect(await authorizer.refusal('Basic abc', '/gantry/v1/view', FROM)).toMatchObject({ status: 401 });
  });

  it('is asked again after a short time, and for each path', async () => {
    await authorizer.refusal('Bearer good', '/gantry/v1/view', FROM);
    await authorizer.refusal('Bearer good', '/gantry/v1/view', FROM);
    expect(asked).toBe(2);
    await authorizer.refusal('Bearer good', '/metrics', FROM);
    expect(asked).toBe(4);
    clock.time = 31_000;
    await authorizer.refusal('Bearer good', '/gantry/v1/view', FROM);
    expect(asked).toBe(6);
  });

  it('costs the API server one question for each token that it does not know, and few for each address', async () => {
    for (let i = 0; i < 3; i++) {
      expect(await authorizer.refusal('Bearer same', '/gantry/v1/view', FROM)).toMatchObject({ status: 401 });
    }
    expect(asked).toBe(1);
    const statuses = [];
    for (let i = 0; i < 100; i++) {
      statuses.push((await authorizer.refusal(`Bearer random-${i}`, '/gantry/v1/view', FROM))?.status);
    }
    expect(asked).toBe(10);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    // Another address is not refused for it, and this one not for ever.
    expect(await authorizer.refusal('Bearer good', '/gantry/v1/view', '10.0.0.2')).toBeUndefined();
    clock.time = 31_000;
    expect(await authorizer.refusal('Bearer good', '/gantry/v1/pending', FROM)).toBeUndefined();
  });

  it('asks only a few questions at once', async () => {
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, i) => authorizer.refusal(`Bearer random-${i}`, '/gantry/v1/view', `10.1.0.${i}`)),
    );
    expect(all.filter((refusal) => refusal?.status === 503)).toHaveLength(46);
    expect(asked).toBe(4);
  });

  it('keeps what it knows of good tokens while others are tried', async () => {
    await authorizer.refusal('Bearer good', '/gantry/v1/view', FROM);
    for (let i = 0; i < 1200; i++) {
      await authorizer.refusal(`Bearer random-${i}`, '/gantry/v1/view', `10.2.${i >> 8}.${i & 255}`);
    }
    const before = asked;
    expect(await authorizer.refusal('Bearer good', '/gantry/v1/view', FROM)).toBeUndefined();
    expect(asked).toBe(before);
  });

  it('keeps a thousand answers, and forgets the oldest for the next', async () => {
    const ask = (index: number): Promise<unknown> => authorizer.refusal('Bearer good', `/gantry/v1/${index}`, FROM);
    for (let i = 0; i <= 1000; i++) {
      await ask(i);
    }
    const before = asked;
    expect([await ask(1), await ask(1000)]).toEqual([undefined, undefined]);
    expect(asked).toBe(before);
    await ask(0);
    expect(asked).toBe(before + 2);
  });

  it('has no user while the API server does not answer', async () => {
    isUp = false;
    expect(await authorizer.refusal('Bearer good', '/gantry/v1/view', FROM)).toMatchObject({ status: 503 });
  });
});
