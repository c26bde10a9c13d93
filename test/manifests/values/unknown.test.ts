import {
  containsUnknown,
  guarded,
  judging,
  unguarded,
  UNKNOWN,
  unlessUnknown,
} from '../../../src/manifests/values/unknown';

const object = { kind: 'A', spec: { known: 1, later: UNKNOWN, list: ['a', UNKNOWN] } };

describe('a value that is not known yet', () => {
  it('throws where it is read, and nowhere else', () => {
    const { spec } = guarded(object) as unknown as typeof object;
    expect(spec.known).toBe(1);
    expect(Object.keys(spec)).toEqual(['known', 'later', 'list']);
    expect(spec.list[0]).toBe('a');
    expect(() => spec.later).toThrow('not known yet');
    expect(() => JSON.stringify(spec)).toThrow('not known yet');
  });

  it('leaves an object without unknown values as it is, and is found again by its marks', () => {
    const plain = { kind: 'A' };
    expect(guarded(plain)).toBe(plain);
    expect(unguarded(guarded(object))).toBe(object);
    expect(containsUnknown(object)).toBe(true);
    expect(containsUnknown(plain)).toBe(false);
  });

  it('makes a judgment void that read it, also where the error was caught', () => {
    const { spec } = guarded(object) as unknown as typeof object;
    expect(judging(() => spec.known)).toEqual({ known: true, value: 1 });
    const caught = (): string => {
      try {
        return JSON.stringify(spec.later);
      } catch {
        return 'missing';
      }
    };
    expect(judging(caught)).toEqual({ known: false });
    expect(judging(() => unlessUnknown(() => spec.later, undefined))).toEqual({ known: true, value: undefined });
    expect(() =>
      judging(() => {
        throw new Error('a defect');
      }),
    ).toThrow('a defect');
  });
});
