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

/** What is wrong with a schedule, as the end of a message. */
export interface ScheduleProblem {
  readonly message: string;
  /** What to write. @default - five fields */
  readonly fix?: string;
}

/** What is wrong with a schedule; `undefined` where nothing is. */
export function scheduleProblem(schedule: string): ScheduleProblem | undefined {
  if (schedule.trim() === '') {
    return { message: 'must not be empty' };
  }
  if (schedule.includes('TZ')) {
    return {
      message: 'must not contain a time zone',
      fix: 'Remove the time zone from spec.schedule, and set spec.timeZone to it.',
    };
  }
  if (schedule.startsWith('@every ')) {
    const duration = schedule.slice('@every '.length);
    return parseGoDuration(duration) === undefined
      ? { message: `has the invalid duration "${duration}"`, fix: 'Set spec.schedule to "@every 1h30m", for example.' }
      : undefined;
  }
  // Blanks around fields do not matter, blanks around a word do.
  if (schedule.startsWith('@')) {
    return DESCRIPTORS.includes(schedule)
      ? undefined
      : { message: 'is an unknown macro', fix: `Set spec.schedule to ${oneOf([...DESCRIPTORS, '@every 1h30m'])}.` };
  }
  const parts = schedule.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) {
    return { message: `must have five fields, but has ${parts.length}` };
  }
  for (const [index, part] of parts.entries()) {
    const field = FIELDS[index];
    const problem = field === undefined ? undefined : fieldProblem(part, field);
    if (field !== undefined && problem !== undefined) {
      const place = `field ${index + 1} (${field.name})`;
      return {
        message: `is invalid: ${place} ${problem}`,
        fix: `Set ${place} in spec.schedule to ${valuesOf(field)}.`,
      };
    }
  }
  return undefined;
}

/** `"*", a range such as 1-5, or a number from 1 to 12`, and the names that the field takes. */
function valuesOf({ min, max, words }: Field): string {
  const names = words === undefined ? [] : [`a name such as ${words[0]}`];
  return oneOf(['"*"', `a number from ${min} to ${max}`, ...names, 'a range or list of them']);
}

function fieldProblem(text: string, field: Field): string | undefined {
  for (const item of text.split(',').filter((part) => part !== '')) {
    const problem = itemProblem(item, field);
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

function itemProblem(item: string, field: Field): string | undefined {
  const [range = '', step, ...rest] = item.split('/');
  const ends = range.split('-');
  if (rest.length > 0 || ends.length > 2) {
    return `must be of the form a, a-b, or a-b/step, but is "${item}"`;
  }
  if (step !== undefined && !(/^\d+$/.test(step) && Number(step) > 0)) {
    return `must have a step greater than 0: "${item}"`;
  }
  if (ends[0] === '*' || ends[0] === '?') {
    return undefined;
  }
  const [from, to] = [numberOf(ends[0] ?? '', field), ends[1] === undefined ? undefined : numberOf(ends[1], field)];
  if (from === undefined || (ends[1] !== undefined && to === undefined)) {
    return `must be "*", a number${field.words === undefined ? '' : `, or a name such as ${field.words[0]}`}: "${item}"`;
  }
  if (from < field.min || (to ?? from) > field.max) {
    return `must be between ${field.min} and ${field.max}, but is "${item}"`;
  }
  return to !== undefined && from > to ? `must not end before it begins: "${item}"` : undefined;
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
