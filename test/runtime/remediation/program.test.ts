/** @jest-environment node */
/**
 * The remediation program against a small API server that keeps nodes and pods, applies merge patches, and deletes what is evicted.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { asArray, asObject, isObject } from '../../../src/manifests/read';
import { type Options } from '../../../src/runtime/remediation/options';
import { Program } from '../../../src/runtime/remediation/program';
import { fakeServer, type FakeServer, refuse, reply, until } from '../fake-server';

const TOKEN = 'secret';
const SETTINGS = {
  healthySeconds: 0,
  maxUnavailablePercent: 100,
  rules: [
    {
      name: 'bad',
      cause: { condition: 'Bad' },
      afterSeconds: 0,
      actions: ['taint', 'cordon', 'evict'],
      graceSeconds: 3,
    },
    { name: 'fire', cause: { alert: 'Fire' }, afterSeconds: 0, actions: ['request-repair'] },
    { name: 'slow', cause: { condition: 'Slow' }, afterSeconds: 0, actions: ['move'] },
    { name: 'missing', cause: { condition: 'Missing' }, afterSeconds: 0, actions: ['restart-device-plugin'] },
  ],
};

const node = (name: string): JsonObject => ({
  metadata: { name, resourceVersion: '1', annotations: { own: 'x' } },
  spec: { taints: [{ key: 'other', effect: 'NoSchedule' }] },
  status: {
    conditions: [{ type: 'Ready', status: 'True' }],
    allocatable: { cpu: '8', memory: '64Gi', pods: '10', 'nvidia.com/gpu': '2' },
    capacity: { cpu: '8', memory: '64Gi', pods: '10', 'nvidia.com/gpu': '2' },
  },
});
const pod = (name: string, on: string, more: { gang?: string; gpus?: number; plugin?: boolean } = {}): JsonObject => ({
  metadata: {
    name,
    uid: `uid-${name}`,
    namespace: more.plugin === true ? 'gpu-operator' : 'team',
    labels: {
      ...(more.gang === undefined ? {} : { 'gantry.dev/gang': more.gang }),
      ...(more.plugin === true ? { app: 'nvidia-device-plugin-daemonset' } : {}),
    },
    ...(more.plugin === true ? { ownerReferences: [{ kind: 'DaemonSet', name: 'd', controller: true }] } : {}),
  },
  spec: {
    nodeName: on,
    containers: [{ name: 'c', resources: { limits: { cpu: '1', 'nvidia.com/gpu': more.gpus ?? 1 } } }],
  },
  status: { phase: 'Running' },
});

/** RFC 7386. */
function merged(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) {
    return patch;
  }
  const entries = new Map(Object.entries(asObject(target)));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      entries.delete(key);
    } else {
      entries.set(key, merged(entries.get(key), value));
    }
  }
  return Object.fromEntries(entries);
}

class World {
  readonly nodes = new Map<string, JsonObject>();
  pods: JsonObject[] = [];
  readonly evicted: JsonObject[] = [];
  readonly writes: string[] = [];
  readonly events: JsonObject[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), 'gantry-remediation-'));
  server!: FakeServer;
  program: Program | undefined;

  async start(mode: Options['mode']): Promise<void> {
    this.server = await fakeServer(({ method, path, body }, response) => {
      if (method === 'GET') {
        return reply(response, 200, { items: path === '/api/v1/nodes' ? [...this.nodes.values()] : this.pods });
      }
      this.writes.push(`${method} ${path}`);
      const value = JSON.parse(body) as JsonObject;
      if (path.startsWith('/api/v1/nodes/')) {
        const name = path.slice('/api/v1/nodes/'.length);
        const known = this.nodes.get(name)!;
        if (asObject(value.metadata).resourceVersion !== asObject(known.metadata).resourceVersion) {
          return refuse(response, 409, 'Conflict');
        }
        const version = String(Number(asObject(known.metadata).resourceVersion) + 1);
        this.nodes.set(name, merged(merged(known, value), { metadata: { resourceVersion: version } }) as JsonObject);
      } else if (path.endsWith('/eviction')) {
        this.evicted.push(value);
        this.pods = this.pods.filter(({ metadata }) => asObject(metadata).name !== asObject(value.metadata).name);
      } else {
        this.events.push(value);
      }
      return reply(response, 201, {});
    });
    const config = join(this.folder, 'settings.json');
    writeFileSync(config, JSON.stringify(SETTINGS));
    writeFileSync(join(this.folder, 'token'), `${TOKEN}\n`);
    this.program = await Program.start(
      {
        kubeconfig: undefined,
        config,
        mode,
        interval: 0.02,
        address: '127.0.0.1',
        port: 0,
        alertTokenFile: join(this.folder, 'token'),
      },
      { client: this.server.client, logTo: { write: () => undefined } },
    );
  }

  condition(name: string, type: string, status: string): void {
    const known = this.nodes.get(name)!;
    this.nodes.set(name, {
      ...known,
      status: {
        ...asObject(known.status),
        conditions: [
          { type: 'Ready', status: 'True' },
          { type, status },
        ],
      },
    });
  }

  async rounds(count: number): Promise<void> {
    const lists = (): number => this.server.asked.filter(({ path }) => path === '/api/v1/pods').length;
    const before = lists();
    await until(() => lists() >= before + count);
  }

  alert(body: JsonValue, token = TOKEN): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.program?.port}/alerts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  }

  async stop(): Promise<void> {
    await this.program?.stop('the test ends');
    await this.server.close();
    rmSync(this.folder, { recursive: true });
  }
}

let world: World;
beforeEach(() => {
  world = new World();
  ['n-0', 'n-1', 'n-2'].forEach((name) => world.nodes.set(name, node(name)));
  world.pods = [pod('g-0', 'n-0', { gang: 'g' }), pod('g-1', 'n-1', { gang: 'g' }), pod('h-0', 'n-1', { gang: 'h' })];
});
afterEach(() => world.stop());

const names = (objects: readonly JsonObject[]): readonly unknown[] =>
  objects.map(({ metadata }) => asObject(metadata).name).sort();

test('a condition taints and cordons, evicts the gang as a whole, and its end undoes both', async () => {
  const before = world.nodes.get('n-0')!;
  world.condition('n-0', 'Bad', 'True');
  await world.start('active');
  await until(() => world.evicted.length === 2);
  expect(names(world.evicted)).toEqual(['g-0', 'g-1']);
  expect(world.evicted[0].deleteOptions).toMatchObject({ gracePeriodSeconds: 3 });
  const marked = asObject(world.nodes.get('n-0')!.spec);
  expect(marked.unschedulable).toBe(true);
  expect(asArray(marked.taints).map((taint) => asObject(taint).key)).toEqual(['other', 'gantry.dev/unhealthy']);
  world.condition('n-0', 'Bad', 'False');
  await until(() => asObject(world.nodes.get('n-0')!.spec).unschedulable === undefined);
  expect(world.nodes.get('n-0')!.spec).toEqual(before.spec);
  expect(asObject(world.nodes.get('n-0')!.metadata).annotations).toEqual({ own: 'x' });
  await until(() => world.events.length === 2);
  expect(world.events.map(({ reason }) => reason)).toEqual(['Remediated', 'RemediationUndone']);
});

test('a program that starts again undoes what an earlier one did, and does nothing twice', async () => {
  world.condition('n-0', 'Bad', 'True');
  await world.start('active');
  await until(() => world.events.length === 1);
  await world.stop();
  const done = world.writes.length;
  await (async () => {
    Object.assign(world, { folder: mkdtempSync(join(tmpdir(), 'gantry-remediation-')) });
    await world.start('active');
  })();
  await world.rounds(3);
  expect(world.writes.length).toBe(done);
  world.condition('n-0', 'Bad', 'False');
  await until(() => asObject(world.nodes.get('n-0')!.spec).unschedulable === undefined);
});

test('a dry run changes nothing', async () => {
  world.condition('n-0', 'Bad', 'True');
  await world.start('dry-run');
  await world.rounds(3);
  expect(world.writes).toEqual([]);
  const text = await (await fetch(`http://127.0.0.1:${world.program?.port}/metrics`)).text();
  expect(text).toContain('gantry_remediation_actions_total{action="taint",outcome="dry-run"} 1');
});

test('an alert of Alertmanager is a cause until it is resolved', async () => {
  await world.start('active');
  const alert = (status: string): JsonValue => ({
    alerts: [{ status, labels: { alertname: 'Fire', node: 'n-2' } }],
  });
  const requested = (): unknown =>
    asObject(asObject(world.nodes.get('n-2')!.metadata).annotations)['gantry.dev/repair-requested'];
  expect((await world.alert(alert('firing'), 'wrong')).status).toBe(401);
  expect((await world.alert({ no: 'alerts' })).status).toBe(400);
  await world.rounds(2);
  expect(requested()).toBeUndefined();
  expect((await world.alert(alert('firing'))).status).toBe(200);
  await until(() => requested() === 'true');
  expect((await world.alert(alert('resolved'))).status).toBe(200);
  await until(() => requested() === undefined);
});

test('a gang is moved if the placement core finds places on healthy nodes, and stays otherwise', async () => {
  world.pods = [pod('g-0', 'n-0', { gang: 'g', gpus: 2 }), pod('h-0', 'n-1', { gang: 'h', gpus: 2 })];
  const free = (name: string): JsonObject => ({ ...node(name), spec: {} });
  world.nodes.clear();
  ['n-0', 'n-1'].forEach((name) => world.nodes.set(name, free(name)));
  world.condition('n-0', 'Slow', 'True');
  await world.start('active');
  await world.rounds(3);
  expect(world.evicted).toEqual([]);
  world.nodes.set('n-2', free('n-2'));
  await until(() => world.evicted.length > 0);
  expect(names(world.evicted)).toEqual(['g-0']);
});

test('recreates the pod of the device plugin on the node, and not on others', async () => {
  world.pods = [pod('p-0', 'n-0', { plugin: true }), pod('p-1', 'n-1', { plugin: true })];
  world.condition('n-0', 'Missing', 'True');
  await world.start('active');
  await until(() => world.evicted.length > 0);
  await world.rounds(2);
  expect(names(world.evicted)).toEqual(['p-0']);
});
