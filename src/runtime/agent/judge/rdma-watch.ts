/**
 * RDMA ports whose link went down, or that count errors.
 *
 * A port without a cable is normal on many hosts, so only ports that were active count, and those that the node is expected to have.
 * Congestion (`port_xmit_wait`, ECN marks) is a metric and not a condition: it says that the fabric is busy, not that this node is broken.
 */
import { RDMA_COUNTERS, type RdmaPort } from '../host/infiniband';
import { type Finding } from './finding';

/** Each increase is a fault of a cable, a port, or a setting. */
const FAULTS = ['link_downed', 'link_error_recovery', 'symbol_error', 'port_rcv_errors', 'local_ack_timeout_err'];

export class RdmaWatch {
  private before = new Map<string, RdmaPort>();
  private readonly wereActive = new Set<string>();

  constructor(
    private readonly errors: number,
    private readonly expected?: number,
  ) {}

  add(ports: readonly RdmaPort[] | undefined): Finding | 'fine' | 'unknown' | 'none' {
    if (ports === undefined) {
      return 'unknown';
    }
    if (ports.length === 0 && this.wereActive.size === 0 && this.expected === undefined) {
      return 'none';
    }
    const now = new Map(ports.map((port) => [`${port.device}/${port.port}`, port]));
    const active = [...now].filter(([, { state }]) => state === 'ACTIVE').map(([name]) => name);
    active.forEach((name) => this.wereActive.add(name));
    const down = [...this.wereActive].filter((name) => now.get(name)?.state !== 'ACTIVE').sort();
    const faults = [...now].flatMap(([name, port]) => this.increases(name, port));
    this.before = now;
    if (down.length > 0) {
      return { reason: 'PortDown', message: `RDMA ports are no longer active: ${down.join(', ')}` };
    }
    if (this.expected !== undefined && active.length < this.expected) {
      return { reason: 'PortsMissing', message: `${active.length} of ${this.expected} RDMA ports are active` };
    }
    return faults.length === 0 ? 'fine' : { reason: 'PortErrors', message: faults.join('; ') };
  }

  private increases(name: string, port: RdmaPort): readonly string[] {
    const before = this.before.get(name)?.counters ?? port.counters;
    return FAULTS.flatMap((counter) => {
      const increase = (port.counters[counter] ?? 0) - (before[counter] ?? port.counters[counter] ?? 0);
      return increase > this.errors ? [`${name}: ${increase} ${RDMA_COUNTERS[counter]}`] : [];
    });
  }
}
