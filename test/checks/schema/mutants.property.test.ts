import { allKinds } from '../../../src/facts/api/kinds';
import { type KindInfo } from '../../../src/facts/api/schema';
import { loadSchema } from '../../../src/facts/api/schemas';
import { ShapeChecker, type ShapeViolation } from '../../../src/checks/schema/check-shape';
import { InstanceMaker } from '../../support/instances';
import { manifestOf } from '../../support/manifest-of';
import { mutantsOf, OPERATORS } from '../../support/mutants';
import { Random } from '../../support/random';

const MINOR = '1.36';
const SEED = 20260101;
/** How rich the objects of a kind are; each is mutated by every operator that finds a place in it. */
const RICHNESS = [0, 40, 160];

const kinds = allKinds().filter((info) => (info.minors === undefined ? info.served : info.minors.includes(MINOR)));
const checker = new ShapeChecker({ kubernetes: MINOR });
const schemaViolations = (object: Parameters<typeof manifestOf>[0]): readonly ShapeViolation[] =>
  checker.check(manifestOf(object)).violations.filter(({ tier }) => tier === 'schema');
const nameOf = (info: KindInfo): string => `${info.apiVersion} ${info.kind}`;

describe('objects whose verdict is known by construction', () => {
  const random = new Random(SEED);
  const cases = kinds.flatMap((info) =>
    RICHNESS.map((richness) => {
      const schema = loadSchema(info, MINOR);
      const object = new InstanceMaker(random).make(info, schema, richness);
      return { info, object, mutants: mutantsOf(object, info, schema, random) };
    }),
  );

  test('valid objects of every kind pass', () => {
    const failed = cases.flatMap(({ info, object }) =>
      schemaViolations(object).map((violation) => `${nameOf(info)}: ${JSON.stringify(violation)}`),
    );
    expect(failed).toEqual([]);
  });

  test('every mutant is judged as its change demands, at the place of the change', () => {
    const wrong: string[] = [];
    for (const { info, mutants } of cases) {
      for (const { operator, object, rule, path } of mutants) {
        const found = schemaViolations(object);
        const fired = found.some((violation) => violation.rule === rule && violation.path === path);
        const judged = rule === undefined ? found.length === 0 : fired;
        if (!judged) {
          wrong.push(
            `${nameOf(info)}, ${operator} at ${path}: wanted ${rule ?? 'no finding'}, found ${JSON.stringify(found)}`,
          );
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test('at least 2,000 mutants, of every kind and by every operator', () => {
    const mutants = cases.flatMap(({ info, mutants: made }) =>
      made.map((mutant) => ({ ...mutant, kind: nameOf(info) })),
    );
    expect(mutants.length).toBeGreaterThanOrEqual(2000);
    expect(new Set(mutants.map(({ kind }) => kind)).size).toBe(kinds.length);
    expect([...new Set(mutants.map(({ operator }) => operator))].sort()).toEqual(Object.keys(OPERATORS).sort());
  });
});
