import { Paced } from '../../../src/runtime/kubernetes/paced';

describe('work that only informs', () => {
  let now: number;
  let done: number;
  let took: number;
  let paced: Paced;

  beforeEach(() => {
    jest.useFakeTimers();
    [now, done, took] = [0, 0, 10];
    const work = (): void => {
      done++;
      now += took;
    };
    paced = new Paced(work, { monotonic: () => now, wall: () => now });
  });
  afterEach(() => jest.useRealTimers());

  const pass = (milliseconds: number): void => {
    now += milliseconds;
    jest.advanceTimersByTime(milliseconds);
  };

  it('is done at once, and then rests for twenty times as long as it took', () => {
    paced.ask();
    expect(done).toBe(1);
    paced.ask();
    pass(199);
    expect(done).toBe(1);
    pass(1);
    expect(done).toBe(2);
  });

  it('is done once for all that is asked while it rests, and again afterwards', () => {
    [1, 2, 3, 4].forEach(() => paced.ask());
    pass(200);
    expect(done).toBe(2);
    pass(1000);
    expect(done).toBe(2);
    paced.ask();
    expect(done).toBe(3);
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
