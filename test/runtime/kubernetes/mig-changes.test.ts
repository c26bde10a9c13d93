/**
 * When decisions have to look at nodes again because time has changed what is known of their MIG configurations.
 */
import { MigChanges } from '../../../src/runtime/kubernetes/world/mig-changes';

const LIMITS = { timeoutSeconds: 600, intervalSeconds: 60 };

test('a node that rests longer counts as before, until its rest is over', () => {
  const changes = new MigChanges();
  const onChange = jest.fn();
  changes.onChange = onChange;
  const calls = (work: () => void): number => {
    onChange.mockClear();
    work();
    return onChange.mock.calls.length;
  };
  changes.rest('n', 1000);
  expect(calls(() => changes.settle(0, LIMITS))).toBe(1);
  expect(calls(() => changes.settle(500, LIMITS))).toBe(0);
  changes.rest('n', 2000);
  expect(calls(() => changes.settle(1000, LIMITS))).toBe(0);
  expect(changes.nextIn(1000)).toBe(1000);
  expect(calls(() => changes.settle(2000, LIMITS))).toBe(1);
});
