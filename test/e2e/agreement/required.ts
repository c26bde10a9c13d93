/**
 * Required fields, one at a time: a valid object of each built-in kind with everything on the way to a field that its schema requires, once with
 * the field and once without it. Go gives an absent field its zero value, which the server's own code may accept although OpenAPI requires it.
 */
import { allKinds } from '../../../src/facts/api/kinds';
import { type JsonObject, type JsonValue, type KubernetesMinor, type Schema } from '../../../src/facts/api/schema';
import { loadSchema } from '../../../src/facts/api/schemas';
import { isObject } from '../../../src/manifests/read';
import { Random } from '../../support/random';
import { sharedPlace } from './boundaries';
import { type BaseManifest } from './corpus';
import { askGantry } from './gantry-verdict';
import { kindOf, type Question } from './mutants';
import { sample } from './sample';
import { type Path, withValue } from './sites';

/** Two questions about one object. */
export interface RequiredPair {
  readonly complete: Question;
  /** The same without the field. */
  readonly without: Question;
}

/** How often a schema may contain itself on the way to a field, as JSON schemas do. */
const MOST_TURNS = 1;

/** How many random values are tried for a part that no valid object has, until Gantry accepts one. */
const TRIALS = 6;

/** Stands for the first item of a list, or the first entry of a map. */
const ITEM = Symbol('item');
const ENTRY = Symbol('entry');
type Token = string | typeof ITEM | typeof ENTRY;

export interface RequiredOptions {
  /** Whether the pods of all kinds, and their metadata, are one place. @default false */
  readonly once?: boolean;
  /** Of so many places one is asked about. @default 1 */
  readonly every?: number;
}

/** A pair for each required field of each built-in kind that the minor serves and of which there is a valid object. */
export function requiredPairs(
  bases: readonly BaseManifest[],
  minor: KubernetesMinor,
  { once = false, every = 1 }: RequiredOptions = {},
): readonly RequiredPair[] {
  const pairs: RequiredPair[] = [];
  const known = new Set<string>();
  const random = new Random(7);
  for (const info of allKinds()) {
    const kind = `${info.apiVersion} ${info.kind}`;
    const objects = bases.flatMap(({ object }) => (kindOf(object) === kind ? [object] : []));
    const isServed = info.builtIn && info.minors?.includes(minor) === true && !/alpha/.test(info.version);
    if (!isServed || objects.length === 0) {
      continue;
    }
    const schema = loadSchema(info, minor);
    for (const tokens of requiredFields(schema)) {
      const pointer = `/${tokens.map((token) => (typeof token === 'string' ? token : '0')).join('/')}`;
      const place = once ? sharedPlace(kind, pointer) : `${kind} ${pointer}`;
      if (!known.has(place)) {
        known.add(place);
        if (known.size % every === 0) {
          pairs.push(pairAt(tokens, pointer, { objects, schema, minor, random }, pairs.length));
        }
      }
    }
  }
  return pairs;
}

/** The questions of the pairs, each complete object before the one without the field. */
export function requiredQuestions(pairs: readonly RequiredPair[]): readonly Question[] {
  return pairs.flatMap(({ complete, without }) => [complete, without]);
}

/** Paths to the required fields of a schema, without those that only the server writes. */
function* requiredFields(
  schema: Schema,
  path: readonly Token[] = [],
  turns: ReadonlyMap<Schema, number> = new Map(),
): Iterable<readonly Token[]> {
  const turn = turns.get(schema) ?? 0;
  if (turn > MOST_TURNS || (path.length === 1 && (path[0] === 'status' || path[0] === 'metadata'))) {
    return;
  }
  const around = new Map(turns).set(schema, turn + 1);
  for (const name of schema.required ?? []) {
    yield [...path, name];
  }
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    yield* requiredFields(child, [...path, name], around);
  }
  if (schema.items !== undefined) {
    yield* requiredFields(schema.items, [...path, ITEM], around);
  }
  if (typeof schema.additionalProperties === 'object') {
    yield* requiredFields(schema.additionalProperties, [...path, ENTRY], around);
  }
}

interface Sources {
  /** Valid objects of the kind. */
  readonly objects: readonly JsonObject[];
  readonly schema: Schema;
  readonly minor: KubernetesMinor;
  readonly random: Random;
}

function pairAt(tokens: readonly Token[], pointer: string, sources: Sources, index: number): RequiredPair {
  const { object, path } = completed(tokens, sources);
  const question = (asked: JsonObject, what: string, at: number): Question => ({
    index: at,
    kind: kindOf(object),
    operator: 'required',
    what: `${pointer} ${what}`,
    object: asked,
  });
  return {
    complete: question(object, 'present', 2 * index),
    without: question(withValue(object, path, undefined), 'absent', 2 * index + 1),
  };
}

interface Completed {
  readonly object: JsonObject;
  readonly path: Path;
}

/** An object with the field: one of the valid ones, or the first of them with what is missing on the way. */
function completed(tokens: readonly Token[], sources: Sources): Completed {
  const { objects, minor } = sources;
  const whole = objects
    .map((object) => ({ object, path: pathIn(object, tokens) }))
    .find(({ object, path }) => valueAt(object, path) !== undefined);
  if (whole !== undefined) {
    return whole;
  }
  const grown = Array.from({ length: TRIALS }, (_, trial) =>
    grownFrom(objects[trial % objects.length], tokens, sources, BESIDE[trial % BESIDE.length]),
  );
  return grown.find(({ object }) => askGantry(object, minor).verdict === 'accepted') ?? grown[0];
}

type Beside = (name: string, value: JsonValue, required: readonly string[]) => boolean;

/** What stays beside the first part that is added: everything, or less, since the two may be alternatives. */
const BESIDE: readonly Beside[] = [
  () => true,
  (name, value, required) => required.includes(name) || typeof value !== 'object',
  (name, _value, required) => required.includes(name),
];

function grownFrom(base: JsonObject, tokens: readonly Token[], { schema, random }: Sources, stays: Beside): Completed {
  const path = pathIn(base, tokens);
  let object = base;
  let here = schema;
  let isFirst = true;
  path.forEach((token, depth) => {
    const known = path.slice(0, depth + 1);
    const around = valueAt(object, path.slice(0, depth));
    const { required = [] } = here;
    here = childOf(here, token);
    if (valueAt(object, known) !== undefined) {
      return;
    }
    if (isFirst && depth > 1 && isObject(around)) {
      const rest = Object.entries(around).filter(([name, value]) => stays(name, value, required));
      object = withValue(object, path.slice(0, depth), Object.fromEntries(rest));
    }
    isFirst = false;
    object = withValue(object, known, sample(here, random, 0));
  });
  return { object, path };
}

function pathIn(object: JsonObject, tokens: readonly Token[]): Path {
  const path: (string | number)[] = [];
  for (const token of tokens) {
    const value = token === ENTRY ? valueAt(object, path) : undefined;
    const [key = 'a'] = isObject(value) ? Object.keys(value) : [];
    path.push(token === ITEM ? 0 : token === ENTRY ? key : token);
  }
  return path;
}

function childOf(schema: Schema, token: string | number): Schema {
  const child = typeof token === 'number' ? schema.items : (schema.properties?.[token] ?? schema.additionalProperties);
  return typeof child === 'object' ? child : {};
}

/** `undefined` also in place of null. */
function valueAt(object: JsonObject, path: Path): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const token of path) {
    const members: JsonValue | undefined = value;
    value = Array.isArray(members)
      ? members[Number(token)]
      : isObject(members) && Object.hasOwn(members, token)
        ? members[token]
        : undefined;
  }
  return value ?? undefined;
}
