/**
 * RDMA ports of the host: link state, rate, and counters, from `/sys/class/infiniband`.
 *
 * Sources: Linux, Documentation/ABI/stable/sysfs-class-infiniband; the `hw_counters` of mlx5 for RoCE congestion.
 */
import { type HostRoot, numberIn } from './host-root';
import { type KeptFiles } from './kept-files';
import { Seldom } from './seldom';

export interface RdmaPort {
  /** `mlx5_0` */
  readonly device: string;
  readonly port: number;
  /** `ACTIVE`, `DOWN`, `INIT`, … */
  readonly state: string;
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

/** What hardly ever changes about a port. */
interface PortLayout extends Pick<RdmaPort, 'linkLayer' | 'gigabitsPerSecond'> {
  /** Path of each counter that the driver has, by its name. */
  readonly counters: ReadonlyMap<string, string>;
}

export class RdmaReader {
  private readonly layouts = new Seldom(() => new Map<string, PortLayout>());

  constructor(
    private readonly root: HostRoot,
    private readonly files: KeptFiles,
  ) {}

  /** One file after the other: a driver that hangs holds one thread, and leaves the others to the other sources. */
  async read(): Promise<readonly RdmaPort[]> {
    const layouts = this.layouts.get();
    const ports: RdmaPort[] = [];
    for (const [device, port] of portsBelow(this.root)) {
      const folder = `${CLASS}/${device}/ports/${port}`;
      const layout = layouts.get(folder) ?? (await this.layoutOf(folder));
      layouts.set(folder, layout);
      ports.push(await this.readPort(device, Number(port), folder, layout));
    }
    return ports;
  }

  private async readPort(device: string, port: number, folder: string, layout: PortLayout): Promise<RdmaPort> {
    const { counters: paths, ...others } = layout;
    const state = afterNumber(await this.files.textOnThread(`${folder}/state`));
    const counters: Record<string, number> = {};
    for (const [name, path] of paths) {
      const value = numberIn(await this.files.textOnThread(path));
      if (value !== undefined) {
        counters[name] = value;
      }
    }
    return { device, port, state, ...others, counters };
  }

  private async layoutOf(folder: string): Promise<PortLayout> {
    const layer = await this.files.textOnThread(`${folder}/link_layer`);
    const rate = await this.files.textOnThread(`${folder}/rate`);
    const gigabits = /^([\d.]+) Gb\/sec/.exec(rate ?? '')?.[1];
    return {
      linkLayer: layer === 'InfiniBand' || layer === 'Ethernet' ? layer : 'unknown',
      ...(gigabits === undefined ? {} : { gigabitsPerSecond: Number(gigabits) }),
      counters: countersBelow(this.root, folder),
    };
  }
}

function portsBelow(root: HostRoot): readonly (readonly [device: string, port: string])[] {
  return root
    .promptList(CLASS)
    .flatMap((device) =>
      root
        .promptList(`${CLASS}/${device}/ports`)
        .flatMap((port) => (/^\d{1,3}$/.test(port) ? [[device, port] as const] : [])),
    )
    .slice(0, MOST_PORTS);
}

/** `4: ACTIVE` */
function afterNumber(text: string | undefined): string {
  return /^\d+:\s*(\w+)$/.exec(text ?? '')?.[1] ?? 'unknown';
}

function countersBelow(root: HostRoot, folder: string): ReadonlyMap<string, string> {
  const there = ['counters', 'hw_counters'].map((name) => {
    const path = `${folder}/${name}`;
    return { path, names: new Set(root.promptList(path)) };
  });
  return new Map(
    Object.keys(RDMA_COUNTERS).flatMap((name) => {
      const found = there.find(({ names }) => names.has(name));
      return found === undefined ? [] : [[name, `${found.path}/${name}`] as const];
    }),
  );
}
