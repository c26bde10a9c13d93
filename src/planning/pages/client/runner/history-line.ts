/**
 * How a device was used over time, as lines in a box of 1 by 1: a few hundred points at most, with gaps where nothing was measured.
 */
export const POINTS = 240;

export type Values = readonly (number | null)[];

/** Means of equal parts, at most `POINTS` of them. */
export function condensed(values: Values): Values {
  const size = Math.ceil(values.length / POINTS);
  if (size <= 1) {
    return values;
  }
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    mean(values.slice(index * size, (index + 1) * size)),
  );
}

export function mean(values: Values): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

interface Run {
  readonly from: number;
  readonly values: readonly number[];
}

function runs(values: Values): readonly Run[] {
  const found: { from: number; values: number[] }[] = [];
  values.forEach((value, index) => {
    if (value !== null) {
      if (index === 0 || values[index - 1] === null) {
        found.push({ from: index, values: [] });
      }
      found.at(-1)!.values.push(value);
    }
  });
  return found;
}

export interface Box {
  readonly width: number;
  readonly height: number;
}

/** A path with a step for each value, so that one value between gaps is seen too. */
export function linePath(values: Values, box: Box): string {
  return runs(values)
    .map((run) => steps(run, values.length, box, 'M'))
    .join('');
}

/** The same, closed along the bottom. */
export function areaPath(values: Values, box: Box): string {
  const unit = box.width / values.length;
  return runs(values)
    .map((run) => {
      const end = round((run.from + run.values.length) * unit);
      return `M${round(run.from * unit)} ${box.height}${steps(run, values.length, box, 'L')}L${end} ${box.height}Z`;
    })
    .join('');
}

function steps({ from, values }: Run, count: number, { width, height }: Box, first: 'M' | 'L'): string {
  const unit = width / count;
  return values
    .map((value, index) => {
      const y = round(height - Math.min(1, Math.max(0, value)) * height);
      const [x, next] = [round((from + index) * unit), round((from + index + 1) * unit)];
      return `${index === 0 ? first : 'L'}${x} ${y}L${next} ${y}`;
    })
    .join('');
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
