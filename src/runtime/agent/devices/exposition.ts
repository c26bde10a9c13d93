/**
 * The text format of Prometheus' exposition, as far as samples go. Source: Prometheus, docs/instrumenting/exposition_formats.
 */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const MOST_SAMPLES = 50_000;
/** A longer line is skipped: no exporter writes one. */
const LONGEST_LINE = 65_536;
const NAME = /^[a-zA-Z_:][\w:]*/;
const LABEL = /\s*([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)/y;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', '\\': '\\', '"': '"' };

/**
 * @param wanted names of the metrics to keep
 * @returns the samples whose lines can be read; other lines are skipped, since one bad line must not hide all devices
 */
export function parseExposition(text: string, wanted: (name: string) => boolean): readonly Sample[] {
  const samples: Sample[] = [];
  // One line at a time: millions of empty lines would be a list that fills the memory.
  for (let start = 0; start < text.length && samples.length < MOST_SAMPLES;) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    const sample =
      text[start] === '#' || end - start > LONGEST_LINE
        ? undefined
        : parseSample(text.slice(start, end).trim(), wanted);
    if (sample !== undefined) {
      samples.push(sample);
    }
    start = end + 1;
  }
  return samples;
}

function parseSample(line: string, wanted: (name: string) => boolean): Sample | undefined {
  const name = NAME.exec(line)?.[0];
  if (name === undefined || !wanted(name)) {
    return undefined;
  }
  const rest = line.slice(name.length).trimStart();
  const close = rest.startsWith('{') ? rest.lastIndexOf('}') : -1;
  const [valueText, time = '0', ...more] = rest
    .slice(close + 1)
    .trim()
    .split(/\s+/);
  const labels = parseLabels(close < 0 ? '' : rest.slice(1, close));
  const value = valueText === '' ? NaN : numberOf(valueText);
  const isSample = labels !== undefined && !Number.isNaN(value) && /^-?\d+$/.test(time) && more.length === 0;
  return isSample ? { name, labels, value } : undefined;
}

function parseLabels(text: string): Readonly<Record<string, string>> | undefined {
  const labels: [string, string][] = [];
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const found = LABEL.exec(text);
    if (found === null) {
      return undefined;
    }
    labels.push([found[1], found[2].replace(/\\(.)/g, (whole, character: string) => ESCAPES[character] ?? whole)]);
  }
  return Object.fromEntries(labels);
}

function numberOf(text: string): number {
  const infinite = /^([+-]?)Inf$/.exec(text);
  return infinite === null ? Number(text) : infinite[1] === '-' ? -Infinity : Infinity;
}
