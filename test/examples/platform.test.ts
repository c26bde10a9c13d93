/**
 * The examples of a platform on one page and of the scheduler beside one.
 */
import { App } from 'cdk8s';
import { platformOnOnePage } from '../../examples/platform/main';
import { scheduler } from '../../examples/scheduler/main';
import { Testing } from '../../src/interfaces/testing';

describe.each([
  ['platform', platformOnOnePage],
  ['scheduler', scheduler],
] as const)('%s', (_, example) => {
  test('has no finding', () => {
    expect(
      Testing.check(example(new App())).findings.map(({ rule, object, message }) => `${rule} ${object}: ${message}`),
    ).toEqual([]);
  });

  test('is the same each time', () => {
    expect(JSON.stringify(Testing.synth(example(new App())))).toBe(JSON.stringify(Testing.synth(example(new App()))));
  });
});
