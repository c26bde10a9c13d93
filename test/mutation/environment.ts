/**
 * Jest environment of a mutation run: it answers the code's question which mutant is active, records which test met which mutants, and stops a suite
 * at its first failure.
 */
import { types } from 'node:util';
import { type EnvironmentContext, type JestEnvironmentConfig } from '@jest/environment';
import { type Circus } from '@jest/types';
import { TestEnvironment } from 'jest-environment-node';
import { IS_ACTIVE } from './instrument';
import { type Hits, type Order } from './plan';

/** The order that the worker is at, and what the environment has seen: both live in the worker's process, outside of any suite. */
export const current: { order?: Order; hits?: Hits } = {};

export default class MutationEnvironment extends TestEnvironment {
  private readonly order = current.order;
  private readonly outside = new Set<number>();
  private readonly byTest = new Map<string, Set<number>>();
  private inTest: Set<number> | undefined;
  private failed = false;

  constructor(config: JestEnvironmentConfig, context: EnvironmentContext) {
    super(config, context);
    const active = this.order?.mutant ?? 0;
    const isActive = (id: number): boolean => id === active;
    const record = (id: number): boolean => {
      (this.inTest ?? this.outside).add(id);
      return false;
    };
    (this.global as unknown as Record<string, unknown>)[IS_ACTIVE] = active === 0 ? record : isActive;
    recognizeErrorsOfNode(this.global.Error);
  }

  handleTestEvent(event: Circus.AsyncEvent | Circus.SyncEvent): void {
    if (event.name === 'test_start') {
      const name = nameOf(event.test);
      const tests = this.order?.tests ?? 'all';
      if (this.failed || (tests !== 'all' && !tests.includes(name))) {
        event.test.mode = 'skip';
      }
      this.inTest = this.byTest.get(name) ?? new Set();
      this.byTest.set(name, this.inTest);
    } else if (event.name === 'test_done') {
      this.inTest = undefined;
      // A test that fails in the unchanged code shall not keep others from being recorded.
      this.failed ||= event.test.errors.length > 0 && this.order?.mutant !== 0;
    }
  }

  override async teardown(): Promise<void> {
    current.hits = {
      outside: [...this.outside],
      byTest: Object.fromEntries([...this.byTest].map(([name, ids]) => [name, [...ids]])),
    };
    await super.teardown();
  }
}

/** What `instanceof` says where nothing else is defined. */
function instanceOf(constructor: ErrorConstructor, value: unknown): boolean {
  return Reflect.apply(Function.prototype[Symbol.hasInstance], constructor, [value]);
}

/** What the modules of Node.js throw is made outside of the context of the suite, and would be no `Error` in it. */
function recognizeErrorsOfNode(inSuite: ErrorConstructor): void {
  Object.defineProperty(inSuite, Symbol.hasInstance, {
    value(this: ErrorConstructor, value: unknown): boolean {
      return instanceOf(this, value) || (this === inSuite && types.isNativeError(value));
    },
  });
}

function nameOf(test: Circus.TestEntry): string {
  const names = [test.name];
  for (let block = test.parent; block.parent !== undefined; block = block.parent) {
    names.unshift(block.name);
  }
  return names.join(' › ');
}
