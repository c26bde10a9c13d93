/**
 * How devices reach each other and which memory node is next to them: the matrix of `nvidia-smi topo -m`.
 */
export interface Topology {
  /** Name of the island of each device that shares a link with another one, by index. */
  readonly islands: ReadonlyMap<number, string>;
  /** Memory nodes by index. */
  readonly numa: ReadonlyMap<number, number>;
}

// eslint-disable-next-line no-control-regex
const STYLE = /\u001B\[[\d;]*m/g;
const HEADING = /GPU\d+|CPU Affinity|NUMA Affinity|GPU NUMA ID|\S+/g;

/**
 * Devices that NVLink connects, over others too, are one island; on a host without NVLink the devices behind one PCIe switch are.
 *
 * @returns empty maps if the text is not a matrix
 */
export function parseTopology(text: string): Topology {
  const lines = text.replace(STYLE, '').split('\n');
  const head = lines.find((line) => /^\s*GPU\d+\s/.test(line) && !/\sX\s/.test(line));
  const headings = head?.match(HEADING) ?? [];
  const columns = new Map(headings.map((heading, column) => [heading, column]));
  const rows = new Map<number, readonly string[]>();
  for (const line of lines) {
    const [, index, cells] = /^\s*GPU(\d+)\s+(.*\bX\b.*)$/.exec(line) ?? [];
    if (index !== undefined) {
      rows.set(Number(index), cells.trim().split(/\s+/));
    }
  }
  const connected = (pattern: RegExp): ReadonlyMap<number, number> =>
    groups([...rows.keys()], (a, b) => pattern.test(rows.get(a)?.[columns.get(`GPU${b}`) ?? -1] ?? ''));
  const links = connected(/^NV\d+$/);
  const [kind, found] = links.size > 0 ? (['nvlink', links] as const) : (['pcie', connected(/^(PIX|PXB)$/)] as const);
  const numa = new Map<number, number>();
  for (const [index, cells] of rows) {
    const node = cells[columns.get('NUMA Affinity') ?? -1] ?? '';
    if (/^\d+$/.test(node)) {
      numa.set(index, Number(node));
    }
  }
  return { islands: new Map([...found].map(([index, first]) => [index, `${kind}-${first}`])), numa };
}

/** Members of groups of at least two, each with the first member of its group. */
function groups(indices: readonly number[], isLinked: (a: number, b: number) => boolean): ReadonlyMap<number, number> {
  const firsts = new Map<number, number>();
  for (const start of indices) {
    const members = [start];
    for (const member of firsts.has(start) ? [] : members) {
      members.push(...indices.filter((other) => !members.includes(other) && isLinked(member, other)));
    }
    if (members.length > 1) {
      members.forEach((member) => firsts.set(member, start));
    }
  }
  return firsts;
}
