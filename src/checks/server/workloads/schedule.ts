/**
 * Cron schedules and time zones as Kubernetes reads them (robfig/cron v3's standard parser and Go's time package).
 */
import { Remembered } from '../../remembered';

interface Field {
  readonly least: number;
  readonly most: number;
  readonly names?: Readonly<Record<string, number>>;
}

const MONTHS = Object.fromEntries(
  'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ').map((name, index) => [name, index + 1]),
);
const WEEKDAYS = Object.fromEntries('sun mon tue wed thu fri sat'.split(' ').map((name, index) => [name, index]));
const FIELDS: readonly Field[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: MONTHS },
  { least: 0, most: 6, names: WEEKDAYS },
];
const DESCRIPTORS: ReadonlySet<string> = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]);

/** What the schedule would have to be; `undefined` for one that the server takes. */
export function scheduleComplaint(schedule: string): string | undefined {
  if (schedule.includes('TZ')) {
    return 'not contain TZ or CRON_TZ (use timeZone)';
  }
  if (schedule.startsWith('@')) {
    if (DESCRIPTORS.has(schedule)) {
      return undefined;
    }
    if (!schedule.startsWith('@every ')) {
      return 'be a known descriptor such as @daily';
    }
    return isDuration(schedule.slice('@every '.length)) ? undefined : 'have a duration such as 1h30m after @every';
  }
  const parts = schedule.trim() === '' ? [] : schedule.trim().split(/\s+/);
  if (parts.length !== 5) {
    return `have 5 fields, not ${parts.length}`;
  }
  for (const [index, part] of parts.entries()) {
    const field = FIELDS[index];
    const complaint = field === undefined ? undefined : fieldComplaint(part, field);
    if (complaint !== undefined) {
      return complaint;
    }
  }
  return undefined;
}

/** What the time zone would have to be; `undefined` for a known one. */
export function timeZoneComplaint(zone: string): string | undefined {
  if (zone === '') {
    return 'not be empty';
  }
  if (zone.toLowerCase() === 'local') {
    return 'be an explicit zone';
  }
  for (const part of zone.split('/')) {
    if (part === '.' || part === '..' || part.startsWith('-') || !/^[A-Za-z.\-_0-9+]{1,14}$/.test(part)) {
      return 'be an IANA name';
    }
  }
  const name = zone.replace(/^(posix|right)\//, '');
  const spelled = spellingOf(name);
  if (!isZone(name)) {
    return 'be a zone of the IANA database';
  }
  return spelled === name || ON_SOME_MACHINES.has(name) ? undefined : `be spelled "${spelled}"`;
}

/** Zones of Go's own database, and files beside those of a machine, that JavaScript does not know. */
const ON_SOME_MACHINES: ReadonlySet<string> = new Set(['Factory', 'localtime', 'posixrules']);

/** Making a format takes longer than all other checks of a schedule together. */
const zones = new Remembered<boolean>();

function isZone(name: string): boolean {
  return ON_SOME_MACHINES.has(name) || zones.get(name, () => isZoneOfRuntime(name));
}

function isZoneOfRuntime(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

/** The zones that are not spelled in words with capitals. Go looks a zone up as a file, so its case matters. */
const ODD_SPELLINGS =
  `Africa/Dar_es_Salaam America/Argentina/ComodRivadavia America/Knox_IN America/Port-au-Prince America/Port_of_Spain
  Antarctica/DumontDUrville Antarctica/McMurdo Australia/ACT Australia/LHI Australia/NSW Brazil/DeNoronha CET CST6CDT Chile/EasterIsland EET EST
  EST5EDT Etc/UCT Etc/UTC Europe/Isle_of_Man GB GB-Eire HST MET MST MST7MDT Mexico/BajaNorte Mexico/BajaSur NZ NZ-CHAT PRC PST8PDT ROC ROK UCT
  US/Alaska US/Aleutian US/Arizona US/Central US/East-Indiana US/Eastern US/Hawaii US/Indiana-Starke US/Michigan US/Mountain US/Pacific US/Samoa
  UTC W-SU WET`.split(/\s+/);
const ODD: ReadonlyMap<string, string> = new Map(ODD_SPELLINGS.map((name) => [name.toLowerCase(), name]));

/** How the database spells a zone whose case may be wrong. */
function spellingOf(name: string): string {
  const lower = name.toLowerCase();
  return (
    ODD.get(lower) ??
    lower
      .replace(/(^|[/_-])([a-z])/g, (_, before: string, letter: string) => `${before}${letter.toUpperCase()}`)
      .replace(/^(Etc\/)?Gmt/, (start) => start.replace('Gmt', 'GMT'))
  );
}

function fieldComplaint(text: string, field: Field): string | undefined {
  for (const expression of text.split(',').filter((part) => part !== '')) {
    const [range = '', step, ...more] = expression.split('/');
    if (more.length > 0) {
      return `have at most one "/" in "${expression}"`;
    }
    const [low = '', high, ...rest] = range.split('-');
    if (rest.length > 0) {
      return `have at most one "-" in "${expression}"`;
    }
    let from: number | undefined;
    let to: number | undefined;
    if (low === '*' || low === '?') {
      from = field.least;
      to = field.most;
    } else {
      from = valueOf(low, field);
      to = high === undefined ? (step === undefined ? from : field.most) : valueOf(high, field);
    }
    if (from === undefined || to === undefined) {
      return `have numbers or names in "${expression}"`;
    }
    if (step !== undefined) {
      const by = /^\d+$/.test(step) ? Number(step) : undefined;
      if (by === undefined) {
        return `have a number after "/" in "${expression}"`;
      }
      if (by === 0) {
        return `have a step greater than 0 in "${expression}"`;
      }
    }
    if (from < field.least || to > field.most) {
      return `have values from ${field.least} to ${field.most} in "${expression}"`;
    }
    if (from > to) {
      return `have an ascending range in "${expression}"`;
    }
  }
  return undefined;
}

function valueOf(text: string, field: Field): number | undefined {
  const named = field.names?.[text.toLowerCase()];
  if (named !== undefined) {
    return named;
  }
  return /^\+?\d+$/.test(text) ? Number(text) : undefined;
}

/** Go's duration grammar. */
function isDuration(text: string): boolean {
  return /^[-+]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(text);
}

/** Whether the schedule ever comes; `undefined` where it cannot be read. */
export function scheduleFires(schedule: string): boolean | undefined {
  if (scheduleComplaint(schedule) !== undefined) {
    return undefined;
  }
  if (schedule.startsWith('@')) {
    return true;
  }
  const [, , days = '*', months = '*', weekdays = '*'] = schedule.trim().split(/\s+/);
  // A restricted weekday comes in every month.
  if (!/^[*?]/.test(weekdays)) {
    return true;
  }
  const longest = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  const chosen = valuesOf(days, 2);
  return valuesOf(months, 3).some((month) => chosen.some((day) => day <= (longest[month - 1] ?? 31)));
}

/** The values that a field of a valid schedule names. */
function valuesOf(text: string, index: 2 | 3): readonly number[] {
  const field = FIELDS[index] ?? { least: 1, most: 31 };
  return text
    .split(',')
    .filter((part) => part !== '')
    .flatMap((expression) => {
      const [range = '', step] = expression.split('/');
      const [low = '', high] = range.split('-');
      const all = low === '*' || low === '?';
      const from = all ? field.least : (valueOf(low, field) ?? field.least);
      const to = all
        ? field.most
        : high === undefined
          ? step === undefined
            ? from
            : field.most
          : (valueOf(high, field) ?? field.most);
      const by = step === undefined ? 1 : Number(step);
      const values: number[] = [];
      for (let value = from; value <= to; value += by) {
        values.push(value);
      }
      return values;
    });
}
