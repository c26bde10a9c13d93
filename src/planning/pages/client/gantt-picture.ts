/**
 * Who ran when: a row for each gang, by queue; waiting as a thin line, running as a bar as high as the part of its pods that ran.
 */
import { type GangOutcome, type SimulationResult } from '../../simulation/result';
import { el } from './dom';
import { clipped } from './fleet-picture';
import { type ArrowKey, type Picture } from './pane';
import { type ColorBook, type Tones, tones } from './palette';
import { ticks, type TimeAxis, x } from './time-axis';
import { count, tellSeconds } from './words';

interface Row {
  readonly gang: number;
  readonly y: number;
}

const HEAD = 26;
const QUEUE_HEAD = 30;
const SIZES = [20, 16, 12, 8, 5, 3] as const;
/** Rows are made thinner until all is at most so high. */
const WANTED_HEIGHT = 1100;

/** What makes nothing worse. */
const MILD: ReadonlySet<string> = new Set(['return', 'join', 'request', 'fault-ends', 'remediate', 'report']);

export class GanttPicture implements Picture {
  private axis: TimeAxis = { from: 0, to: 1, left: 0, right: 1 };
  private rows: readonly Row[] = [];
  private heads: readonly { readonly queue: string; readonly y: number }[] = [];
  private row = 16;
  private height = 0;
  private readonly byQueue: ReadonlyMap<string, readonly number[]>;
  /** Gangs that are looked for. */
  lit: ReadonlySet<number> | undefined;
  private pointedAt: number | undefined;

  constructor(
    private readonly result: SimulationResult,
    private readonly book: ColorBook,
  ) {
    const byQueue = new Map<string, number[]>(result.queues.map(({ name }) => [name, []]));
    result.gangs.forEach((gang, index) => byQueue.get(gang.queue)?.push(index));
    this.byQueue = new Map([...byQueue].filter(([, gangs]) => gangs.length > 0));
  }

  scrolls(): boolean {
    return this.height > 1.5 * WANTED_HEIGHT;
  }

  /** Room for names at the left. */
  left(width: number): number {
    return width < 560 ? 104 : 148;
  }

  measure(width: number): number {
    const fixed = HEAD + this.byQueue.size * QUEUE_HEAD;
    this.row =
      SIZES.find((size) => fixed + size * this.result.gangs.length <= WANTED_HEIGHT) ?? SIZES[SIZES.length - 1];
    this.axis = { from: 0, to: Math.max(1, this.result.seconds), left: this.left(width), right: width - 8 };
    const rows: Row[] = [];
    const heads: { queue: string; y: number }[] = [];
    let y = HEAD;
    for (const [queue, gangs] of this.byQueue) {
      heads.push({ queue, y });
      y += QUEUE_HEAD;
      for (const gang of gangs) {
        rows.push({ gang, y });
        y += this.row;
      }
    }
    this.rows = rows;
    this.heads = heads;
    this.height = y + 4;
    return this.height;
  }

  draw(context: CanvasRenderingContext2D, width: number, top: number, height: number): void {
    const { axis, result, row } = this;
    const tone = tones();
    context.clearRect(0, top, width, height);
    context.font = '12px system-ui, sans-serif';
    for (const tick of ticks(axis)) {
      context.fillStyle = tone.line;
      context.fillRect(x(axis, tick.at), HEAD - 4, 1, this.height);
    }
    for (const { at, kind } of result.happenings) {
      if (kind === 'evict' || kind === 'move') {
        continue;
      }
      context.fillStyle = MILD.has(kind) ? tone.ink3 : tone.bad;
      for (let y = HEAD - 6; y < this.height; y += 6) {
        context.fillRect(x(axis, at), y, 1, 3);
      }
    }
    for (const { queue, y } of this.heads) {
      context.fillStyle = tone.ink;
      context.font = '600 13px system-ui, sans-serif';
      context.fillText(queue, 0, y + 20);
    }
    context.font = '12px system-ui, sans-serif';
    for (const { gang, y } of this.rows) {
      if (y + row < top || y > top + height) {
        continue;
      }
      context.globalAlpha = this.lit === undefined || this.lit.has(gang) ? 1 : 0.15;
      this.drawGang(context, result.gangs[gang], y, tone, width);
    }
    context.globalAlpha = 1;
    if (this.pointedAt !== undefined) {
      const { y } = this.rows[this.pointedAt];
      context.strokeStyle = tone.ink;
      context.strokeRect(axis.left - 3.5, y - 0.5, axis.right - axis.left + 7, row);
    }
    // The time stays in sight.
    context.fillStyle = tone.surface;
    context.fillRect(0, top, width, HEAD - 6);
    context.fillStyle = tone.ink3;
    context.textAlign = 'center';
    for (const tick of ticks(axis)) {
      if (x(axis, tick.at) <= axis.right - 14) {
        context.fillText(tick.text, Math.max(x(axis, tick.at), axis.left + 8), top + 12);
      }
    }
    context.textAlign = 'left';
  }

  at(_x: number, y: number): number | undefined {
    const found = this.rows.findIndex((row) => y >= row.y && y < row.y + this.row);
    return found < 0 ? undefined : found;
  }

  boxOf(index: number): { x: number; y: number; width: number; height: number } {
    const { arrivedAt } = this.result.gangs[this.rows[index].gang];
    return { x: x(this.axis, arrivedAt), y: this.rows[index].y, width: 1, height: this.row };
  }

  neighbor(index: number | undefined, key: ArrowKey): number | undefined {
    const last = this.rows.length - 1;
    if (index === undefined || key === 'Home') {
      return last < 0 ? undefined : 0;
    }
    if (key === 'End') {
      return last;
    }
    return Math.min(last, Math.max(0, index + (key === 'ArrowDown' || key === 'ArrowRight' ? 1 : -1)));
  }

  details(index: number): readonly (Node | string)[] {
    const gang = this.result.gangs[this.rows[index].gang];
    const lost = [
      gang.evictions > 0 ? `${count(gang.evictions, 'pod')} evicted` : '',
      gang.moves > 0 ? `${count(gang.moves, 'pod')} moved` : '',
      gang.losses > 0 ? `${count(gang.losses, 'pod')} lost with nodes` : '',
      gang.lostSeconds > 0 ? `${tellSeconds(gang.lostSeconds)} of work repeated` : '',
    ].filter((text) => text !== '');
    const reason = gang.reasons.at(-1);
    return [
      el('strong', {}, gang.name),
      el(
        'p',
        {},
        `queue ${gang.queue}, ${count(gang.pods, 'pod')}${gang.devices > 0 ? `, ${count(gang.devices, 'device')}` : ''}`,
      ),
      el(
        'p',
        {},
        [
          `arrived ${tellSeconds(gang.arrivedAt)}`,
          gang.startedAt === undefined
            ? 'never started'
            : `started ${tellSeconds(gang.startedAt)} (waited ${tellSeconds(gang.waitSeconds)})`,
          gang.endedAt === undefined ? '' : `${gang.state} ${tellSeconds(gang.endedAt)}`,
        ]
          .filter((text) => text !== '')
          .join(', '),
      ),
      lost.length > 0 ? el('p', { class: 'warn' }, lost.join(', ')) : '',
      reason === undefined
        ? ''
        : el('p', {}, `${gang.state === 'pending' ? 'Pending' : 'Was pending'}: ${reason.message}`),
    ].filter((part) => part !== '');
  }

  choose(): void {
    // The card says all there is.
  }

  pointed(index: number | undefined): void {
    this.pointedAt = index;
  }

  private drawGang(context: CanvasRenderingContext2D, gang: GangOutcome, y: number, tone: Tones, width: number): void {
    const { axis, row } = this;
    const color = tone.colors[this.book.of(gang.queue)];
    const bar = Math.max(2, row - (row >= 12 ? 5 : row >= 8 ? 2 : 1));
    const middle = y + row / 2;
    const thin = row >= 8 ? 2 : 1;
    let since = gang.arrivedAt;
    context.fillStyle = tone.ink3;
    for (const until of [...gang.spans.map(({ from }) => from), gang.endedAt ?? this.result.seconds]) {
      if (until > since) {
        context.fillRect(x(axis, since), middle - thin / 2, x(axis, until) - x(axis, since), thin);
      }
      since = gang.spans.find(({ from }) => from === until)?.to ?? until;
    }
    for (const { from, to, pods, stalled, end } of gang.spans) {
      const [left, right] = [x(axis, from), x(axis, to)];
      const height = Math.max(2, (bar * pods) / gang.pods);
      context.fillStyle = stalled === true ? tone.other : color;
      context.fillRect(
        left,
        middle + bar / 2 - height,
        Math.max(1, right - left - (end === 'resized' ? 0 : 0.5)),
        height,
      );
      if (end === 'evicted' || end === 'lost' || end === 'moved') {
        context.fillStyle = tone.bad;
        context.fillRect(right - 2, middle - bar / 2 - 1, 2.5, bar + 2);
      }
    }
    if (row >= 12 && axis.left > 100) {
      context.fillStyle = tone.ink;
      context.fillText(clipped(context, gang.name, Math.min(axis.left - 10, width)), 0, middle + 4);
    }
  }
}
