import * as fc from 'fast-check';
import { type JsonValue, type KubernetesMinor } from '../../../src/facts/api/schema';
import { deviceRules } from '../../../src/constructs/devices/rules';
import { findingsOf } from '../../support/findings';
import { claimCases } from './cases/claims';
import { podCases } from './cases/pods';
import { shareCases } from './cases/shares';
import { vendorCases } from './cases/vendors';
import { exactly, type Manifests, quota } from './world';
import { samples } from '../../support/samples';

const allCases = [...podCases, ...claimCases, ...vendorCases, ...shareCases];
const yaml = (manifests: readonly JsonValue[]): string =>
  manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
const firing = (manifests: Manifests): readonly string[] =>
  findingsOf(yaml(manifests), deviceRules).map(({ rule }) => rule);

describe.each(allCases)('$rule', ({ rule, fires, silent }) => {
  test.each(Object.entries(fires))('fires: %s', (_, manifests) => {
    expect(firing(manifests)).toContain(rule);
  });

  test.each(Object.entries(silent))('is silent: %s', (_, manifests) => {
    expect(firing(manifests)).not.toContain(rule);
  });
});

test('from 1.36 on, claims of the class that has the name nvidia.com/gpu are counted by its quota', () => {
  const set = [quota({ 'requests.nvidia.com/gpu': 8 }), exactly({})];
  const speaks = (kubernetes: KubernetesMinor): boolean =>
    findingsOf(yaml(set), deviceRules, { kubernetes }).some(({ rule }) => rule === 'devices/quota-counts-claimed-gpus');
  expect([speaks('1.35'), speaks('1.36')]).toEqual([true, false]);
});

test('before 1.34, the label of administrators has no meaning', () => {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ai' } };
  const speaks = (kubernetes: KubernetesMinor): boolean =>
    findingsOf(yaml([namespace, exactly({ adminAccess: true })]), deviceRules, { kubernetes }).some(
      ({ rule }) => rule === 'devices/admin-access-in-labeled-namespace',
    );
  expect([speaks('1.33'), speaks('1.34')]).toEqual([false, true]);
});

test('a namespace that is not in the set may have the label of administrators', () => {
  const severities = (...manifests: Manifests): readonly string[] =>
    findingsOf(yaml(manifests), deviceRules)
      .filter(({ rule }) => rule === 'devices/admin-access-in-labeled-namespace')
      .map(({ severity }) => severity);
  expect(severities(exactly({ adminAccess: true }))).toEqual(['warning']);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ai' } };
  expect(severities(namespace, exactly({ adminAccess: true }))).toEqual(['error']);
});

test('every rule has a case in which it fires and one in which it is silent', () => {
  const covered = allCases.filter(({ fires, silent }) =>
    [fires, silent].every((cases) => Object.keys(cases).length > 0),
  );
  expect(covered.map(({ rule }) => rule).sort()).toEqual(deviceRules.map(({ id }) => id).sort());
});

test('ids are unique, in the domain, and say what must hold in kebab case', () => {
  const ids = deviceRules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) {
    expect(id).toMatch(/^devices\/[a-z0-9]+(-[a-z0-9]+)+$/);
  }
});

test('no rule fails, whatever replaces any part of a manifest', () => {
  const good = allCases.flatMap(({ fires }) => Object.values(fires)).flat() as JsonValue[];
  const junk = fc.oneof(
    fc.constantFrom<JsonValue>(null, '', 0, -1, 1.5, true, [], {}, [null], '\u0000', [{}]),
    fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>,
  );
  const changed = (value: JsonValue, by: JsonValue, depth: number, pick: number): JsonValue => {
    if (depth === 0 || value === null || typeof value !== 'object') {
      return by;
    }
    const keys = Object.keys(value).filter((key) => key !== 'apiVersion' && key !== 'kind');
    const key = keys[pick % Math.max(1, keys.length)];
    if (key === undefined) {
      return by;
    }
    if (Array.isArray(value)) {
      return value.map((item, index) => (String(index) === key ? changed(item, by, depth - 1, pick) : item));
    }
    return { ...value, [key]: changed(value[key] ?? null, by, depth - 1, pick) };
  };
  fc.assert(
    fc.property(
      fc.constantFrom(...good),
      junk,
      fc.integer({ min: 1, max: 9 }),
      fc.nat(50),
      (manifest, value, depth, pick) => {
        findingsOf(yaml([changed(manifest, value, depth, pick)]), deviceRules);
      },
    ),
    { seed: 20261120, numRuns: samples(400) },
  );
});
