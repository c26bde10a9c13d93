/**
 * How full the cluster was: devices in use by queue against devices that were ready, and gangs that waited, over time.
 */
import { type SimulationResult } from '../../simulation/result';
import { type Picture } from './pane';
import { type ColorBook, tones } from './palette';
import { ticks, type TimeAxis, timeAt, x } from './time-axis';
import { el } from './dom';
import { percent, tell, tellSeconds } from './words';

/** What one queue has, and the sum of that with all queues below it in the picture. */
interface Layer {
  readonly queue: string;
  readonly own: readonly number[];
  readonly upTo: readonly number[];
}

/** Edges in CSS pixels. */
interface Band {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const USE = 150;
const WAITING = 54;
const GAP = 26;
const AXIS = 24;
const TOP = 8;
const NAME_HEIGHT = 17;

export class UsePicture implements Picture {
  private axis: TimeAxis = { from: 0, to: 1, left: 0, right: 1 };
  private readonly layers: readonly Layer[];

  constructor(
    private readonly result: SimulationResult,
    private readonly book: ColorBook,
    private readonly left: (width: number) => number,
  ) {
    this.layers = layersOf(result, [...book.names()]);
  }

  scrolls(): boolean {
    return false;
  }

  measure(width: number): number {
    this.axis = { from: 0, to: Math.max(1, this.result.seconds), left: this.left(width), right: width - 8 };
    return TOP + USE + GAP + WAITING + AXIS;
  }

  draw(context: CanvasRenderingContext2D, width: number, top: number, height: number): void {
    const { axis, result } = this;
    const { samples, device, seconds } = result;
    const tone = tones();
    context.clearRect(0, top, width, height);
    context.font = '12px system-ui, sans-serif';
    const most = Math.max(1, ...samples.ready[device]);
    const base = TOP + USE;
    const place = (at: number): number => x(axis, Math.min(at, seconds));
    const y = (amount: number): number => base - (amount / most) * USE;
    for (const part of [0, 0.5, 1]) {
      context.fillStyle = tone.line;
      context.fillRect(axis.left, y(part * most), axis.right - axis.left, 1);
      context.fillStyle = tone.ink3;
      context.textAlign = 'right';
      context.fillText(tell(part * most), axis.left - 8, y(part * most) + 4);
    }
    const area = (column: readonly number[], level: (amount: number) => number, bottom: number): void => {
      context.beginPath();
      context.moveTo(axis.left, bottom);
      samples.at.forEach((at, i) => {
        context.lineTo(place(at), level(column[i]));
        context.lineTo(place(samples.at[i + 1] ?? seconds), level(column[i]));
      });
      context.lineTo(x(axis, seconds), bottom);
      context.closePath();
      context.fill();
    };
    // From the highest sum down, so that each covers what is above its own.
    for (const { queue, upTo } of this.layers) {
      context.fillStyle = tone.colors[this.book.of(queue)];
      area(upTo, y, base);
    }
    for (const layer of this.layers) {
      this.drawName(context, layer, y);
    }
    context.strokeStyle = tone.ink;
    context.lineWidth = 1.25;
    context.setLineDash([4, 3]);
    context.beginPath();
    samples.at.forEach((at, i) => {
      context.lineTo(place(at), y(samples.ready[device][i]));
      context.lineTo(place(samples.at[i + 1] ?? seconds), y(samples.ready[device][i]));
    });
    context.stroke();
    context.setLineDash([]);
    context.textAlign = 'right';
    const bottom = base + GAP + WAITING;
    const waiting = Math.max(1, ...samples.waitingGangs);
    const level = (amount: number): number => bottom - (amount / waiting) * WAITING;
    context.fillStyle = tone.bad;
    context.globalAlpha = 0.7;
    area(samples.waitingGangs, level, bottom);
    context.globalAlpha = 1;
    context.fillStyle = tone.line2;
    context.fillRect(axis.left, bottom, axis.right - axis.left, 1);
    context.fillStyle = tone.ink3;
    context.fillText(tell(waiting), axis.left - 8, bottom - WAITING + 9);
    context.fillText('0', axis.left - 8, bottom + 4);
    context.textAlign = 'left';
    context.fillText('pending gangs', axis.left, base + GAP - 6);
    context.textAlign = 'center';
    for (const tick of ticks(axis)) {
      const at = x(axis, tick.at);
      if (at > axis.right - 14 && tick.at !== 0) {
        continue;
      }
      context.fillStyle = tone.line2;
      context.fillRect(at, bottom, 1, 5);
      context.fillStyle = tone.ink3;
      context.fillText(tick.text, Math.max(at, axis.left + 8), bottom + 19);
    }
    context.textAlign = 'left';
  }

  /** The queue's name on its area, so that it can be identified without its color. */
  private drawName(context: CanvasRenderingContext2D, layer: Layer, y: (amount: number) => number): void {
    const width = context.measureText(layer.queue).width + 10;
    const band = this.widestBand(layer, width, y);
    if (band === undefined) {
      return;
    }
    const tone = tones();
    const left = (band.left + band.right - width) / 2;
    const top = (band.top + band.bottom - NAME_HEIGHT) / 2;
    context.fillStyle = tone.surface;
    context.beginPath();
    context.roundRect(left, top, width, NAME_HEIGHT, 4);
    context.fill();
    context.fillStyle = tone.ink;
    context.textAlign = 'left';
    context.fillText(layer.queue, left + 5, top + 12.5);
  }

  /** The highest rectangle of a width within the area of a layer; `undefined` where a name does not fit. */
  private widestBand({ own, upTo }: Layer, width: number, y: (amount: number) => number): Band | undefined {
    const { samples, seconds } = this.result;
    const place = (at: number | undefined): number => x(this.axis, Math.min(at ?? seconds, seconds));
    let best: Band | undefined;
    samples.at.forEach((from, first) => {
      const left = place(from);
      let [top, bottom] = [-Infinity, Infinity];
      for (let i = first; i < samples.at.length && bottom - top > NAME_HEIGHT; i++) {
        top = Math.max(top, y(upTo[i]));
        bottom = Math.min(bottom, y(upTo[i] - own[i]));
        const right = place(samples.at[i + 1]);
        if (right - left > width && bottom - top > (best === undefined ? NAME_HEIGHT : best.bottom - best.top)) {
          best = { left, right, top, bottom };
          break;
        }
      }
    });
    return best;
  }

  at(left: number): number | undefined {
    const { at } = this.result.samples;
    const time = timeAt(this.axis, left);
    if (time < 0 || time > this.result.seconds || at.length === 0) {
      return undefined;
    }
    let low = 0;
    let high = at.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (at[middle] <= time) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  boxOf(index: number): { x: number; y: number; width: number; height: number } {
    return { x: x(this.axis, this.result.samples.at[index]), y: TOP, width: 1, height: USE };
  }

  details(index: number): readonly (Node | string)[] {
    const { samples, device, seconds } = this.result;
    const [used, ready] = [samples.used[device][index], samples.ready[device][index]];
    return [
      el('strong', {}, `${tellSeconds(samples.at[index])} to ${tellSeconds(samples.at[index + 1] ?? seconds)}`),
      el('p', {}, `${tell(used)} of ${tell(ready)} devices in use (${percent(ready > 0 ? used / ready : 0)})`),
      el(
        'p',
        {},
        this.layers
          .map(({ queue, own }) => `${queue} ${tell(own[index])}`)
          .reverse()
          .join(', '),
      ),
      el('p', {}, `${tell(samples.runningGangs[index])} gangs running, ${tell(samples.waitingGangs[index])} pending`),
      el('p', {}, `${percent(samples.fragmentation[index])} of the free devices are fragmented`),
    ];
  }

  neighbor(index: number | undefined, key: string): number | undefined {
    const last = this.result.samples.at.length - 1;
    if (index === undefined || key === 'Home') {
      return 0;
    }
    if (key === 'End') {
      return last;
    }
    return Math.min(last, Math.max(0, index + (key === 'ArrowRight' || key === 'ArrowDown' ? 1 : -1)));
  }

  choose(): void {
    // There is nothing to pick in a moment.
  }
}

/** The highest first. A queue's column has its children's devices in it, which are theirs here. */
function layersOf({ samples, queues }: SimulationResult, shown: readonly string[]): readonly Layer[] {
  let sum: readonly number[] = samples.at.map(() => 0);
  const layers = shown.map((queue): Layer => {
    const children = queues.filter(({ parent }) => parent === queue).map(({ name }) => samples.queues[name]);
    const own = samples.queues[queue].map((amount, i) => children.reduce((left, column) => left - column[i], amount));
    sum = sum.map((below, i) => below + own[i]);
    return { queue, own, upTo: sum };
  });
  return layers.reverse();
}
