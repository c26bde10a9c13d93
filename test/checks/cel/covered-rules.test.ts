/**
 * Every CEL rule of every covered CRD can be read, and evaluated on values that its schema allows.
 */
import { allKinds } from '../../../src/facts/api/kinds';
import { type Schema } from '../../../src/facts/api/schema';
import { loadSchema } from '../../../src/facts/api/schemas';
import { programOf } from '../../../src/checks/cel/rule-program';
import { CelValues } from '../../../src/checks/cel/values';
import { nodeOf } from '../../../src/checks/schema/schema-node';
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
    const random = new Random(11);
    const outcomes = new Set<string>();
    for (let i = 0; i < 60 && !(outcomes.has('true') && outcomes.has('false')); i += 1) {
      const made = new InstanceMaker(random).value(place.schema, i % 3 === 0 ? 200 : 12);
      if (made === undefined) {
        continue;
      }
      const values = new CelValues();
      const node = nodeOf(place.schema);
      const isObject = typeof made === 'object' && made !== null && !Array.isArray(made);
      const self =
        place.isRoot && isObject ? values.ofRoot({ ...made, metadata: { name: 'made' } }, node) : values.of(made, node);
      const outcome = program.run(self);
      outcomes.add('value' in outcome && typeof outcome.value === 'boolean' ? String(outcome.value) : 'error');
    }
    expect(outcomes.has('true') || outcomes.has('false')).toBe(true);
  });
});
