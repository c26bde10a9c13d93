/**
 * `npx tsx bench/bindings.ts --pods N --rounds N --connections N`: what bindings cost the API server and etcd, as JSON and as Kubernetes' protobuf.
 *
 * The same control plane binds pods in rounds that alternate between the formats. *CPU* is that of the API server and of etcd, from the first request
 * of a round to the last answer. Each pod is looked at afterwards: it has the node and the annotation of its binding, whatever the format.
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { parseArgs } from 'node:util';
import { asObject, asString } from '../src/manifests/read';
import { whyNoControlPlane } from '../test/e2e/control-plane/availability';
import { stopStartedOnSignal } from '../test/e2e/control-plane/started';
import { Lab, nameOf } from '../test/e2e/scheduler/lab';
import { pod } from '../test/e2e/scheduler/manifests';
import { readyNode } from './e2e/load';
import { machine, median } from './machine';

const DEVICES = 'gantry.dev/devices';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const JSON_TYPE = 'application/json';

interface Binding {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly node: string;
  readonly devices: string;
}

interface Format {
  readonly name: string;
  readonly type: string;
  readonly accept: string;
  readonly encode: (binding: Binding) => Buffer;
}

const FORMATS: readonly Format[] = [
  { name: 'JSON', type: JSON_TYPE, accept: JSON_TYPE, encode: jsonOf },
  { name: 'protobuf, answered as JSON', type: PROTOBUF, accept: JSON_TYPE, encode: protobufOf },
  { name: 'protobuf both ways', type: PROTOBUF, accept: PROTOBUF, encode: protobufOf },
];

async function main(): Promise<void> {
  stopStartedOnSignal();
  const { values } = parseArgs({
    options: {
      pods: { type: 'string', default: '1000' },
      rounds: { type: 'string', default: '4' },
      connections: { type: 'string', default: '64' },
    },
  });
  const reason = whyNoControlPlane();
  if (reason !== undefined) {
    console.log(`skipped: ${reason}`);
    return;
  }
  console.log(JSON.stringify(machine()));
  const [pods, rounds] = [Number(values.pods), Number(values.rounds)];
  const lab = await Lab.start({ extra: [], customResources: false });
  const agent = new Agent({
    keepAlive: true,
    maxSockets: Number(values.connections),
    ca: lab.cluster.client.endpoint.certificate,
    checkServerIdentity: () => undefined,
  });
  try {
    await lab.create(...Array.from({ length: 10 }, (_, i) => readyNode(i)));
    // The first round warms up, and does not count.
    await round(lab, agent, FORMATS[0], 'warm', pods);
    const found = new Map<Format, Round[]>(FORMATS.map((format) => [format, []]));
    for (let i = 0; i < rounds; i++) {
      // Each round in another order.
      const order = FORMATS.map((_, k) => FORMATS[(k + i) % FORMATS.length]);
      for (const format of order) {
        found.get(format)!.push(await round(lab, agent, format, `r${i}`, pods));
      }
    }
    for (const [{ name }, list] of found) {
      const cpus = list.map(({ cpu }) => cpu.toFixed(0)).join(', ');
      const seconds = median(list.map((one) => one.seconds));
      console.log(
        `${name}: ${list[0].bytes} bytes sent for a binding, ${list[0].answer} answered; CPU of ${pods} bindings ` +
          `${median(list.map(({ cpu }) => cpu)).toFixed(0)} ms (${cpus}); ${(pods / seconds).toFixed(0)} bindings/s`,
      );
    }
  } finally {
    agent.destroy();
    await lab.stop();
  }
}

interface Round {
  readonly cpu: number;
  readonly seconds: number;
  readonly bytes: number;
  readonly answer: number;
}

async function round(lab: Lab, agent: Agent, format: Format, prefix: string, count: number): Promise<Round> {
  const names = Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
  await lab.createMany(names.map((name) => pod(name)));
  const made = await lab.pods();
  const bindings = made.map(({ metadata }, i): Binding => {
    const { name, uid, resourceVersion } = asObject(metadata);
    return {
      name: asString(name)!,
      uid: asString(uid)!,
      resourceVersion: asString(resourceVersion)!,
      node: nameOf(readyNode(i % 10)),
      devices: String(i % 8),
    };
  });
  const { endpoint } = lab.cluster.client;
  const pids = lab.cluster.processes.map(({ pid }) => pid);
  const before = pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
  const started = performance.now();
  const sizes = await Promise.all(bindings.map((binding) => send(endpoint, agent, format, binding)));
  const seconds = (performance.now() - started) / 1000;
  const cpu = pids.reduce((sum, pid) => sum + cpuOf(pid), 0) - before;
  await check(lab, bindings);
  await lab.cluster.client.request('DELETE', '/api/v1/namespaces/default/pods', { body: { gracePeriodSeconds: 0 } });
  await lab.until('no pods', async () => (await lab.pods()).length === 0);
  return { cpu, seconds, ...sizes[sizes.length - 1] };
}

/** What was bound is where its binding says, with the annotation. */
async function check(lab: Lab, bindings: readonly Binding[]): Promise<void> {
  const pods = new Map((await lab.pods()).map((one) => [nameOf(one), one]));
  for (const { name, node, devices } of bindings) {
    const { metadata, spec } = pods.get(name) ?? {};
    const found = `${asString(asObject(spec).nodeName)},${asString(asObject(asObject(metadata).annotations)[DEVICES])}`;
    if (found !== `${node},${devices}`) {
      throw new Error(`${name} is bound to ${found}, not to ${node},${devices}`);
    }
  }
}

/** CPU that a process has used, milliseconds. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function send(
  { url, token }: { readonly url: string; readonly token: string },
  agent: Agent,
  { type, accept, encode }: Format,
  binding: Binding,
): Promise<{ readonly bytes: number; readonly answer: number }> {
  const body = encode(binding);
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept, 'content-type': type, 'content-length': body.length };
    const path = `${url}/api/v1/namespaces/default/pods/${binding.name}/binding`;
    const call = request(path, { method: 'POST', agent, headers }, (response) => {
      let answer = 0;
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => {
        answer += chunk.length;
        chunks.push(chunk);
      });
      response.on('end', () =>
        (response.statusCode ?? 0) < 300
          ? resolve({ bytes: body.length, answer })
          : reject(new Error(`${binding.name}: ${response.statusCode} ${Buffer.concat(chunks).toString('latin1')}`)),
      );
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}

function jsonOf({ name, uid, resourceVersion, node, devices }: Binding): Buffer {
  return Buffer.from(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { namespace: 'default', name, uid, resourceVersion, annotations: { [DEVICES]: devices } },
      target: { apiVersion: 'v1', kind: 'Node', name: node },
    }),
  );
}

/** A Binding in the envelope that tells the server its kind: `runtime.Unknown` after four bytes. */
function protobufOf({ name, uid, resourceVersion, node, devices }: Binding): Buffer {
  const metadata = message(
    [1, name],
    [3, 'default'],
    [5, uid],
    [6, resourceVersion],
    [12, message([1, DEVICES], [2, devices])],
  );
  const target = message([1, 'Node'], [3, node], [5, 'v1']);
  const binding = message([1, metadata], [2, target]);
  const typeMeta = message([1, 'v1'], [2, 'Binding']);
  return Buffer.concat([Buffer.from('k8s\0', 'latin1'), message([1, typeMeta], [2, binding])]);
}

/** Fields of strings and messages by their numbers. */
function message(...fields: readonly (readonly [number, string | Buffer])[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      const bytes = Buffer.from(value as string);
      return [Buffer.from([(number << 3) | 2]), varint(bytes.length), bytes];
    }),
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) {
      bytes.push(rest);
      return Buffer.from(bytes);
    }
    bytes.push((rest & 0x7f) | 0x80);
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : String(error));
  process.exitCode = 1;
});
