/**
 * The position of each node in the picture of the cluster: racks as stacks of nodes, a row of devices for each node, racks side by side within
 * their zone. Pure arithmetic, so that any size of cluster is laid out in a moment: O(nodes).
 */
import { type ClusterView } from '../../cluster/view';

export interface Placed {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface Block {
  readonly title: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Where its first node begins. */
  readonly top: number;
  readonly rows: number;
  /** Width of a node. */
  readonly nodeWidth: number;
  /** Indices in the view's nodes. */
  readonly nodes: readonly number[];
}

export interface Section {
  readonly title: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface FleetLayout {
  readonly scale: Scale;
  readonly height: number;
  readonly sections: readonly Section[];
  readonly blocks: readonly Block[];
  /** By index of the node. */
  readonly at: readonly Placed[];
}

/** Sizes in CSS pixels. */
export interface Scale {
  /** Side of a device. */
  readonly cell: number;
  readonly gap: number;
  readonly rowGap: number;
  readonly blockGap: number;
  readonly title: number;
}

const CELLS = [18, 16, 14, 12, 10, 8, 7, 6, 5, 4, 3, 2] as const;

export function scaleOf(cell: number): Scale {
  return {
    cell,
    gap: cell >= 8 ? 2 : cell >= 5 ? 1 : 0,
    rowGap: cell >= 8 ? 4 : cell >= 5 ? 2 : 1,
    blockGap: cell >= 8 ? 22 : cell >= 5 ? 12 : 6,
    title: cell >= 8 ? 20 : 0,
  };
}

/** The largest scale at which everything is at most so high. */
export function fit(view: ClusterView, width: number, height: number): number {
  return CELLS.find((cell) => layOut(view, width, scaleOf(cell)).height <= height) ?? CELLS[CELLS.length - 1];
}

/** The next scale in the row of sizes; the same one at its end. */
export function step(cell: number, by: 1 | -1): number {
  const at = CELLS.findIndex((one) => one === cell) - by;
  return CELLS[Math.min(CELLS.length - 1, Math.max(0, at))];
}

interface Group {
  /** A domain, such as a rack; else nodes of a pool that are in none. */
  readonly place: boolean;
  readonly title: string;
  readonly nodes: number[];
}

const SECTION_TITLE = 26;
const SECTION_GAP = 26;

/** Room at both sides for the frame around a node. */
const MARGIN = 4;

export function layOut(view: ClusterView, room: number, scale: Scale): FleetLayout {
  const width = room - 2 * MARGIN;
  const most = view.nodes.reduce((sum, { devices }) => Math.max(sum, devices.length), 0);
  const pitch = scale.cell + scale.rowGap;
  const at: Placed[] = new Array<Placed>(view.nodes.length);
  const blocks: Block[] = [];
  const sections: Section[] = [];
  const titled = groupsOf(view);
  const places = [...titled.values()]
    .flat()
    .filter(({ place }) => place)
    .map(({ nodes }) => nodes.length);
  const tallest = Math.min(40, places.length === 0 ? 16 : Math.max(4, ...places));
  let x = MARGIN;
  let y = 0;
  let lineHeight = 0;
  for (const [title, groups] of titled) {
    const boxes = groups.map((group) => boxOf(view, group, { tallest, width, most, scale }));
    const natural = boxes.reduce((sum, box) => sum + box.width + scale.blockGap, -scale.blockGap);
    const own = Math.min(width, natural);
    if (x > MARGIN && x + own > MARGIN + width) {
      y += lineHeight + SECTION_GAP;
      x = MARGIN;
      lineHeight = 0;
    }
    const head = title === '' ? 0 : SECTION_TITLE;
    if (title !== '') {
      sections.push({ title, x, y, width: own });
    }
    let left = x;
    let top = y + head;
    let deepest = 0;
    groups.forEach((group, i) => {
      const box = boxes[i];
      if (left > x && left + box.width > x + own + 0.5) {
        left = x;
        top += deepest + scale.blockGap;
        deepest = 0;
      }
      const block = { title: group.title, x: left, y: top, top: top + scale.title, nodes: group.nodes, ...box };
      blocks.push(block);
      group.nodes.forEach((node, n) => {
        at[node] = {
          x: left + Math.floor(n / box.rows) * (box.nodeWidth + columnGap(scale)),
          y: block.top + (n % box.rows) * pitch,
          width: box.nodeWidth,
        };
      });
      left += box.width + scale.blockGap;
      deepest = Math.max(deepest, box.height);
    });
    lineHeight = Math.max(lineHeight, top + deepest - y);
    x += own + SECTION_GAP;
  }
  return { scale, height: y + lineHeight + MARGIN, sections, blocks, at };
}

/** The node under a point. */
export function hit(layout: FleetLayout, x: number, y: number): number | undefined {
  const { scale } = layout;
  const pitch = scale.cell + scale.rowGap;
  const block = layout.blocks.find(
    (one) => x >= one.x - 2 && x <= one.x + one.width + 2 && y >= one.top - scale.rowGap && y <= one.y + one.height + 2,
  );
  if (block === undefined) {
    return undefined;
  }
  const row = Math.min(block.rows - 1, Math.max(0, Math.floor((y - block.top) / pitch)));
  const column = Math.floor((x - block.x) / (block.nodeWidth + columnGap(scale)));
  return block.nodes[Math.max(0, column) * block.rows + row];
}

/** Devices share the row of their node; where a row is full, they are narrower. */
export function cellWidth({ scale }: FleetLayout, nodeWidth: number, devices: number): number {
  return Math.min(scale.cell, (nodeWidth + scale.gap) / devices - scale.gap);
}

function columnGap(scale: Scale): number {
  return scale.cell >= 8 ? 12 : scale.cell >= 5 ? 6 : 3;
}

type BlockSize = Pick<Block, 'width' | 'height' | 'rows' | 'nodeWidth'>;

interface Frame {
  readonly tallest: number;
  readonly width: number;
  /** Devices of the node that has most. */
  readonly most: number;
  readonly scale: Scale;
}

/** Nodes with more devices than this use a row of this many. */
const MOST_IN_A_ROW = 16;

/** Stacks no taller than racks are, side by side as far as there is room. */
function boxOf(view: ClusterView, group: Group, { tallest, width, most, scale }: Frame): BlockSize {
  const nodes = group.nodes.length;
  // Nodes without any device are as wide as the others.
  const devices =
    group.nodes.reduce((sum, node) => Math.max(sum, view.nodes[node].devices.length), 0) || Math.max(most, 4);
  const nodeWidth = Math.min(devices, MOST_IN_A_ROW) * (scale.cell + scale.gap) - scale.gap;
  const beside = Math.max(1, Math.floor((width + columnGap(scale)) / (nodeWidth + columnGap(scale))));
  const rows = Math.ceil(nodes / Math.min(beside, Math.ceil(nodes / tallest)));
  const columns = Math.ceil(nodes / rows);
  return {
    rows,
    nodeWidth,
    width: columns * (nodeWidth + columnGap(scale)) - columnGap(scale),
    height: scale.title + rows * (scale.cell + scale.rowGap) - scale.rowGap,
  };
}

/** `zone eu-1`; `rack-7` needs no other word. */
export function placeName({ levels }: ClusterView, level: number, name: string): string {
  const { title } = levels[level];
  return name === '' || name.toLowerCase().includes(title.toLowerCase()) ? name : `${title} ${name}`;
}

/** By outer domains, then by the innermost level that still holds several nodes; nodes that say nothing stand by pool. */
function groupsOf(view: ClusterView): Map<string, readonly Group[]> {
  const inner = view.levels.reduce(
    (found, { domains }, level) => (domains > 0 && domains < view.nodes.length ? level : found),
    -1,
  );
  const sections = new Map<string, Map<string, Group>>();
  view.nodes.forEach((node, index) => {
    const place = inner < 0 ? '' : node.path[inner];
    const outer =
      inner < 0
        ? ''
        : node.path
            .slice(0, inner)
            .map((name, level) => placeName(view, level, name))
            .filter((name) => name !== '')
            .join(', ');
    const pool = view.pools[node.pool]?.name ?? '';
    const title = place === '' ? pool : place;
    const groups = sections.get(outer) ?? new Map<string, Group>();
    sections.set(outer, groups);
    const key = `${place === '' ? 'pool' : 'place'} ${title}`;
    const group = groups.get(key) ?? { place: place !== '', title, nodes: [] };
    groups.set(key, group);
    group.nodes.push(index);
  });
  return new Map([...sections].map(([title, groups]) => [title, [...groups.values()]]));
}
