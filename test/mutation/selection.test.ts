import { type Mutant } from './mutants';
import { Selection, type Subjects } from './selection';

/** Code that says "even" or "odd", and "large" from 10 on. Mutant 1 takes even numbers for odd, 2 changes the bound to 11, 3 changes nothing. */
class Code {
  private active = 0;

  observe(number: number): readonly string[] {
    const even = number % 2 === 0 && this.active !== 1;
    const bound = this.active === 2 ? 11 : 10;
    return [even ? 'even' : 'odd', ...(number >= bound ? ['large'] : [])];
  }

  meet<T>(run: () => T): { result: T; met: readonly number[]; steps: number } {
    return { result: run(), met: [1, 2], steps: 1 };
  }

  changes(mutant: number, isUsual: () => boolean): boolean {
    this.active = mutant;
    try {
      return !isUsual();
    } finally {
      this.active = 0;
    }
  }

  isMetByLoading(mutant: number): boolean {
    return mutant === 3;
  }
}

const mutants = [1, 2, 3].map((id) => ({ id }) as Mutant);

function selection(
  kept: readonly number[],
  further: readonly number[],
  more: Partial<Subjects<number>> = {},
): Selection<number> {
  const code = new Code();
  return new Selection({ code, observe: (number) => code.observe(number), tries: 100, ...more }, kept, further);
}

function noticed(one: Selection<number>): readonly [kept: readonly number[], unnoticed: readonly number[]] {
  const { unnoticed } = one.extend(mutants, Infinity);
  return [one.kept.map(({ subject }) => subject), unnoticed.map(({ id }) => id)];
}

test('of the further subjects those are kept that notice a mutant', () => {
  expect(noticed(selection([], [1, 3, 4, 6, 9, 10, 11]))).toEqual([[4, 10], [3]]);
});

test('what a kept subject notices adds none', () => {
  expect(noticed(selection([10], [4, 6]))).toEqual([[10], [3]]);
});

test('not more subjects are asked than tries say', () => {
  expect(noticed(selection([], [4, 1, 3, 10], { tries: 2 }))).toEqual([[4], [2, 3]]);
});

test('a mutant that is met by loading is shown to the subjects that it concerns', () => {
  const asked: number[] = [];
  const concerns = (subject: number, { id }: Mutant): boolean => {
    asked.push(id);
    return subject === 1;
  };
  expect(noticed(selection([1], [], { concerns }))).toEqual([[1], [1, 2, 3]]);
  expect(asked.every((id) => id === 3)).toBe(true);
});
