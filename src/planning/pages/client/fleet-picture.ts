/**
 * The picture of the cluster: every device, in its node, in its rack, colored by who has it.
 */
import { type ClusterView } from '../../cluster/view/view';
import { type Cell, cellsOf } from './device-cells';
import { fit, type FleetLayout, hit, layOut, scaleOf, step } from './fleet-layout';
import { type Focus } from './focus';
import { nodeCard } from './node-card';
import { type Canvas, drawNode, OUTLINED } from './node-drawing';
import { type ArrowKey, type Box, type Picture } from './pane';
import { type ColorBook, tones } from './palette';
import { shortened } from './words';

/** At most so high without zooming, so that the whole is seen with little scrolling. */
const WANTED_HEIGHT = 900;

export class FleetPicture implements Picture {
  layout: FleetLayout | undefined;
  private view!: ClusterView;
  private cells: readonly (readonly Cell[])[] = [];
  private cell: number | undefined;
  private width = 0;
  private fitted = 0;

  constructor(
    readonly book: ColorBook,
    readonly focus: Focus,
    private readonly onChoose: (node: number | undefined) => void,
  ) {}

  show(view: ClusterView): void {
    this.view = view;
    this.cells = view.nodes.map((node) => cellsOf(view, node));
    this.fitted = 0;
  }

  zoom(by: 1 | -1 | 0): void {
    this.cell = by === 0 ? undefined : step(this.cell ?? this.fitted, by);
  }

  scrolls(): boolean {
    return this.cell !== undefined && this.cell > this.fitted;
  }

  /** Are cells large enough for an outline? */
  outlined(): boolean {
    return (this.layout?.scale.cell ?? OUTLINED) >= OUTLINED;
  }

  measure(width: number): number {
    if (this.fitted === 0 || width !== this.width) {
      this.fitted = fit(this.view, width, WANTED_HEIGHT);
    }
    this.width = width;
    this.layout = layOut(this.view, width, scaleOf(this.cell ?? this.fitted));
    return this.layout.height;
  }

  draw(context: CanvasRenderingContext2D, width: number, top: number, height: number): void {
    const { layout, view, focus, book } = this;
    if (layout === undefined) {
      return;
    }
    const tone = tones();
    const canvas: Canvas = { context, tone, scale: layout.scale, view, focus, book };
    context.clearRect(0, top, width, height);
    context.textBaseline = 'alphabetic';
    for (const section of layout.sections) {
      if (section.y < top - 40 || section.y > top + height) {
        continue;
      }
      context.fillStyle = tone.ink;
      context.font = '600 13px system-ui, sans-serif';
      context.fillText(clipped(context, section.title, Math.max(section.width, 60)), section.x, section.y + 14);
    }
    for (const block of layout.blocks) {
      if (block.y > top + height || block.y + block.height < top) {
        continue;
      }
      if (layout.scale.title > 0 && block.title !== '') {
        context.fillStyle = tone.ink3;
        context.font = '12px system-ui, sans-serif';
        context.fillText(clipped(context, block.title, block.titleWidth), block.x, block.y + 12);
      }
      for (const node of block.nodes) {
        const placed = layout.at[node];
        if (placed.y + placed.height >= top && placed.y <= top + height) {
          drawNode(canvas, node, this.cells[node], placed);
        }
      }
    }
    const { pointed } = this.focus;
    if (pointed !== undefined && layout.at[pointed] !== undefined) {
      const box = this.boxOf(pointed);
      context.strokeStyle = tone.ink;
      context.lineWidth = 1.5;
      context.strokeRect(box.x - 2.25, box.y - 2.25, box.width + 4.5, box.height + 4.5);
    }
  }

  at(x: number, y: number): number | undefined {
    return this.layout === undefined ? undefined : hit(this.layout, x, y);
  }

  boxOf(node: number): Box {
    return this.layout!.at[node];
  }

  neighbor(node: number | undefined, key: ArrowKey): number | undefined {
    const { layout } = this;
    if (layout === undefined || layout.at.length === 0) {
      return undefined;
    }
    if (key === 'End') {
      return layout.blocks.at(-1)?.nodes.at(-1);
    }
    if (node === undefined || key === 'Home') {
      return layout.blocks[0]?.nodes[0];
    }
    const from = layout.at[node];
    const sign = key === 'ArrowRight' || key === 'ArrowDown' ? 1 : -1;
    const across = key === 'ArrowLeft' || key === 'ArrowRight';
    let best: number | undefined;
    let least = Infinity;
    layout.at.forEach((to, index) => {
      const along = sign * (across ? to.x - from.x : to.y - from.y);
      const aside = Math.abs(across ? to.y - from.y : to.x - from.x);
      if (along > 0.5 && along + aside * 3 < least) {
        least = along + aside * 3;
        best = index;
      }
    });
    return best;
  }

  details(index: number): readonly (Node | string)[] {
    return nodeCard(this.view, index, this);
  }

  choose(node: number | undefined): void {
    this.onChoose(node);
  }

  pointed(node: number | undefined): void {
    this.focus.pointed = node;
  }
}

export function clipped(context: CanvasRenderingContext2D, text: string, width: number): string {
  let most = text.length;
  while (most > 2 && context.measureText(shortened(text, most)).width > width) {
    most--;
  }
  return shortened(text, most);
}
