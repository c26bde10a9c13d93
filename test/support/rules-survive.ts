/**
 * The property that every domain's rules share: whatever JSON they meet, they do not throw, and they point into it.
 */
import * as fc from 'fast-check';
import { type JsonObject, type JsonValue } from '../../src/facts/api/schema';
import { type Rule } from '../../src/checks/rules/rule';
import { type Manifest } from '../../src/manifests/manifest';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { asObject, asString } from '../../src/manifests/read';
import { podTemplatesOf } from '../../src/manifests/pods/pod-templates';
import { samples } from './samples';

const anyJson = fc.jsonValue({ maxDepth: 3 }).map((value) => value as JsonValue);

function manifestOf(object: JsonObject): Manifest {
  const { apiVersion = '', kind = '' } = object as { apiVersion?: string; kind?: string };
  const name = asString(asObject(object.metadata).name) ?? '';
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return { id: { apiVersion, group, kind, namespace: '', name }, object, origin: {} };
}

function run(rules: readonly Rule[], objects: readonly JsonObject[]): void {
  const set = new ManifestSet(objects.map(manifestOf));
  const context = { set, kubernetes: '1.35' } as const;
  for (const rule of rules) {
    try {
      if (rule.on === 'set') {
        Array.from(rule.check(context));
      }
      for (const manifest of set.manifests) {
        const kind = manifest.id.group === '' ? manifest.id.kind : `${manifest.id.group}/${manifest.id.kind}`;
        if (rule.on === 'object' && (rule.kinds.includes(kind) || rule.kinds.includes('*'))) {
          Array.from(rule.check(manifest, context));
        }
        if (rule.on === 'pod-template') {
          podTemplatesOf(manifest).forEach((template) => Array.from(rule.check(template, context)));
        }
      }
    } catch (error) {
      throw new Error(`${rule.id} failed: ${String(error)}`, { cause: error });
    }
  }
}

/** Holds rules against the objects with any value in any place of them, and against objects of these kinds with any spec. */
export function rulesSurvive(rules: readonly Rule[], objects: readonly JsonObject[], numRuns = 400): void {
  const options = { seed: 20261120, numRuns: samples(numRuns) };
  fc.assert(
    fc.property(fc.constantFrom(...objects), anyJson, (object, spec) => run(rules, [{ ...object, spec }])),
    options,
  );
  fc.assert(
    fc.property(fc.oneof(...objects.map(broken)), (object) => run(rules, [object, ...objects])),
    options,
  );
}

/** Replaces one value somewhere in an object by any other. */
function broken(object: JsonObject): fc.Arbitrary<JsonObject> {
  const places: (readonly (string | number)[])[] = [];
  const walk = (value: JsonValue, path: readonly (string | number)[]): void => {
    if (path.length > 1) {
      places.push(path);
    }
    if (Array.isArray(value)) {
      value.forEach((item, index) => walk(item, [...path, index]));
    } else if (value !== null && typeof value === 'object') {
      Object.entries(value).forEach(([key, item]) => walk(item, [...path, key]));
    }
  };
  walk(object, []);
  return fc
    .tuple(fc.constantFrom(...places), anyJson)
    .map(([path, value]) => replaced(object, path, value) as JsonObject);
}

function replaced(value: JsonValue, path: readonly (string | number)[], by: JsonValue): JsonValue {
  const [head, ...rest] = path;
  if (head === undefined) {
    return by;
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === head ? replaced(item, rest, by) : item));
  }
  return { ...(value as JsonObject), [head]: replaced((value as JsonObject)[head] ?? null, rest, by) };
}

/** What every rule value must have, whichever domain it is of. */
export function expectRuleFacts(rules: readonly Rule[], domain: string, row: RegExp): void {
  expect(new Set(rules.map((rule) => rule.id)).size).toBe(rules.length);
  for (const rule of rules) {
    expect(rule.id).toMatch(new RegExp(`^${domain}/[a-z0-9]+(-[a-z0-9]+)*$`));
    expect(rule.row).toMatch(row);
    expect(rule.source).toMatch(/v\d+\.\d+/);
    for (const text of [rule.summary, rule.why, rule.fix]) {
      expect(text).toMatch(/\.$/);
    }
  }
}
