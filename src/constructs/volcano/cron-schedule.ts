/**
 * The cron grammar that Volcano's CronJob takes: five fields, or a word beginning with `@` (robfig/cron v3, ParseStandard).
 */
import { parseGoDuration } from '../../manifests/values/go-duration';
import { oneOf } from '../../facts/words';

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly words?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  {
    name: 'month',
    min: 1,
    max: 12,
    words: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { name: 'day of week', min: 0, max: 6, words: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

/** What is wrong with a schedule; `undefined` where nothing is. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule.trim() === '') {
    return 'it is empty';
  }
  if (schedule.startsWith('@every ')) {
    const duration = schedule.slice('@every '.length);
    return parseGoDuration(duration) === undefined ? `"${duration}" is not a valid duration such as 1h30m` : undefined;
  }
  // Blanks around fields do not matter, blanks around a word do.
  if (schedule.startsWith('@')) {
    return DESCRIPTORS.includes(schedule)
      ? undefined
      : `"${schedule}" must be ${oneOf([...DESCRIPTORS, '@every <duration>'])}`;
  }
  const parts = schedule.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) {
    return `it has ${parts.length} fields instead of five (minute, hour, day of month, month, day of week)`;
  }
  for (const [index, part] of parts.entries()) {
    const field = FIELDS[index];
    const problem = field === undefined ? undefined : fieldProblem(part, field);
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

function fieldProblem(text: string, field: Field): string | undefined {
  for (const item of text.split(',').filter((part) => part !== '')) {
    const [range = '', step, ...rest] = item.split('/');
    const ends = range.split('-');
    if (rest.length > 0 || ends.length > 2) {
      return `the ${field.name} "${item}" cannot be read`;
    }
    if (step !== undefined && !(/^\d+$/.test(step) && Number(step) > 0)) {
      return `the step of the ${field.name} "${item}" must be a number greater than 0`;
    }
    if (ends[0] === '*' || ends[0] === '?') {
      continue;
    }
    const [from, to] = [numberOf(ends[0] ?? '', field), ends[1] === undefined ? undefined : numberOf(ends[1], field)];
    if (from === undefined || (ends[1] !== undefined && to === undefined)) {
      return `the ${field.name} "${item}" is not a number`;
    }
    if (from < field.min || (to ?? from) > field.max) {
      return `the ${field.name} "${item}" lies outside ${field.min} to ${field.max}`;
    }
    if (to !== undefined && from > to) {
      return `the ${field.name} "${item}" runs backwards`;
    }
  }
  return undefined;
}

function numberOf(text: string, field: Field): number | undefined {
  if (/^\d+$/.test(text)) {
    return Number(text);
  }
  const index = field.words?.indexOf(text.toLowerCase()) ?? -1;
  return index < 0 ? undefined : index + field.min;
}

/** Whether a time zone name is known: an IANA name, as the time zone database of this runtime has it. */
export function isTimeZone(name: string): boolean {
  // The database that Volcano reads is a folder of files, so capitals count; `Intl` would let them pass.
  if (!/^[A-Z]/.test(name)) {
    return false;
  }
  if (!name.split('/').every((part) => part !== '.' && part !== '..' && /^(?!-)[A-Za-z.\-_0-9+]{1,14}$/.test(part))) {
    return false;
  }
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
