/**
 * Rules of a domain, each with manifests in which it fires and manifests in which it is silent.
 */
import { type JsonObject } from '../../src/facts/api/schema';
import { type Rule } from '../../src/checks/rules/rule';
import { findingsOf } from './findings';

export type Manifests = readonly JsonObject[];

export interface RuleCase {
  readonly rule: string;
  readonly fires: Readonly<Record<string, Manifests>>;
  readonly silent: Readonly<Record<string, Manifests>>;
}

/** States that each rule fires and is silent where its cases say so, and that every rule has cases. */
export function describeRules(rules: readonly Rule[], cases: readonly RuleCase[]): void {
  const firing = (manifests: Manifests): readonly string[] =>
    findingsOf(manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n'), rules).map(({ rule }) => rule);

  describe.each([...cases])('$rule', ({ rule, fires, silent }) => {
    test.each(Object.entries(fires))('fires: %s', (_, manifests) => {
      expect(firing(manifests)).toContain(rule);
    });

    test.each(Object.entries(silent))('is silent: %s', (_, manifests) => {
      expect(firing(manifests)).not.toContain(rule);
    });
  });

  test('every rule has a case in which it fires and one in which it is silent', () => {
    const covered = cases.filter(({ fires, silent }) => [fires, silent].every((each) => Object.keys(each).length > 0));
    expect(covered.map(({ rule }) => rule).sort()).toEqual(rules.map(({ id }) => id).sort());
  });
}

/** A pod whose only container has these limits. */
export function podWith(limits: JsonObject, spec: JsonObject = {}, container: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'ai' },
    spec: { ...spec, containers: [{ name: 'main', image: 'i', resources: { limits }, ...container }] },
  };
}
