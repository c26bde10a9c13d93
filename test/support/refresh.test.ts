import { repairRefresh } from './refresh';

describe('fake timers', () => {
  let fired: string[];
  const start = (name: string, delay: number): NodeJS.Timeout => setTimeout(() => fired.push(name), delay);

  beforeEach(() => {
    fired = [];
    jest.useFakeTimers();
    repairRefresh();
  });
  afterEach(() => jest.useRealTimers());

  it('all run, in the order of their times, after one of them was refreshed', () => {
    const refreshed = start('refreshed', 10);
    start('early', 11);
    start('late', 14);
    jest.advanceTimersByTime(5);
    refreshed.refresh();
    jest.advanceTimersByTime(20);
    expect(fired).toEqual(['early', 'late', 'refreshed']);
  });

  it('do not run once they were refreshed and cleared', () => {
    const timer = start('cleared', 10);
    timer.refresh();
    clearTimeout(timer);
    jest.advanceTimersByTime(20);
    expect(fired).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('are real again afterwards', () => {
    const faked = setTimeout;
    jest.useRealTimers();
    expect(setTimeout).not.toBe(faked);
    clearTimeout(setTimeout(() => undefined, 0));
  });
});
