/**
 * How the devices were used: means and peaks of minutes, gaps, clocks that are set back, and bounds.
 */
import { MINUTES, UseHistory } from '../../../src/runtime/docker/devices/use-history';

const MINUTE = 60_000;
const HELD = new Set(['a']);
const at = (minute: number, seconds = 0): number => (28_000_000 + minute) * MINUTE + seconds * 1000;
const use = (busy: number, memoryMiB: number) => new Map([['a', { busy, memoryMiB }]]);

test('a minute has the mean of the work, the peak of the memory, and the part in which it was held', () => {
  const history = new UseHistory();
  history.record(at(0, 5), ['a'], use(0.2, 10), HELD);
  history.record(at(0, 20), ['a'], use(0.4, 30), new Set());
  history.record(at(0, 35), ['a'], use(0.9, 20), HELD);
  history.record(at(0, 50), ['a'], new Map(), new Set());
  expect(history.since(at(0, 59), 2)).toEqual({
    until: at(1),
    stepSeconds: 60,
    devices: [{ id: 'a', busy: [null, 0.5], memoryMiB: [null, 30], held: [null, 0.5] }],
  });
  expect(history.latest('a')).toBeUndefined();
});

test('minutes in which nothing was recorded are gaps, also a day later in the same place', () => {
  const history = new UseHistory();
  history.record(at(0), ['a'], use(1, 1), HELD);
  history.record(at(3), ['a'], use(0.5, 2), HELD);
  expect(history.since(at(3), 4).devices[0].busy).toEqual([1, null, null, 0.5]);
  history.record(at(MINUTES + 1), ['a'], new Map(), new Set());
  const { busy, held, memoryMiB } = history.since(at(MINUTES + 3), MINUTES).devices[0];
  expect(busy.filter((value) => value !== null)).toEqual([]);
  expect([held.filter((value) => value !== null), memoryMiB.filter((value) => value !== null)]).toEqual([[0], []]);
});

test('a clock that is set back leaves no minutes of the future behind', () => {
  const history = new UseHistory();
  history.record(at(100), ['a'], use(1, 1), HELD);
  history.record(at(10), ['a'], use(0.5, 1), HELD);
  expect(history.since(at(10), MINUTES).devices[0].busy.filter((value) => value !== null)).toEqual([0.5]);
});

test('devices that are not on the host any more are forgotten, and there are at most 256', () => {
  const history = new UseHistory();
  const many = Array.from({ length: 300 }, (_, index) => `gpu-${index}`);
  history.record(at(0), ['a', ...many], use(1, 1), HELD);
  expect(history.since(at(0), 1).devices).toHaveLength(256);
  history.record(at(0), ['b'], new Map(), HELD);
  expect(history.since(at(0), 1).devices.map(({ id }) => id)).toEqual(['b']);
});
