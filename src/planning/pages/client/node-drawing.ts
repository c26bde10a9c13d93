/**
 * Draws one node: its devices with who holds them, or its CPU where it has no devices.
 *
 * Free, used, evicted, and unavailable differ in shape and not in color alone. Where cells are too small for an outline, a free device is a
 * line and a used one is a block.
 */
import { type ClusterView, type ViewNode, type ViewPod } from '../../cluster/view/view';
import { type Cell, type Slot } from './device-cells';
import { type Placed, placesOf, type Scale } from './fleet-layout';
import { type Focus } from './focus';
import { type ColorBook, type Tones } from './palette';

export interface Canvas {
  readonly context: CanvasRenderingContext2D;
  readonly tone: Tones;
  readonly scale: Scale;
  readonly view: ClusterView;
  readonly focus: Focus;
  readonly book: ColorBook;
}

interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Smaller cells have no outline, no marks, and no parts: what is used fills them from below. */
export const OUTLINED = 6;
const MARKED = 5;
const ROUNDED = 10;
/** A part that would be smaller has no gap beside it. */
const SEPARATED = 4;

export function stateOf({ ready, cordoned }: ViewNode): '' | 'not ready' | 'cordoned' {
  return ready === false ? 'not ready' : cordoned === true ? 'cordoned' : '';
}

/** @param cells of the node's devices */
export function drawNode(canvas: Canvas, index: number, cells: readonly Cell[], placed: Placed): void {
  const { context, scale, view, focus } = canvas;
  const node = view.nodes[index];
  if (cells.length === 0) {
    context.globalAlpha = focus.litNode(index) ? 1 : 0.2;
    drawPlainNode(canvas, node, placed);
    context.globalAlpha = 1;
    return;
  }
  const spans = cells.map(({ span }) => span);
  const all = spans.reduce<number>((sum, span) => sum + span, 0);
  const lines = Math.round((placed.height + scale.gap) / (scale.cell + scale.gap));
  const columns = Math.max(Math.round((placed.width + scale.gap) / (scale.cell + scale.gap)), Math.ceil(all / lines));
  const column = Math.min(scale.cell + scale.gap, (placed.width + scale.gap) / columns);
  const off = stateOf(node) !== '';
  placesOf(spans, columns).forEach((place, i) => {
    const rect = {
      x: placed.x + place.column * column,
      y: placed.y + place.line * (scale.cell + scale.gap),
      width: Math.max(1, column * cells[i].span - scale.gap - divisionGap(cells[i], scale)),
      height: scale.cell,
    };
    drawCell(canvas, index, { cell: cells[i], rect, off: off || !cells[i].healthy });
  });
  context.globalAlpha = 1;
}

/** Parts of one device are nearer to each other than to those of the next. */
function divisionGap({ slots }: Cell, { cell }: Scale): number {
  return slots.length > 1 && cell >= ROUNDED ? 3 : 0;
}

interface DrawnCell {
  readonly cell: Cell;
  readonly rect: Rect;
  readonly off: boolean;
}

function drawCell(canvas: Canvas, node: number, { cell, rect, off }: DrawnCell): void {
  const { context, tone, focus } = canvas;
  const small = rect.height < OUTLINED;
  const slots = small ? heaped(cell.slots) : cell.slots;
  for (const slot of slots) {
    if (slot.pod !== undefined) {
      drawPod(canvas, node, slot.pod, partOf(rect, slot, small));
    } else if (!off || !small) {
      context.globalAlpha = focus.litNode(node) ? 1 : 0.35;
      drawFree(canvas, partOf(rect, slot, small));
    }
  }
  if (off) {
    context.globalAlpha = focus.active ? 0.35 : 1;
    hatch(context, rect, tone.ink3);
  }
}

/** A small cell is filled from below with what is used; only one that is wholly free shows that it is free. */
function heaped(slots: readonly Slot[]): readonly Slot[] {
  const used = slots.filter(({ pod }) => pod !== undefined);
  let bottom = 1;
  return used.length === 0
    ? [{ x: 0, y: 0, width: 1, height: 1 }]
    : used.map(({ pod, width, height }) => {
        bottom -= width * height;
        return { pod, x: 0, y: bottom, width: 1, height: width * height };
      });
}

function partOf(rect: Rect, slot: Slot, small: boolean): Rect {
  const part = {
    x: rect.x + slot.x * rect.width,
    y: rect.y + slot.y * rect.height,
    width: slot.width * rect.width,
    height: slot.height * rect.height,
  };
  const gapBeside = !small && slot.x + slot.width < 0.999 && part.width >= SEPARATED ? 1 : 0;
  const gapBelow = !small && slot.y + slot.height < 0.999 && part.height >= SEPARATED ? 1 : 0;
  return { ...part, width: Math.max(1, part.width - gapBeside), height: Math.max(1, part.height - gapBelow) };
}

function drawPod({ context, tone, view, focus, book }: Canvas, node: number, pod: ViewPod, rect: Rect): void {
  const { x, y, width, height } = rect;
  context.globalAlpha = focus.litPod(view, node, pod) ? 1 : 0.16;
  const name = focus.colorName(view, pod);
  context.fillStyle = name === undefined ? tone.other : tone.colors[book.of(name)];
  if (pod.state === 'nominated' && height >= MARKED) {
    context.lineWidth = height >= ROUNDED ? 2.5 : 1.5;
    context.strokeStyle = context.fillStyle;
    const inset = context.lineWidth / 2;
    context.strokeRect(x + inset, y + inset, width - 2 * inset, height - 2 * inset);
  } else {
    trace(context, rect, radiusOf(rect));
    context.fill();
  }
  if (pod.state === 'leaving' && height >= MARKED) {
    strike(context, rect, tone.mark);
  }
}

function drawFree({ context, tone }: Canvas, rect: Rect): void {
  const { x, y, width, height } = rect;
  if (height < OUTLINED) {
    context.fillStyle = tone.freeLine;
    context.fillRect(x, y + Math.floor(height / 2), width, 1);
    return;
  }
  context.fillStyle = tone.free;
  trace(context, rect, radiusOf(rect));
  context.fill();
  context.strokeStyle = tone.freeLine;
  context.lineWidth = 1;
  trace(context, { x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1 }, Math.max(0, radiusOf(rect) - 0.5));
  context.stroke();
}

/** A node without devices is as full as its CPU. */
function drawPlainNode({ context, tone, view }: Canvas, node: ViewNode, { x, y, width, height: cell }: Placed): void {
  const at = view.resources.indexOf('cpu');
  const part = (node.allocatable[at] ?? 0) > 0 ? Math.min(1, node.used[at] / node.allocatable[at]) : 0;
  const height = Math.max(1, cell >= 8 ? cell - 6 : cell - 1);
  const rect = { x, y: y + (cell - height) / 2, width, height };
  const radius = Math.min(3, height / 2);
  context.fillStyle = tone.track;
  trace(context, rect, radius);
  context.fill();
  context.fillStyle = tone.other;
  trace(context, { ...rect, width: width * part }, radius);
  context.fill();
  if (cell >= OUTLINED) {
    context.strokeStyle = tone.freeLine;
    context.lineWidth = 1;
    trace(context, { x: x + 0.5, y: rect.y + 0.5, width: width - 1, height: height - 1 }, radius);
    context.stroke();
  }
  if (stateOf(node) !== '') {
    hatch(context, rect, tone.ink3);
  }
}

function radiusOf({ width, height }: Rect): number {
  return Math.min(width, height) >= ROUNDED ? 2.5 : 0;
}

function trace(context: CanvasRenderingContext2D, { x, y, width, height }: Rect, radius: number): void {
  context.beginPath();
  if (radius > 0) {
    context.roundRect(x, y, width, height, radius);
  } else {
    context.rect(x, y, width, height);
  }
}

function strike(context: CanvasRenderingContext2D, { x, y, width, height }: Rect, color: string): void {
  context.strokeStyle = color;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x, y + height);
  context.lineTo(x + width, y);
  context.stroke();
}

function hatch(context: CanvasRenderingContext2D, { x, y, width, height }: Rect, color: string): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.beginPath();
  for (let from = -height; from < width; from += 4) {
    context.moveTo(x + from, y + height);
    context.lineTo(x + from + height, y);
  }
  context.stroke();
  context.restore();
}
