/**
 * Reads a scheduler configuration as Volcano reads it, and records what Volcano does with each part: reject the whole file,
 * ignore the part and log a line, or end the process.
 *
 * Go's yaml.v2 decodes into a struct: an unknown key is dropped, a value of the wrong kind refuses everything.
 */
import { parseAllDocuments } from 'yaml';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { nearestName } from '../../facts/spelling';
import { unknownKeyFix } from '../../checks/rules/unknown-key-fix';
import { fieldBelow } from '../../manifests/pointer';
import { asArray, asObject, asString, isObject } from '../../manifests/read';
import { LineTable } from '../../manifests/texts/source-text';
import { readDocuments } from '../../manifests/yaml';
import { parseGoDuration } from '../../manifests/values/go-duration';
import { parseGoBool } from '../../manifests/values/go-boolean';
import {
  ACTION_ARGUMENTS,
  type ArgumentFacts,
  isSchedulerAction,
  METRICS_KEYS,
  METRICS_TYPES,
  PLUGIN_SWITCHES,
  SCHEDULER_ACTIONS,
  SCHEDULER_FLAGS,
  SCHEDULER_PLUGINS,
  schedulerPlugin,
} from './scheduler-facts';
import { allOf, oneOf } from '../../facts/words';

/** What to write where a list or a mapping is expected, by the key. */
const EXAMPLES: Readonly<Record<string, string>> = {
  tiers: 'a list such as [{ plugins: [{ name: gang }] }]',
  'tiers[]': 'a mapping such as { plugins: [{ name: gang }] }',
  plugins: 'a list such as [{ name: gang }]',
  'plugins[]': 'a mapping such as { name: gang }',
  name: 'the name of a plugin, such as gang',
  arguments: 'a mapping such as { binpack.weight: 10 }',
  configurations: 'a list such as [{ name: enqueue, arguments: { } }]',
  'configurations[]': 'a mapping such as { name: enqueue, arguments: { } }',
  metrics: 'a mapping such as { type: prometheus }',
};

/** The example for a place, `plugins[]` for `tiers[0].plugins[1]`. */
const exampleAt = (at: string): string | undefined =>
  EXAMPLES[
    at
      .replace(/\[\d+\]/g, '[]')
      .split('.')
      .at(-1) ?? ''
  ];

/** Known keys that a message lists at most. */
const MOST_LISTED = 6;

/** Ascend's NPU plugin, whose name goes on with its version and architecture: `volcano-npu_v7.0.0_linux-aarch64`. */
const NPU_PLUGIN = 'volcano-npu';
/** The configuration that it reads. */
const NPU_CONFIGURATION = 'init-params';

export type ConfigProblemKind =
  /** Command-line flags instead of YAML. */
  | 'flags'
  /** Not YAML, or of the wrong shape: the whole configuration is refused. */
  | 'shape'
  | 'action'
  | 'unknown-key'
  /** A plugin that resembles one of Volcano's. */
  | 'plugin'
  /** One that resembles none, and so may be loaded with `--plugins-dir`. */
  | 'custom-plugin'
  | 'argument'
  /** An argument of the wrong type on which the scheduler ends instead of going on. */
  | 'fatal-argument';

export interface ConfigProblem {
  readonly kind: ConfigProblemKind;
  /** The place within the text, `tiers[0].plugins[1].arguments.binpack.weight`. */
  readonly at: string;
  readonly message: string;
  readonly found?: JsonValue;
  readonly expected?: string;
  /** What to write. @default - follows from the kind */
  readonly fix?: string;
}

export interface PluginEntry {
  readonly name: string;
  readonly at: string;
  readonly arguments: JsonObject;
  readonly switches: ReadonlyMap<string, boolean>;
}

export interface SchedulerConfigReading {
  readonly actions: readonly string[];
  /** The plugins of each tier. */
  readonly tiers: readonly (readonly PluginEntry[])[];
  readonly problems: readonly ConfigProblem[];
  /** The scheduler would not take this configuration, and keep the one that it has. */
  readonly refused: boolean;
}

export function readSchedulerConfig(text: string): SchedulerConfigReading {
  return new Reader().read(text);
}

/** All plugins, tier by tier. */
export function pluginsOf(config: SchedulerConfigReading): readonly PluginEntry[] {
  return config.tiers.flat();
}

type KnownArguments = Readonly<Record<string, ArgumentFacts>>;

/** What keeps the text from being read as Go reads YAML; a duplicate key does not. */
function unreadableIn(text: string): { readonly place: string; readonly message: string } | undefined {
  const broken = readDocuments(text, '').find(({ value }) => value === undefined);
  const problem = broken?.problems.find(({ kind }) => kind === 'syntax');
  if (problem === undefined) {
    return undefined;
  }
  const { line } = new LineTable(text).positionOf(problem.offset);
  return { place: `line ${line}`, message: problem.message };
}

class Reader {
  private readonly problems: ConfigProblem[] = [];

  read(text: string): SchedulerConfigReading {
    const empty = { actions: [], tiers: [], problems: this.problems, refused: true };
    if (/^[^\S\n]*--?[a-z]/m.test(text) && !/^[^\S\n]*[A-Za-z]+\s*:/m.test(text)) {
      this.noteFlags(text);
      return empty;
    }
    // The library reads any depth, until the stack ends.
    const unreadable = unreadableIn(text);
    if (unreadable !== undefined) {
      this.note('shape', unreadable.place, `the configuration is not valid YAML: ${unreadable.message}`);
      return empty;
    }
    const [document, ...others] = parseAllDocuments(text, {
      version: '1.1',
      prettyErrors: false,
      logLevel: 'error',
    });
    if (others.length > 0) {
      this.note('unknown-key', '', `the configuration has ${others.length + 1} YAML documents: only the first is read`);
    }
    const lines = new LineTable(text);
    for (const error of document?.errors ?? []) {
      const place = `line ${lines.positionOf(error.pos[0]).line}`;
      if (error.code === 'DUPLICATE_KEY') {
        this.note('unknown-key', place, `duplicate key (${place}): only the last value is used`);
      } else {
        this.note('shape', place, `the configuration is not valid YAML: ${firstLine(error.message)}`);
      }
    }
    if (this.problems.some(({ kind }) => kind === 'shape')) {
      return empty;
    }
    let root: JsonValue;
    try {
      root = jsonOf(document?.toJS({ maxAliasCount: 100 }));
    } catch (error) {
      this.note(
        'shape',
        '',
        `the configuration cannot be read: ${error instanceof Error ? firstLine(error.message) : String(error)}`,
      );
      return empty;
    }
    if (root !== null && !isObject(root)) {
      this.note(
        'shape',
        '',
        `the configuration must be a mapping, but is ${kindOfValue(root)}`,
        root,
        'a mapping with actions and tiers',
      );
      return empty;
    }
    const config = root ?? {};
    this.unknownKeys(config, '', ['actions', 'tiers', 'configurations', 'metrics']);
    const tiers = this.list(config.tiers, 'tiers').map((tier, index) => this.tier(tier, `tiers[${index}]`));
    const actions = this.actions(config.actions);
    this.hasNpuPlugin = this.plugins(config).some((plugin) => plugin.startsWith(NPU_PLUGIN));
    this.list(config.configurations, 'configurations').forEach((entry, index) =>
      this.configuration(entry, `configurations[${index}]`),
    );
    this.metrics(config.metrics);
    return {
      actions,
      tiers,
      problems: this.problems,
      refused: this.problems.some(({ kind }) => kind === 'shape' || kind === 'action'),
    };
  }

  private note(kind: ConfigProblemKind, at: string, message: string, found?: JsonValue, expected?: string): void {
    this.problems.push({ kind, at, message, found, expected });
  }

  private noteFlags(text: string): void {
    const flags = [...text.matchAll(/^[^\S\n]*--?([a-z][-a-z0-9]*)/gm)].map(([, name = '']) => name);
    const unknown = flags.filter((flag) => !(SCHEDULER_FLAGS as readonly string[]).includes(flag));
    this.note(
      'flags',
      '',
      `the value must be YAML, but contains command-line flags: ${flags.map((flag) => `--${flag}`).join(', ')}` +
        (unknown.length === 0
          ? ''
          : `; the scheduler does not support ${unknown.length === flags.length ? 'them' : oneOf(unknown.map((flag) => `--${flag}`))}`),
      flags,
      'a mapping with actions and tiers',
    );
  }

  /** @param below keys that belong in `arguments` */
  private unknownKeys(value: JsonObject, at: string, known: readonly string[], below: readonly string[] = []): void {
    const unset = known.filter((name) => !Object.hasOwn(value, name));
    for (const key of Object.keys(value)) {
      if (known.includes(key)) {
        continue;
      }
      const message = `unknown key "${key}" ${at === '' ? 'at the top level' : `in ${at}`}`;
      if (below.includes(key)) {
        const place = `${at}.arguments`;
        this.problems.push({
          kind: 'unknown-key',
          at: join(at, key),
          message,
          found: key,
          expected: `${key} in ${place}`,
          fix: `Move "${key}" to ${place}.`,
        });
        continue;
      }
      const near = unset.find((name) => bare(name) === bare(key)) ?? nearestName(key, unset);
      this.problems.push({
        kind: 'unknown-key',
        at: join(at, key),
        message,
        found: key,
        expected: near ?? listed(known),
        fix: at.startsWith('tiers') || at === '' ? tierKeyFix(key, at, near) : unknownKeyFix({ key, at, near }),
      });
    }
  }

  /** A list, or nothing where it is absent; anything else refuses the configuration. */
  private list(value: JsonValue | undefined, at: string): readonly JsonValue[] {
    if (value === undefined || value === null) {
      return [];
    }
    if (Array.isArray(value)) {
      return value;
    }
    this.note('shape', at, `${at} must be a list, but is ${kindOfValue(value)}`, value, exampleAt(at) ?? 'a list');
    return [];
  }

  private mapping(value: JsonValue | undefined, at: string): JsonObject {
    if (value === undefined || value === null) {
      return {};
    }
    if (isObject(value)) {
      return value;
    }
    this.note(
      'shape',
      at,
      `${at} must be a mapping, but is ${kindOfValue(value)}`,
      value,
      exampleAt(at) ?? 'a mapping',
    );
    return {};
  }

  /** A text, for which Volcano takes any scalar. */
  private name(value: JsonValue | undefined, at: string): string {
    if (value === undefined || value === null) {
      return '';
    }
    if (typeof value !== 'object') {
      return String(value);
    }
    this.note('shape', at, `${at} must be a string, but is ${kindOfValue(value)}`, value, exampleAt(at) ?? 'a string');
    return '';
  }

  private actions(value: JsonValue | undefined): readonly string[] {
    if (value !== undefined && value !== null && typeof value === 'object') {
      this.note(
        'shape',
        'actions',
        `actions must be a string, but is ${kindOfValue(value)}`,
        value,
        `a string such as "${SCHEDULER_ACTIONS.slice(0, 3).join(', ')}"`,
      );
      return [];
    }
    const written = value === undefined || value === null ? '' : String(value);
    const names = written.split(',').map((name) => name.trim());
    for (const name of names) {
      if (isSchedulerAction(name)) {
        continue;
      }
      const message =
        written === ''
          ? `actions must ${value === '' ? 'not be empty' : 'be set'}`
          : name === ''
            ? `actions must not contain an empty name: "${written}"`
            : `unknown action "${name}"`;
      this.note(
        'action',
        'actions',
        message,
        value ?? null,
        nearestName(name, SCHEDULER_ACTIONS) ?? oneOf(SCHEDULER_ACTIONS),
      );
    }
    return names.filter(isSchedulerAction);
  }

  private tier(value: JsonValue, at: string): readonly PluginEntry[] {
    const tier = this.mapping(value, at);
    this.unknownKeys(tier, at, ['plugins']);
    return this.list(tier.plugins, `${at}.plugins`).map((plugin, index) =>
      this.plugin(plugin, `${at}.plugins[${index}]`),
    );
  }

  private plugin(value: JsonValue, at: string): PluginEntry {
    const entry = this.mapping(value, at);
    const name = this.name(entry.name, `${at}.name`);
    const facts = schedulerPlugin(name);
    this.unknownKeys(entry, at, ['name', 'arguments', ...PLUGIN_SWITCHES], Object.keys(facts?.arguments ?? {}));
    const switches = new Map<string, boolean>();
    for (const key of PLUGIN_SWITCHES) {
      const given = entry[key];
      if (typeof given === 'boolean') {
        switches.set(key, given);
      } else if (given !== undefined && given !== null) {
        this.note(
          'shape',
          join(at, key),
          `${join(at, key)} must be true or false, but is ${kindOfValue(given)}`,
          given,
          'true or false',
        );
      }
    }
    const args = this.mapping(entry.arguments, `${at}.arguments`);
    if (facts === undefined && !name.startsWith(NPU_PLUGIN)) {
      const near = nearestName(name, Object.keys(SCHEDULER_PLUGINS));
      this.note(
        name === '' || near !== undefined ? 'plugin' : 'custom-plugin',
        `${at}.name`,
        name === '' ? `${at}.name must be set` : `unknown plugin "${name}"`,
        entry.name ?? null,
        near ?? oneOf(Object.keys(SCHEDULER_PLUGINS)),
      );
    } else if (facts !== undefined) {
      this.arguments(args, `${at}.arguments`, `the ${name} plugin`, facts.arguments, facts.prefixes ?? {});
    }
    return { name, at, arguments: args, switches };
  }

  private arguments(
    args: JsonObject,
    at: string,
    owner: string,
    known: KnownArguments,
    prefixes: KnownArguments,
  ): void {
    for (const [key, value] of Object.entries(args)) {
      const prefix = Object.keys(prefixes).find((start) => key.startsWith(start) && key.length > start.length);
      const facts = Object.prototype.hasOwnProperty.call(known, key)
        ? known[key]
        : prefix === undefined
          ? undefined
          : prefixes[prefix];
      if (facts === undefined) {
        const names = [...Object.keys(known), ...Object.keys(prefixes).map((start) => `${start}<name>`)];
        const unset = names.filter((name) => !Object.hasOwn(args, name));
        this.note(
          'unknown-key',
          join(at, key),
          `unknown argument "${key}" for ${owner} in ${at}`,
          key,
          nearestArgument(key, unset) ?? readerOf(key) ?? (names.length === 0 ? 'no arguments' : choiceOf(names)),
        );
        continue;
      }
      this.argument(value, join(at, key), `"${key}" of ${owner.replace(/^.* of (?=the )/, '')}`, facts);
    }
  }

  private argument(value: JsonValue, at: string, owner: string, facts: ArgumentFacts): void {
    const wanted = mismatch(value, facts);
    if (wanted !== undefined) {
      this.note(
        facts.fatal === true && !isDecoded(value, facts) ? 'fatal-argument' : 'argument',
        at,
        `${at} must be ${wanted}, but is ${kindOfValue(value)}`,
        value,
        facts.example === undefined ? wanted : `${wanted} such as ${facts.example}`,
      );
      return;
    }
    if (facts.keys !== undefined && isObject(value)) {
      this.arguments(value, at, owner, facts.keys, {});
    }
    if (facts.entries !== undefined && isObject(value)) {
      for (const [key, entry] of Object.entries(value)) {
        this.argument(entry, join(at, key), owner, facts.entries);
      }
    }
  }

  /** Whether a tier has the NPU plugin of Ascend, which reads a configuration of its own. */
  private hasNpuPlugin = false;

  private plugins(config: JsonObject): readonly string[] {
    return asArray(config.tiers)
      .flatMap((tier) => asArray(asObject(tier).plugins))
      .flatMap((plugin) => asString(asObject(plugin).name) ?? []);
  }

  private configuration(value: JsonValue, at: string): void {
    const entry = this.mapping(value, at);
    this.unknownKeys(entry, at, ['name', 'arguments']);
    const name = this.name(entry.name, `${at}.name`);
    const args = this.mapping(entry.arguments, `${at}.arguments`);
    if (name === NPU_CONFIGURATION && this.hasNpuPlugin) {
      return;
    }
    if (isSchedulerAction(name)) {
      this.arguments(args, `${at}.arguments`, `the ${name} action`, ACTION_ARGUMENTS[name], {});
    } else {
      this.note(
        'unknown-key',
        `${at}.name`,
        name === '' ? `${at}.name must be set` : `unknown action "${name}" in configurations`,
        entry.name ?? null,
        oneOf(SCHEDULER_ACTIONS),
      );
    }
  }

  private metrics(value: JsonValue | undefined): void {
    const metrics = this.mapping(value, 'metrics');
    this.unknownKeys(metrics, 'metrics', METRICS_KEYS);
    for (const [key, entry] of Object.entries(metrics)) {
      if (entry !== null && typeof entry === 'object') {
        this.note(
          'shape',
          join('metrics', key),
          `${join('metrics', key)} must be a string, but is ${kindOfValue(entry)}`,
          entry,
          'a string',
        );
      }
    }
    const { type, interval } = metrics;
    if (type !== undefined && !(METRICS_TYPES as readonly JsonValue[]).includes(type)) {
      this.note(
        'argument',
        'metrics.type',
        typeof type === 'string'
          ? `unsupported metrics.type "${type}"`
          : `metrics.type must be a string, but is ${kindOfValue(type)}`,
        type,
        oneOf(METRICS_TYPES),
      );
    }
    if (interval !== undefined && (typeof interval !== 'string' || parseGoDuration(interval) === undefined)) {
      this.note(
        'argument',
        'metrics.interval',
        `metrics.interval must be a duration, but is ${kindOfValue(interval)}`,
        interval,
        'a duration such as 30s',
      );
    }
  }
}

/** A switch without its verb: `JobOrder`, `enableJobOrder`, and `enabledJobOrder` are alike. */
const bare = (key: string): string => key.toLowerCase().replace(/^enabled?/, '');

/** `a, b, or c`, or `a, b, and 7 others`. */
/** Keys of an entry that lost their indentation are known below, and so are the names of plugins. */
function tierKeyFix(key: string, at: string, near: string | undefined): string {
  if (near === undefined && Object.hasOwn(SCHEDULER_PLUGINS, key)) {
    const from = at === '' ? '' : ` from ${at}`;
    return `Add \`- name: ${key}\` to tiers[].plugins, and remove the key "${key}"${from}.`;
  }
  const isOfEntry = !at.includes('plugins') && ['name', 'arguments', ...PLUGIN_SWITCHES].includes(key);
  return unknownKeyFix({ key, at, near, place: isOfEntry ? 'an entry of tiers[].plugins' : undefined });
}

function listed(known: readonly string[]): string {
  return known.length > MOST_LISTED
    ? allOf([...known.slice(0, MOST_LISTED), `${known.length - MOST_LISTED} others`])
    : oneOf(known);
}

/** Whether a plugin that ends the scheduler over other values takes the value anyway: as zero, or without its fraction. */
function isDecoded(value: JsonValue, { type }: ArgumentFacts): boolean {
  return value === null || (type === 'int' && typeof value === 'number');
}

/** What an argument of each type must be, and whether a value is. */
const ARGUMENT_TYPES: Readonly<
  Record<ArgumentFacts['type'], { readonly expected: string; readonly accepts: (value: JsonValue) => boolean }>
> = {
  int: { expected: 'an integer without quotes', accepts: (value) => Number.isInteger(value) },
  number: { expected: 'a number without quotes', accepts: (value) => typeof value === 'number' },
  bool: {
    expected: 'true or false',
    accepts: (value) => typeof value === 'boolean' || (typeof value === 'string' && parseGoBool(value) !== undefined),
  },
  text: { expected: 'a string', accepts: (value) => typeof value === 'string' },
  duration: {
    expected: 'a duration such as "5m"',
    accepts: (value) => typeof value === 'string' && parseGoDuration(value) !== undefined,
  },
  'time-range': {
    expected: 'a time span such as "22:00-06:00"',
    accepts: (value) =>
      typeof value === 'string' && /^\s*([01]?\d|2[0-3]):[0-5]\d-([01]?\d|2[0-3]):[0-5]\d\s*$/.test(value),
  },
  map: { expected: 'a mapping', accepts: isObject },
  list: { expected: 'a list', accepts: (value) => Array.isArray(value) },
};

/** What would be right, where the value is not. */
function mismatch(value: JsonValue, { type, values, fatal }: ArgumentFacts): string | undefined {
  const { expected, accepts } = ARGUMENT_TYPES[type];
  // What ends the scheduler is decoded, and a text then is no truth value.
  if (!accepts(value) || (fatal === true && type === 'bool' && typeof value === 'string')) {
    return expected;
  }
  return type === 'text' && typeof value === 'string' && values?.includes(value) === false ? oneOf(values) : undefined;
}

function kindOfValue(value: JsonValue): string {
  if (value === null) {
    return 'null';
  }
  if (Array.isArray(value)) {
    return 'a list';
  }
  if (typeof value === 'object') {
    return 'a mapping';
  }
  if (value === '') {
    return 'an empty string';
  }
  return typeof value === 'string'
    ? `the string "${value.length > 40 ? `${value.slice(0, 40)}…` : value}"`
    : String(value);
}

/** Arguments such as `predicate.CacheEnable` share a prefix, which does not make them alike: their own parts must be near as well. */
function nearestArgument(key: string, known: readonly string[]): string | undefined {
  const near = nearestName(key, known);
  const ownPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
  return near === undefined ||
    ownPart(near) === ownPart(key) ||
    nearestName(ownPart(key), [ownPart(near)]) !== undefined
    ? near
    : undefined;
}

/** What is expected of an argument that another plugin reads begins so. */
export const ARGUMENTS_OF = 'the arguments of ';

/** Where the argument has an effect, if a plugin reads it: `the arguments of the binpack plugin`. */
function readerOf(key: string): string | undefined {
  const reader = Object.entries(SCHEDULER_PLUGINS).find(([, { arguments: known }]) => Object.hasOwn(known, key));
  return reader === undefined ? successorOf(key) : `${ARGUMENTS_OF}the ${reader[0]} plugin`;
}

/** Switches have moved to other plugins, whose names they begin with: `deviceshare.GPUSharingEnable in the arguments of …`. */
function successorOf(key: string): string | undefined {
  const [, own] = /^\w+\.(\w+Enable)$/.exec(key) ?? [];
  const found = Object.entries(SCHEDULER_PLUGINS).flatMap(([plugin, { arguments: known }]) =>
    own !== undefined && Object.hasOwn(known, `${plugin}.${own}`)
      ? [`${plugin}.${own} in ${ARGUMENTS_OF}the ${plugin} plugin`]
      : [],
  );
  return found.length === 1 ? found[0] : undefined;
}

/** More names than this are not listed. */
const MOST_NAMES = 8;

const choiceOf = (names: readonly string[]): string =>
  names.length > MOST_NAMES ? `one of ${names.length} arguments, such as ${names[0]}` : oneOf(names);

function join(at: string, key: string): string {
  return at === '' ? key : fieldBelow(at, key);
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.replace(/:$/, '') ?? '';
}

/** What YAML 1.1 makes of a string, as JSON: dates and similar types as strings. */
function jsonOf(value: unknown): JsonValue {
  if (value === null || value === undefined) {
    return null;
  }
  if (typeof value === 'string' || typeof value === 'boolean') {
    return value;
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? value : String(value);
  }
  if (Array.isArray(value)) {
    return value.map(jsonOf);
  }
  if (value instanceof Date) {
    return value.toISOString();
  }
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, entry]) => [String(key), jsonOf(entry)]));
  }
  if (typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, jsonOf(entry)]));
  }
  return typeof value === 'bigint' ? value.toString() : null;
}
