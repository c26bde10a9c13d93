/**
 * Plain tables that fit the terminal.
 */
import Table from 'cli-table3';
import pico from 'picocolors';

export interface TableOptions {
  readonly color: boolean;
  /**
   * Columns of the terminal; the widest columns of the table give way.
   * @default - as wide as the cells are
   */
  readonly width?: number;
  /**
   * Columns that stay as wide as their cells, by index: names that people copy.
   * @default - none
   */
  readonly whole?: readonly number[];
  /**
   * Columns that are left out, in this order, where the others do not fit otherwise, by index.
   * @default - none
   */
  readonly optional?: readonly number[];
}

const GAP = 2;
/** A column is not made narrower than this, so that words stay readable; a table on a very narrow terminal is then too wide. */
const LEAST = 14;

const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(GAP),
};

/** A table without lines, with a line end. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], options: TableOptions): string {
  const { bold } = pico.createColors(options.color);
  const all = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)));
  const { room, whole, shown } = shownColumns(all, options);
  const widths = shown.map((column) => all[column]);
  const sheet = new Table({
    head: shown.map((column) => bold(head[column])),
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colWidths: narrowed(widths, room, whole),
    wordWrap: true,
    wrapOnWordBoundary: true,
  });
  sheet.push(...rows.map((row) => shown.map((column) => row[column] ?? '')));
  return `${sheet
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}

interface Shown {
  /** Characters of a line. */
  readonly room: number;
  /** Columns of the table, by their index in the rows. */
  readonly shown: readonly number[];
  /** Columns that stay as wide as they are, by their index in the table. */
  readonly whole: readonly number[];
}

/** Leaves out columns while the others are too wide at their narrowest. */
function shownColumns(
  widths: readonly number[],
  { width: room = Infinity, whole = [], optional = [] }: TableOptions,
): Shown {
  const left = [...optional];
  let shown = widths.map((_, column) => column);
  const narrowest = (): readonly number[] =>
    shown.map((column) => (whole.includes(column) ? widths[column] : Math.min(widths[column], LEAST)));
  while (left.length > 0 && lineOf(narrowest()) > room) {
    const dropped = left.shift();
    shown = shown.filter((column) => column !== dropped);
  }
  return { room, shown, whole: whole.map((column) => shown.indexOf(column)) };
}

function lineOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP, -GAP);
}

/** Takes columns from the widest until the line fits. */
function narrowed(widths: readonly number[], room: number, whole: readonly number[]): number[] {
  const columns = [...widths];
  while (lineOf(columns) > room) {
    const widest = columns.reduce(
      (best, width, column) => (!whole.includes(column) && width > (columns[best] ?? 0) ? column : best),
      -1,
    );
    if (widest < 0 || columns[widest] <= LEAST) {
      break;
    }
    columns[widest]--;
  }
  return columns;
}
