/**
 * Which of AMD's GPUs reach each other over XGMI (Infinity Fabric), from the topology that the amdkfd driver publishes.
 *
 * Sources: ROCm Documentation, Topology/sysfs.rst, and Linux, drivers/gpu/drm/amd/amdkfd: type 11 of a link is XGMI, a node with `gpu_id` 0 is a
 * CPU, and `location_id` is bus, device, and function.
 */
import { join } from 'node:path';
import { type HostRoot, keyedNumber } from './host-root';
import { Seldom } from './seldom';

const NODES = 'sys/class/kfd/kfd/topology/nodes';
const MOST_NODES = 256;
const XGMI = 11;

export type XgmiLinks = ReadonlyMap<string, ReadonlySet<string>>;

/** The links are those of the mainboard, so they are read seldom. */
export class XgmiReader {
  private readonly links = new Seldom(() => readXgmiLinks(this.root));

  constructor(private readonly root: HostRoot) {}

  read(): Promise<XgmiLinks> {
    return this.links.get();
  }
}

/** @returns the addresses on the PCI bus that each address reaches over XGMI; empty where there is no amdkfd */
export async function readXgmiLinks(root: HostRoot): Promise<XgmiLinks> {
  const names = (await root.list(NODES)).filter((name) => /^\d{1,4}$/.test(name)).slice(0, MOST_NODES);
  const nodes = await Promise.all(names.map((name) => readNode(root, name)));
  const addresses = new Map(
    nodes.flatMap(({ id, address }) => (address === undefined ? [] : [[id, address] as const])),
  );
  return new Map(
    nodes.flatMap(({ address, linked }) => {
      const others = linked.flatMap((id) => addresses.get(id) ?? []);
      return address === undefined ? [] : [[address, new Set(others)] as const];
    }),
  );
}

interface KfdNode {
  readonly id: number;
  /** Absent for a CPU. */
  readonly address?: string;
  /** Ids of the nodes at the other ends of its XGMI links. */
  readonly linked: readonly number[];
}

async function readNode(root: HostRoot, name: string): Promise<KfdNode> {
  const folder = join(NODES, name);
  const id = Number(name);
  if (((await root.number(join(folder, 'gpu_id'))) ?? 0) === 0) {
    return { id, linked: [] };
  }
  const properties = await root.text(join(folder, 'properties'));
  const links = (await root.list(join(folder, 'io_links'))).slice(0, MOST_NODES);
  const read = await Promise.all(links.map((link) => root.text(join(folder, 'io_links', link, 'properties'))));
  return {
    id,
    address: addressOf(keyedNumber(properties, 'domain') ?? 0, keyedNumber(properties, 'location_id') ?? 0),
    linked: read.flatMap((link) => (keyedNumber(link, 'type') === XGMI ? (keyedNumber(link, 'node_to') ?? []) : [])),
  };
}

/** `0000:c1:00.0` */
function addressOf(domain: number, location: number): string {
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
  return `${hex(domain & 0xffff, 4)}:${hex((location >> 8) & 0xff, 2)}:${hex((location >> 3) & 0x1f, 2)}.${location & 7}`;
}
