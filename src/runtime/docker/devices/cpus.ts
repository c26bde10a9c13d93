/**
 * CPUs and memory nodes of the host, from sysfs.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Inventory } from './inventory';

const NODES = '/sys/devices/system/node';

/** CPUs by memory node; all on node 0 where sysfs does not say. @param count CPUs that the engine reports */
export function hostCpus(count: number, root = NODES): Inventory['cpus'] {
  let folders: string[];
  try {
    folders = readdirSync(root).filter((name) => /^node\d+$/.test(name));
  } catch {
    folders = [];
  }
  const found = folders.flatMap((folder) => {
    const numa = Number(folder.slice('node'.length));
    try {
      return cpuList(readFileSync(join(root, folder, 'cpulist'), 'utf8')).map((id) => ({ id, numa }));
    } catch {
      return [];
    }
  });
  // An engine on another host, or one that may use some of the CPUs only: what it reports counts.
  return found.length === count
    ? found.sort((a, b) => a.id - b.id)
    : Array.from({ length: count }, (_, id) => ({ id, numa: 0 }));
}

/** Ids of a list such as `0-3,8,10-11`. Parts that are none are left out. */
export function cpuList(text: string): number[] {
  return text
    .trim()
    .split(',')
    .flatMap((part) => {
      const range = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part.trim());
      if (range === null) {
        return [];
      }
      const first = Number(range[1]);
      const last = Number(range[2] ?? range[1]);
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset);
    });
}

/** The shortest list that names these ids: `0-3,8`. */
export function cpuListText(ids: readonly number[]): string {
  const sorted = [...new Set(ids)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let first = 0; first < sorted.length;) {
    let last = first;
    while (last + 1 < sorted.length && sorted[last + 1] === sorted[last] + 1) {
      last++;
    }
    parts.push(last === first ? `${sorted[first]}` : `${sorted[first]}-${sorted[last]}`);
    first = last + 1;
  }
  return parts.join(',');
}
