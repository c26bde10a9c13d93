import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubeletDevices, PodResources } from '../../../src/runtime/agent/kubelet/pod-resources';

type Respond = (stream: ServerHttp2Stream, path: string) => void;

let folder: string;
let server: Http2Server | undefined;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gantry-kubelet-'))));
afterEach(async () => {
  await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
  server = undefined;
  rmSync(folder, { recursive: true });
});

async function kubelet(respond: Respond): Promise<string> {
  const socket = join(folder, 'kubelet.sock');
  server = createServer();
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    respond(stream, String(headers[':path']));
  });
  await new Promise<void>((resolve) => server!.listen(socket, resolve));
  return socket;
}

const nested = (field: number, ...members: readonly ((writer: BinaryWriter) => void)[]) => {
  const inner = new BinaryWriter();
  members.forEach((member) => member(inner));
  return (writer: BinaryWriter): void => void writer.tag(field, WireType.LengthDelimited).bytes(inner.finish());
};
const text = (field: number, value: string) => (writer: BinaryWriter) =>
  void writer.tag(field, WireType.LengthDelimited).string(value);
const integer = (field: number, value: number) => (writer: BinaryWriter) =>
  void writer.tag(field, WireType.Varint).int64(value);

async function readKubeletDevices(socket: string, timeout: number): Promise<KubeletDevices> {
  const resources = new PodResources(socket);
  try {
    return await resources.read(timeout);
  } finally {
    resources.close();
  }
}

function message(...members: readonly ((writer: BinaryWriter) => void)[]): Buffer {
  const writer = new BinaryWriter();
  members.forEach((member) => member(writer));
  const bytes = writer.finish();
  const frame = Buffer.alloc(5 + bytes.length);
  frame.writeUInt32BE(bytes.length, 1);
  frame.set(bytes, 5);
  return frame;
}

function answer(stream: ServerHttp2Stream, body: Buffer, status = '0', reason?: string): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () =>
    stream.sendTrailers({ 'grpc-status': status, ...(reason === undefined ? {} : { 'grpc-message': reason }) }),
  );
  stream.end(body);
}

const devices = (field: number, resource: string, ids: readonly string[], numa: number) =>
  nested(field, text(1, resource), ...ids.map((id) => text(2, id)), nested(3, nested(1, integer(1, numa))));

test('devices of the node, and of each pod, with their NUMA nodes', async () => {
  const socket = await kubelet((stream, path) =>
    answer(
      stream,
      path.endsWith('/GetAllocatableResources')
        ? message(devices(1, 'nvidia.com/gpu', ['GPU-0', 'GPU-1'], 1), integer(2, 3))
        : message(
            nested(
              1,
              text(1, 'trainer-0'),
              text(2, 'research'),
              nested(3, text(1, 'main'), devices(2, 'nvidia.com/gpu', ['GPU-1'], 1), integer(3, 5)),
              nested(3, text(1, 'sidecar')),
            ),
            nested(1, text(1, 'web'), text(2, 'default'), nested(3, text(1, 'main'))),
          ),
    ),
  );
  const gpu = (id: string): object => ({ resource: 'nvidia.com/gpu', id, numaNodes: [1] });
  expect(await readKubeletDevices(socket, 5000)).toEqual({
    allocatable: [gpu('GPU-0'), gpu('GPU-1')],
    pods: [{ namespace: 'research', name: 'trainer-0', devices: [gpu('GPU-1')] }],
  });
});

test.each<readonly [string, Respond, string]>([
  [
    'an error of gRPC',
    (stream) => stream.respond({ ':status': 200, 'grpc-status': '12', 'grpc-message': 'unknown' }, { endStream: true }),
    'gRPC status 12: unknown',
  ],
  ['an answer without a message', (stream) => answer(stream, Buffer.alloc(0)), 'the response has no message'],
  ['no gRPC', (stream) => stream.respond({ ':status': 404 }, { endStream: true }), 'gRPC status undefined'],
  ['an answer that breaks off', (stream) => stream.close(2), 'Stream closed with error code NGHTTP2_INTERNAL_ERROR'],
  ['a message that is none', (stream) => answer(stream, Buffer.from([0, 0, 0, 0, 2, 0xff, 0xff])), ''],
])('%s is an error', async (_, respond, expected) => {
  const socket = await kubelet(respond);
  await expect(readKubeletDevices(socket, 5000)).rejects.toThrow(expected);
});

test('a kubelet that does not answer, and none at all, are errors', async () => {
  const silent = await kubelet(() => undefined);
  await expect(readKubeletDevices(silent, 50)).rejects.toThrow('no response within 50 ms');
  await expect(readKubeletDevices(join(folder, 'none'), 5000)).rejects.toThrow('ENOENT');
});

test('both calls of all observations use one connection, until the kubelet starts again', async () => {
  const respond: Respond = (stream) => answer(stream, message());
  const socket = await kubelet(respond);
  const resources = new PodResources(socket);
  const sessions = new Set<ServerHttp2Session>();
  const first = server!;
  first.on('session', (session) => sessions.add(session));
  for (let observations = 0; observations < 3; observations++) {
    expect(await resources.read(5000)).toEqual({ allocatable: [], pods: [] });
  }
  expect(sessions.size).toBe(1);
  sessions.forEach((session) => session.destroy());
  await new Promise<void>((resolve) => first.close(() => resolve()));
  await expect(resources.read(5000)).rejects.toThrow(/ENOENT|ECONNREFUSED/);
  expect(await kubelet(respond)).toBe(socket);
  expect(await resources.read(5000)).toEqual({ allocatable: [], pods: [] });
  resources.close();
});

test('a connection on which an answer did not come is given up', async () => {
  let isSilent = true;
  const socket = await kubelet((stream) => (isSilent ? undefined : answer(stream, message())));
  const resources = new PodResources(socket);
  await expect(resources.read(50)).rejects.toThrow('no response within 50 ms');
  isSilent = false;
  expect(await resources.read(5000)).toEqual({ allocatable: [], pods: [] });
  resources.close();
});

test('errors of both calls at once leave the process whole, time after time', async () => {
  const socket = await kubelet((stream) =>
    stream.respond({ ':status': 200, 'grpc-status': '12', 'grpc-message': 'unknown' }, { endStream: true }),
  );
  // Node.js ended in every run of 100 where the connection was destroyed at once.
  for (let rounds = 0; rounds < 100; rounds++) {
    await expect(readKubeletDevices(socket, 5000)).rejects.toThrow('gRPC status 12: unknown');
  }
});
