/**
 * Programs without types that use a name that the package does not have.
 */
import { App, Chart } from 'cdk8s';
import * as gantry from '../../../src';
import { unknownMember } from '../../../src/checks/synth/unknown-member';
import { runProgram } from '../../support/run-program';

/** The package as a program without types sees it. */
type Untyped = { readonly [name: string]: Untyped } & (new (...args: readonly unknown[]) => Untyped) &
  ((...args: readonly unknown[]) => Untyped);
const untyped = gantry as unknown as Untyped;
const { Accelerator, charts, keda, kubeflow, volcano } = untyped;
const { PyTorchJobb, Trigger } = { ...kubeflow, ...keda };

/** The line that is printed, without the place; `undefined` if the error keeps its trace. */
function printed(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    const text = unknownMember(error);
    expect(text ?? '(test/checks/synth/unknown-member.test.ts:1)').toMatch(
      /\(test\/checks\/synth\/unknown-member\.test\.ts:\d+\)$/,
    );
    return text?.replace(/ \(test\/[^()]*\)$/, '');
  }
  throw new Error('there is no error');
}

const queue = (): Untyped => new volcano.Queue(new Chart(new App(), 'c'), 'q');

test.each([
  [
    'a function of another class',
    () => keda.Trigger.cpu({}),
    '.Trigger.cpu is not a function (did you mean "keda.Triggers.cpu"?)',
  ],
  [
    'a misspelled function of a class',
    () => Accelerator.nvida({}),
    'Accelerator.nvida is not a function (did you mean "Accelerator.nvidia"?)',
  ],
  [
    'a function of a class without its namespace',
    () => Trigger.off({}),
    'Trigger.off is not a function (did you mean "keda.Trigger.of"?)',
  ],
  [
    'a misspelled function',
    () => charts.chartInstal({}),
    'charts.chartInstal is not a function (did you mean "charts.chartInstall"?)',
  ],
  [
    'a function without its namespace',
    () => untyped.chartInstall({}),
    'untyped.chartInstall is not a function (did you mean "charts.chartInstall"?)',
  ],
  [
    'a misspelled class',
    () => new keda.ScaledObjectt(),
    'keda.ScaledObjectt is not a constructor (did you mean "keda.ScaledObject"?)',
  ],
  [
    'a misspelled class without its namespace',
    () => new PyTorchJobb(),
    'PyTorchJobb is not a constructor (did you mean "kubeflow.PyTorchJob"?)',
  ],
  [
    'a class of a namespace, read from the package',
    () => new untyped.Queue(),
    'untyped.Queue is not a constructor (did you mean "volcano.Queue" or "kai.Queue"?)',
  ],
  [
    'a misspelled class that is read from',
    () => keda.Triggerz.cpu({}),
    'keda.Triggerz is undefined (did you mean "keda.Trigger"?)',
  ],
  ['a misspelled method', () => queue().addQueueu('x', {}), '.addQueueu is not a function (did you mean "addQueue"?)'],
  ['a name that is like no other', () => keda.Trigger.zzzzzz({}), 'Trigger.zzzzzz is not a function'],
])('%s', (_, run, message) => {
  expect(printed(run)).toEqual(expect.stringContaining(message));
  expect(printed(run)?.endsWith(message)).toBe(true);
});

const own = { queue: undefined, submitTo: 8 } as unknown as Untyped;

test.each([
  ['a function of the program', () => own.nothing()],
  ['a method that the package has, of an object of the program', () => own.submitTo(8)],
  ['a member of the program', () => own.queue.name],
  [
    'an error of another kind',
    () => {
      throw new Error('keda.Trigger.cpu is not a function');
    },
  ],
  ['an error that a function of Node makes', () => [1].map(own.submitTo)],
])('%s keeps its trace', (_, run) => {
  expect(printed(run)).toBeUndefined();
});

test('a program ends with one line, after its other mistakes, and not if it handles the error itself', () => {
  const call = 'gantry.keda.Trigger.cpu({});';
  const line = 'gantry.keda.Trigger.cpu is not a function (did you mean "keda.Triggers.cpu"?)';
  expect(runProgram(["new volcano.Queue(chart, 'q', { weigth: 4 });", call])).toEqual({
    status: 1,
    stderr: `Validation failed with the following errors:\n  [c/q] unknown field "weigth" (did you mean "weight"?). (main.js:6)\n${line} (main.js:7)\n`,
  });
  expect(runProgram([call], false)).toEqual({ status: 1, stderr: `${line} (main.js:6)\n` });
  const handled = "process.on('uncaughtException', ({ message }) => console.error(`handled: ${message}`));";
  expect(runProgram([handled, call])).toEqual({
    status: 0,
    stderr: 'handled: gantry.keda.Trigger.cpu is not a function\n',
  });
});
