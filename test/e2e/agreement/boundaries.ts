/**
 * Questions on both sides of every limit: for each value of a valid object, the numbers, lengths, counts, and words between which Gantry changes its
 * mind; and each field absent, added, or doubled. Where the server sees a limit elsewhere, one of the two sides differs.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findKind } from '../../../src/facts/api/kinds';
import { type JsonObject, type JsonValue, type KubernetesMinor } from '../../../src/facts/api/schema';
import { isObject } from '../../../src/manifests/read';
import { idOf } from '../../../src/manifests/identity';
import { type BaseManifest } from './corpus';
import { numbered } from './edge-operators';
import { askGantry } from './gantry-verdict';
import { innerSites } from './mutation';
import { kindOf, type Question } from './mutants';
import { Random } from '../../support/random';
import { sample } from './sample';
import { type Path, type Site, sitesOf, withValue } from './sites';

/** Between neighbors a limit is found by halving; so these only have to be on both sides of each. */
const NUMBERS = [
  -2,
  -1,
  0,
  1,
  2,
  5,
  10,
  30,
  60,
  100,
  300,
  600,
  1000,
  3600,
  10_000,
  70_000,
  100_000,
  1_000_000,
  2 ** 31 - 1,
];
const LENGTHS = [0, 1, 2, 16, 40, 64, 130, 254, 320, 1100];
const COUNTS = [0, 1, 2, 4, 9, 17, 33, 65, 130, 260];

/** Where a list of this length would make a document too long to keep. */
const LONGEST = 1500;

export function boundaryQuestions(bases: readonly BaseManifest[], minor: KubernetesMinor): readonly Question[] {
  const asked = new Map<string, Question>();
  const places = new Set<string>();
  const words = wordsOfChecks();
  for (const { object } of bases.filter(isBuiltIn)) {
    const probe = new Probe(object, minor, (changed, what) => {
      const text = JSON.stringify(changed);
      const place = sharedPlace(kindOf(object), what);
      const isNew = !places.has(place);
      places.add(place);
      if (isNew && !asked.has(text) && text.length - JSON.stringify(object).length < LONGEST) {
        asked.set(text, { index: asked.size, kind: kindOf(object), operator: 'boundary', what, object: changed });
      }
    });
    innerSites(sitesOf(object, minor)).forEach((site) => probe.site(site, words));
    sitesOf(object, minor).forEach((site) => probe.fieldsBeside(site, words));
  }
  return [...asked.values()];
}

/** What is asked, with pod templates of all kinds, and metadata apart from names, as one place, and items of a list likewise. */
export function sharedPlace(kind: string, what: string): string {
  const path = what.replace(/\/\d+(?=\/|$| )/g, '/0');
  const pod = /^.*\/template\/spec\//.exec(path)?.[0] ?? (kind === 'v1 Pod' ? '/spec/' : undefined);
  if (pod !== undefined && path.startsWith(pod)) {
    return `pod ${path.slice(pod.length).replace(/^(initContainers|ephemeralContainers)\//, 'containers/')}`;
  }
  return /^\/metadata\/(?!name\b|generateName\b)/.test(path) ? path : `${kind.replace(/\/v\d\w* /, ' ')} ${path}`;
}

/** Not of alpha versions, which a server does not serve. */
function isBuiltIn({ object }: BaseManifest): boolean {
  const { apiVersion, kind } = idOf(object);
  return findKind(apiVersion, kind)?.builtIn === true && !/alpha/.test(apiVersion);
}

/** The words that the checks know: what a value with a few choices can be. */
function wordsOfChecks(): readonly string[] {
  const folder = resolve(__dirname, '../../../src/checks/server');
  const words = new Set<string>(['Bogus']);
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.ts')) {
      const code = readFileSync(join(folder, file), 'utf8');
      [...code.matchAll(/'([A-Z][A-Za-z0-9]{2,30})'/g)].forEach(([, word]) => words.add(word));
    }
  }
  return [...words].sort();
}

type Keep = (changed: JsonObject, what: string) => void;

class Probe {
  private readonly random = new Random(7);
  private readonly verdicts = new Map<string, string>();

  constructor(
    private readonly base: JsonObject,
    private readonly minor: KubernetesMinor,
    private readonly keep: Keep,
  ) {}

  site({ path, value }: Site, words: readonly string[]): void {
    const what = `/${path.join('/')}`;
    this.keep(withValue(this.base, path, undefined), `${what} absent`);
    this.edges(path, value, words);
    if (Array.isArray(value) && value.length > 0) {
      this.keep(withValue(this.base, path, [...value, structuredClone(value[0])]), `${what} doubled`);
    }
  }

  /** Each field that the schema has beside those of the object, with a value of its type and on both sides of its limits. */
  fieldsBeside({ path, value, schema }: Site, words: readonly string[]): void {
    if (!isObject(value)) {
      return;
    }
    for (const [key, child] of Object.entries(schema.properties ?? {})) {
      if (Object.hasOwn(value, key) || (path.length === 0 && ['status', 'metadata'].includes(key))) {
        continue;
      }
      const added = sample(child, this.random, 2);
      this.keep(withValue(this.base, [...path, key], added), `/${[...path, key].join('/')} added`);
      if (!isObject(added)) {
        this.edges([...path, key], added, words);
      }
    }
  }

  private edges(path: Path, value: JsonValue, words: readonly string[]): void {
    const what = `/${path.join('/')}`;
    if (typeof value === 'number') {
      this.between(NUMBERS, (number) => withValue(this.base, path, number), what);
    } else if (typeof value === 'string') {
      const fill = `${value}${'a'.repeat(1200)}`;
      this.between(LENGTHS, (length) => withValue(this.base, path, fill.slice(0, length)), `${what} length`);
      if (/^[A-Z][A-Za-z0-9]+$/.test(value)) {
        this.choices(path, words, what);
      }
    } else if (Array.isArray(value) && value.length > 0) {
      const items = (count: number): JsonValue =>
        Array.from({ length: count }, (_, index) => numbered(value[0], index));
      this.between(COUNTS, (count) => withValue(this.base, path, items(count)), `${what} count`);
    } else if (typeof value === 'boolean') {
      this.keep(withValue(this.base, path, !value), `${what} ${!value}`);
    }
  }

  /** Both sides of each limit, at a distance of one. */
  private between(points: readonly number[], make: (point: number) => JsonObject, what: string): void {
    for (let index = 1; index < points.length; index++) {
      let [low, high] = [points[index - 1], points[index]];
      if (this.verdict(make(low)) === this.verdict(make(high))) {
        continue;
      }
      const below = this.verdict(make(low));
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2);
        [low, high] = this.verdict(make(middle)) === below ? [middle, high] : [low, middle];
      }
      this.keep(make(low), `${what} ${low}`);
      this.keep(make(high), `${what} ${high}`);
    }
  }

  /** All words that pass, and two that do not. */
  private choices(path: Path, words: readonly string[], what: string): void {
    const isGood = (word: string): boolean => this.verdict(withValue(this.base, path, word)) === '';
    const good = words.filter(isGood);
    if (good.length > words.length / 2) {
      return;
    }
    const bad = words.filter((word) => !good.includes(word));
    for (const word of [...good, bad[0], this.random.pick(bad)]) {
      this.keep(withValue(this.base, path, word), `${what} ${word}`);
    }
  }

  /** What Gantry finds; a limit is where that changes. */
  private verdict(object: JsonObject): string {
    const key = JSON.stringify(object);
    let verdict = this.verdicts.get(key);
    if (verdict === undefined) {
      verdict = askGantry(object, this.minor)
        .findings.map(({ rule, path }) => `${rule} ${path.replace(/\d+/g, '0')}`)
        .filter((line, index, all) => all.indexOf(line) === index)
        .join('\n');
      this.verdicts.set(key, verdict);
    }
    return verdict;
  }
}
