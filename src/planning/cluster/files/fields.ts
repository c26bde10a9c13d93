/**
 * Reads the fields of a file that people write by hand, and reports all mistakes together.
 *
 * The reader requests each field by name. A field that was never requested is unknown, and is reported with the nearest known name.
 */
import { nearestName } from '../../../facts/spelling';
import { type JsonValue } from '../../../facts/api/schema';
import { isObject } from '../../../manifests/read';
import { parseQuantity, Quantity } from '../../../manifests/values/quantity';
import { parseDuration } from './durations';
import { oneOf } from '../../../facts/words';

export interface Problem {
  /** Such as `gangs[2].duration`; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

/** The problems to report: a value that is not a map has no fields. */
export function foremost(problems: readonly Problem[]): readonly Problem[] {
  return problems[0]?.path === '' ? problems.slice(0, 1) : problems;
}

type Value = JsonValue | undefined;

interface NumberBounds {
  readonly least?: number;
  /** @default Infinity */
  readonly most?: number;
  readonly whole?: boolean;
}

export class Fields {
  private readonly members: Readonly<Record<string, Value>>;
  private readonly known = new Set<string>();

  constructor(
    value: Value,
    readonly path: string,
    readonly problems: Problem[],
    /** What the fields are called in the file, where that differs. */
    private readonly called: Readonly<Record<string, string>> = {},
  ) {
    this.members = isObject(value) ? value : {};
    if (!isObject(value)) {
      problems.push({ path, message: `must be a map, not ${nameOf(value)}` });
    }
  }

  has(key: string): boolean {
    return this.raw(key) !== undefined;
  }

  raw(key: string): Value {
    this.known.add(key);
    return this.members[key] ?? undefined;
  }

  text(key: string): string | undefined {
    const value = this.raw(key);
    if (value === undefined || typeof value === 'string') {
      return value;
    }
    if (typeof value === 'number') {
      return String(value);
    }
    return this.wrong(key, value, 'a string');
  }

  required(key: string): string {
    const value = this.text(key);
    if (value === undefined && !this.said(key)) {
      this.wrongAt(key, 'is required');
    }
    return value ?? '';
  }

  flag(key: string): boolean | undefined {
    const value = this.raw(key);
    return value === undefined || typeof value === 'boolean' ? value : this.wrong(key, value, 'true or false');
  }

  number(key: string, { least = -Infinity, most = Infinity, whole = false }: NumberBounds = {}): number | undefined {
    const value = this.raw(key);
    const isWithin = typeof value === 'number' && value >= least && value <= most;
    if (value === undefined || (isWithin && (!whole || Number.isInteger(value)))) {
      return value;
    }
    const bounds = [
      ...(least > -Infinity ? [` greater than or equal to ${least}`] : []),
      ...(most < Infinity ? [` less than or equal to ${most}`] : []),
    ];
    return this.wrong(key, value, `a ${whole ? 'whole ' : ''}number${bounds.join(' and')}`);
  }

  /** Seconds. */
  duration(key: string): number | undefined {
    return this.durationOf(key, this.raw(key));
  }

  /** Seconds; `Infinity` for `forever`. */
  span(key: string): number | undefined {
    const value = this.raw(key);
    return value === 'forever' ? Infinity : this.durationOf(key, value, ', or forever');
  }

  private durationOf(key: string, value: Value, more = ''): number | undefined {
    if (value === undefined) {
      return undefined;
    }
    const seconds = typeof value === 'string' || typeof value === 'number' ? parseDuration(value) : undefined;
    return seconds ?? this.wrong(key, value, `a duration such as 90s, 15m, 1h30m, or 2d${more}`);
  }

  oneOf<T extends string>(key: string, allowed: readonly T[]): T | undefined {
    const value = this.raw(key);
    const found = allowed.find((one) => one === value);
    return value === undefined || found !== undefined
      ? found
      : this.wrong(key, value, oneOf(allowed), meant(value, allowed));
  }

  /** A list of texts; a single text is a list of one. */
  texts(key: string): readonly string[] | undefined {
    const value = this.raw(key);
    if (value === undefined) {
      return undefined;
    }
    const list = Array.isArray(value) ? value : [value];
    if (list.every((one): one is string => typeof one === 'string')) {
      return list;
    }
    return this.wrong(key, value, 'a string or a list of strings');
  }

  map(key: string): Readonly<Record<string, string>> | undefined {
    const value = this.raw(key);
    if (value === undefined) {
      return undefined;
    }
    if (isObject(value)) {
      const entries = Object.entries(value).map(([name, one]) => [
        name,
        typeof one === 'number' || typeof one === 'boolean' ? String(one) : one,
      ]);
      if (entries.every(([, one]) => typeof one === 'string')) {
        return Object.fromEntries(entries) as Record<string, string>;
      }
    }
    return this.wrong(key, value, 'a map of strings');
  }

  /** Amounts in the core's units: milli-CPU, bytes, pieces. They are written as Kubernetes writes them; `gpus` is the cluster's device. */
  amounts(key: string, device: string): Readonly<Record<string, number>> | undefined {
    const value = this.raw(key);
    if (value === undefined) {
      return undefined;
    }
    if (!isObject(value)) {
      return this.wrong(key, value, 'a map of amounts, such as {cpu: 8, memory: 64Gi}');
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, amount]) => {
        const resource = name === 'gpus' ? device : name;
        return [resource, this.amountOf(resource, amount, `${key}.${name}`)];
      }),
    );
  }

  amountOf(resource: string, value: Value, key: string): number {
    const quantity = typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
    if (quantity === undefined || quantity.compare(Quantity.ZERO) < 0) {
      this.wrong(key, value, 'a quantity such as 8, 500m, or 64Gi');
      return 0;
    }
    return Number(resource === 'cpu' ? quantity.thousandths() : quantity.wholeUnits());
  }

  fields(key: string): Fields | undefined {
    const value = this.raw(key);
    return value === undefined ? undefined : new Fields(value, this.at(key), this.problems);
  }

  list(key: string): readonly Fields[] {
    const value = this.raw(key);
    if (value === undefined) {
      return [];
    }
    if (!Array.isArray(value)) {
      this.wrong(key, value, 'a list');
      return [];
    }
    return value.map((one, index) => new Fields(one, `${this.at(key)}[${index}]`, this.problems));
  }

  /** Call it last: members that were not read are unknown. */
  done(): void {
    const names = [...this.known].map((key) => this.nameOf(key));
    for (const key of Object.keys(this.members)) {
      if (!this.known.has(key)) {
        this.wrongAt(key, `is an unknown field${meant(key, names) || `; known fields are ${names.join(', ')}`}`);
      }
    }
  }

  wrong(key: string, value: Value, expected: string, hint = ''): undefined {
    this.wrongAt(key, `must be ${expected}, not ${nameOf(value)}${hint}`);
    return undefined;
  }

  wrongAt(key: string, message: string): void {
    this.problems.push({ path: key === '' ? this.path : this.at(key), message });
  }

  private said(key: string): boolean {
    return this.problems.some(({ path }) => path === this.at(key));
  }

  private at(key: string): string {
    const name = this.nameOf(key);
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  private nameOf(key: string): string {
    return Object.hasOwn(this.called, key) ? (this.called[key] ?? key) : key;
  }
}

/** Longer strings are cut: a file may be one line of megabytes. */
const LONGEST_SHOWN = 80;

function nameOf(value: Value): string {
  if (value === null || value === undefined) {
    return 'empty';
  }
  if (Array.isArray(value)) {
    return 'a list';
  }
  if (typeof value === 'object') {
    return 'a map';
  }
  const isLong = typeof value === 'string' && value.length > LONGEST_SHOWN;
  return JSON.stringify(isLong ? `${value.slice(0, LONGEST_SHOWN)}…` : value);
}

/** ` (did you mean x?)` if a name is similar. */
export function meant(given: Value, names: readonly string[]): string {
  if (typeof given !== 'string') {
    return '';
  }
  const near = nearestName(given, names);
  return near === undefined ? '' : ` (did you mean ${near}?)`;
}
