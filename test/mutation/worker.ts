/**
 * A process that runs one suite after another inside Jest's own runner, without starting Jest for each.
 *
 * The parent ends it where a mutant never comes to an end, which a timeout inside the process could not.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Config } from '@jest/types';
import { type Test, type TestResult } from '@jest/test-result';
import { readConfig } from 'jest-config';
import TestRunner from 'jest-runner';
import Runtime from 'jest-runtime';
import * as environment from './environment';
import { PROJECT } from './mutants';
import { type Order, type Outcome } from './plan';

type Watcher = Parameters<TestRunner['runTests']>[1];

/** Suites that ask for a context of their own (`@jest-environment node`) get the environment of the mutation run too. */
function replaceNodeEnvironment(): void {
  const { cache, resolve } = createRequire(__filename);
  cache[resolve('jest-environment-node')]!.exports = environment;
}

async function main(): Promise<void> {
  replaceNodeEnvironment();
  const { globalConfig, projectConfig } = await readConfig(
    { config: join(PROJECT, 'jest.config.json'), $0: 'jest', _: [] },
    PROJECT,
  );
  const config: Config.ProjectConfig = {
    ...projectConfig,
    testEnvironment: join(__dirname, 'environment.ts'),
    transform: [['^.+\\.ts$', join(__dirname, 'transform.ts'), {}]],
  };
  const context = await Runtime.createContext(config, { maxWorkers: 1, watch: false, watchman: false });
  // What tests print is of no interest here.
  const runner = new TestRunner({ ...globalConfig, silent: true, verbose: false }, {});
  let settle: (result: TestResult | Error) => void = () => undefined;
  runner.on('test-file-success', ([, result]) => settle(result));
  runner.on('test-file-failure', ([, error]) => settle(new Error(error.message)));
  const watcher = { isInterrupted: () => false, isWatchMode: () => false } as unknown as Watcher;

  const run = async (order: Order): Promise<Outcome> => {
    environment.current.order = order;
    environment.current.hits = undefined;
    const started = process.cpuUsage();
    let result: TestResult | Error = new Error('no result');
    settle = (settled) => {
      result = settled;
    };
    const test: Test = { context, path: join(PROJECT, order.suite) };
    await runner.runTests([test], watcher, { serial: true });
    const { user, system } = process.cpuUsage(started);
    const failure = failureOf(result);
    return {
      passed: failure === undefined,
      seconds: (user + system) / 1e6,
      hits: order.mutant === 0 ? environment.current.hits : undefined,
      failure,
      memory: Math.round(process.memoryUsage().rss / 2 ** 20),
    };
  };
  process.on('message', (order: Order) => {
    void run(order).then((outcome) => process.send?.(outcome));
  });
  process.send?.('ready');
}

function failureOf(result: TestResult | Error): string | undefined {
  if (result instanceof Error) {
    return result.message;
  }
  if (result.testExecError !== undefined) {
    return result.testExecError.message;
  }
  return result.numFailingTests > 0 ? (result.failureMessage ?? 'failed') : undefined;
}

void main();
