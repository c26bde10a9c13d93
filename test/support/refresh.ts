/**
 * Repairs `refresh` of fake timers: @sinonjs/fake-timers 15.5 gives a timer its new time before it takes it out of the heap, which may leave
 * the heap out of order. Other timers that are due before the one at the top never run then.
 *
 * To be called after `jest.useFakeTimers`; `jest.useRealTimers` undoes it.
 */
export function repairRefresh(): void {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const repaired = (run: () => void, delay?: number): NodeJS.Timeout => {
    const timer = set(run, delay);
    let id = Number(timer);
    return Object.assign(timer, {
      refresh: () => {
        clear(id);
        id = Number(set(run, delay));
        return timer;
      },
      // What `clearTimeout` goes by.
      [Symbol.toPrimitive]: () => id,
    });
  };
  globalThis.setTimeout = Object.assign(repaired, set);
}
