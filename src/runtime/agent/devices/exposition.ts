/**
 * The text format of Prometheus' exposition, as far as samples go. Source: Prometheus, docs/instrumenting/exposition_formats.
 */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const MOST_SAMPLES = 50_000;
const LINE = /^([a-zA-Z_:][\w:]*)\s*(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?$/;
const LABEL = /\s*([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)/y;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', '\\': '\\', '"': '"' };

/**
 * @param wanted names of the metrics to keep
 * @returns the samples whose lines can be read; other lines are skipped, since one bad line must not hide all devices
 */
export function parseExposition(text: string, wanted: (name: string) => boolean): readonly Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    if (samples.length >= MOST_SAMPLES) {
      break;
    }
    const sample = line.startsWith('#') ? undefined : parseSample(line.trim(), wanted);
    if (sample !== undefined) {
      samples.push(sample);
    }
  }
  return samples;
}

function parseSample(line: string, wanted: (name: string) => boolean): Sample | undefined {
  const [, name, labelText = '', valueText] = LINE.exec(line) ?? [];
  if (name === undefined || !wanted(name)) {
    return undefined;
  }
  const labels = parseLabels(labelText);
  const value = numberOf(valueText);
  return labels === undefined || Number.isNaN(value) ? undefined : { name, labels, value };
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
