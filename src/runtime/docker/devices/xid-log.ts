/**
 * XIDs in the kernel log: errors of NVIDIA devices after which an administrator has to act.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { findXid, XIDS_TO_ACT_ON } from '../../../facts/catalog';
import { busIdOf } from '../../nvidia/nvidia-smi';

export interface XidEvent {
  /** As sysfs names the device. */
  readonly busId: string;
  readonly code: number;
}

/** The XID of a line such as `NVRM: Xid (PCI:0000:3b:00): 79, pid=…`. `undefined` if there is none. */
export function xidOf(line: string): XidEvent | undefined {
  const [, bus, code] = /NVRM: Xid \(PCI:([0-9a-fA-F:.]+)\): (\d{1,4})\b/.exec(line) ?? [];
  const busId = busIdOf(bus);
  return busId === undefined ? undefined : { busId, code: Number(code) };
}

/** Why a device is taken out of service after the XID. `undefined` where nothing has to be done, or the program is to blame. */
export function xidFault(code: number): string | undefined {
  return XIDS_TO_ACT_ON.includes(code)
    ? `XID ${code} (${findXid(code)?.meaning ?? 'unknown'}): ${findXid(code)?.action ?? 'inspect it'}, then resume the device`
    : undefined;
}

const LONGEST_RECORD = 8192;
const MOST_RECORDS = 10_000;

/** New records of the kernel log since the last call. Where the log cannot be read, there are none. */
export class KernelLog {
  private file: number | undefined;

  constructor(path = '/dev/kmsg') {
    try {
      this.file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      // What was logged before may have been mended since.
      let read = MOST_RECORDS;
      while (read === MOST_RECORDS) {
        read = this.records().length;
      }
    } catch {
      this.file = undefined;
    }
  }

  records(): readonly string[] {
    const records: string[] = [];
    const buffer = Buffer.alloc(LONGEST_RECORD);
    while (this.file !== undefined && records.length < MOST_RECORDS) {
      try {
        const length = readSync(this.file, buffer);
        if (length === 0) {
          break;
        }
        records.push(buffer.toString('utf8', 0, length));
      } catch (error) {
        // EPIPE: records were overwritten before they were read; the next read goes on behind them.
        if ((error as NodeJS.ErrnoException).code !== 'EPIPE') {
          break;
        }
      }
    }
    return records;
  }

  close(): void {
    if (this.file !== undefined) {
      closeSync(this.file);
      this.file = undefined;
    }
  }
}
