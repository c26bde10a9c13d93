/**
 * Reads the list of counters of the DCGM exporter as the exporter reads it: CSV with three fields, by the rules of Go's reader.
 *
 * Go's reader takes a line as a comment only if it begins with `#` in its first column, and a quoted field only if the quote comes
 * right after the comma. Anything wrong in one line refuses the whole file, and the exporter ends.
 *
 * Source: dcgm-exporter, internal/pkg/counters/counter_config.go; Go, encoding/csv.
 */
import { oneOf } from '../../facts/words';
import { isObject } from '../../manifests/read';
import { type ConfigProblem, type Note, valueOf } from './config-problem';

export type DcgmProblemKind = 'not-csv' | 'fields' | 'quote' | 'field-name' | 'type' | 'twice';
export type DcgmProblem = ConfigProblem<DcgmProblemKind>;

const DCGM_TYPES = ['gauge', 'counter', 'histogram', 'summary', 'label'] as const;
/** Type of a metric in the exporter's list. */
export type DcgmMetricType = (typeof DCGM_TYPES)[number];

/** The key that the GPU operator mounts. */
export const DCGM_OPERATOR_KEY = 'dcgm-metrics.csv';
/** The key that a stand-alone exporter reads (`--configmap-data namespace:name`). */
export const DCGM_STANDALONE_KEY = 'metrics';

export interface DcgmRow {
  readonly field: string;
  readonly type: string;
  readonly help: string;
  /** Counts from 1. */
  readonly line: number;
}

export interface DcgmReading {
  readonly rows: readonly DcgmRow[];
  readonly problems: readonly DcgmProblem[];
}

/** Whether a text states counters in some form: fields of DCGM, and neither alerts nor a dashboard. */
export function isDcgmCounters(text: string): boolean {
  if (
    !/\bDCGM_(FI|EXP)_[A-Z0-9_]+/.test(text) ||
    /^[ \t]*["']?(expr|panels|groups|targets)["']?[ \t]*:|"(expr|panels)"[ \t]*:/m.test(text)
  ) {
    return false;
  }
  return (
    /^[ \t]*DCGM_(FI|EXP)_[A-Z0-9_]+[ \t]*(,|$)/m.test(text) ||
    /^[ \t]*(?:-[ \t]*)?(name|field|metric|id)[ \t]*:[ \t]*["']?DCGM_/m.test(text) ||
    /^[ \t]*-[ \t]*["']?DCGM_/m.test(text)
  );
}

export function readDcgmCounters(text: string): DcgmReading {
  const problems: DcgmProblem[] = [];
  const note: Note<DcgmProblemKind> = (kind, at, message, found, expected, fix) =>
    problems.push({ kind, at, message, found, expected, fix });
  if (isYamlList(text)) {
    note(
      'not-csv',
      '',
      'the counters are written as YAML, but the exporter reads only CSV',
      undefined,
      'lines such as DCGM_FI_DEV_GPU_TEMP, gauge, GPU temperature (in C).',
    );
    return { rows: [], problems };
  }
  const rows: DcgmRow[] = [];
  const seen = new Map<string, number>();
  for (const [index, raw] of text.split('\n').entries()) {
    const source = raw.replace(/\r$/, '');
    if (source === '' || source.startsWith('#')) {
      continue;
    }
    const line = index + 1;
    const at = `line ${line}`;
    const fields = fieldsOf(source);
    if (fields === undefined) {
      note(
        'quote',
        at,
        `line ${line} has a quote that is not directly after a comma`,
        source,
        'no quotes, or "help, with a comma" directly after the comma',
        `Remove the quotes from line ${line}, or begin them directly after the comma: DCGM_FI_DEV_GPU_UTIL, gauge,"help".`,
      );
      continue;
    }
    if (fields.length !== 3) {
      const indented = /^\s+#/.test(source) ? '; a comment must begin in the first column' : '';
      note(
        'fields',
        at,
        `line ${line} must have three fields, but has ${fields.length}${indented}`,
        source,
        'three fields: name, type, and a help text without a comma',
        indented !== ''
          ? `Remove the blanks before the "#" in line ${line}.`
          : fields.length < 3
            ? `Write line ${line} with three fields: name, type, and help text.`
            : `Remove the comma from the help text in line ${line}, or put the text in quotes directly after the comma before it.`,
      );
      continue;
    }
    const [field = '', type = '', help = ''] = fields.map((one) => one.replace(/^ +|(?<! ) +$/g, ''));
    if (!/^(DCGM_(FI|EXP)_[A-Z0-9_]+|dcgm_[a-z0-9_]+)$/.test(field)) {
      note('field-name', at, `line ${line}: DCGM has no field "${field}"`, field, 'DCGM_FI_… or DCGM_EXP_…');
    } else if (!field.startsWith('DCGM_EXP_') && !(DCGM_TYPES as readonly string[]).includes(type)) {
      note('type', at, `line ${line}: ${unsupportedType(type)}`, type, oneOf(DCGM_TYPES));
    }
    const before = seen.get(field);
    if (before !== undefined) {
      note(
        'twice',
        at,
        `duplicate field "${field}" in line ${line}: already listed in line ${before}`,
        field,
        undefined,
        `Remove line ${line}, or line ${before}.`,
      );
    }
    seen.set(field, before ?? line);
    rows.push({ field, type, help, line });
  }
  return { rows, problems };
}

function isYamlList(text: string): boolean {
  if (!/^[ \t]*(-\s|[A-Za-z_"']+[ \t]*:)/m.test(text.replace(/^#.*$/gm, ''))) {
    return false;
  }
  if (/^[ \t]*DCGM_(FI|EXP)_\w+[ \t]*,/m.test(text)) {
    return false;
  }
  const parsed = valueOf(text);
  return 'value' in parsed && (Array.isArray(parsed.value) || isObject(parsed.value));
}

/** The fields of a line; `undefined` where Go's reader finds a quote out of place. */
function fieldsOf(line: string): readonly string[] | undefined {
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    if (line[at] === '"') {
      const quoted = /^"((?:[^"]|"")*)"(,|$)/.exec(line.slice(at));
      if (quoted === null) {
        return undefined;
      }
      fields.push((quoted[1] ?? '').replaceAll('""', '"'));
      at += quoted[0].length;
      if (quoted[2] === '') {
        return fields;
      }
    } else {
      const end = line.indexOf(',', at);
      const field = end < 0 ? line.slice(at) : line.slice(at, end);
      if (field.includes('"')) {
        return undefined;
      }
      fields.push(field);
      if (end < 0) {
        return fields;
      }
      at = end + 1;
    }
  }
}

function unsupportedType(type: string): string {
  if (type === '') {
    return 'the metric type must be set';
  }
  const isCase = (DCGM_TYPES as readonly string[]).includes(type.toLowerCase());
  return `unsupported metric type "${type}"${isCase ? '; must be lowercase' : ''}`;
}
