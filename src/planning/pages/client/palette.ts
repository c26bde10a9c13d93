/**
 * Colors that people with any color vision can distinguish, dark enough on light and light enough on dark; they come from the style sheet.
 *
 * A name keeps its color while the page is open. There are ten; after that they repeat, and pointing at a thing identifies it.
 */
const COLORS = 10;

export interface Tones {
  readonly colors: readonly string[];
  readonly surface: string;
  readonly ink: string;
  readonly ink3: string;
  readonly free: string;
  readonly freeLine: string;
  readonly line: string;
  readonly line2: string;
  readonly track: string;
  readonly other: string;
  readonly mark: string;
  readonly bad: string;
  readonly accent: string;
}

/** What the style sheet says now: light or dark, on screen or on paper. */
export function tones(): Tones {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  return {
    colors: Array.from({ length: COLORS }, (_, i) => of(`--c${i}`)),
    surface: of('--surface'),
    ink: of('--ink'),
    ink3: of('--ink-3'),
    free: of('--free'),
    freeLine: of('--free-line'),
    line: of('--line'),
    line2: of('--line-2'),
    track: of('--track'),
    other: of('--other'),
    mark: of('--mark'),
    bad: of('--bad'),
    accent: of('--accent'),
  };
}

export class ColorBook {
  private readonly taken = new Map<string, number>();

  /** New names get the next colors, in this order. */
  admit(names: Iterable<string>): void {
    for (const name of names) {
      if (!this.taken.has(name)) {
        this.taken.set(name, this.taken.size % COLORS);
      }
    }
  }

  names(): Iterable<string> {
    return this.taken.keys();
  }

  of(name: string): number {
    return this.taken.get(name) ?? 0;
  }

  css(name: string): string {
    return `var(--c${this.of(name)})`;
  }
}
