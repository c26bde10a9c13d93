import { Paced } from '../../../src/runtime/kubernetes/paced';

describe('work that only informs', () => {
  let now: number;
  let done: number;
  let took: number;
  /** Pieces of one run, each of which takes as long. */
  let pieces: number;
  let errors: unknown[];
  let paced: Paced;

  beforeEach(() => {
    jest.useFakeTimers();
    [now, done, took, pieces, errors] = [0, 0, 10, 1, []];
    function* work(): Generator<void> {
      done++;
      now += took;
      for (let piece = 1; piece < pieces; piece++) {
        yield;
        now += took;
      }
    }
    paced = new Paced(work, (error) => errors.push(error), { monotonic: () => now, wall: () => now });
  });
  afterEach(() => jest.useRealTimers());

  const pass = (milliseconds: number): void => {
    now += milliseconds;
    jest.advanceTimersByTime(milliseconds);
  };

  it('is done at once, and then rests for fifty times as long as it took', () => {
    paced.ask();
    expect(done).toBe(1);
    paced.ask();
    pass(499);
    expect(done).toBe(1);
    pass(1);
    expect(done).toBe(2);
  });

  it('is done once for all that is asked while it rests, and again afterwards', () => {
    [1, 2, 3, 4].forEach(() => paced.ask());
    pass(500);
    expect(done).toBe(2);
    pass(1000);
    expect(done).toBe(2);
    paced.ask();
    expect(done).toBe(3);
  });

  it('is done in pieces of two milliseconds, between which other work comes first, and rests for all of them', () => {
    [took, pieces] = [1, 7];
    paced.ask();
    expect(now).toBe(2);
    paced.ask();
    jest.advanceTimersToNextTimer();
    expect(now).toBe(4);
    jest.runOnlyPendingTimers();
    jest.runOnlyPendingTimers();
    expect([now, done]).toEqual([7, 1]);
    // It was asked for again meanwhile.
    pass(349);
    expect(done).toBe(1);
    pass(1);
    expect(done).toBe(2);
  });

  it('reports an error, and goes on the next time', () => {
    took = NaN;
    const broken = new Paced(
      // eslint-disable-next-line require-yield
      function* () {
        done++;
        throw new Error('nowhere to write');
      },
      (error) => errors.push(error),
      { monotonic: () => now, wall: () => now },
    );
    broken.ask();
    broken.ask();
    expect([done, errors]).toEqual([2, [new Error('nowhere to write'), new Error('nowhere to write')]]);
  });

  it('is not done any more once it was stopped', () => {
    paced.ask();
    paced.ask();
    paced.stop();
    pass(10_000);
    expect(done).toBe(1);
    expect(jest.getTimerCount()).toBe(0);
  });
});
