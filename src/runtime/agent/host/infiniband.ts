/**
 * RDMA ports of the host: link state, rate, and counters, from `/sys/class/infiniband`.
 *
 * Sources: Linux, Documentation/ABI/stable/sysfs-class-infiniband; the `hw_counters` of mlx5 for RoCE congestion.
 */
import { join } from 'node:path';
import { type HostRoot } from './host-root';

export interface RdmaPort {
  /** `mlx5_0` */
  readonly device: string;
  readonly port: number;
  /** `ACTIVE`, `DOWN`, `INIT`, … */
  readonly state: string;
  /** `LinkUp`, `Polling`, `Disabled`, … */
  readonly physicalState: string;
  readonly linkLayer: 'InfiniBand' | 'Ethernet' | 'unknown';
  readonly gigabitsPerSecond?: number;
  /** Of `counters` and `hw_counters`, since the driver was loaded. */
  readonly counters: Readonly<Record<string, number>>;
}

const CLASS = 'sys/class/infiniband';
const MOST_PORTS = 256;

/** The counters that say something about the fabric's health and congestion, with what an increase of each means. */
export const RDMA_COUNTERS: Readonly<Record<string, string>> = {
  symbol_error: 'minor link errors',
  link_error_recovery: 'link recoveries',
  link_downed: 'failed links',
  port_rcv_errors: 'packets received with errors',
  port_xmit_discards: 'outbound packets discarded',
  port_xmit_wait: 'ticks in which data waited for credits',
  np_cnp_sent: 'congestion notifications sent',
  np_ecn_marked_roce_packets: 'RoCE packets received with a congestion mark',
  rp_cnp_handled: 'congestion notifications that slowed a sender down',
  out_of_sequence: 'packets received out of sequence',
  packet_seq_err: 'sequence errors reported by the receiver',
  local_ack_timeout_err: 'acknowledgements that did not come in time',
  rnr_nak_retry_err: 'retries because the receiver was not ready',
  out_of_buffer: 'packets dropped because no buffer was free',
  roce_adp_retrans: 'adaptive retransmissions',
};

export async function readRdmaPorts(root: HostRoot): Promise<readonly RdmaPort[]> {
  const ports: (readonly [device: string, port: string])[] = [];
  for (const device of await root.list(CLASS)) {
    for (const port of await root.list(join(CLASS, device, 'ports'))) {
      if (/^\d{1,3}$/.test(port) && ports.length < MOST_PORTS) {
        ports.push([device, port]);
      }
    }
  }
  return Promise.all(ports.map(([device, port]) => readPort(root, device, port)));
}

async function readPort(root: HostRoot, device: string, port: string): Promise<RdmaPort> {
  const folder = join(CLASS, device, 'ports', port);
  const [state, physicalState, layer, rate, counters] = await Promise.all([
    root.text(join(folder, 'state')),
    root.text(join(folder, 'phys_state')),
    root.text(join(folder, 'link_layer')),
    root.text(join(folder, 'rate')),
    readCounters(root, folder),
  ]);
  const gigabits = /^([\d.]+) Gb\/sec/.exec(rate ?? '')?.[1];
  return {
    device,
    port: Number(port),
    state: afterNumber(state),
    physicalState: afterNumber(physicalState),
    linkLayer: layer === 'InfiniBand' || layer === 'Ethernet' ? layer : 'unknown',
    ...(gigabits === undefined ? {} : { gigabitsPerSecond: Number(gigabits) }),
    counters,
  };
}

/** `4: ACTIVE` */
function afterNumber(text: string | undefined): string {
  return /^\d+:\s*(\w+)$/.exec(text ?? '')?.[1] ?? 'unknown';
}

async function readCounters(root: HostRoot, folder: string): Promise<Readonly<Record<string, number>>> {
  const folders = ['counters', 'hw_counters'].map((name) => join(folder, name));
  const there = await Promise.all(folders.map(async (path) => new Set(await root.list(path))));
  const read = await Promise.all(
    Object.keys(RDMA_COUNTERS).flatMap((name) => {
      const at = there.findIndex((names) => names.has(name));
      return at < 0 ? [] : [root.number(join(folders[at], name)).then((value) => [name, value] as const)];
    }),
  );
  return Object.fromEntries(read.filter((entry): entry is [string, number] => entry[1] !== undefined));
}
