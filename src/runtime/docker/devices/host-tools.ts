/**
 * What discovery asks of the host: vendor programs, CDI files, and sysfs.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface HostTools {
  /** Standard output of a program, whatever its exit status. `undefined` if it cannot be run or does not end in time. */
  readonly run: (program: string, ...words: readonly string[]) => Promise<string | undefined>;
  /** Texts of the `.json` and `.yaml` files of a folder, by path. */
  readonly files: (folder: string) => ReadonlyMap<string, string>;
  /** Memory node next to a PCI device, as sysfs says. */
  readonly numaOf: (busId: string) => number | undefined;
}

/** For an engine on another host. */
export const NO_TOOLS: HostTools = {
  run: () => Promise.resolve(undefined),
  files: () => new Map(),
  numaOf: () => undefined,
};

const PATIENCE = 30_000;
const LONGEST = 16 * 1024 * 1024;
const PCI = '/sys/bus/pci/devices';

export function localTools(env: Readonly<Record<string, string | undefined>>): HostTools {
  return {
    run: (program, ...words) =>
      new Promise((resolve) => {
        const options = { env, timeout: PATIENCE, maxBuffer: LONGEST, killSignal: 'SIGKILL' as const };
        execFile(program, words, options, (error, out) => {
          // With one device lost, nvidia-smi fails and still prints the others.
          const hasRun = error === null || typeof error.code === 'number';
          resolve(hasRun && out !== '' ? out : undefined);
        });
      }),
    files: filesOf,
    numaOf: (busId) => {
      try {
        const node = Number(readFileSync(join(PCI, busId, 'numa_node'), 'utf8'));
        return Number.isInteger(node) && node >= 0 ? node : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

function filesOf(folder: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  try {
    for (const name of readdirSync(folder).filter((one) => /\.(json|ya?ml)$/.test(one))) {
      texts.set(join(folder, name), readFileSync(join(folder, name), 'utf8'));
    }
  } catch {
    // A folder that is not there has no files.
  }
  return texts;
}
