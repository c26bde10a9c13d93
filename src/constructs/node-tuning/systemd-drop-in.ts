/**
 * SystemdDropIn: settings of a systemd unit or slice, as a file beside the unit's own.
 *
 * It takes effect at `systemctl daemon-reload`, which takes GPUs away from containers whose devices came by the hook: it belongs into the
 * node's image.
 */
import { type ByteSize } from '../resources/quantities';
import { binarySize } from './file-sizes';
import { drained, type NodeDocument } from './node-document';
import { publicClass } from '../resources/public-class';

/** Props of a SystemdDropIn. */
export interface SystemdDropInProps {
  /** The unit, for example `containerd.service` or `ai.slice`. */
  readonly unit: string;
  /** Name of the file without its ending. @default 50-gantry */
  readonly name?: string;
  /** Settings by section: `{ Service: { LimitMEMLOCK: 'infinity' } }`. */
  readonly settings: Readonly<Record<string, Readonly<Record<string, string | number>>>>;
}

/** Limits of a slice of systemd. */
export interface SliceOptions {
  /** Share of CPU time against other slices; 100 is the default of systemd. @default - not set */
  readonly cpuWeight?: number;
  /** Memory above which the slice is slowed down, `48Gi` or `75%` of the memory of the node. @default - not stated */
  readonly memoryHigh?: ByteSize;
  /** Memory above which a process of the slice is killed, stated as `memoryHigh` is. @default - not stated */
  readonly memoryMax?: ByteSize;
  /** Processes and threads. @default - not stated */
  readonly tasksMax?: number;
  /** CPUs, `0-31`. @default - all */
  readonly allowedCpus?: string;
}

/**
 * A drop-in file for a unit of systemd.
 *
 * Rules: `node-tuning/unit-*`, `node-tuning/slice-of-pods-left-to-kubelet`. Source: systemd.resource-control(5),
 * systemd.exec(5).
 *
 * @example
 * new nodeTuning.NodeDocuments(chart, 'files', { documents: [nodeTuning.SystemdDropIn.memlock('containerd.service')] });
 */
@publicClass('nodeTuning.SystemdDropIn')
export class SystemdDropIn implements NodeDocument {
  /** Containers of every runtime may lock memory; a RuntimeClass (`MemlockRuntime`) does it for those that ask. */
  static memlock(unit = 'containerd.service'): SystemdDropIn {
    return new SystemdDropIn({ unit, name: '50-memlock', settings: { Service: { LimitMEMLOCK: 'infinity' } } });
  }

  /**
   * A slice for containers of plain Docker (`--cgroup-parent=ai.slice`). Pods have their own, which are the kubelet's.
   *
   * @throws if nothing is stated, memory has no unit, or the slice is one of the kubelet's
   */
  static slice(unit: string, options: SliceOptions): SystemdDropIn {
    const { cpuWeight, memoryHigh, memoryMax, tasksMax, allowedCpus } = options;
    if (cpuWeight !== undefined && (!Number.isInteger(cpuWeight) || cpuWeight < 1 || cpuWeight > 10_000)) {
      throw new Error(`cpuWeight: ${cpuWeight} must be between 1 and 10000.`);
    }
    const all = {
      CPUWeight: cpuWeight,
      AllowedCPUs: allowedCpus,
      MemoryHigh: memoryLimit('memoryHigh', memoryHigh),
      MemoryMax: memoryLimit('memoryMax', memoryMax),
      TasksMax: tasksMax,
    };
    const settings = Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string | number] => entry[1] !== undefined),
    );
    return new SystemdDropIn({ unit, settings: { Slice: settings } });
  }

  readonly path: string;
  readonly rollOut: readonly string[];

  /** @throws if the unit belongs to the kubelet, is not a unit name, or nothing is set */
  constructor(private readonly props: SystemdDropInProps) {
    const { unit, name = '50-gantry', settings } = props;
    if (/^kubepods.*\.slice$/.test(unit)) {
      throw new Error(
        `unit: "${unit}" belongs to the kubelet, which overwrites its weights. Set the requests of pods, or kubeReserved and systemReserved.`,
      );
    }
    if (!/^[A-Za-z0-9:_.@\\-]+\.(service|slice|scope|socket|mount|timer)$/.test(unit)) {
      throw new Error(
        `unit: "${unit}" is not a valid unit name. Write the name with its type, for example containerd.service.`,
      );
    }
    if (Object.values(settings).every((section) => Object.keys(section).length === 0)) {
      throw new Error(`settings must not be empty for ${unit}.`);
    }
    this.path = `/etc/systemd/system/${unit}.d/${name}.conf`;
    this.rollOut = drained('copy the file', 'systemctl daemon-reload', `systemctl restart ${unit}`);
  }

  toText(): string {
    return Object.entries(this.props.settings)
      .filter(([, section]) => Object.keys(section).length > 0)
      .map(([name, section]) =>
        [`[${name}]`, ...Object.entries(section).map(([setting, value]) => `${setting}=${value}`), ''].join('\n'),
      )
      .join('\n');
  }
}

/** A share of the memory of the node stays as it is written. */
function memoryLimit(prop: string, limit: ByteSize | undefined): string | undefined {
  if (limit === undefined || (typeof limit === 'string' && /^(\d{1,2}(\.\d+)?|100)%$/.test(limit))) {
    return limit;
  }
  return binarySize(prop, limit).toUpperCase();
}
