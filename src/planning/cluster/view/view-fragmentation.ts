/**
 * How the free devices lie: in whole nodes and racks where large gangs find room, or scattered.
 */
import { CPU_COLUMN, MEMORY_COLUMN, WHOLE } from '../../../placement/nodes/node-table';
import { type Session } from '../../../placement/books/session';
import { type ViewFragmentation } from './view';
import { deviceUsed } from './view-nodes';
import { type Places } from './view-input';

/** A free device is stranded if its node has less than this part of its CPU or memory per device left. */
const STARVED = 0.1;

export function fragmentationOf({ table }: Session, { levels, rows, paths }: Places): ViewFragmentation {
  let [devices, used, unavailable, freeWhole, onFreeNodes, freeParts, stranded] = [0, 0, 0, 0, 0, 0, 0];
  const nodesByFree: number[] = [];
  const inDomain = levels.map(() => new Map<string, { name: string; devices: number }>());
  const largestNode = { name: '', devices: 0 };
  for (const row of rows) {
    const node = table.nodes[row];
    const count = table.deviceStart[row + 1] - table.deviceStart[row];
    if (count === 0) {
      continue;
    }
    devices += count;
    for (let slot = table.deviceStart[row]; slot < table.deviceStart[row + 1]; slot++) {
      const taken = deviceUsed(table, slot);
      used += taken;
      const broken = table.devices[slot].healthy === false;
      if (broken || node.ready === false || node.unschedulable === true) {
        unavailable += taken === 0 ? 1 : 0;
      } else if (taken > 0 && taken < WHOLE) {
        freeParts += WHOLE - taken;
      }
    }
    if (node.ready === false || node.unschedulable === true) {
      continue;
    }
    const free = table.wholeFree[row];
    freeWhole += free;
    onFreeNodes += free === count ? free : 0;
    stranded +=
      starved(table, row, CPU_COLUMN, free, count) || starved(table, row, MEMORY_COLUMN, free, count) ? free : 0;
    nodesByFree[free] = (nodesByFree[free] ?? 0) + 1;
    if (free > largestNode.devices) {
      Object.assign(largestNode, { name: node.name, devices: free });
    }
    levels.forEach((_, level) => {
      const path = paths[row].slice(0, level + 1);
      if (path[level] === '') {
        return;
      }
      const key = path.join('\n');
      const domain = inDomain[level].get(key) ?? { name: path[level], devices: 0 };
      domain.devices += free;
      inDomain[level].set(key, domain);
    });
  }
  return {
    devices,
    used: used / WHOLE,
    unavailable,
    freeWhole,
    onFreeNodes,
    freeParts: freeParts / WHOLE,
    stranded,
    largest: [...inDomain.map((domains) => largest([...domains.values()])), largestNode],
    nodesByFree: Array.from(nodesByFree, (nodes) => nodes ?? 0),
  };
}

function starved(table: Session['table'], row: number, column: number, free: number, count: number): boolean {
  const all = table.allocatable[column][row];
  return free > 0 && all > 0 && table.free[column][row] / free < (STARVED * all) / count;
}

type Room = ViewFragmentation['largest'][number];

function largest(domains: readonly Room[]): Room {
  return domains.reduce(
    (best, domain) => (domain.devices > best.devices ? domain : best),
    domains[0] ?? { name: '', devices: 0 },
  );
}
