/**
 * The pod-resources API of a kubelet that offers a number of devices, on the socket where the node agent looks for it.
 *
 * Source of the messages: k8s.io/kubelet, pkg/apis/podresources/v1/api.proto.
 */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { mkdirSync } from 'node:fs';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { dirname, join } from 'node:path';

export class FakeKubelet {
  private constructor(
    private readonly server: Http2Server,
    /** Devices that are allocatable. */
    public devices: number,
  ) {}

  /** @param root the folder that the agent takes for the root of the host */
  static async start(root: string, devices: number): Promise<FakeKubelet> {
    const socket = join(root, 'var/lib/kubelet/pod-resources/kubelet.sock');
    mkdirSync(dirname(socket), { recursive: true });
    const server = createServer();
    const kubelet = new FakeKubelet(server, devices);
    server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      kubelet.answer(stream, String(headers[':path']).endsWith('/GetAllocatableResources'));
    });
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    return kubelet;
  }

  stop(): Promise<void> {
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
