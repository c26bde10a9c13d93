/**
 * What was wrong with nodes over time, and what remediation did: a row for each node, with its problems above and the marks of remediation below.
 *
 * A problem is a thin line with ends, a mark is a bar, outlined in a dry run: they differ in shape and not in color alone.
 */
import {
  type HealthSpan,
  type NodeHealth,
  type NodeHealthOutcome,
  type SimulationResult,
} from '../../simulation/result';
import { el } from './dom';
import { clipped } from './fleet-picture';
import { type ArrowKey, type Picture } from './pane';
import { type Tones, tones } from './palette';
import { ticks, type TimeAxis, x } from './time-axis';
import { tellSeconds } from './words';

const HEAD = 26;
const ROW = 30;
const PROBLEM_Y = 7;
const MARK_Y = 13;
const MARK_HEIGHT = 11;
/** More rows than this scroll. */
const MOST_ROWS = 24;

export class HealthPicture implements Picture {
  private axis: TimeAxis = { from: 0, to: 1, left: 0, right: 1 };
  private pointedAt: number | undefined;

  constructor(
    private readonly result: SimulationResult,
    private readonly health: NodeHealth,
    private readonly left: (width: number) => number,
  ) {}

  scrolls(): boolean {
    return this.health.nodes.length > MOST_ROWS;
  }

  measure(width: number): number {
    this.axis = { from: 0, to: Math.max(1, this.result.seconds), left: this.left(width), right: width - 8 };
    return HEAD + ROW * this.health.nodes.length + 4;
  }

  draw(context: CanvasRenderingContext2D, width: number, top: number, height: number): void {
    const { axis, health } = this;
    const tone = tones();
    context.clearRect(0, top, width, height);
    context.font = '12px system-ui, sans-serif';
    context.fillStyle = tone.line;
    for (const tick of ticks(axis)) {
      context.fillRect(x(axis, tick.at), HEAD - 4, 1, HEAD + ROW * health.nodes.length);
    }
    health.nodes.forEach((node, row) => {
      const y = HEAD + row * ROW;
      if (y + ROW >= top && y <= top + height) {
        this.drawNode(context, node, y, tone);
      }
    });
    if (this.pointedAt !== undefined) {
      context.strokeStyle = tone.ink;
      context.lineWidth = 1;
      context.strokeRect(axis.left - 3.5, HEAD + this.pointedAt * ROW + 0.5, axis.right - axis.left + 7, ROW - 1);
    }
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

  private drawNode(context: CanvasRenderingContext2D, node: NodeHealthOutcome, y: number, tone: Tones): void {
    const { axis } = this;
    context.fillStyle = tone.ink;
    context.fillText(clipped(context, node.name, axis.left - 10), 0, y + 19);
    context.fillStyle = tone.bad;
    for (const span of node.problems) {
      const [from, width] = this.place(span);
      context.fillRect(from, y + PROBLEM_Y, width, 2);
      context.fillRect(from, y + PROBLEM_Y - 3, 2, 8);
      if (span.to !== undefined) {
        context.fillRect(from + width - 2, y + PROBLEM_Y - 3, 2, 8);
      }
    }
    for (const span of node.marks) {
      const [from, width] = this.place(span);
      context.strokeStyle = tone.accent;
      context.lineWidth = 1.5;
      context.fillStyle = tone.accent;
      if (this.health.remediation === 'dry-run') {
        context.strokeRect(from + 0.75, y + MARK_Y + 0.75, Math.max(1, width - 1.5), MARK_HEIGHT - 1.5);
      } else {
        context.fillRect(from, y + MARK_Y, width, MARK_HEIGHT);
      }
    }
  }

  private place({ from, to }: HealthSpan): readonly [from: number, width: number] {
    const left = x(this.axis, Math.min(from, this.result.seconds));
    return [left, Math.max(3, x(this.axis, Math.min(to ?? Infinity, this.result.seconds)) - left)];
  }

  at(_x: number, y: number): number | undefined {
    const row = Math.floor((y - HEAD) / ROW);
    return row >= 0 && row < this.health.nodes.length ? row : undefined;
  }

  boxOf(index: number): { x: number; y: number; width: number; height: number } {
    const first = this.health.nodes[index].problems[0] ?? this.health.nodes[index].marks[0];
    return { x: x(this.axis, first?.from ?? 0), y: HEAD + index * ROW, width: 1, height: ROW };
  }

  neighbor(index: number | undefined, key: ArrowKey): number | undefined {
    const last = this.health.nodes.length - 1;
    if (index === undefined || key === 'Home') {
      return last < 0 ? undefined : 0;
    }
    return key === 'End'
      ? last
      : Math.min(last, Math.max(0, index + (key === 'ArrowDown' || key === 'ArrowRight' ? 1 : -1)));
  }

  details(index: number): readonly (Node | string)[] {
    const { name, problems, marks, refusals } = this.health.nodes[index];
    return [
      el('strong', {}, name),
      ...problems.map((span) => el('p', { class: 'bad' }, spanText(span))),
      ...marks.map((span) =>
        el('p', {}, `${this.health.remediation === 'dry-run' ? 'would have ' : ''}${spanText(span)}`),
      ),
      ...refusals.map((span) => el('p', { class: 'warn' }, `not done: ${spanText(span)}`)),
    ];
  }

  choose(): void {
    // The card says all there is.
  }

  pointed(index: number | undefined): void {
    this.pointedAt = index;
  }
}

export function spanText({ what, from, to }: HealthSpan): string {
  return `${what}, ${tellSeconds(from)} ${to === undefined ? 'until the end' : `to ${tellSeconds(to)}`}`;
}
