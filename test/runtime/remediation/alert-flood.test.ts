/** @jest-environment node */
/**
 * Ten thousand alerts, with and without the token: work, memory, log, events, and page stay small, and the loop goes on.
 */
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asObject, asString } from '../../../src/manifests/read';
import { samples } from '../../support/samples';
import { until } from '../fake-server';
import { firing, Rig, TOKEN } from './rig';

const ALERTS = 10_000;
/** Bodies: 10,000 with GANTRY_SAMPLES=1. */
/** All in `.ci/full`, and a sixteenth in `npm test`. */
const BODIES = samples(samples(ALERTS));
/** As Alertmanager writes it: about a kilobyte. */
const alert = (node: string, more: JsonObject = {}): JsonObject => ({
  status: 'firing',
  labels: {
    alertname: 'Fire',
    node,
    namespace: 'gpu-operator',
    job: 'gantry-node-agent',
    severity: 'critical',
    ...more,
  },
  annotations: {
    summary: `A device of ${node} is on fire.`,
    description: 'Call the fire brigade, and not the network team. '.repeat(10),
  },
  startsAt: '2026-01-01T00:00:00.000Z',
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'http://prometheus.example.com/graph?g0.expr=gantry_node_condition&g0.tab=1',
  fingerprint: '0123456789abcdef',
});

/** Connections of the senders of many bodies, each with its next body once the last is answered. */
const SENDERS = 50;

/** @returns how many bodies got each status */
async function sendEach(bodyOf: (index: number) => string, token: string): Promise<ReadonlyMap<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: SENDERS });
  const statuses = new Map<number, number>();
  let sent = 0;
  const one = (body: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-length': Buffer.byteLength(body) };
      request({ agent, port: rig.programs[0].port, path: '/alerts', method: 'POST', headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      })
        .on('error', reject)
        .end(body);
    });
  const sender = async (): Promise<void> => {
    while (sent < BODIES) {
      const status = await one(bodyOf(sent++));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  agent.destroy();
  return statuses;
}

let rig: Rig;
beforeEach(() => {
  rig = new Rig();
  rig.nodes('n-0', 'n-1', 'n-2');
});
afterEach(() => rig.stop());

const heapMiB = (): number => process.memoryUsage().heapUsed / 2 ** 20;
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const isRequested = (name: string): boolean => rig.annotation(name, 'gantry.dev/repair-requested') === 'true';
const puts = (): number =>
  rig.server.log.filter(({ method, path }) => method === 'PUT' && path.includes('configmaps')).length;

/** What a flood must leave: an answer to everybody, a loop that acts on the next alert, and nothing that grew. */
async function expectCalm(): Promise<void> {
  expect((await rig.get('/healthz')).status).toBe(200);
  const kept = rig.server.store.get('v1', 'configmaps', 'gantry-remediation/gantry-remediation-alerts');
  expect((asString(asObject(kept?.data).alerts) ?? '').length).toBeLessThan(1000);
  expect((await rig.get('/')).text.length).toBeLessThan(60_000);
  expect((await rig.get('/status')).text.length).toBeLessThan(5000);
  expect((await rig.get('/metrics')).text.length).toBeLessThan(60_000);
  expect(rig.eventReasons().filter((reason) => reason !== 'Remediated')).toEqual([]);
  expect(rig.eventReasons().length).toBeLessThan(5);
  expect(rig.log.length).toBeLessThan(100);
  expect(await rig.alert(firing('Fire', { node: 'n-1' }))).toBe(200);
  await until(() => isRequested('n-1'));
}

describe('with the token', () => {
  test('ten thousand alerts in one body, of nodes that do not exist and one that does', async () => {
    await rig.start();
    const alerts = Array.from({ length: ALERTS - 1 }, (_, index) => alert(`gone-${index}`));
    const [before, heap] = [cpuMs(), heapMiB()];
    expect(await rig.alert({ alerts: [...alerts, alert('n-0')] })).toBe(200);
    await until(() => isRequested('n-0'));
    expect(cpuMs() - before).toBeLessThan(5000);
    expect(heapMiB() - heap).toBeLessThan(150);
    expect(await rig.metric('gantry_remediation_alerts_total{outcome="ignored"}')).toBe(ALERTS - 1);
    expect(puts()).toBe(1);
    await expectCalm();
  });

  test('as many bodies: each is answered, and many are kept by one write', async () => {
    await rig.start();
    const before = cpuMs();
    // Two thirds are of a node that exists, and differ in a label that no rule reads.
    const statuses = await sendEach((index) => {
      const node = index % 3 === 0 ? `gone-${index}` : 'n-0';
      return JSON.stringify({ alerts: [alert(node, { gpu: `${index % 16}` })] });
    }, TOKEN);
    expect([...statuses]).toEqual([[200, BODIES]]);
    await until(() => isRequested('n-0'));
    expect(puts()).toBeLessThan(BODIES / 4);
    expect(cpuMs() - before).toBeLessThan(30_000);
    const kept = rig.server.store.get('v1', 'configmaps', 'gantry-remediation/gantry-remediation-alerts');
    expect(Object.keys(JSON.parse(asString(asObject(kept?.data).alerts) ?? '') as object)).toHaveLength(16);
  }, 120_000);

  test('labels whose names and values have a megabyte', async () => {
    await rig.start();
    const long = 'x'.repeat(2 ** 20);
    const alerts = Array.from({ length: 7 }, (_, index) => alert('n-0', { [`label_${index}`]: long, [long]: 'x' }));
    expect(await rig.alert({ alerts })).toBe(200);
    await expectCalm();
  });

  test('bodies that come slowly are not received without end, and cost the others nothing', async () => {
    await rig.start({ requestTimeout: 2000 });
    const slow = await Promise.all(Array.from({ length: 20 }, () => slowly(`Bearer ${TOKEN}`)));
    await expectCalm();
    await until(() => slow.every(({ ended }) => ended), 20_000);
  }, 40_000);
});

describe('without the token', () => {
  test('as many bodies are refused, and nothing is written', async () => {
    await rig.start();
    const body = JSON.stringify({ alerts: [alert('n-0')] });
    expect([...(await sendEach(() => body, 'wrong'))]).toEqual([[401, BODIES]]);
    expect(puts()).toBe(0);
    expect(isRequested('n-0')).toBe(false);
    await expectCalm();
  }, 120_000);

  test('of a body of 100 MB, little is received', async () => {
    await rig.start();
    const megabyte = Buffer.alloc(2 ** 20, 'x');
    let written = 0;
    const status = await new Promise<number>((resolve) => {
      const sending = request({ port: rig.programs[0].port, path: '/alerts', method: 'POST' }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sending.on('error', () => resolve(0));
      const next = (): void => {
        if (written < 100 && !sending.destroyed) {
          written++;
          sending.write(megabyte, next);
        }
      };
      next();
    });
    expect([0, 401]).toContain(status);
    await sleep(200);
    expect(written).toBeLessThan(20);
    await expectCalm();
  });
});

/** Sends headers, and then one byte of a body in a second. */
async function slowly(authorization: string): Promise<{ readonly ended: boolean }> {
  const state = { ended: false };
  const socket: Socket = connect(rig.programs[0].port, '127.0.0.1');
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  socket.write(
    `POST /alerts HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\ncontent-length: 1000000\r\n\r\n`,
  );
  const writing = setInterval(() => socket.write('{'), 1000);
  socket.on('error', () => undefined);
  socket.on('close', () => {
    clearInterval(writing);
    state.ended = true;
  });
  socket.resume();
  return state;
}
