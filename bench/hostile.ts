/**
 * `npm run bench:hostile`: checks objects with very many entries in one list or map, or with one very long text, in every field of every kind
 * that has a schema. Prints the fields for which one rule, or the schema with its CEL rules, takes longer than a limit of processor time.
 *
 * Options: `--entries N` (default 100,000), `--seconds S` (the limit, default 2), `--only TEXT` (fields whose `Kind /path` contains the text),
 * `--shard I/N` (every Nth field), `--seed N` (default 1). All fields with 100,000 entries take hours: `--entries 3000 --seconds 0.06`
 * finds what grows faster than the number of entries.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { allKinds, DEFAULT_MINOR } from '../src/facts/api/kinds';
import { type JsonObject, type JsonValue, type KindInfo, type Schema } from '../src/facts/api/schema';
import { loadSchema } from '../src/facts/api/schemas';
import { type Rule } from '../src/checks/rules/rule';
import { check } from '../src/interfaces/checks';
import { allRules } from '../src/interfaces/checks/all-rules';
import { table } from '../src/interfaces/cli/table';
import { ManifestSet } from '../src/manifests/manifest-set';
import { pointer } from '../src/manifests/pointer';
import { asArray, isObject } from '../src/manifests/read';
import { parseYaml } from '../src/manifests/yaml';
import { InstanceMaker } from '../test/support/instances';
import { manifestOf } from '../test/support/manifest-of';
import { Random } from '../test/support/random';

/** Kinds whose metadata is attacked; most rules about metadata are about every kind. */
const METADATA_KINDS: ReadonlySet<string> = new Set(['ConfigMap', 'Namespace', 'Node', 'Pod', 'Service']);
/** Kinds whose pod templates are attacked. Rules about pods are those of every other kind as well. */
const POD_KINDS: ReadonlySet<string> = new Set(['Pod', 'Deployment', 'PyTorchJob', 'RayCluster', 'Job']);
const CORPUS = join(__dirname, '../test/e2e/corpus');
/** Members of an object that identify it, or that a server drops. */
const UNREAD: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'status']);
const DEEPEST = 9;

/** What long texts repeat. */
const TEXTS = [
  'a',
  ' ',
  '-',
  '0',
  '/',
  '.',
  ',',
  '{',
  '(',
  '[',
  '\n',
  'a.',
  'a,',
  'a=',
  '- a\n',
  'a: ',
  '$(A)',
  '"',
  '\\',
];

interface Field {
  readonly schema: Schema;
  readonly path: readonly (string | number)[];
  readonly sample: JsonValue | undefined;
}

interface Attack {
  readonly name: string;
  readonly value: (entries: number) => JsonValue;
}

interface Slow {
  readonly field: string;
  readonly attack: string;
  /** Processor time of the whole check. */
  readonly seconds: number;
  /** What takes the longest: the id of a rule, or `schema`. */
  readonly slowest: string;
  readonly ofSlowest: number;
}

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    shard: { type: 'string', default: '1/1' },
    seed: { type: 'string', default: '1' },
  },
});
const entries = Number(values.entries);
const limit = Number(values.seconds);
const [shard = 1, shards = 1] = values.shard.split('/').map(Number);
const maker = new InstanceMaker(new Random(Number(values.seed)));

const spent = new Map<string, number>();
const timedRules = allRules().map(timed);
const slow: Slow[] = [];
let attacked = 0;
let number = 0;
for (const [info, bases] of bestBases()) {
  const schema = loadSchema(info, DEFAULT_MINOR);
  for (const base of bases) {
    for (const field of fieldsOf(info, schema, base)) {
      const name = `${info.kind} ${pointer('', ...field.path)}`;
      number += 1;
      if (name.includes(values.only) && number % shards === shard % shards) {
        attacked += 1;
        attack(name, base, field);
      }
    }
  }
}
slow.sort((a, b) => b.ofSlowest - a.ofSlowest);
console.log(
  table(
    ['CPU s', 'of the check', 'rule', 'field', 'attack'],
    slow.map((one) => [one.ofSlowest.toFixed(2), one.seconds.toFixed(2), one.slowest, one.field, one.attack]),
    { color: false },
  ),
);
console.log(`${attacked} fields, ${entries} entries, ${slow.length} over ${limit} s`);
process.exitCode = slow.length === 0 ? 0 : 1;

/** The kinds, each with the objects of the corpus, or with one that is made of the schema. */
function bestBases(): ReadonlyMap<KindInfo, readonly JsonObject[]> {
  const known = readdirSync(CORPUS)
    .flatMap((file) => parseYaml(readFileSync(join(CORPUS, file), 'utf8'), file).manifests)
    .map(({ object }) => object);
  return new Map(
    allKinds()
      .filter(({ minors = [DEFAULT_MINOR] }) => minors.includes(DEFAULT_MINOR))
      .map((info) => {
        const found = known.filter(({ apiVersion, kind }) => apiVersion === info.apiVersion && kind === info.kind);
        // The largest object has most of the fields that rules look at beside the one that is attacked.
        const largest = found.sort((a, b) => JSON.stringify(b).length - JSON.stringify(a).length).slice(0, 1);
        return [info, largest.length > 0 ? largest : made(info)];
      }),
  );
}

function made(info: KindInfo): readonly JsonObject[] {
  try {
    return [maker.make(info, loadSchema(info, DEFAULT_MINOR), 40)];
  } catch {
    return [];
  }
}

/** All fields, through the first item of each list and the first member of each map. */
function* fieldsOf(info: KindInfo, root: Schema, base: JsonObject): Generator<Field> {
  const open: (Field & { readonly above: readonly Schema[] })[] = [{ schema: root, path: [], sample: base, above: [] }];
  for (let field = open.pop(); field !== undefined; field = open.pop()) {
    const { schema, path, sample, above } = field;
    const { properties = {}, items, additionalProperties } = schema;
    if (above.includes(schema) || path.length > DEEPEST || (isPodSpec(schema) && !POD_KINDS.has(info.kind))) {
      continue;
    }
    yield field;
    const enter = (step: string | number, below: Schema, value: JsonValue | undefined): void => {
      open.push({ schema: below, path: [...path, step], sample: value, above: [...above, schema] });
    };
    for (const [name, child] of Object.entries(properties)) {
      if (path.length > 0 || (!UNREAD.has(name) && (name !== 'metadata' || METADATA_KINDS.has(info.kind)))) {
        enter(name, child, isObject(sample) ? sample[name] : undefined);
      }
    }
    if (items !== undefined) {
      enter(0, items, asArray(sample)[0]);
    }
    if (typeof additionalProperties === 'object') {
      const [key, value] = isObject(sample) ? (Object.entries(sample)[0] ?? ['key']) : ['key'];
      enter(key, additionalProperties, value);
    }
  }
}

function isPodSpec({ properties = {} }: Schema): boolean {
  return properties.containers !== undefined && properties.volumes !== undefined;
}

/** The rule, with the time that it takes added to `spent`. */
function timed(rule: Rule): Rule {
  const measured = <A extends readonly unknown[], V>(run: (...given: A) => Iterable<V>) => {
    return (...given: A): Iterable<V> => {
      const started = performance.now();
      const violations = [...run(...given)];
      spent.set(rule.id, (spent.get(rule.id) ?? 0) + performance.now() - started);
      return violations;
    };
  };
  switch (rule.on) {
    case 'object':
      return { ...rule, check: measured(rule.check) };
    case 'pod-template':
      return { ...rule, check: measured(rule.check) };
    case 'set':
      return { ...rule, check: measured(rule.check) };
  }
}

function attack(name: string, base: JsonObject, field: Field): void {
  for (const { name: kind, value } of attacksOn(field)) {
    const object = withValue(base, field.path, value(entries)) as JsonObject;
    process.stderr.write(`${name} ${kind}\n`);
    const before = process.cpuUsage();
    const started = performance.now();
    spent.clear();
    check(new ManifestSet([manifestOf(object)]), { rules: timedRules, groups: ['hygiene'] });
    const total = performance.now() - started;
    const { user, system } = process.cpuUsage(before);
    const seconds = (user + system) / 1e6;
    spent.set('schema', total - [...spent.values()].reduce((sum, time) => sum + time, 0));
    const [slowest, time] = [...spent].reduce((most, one) => (one[1] > most[1] ? one : most));
    // Other programs take processors away while a rule runs, so only its share counts.
    const ofSlowest = (seconds * time) / total;
    if (ofSlowest > limit) {
      slow.push({ field: name, attack: kind, seconds, slowest, ofSlowest });
      process.stderr.write(`SLOW ${ofSlowest.toFixed(2)} of ${seconds.toFixed(2)} ${slowest}: ${name} ${kind}\n`);
    }
  }
}

function attacksOn({ schema, sample }: Field): readonly Attack[] {
  const { type, items, properties, additionalProperties } = schema;
  if (type === 'array') {
    const item = asArray(sample)[0] ?? maker.value(items ?? {}, 3) ?? 'item';
    return [
      { name: 'different items', value: (count) => repeat(count, (index) => numbered(item, index)) },
      { name: 'equal items', value: (count) => repeat(count, () => item) },
      { name: 'invalid items', value: (count) => repeat(count, (index) => invalid(item, index)) },
    ];
  }
  if (type === 'string') {
    return TEXTS.map((text) => ({
      name: `a text of ${JSON.stringify(text)}`,
      value: (count) => text.repeat(Math.ceil(count / text.length)),
    }));
  }
  const isMap = additionalProperties !== undefined || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (!isMap && (type !== 'object' || properties === undefined)) {
    return [];
  }
  const members: readonly JsonValue[] = isObject(sample) ? Object.values(sample) : [];
  const made = typeof additionalProperties === 'object' ? maker.value(additionalProperties, 3) : 'value';
  const member = isMap ? (members[0] ?? made ?? 'value') : 'value';
  const [first = 'key'] = Object.keys(properties ?? {});
  const rest = isObject(sample) ? sample : {};
  return [
    { name: 'valid keys', value: (count) => ({ ...rest, ...keyed(count, (index) => `${first}-${index}`, member) }) },
    { name: 'invalid keys', value: (count) => ({ ...rest, ...keyed(count, (index) => `bad key! ${index}`, member) }) },
    { name: 'invalid values', value: (count) => ({ ...rest, ...keyed(count, (index) => `k/${first}${index}`, [{}]) }) },
  ];
}

function repeat(count: number, make: (index: number) => JsonValue): JsonValue[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function keyed(count: number, name: (index: number) => string, value: JsonValue): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), value]));
}

/** The value with another name, or with another of its texts. */
function numbered(value: JsonValue, index: number): JsonValue {
  if (typeof value === 'string') {
    return `${value}-${index}`;
  }
  if (typeof value === 'number') {
    return value + index;
  }
  if (!isObject(value)) {
    return value;
  }
  const key = ['name', 'key', 'type'].find((name) => typeof value[name] === 'string') ?? Object.keys(value)[0];
  return key === undefined ? { name: `name-${index}` } : { ...value, [key]: numbered(value[key] ?? null, index) };
}

function invalid(value: JsonValue, index: number): JsonValue {
  if (!isObject(value)) {
    return `Bad value! ${index}`;
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, invalidMember(member, index)]));
}

function invalidMember(value: JsonValue, index: number): JsonValue {
  return typeof value === 'string' ? `Bad value! ${index}` : typeof value === 'number' ? -1 - index : value;
}

/** The object with another value at the path; what is missing on the way is added. */
function withValue(
  target: JsonValue | undefined,
  [step, ...below]: readonly (string | number)[],
  value: JsonValue,
): JsonValue {
  if (step === undefined) {
    return value;
  }
  if (typeof step === 'number') {
    const items = asArray(target);
    return [withValue(items[0], below, value), ...items.slice(1)];
  }
  const object = isObject(target) ? target : {};
  return { ...object, [step]: withValue(object[step], below, value) };
}
