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
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)));
  const sheet = new Table({
    head: head.map((title) => bold(title)),
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colWidths: options.width === undefined ? widths : narrowed(widths, options.width, options.whole ?? []),
    wordWrap: true,
    wrapOnWordBoundary: true,
  });
  sheet.push(...rows.map((row) => [...row]));
  return `${sheet
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}

/** Takes columns from the widest until the line fits. */
function narrowed(widths: readonly number[], room: number, whole: readonly number[]): number[] {
  const columns = [...widths];
  const total = (): number => columns.reduce((sum, width) => sum + width + GAP, -GAP);
  while (total() > room) {
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
