/**
 * The whole agent on files of a host, with an exporter and an API server in this process.
 */
import { get } from 'node:http';
import { Writable } from 'node:stream';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { type ApiRequest } from '../../../src/runtime/api/client';
import { type Options, readOptions } from '../../../src/runtime/agent/options';
import { Program } from '../../../src/runtime/agent/program';
import { type FakeServer, fakeServer, until } from '../fake-server';
import { dcgmText, HostFolder, pressure, rdmaPort, unifiedPod } from './host';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject;
}

let host: HostFolder;
let exporter: FakeServer;
let program: Program | undefined;
let exporterText = dcgmText([0, 40_000]);
const sent: Sent[] = [];
const log: string[] = [];

beforeEach(async () => {
  host = new HostFolder();
  sent.length = 0;
  log.length = 0;
  exporterText = dcgmText([0, 40_000]);
  exporter = await fakeServer((_, response) => {
    response.end(exporterText);
  });
});
afterEach(async () => {
  await program?.stop('the test ended');
  await exporter.close();
  host.remove();
});

async function start(...flags: readonly string[]): Promise<void> {
  const options = readOptions(
    [
      '--node=n-1',
      `--host-root=${host.path}`,
      '--interval=1',
      '--port=0',
      `--exporter=nvidia=${exporter.url}`,
      ...flags,
    ],
    {},
  ) as Options;
  const client = {
    request: <T>(method: string, path: string, { body }: ApiRequest = {}): Promise<T> => {
      sent.push({ method, path, body: body as JsonObject });
      return Promise.resolve({} as T);
    },
    close: () => undefined,
  };
  const logTo = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      log.push(chunk.toString());
      done();
    },
  });
  program = await Program.start(options, { client, logTo });
}

function text(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ port: program!.port, path }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve(`${response.statusCode} ${body}`));
    }).on('error', reject);
  });
}

test('it reports accelerators and conditions to its own Node, and serves metrics', async () => {
  host.write({ ...unifiedPod(100, 0), ...rdmaPort('mlx5_0'), 'proc/pressure/memory': pressure(4, 1) });
  await start();
  await until(() => sent.length > 0);
  const [{ method, path, body }] = sent;
  expect([method, path]).toEqual(['PATCH', '/api/v1/nodes/n-1/status']);
  const report = JSON.parse(
    asString(asObject(asObject(body.metadata).annotations)['gantry.dev/accelerator-capacity']) ?? '',
  ) as JsonObject;
  expect(report.devices).toEqual([
    { index: 0, freeMemoryMiB: 81_559, utilization: 0 },
    { index: 1, freeMemoryMiB: 41_559, utilization: 0.9 },
  ]);
  expect(asArray(asObject(body.status).conditions).map((one) => [asObject(one).type, asObject(one).status])).toEqual([
    ['AcceleratorUnhealthy', 'False'],
    ['RdmaDegraded', 'False'],
    ['CpuThrottled', 'False'],
    ['MemoryPressureStalled', 'False'],
  ]);
  expect(await text('/readyz')).toBe('200 ok');
  expect(await text('/healthz')).toBe('200 ok');
  const metrics = await text('/metrics');
  expect(metrics).toContain('gantry_node_pressure_ratio{resource="memory",kind="full"} 0.01');
  expect(metrics).toContain('gantry_node_pod_oom_kills{namespace="research",pod="trainer-0"} 1');
  expect(metrics).toContain('gantry_node_rdma_port_active{device="mlx5_0",port="1"} 1');
  expect(metrics).toContain('gantry_node_accelerator_free_memory_bytes{index="1"}');
  // The kubelet has no socket here.
  expect(metrics).toMatch(/gantry_agent_source_failures_total\{source="kubelet"\} \d/);
  expect(await text('/other')).toMatch(/^404 /);
});

test('an exporter that is gone costs the devices alone', async () => {
  exporterText = 'not metrics';
  host.write({ 'proc/pressure/memory': pressure(4, 1) });
  await exporter.close();
  await start();
  await until(() => sent.length > 0);
  const { status, metadata } = sent[0].body;
  expect(metadata).toBeUndefined();
  expect(asArray(asObject(status).conditions).map((one) => [asObject(one).type, asObject(one).status])).toEqual([
    ['AcceleratorUnhealthy', 'Unknown'],
    ['MemoryPressureStalled', 'False'],
  ]);
});

test('a dry run logs the conditions and writes nothing', async () => {
  host.write({ 'proc/pressure/memory': pressure(4, 1) });
  await start('--dry-run');
  await until(() => log.some((line) => line.includes('MemoryPressureStalled')));
  expect(sent).toEqual([]);
});
