/**
 * The pod-resources API of a kubelet that offers a number of devices, and the sockets of a device plugin, where the node agent looks for them.
 *
 * Source of the messages: k8s.io/kubelet, pkg/apis/podresources/v1/api.proto.
 */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { mkdirSync } from 'node:fs';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { createServer as createSocket, type Server } from 'node:net';
import { dirname, join } from 'node:path';

export class FakeKubelet {
  private constructor(
    private readonly server: Http2Server,
    /** Devices that are allocatable. */
    public devices: number,
    private readonly folder: string,
    private readonly registration: Server,
  ) {}

  private plugin: Server | undefined;

  /** @param root the folder that the agent takes for the root of the host */
  static async start(root: string, devices: number): Promise<FakeKubelet> {
    const socket = join(root, 'var/lib/kubelet/pod-resources/kubelet.sock');
    mkdirSync(dirname(socket), { recursive: true });
    const server = createServer();
    const folder = join(root, 'var/lib/kubelet/device-plugins');
    mkdirSync(folder, { recursive: true });
    const registration = await listening(join(folder, 'kubelet.sock'));
    const kubelet = new FakeKubelet(server, devices, folder, registration);
    await kubelet.startPlugin();
    server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      kubelet.answer(stream, String(headers[':path']).endsWith('/GetAllocatableResources'));
    });
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    return kubelet;
  }

  async startPlugin(): Promise<void> {
    this.plugin ??= await listening(join(this.folder, 'nvidia-gpu.sock'));
  }

  /** The plugin ends, and its socket with it. */
  async stopPlugin(): Promise<void> {
    const { plugin } = this;
    this.plugin = undefined;
    await new Promise<void>((resolve) => (plugin === undefined ? resolve() : plugin.close(() => resolve())));
  }

  async stop(): Promise<void> {
    await this.stopPlugin();
    await new Promise<void>((resolve) => this.registration.close(() => resolve()));
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private answer(stream: ServerHttp2Stream, isAllocatable: boolean): void {
    const writer = new BinaryWriter();
    if (isAllocatable) {
      const ids = Array.from({ length: this.devices }, (_, index) => `GPU-${index}`);
      const devices = new BinaryWriter();
      devices.tag(1, WireType.LengthDelimited).string('nvidia.com/gpu');
      ids.forEach((id) => devices.tag(2, WireType.LengthDelimited).string(id));
      writer.tag(1, WireType.LengthDelimited).bytes(devices.finish());
    }
    const bytes = writer.finish();
    const frame = Buffer.alloc(5 + bytes.length);
    frame.writeUInt32BE(bytes.length, 1);
    frame.set(bytes, 5);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(frame);
  }
}

async function listening(path: string): Promise<Server> {
  const server = createSocket((socket) => socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return server;
}
