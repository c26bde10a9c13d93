/**
 * Where each node is in the picture of the cluster: racks as stacks of nodes, a row of devices for each node, racks side by side within
 * their zone. Blocks of any width begin at the columns of one grid. Pure arithmetic: O(nodes).
 */
import { type ClusterView } from '../../cluster/view/view';
import { spansOf } from './device-cells';

export interface Placed {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Block {
  readonly title: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Up to the next block of the grid: what a title may take. */
  readonly titleWidth: number;
  /** Where its first node begins. */
  readonly top: number;
  readonly rows: number;
  /** Width and height of a node. */
  readonly nodeWidth: number;
  readonly nodeHeight: number;
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

/** The smallest is more than a hairline. */
const CELLS = [18, 16, 14, 12, 10, 8, 7, 6, 5, 4, 3] as const;

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
  const shapes = shapesOf(view);
  const plain = Math.min(PLAIN_COLUMNS, shapes.reduce((most, { columns }) => Math.max(most, columns), 0) || 4);
  const at: Placed[] = new Array<Placed>(view.nodes.length);
  const blocks: Block[] = [];
  const sections: Section[] = [];
  const titled = groupsOf(view);
  const places = [...titled.values()]
    .flat()
    .filter(({ place }) => place)
    .map(({ nodes }) => nodes.length);
  const tallest = Math.min(40, places.length === 0 ? 16 : Math.max(4, ...places));
  const sized = [...titled].map(([title, groups]) => ({
    title,
    groups: groups.map((group) => ({ group, box: boxOf(shapes, group, { tallest, width, plain, scale }) })),
  }));
  const column = columnOf(
    sized.flatMap(({ groups }) => groups.map(({ box }) => box)),
    scale,
  );
  let x = MARGIN;
  let y = 0;
  let lineHeight = 0;
  for (const { title, groups } of sized) {
    const natural = groups.reduce((sum, { box }) => sum + column.after(box.width), -scale.blockGap);
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
    for (const { group, box } of groups) {
      if (left > x && left + box.width > x + own + 0.5) {
        left = x;
        top += deepest + scale.blockGap;
        deepest = 0;
      }
      const block = {
        title: group.title,
        x: left,
        y: top,
        top: top + scale.title,
        nodes: group.nodes,
        titleWidth: column.after(box.width) - 8,
        ...box,
      };
      blocks.push(block);
      group.nodes.forEach((node, n) => {
        at[node] = {
          x: left + Math.floor(n / box.rows) * (box.nodeWidth + columnGap(scale)),
          y: block.top + (n % box.rows) * (box.nodeHeight + scale.rowGap),
          width: box.nodeWidth,
          height: box.nodeHeight,
        };
      });
      left += column.after(box.width);
      deepest = Math.max(deepest, box.height);
    }
    lineHeight = Math.max(lineHeight, top + deepest - y);
    x += column.after(own);
  }
  return { scale, height: y + lineHeight + MARGIN, sections, blocks, at };
}

/** The grid that blocks begin at: a column is as wide as the narrowest block. */
function columnOf(boxes: readonly BlockSize[], { blockGap }: Scale): { readonly after: (width: number) => number } {
  const column = boxes.reduce((least, { width }) => Math.min(least, width), Infinity) + blockGap;
  return { after: (width) => Math.ceil((width + blockGap - 0.5) / column) * column };
}

/** The node under a point. */
export function hit(layout: FleetLayout, x: number, y: number): number | undefined {
  const { scale } = layout;
  const block = layout.blocks.find(
    (one) => x >= one.x - 2 && x <= one.x + one.width + 2 && y >= one.top - scale.rowGap && y <= one.y + one.height + 2,
  );
  if (block === undefined) {
    return undefined;
  }
  const row = Math.min(block.rows - 1, Math.max(0, Math.floor((y - block.top) / (block.nodeHeight + scale.rowGap))));
  const column = Math.floor((x - block.x) / (block.nodeWidth + columnGap(scale)));
  return block.nodes[Math.max(0, column) * block.rows + row];
}

function columnGap(scale: Scale): number {
  return scale.cell >= 8 ? 12 : scale.cell >= 5 ? 6 : 3;
}

type BlockSize = Pick<Block, 'width' | 'height' | 'rows' | 'nodeWidth' | 'nodeHeight'>;

/** Columns and lines of cells that a node's devices take. */
export interface NodeShape {
  readonly columns: number;
  readonly lines: number;
}

/** Nodes with more columns than this have several lines of cells. */
const MOST_COLUMNS = 16;
const MOST_LINES = 16;

/** The most columns that a node without devices is as wide as. */
const PLAIN_COLUMNS = 8;

const known = new WeakMap<ClusterView, readonly NodeShape[]>();

/** By index of the node. */
function shapesOf(view: ClusterView): readonly NodeShape[] {
  const found = known.get(view) ?? view.nodes.map((node) => shapeOf(spansOf(view, node)));
  known.set(view, found);
  return found;
}

/** No line is longer than `MOST_COLUMNS` unless there would be too many lines. */
export function shapeOf(spans: readonly number[]): NodeShape {
  const all = spans.reduce((sum, span) => sum + span, 0);
  const columns = all <= MOST_COLUMNS ? all : Math.max(MOST_COLUMNS, Math.ceil(all / MOST_LINES));
  return { columns, lines: 1 + Math.max(0, ...placesOf(spans, columns).map(({ line }) => line)) };
}

/** Where each cell of a node is: cells follow each other, and one that does not fit on its line begins the next. */
export function placesOf(
  spans: readonly number[],
  columns: number,
): readonly { readonly line: number; readonly column: number }[] {
  let line = 0;
  let column = 0;
  return spans.map((span) => {
    if (column > 0 && column + span > columns) {
      line++;
      column = 0;
    }
    const place = { line, column };
    column += span;
    return place;
  });
}

interface Frame {
  readonly tallest: number;
  readonly width: number;
  /** Columns that nodes without devices are as wide as. */
  readonly plain: number;
  readonly scale: Scale;
}

/** Stacks no taller than racks are, side by side as far as there is space. */
function boxOf(shapes: readonly NodeShape[], group: Group, { tallest, width, plain, scale }: Frame): BlockSize {
  const nodes = group.nodes.length;
  const columns = group.nodes.reduce((most, node) => Math.max(most, shapes[node].columns), 0) || plain;
  const lines = group.nodes.reduce((most, node) => Math.max(most, shapes[node].lines), 1);
  const nodeWidth = Math.min(columns, MOST_COLUMNS) * (scale.cell + scale.gap) - scale.gap;
  const nodeHeight = lines * (scale.cell + scale.gap) - scale.gap;
  const beside = Math.max(1, Math.floor((width + columnGap(scale)) / (nodeWidth + columnGap(scale))));
  const rows = Math.ceil(nodes / Math.min(beside, Math.ceil(nodes / tallest)));
  const stacks = Math.ceil(nodes / rows);
  return {
    rows,
    nodeWidth,
    nodeHeight,
    width: stacks * (nodeWidth + columnGap(scale)) - columnGap(scale),
    height: scale.title + rows * (nodeHeight + scale.rowGap) - scale.rowGap,
  };
}

/** `zone eu-1`; `rack-7` needs no other word. */
export function placeName({ levels }: ClusterView, level: number, name: string): string {
  const { title } = levels[level];
  return name === '' || name.toLowerCase().includes(title.toLowerCase()) ? name : `${title} ${name}`;
}

/** By outer domains, then by the innermost level that still holds several nodes; nodes without a place are shown by pool. */
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
