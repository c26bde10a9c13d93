/**
 * A picture on a canvas of any height: only what is in sight is drawn, so that it may be zoomed into without end.
 *
 * It scrolls within its card, is redrawn when its width, the colors, or the resolution change, shows a card of details beside what the
 * pointer or the keyboard is at, and reads that card out.
 */
import { el } from './dom';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What a picture has to say for itself. Things are known by their index. */
export interface Picture {
  /** Lays out for a width, and says how high it is. */
  readonly measure: (width: number) => number;
  /** Draws what lies between `top` and `top + height`; the context is moved so that coordinates are those of the whole. */
  readonly draw: (context: CanvasRenderingContext2D, width: number, top: number, height: number) => void;
  readonly at: (x: number, y: number) => number | undefined;
  readonly boxOf: (index: number) => Box;
  /** Details of a thing, for the card beside it. */
  readonly details: (index: number) => readonly (Node | string)[];
  /** The adjacent thing in a direction; without a thing, the first. */
  readonly neighbor: (index: number | undefined, key: ArrowKey) => number | undefined;
  /** Enter, space or a click. */
  readonly choose: (index: number | undefined) => void;
  /** It is too large to be seen at once, and scrolls within its card. */
  readonly scrolls: () => boolean;
  /** Called when another thing, or none, is pointed at. */
  readonly pointed?: (index: number | undefined) => void;
}

export type ArrowKey = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown' | 'Home' | 'End';

const KEYS: readonly string[] = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'];

/** Taller than this is never one canvas. */
const MOST_AT_ONCE = 6000;

/** Taller than this is not put on paper in one piece. */
const MOST_PRINTED = 8000;

export class Pane {
  readonly element: HTMLElement;
  /** What the pointer or the keyboard is at. */
  current: number | undefined;
  private readonly scroller: HTMLElement;
  private readonly extent: HTMLElement;
  private readonly canvas = el('canvas', { 'aria-hidden': 'true' });
  private readonly tip = el('div', { class: 'tip', hidden: true });
  private readonly spoken = el('p', { class: 'visually-hidden', 'aria-live': 'polite' });
  private width = 0;
  private height = 0;
  private printing = false;
  private asked = false;

  constructor(
    private readonly picture: Picture,
    label: string,
  ) {
    this.extent = el('div', { class: 'extent' }, this.canvas);
    this.scroller = el(
      'div',
      {
        class: 'pane',
        tabindex: 0,
        role: 'application',
        'aria-label': label,
        scroll: () => this.paint(),
        pointermove: (event) => this.point(this.under(event as PointerEvent), false),
        pointerleave: () => this.point(undefined, false),
        click: (event) => this.picture.choose(this.under(event as PointerEvent)),
        keydown: (event) => this.key(event as KeyboardEvent),
        blur: () => this.point(undefined, false),
      },
      this.extent,
    );
    this.element = el('div', { class: 'pane-frame', style: undefined }, this.scroller, this.tip, this.spoken);
    this.element.style.position = 'relative';
    new ResizeObserver(() => this.refresh()).observe(this.scroller);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.refresh());
    window.addEventListener('beforeprint', () => this.print(true));
    window.addEventListener('afterprint', () => this.print(false));
  }

  /** Room for the picture. */
  get room(): number {
    return this.scroller.clientWidth;
  }

  /** Lays out and redraws. */
  refresh(): void {
    const { clientWidth } = this.scroller;
    if (clientWidth === 0) {
      return;
    }
    this.width = clientWidth;
    this.height = this.picture.measure(clientWidth);
    this.extent.style.height = `${this.height}px`;
    this.scroller.classList.toggle('scrolls', this.picture.scrolls() || this.height > MOST_AT_ONCE);
    this.paint();
    if (this.current !== undefined) {
      this.showTip(this.current);
    }
  }

  /** Draws what is in sight, at the next chance. */
  paint(): void {
    if (this.asked) {
      return;
    }
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.paintNow();
    });
  }

  forget(): void {
    this.point(undefined, false);
  }

  private paintNow(): void {
    const visible = this.printing
      ? Math.min(this.height, MOST_PRINTED)
      : Math.min(this.height, this.scroller.clientHeight || this.height);
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    const { canvas } = this;
    canvas.width = Math.max(1, Math.round(this.width * ratio));
    canvas.height = Math.max(1, Math.round(visible * ratio));
    canvas.style.width = `${this.width}px`;
    canvas.style.height = `${visible}px`;
    const context = canvas.getContext('2d');
    if (context === null) {
      return;
    }
    const top = this.printing ? 0 : this.scroller.scrollTop;
    context.setTransform(ratio, 0, 0, ratio, 0, -top * ratio);
    this.picture.draw(context, this.width, top, visible);
    this.element.dataset.drawn = String(Number(this.element.dataset.drawn ?? 0) + 1);
  }

  private print(printing: boolean): void {
    this.printing = printing;
    // Paper is light.
    document.documentElement.classList.toggle('paper', printing);
    this.paintNow();
  }

  private under(event: PointerEvent): number | undefined {
    const box = this.extent.getBoundingClientRect();
    return this.picture.at(event.clientX - box.left, event.clientY - box.top);
  }

  private key(event: KeyboardEvent): void {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.picture.choose(this.current);
      return;
    }
    if (event.key === 'Escape' && this.current !== undefined) {
      this.point(undefined, false);
      return;
    }
    if (!KEYS.includes(event.key) || event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    event.preventDefault();
    const next = this.picture.neighbor(this.current, event.key as ArrowKey);
    if (next !== undefined) {
      this.point(next, true);
    }
  }

  private point(index: number | undefined, byKey: boolean): void {
    if (index === this.current && index === undefined) {
      return;
    }
    this.current = index;
    if (index === undefined) {
      this.tip.hidden = true;
    } else {
      if (byKey) {
        this.reveal(this.picture.boxOf(index));
      }
      this.showTip(index);
      if (byKey) {
        this.spoken.textContent = this.tip.textContent;
      }
    }
    this.picture.pointed?.(index);
    this.paint();
  }

  private reveal({ y, height }: Box): void {
    const { scroller } = this;
    if (y < scroller.scrollTop) {
      scroller.scrollTop = y - 24;
    } else if (y + height > scroller.scrollTop + scroller.clientHeight) {
      scroller.scrollTop = y + height - scroller.clientHeight + 24;
    }
    const place = scroller.getBoundingClientRect();
    const top = place.top + y - scroller.scrollTop;
    if (top < 0 || top + height > window.innerHeight) {
      window.scrollBy(0, top - window.innerHeight / 3);
    }
  }

  /** Beneath the thing, or above it where there is no room. */
  private showTip(index: number): void {
    const { tip, scroller } = this;
    tip.replaceChildren(...this.picture.details(index));
    tip.hidden = false;
    const box = this.picture.boxOf(index);
    const top = box.y - scroller.scrollTop;
    const below = top + box.height + 8;
    const place = scroller.getBoundingClientRect();
    const above = place.top + below + tip.offsetHeight > window.innerHeight && place.top + top - tip.offsetHeight > 8;
    const left = Math.max(0, Math.min(box.x, this.width - tip.offsetWidth));
    tip.style.left = `${left}px`;
    tip.style.top = `${above ? top - 8 - tip.offsetHeight : below}px`;
  }
}
