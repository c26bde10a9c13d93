/**
 * Which devices the kubelet has, and which pod has which of them: its pod resources API.
 *
 * Source: kubelet v0.36.3, pkg/apis/podresources/v1/api.proto.
 */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { GrpcChannel } from './grpc';

/** Path of the socket, from the root of the host. */
export const POD_RESOURCES_SOCKET = 'var/lib/kubelet/pod-resources/kubelet.sock';

export interface KubeletDevice {
  /** `nvidia.com/gpu` */
  readonly resource: string;
  /** As the device plugin calls it. */
  readonly id: string;
  readonly numaNodes: readonly number[];
}

export interface PodDevices {
  readonly namespace: string;
  readonly name: string;
  readonly devices: readonly KubeletDevice[];
}

export interface KubeletDevices {
  /** All that device plugins registered and that are healthy. */
  readonly allocatable: readonly KubeletDevice[];
  readonly pods: readonly PodDevices[];
}

const SERVICE = '/v1.PodResourcesLister';

export class PodResources {
  private readonly channel: GrpcChannel;

  /** @param socket path of the kubelet's socket */
  constructor(socket: string) {
    this.channel = new GrpcChannel(socket);
  }

  /** @throws Error where the kubelet does not answer within `timeout` milliseconds, or says something else */
  async read(timeout: number): Promise<KubeletDevices> {
    const [allocatable, list] = await Promise.all([
      this.channel.call(`${SERVICE}/GetAllocatableResources`, new Uint8Array(), timeout),
      this.channel.call(`${SERVICE}/List`, new Uint8Array(), timeout),
    ]);
    const devices: KubeletDevice[] = [];
    message(allocatable, { 1: (reader) => devices.push(...devicesOf(reader.bytes())) });
    const pods: PodDevices[] = [];
    message(list, { 1: (reader) => pods.push(podOf(reader.bytes())) });
    return { allocatable: devices, pods: pods.filter((pod) => pod.devices.length > 0) };
  }

  close(): void {
    this.channel.close();
  }
}

type Fields = Readonly<Record<number, (reader: BinaryReader) => void>>;

/** Reads the fields that are wanted, and skips the others. */
function message(bytes: Uint8Array, fields: Fields): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (Object.hasOwn(fields, field) && (type === WireType.LengthDelimited || type === WireType.Varint)) {
      fields[field](reader);
    } else {
      reader.skip(type, field);
    }
  }
}

function podOf(bytes: Uint8Array): PodDevices {
  let name = '';
  let namespace = '';
  const devices: KubeletDevice[] = [];
  message(bytes, {
    1: (reader) => (name = reader.string()),
    2: (reader) => (namespace = reader.string()),
    3: (reader) => message(reader.bytes(), { 2: (inner) => devices.push(...devicesOf(inner.bytes())) }),
  });
  return { namespace, name, devices };
}

/** One message says the resource once, and all of its devices. */
function devicesOf(bytes: Uint8Array): readonly KubeletDevice[] {
  let resource = '';
  const ids: string[] = [];
  const numaNodes: number[] = [];
  message(bytes, {
    1: (reader) => (resource = reader.string()),
    2: (reader) => ids.push(reader.string()),
    3: (reader) =>
      message(reader.bytes(), {
        1: (topology) => {
          let id = 0;
          message(topology.bytes(), { 1: (node) => (id = Number(node.int64())) });
          numaNodes.push(id);
        },
      }),
  });
  return ids.map((id) => ({ resource, id, numaNodes }));
}
