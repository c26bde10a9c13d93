/**
 * What the form of a new task submits.
 */
import { parseGoDuration } from '../../../../manifests/values/go-duration';
import { parseQuantity } from '../../../../manifests/values/quantity';
import { shellWords } from './shell-words';

/** What the user wrote, by the name of the field. */
export type Written = Readonly<Record<string, string>>;

/** What is wrong with a field. */
export class FieldProblem extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

/** @throws FieldProblem */
export function taskOf(written: Written): Readonly<Record<string, unknown>> {
  const value = (field: string): string | undefined => {
    const text = (written[field] ?? '').trim();
    return text === '' ? undefined : text;
  };
  const image = value('image');
  if (image === undefined) {
    throw new FieldProblem('image', 'Enter the image.');
  }
  const command = shellWords(written.command ?? '');
  if (command === undefined) {
    throw new FieldProblem('command', 'A quote is not closed.');
  }
  const lines = (field: string): readonly string[] | undefined =>
    value(field)
      ?.split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  return {
    image,
    command,
    name: value('name'),
    tenant: value('tenant'),
    priority: value('priority'),
    devices: devicesOf(written),
    cpus: numberOf(value('cpus'), 'cpus'),
    memoryBytes: bytesOf(value('memory'), 'memory'),
    timeLimitSeconds: secondsOf(value('timeout')),
    retries: numberOf(value('retries'), 'retries'),
    env: lines('env'),
    volumes: lines('volumes'),
    ...(written.preemptible === 'on' ? { preemptible: true } : {}),
  };
}

function devicesOf(written: Written): unknown {
  const amount = (written.amount ?? '').trim();
  const model = (written.model ?? '').trim();
  const models = model === '' ? {} : { models: [model] };
  switch (written.devices) {
    case 'whole':
      return { kind: 'whole', count: numberOf(amount, 'amount') ?? 1, ...models };
    case 'memory':
      return { kind: 'memory', mebibytes: Math.ceil((bytesOf(amount, 'amount') ?? 0) / 2 ** 20), ...models };
    case 'mig':
      return { kind: 'mig', profile: amount, ...models };
    default:
      return undefined;
  }
}

function numberOf(text: string | undefined, field: string): number | undefined {
  if (text === undefined || text === '') {
    return undefined;
  }
  const number = Number(text);
  if (!(number >= 0)) {
    throw new FieldProblem(field, 'Enter a number.');
  }
  return number;
}

function bytesOf(text: string | undefined, field: string): number | undefined {
  if (text === undefined) {
    return undefined;
  }
  const bytes = parseQuantity(text)?.toNumber() ?? Number.NaN;
  if (!(bytes > 0)) {
    throw new FieldProblem(field, 'Enter an amount such as 20Gi.');
  }
  return Math.floor(bytes);
}

function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) {
    return undefined;
  }
  const days = /^(\d+)d$/.exec(text)?.[1];
  const seconds = days === undefined ? parseGoDuration(text) : Number(days) * 86_400;
  if (seconds === undefined || !(seconds > 0)) {
    throw new FieldProblem('timeout', 'Enter a duration such as 30m, 12h, or 2d.');
  }
  return seconds;
}
