/**
 * Huge pages of the host by size, and on which NUMA node they are. Source: Linux, Documentation/admin-guide/mm/hugetlbpage.rst.
 */
import { join } from 'node:path';
import { type HostRoot } from './host-root';

export interface HugepagePool {
  /** Kibibytes of one page. */
  readonly sizeKiB: number;
  /** `undefined` for the host as a whole. */
  readonly numaNode?: number;
  readonly total: number;
  readonly free: number;
}

export type Hugepages = readonly HugepagePool[];

const HOST = 'sys/kernel/mm/hugepages';
const NUMA = 'sys/devices/system/node';
const SIZE = /^hugepages-(\d{1,9})kB$/;
const MOST_NODES = 64;

/** Sizes without any page are left out. */
export async function readHugepages(root: HostRoot): Promise<Hugepages> {
  const nodes = (await root.list(NUMA)).filter((name) => /^node\d{1,4}$/.test(name)).slice(0, MOST_NODES);
  const read = await Promise.all([
    poolsIn(root, HOST),
    ...nodes.map((name) => poolsIn(root, join(NUMA, name, 'hugepages'), Number(name.slice('node'.length)))),
  ]);
  return read.flat();
}

async function poolsIn(root: HostRoot, folder: string, numaNode?: number): Promise<Hugepages> {
  const sizes = (await root.list(folder)).flatMap((name) => SIZE.exec(name)?.[1] ?? []);
  const pools = await Promise.all(
    sizes.map(async (size): Promise<HugepagePool> => {
      const [total = 0, free = 0] = await Promise.all([
        root.number(join(folder, `hugepages-${size}kB`, 'nr_hugepages')),
        root.number(join(folder, `hugepages-${size}kB`, 'free_hugepages')),
      ]);
      return { sizeKiB: Number(size), ...(numaNode === undefined ? {} : { numaNode }), total, free };
    }),
  );
  return pools.filter(({ total }) => total > 0);
}
