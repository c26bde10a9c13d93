/**
 * The command line of the node agent.
 */
import { flagsOf, UsageError, wholeNumber } from '../api/command-line';
import { EXPORTER_VENDORS, type ExporterVendor } from './devices/accelerators';
import { type Expected } from './judge/conditions';
import { type Exporter } from './observation';

export interface Options {
  readonly node: string;
  readonly kubeconfig: string | undefined;
  /** Folder in which the root of the host is mounted. */
  readonly hostRoot: string;
  readonly exporters: readonly Exporter[];
  /** Program that is asked for the state and the links of NVIDIA's GPUs. @default - none is run */
  readonly nvidiaSmi: string | undefined;
  readonly expected: Expected;
  /** Seconds between two observations. */
  readonly interval: number;
  readonly address: string;
  readonly port: number;
  /** Whether nothing is written to the Node. */
  readonly dryRun: boolean;
}

export const USAGE = `Reports the state of a node's accelerators, CPUs, memory, and RDMA ports to its Node object.

Usage:
  gantry-node-agent [flags]

Flags:
  --address string             Address to serve health and metrics on. (default "127.0.0.1")
  --dry-run                    Write nothing to the Node; log the conditions instead.
  --expect-devices RES=COUNT   Devices that the node must have, such as nvidia.com/gpu=8. Can be repeated.
  --expect-rdma-ports int      Number of RDMA ports that must be active.
  --exporter VENDOR=URL        Metrics exporter of this node's accelerators; the vendor is one of nvidia, amd, gaudi,
                               ascend, tpu. Can be repeated.
  --help                       Print this help.
  --host-root string           Folder in which the root of the host is mounted. (default "/")
  --interval int               Seconds between two observations. (default 10)
  --kubeconfig string          Path of a kubeconfig file. (default: the service account of the pod)
  --node string                Name of the Node to report to. (default $NODE_NAME)
  --nvidia-smi string          Path of nvidia-smi, which is run once a minute. (default: it is not run)
  --port int                   Port to serve on; 0 chooses a free port. (default 10271)`;

const OPTIONS = {
  address: { type: 'string', default: '127.0.0.1' },
  'dry-run': { type: 'boolean', default: false },
  'expect-devices': { type: 'string', multiple: true },
  'expect-rdma-ports': { type: 'string' },
  exporter: { type: 'string', multiple: true },
  help: { type: 'boolean', default: false },
  'host-root': { type: 'string', default: '/' },
  interval: { type: 'string', default: '10' },
  kubeconfig: { type: 'string' },
  node: { type: 'string' },
  'nvidia-smi': { type: 'string' },
  port: { type: 'string', default: '10271' },
} as const;

/**
 * @returns `undefined` where only help is asked for
 * @throws UsageError
 */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Options | undefined {
  const values = flagsOf(args, OPTIONS, USAGE);
  if (values.help) {
    return undefined;
  }
  const node = values.node ?? env.NODE_NAME ?? '';
  if (node === '') {
    throw new UsageError(
      'The name of the node is not known. Pass --node NAME, or set the environment variable NODE_NAME.',
    );
  }
  const ports = values['expect-rdma-ports'];
  return {
    node,
    kubeconfig: values.kubeconfig,
    hostRoot: values['host-root'],
    exporters: (values.exporter ?? []).map(exporterOf),
    nvidiaSmi: values['nvidia-smi'],
    expected: {
      devices: new Map((values['expect-devices'] ?? []).map(devicesOf)),
      ...(ports === undefined ? {} : { rdmaPorts: wholeNumber(ports, '--expect-rdma-ports', 1, 256) }),
    },
    interval: wholeNumber(values.interval, '--interval', 1, 3600),
    address: values.address,
    port: wholeNumber(values.port, '--port', 0, 65_535),
    dryRun: values['dry-run'],
  };
}

function devicesOf(text: string): readonly [string, number] {
  const [, resource, count] = /^([a-z0-9.-]+\/[A-Za-z0-9._-]+)=(\d{1,4})$/.exec(text) ?? [];
  if (resource === undefined) {
    throw new UsageError(`--expect-devices is ${text}; it must be a resource and a number, such as nvidia.com/gpu=8.`);
  }
  return [resource, Number(count)];
}

function exporterOf(text: string): Exporter {
  const [, vendor, url] = /^([a-z]+)=(http:\/\/\S+)$/.exec(text) ?? [];
  if (vendor === undefined || !isVendor(vendor) || !URL.canParse(url)) {
    throw new UsageError(
      `--exporter is ${text}; it must be a vendor and a URL, such as nvidia=http://127.0.0.1:9400/metrics. The vendor is one of ${EXPORTER_VENDORS.join(', ')}.`,
    );
  }
  return { vendor, url };
}

function isVendor(name: string): name is ExporterVendor {
  return (EXPORTER_VENDORS as readonly string[]).includes(name);
}
