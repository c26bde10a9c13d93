/**
 * Every CEL rule of every covered CRD can be read, and evaluated on values that its schema allows.
 */
import { type CelInput } from '@bufbuild/cel';
import { allKinds } from '../../../src/facts/api/kinds';
import { type JsonValue, type Schema } from '../../../src/facts/api/schema';
import { loadSchema } from '../../../src/facts/api/schemas';
import { programOf } from '../../../src/cel/rule-program';
import { ruleWords } from '../../../src/checks/cel/rule-words';
import { WRITTEN_RULES, writtenWords } from '../../../src/checks/cel/written-words';
import { CelValues } from '../../../src/checks/cel/values';
import { nodeOf } from '../../../src/checks/schema/schema-node';
import { isObject } from '../../../src/manifests/read';
import { InstanceMaker } from '../../support/instances';
import { Random } from '../../support/random';

interface Place {
  readonly kind: string;
  readonly schema: Schema;
  readonly isRoot: boolean;
}

function coveredRules(): ReadonlyMap<string, Place> {
  const rules = new Map<string, Place>();
  for (const info of allKinds()) {
    if (info.builtIn) {
      continue;
    }
    const seen = new Set<Schema>();
    const visit = (schema: Schema | boolean | undefined, isRoot: boolean): void => {
      if (typeof schema !== 'object' || seen.has(schema)) {
        return;
      }
      seen.add(schema);
      for (const { rule } of schema['x-kubernetes-validations'] ?? []) {
        if (!rules.has(rule)) {
          rules.set(rule, { kind: `${info.apiVersion} ${info.kind}`, schema, isRoot });
        }
      }
      Object.values(schema.properties ?? {}).forEach((child) => visit(child, false));
      visit(schema.items, false);
      visit(schema.additionalProperties, false);
    };
    visit(loadSchema(info, '1.36'), true);
  }
  return rules;
}

/** Rules that compare with the object as it was; nothing is to compare with on create. */
const transition = (rule: string): boolean => {
  const program = programOf(rule);
  return typeof program !== 'string' && program.usesOldSelf;
};

/** Values that the schema of the place accepts, as they are and as rules see them. */
function* instancesOf({ schema, isRoot }: Place): Iterable<{ readonly made: JsonValue; readonly self: CelInput }> {
  const random = new Random(11);
  const node = nodeOf(schema);
  for (let i = 0; i < 60; i += 1) {
    const made = new InstanceMaker(random).value(schema, i % 3 === 0 ? 200 : 12);
    if (made === undefined) {
      continue;
    }
    const values = new CelValues();
    if (isRoot && isObject(made)) {
      const named = { ...made, metadata: { name: 'made' } };
      yield { made: named, self: values.ofRoot(named, node) };
    } else {
      yield { made, self: values.of(made, node) };
    }
  }
}

describe('the CEL rules of the covered kinds', () => {
  const rules = coveredRules();

  test('all of them can be read', () => {
    const unreadable = [...rules].flatMap(([rule, { kind }]) =>
      typeof programOf(rule) === 'string' ? [`${kind}: ${rule}`] : [],
    );
    expect(unreadable).toEqual([]);
    expect(rules.size).toBeGreaterThanOrEqual(125);
  });

  test('those that compare with an older object are few and known', () => {
    expect([...rules.keys()].filter(transition).every((rule) => rule.includes('oldSelf'))).toBe(true);
    expect([...rules.keys()].filter((rule) => rule.includes('oldSelf') && !transition(rule))).toEqual([]);
  });

  test.each(
    [...rules].filter(([rule]) => !transition(rule)).map(([rule, place]) => [place.kind, rule, place] as const),
  )('%s: %s', (_kind, rule, place) => {
    const program = programOf(rule);
    if (typeof program === 'string') {
      throw new Error(program);
    }
    const outcomes = new Set<string>();
    for (const { self } of instancesOf(place)) {
      const outcome = program.run(self);
      outcomes.add('value' in outcome && typeof outcome.value === 'boolean' ? String(outcome.value) : 'error');
      if (outcomes.has('true') && outcomes.has('false')) {
        break;
      }
    }
    expect(outcomes.has('true') || outcomes.has('false')).toBe(true);
  });

  test('the words of a rule are given only for a value that the rule rejects, and for most of these', () => {
    const described = new Map<string, { rejected: number; inWords: number }>();
    for (const [rule, place] of rules) {
      const program = programOf(rule);
      if (typeof program === 'string' || transition(rule)) {
        continue;
      }
      const counts = { rejected: 0, inWords: 0 };
      for (const { made, self } of instancesOf(place)) {
        const outcome = program.run(self);
        const words = ruleWords(rule, made, 'spec');
        if ('value' in outcome && outcome.value === false) {
          counts.rejected += 1;
          counts.inWords += words === undefined ? 0 : 1;
        } else if ('value' in outcome) {
          expect([rule, made, words]).toEqual([rule, made, undefined]);
        }
      }
      if (counts.inWords > 0) {
        described.set(rule, counts);
      }
    }
    expect(described.size).toBeGreaterThan(40);
    expect([...described].filter(([, { rejected, inWords }]) => inWords < rejected)).toEqual([]);
  });

  test('a rule without words of its own text has written ones', () => {
    const without: string[] = [];
    for (const [rule, place] of rules) {
      const program = programOf(rule);
      if (typeof program === 'string' || transition(rule)) {
        continue;
      }
      for (const { made, self } of instancesOf(place)) {
        const outcome = program.run(self);
        if ('value' in outcome && outcome.value === false) {
          const words = ruleWords(rule, made, 'spec') ?? writtenWords(rule, made, 'spec');
          if (words === undefined) {
            without.push(`${place.kind}: ${rule}`);
            break;
          }
        }
      }
    }
    expect(without).toEqual([]);
  });

  test('written words belong to rules of covered kinds', () => {
    const normal = new Set([...rules.keys()].map((rule) => rule.replaceAll(/\s+/g, ' ').trim()));
    expect(WRITTEN_RULES.filter((rule) => !normal.has(rule))).toEqual([]);
  });
});
