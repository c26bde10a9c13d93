/**
 * Reads the program's configuration from its file.
 *
 * Every fault is reported at once, each with its place, what was found and what is expected.
 */
import { parseDocument } from 'yaml';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { amountOf } from '../../manifests/pods/resource-amounts';
import { parseQuantity } from '../../manifests/values/quantity';
import { asArray, isObject } from '../../manifests/read';
import {
  CAPACITY_FILTER_MODES,
  type CapacityFilter,
  type Action,
  DEFAULT_POLICY,
  GANG_ORDERS,
  QUEUEINGS,
  GANG_SPREADS,
  NODE_SCORES,
  type Policy,
  POD_ORDERS,
  PREFERRED_TOPOLOGIES,
  QUEUE_ORDERS,
  SHARE_JUDGMENTS,
  SURPLUS_ORDERS,
  type Topology,
  VICTIM_ORDERS,
} from '../../placement';
import {
  ConfigurationError,
  type Configuration,
  type ConfiguredQueue,
  DEFAULT_CONFIGURATION,
} from './configuration-model';
import { MOST_HISTORY_SEGMENTS } from './deployment-names';
import { LOG_LEVELS } from './log-levels';
import { oneOf } from '../../facts/words';

export * from './configuration-model';

/**
 * @param file for messages
 * @throws ConfigurationError
 */
export function readConfiguration(text: string, file: string): Configuration {
  const document = parseDocument(text, { uniqueKeys: true });
  if (document.errors.length > 0) {
    throw new ConfigurationError(document.errors.map((error) => `${file}: ${error.message}`));
  }
  const value = document.toJS() as JsonValue;
  const reader = new Reader(file);
  const result = reader.configuration(value ?? {});
  if (reader.faults.length > 0) {
    throw new ConfigurationError(reader.faults);
  }
  return result;
}

type NumberOfPolicy =
  | 'affinityWeight'
  | 'signalWeight'
  | 'capacityReportSeconds'
  | 'staleGangSeconds'
  | 'stuckSeconds'
  | 'victimLimit'
  | 'moveLimit'
  | 'moveIntervalSeconds'
  | 'makeRoomLimit'
  | 'sharedDeviceWaitSeconds';

type Of<K extends keyof Configuration> = Configuration[K];

/** Reads member by member, and notes what is wrong instead of stopping at it. */
class Reader {
  readonly faults: string[] = [];

  constructor(private readonly file: string) {}

  configuration(value: JsonValue): Configuration {
    const all = this.object(value, '', Object.keys(DEFAULT_CONFIGURATION));
    const base = DEFAULT_CONFIGURATION;
    return {
      schedulerName: this.text(all.schedulerName, 'schedulerName', base.schedulerName),
      defaultQueue: this.text(all.defaultQueue, 'defaultQueue', base.defaultQueue),
      queues: this.queues(all.queues),
      topologies: this.list(all.topologies, 'topologies', (item, path) => this.topology(item, path)),
      policy: this.policy(all.policy),
      binding: this.numbers(all.binding, 'binding', base.binding),
      handOver: this.handOver(all.handOver),
      eviction: this.numbers(all.eviction, 'eviction', base.eviction),
      repartition: this.numbers(all.repartition, 'repartition', base.repartition),
      cycle: this.numbers(all.cycle, 'cycle', base.cycle),
      explain: this.numbers(all.explain, 'explain', base.explain),
      history: this.history(all.history),
      enqueueVolcanoPodGroups: this.truth(
        all.enqueueVolcanoPodGroups,
        'enqueueVolcanoPodGroups',
        base.enqueueVolcanoPodGroups,
      ),
      log: this.log(all.log),
    };
  }

  private fault(path: string, found: string, expected: string): void {
    this.faults.push(`${this.file}: ${path === '' ? 'the document' : path} must be ${expected}, not ${found}.`);
  }

  private object(value: JsonValue | undefined, path: string, known: readonly string[]): JsonObject {
    if (value === undefined || value === null) {
      return {};
    }
    if (!isObject(value)) {
      this.fault(path, shown(value), 'a map');
      return {};
    }
    for (const key of Object.keys(value)) {
      if (!known.includes(key)) {
        this.faults.push(`${this.file}: ${join(path, key)} is an unknown field; known fields are ${known.join(', ')}.`);
      }
    }
    return value;
  }

  private text(value: JsonValue | undefined, path: string, fallback: string): string {
    if (value === undefined) {
      return fallback;
    }
    if (typeof value !== 'string' || value === '') {
      this.fault(path, shown(value), 'a string');
      return fallback;
    }
    return value;
  }

  private number(value: JsonValue | undefined, path: string, fallback: number, least = 0): number {
    if (value === undefined) {
      return fallback;
    }
    if (typeof value !== 'number' || !Number.isFinite(value) || value < least) {
      this.fault(path, shown(value), `a number greater than or equal to ${least}`);
      return fallback;
    }
    return value;
  }

  private whole(value: JsonValue | undefined, path: string, fallback: number): number {
    const number = this.number(value, path, fallback);
    if (!Number.isInteger(number)) {
      this.fault(path, shown(number), 'a whole number greater than or equal to 0');
      return fallback;
    }
    return number;
  }

  private truth(value: JsonValue | undefined, path: string, fallback: boolean): boolean {
    if (value === undefined || typeof value === 'boolean') {
      return value ?? fallback;
    }
    this.fault(path, shown(value), 'true or false');
    return fallback;
  }

  private choice<T extends string>(value: JsonValue | undefined, path: string, choices: readonly T[], fallback: T): T {
    if (value === undefined) {
      return fallback;
    }
    const found = choices.find((choice) => choice === value);
    if (found === undefined) {
      this.fault(path, shown(value), oneOf(choices));
    }
    return found ?? fallback;
  }

  private list<T>(
    value: JsonValue | undefined,
    path: string,
    item: (value: JsonValue, path: string) => T,
  ): readonly T[] {
    if (value !== undefined && value !== null && !Array.isArray(value)) {
      this.fault(path, shown(value), 'a list');
    }
    return asArray(value).map((one, index) => item(one, `${path}[${index}]`));
  }

  /** A group of numbers; those that count something must not be 0. */
  private numbers<T extends Readonly<Record<string, number>>>(value: JsonValue | undefined, path: string, base: T): T {
    const members = this.object(value, path, Object.keys(base));
    const read = Object.entries(base).map(([key, fallback]) => [
      key,
      this.number(members[key], join(path, key), fallback, LEAST[key] ?? 0),
    ]);
    return Object.fromEntries(read) as T;
  }

  private handOver(value: JsonValue | undefined): Of<'handOver'> {
    const base = DEFAULT_CONFIGURATION.handOver;
    const { timeoutSeconds, guarded } = this.object(value, 'handOver', Object.keys(base));
    return {
      timeoutSeconds: this.number(timeoutSeconds, 'handOver.timeoutSeconds', base.timeoutSeconds, LEAST.timeoutSeconds),
      guarded: this.truth(guarded, 'handOver.guarded', base.guarded),
    };
  }

  private history(value: JsonValue | undefined): Of<'history'> {
    const read = this.numbers(value, 'history', DEFAULT_CONFIGURATION.history);
    if (!Number.isInteger(read.configMaps) || read.configMaps > MOST_HISTORY_SEGMENTS) {
      this.fault('history.configMaps', shown(read.configMaps), `a whole number from 0 to ${MOST_HISTORY_SEGMENTS}`);
    }
    return read;
  }

  private log(value: JsonValue | undefined): Of<'log'> {
    const members = this.object(value, 'log', ['level']);
    return { level: this.choice(members.level, 'log.level', LOG_LEVELS, DEFAULT_CONFIGURATION.log.level) };
  }

  private topology(value: JsonValue, path: string): Topology {
    const members = this.object(value, path, ['name', 'levels']);
    const levels = this.list(members.levels, join(path, 'levels'), (item, at) => this.text(item, at, ''));
    if (levels.length === 0) {
      this.faults.push(`${this.file}: ${join(path, 'levels')} must list at least one node label, outermost first.`);
    }
    return { name: this.required(members.name, join(path, 'name')), levels };
  }

  private required(value: JsonValue | undefined, path: string): string {
    if (value === undefined) {
      this.faults.push(`${this.file}: ${path} is required.`);
    }
    return this.text(value, path, '');
  }

  private queues(value: JsonValue | undefined): readonly ConfiguredQueue[] {
    const queues = this.list(value, 'queues', (item, path) => this.queue(item, path));
    const parents = new Map(queues.map(({ name, parent }) => [name, parent]));
    queues.forEach(({ name }, index) => {
      if (queues.findIndex((queue) => queue.name === name) !== index) {
        this.fault(`queues[${index}].name`, `"${name}"`, 'a unique name');
      }
      const above = new Set<string>();
      for (let at = parents.get(name); at !== undefined && !above.has(at); at = parents.get(at)) {
        above.add(at);
      }
      if (above.has(name)) {
        this.fault(`queues[${index}].parent`, `"${parents.get(name)}"`, `a queue that is not below "${name}" itself`);
      }
    });
    return queues;
  }

  private queue(value: JsonValue, path: string): ConfiguredQueue {
    const members = this.object(value, path, QUEUE_MEMBERS);
    const optional = <T>(key: string, read: (value: JsonValue, path: string) => T): Record<string, T> =>
      members[key] === undefined ? {} : { [key]: read(members[key], join(path, key)) };
    return {
      name: this.required(members.name, join(path, 'name')),
      ...optional('parent', (item, at) => this.text(item, at, '')),
      ...optional('weight', (item, at) => this.number(item, at, 1)),
      ...optional('priority', (item, at) => this.number(item, at, 0, -Infinity)),
      ...optional('reclaimable', (item, at) => this.truth(item, at, true)),
      ...optional('state', (item, at) => this.choice(item, at, ['open', 'closed'] as const, 'open')),
      ...optional('namespaces', (item, at) => this.list(item, at, (one, where) => this.text(one, where, ''))),
      ...optional('deserved', (item, at) => this.amounts(item, at, true)),
      ...optional('guarantee', (item, at) => this.amounts(item, at, false) as Record<string, number>),
      ...optional('capability', (item, at) => this.amounts(item, at, false) as Record<string, number>),
    };
  }

  private amounts(value: JsonValue, path: string, mayBeUnlimited: boolean): Record<string, number | 'unlimited'> {
    if (!isObject(value)) {
      this.fault(path, shown(value), 'a map of resources to quantities');
      return {};
    }
    return Object.fromEntries(
      Object.entries(value).map(([resource, text]) => [
        resource,
        this.amount(text, `${path}["${resource}"]`, resource, mayBeUnlimited),
      ]),
    );
  }

  private amount(value: JsonValue, path: string, resource: string, mayBeUnlimited: boolean): number | 'unlimited' {
    if (mayBeUnlimited && value === 'unlimited') {
      return 'unlimited';
    }
    const quantity = typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
    if (quantity === undefined || quantity.isNegative()) {
      this.fault(path, shown(value), `a quantity such as 8, 500m, or 64Gi${mayBeUnlimited ? ', or unlimited' : ''}`);
      return 0;
    }
    return amountOf(resource, value) ?? 0;
  }

  private capacityFilter(value: JsonValue, path: string): CapacityFilter {
    const members = this.object(value, path, ['mode', 'pools', 'queues', ...THRESHOLDS]);
    const names = (key: 'pools' | 'queues'): Partial<CapacityFilter> =>
      members[key] === undefined
        ? {}
        : { [key]: this.list(members[key], join(path, key), (item, at) => this.text(item, at, '')) };
    const thresholds = THRESHOLDS.filter((key) => members[key] !== undefined);
    if (thresholds.length === 0) {
      this.faults.push(`${this.file}: ${path} must set at least one of freeMemoryMiB, utilization, and latencyMs.`);
    }
    if (typeof members.utilization === 'number' && members.utilization > 1) {
      this.fault(join(path, 'utilization'), shown(members.utilization), 'a number from 0 to 1');
    }
    if (members.mode === undefined) {
      this.faults.push(`${this.file}: ${join(path, 'mode')} is required.`);
    }
    return {
      mode: this.choice(members.mode, join(path, 'mode'), CAPACITY_FILTER_MODES, 'hard'),
      ...names('pools'),
      ...names('queues'),
      ...Object.fromEntries(thresholds.map((key) => [key, this.number(members[key], join(path, key), 0)])),
    };
  }

  private policy(value: JsonValue | undefined): Policy {
    const known = Object.keys(DEFAULT_POLICY);
    const members = this.object(value, 'policy', known);
    const base = DEFAULT_POLICY;
    const number = (key: NumberOfPolicy, least = 0): number =>
      this.number(members[key], `policy.${key}`, base[key], least);
    return {
      ...base,
      actions:
        members.actions === undefined
          ? base.actions
          : this.list(members.actions, 'policy.actions', (item, path) =>
              this.choice<Action>(item, path, base.actions, 'allocate'),
            ),
      queueOrder: this.choice(members.queueOrder, 'policy.queueOrder', QUEUE_ORDERS, base.queueOrder),
      gangOrder: this.choice(members.gangOrder, 'policy.gangOrder', GANG_ORDERS, base.gangOrder),
      shareJudgment: this.choice(members.shareJudgment, 'policy.shareJudgment', SHARE_JUDGMENTS, base.shareJudgment),
      surplusOrder: this.choice(members.surplusOrder, 'policy.surplusOrder', SURPLUS_ORDERS, base.surplusOrder),
      podOrder: this.choice(members.podOrder, 'policy.podOrder', POD_ORDERS, base.podOrder),
      sharedDeviceWaitSeconds: number('sharedDeviceWaitSeconds'),
      queueing: this.choice(members.queueing, 'policy.queueing', QUEUEINGS, base.queueing),
      nodeScore: this.choice(members.nodeScore, 'policy.nodeScore', NODE_SCORES, base.nodeScore),
      preferredTopology: this.choice(
        members.preferredTopology,
        'policy.preferredTopology',
        PREFERRED_TOPOLOGIES,
        base.preferredTopology,
      ),
      gangSpread: this.choice(members.gangSpread, 'policy.gangSpread', GANG_SPREADS, base.gangSpread),
      victimOrder: this.choice(members.victimOrder, 'policy.victimOrder', VICTIM_ORDERS, base.victimOrder),
      nonPreemptibleWithinQuota: this.truth(
        members.nonPreemptibleWithinQuota,
        'policy.nonPreemptibleWithinQuota',
        base.nonPreemptibleWithinQuota,
      ),
      affinityWeight: number('affinityWeight'),
      signalWeight: number('signalWeight'),
      capacityReportSeconds: number('capacityReportSeconds'),
      capacityFilters: this.list(members.capacityFilters, 'policy.capacityFilters', (item, path) =>
        this.capacityFilter(item, path),
      ),
      staleGangSeconds: number('staleGangSeconds', 1),
      stuckSeconds: number('stuckSeconds'),
      moveLimit: number('moveLimit'),
      moveIntervalSeconds: number('moveIntervalSeconds'),
      victimLimit: number('victimLimit', 1),
      makeRoomLimit: number('makeRoomLimit', 1),
      repartitionLimit: this.whole(members.repartitionLimit, 'policy.repartitionLimit', base.repartitionLimit),
    };
  }
}

/** What a capacity filter can limit. */
const THRESHOLDS = ['freeMemoryMiB', 'utilization', 'latencyMs'] as const;

const LEAST: Readonly<Record<string, number>> = {
  inFlight: 1,
  timeoutSeconds: 1,
  retrySeconds: 1,
  periodSeconds: 1,
  intervalSeconds: 1,
  writesPerSecond: 1,
};

const QUEUE_MEMBERS = [
  'name',
  'parent',
  'weight',
  'priority',
  'reclaimable',
  'state',
  'namespaces',
  'deserved',
  'guarantee',
  'capability',
];

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
