import { ShapeChecker } from '../../../src/checks/schema/check-shape';
import { manifestOf } from '../../support/manifest-of';
import { examples } from './examples';

const checker = new ShapeChecker({ kubernetes: '1.36' });

describe.each(examples.map((example) => [manifestOf(example.keeps).id.kind, example.rule, example] as const))(
  '%s: %s',
  (_kind, _rule, { rule, keeps, breaks, at }) => {
    test('an object that keeps it passes', () => {
      expect(checker.check(manifestOf(keeps)).violations).toEqual([]);
    });

    test('an object that breaks it is refused at the place of the rule, and for nothing but CEL', () => {
      const { violations } = checker.check(manifestOf(breaks));
      expect(violations.map((violation) => violation.tier)).toEqual(violations.map(() => 'cel'));
      const broken = violations.filter((violation) => violation.path === at).map((violation) => violation.expected);
      expect(broken).toContainEqual(expect.stringContaining(rule));
    });
  },
);
