/**
 * Rules that name the fields they speak of are left out where none of those occurs, and rules that see a pod template or a spec alone are
 * run once for all of one content. That must never change what is found: here all rules are run so and one by one, on whole
 * manifests, on objects made from schemas, and on both with values taken away, renamed and exchanged. (`findingsOf` compares the same
 * on every text of the rules' own tests.)
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allKinds } from '../../../src/facts/api/kinds';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { loadSchema } from '../../../src/facts/api/schemas';
import { FindingCollector } from '../../../src/checks/report/collector';
import { type Finding } from '../../../src/checks/report/finding';
import { type ObjectRule, type Rule, type RuleContext } from '../../../src/checks/rules/rule';
import { runRules } from '../../../src/checks/rules/run-rules';
import { kindKey } from '../../../src/manifests/identity';
import { type Manifest } from '../../../src/manifests/manifest';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { type PodTemplate } from '../../../src/manifests/pods/pod-template';
import { isObject } from '../../../src/manifests/read';
import { parseYaml } from '../../../src/manifests/yaml';
import { allRules } from '../../../src/interfaces/checks/all-rules';
import { changedManifest, ODD_VALUES, valuesByField, type Vocabulary } from '../../support/changed-manifests';
import { InstanceMaker } from '../../support/instances';
import { fromJson, manifestOf } from '../../support/manifest-of';
import { readFindings } from '../../support/recorded-findings';
import { Random } from '../../support/random';
import { samples } from '../../support/samples';
import { domains, fixtureOf } from './recorded/domains';

const SET_SIZE = 40;
/** How many changed manifests are compared. */
const VARIANTS = samples(5000);

const gated = allRules();
const ungated = gated.map((rule): Rule =>
  rule.on === 'pod-template'
    ? { ...rule, concerns: undefined, sees: undefined }
    : rule.on === 'object'
      ? { ...rule, concerns: undefined, sees: undefined, appliesTo: undefined }
      : { ...rule, concerns: undefined },
);

function findingsIn(rules: readonly Rule[], objects: readonly JsonObject[]): readonly Finding[] {
  const set = new ManifestSet(objects.map(manifestOf));
  const collector = new FindingCollector(set, {});
  runRules(rules, { set, kubernetes: '1.35' }, collector);
  const { findings, notChecked } = collector.report();
  expect(notChecked).toEqual([]);
  return findings;
}

/** Compares in small sets, since rules also look at what is beside an object. Gives the rules that fired. */
function compare(objects: readonly JsonObject[]): ReadonlySet<string> {
  const fired = new Set<string>();
  for (let start = 0; start < objects.length; start += SET_SIZE) {
    const some = objects.slice(start, start + SET_SIZE);
    const expected = findingsIn(ungated, some);
    expect(differing(expected, findingsIn(gated, some))).toEqual([]);
    for (const { rule } of expected) {
      fired.add(rule);
    }
  }
  return fired;
}

/** Findings that only one of two runs has. */
function differing(some: readonly Finding[], others: readonly Finding[]): readonly string[] {
  const [one, other] = [some, others].map((findings) => findings.map((finding) => JSON.stringify(finding)));
  if (one.join('\n') === other.join('\n')) {
    return [];
  }
  return [...one.filter((text) => !other.includes(text)), ...other.filter((text) => !one.includes(text)), 'the order'];
}

function read(text: string, file: string): readonly JsonObject[] {
  return parseYaml(text, file).manifests.map(({ object }) => object);
}

const corpusFolder = join(__dirname, '../..', 'e2e', 'corpus');
const corpus = readdirSync(corpusFolder)
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => read(readFileSync(join(corpusFolder, file), 'utf8'), file));

/** The same manifest, which says when its name is read. */
function withWatchedName({ id, object, ...rest }: Manifest, onRead: (manifest: Manifest) => void): Manifest {
  const watched = <T extends object>(value: T): T => {
    const name: unknown = Reflect.get(value, 'name');
    return Object.defineProperty({ ...value }, 'name', {
      enumerable: true,
      get: () => {
        onRead(manifest);
        return name;
      },
    });
  };
  const { metadata } = object;
  const isNamed = isObject(metadata) && Object.hasOwn(metadata, 'name');
  const manifest: Manifest = {
    ...rest,
    id: watched(id),
    object: isNamed ? { ...object, metadata: watched(metadata) } : object,
  };
  return manifest;
}

/** The manifests of recorded findings. */
function recordedSets(): readonly (readonly JsonObject[])[] {
  return domains()
    .map(fixtureOf)
    .filter((file) => existsSync(file))
    .flatMap((file) => readFindings(readFileSync(file, 'utf8')))
    .map(({ text }) => (JSON.parse(text) as readonly JsonValue[]).filter(isObject));
}

/** A copy with up to eight values taken away, renamed or exchanged for others of the same field. */
function mutated(object: JsonObject, random: Random, fields: Vocabulary['fields']): JsonObject {
  return changedManifest(object, 8, { fields, names: [...fields.keys()], values: ODD_VALUES }, random);
}

describe('rules find the same, however few of them are run,', () => {
  test('on the corpus', () => {
    expect(corpus.length).toBeGreaterThan(50);
    compare(corpus);
  });

  test('on many variants of it', () => {
    const random = new Random(20261120);
    const pool = valuesByField(corpus);
    const fired = compare(Array.from({ length: VARIANTS }, () => mutated(random.pick(corpus), random, pool)));
    // Many of the rules that can be passed over do fire here, so that the comparison says something of them.
    const concerned = gated.filter((rule) => rule.concerns !== undefined && rule.on !== 'set');
    expect(concerned.filter(({ id }) => fired.has(id)).length).toBeGreaterThan(concerned.length / 6);
  }, 60_000);

  test('on templates that are in several objects, of other names, namespaces and surroundings', () => {
    const random = new Random(20261122);
    const pool = valuesByField(corpus);
    const objects = (): readonly JsonObject[] =>
      corpus.flatMap((object) => {
        const damaged = mutated(object, random, pool);
        const metadata = { name: 'another', namespace: 'elsewhere', annotations: { other: 'x' } };
        const { spec } = damaged;
        const other = ([key, value]: readonly [string, JsonValue]): readonly [string, JsonValue] => [
          key,
          random.chance(0.3) ? random.pick(pool.get(key) ?? [value]) : value,
        ];
        const around = isObject(spec) ? Object.fromEntries(Object.entries(spec).map(other)) : {};
        return [
          damaged,
          { ...damaged, metadata },
          { ...damaged, metadata, spec: around },
          { ...damaged, metadata: object.metadata ?? null },
        ];
      });
    for (let compared = 0; compared < VARIANTS; compared += 2000) {
      compare(objects());
    }
  }, 60_000);

  test('on objects that differ in their names alone, in surroundings in which rules find something', () => {
    const renamed = (object: JsonObject): JsonObject =>
      isObject(object.metadata) ? { ...object, metadata: { ...object.metadata, name: 'another-one' } } : object;
    const fired = new Set<string>();
    const sets = recordedSets();
    const step = sets.length / samples(sets.length / 2);
    for (let at = 0; at < sets.length; at += step) {
      const objects = sets[Math.floor(at)];
      for (const rule of compare([...objects, ...objects.map(renamed)])) {
        fired.add(rule);
      }
    }
    const unnamed = gated.filter((rule) => rule.on === 'object' && rule.sees === 'all-but-name');
    expect(unnamed.length).toBeGreaterThan(250);
    expect(unnamed.filter(({ id }) => fired.has(id)).length).toBeGreaterThan(unnamed.length / 4);
  }, 120_000);

  test('on any name, where rules do not read it', () => {
    const unnamed = allRules().filter(
      (rule): rule is ObjectRule => rule.on === 'object' && rule.sees === 'all-but-name',
    );
    const reading = new Set<string>();
    const sets = recordedSets();
    const step = sets.length / samples(sets.length / 3);
    for (let at = 0; at < sets.length; at += step) {
      const asked: { of?: Manifest } = {};
      let reads = false;
      const set = new ManifestSet(
        sets[Math.floor(at)].map((object) =>
          withWatchedName(fromJson(object), (manifest) => {
            reads ||= asked.of === manifest;
          }),
        ),
      );
      for (const manifest of set.manifests) {
        for (const rule of unnamed.filter(({ kinds }) => kinds.includes('*') || kinds.includes(kindKey(manifest.id)))) {
          // The first time, what is kept of all objects of the set is gathered, with their names.
          for (asked.of of [undefined, manifest]) {
            reads = false;
            try {
              Array.from(rule.check(manifest, { set, kubernetes: '1.35' }));
            } catch {
              // What is odd in a recorded set is no matter here.
            }
          }
          if (reads) {
            reading.add(rule.id);
          }
        }
      }
    }
    expect([...reading]).toEqual([]);
  }, 120_000);

  test('on objects made from the schemas of all kinds that rules look at', () => {
    const random = new Random(20261121);
    const kinds = new Set(
      gated.filter((rule): rule is ObjectRule => rule.on === 'object').flatMap((rule) => rule.kinds),
    );
    const maker = new InstanceMaker(random);
    const known = allKinds().filter(({ apiVersion, kind }) =>
      kinds.has(apiVersion.includes('/') ? `${apiVersion.split('/')[0]}/${kind}` : kind),
    );
    const made = known.flatMap((info) =>
      info.minors?.includes('1.35') === false
        ? []
        : [5, 20, 80].map((richness) => maker.make(info, loadSchema(info, '1.35'), richness)),
    );
    compare(made);
    const pool = valuesByField(made);
    compare(made.map((object) => mutated(object, random, pool)));
  }, 60_000);
});

test('a rule is not run on a manifest in which none of its fields occurs', () => {
  const seen: string[] = [];
  const rule = (id: string, ...concerns: readonly string[]): ObjectRule => ({
    id,
    concerns,
    on: 'object',
    kinds: ['*'],
    tier: 'advice',
    severity: 'info',
    summary: '',
    why: '',
    source: '',
    fix: '',
    check: ({ id: { name } }) => {
      seen.push(`${id} ${name}`);
      return [];
    },
  });
  const rules = [rule('a', 'alpha'), rule('b', 'alpha', 'beta'), rule('none', 'gamma')];
  findingsIn(rules, [
    { apiVersion: 'v1', kind: 'X', metadata: { name: 'one' }, deep: [[{ beta: null }]] },
    { apiVersion: 'v1', kind: 'X', metadata: { name: 'two', labels: { alpha: '' } } },
    { apiVersion: 'v1', kind: 'X', metadata: { name: 'three' }, list: ['alpha', 'beta'] },
  ]);
  expect(seen.sort()).toEqual(['a two', 'b one', 'b two']);
});

test('a rule that does not read the metadata of pod templates runs once for templates of equal spec, one that reads it once more for each', () => {
  const calls = new Map<string, number>();
  const counted = gated.map((rule): Rule =>
    rule.on === 'pod-template' && rule.sees === 'template'
      ? {
          ...rule,
          check: (template: PodTemplate, context: RuleContext) => {
            calls.set(rule.id, (calls.get(rule.id) ?? 0) + 1);
            return rule.check(template, context);
          },
        }
      : rule,
  );
  const deployments = Array.from({ length: 5 }, (_, index) => {
    const labels = { app: `server-${index}` };
    const container = { name: 'server', image: 'server:1', resources: { limits: { 'nvidia.com/gpu': 1 } } };
    const template = { metadata: { labels }, spec: { containers: [container] } };
    return {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: `server-${index}`, namespace: 'ai' },
      spec: { selector: { matchLabels: labels }, template },
    };
  });
  findingsIn(counted, deployments);
  const times = [...calls.values()];
  expect(new Set(times)).toEqual(new Set([1, 1 + deployments.length]));
  expect(times.filter((count) => count === 1).length).toBeGreaterThan(times.length * 0.8);
});
