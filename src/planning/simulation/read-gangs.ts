/**
 * The gangs of a scenario file: what each is made of, when it arrives (once, again and again, at random), how long it works.
 */
import { type JsonValue } from '../../facts/api/schema';
import { isObject } from '../../manifests/read';
import {
  type AcceleratorRequest,
  type Gang,
  type PodTemplate,
  type Role,
  type Subgroup,
  type TaintEffect,
  type Toleration,
  type TopologyConstraint,
} from '../../placement';
import { type Arrivals, momentsOf } from './arrivals';
import { type Fields } from '../cluster/files/fields';
import { type ScenarioGang } from './scenario';
import { readClaims } from './scenario-claims';

/** Every gang and pod of a scenario is held in memory. */
const MOST_GANGS = 100_000;
const MOST_PODS = 1_000_000;

/** One entry of `gangs`: what arrives, and when. */
export interface GangKind {
  readonly gang: ScenarioGang['gang'];
  readonly timing: Omit<ScenarioGang, 'gang' | 'arrivesAt'>;
  readonly arrivals: Arrivals;
  /** 95th percentile of the duration, seconds, if the duration varies; its median is that of `timing`. */
  readonly p95Seconds?: number;
}

/** One entry of `gangs`, written out to all its arrivals. */
export function readGang(fields: Fields, device: string): ScenarioGang[] {
  const kind = readGangKind(fields, device);
  return arrivalsOf(kind, momentsOf(kind.arrivals));
}

/** Names of what repeats end in numbers. */
export function arrivalsOf(
  { gang, timing, arrivals }: Omit<GangKind, 'p95Seconds'>,
  moments: readonly number[],
): ScenarioGang[] {
  const digits = String(moments.length).length;
  return moments.map((arrivesAt, index) => ({
    gang:
      arrivals.kind === 'once' ? gang : { ...gang, name: `${gang.name}-${String(index + 1).padStart(digits, '0')}` },
    arrivesAt,
    ...timing,
  }));
}

/** @param drawnUntil set if the caller draws random arrivals and durations, with seeds of its own and until this time */
export function readGangKind(fields: Fields, device: string, drawnUntil?: number): GangKind {
  const gang = readGangTerms(fields, device);
  const kind = { gang, ...readTiming(fields, drawnUntil) };
  fields.done();
  return kind;
}

function readGangTerms(fields: Fields, device: string): ScenarioGang['gang'] {
  const name = fields.required('name');
  const queue = fields.required('queue');
  const subgroups = fields.list('subgroups').map(readSubgroup);
  const roles = rolesOf(fields, device);
  const gang: ScenarioGang['gang'] = {
    name,
    queue,
    roles,
    minimum: fields.number('minimum', { least: 1, whole: true }),
    ...(subgroups.length > 0 ? { subgroups } : {}),
    topology: topologyOf(fields),
    priority: fields.number('priority', { whole: true }),
    preemptible: fields.flag('preemptible'),
    preempts: fields.flag('preempts'),
    minimumRuntimeSeconds: fields.duration('minimumRuntime'),
    preemptionDelaySeconds: fields.duration('preemptionDelay'),
  };
  checkMinimum(fields, gang);
  return gang;
}

/** When a gang arrives, and how long it works. */
export function readTiming(fields: Fields, drawnUntil?: number): Omit<GangKind, 'gang'> {
  const law =
    drawnUntil !== undefined && isObject(fields.raw('duration'))
      ? readDurationLaw(fields.fields('duration')!)
      : undefined;
  const durationSeconds = law === undefined ? fields.span('duration') : law.median;
  if (durationSeconds === undefined && !fields.has('duration')) {
    fields.wrongAt('duration', 'is required; set how long the gang runs, such as 2h, or forever');
  }
  const told =
    fields.raw('expected') === 'unknown' ? Infinity : (fields.span('expected') ?? durationSeconds ?? Infinity);
  return {
    timing: {
      durationSeconds: durationSeconds ?? Infinity,
      expectedSeconds: told === Infinity ? undefined : told,
      checkpointSeconds: fields.duration('checkpoint'),
      scales: fields.flag('scales') ?? true,
    },
    arrivals: readArrivals(fields, drawnUntil),
    ...(law === undefined ? {} : { p95Seconds: law.p95 }),
  };
}

function readDurationLaw(fields: Fields): { readonly median: number; readonly p95: number } {
  const [median, p95] = (['median', 'p95'] as const).map((key) => {
    const seconds = fields.duration(key);
    if (!fields.has(key)) {
      fields.wrongAt(key, 'is required; set a duration such as 2h');
    } else if (seconds === 0) {
      fields.wrong(key, 0, 'more than 0');
    }
    return seconds ?? 1;
  });
  if (p95 < median) {
    fields.wrong('p95', p95, `at least the median, ${median} seconds`);
  }
  fields.done();
  return { median, p95 };
}

function readArrivals(fields: Fields, drawnUntil: number | undefined): Arrivals {
  const at = fields.duration('arrives') ?? 0;
  const every = fields.fields('repeat');
  if (every === undefined) {
    return { kind: 'once', at };
  }
  const count = every.number('count', { least: 1, most: MOST_GANGS, whole: true });
  const until = every.duration('until');
  const perHour = every.number('perHour');
  const seconds = every.duration('every');
  const seed = drawnUntil !== undefined ? 0 : every.number('seed', { least: 0, whole: true });
  every.done();
  const bounds = { at, count, until: until ?? drawnUntil };
  return perHour !== undefined && seconds === undefined
    ? randomArrivals(every, { ...bounds, perHour, seed })
    : regularArrivals(every, { ...bounds, seconds });
}

interface ArrivalBounds {
  readonly at: number;
  readonly count: number | undefined;
  readonly until: number | undefined;
}

function randomArrivals(
  every: Fields,
  { at, count, until, perHour, seed }: ArrivalBounds & { readonly perHour: number; readonly seed: number | undefined },
): Arrivals {
  if (perHour <= 0) {
    every.wrong('perHour', perHour, 'more than 0');
  }
  if (seed === undefined) {
    every.wrongAt('seed', 'is required for random arrivals, so that every run gives the same result');
  }
  if (count === undefined && until === undefined) {
    every.wrongAt('until', 'is required unless count is set');
  }
  const expected = count ?? (perHour * ((until ?? at) - at)) / 3600;
  if (expected > MOST_GANGS) {
    every.wrong(
      'perHour',
      perHour,
      `a rate with at most ${MOST_GANGS} arrivals, instead of about ${Math.round(expected)}`,
    );
  }
  const usable = perHour > 0 && (count ?? until) !== undefined;
  return {
    kind: 'poisson',
    from: at,
    perHour: Math.max(perHour, 1e-6),
    until: until ?? Infinity,
    count: usable ? (count ?? 100_000) : 0,
    seed: seed ?? 0,
  };
}

function regularArrivals(
  every: Fields,
  { at, count, until, seconds }: ArrivalBounds & { readonly seconds: number | undefined },
): Arrivals {
  if (seconds === undefined) {
    every.wrongAt('', 'must set either every (with count or until) or perHour (with seed)');
    return { kind: 'once', at };
  }
  if (seconds === 0) {
    every.wrong('every', 0, 'more than 0');
  }
  const times =
    count ?? (until === undefined || seconds === 0 ? undefined : Math.max(0, Math.ceil((until - at) / seconds)));
  if (times === undefined) {
    every.wrongAt('count', 'is required unless until is set');
  }
  return { kind: 'every', from: at, seconds, count: times ?? 0 };
}

function rolesOf(fields: Fields, device: string): readonly Role[] {
  if (fields.has('roles')) {
    return fields.list('roles').map((role): Role => {
      const read = {
        ...readRole(role, role.required('name'), device),
        minimum: role.number('minimum', { least: 0, whole: true }),
        subgroup: role.text('subgroup'),
        topology: topologyOf(role),
        leader: role.flag('leader'),
        priority: role.number('priority', { whole: true }),
      };
      role.done();
      return read;
    });
  }
  return [readRole(fields, 'worker', device)];
}

function readRole(fields: Fields, name: string, device: string): Role {
  return {
    name,
    count: fields.number('pods', { least: 1, most: MOST_PODS, whole: true }) ?? 1,
    template: templateOf(fields, device),
  };
}

function templateOf(fields: Fields, device: string): PodTemplate {
  const { [device]: devices, ...request }: Record<string, number> = fields.amounts('request', device) ?? {};
  for (const resource of ['cpu', 'memory']) {
    const value: JsonValue | undefined = fields.raw(resource);
    if (value !== undefined) {
      request[resource] = fields.amountOf(resource, value, resource);
    }
  }
  const accelerator = acceleratorOf(fields, devices);
  const nodeSelector = fields.map('nodeSelector');
  const tolerations = fields.list('tolerations').map(readToleration);
  const claims = readClaims(fields);
  return {
    request,
    ...(accelerator === undefined ? {} : { accelerator }),
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(tolerations.length === 0 ? {} : { tolerations }),
    ...(claims.length === 0 ? {} : { claims }),
  };
}

function acceleratorOf(fields: Fields, fromRequest: number | undefined): AcceleratorRequest | undefined {
  const gpus = fields.number('gpus', { least: 0 }) ?? fromRequest;
  const model = fields.text('model');
  const profile = fields.text('mig');
  const models = model === undefined ? {} : { models: model.split('|') };
  if (profile !== undefined) {
    return { kind: 'mig', profile, count: Math.max(1, Math.round(gpus ?? 1)), ...models };
  }
  if (gpus === undefined || gpus === 0) {
    return undefined;
  }
  if (Number.isInteger(gpus)) {
    return { kind: 'whole', count: gpus, ...models };
  }
  if (gpus > 1) {
    fields.wrong('gpus', gpus, 'a whole number, or a fraction of one device less than 1');
  }
  return { kind: 'fraction', milli: Math.max(1, Math.round(Math.min(gpus, 1) * 1000)), ...models };
}

function readToleration(fields: Fields): Toleration {
  const toleration: Toleration = {
    key: fields.text('key'),
    operator: fields.oneOf('operator', ['Exists', 'Equal']),
    value: fields.text('value'),
    effect: fields.oneOf<TaintEffect>('effect', ['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
  };
  fields.done();
  return toleration;
}

function readSubgroup(fields: Fields): Subgroup {
  const subgroup: Subgroup = {
    name: fields.required('name'),
    parent: fields.text('parent'),
    minimum: fields.number('minimum', { least: 0, whole: true }),
    topology: topologyOf(fields),
  };
  fields.done();
  return subgroup;
}

function topologyOf(fields: Fields): TopologyConstraint | undefined {
  const topology = fields.fields('topology');
  if (topology === undefined) {
    return undefined;
  }
  const constraint: TopologyConstraint = {
    topology: topology.text('topology'),
    required: topology.text('required'),
    preferred: topology.text('preferred'),
    sliceSize: topology.number('sliceSize', { least: 1, whole: true }),
    sliceLevel: topology.text('sliceLevel'),
  };
  if (constraint.sliceLevel !== undefined && constraint.sliceSize === undefined) {
    topology.wrongAt('sliceLevel', 'must not be set without sliceSize');
  }
  topology.done();
  return constraint;
}

function checkMinimum(fields: Fields, { minimum, roles }: Pick<Gang, 'minimum' | 'roles'>): void {
  const pods = roles.reduce((sum, { count }) => sum + count, 0);
  if (minimum !== undefined && minimum > pods) {
    fields.wrong('minimum', minimum, `at most the ${pods} pods that the gang has`);
  }
  for (const role of roles) {
    if ((role.minimum ?? 0) > role.count) {
      fields.wrongAt(
        'roles',
        `must have a minimum of at most ${role.count}, the pods of role "${role.name}", not ${role.minimum}`,
      );
    }
  }
}
