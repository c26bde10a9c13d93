/**
 * The page as a service: who gets what, and what the local server refuses.
 */
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { type RunnerView } from '../../../src/planning/pages';
import { frameBytes, framesOf } from '../../../src/runtime/docker/engine/frames';
import { RunnerClient } from '../../../src/runtime/docker/service/client';
import { lastFrames } from '../../../src/runtime/docker/service/last-frames';
import { LocalPage } from '../../../src/runtime/docker/service/local-page';
import { ViewStreams } from '../../../src/runtime/docker/service/view-streams';
import { busyHost, type DockerHost } from '../../support/docker-host';

let host: DockerHost;
let local: LocalPage;
const links: string[] = [];

beforeEach(async () => {
  host = busyHost();
  await host.listen();
  local = new LocalPage(new RunnerClient(host.socketOf('bob')), (link) => links.push(link));
  await local.listen(0);
});
afterEach(async () => {
  await local.close();
  await host.close();
});

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

async function open(path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<IncomingMessage> {
  const { port } = new URL(local.link);
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, resolve);
    sent.once('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function ask(
  path: string,
  asked?: Asked,
): Promise<{ readonly status: number; readonly text: string; readonly headers: IncomingMessage['headers'] }> {
  const answer = await open(path, asked);
  const chunks: Buffer[] = [];
  for await (const chunk of answer) {
    chunks.push(chunk as Buffer);
  }
  return { status: answer.statusCode!, text: Buffer.concat(chunks).toString(), headers: answer.headers };
}

const codeOf = (link: string): string => link.split('#code=')[1];

async function signedIn(): Promise<Readonly<Record<string, string>>> {
  const { text } = await ask('/page/token', { method: 'POST', body: { code: codeOf(local.link) } });
  return { Authorization: `Bearer ${(JSON.parse(text) as { token: string }).token}` };
}

test('the page needs no token, carries nothing of the host, and may not be framed', async () => {
  const { status, text, headers } = await ask('/');
  expect(status).toBe(200);
  expect(text).not.toMatch(/gpu-host|llama/);
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
  expect(headers['set-cookie']).toBeUndefined();
});

test('nothing else is answered without the token, and a code is exchanged once', async () => {
  for (const path of ['/v1/view', '/v1/status', '/v1/tasks', '/metrics', '/v1/history', '/index.html']) {
    expect((await ask(path)).status).toBe(401);
    expect((await ask(path, { headers: { Authorization: 'Bearer wrong' } })).status).toBe(401);
  }
  const code = codeOf(local.link);
  expect((await ask('/page/token', { method: 'POST', body: { code: 'x'.repeat(43) } })).status).toBe(403);
  expect((await ask('/page/token', { method: 'POST', body: { code: null } })).status).toBe(403);
  expect((await ask('/page/token', { method: 'POST', body: { code } })).status).toBe(200);
  expect((await ask('/page/token', { method: 'POST', body: { code } })).status).toBe(403);
  expect(codeOf(links.at(-1)!)).toBe(codeOf(local.link));
  expect(codeOf(local.link)).not.toBe(code);
});

test('requests for another host name, and from pages of other origins, are refused', async () => {
  const headers = await signedIn();
  const { host: here } = new URL(local.link);
  expect((await ask('/v1/status', { headers: { ...headers, Host: 'attacker.example' } })).status).toBe(403);
  expect((await ask('/', { headers: { Host: 'attacker.example:80' } })).status).toBe(403);
  for (const Origin of ['https://attacker.example', 'null', `https://${here}`]) {
    expect((await ask('/v1/tasks', { method: 'POST', headers: { ...headers, Origin }, body: {} })).status).toBe(403);
  }
  expect((await ask('/v1/status', { headers: { ...headers, Origin: `http://${here}` } })).status).toBe(200);
});

test('behind the token there is what the socket allows, and no more', async () => {
  const headers = await signedIn();
  const { text } = await ask('/v1/view', { headers });
  const view = JSON.parse(text) as RunnerView;
  expect(view.tenant).toBe('bob');
  expect(new Set(view.tasks.map(({ tenant }) => tenant))).toEqual(new Set(['bob']));
  expect(view.tenants.map(({ name }) => name)).toEqual(['bob']);
  expect(text).not.toContain('llama');
  expect((await ask('/metrics', { headers })).status).toBe(403);
  expect((await ask('/v1/devices/0/drain', { method: 'POST', headers })).status).toBe(403);
  expect((await ask('/v1/history?minutes=0', { headers })).status).toBe(400);
  expect((await ask('/v1/tasks/2/logs?tail=0', { headers })).status).toBe(400);
  expect(JSON.parse((await ask('/v1/history?minutes=60', { headers })).text)).toMatchObject({ stepSeconds: 60 });
});

test('the view says why tasks wait, in the order in which they would start', async () => {
  const view = await new RunnerClient(host.socket).view();
  expect(view.counts).toEqual({ active: 4, queued: 3 });
  const waiting = view.tasks.filter(({ state }) => state === 'queued');
  expect(waiting.map(({ id, reason }) => [id, reason])).toEqual([
    ['5', 'the quota of tenant alice is in use, and only preemptible tasks may exceed it'],
    ['6', 'too few devices of the model H100 are free; it needs 1 more'],
    ['7', 'task 1 must succeed first'],
  ]);
  expect(view.tasks.filter(({ state }) => state === 'failed')).toMatchObject([
    { reason: 'program: exited with code 1', exitCode: 1 },
  ]);
  expect(view.devices[4]).toMatchObject({
    state: 'shared',
    tasks: ['2', '3'],
    use: { busy: expect.any(Number) as number },
  });
});

test('a view is cut: long commands, and all but the first of many waiting tasks', async () => {
  host.queued({ command: ['x'.repeat(60_000)], priority: 'high' });
  for (let index = 0; index < 150; index++) {
    host.queued({});
  }
  const view = await new RunnerClient(host.socket).view();
  expect(view.counts.queued).toBe(154);
  expect(view.tasks.filter(({ state }) => state === 'queued')).toHaveLength(100);
  expect(Math.max(...view.tasks.map(({ command }) => command.length))).toBe(301);
});

test('a stream brings the view at once, and again after a change; a tenant may have 32', async () => {
  const headers = await signedIn();
  const streams = await Promise.all(Array.from({ length: 32 }, () => open('/v1/view?follow=1', { headers })));
  expect(streams.map(({ statusCode }) => statusCode)).toEqual(streams.map(() => 200));
  expect((await ask('/v1/view?follow=1', { headers })).status).toBe(409);
  const lines = streams[0].iterator();
  const next = async (): Promise<RunnerView> => {
    let text = '';
    while (!text.endsWith('\n')) {
      text += String((await lines.next()).value);
    }
    return JSON.parse(text) as RunnerView;
  };
  expect((await next()).counts.queued).toBe(1);
  host.queued({ tenant: 'bob' });
  expect((await next()).counts.queued).toBe(2);
  streams.forEach((stream) => stream.destroy());
});

test('views take a tenth of the time at most, however many look and however often they come back', async () => {
  let [now, made] = [0, 0];
  const streams = new ViewStreams({
    monotonic: () => now,
    view: () => {
      made++;
      now += 300;
      return {} as RunnerView;
    },
  });
  const connect = async (tenant: string): Promise<void> => {
    const response = new PassThrough();
    Object.assign(response, { writeHead: () => undefined });
    streams.follow({ tenant }, response as unknown as ServerResponse);
    response.destroy();
    await new Promise((done) => response.once('close', done));
  };
  for (let times = 0; times < 20; times++) {
    await connect('alice');
    now += 100;
  }
  expect(made).toBe(1);
  await connect('bob');
  // Bob's view rests for both tenants: 10 x 2 x 300 ms.
  now += 5900;
  await connect('bob');
  expect(made).toBe(2);
  now += 200;
  await connect('bob');
  expect(made).toBe(3);
});

test('the end of an output is its last lines, and at most a mebibyte', async () => {
  const frames = (texts: readonly string[]): Readable =>
    Readable.from(
      texts.map((text) => frameBytes({ stream: 'stderr', data: Buffer.from(text) })),
      { objectMode: false },
    );
  const read = async (source: Readable): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const { data, stream } of framesOf(source)) {
      found.push(`${stream} ${data.toString()}`);
    }
    return found;
  };
  expect(await read(lastFrames(frames(['a', 'b', 'c']), 2))).toEqual(['stderr b', 'stderr c']);
  const large = Array.from({ length: 300 }, (_, index) => `${index} ${'x'.repeat(10_000)}`);
  const kept = await read(lastFrames(frames(large), 1000));
  expect(kept).toHaveLength(104);
  expect(kept.at(-1)).toContain('299 ');
});
