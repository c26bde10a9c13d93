/**
 * The picture of the cluster: every device, in its node, in its rack, coloured by who has it.
 */
import { type ClusterView, type ViewNode, type ViewPod } from '../../cluster/view';
import { el } from './dom';
import { cellWidth, fit, type FleetLayout, hit, layOut, type Placed, placeName, scaleOf, step } from './fleet-layout';
import { type Focus } from './focus';
import { type ArrowKey, type Box, type Picture } from './pane';
import { type ColourBook, type Tones, tones } from './palette';
import { percent, ranges, tellAmount } from './words';

/** A device as it is drawn: parts from below, each of its own colour. */
interface Part {
  readonly pod: ViewPod;
  readonly share: number;
}

/** At most so high without zooming, so that the whole is seen with little scrolling. */
const WANTED_HEIGHT = 900;

export class FleetPicture implements Picture {
  layout: FleetLayout | undefined;
  private view!: ClusterView;
  private parts: (readonly Part[])[][] = [];
  private cell: number | undefined;
  private width = 0;
  private fitted = 0;

  constructor(
    private readonly book: ColourBook,
    private readonly focus: Focus,
    private readonly onChoose: (node: number | undefined) => void,
  ) {}

  show(view: ClusterView, parts: (readonly Part[])[][]): void {
    this.view = view;
    this.parts = parts;
    this.fitted = 0;
  }

  zoom(by: 1 | -1 | 0): void {
    this.cell = by === 0 ? undefined : step(this.cell ?? this.fitted, by);
  }

  scrolls(): boolean {
    return this.cell !== undefined && this.cell > this.fitted;
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
    const { layout, view } = this;
    if (layout === undefined) {
      return;
    }
    const tone = tones();
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
        context.fillText(clipped(context, block.title, block.width + layout.scale.blockGap - 6), block.x, block.y + 12);
      }
      for (const node of block.nodes) {
        const { y } = layout.at[node];
        if (y + layout.scale.cell >= top && y <= top + height) {
          this.drawNode(context, view.nodes[node], node, layout, tone);
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
    return { ...this.layout!.at[node], height: this.layout!.scale.cell };
  }

  neighbour(node: number | undefined, key: ArrowKey): number | undefined {
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
    const { view } = this;
    const node = view.nodes[index];
    const place = node.path
      .map((name, level) => (name === node.name ? '' : placeName(view, level, name)))
      .filter((text) => text !== '');
    const kind = view.deviceKinds[node.devices[0]];
    const free = node.devices.filter((_, device) => this.parts[index][device].length === 0).length;
    const state = stateOf(node);
    const amounts = ['cpu', 'memory']
      .map((resource) => {
        const at = view.resources.indexOf(resource);
        const all = node.allocatable[at] ?? 0;
        return at < 0 || all === 0 ? '' : `${percent((node.used[at] ?? 0) / all)} of ${tellAmount(resource, all)}`;
      })
      .filter((text) => text !== '');
    return [
      el('strong', {}, node.name),
      el(
        'p',
        {},
        [view.pools[node.pool]?.name, ...place].filter((text) => text !== undefined && text !== '').join(', '),
      ),
      state !== '' && el('p', { class: 'bad' }, state),
      el(
        'p',
        {},
        [
          node.devices.length > 0
            ? `${node.devices.length - free} of ${node.devices.length} ${kind?.model ?? 'devices'} in use`
            : 'no devices',
          ...amounts,
        ].join('; '),
      ),
      node.taints !== undefined && el('p', {}, `taints: ${node.taints.join(', ')}`),
      this.occupants(node),
    ].filter((part) => part !== false);
  }

  choose(node: number | undefined): void {
    this.onChoose(node);
  }

  pointed(node: number | undefined): void {
    this.focus.pointed = node;
  }

  private occupants(node: ViewNode): HTMLElement {
    const { view } = this;
    const groups = new Map<string, { pods: ViewPod[]; devices: number[] }>();
    for (const pod of node.pods) {
      const key = `${pod.gang ?? pod.name} ${pod.role ?? ''} ${pod.state ?? ''} ${pod.share ?? ''}`;
      const group = groups.get(key) ?? { pods: [], devices: [] };
      group.pods.push(pod);
      group.devices.push(...pod.devices);
      groups.set(key, group);
    }
    return el(
      'ul',
      {},
      ...[...groups.values()].map(({ pods, devices }) => {
        const [pod] = pods;
        const gang = pod.gang === undefined ? undefined : view.gangs[pod.gang];
        const part =
          pod.share !== undefined && pod.share < 1000
            ? `, ${percent(pod.share / 1000)} each`
            : pod.profile === undefined
              ? ''
              : `, ${pod.profile}`;
        return el(
          'li',
          {},
          el('i', { class: 'swatch', '--swatch': this.css(pod) }),
          el('span', {}, gang?.name ?? pod.name),
          el('small', {}, `${ranges(devices)}${part}${pod.state === undefined ? '' : `, ${STATES[pod.state]}`}`),
        );
      }),
    );
  }

  private css(pod: ViewPod): string {
    const name = this.focus.colourName(this.view, pod);
    return name === undefined ? 'var(--other)' : this.book.css(name);
  }

  private drawNode(
    context: CanvasRenderingContext2D,
    node: ViewNode,
    index: number,
    layout: FleetLayout,
    tone: Tones,
  ): void {
    const { x, y, width: room } = layout.at[index];
    const { cell, gap } = layout.scale;
    const lit = this.focus.litNode(index);
    const off = stateOf(node) !== '';
    if (node.devices.length === 0) {
      context.globalAlpha = lit ? 1 : 0.2;
      this.drawPlainNode(context, node, layout.at[index], layout, tone);
      context.globalAlpha = 1;
      return;
    }
    const width = cellWidth(layout, room, node.devices.length);
    const radius = cell >= 10 ? 2.5 : 0;
    node.devices.forEach((kind, device) => {
      const left = x + device * (width + gap);
      const parts = this.parts[index][device];
      const broken = off || this.view.deviceKinds[kind]?.healthy === false;
      context.globalAlpha = lit && parts.length === 0 && !this.focus.active ? 1 : 0.35;
      if (parts.length === 0 || parts.reduce((sum, { share }) => sum + share, 0) < 999 || this.focus.active) {
        if (parts.length === 0 || cell >= 5) {
          this.drawFree(context, left, y, width, cell, radius, tone);
        }
      }
      let from = y + cell;
      for (const { pod, share } of parts) {
        const height = Math.max(1, Math.min(from - y, (cell * share) / 1000));
        const bright = this.focus.litPod(this.view, index, pod);
        context.globalAlpha = bright ? 1 : 0.16;
        const name = this.focus.colourName(this.view, pod);
        context.fillStyle = name === undefined ? tone.other : tone.colours[this.book.of(name)];
        if (pod.state === 'nominated' && cell >= 5) {
          context.lineWidth = cell >= 10 ? 2.5 : 1.5;
          context.strokeStyle = context.fillStyle;
          const inset = context.lineWidth / 2;
          context.strokeRect(left + inset, from - height + inset, width - 2 * inset, height - 2 * inset);
        } else {
          box(context, left, from - height, width, height, share >= 999 ? radius : 0);
          context.fill();
        }
        if (pod.state === 'leaving' && cell >= 5) {
          strike(context, left, from - height, width, height, tone.mark);
        }
        from -= height;
      }
      context.globalAlpha = this.focus.active ? 0.35 : 1;
      if (broken) {
        hatch(context, left, y, width, cell, tone.ink3);
      }
      context.globalAlpha = 1;
    });
  }

  private drawFree(
    context: CanvasRenderingContext2D,
    x: number,
    y: number,
    width: number,
    height: number,
    radius: number,
    tone: Tones,
  ): void {
    context.fillStyle = tone.free;
    box(context, x, y, width, height, radius);
    context.fill();
    if (height >= 6) {
      context.strokeStyle = tone.freeLine;
      context.lineWidth = 1;
      box(context, x + 0.5, y + 0.5, width - 1, height - 1, Math.max(0, radius - 0.5));
      context.stroke();
    }
  }

  /** A node without devices is as full as its CPU. */
  private drawPlainNode(
    context: CanvasRenderingContext2D,
    node: ViewNode,
    { x, y, width }: Placed,
    layout: FleetLayout,
    tone: Tones,
  ): void {
    const { cell } = layout.scale;
    const at = this.view.resources.indexOf('cpu');
    const part = (node.allocatable[at] ?? 0) > 0 ? Math.min(1, node.used[at] / node.allocatable[at]) : 0;
    const height = Math.max(1, cell >= 8 ? cell - 6 : cell - 1);
    const top = y + (cell - height) / 2;
    context.fillStyle = tone.track;
    box(context, x, top, width, height, Math.min(3, height / 2));
    context.fill();
    context.fillStyle = tone.other;
    box(context, x, top, width * part, height, Math.min(3, height / 2));
    context.fill();
    if (stateOf(node) !== '') {
      hatch(context, x, top, width, height, tone.ink3);
    }
  }
}

const STATES: Readonly<Record<NonNullable<ViewPod['state']>, string>> = {
  planned: 'starts now',
  nominated: 'starts when there is room',
  leaving: 'has to go',
};

export function stateOf({ ready, cordoned }: ViewNode): string {
  return ready === false ? 'not ready' : cordoned === true ? 'cordoned' : '';
}

function box(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
  radius: number,
): void {
  context.beginPath();
  if (radius > 0) {
    context.roundRect(x, y, width, height, radius);
  } else {
    context.rect(x, y, width, height);
  }
}

function strike(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
  colour: string,
): void {
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x, y + height);
  context.lineTo(x + width, y);
  context.stroke();
}

function hatch(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
  colour: string,
): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (let from = -height; from < width; from += 4) {
    context.moveTo(x + from, y + height);
    context.lineTo(x + from + height, y);
  }
  context.stroke();
  context.restore();
}

export function clipped(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) {
    return text;
  }
  let end = text.length;
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > width) {
    end--;
  }
  return `${text.slice(0, end)}…`;
}
