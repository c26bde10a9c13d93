/**
 * What `gantry docker run` submits, from its options. Options mean what they mean to `docker run`.
 */
import { resolve } from 'node:path';
import { parseGoDuration } from '../../../manifests/values/go-duration';
import { parseQuantity } from '../../../manifests/values/quantity';
import { type Terminal, UsageError } from '../terminal';

export interface TaskFlags {
  readonly gpus?: string;
  readonly gpu?: readonly string[];
  readonly gpuMemory?: string;
  readonly mig?: string;
  readonly cpus?: string;
  readonly memory?: string;
  readonly shmSize?: string;
  readonly replicas?: string;
  readonly array?: string;
  readonly priority?: string;
  readonly tenant?: string;
  readonly name?: string;
  readonly after?: readonly string[];
  readonly retries?: string;
  readonly retryOn?: string;
  readonly timeout?: string;
  readonly preemptible?: boolean;
  readonly gracePeriod?: string;
  readonly volume?: readonly string[];
  readonly env?: readonly string[];
  readonly workdir?: string;
  readonly user?: string;
  readonly network?: string;
  readonly entrypoint?: string;
  readonly readOnly?: boolean;
}

const MOST_ELEMENTS = 10_000;

/** The options behind the fields that the runner refuses, where they have other names. */
const OPTIONS: ReadonlyMap<string, string> = new Map([
  ['count', '--gpus'],
  ['models', '--gpu'],
  ['mebibytes', '--gpu-memory in MiB'],
  ['devices.profile', '--mig'],
  ['memoryBytes', '--memory in bytes'],
  ['shmBytes', '--shm-size in bytes'],
  ['timeLimitSeconds', '--timeout in seconds'],
  ['graceSeconds', '--grace-period'],
  ['retryOn', '--retry-on'],
  ['volumes', '--volume'],
]);
const SAME_NAME: ReadonlySet<string> = new Set(
  'name tenant priority entrypoint env workdir user network cpus replicas retries after array'.split(' '),
);

/** What the runner says about a request, with the options that the user knows in place of fields. */
export function inOptions(line: string): string {
  return line.replace(/^[\w.]+(?=:)/, (field) => OPTIONS.get(field) ?? (SAME_NAME.has(field) ? `--${field}` : field));
}

/** @throws UsageError with the option and what was expected */
export function requestOf(
  image: string,
  command: readonly string[],
  flags: TaskFlags,
  terminal: Pick<Terminal, 'cwd' | 'env'>,
): Readonly<Record<string, unknown>> {
  const memory = flags.memory === undefined ? undefined : bytes('--memory', flags.memory);
  return withoutUndefined({
    image,
    command,
    name: flags.name,
    tenant: flags.tenant,
    priority: flags.priority,
    entrypoint: flags.entrypoint,
    env: (flags.env ?? []).flatMap((entry) => variable(entry, terminal.env)),
    volumes: (flags.volume ?? []).map((volume) => absoluteVolume(volume, terminal.cwd)),
    workdir: flags.workdir,
    user: flags.user,
    network: flags.network,
    devices: devices(flags),
    cpus: flags.cpus === undefined ? undefined : number('--cpus', flags.cpus),
    memoryBytes: memory,
    shmBytes: flags.shmSize === undefined ? undefined : bytes('--shm-size', flags.shmSize),
    replicas: flags.replicas === undefined ? undefined : whole('--replicas', flags.replicas),
    retries: flags.retries === undefined ? undefined : whole('--retries', flags.retries),
    retryOn: flags.retryOn === undefined ? undefined : flags.retryOn.split(',').map((name) => name.trim()),
    timeLimitSeconds: flags.timeout === undefined ? undefined : duration('--timeout', flags.timeout),
    after: flags.after,
    preemptible: flags.preemptible,
    graceSeconds: flags.gracePeriod === undefined ? undefined : whole('--grace-period', flags.gracePeriod),
    readOnly: flags.readOnly,
    array: flags.array === undefined ? undefined : indices(flags.array),
  });
}

function devices({ gpus, gpuMemory, mig, gpu }: TaskFlags): unknown {
  const given = [
    gpus === undefined ? '' : '--gpus',
    gpuMemory === undefined ? '' : '--gpu-memory',
    mig === undefined ? '' : '--mig',
  ].filter((name) => name !== '');
  if (given.length > 1) {
    throw new UsageError(`${given.join(' and ')}: only one of them can be set`);
  }
  const models = gpu === undefined ? {} : { models: gpu };
  if (gpuMemory !== undefined) {
    return { kind: 'memory', mebibytes: Math.ceil(bytes('--gpu-memory', gpuMemory) / 2 ** 20), ...models };
  }
  if (mig !== undefined) {
    return { kind: 'mig', profile: mig, ...models };
  }
  if (gpus === 'all') {
    throw new UsageError('--gpus all: must be a number; "gantry docker top" lists the devices');
  }
  const count = gpus === undefined ? (gpu === undefined ? 0 : 1) : whole('--gpus', gpus);
  return count === 0 ? undefined : { kind: 'whole', count, ...models };
}

function variable(entry: string, env: Terminal['env']): readonly string[] {
  if (entry.includes('=')) {
    return [entry];
  }
  // As `docker run` does: a variable that is not set is not passed on.
  const value = env[entry];
  return value === undefined ? [] : [`${entry}=${value}`];
}

/** The runner may work in another folder. */
function absoluteVolume(volume: string, cwd: string): string {
  const [source, ...rest] = volume.split(':');
  return source.startsWith('.') || source.startsWith('/') ? [resolve(cwd, source), ...rest].join(':') : volume;
}

function indices(text: string): readonly number[] {
  const found: number[] = [];
  for (const part of text.split(',')) {
    const range = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(part.trim());
    const first = Number(range?.[1]);
    const last = Number(range?.[2] ?? range?.[1]);
    if (range === null || last < first || found.length + last - first >= MOST_ELEMENTS) {
      throw new UsageError(`--array ${text}: must be at most ${MOST_ELEMENTS} indices such as 0-31 or 1,5,9`);
    }
    for (let index = first; index <= last; index++) {
      found.push(index);
    }
  }
  return found;
}

function bytes(option: string, text: string): number {
  // Docker's own units are binary, and have no "i".
  const quantity = parseQuantity(
    text.replace(
      /^(\d+(?:\.\d+)?)([kmgt])b?$/i,
      (_, amount: string, unit: string) => `${amount}${unit.toUpperCase().replace('K', 'K')}i`,
    ),
  );
  const value = quantity?.toNumber() ?? Number.NaN;
  if (!(value > 0)) {
    throw new UsageError(`${option} ${text}: must be a quantity such as 64Gi or 64g`);
  }
  return Math.floor(value);
}

function number(option: string, text: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value > 0)) {
    throw new UsageError(`${option} ${text}: must be a number greater than 0`);
  }
  return value;
}

function whole(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    throw new UsageError(`${option} ${text}: must be a whole number`);
  }
  return Number(text);
}

function duration(option: string, text: string): number {
  const days = /^(\d+)d$/.exec(text);
  const seconds = days === null ? parseGoDuration(/^\d+$/.test(text) ? `${text}s` : text) : Number(days[1]) * 86_400;
  if (seconds === undefined || !(seconds > 0)) {
    throw new UsageError(`${option} ${text}: must be a duration such as 90s, 12h, or 2d`);
  }
  return seconds;
}

function withoutUndefined(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined));
}
