/**
 * Draws findings for a reader who judges their words: `npx tsx bench/messages.ts --seed 101 --count 100`.
 *
 * The findings are those of objects made wrong: the recorded questions to API servers and webhooks, the fixtures, and the examples with one
 * field of an object removed, misspelled, or given a wrong value. Messages that differ only in names and numbers count once, so that a form
 * that fires often is not drawn more often.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { App } from 'cdk8s';
import { type Finding } from '../src/checks/report/finding';
import { type JsonObject, type JsonValue } from '../src/facts/api/schema';
import { allRules, check } from '../src/interfaces/checks';
import { type Manifest } from '../src/manifests/manifest';
import { ManifestSet } from '../src/manifests/manifest-set';
import { manifestsOf } from '../src/manifests/constructs';
import { parseYaml } from '../src/manifests/yaml';
import { Random } from '../test/support/random';
import { readVerdicts } from '../test/support/recorded-verdicts';
import { recordedProjects } from '../test/support/webhook-verdicts';

const ROOT = resolve(__dirname, '..');
const load = createRequire(__filename);
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '100' },
    /** Recorded documents of each source, of which there are some 17,000. */
    documents: { type: 'string', default: '500' },
    /** Changed fields of each example. */
    mutants: { type: 'string', default: '5' },
  },
});
const random = new Random(Number(values.seed));
const rules = allRules();

type Forms = Map<string, Finding[]>;

function main(): void {
  const forms: Forms = new Map();
  for (const set of sets()) {
    for (const finding of check(set, { rules, groups: ['hygiene'] }).findings) {
      const form = formOf(finding);
      forms.set(form, [...(forms.get(form) ?? []), finding]);
    }
  }
  const names = [...forms.keys()].sort();
  process.stdout.write(`${names.length} forms of messages of ${rules.length} rules, seed ${values.seed}\n`);
  for (let number = 1; number <= Number(values.count); number++) {
    const [name = ''] = names.splice(Math.floor(random.next() * names.length), 1);
    print(number, random.pick(forms.get(name) ?? []));
  }
}

/** The rule and the message without the names and numbers of the object. */
function formOf({ rule, message, fix = '' }: Finding): string {
  const masked = `${message}|${fix}`
    .replace(/\b(container|role) \S+/g, '$1 …')
    .replace(/"[^"]*"|\([^)]*\)|[\w./-]*\d[\w./-]*/g, '…');
  return `${rule}|${masked}`;
}

function print(number: number, finding: Finding): void {
  const { rule, tier, severity, object, path, message, found, expected, fix, file = '', line } = finding;
  // As the report shows it: what has no object is placed by its file.
  const place = object === '' ? `${file}${line === undefined ? '' : `:${line}`}` : object;
  const lines = [
    `${number}. ${severity} ${tier} ${rule}`,
    `   ${place}${path === '' ? '' : ` ${path}`}`,
    `   ${message}`,
    found === undefined ? '' : `   found: ${JSON.stringify(found).slice(0, 200)}`,
    expected === undefined ? '' : `   expected: ${expected}`,
    fix === undefined ? '' : `   fix: ${fix}`,
  ];
  process.stdout.write(`${lines.filter((line) => line !== '').join('\n')}\n`);
}

function* sets(): Generator<ManifestSet> {
  yield* fixtureSets();
  yield* recordedSets();
  for (const example of exampleSets()) {
    for (let mutant = 0; mutant < Number(values.mutants); mutant++) {
      yield mutated(example);
    }
  }
}

function* fixtureSets(): Generator<ManifestSet> {
  for (const folder of ['manifests/defects', 'manifests/corrected', 'node-files']) {
    const path = join(ROOT, 'test/fixtures', folder);
    for (const file of readdirSync(path)) {
      const { manifests, problems } = parseYaml(readFileSync(join(path, file), 'utf8'), file);
      yield new ManifestSet(manifests, problems);
    }
  }
}

function* recordedSets(): Generator<ManifestSet> {
  const server = readVerdicts(readFileSync(join(ROOT, 'test/fixtures/verdicts.txt'), 'utf8'))
    .flatMap(({ verdicts }) => verdicts)
    .map(({ text }) => text);
  const webhooks = recordedProjects()
    .flatMap(({ verdicts }) => verdicts)
    .map(({ object, beside }) => [object, ...beside].map((each) => JSON.stringify(each)).join('\n---\n'));
  for (const texts of [server, webhooks]) {
    for (let index = 0; index < Number(values.documents); index++) {
      const { manifests, problems } = parseYaml(random.pick(texts), 'recorded.yaml');
      yield new ManifestSet(manifests, problems);
    }
  }
}

function* exampleSets(): Generator<readonly Manifest[]> {
  const files = readdirSync(join(ROOT, 'examples'), { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => /^(?!pulumi)(?:[\w-]+\/main|vendors\/\w+)\.ts$/.test(name)).sort()) {
    const made = Object.values(load(join(ROOT, 'examples', file)) as Record<string, unknown>);
    for (const example of made.filter(isExample)) {
      const app = new App();
      example(app);
      yield manifestsOf(app).manifests;
    }
  }
}

/** An example is a function of an app, not a class. */
const isExample = (value: unknown): value is (app: App) => unknown =>
  typeof value === 'function' && /^function.*\(app\)/.test(String(value));

function mutated(manifests: readonly Manifest[]): ManifestSet {
  const index = Math.floor(random.next() * manifests.length);
  const changed = manifests.map((manifest, at) =>
    at === index ? { ...manifest, object: mutateField(structuredClone(manifest.object)) } : manifest,
  );
  // Read back as text, since the name and the kind may have changed.
  const text = changed.map(({ object }) => JSON.stringify(object)).join('\n---\n');
  const parsed = parseYaml(text, 'example.yaml');
  return new ManifestSet(parsed.manifests, parsed.problems);
}

type Place = readonly [parent: Record<string, JsonValue>, key: string];

function mutateField(object: JsonObject): JsonObject {
  const [parent, key] = random.pick(placesOf(object));
  const value = parent[key] ?? null;
  const choice = random.next();
  if (choice < 0.3) {
    delete parent[key];
  } else if (choice < 0.4) {
    parent[`${key}s`] = value;
    delete parent[key];
  } else {
    parent[key] = otherValue(value);
  }
  return object;
}

function otherValue(value: JsonValue): JsonValue {
  if (typeof value === 'number') {
    return random.pick([0, -1, value + 1, value * 100, value / 2, String(value)]);
  }
  if (typeof value === 'string') {
    return random.pick(['', 'other', `${value}x`, value.toUpperCase(), '1.5', `${value} `, 5]);
  }
  if (typeof value === 'boolean') {
    return random.pick<JsonValue>([!value, 'true', null]);
  }
  if (Array.isArray(value)) {
    return random.pick<JsonValue>([[], [...value, ...value], value.slice(1), 'none']);
  }
  return random.pick<JsonValue>([{}, null, 'none', { ...(value ?? {}), other: '1' }]);
}

/** Every member of every object in a value. */
function placesOf(value: JsonValue): readonly Place[] {
  if (Array.isArray(value)) {
    return value.flatMap((item) => placesOf(item));
  }
  return typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, item]) => [
        [value as Record<string, JsonValue>, key] as const,
        ...placesOf(item),
      ]);
}

main();
