/**
 * Huge pages of the host by size, and on which NUMA node they are. Source: Linux, Documentation/admin-guide/mm/hugetlbpage.rst.
 */
import { join } from 'node:path';
import { type HostRoot } from './host-root';
import { type KeptFiles } from './kept-files';
import { Seldom } from './seldom';

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

/** Where a pool is. Sizes are those of the processor, and do not change while it runs. */
interface Place extends Pick<HugepagePool, 'sizeKiB' | 'numaNode'> {
  readonly folder: string;
}

export class HugepageReader {
  private readonly places = new Seldom(() => placesIn(this.root));

  constructor(
    private readonly root: HostRoot,
    private readonly files: KeptFiles,
  ) {}

  /** Sizes without any page are left out. */
  read(): Hugepages {
    return this.places.get().flatMap(({ folder, ...pool }): Hugepages => {
      const total = this.files.number(`${folder}/nr_hugepages`) ?? 0;
      return total > 0 ? [{ ...pool, total, free: this.files.number(`${folder}/free_hugepages`) ?? 0 }] : [];
    });
  }
}

function placesIn(root: HostRoot): readonly Place[] {
  const nodes = root.promptList(NUMA).filter((name) => /^node\d{1,4}$/.test(name));
  return [
    ...placesBelow(root, HOST),
    ...nodes
      .slice(0, MOST_NODES)
      .flatMap((name) => placesBelow(root, join(NUMA, name, 'hugepages'), Number(name.slice('node'.length)))),
  ];
}

function placesBelow(root: HostRoot, folder: string, numaNode?: number): readonly Place[] {
  return root.promptList(folder).flatMap((name) => {
    const size = SIZE.exec(name)?.[1];
    return size === undefined
      ? []
      : [{ sizeKiB: Number(size), ...(numaNode === undefined ? {} : { numaNode }), folder: join(folder, name) }];
  });
}
