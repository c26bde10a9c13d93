/**
 * Jobs from a file, so that teams can replay their own history: a plain list as CSV or as JSON lines, or the pod list of the openb trace.
 *
 * A plain list as CSV has a header; as JSON lines, each line is an object with the same names. `submitted` and `duration` are required;
 * `devices` are those of each pod; `started`, `ended`, and `evictions` are ignored; every other column is a member of a gang as in `gangs`:
 * `name`, `queue`, `pods`, `minimum`, `cpu`, `memory`, `priority`, `model`, `checkpoint` … Maps and lists, such as `roles`, are for JSON
 * lines. An empty field is not set. `submitted` is a number of seconds, a duration, or a date and time; the earliest job arrives at 0.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { isObject } from '../../manifests/read';
import { Fields, type Problem } from '../cluster/files/fields';
import { parseDuration } from '../cluster/files/durations';
import { readGang } from './read-gangs';
import { type ScenarioGang } from './scenario';

/** More rows than this are not a history that is replayed, but a mistake. */
const MOST_ROWS = 200_000;

const OPENB_COLUMNS = ['cpu_milli', 'memory_mib', 'num_gpu', 'gpu_milli', 'creation_time', 'deletion_time'] as const;
const REQUIRED = ['submitted', 'duration'] as const;
const RENAMED: Readonly<Record<string, string>> = { submitted: 'arrives', devices: 'gpus' };
/** What happened to a job, which a simulation decides itself. */
const RECORDED: ReadonlySet<string> = new Set(['started', 'ended', 'evictions']);
/** Members that are maps or lists, in JSON lines. */
const STRUCTURED: ReadonlySet<string> = new Set([
  'claims',
  'roles',
  'subgroups',
  'request',
  'nodeSelector',
  'tolerations',
  'topology',
]);
/** Names of the columns by the members that they become. */
const CALLED: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(RENAMED).map(([column, member]) => [member, column]),
);

/** What a job has that sets neither. */
interface BaseRow {
  readonly name: string;
  readonly queue: string;
}

interface Row {
  /** Seconds, from whatever beginning. */
  readonly at: number;
  readonly gang: JsonObject;
}

/**
 * @param file how messages name it
 * @param queue of jobs that name none
 * @param problems gets a line for each row that cannot be read
 */
export function readJobs(
  text: string,
  file: string,
  { queue, device }: { readonly queue: string | undefined; readonly device: string },
  problems: Problem[],
): readonly ScenarioGang[] {
  const { lines, isOpenb } = text.trimStart().startsWith('{')
    ? { lines: jsonLinesOf(text), isOpenb: false }
    : csvLinesOf(text, file, problems);
  if (lines.length > MOST_ROWS) {
    problems.push({ path: file, message: `has ${lines.length} jobs; at most ${MOST_ROWS} are read` });
    return [];
  }
  const rows = lines.flatMap(({ values, number }, index): (Row & { readonly where: string })[] => {
    const where = `${file}:${number}`;
    const base = { name: `job-${String(index + 1).padStart(String(lines.length).length, '0')}`, queue: queue ?? '' };
    const row = typeof values === 'string' ? values : isOpenb ? openbRow(values, base) : plainRow(values, base);
    if (typeof row === 'string') {
      problems.push({ path: where, message: row });
      return [];
    }
    return row === undefined ? [] : [{ ...row, where }];
  });
  const first = rows.reduce((least, { at }) => Math.min(least, at), Infinity);
  return rows.flatMap(({ at, gang, where }) =>
    readGang(new Fields({ ...gang, arrives: at - first }, where, problems, isOpenb ? {} : CALLED), device),
  );
}

/** The text of a field, or a map or a list of JSON lines. */
type Cell = Exclude<JsonValue, number | boolean | null>;

interface Line {
  readonly number: number;
  /** Values by column, empty where the job does not say; or what is wrong with the line. */
  readonly values: ReadonlyMap<string, Cell> | string;
}

interface CsvLines {
  readonly lines: readonly Line[];
  readonly isOpenb: boolean;
}

function csvLinesOf(text: string, file: string, problems: Problem[]): CsvLines {
  const [header, ...rest] = numbered(text);
  const columns = header === undefined ? [] : cellsOf(header.line).map((name) => name.trim());
  const isOpenb = OPENB_COLUMNS.every((name) => columns.includes(name));
  const missing = isOpenb ? [] : REQUIRED.filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    problems.push({ path: file, message: `has no column ${missing.join(' and no column ')} in its header` });
    return { lines: [], isOpenb };
  }
  const lines = rest.map(({ line, number }): Line => {
    const cells = cellsOf(line);
    return cells.length === columns.length
      ? { number, values: new Map(columns.map((name, i) => [name, cells[i].trim()])) }
      : { number, values: `has ${cells.length} fields, but the header has ${columns.length}` };
  });
  return { lines, isOpenb };
}

function jsonLinesOf(text: string): readonly Line[] {
  return numbered(text).map(({ line, number }) => ({ number, values: valuesOf(parseJson(line)) }));
}

function valuesOf(job: JsonValue | undefined): Line['values'] {
  if (!isObject(job)) {
    return 'must be a JSON object';
  }
  const missing = REQUIRED.filter((name) => !Object.hasOwn(job, name));
  if (missing.length > 0) {
    return `has no ${missing.join(' and no ')}`;
  }
  const values = new Map<string, Cell>();
  for (const [name, value] of Object.entries(job)) {
    if (typeof value !== 'object' || value === null) {
      values.set(name, value === null ? '' : String(value));
    } else if (STRUCTURED.has(name)) {
      values.set(name, value);
    } else {
      return `${JSON.stringify(name)} must be a string, a number, or a boolean`;
    }
  }
  return values;
}

function numbered(text: string): readonly { readonly line: string; readonly number: number }[] {
  return text
    .split(/\r?\n/)
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== '');
}

function parseJson(line: string): JsonValue | undefined {
  try {
    return JSON.parse(line) as JsonValue;
  } catch {
    return undefined;
  }
}

function plainRow(values: ReadonlyMap<string, Cell>, base: BaseRow): Row | string {
  const own = [...values].filter(([column, value]) => value !== '' && column !== 'submitted' && !RECORDED.has(column));
  const gang = {
    ...base,
    ...Object.fromEntries(
      own.map(([column, value]): [string, JsonValue] => [
        Object.hasOwn(RENAMED, column) ? RENAMED[column] : column,
        typeof value === 'string' ? valueOf(value) : value,
      ]),
    ),
  };
  const submitted = textIn(values, 'submitted');
  const at = parseDuration(submitted) ?? Date.parse(submitted) / 1000;
  return Number.isFinite(at)
    ? { at, gang: { ...gang, name: textIn(values, 'name') || base.name, queue: textIn(values, 'queue') || base.queue } }
    : `submitted "${submitted}" must be seconds, a duration such as 90m, or a date and time`;
}

/** A number or a truth value, where the text is one. */
function valueOf(text: string): string | number | boolean {
  return text === 'true' || text === 'false' ? text === 'true' : Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Empty where the job does not say. */
function textIn(values: ReadonlyMap<string, Cell>, column: string): string {
  const value = values.get(column);
  return typeof value === 'string' ? value : '';
}

/** A pod that never ended is left out: how long it works is not known. */
function openbRow(values: ReadonlyMap<string, Cell>, base: BaseRow): Row | string | undefined {
  const number = (column: string): number => Number(textIn(values, column) || Number.NaN);
  const [created, deleted] = [number('creation_time'), number('deletion_time')];
  const scheduled = Number(textIn(values, 'scheduled_time') || created);
  const [devices, milli] = [number('num_gpu'), Number(textIn(values, 'gpu_milli') || 0)];
  if (![created, devices, number('cpu_milli'), number('memory_mib')].every(Number.isFinite)) {
    return 'must have numbers for creation_time, num_gpu, cpu_milli, and memory_mib';
  }
  if (!(deleted > scheduled)) {
    return undefined;
  }
  const gpus = devices === 1 && milli < 1000 ? milli / 1000 : devices;
  const [model, name] = [textIn(values, 'gpu_spec'), textIn(values, 'name')];
  return {
    at: created,
    gang: {
      ...base,
      ...(name === '' ? {} : { name }),
      duration: deleted - scheduled,
      cpu: `${number('cpu_milli')}m`,
      memory: `${number('memory_mib')}Mi`,
      ...(gpus > 0 ? { gpus } : {}),
      ...(model === '' || gpus === 0 ? {} : { model }),
    },
  };
}

/** Fields of a line; one in double quotes may contain commas, and two double quotes for one. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  for (const [, quoted, plain] of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)) {
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
  }
  return cells;
}
