/**
 * `expect` as Jest has it, without the work that Jest does for assertions that pass: for each call, it makes six functions of every matcher, and
 * collects a stack. Tests call it so often that this is a noticeable part of their time.
 *
 * What the most frequent matchers say of values that pass is asked here. Everything else, what fails among it, is asked of Jest's own `expect`.
 */
'use strict';

const { equals, iterableEquality } = require('@jest/expect-utils');

const MATCHERS = Symbol.for('$$jest-matchers-object');

/** Whether the assertion passes; where that is false or not certain, Jest is asked. */
const PASSES = {
  toBe: (actual, args) => args.length === 1 && Object.is(actual, args[0]),
  toEqual: (actual, args) =>
    args.length === 1 && equals(actual, args[0], [...globalThis[MATCHERS].customEqualityTesters, iterableEquality]),
  toHaveLength: (actual, args) =>
    args.length === 1 && Number.isSafeInteger(args[0]) && args[0] >= 0 && actual?.length === args[0],
  toContain: (actual, args) =>
    args.length === 1 &&
    (typeof actual === 'string'
      ? typeof args[0] === 'string' && actual.includes(args[0])
      : Array.isArray(actual) && actual.indexOf(args[0]) >= 0),
  toBeUndefined: (actual, args) => args.length === 0 && actual === undefined,
  toBeGreaterThan: (actual, args) => areNumbers(actual, args) && actual > args[0],
  toBeGreaterThanOrEqual: (actual, args) => areNumbers(actual, args) && actual >= args[0],
  toBeLessThan: (actual, args) => areNumbers(actual, args) && actual < args[0],
  toBeLessThanOrEqual: (actual, args) => areNumbers(actual, args) && actual <= args[0],
};

function areNumbers(actual, args) {
  return args.length === 1 && typeof actual === 'number' && typeof args[0] === 'number';
}

/** What `expect(actual)` returns. */
class Expectation {
  #expect;
  #actual;

  constructor(expect, actual) {
    this.#expect = expect;
    this.#actual = actual;
  }

  get not() {
    return this.#asked().not;
  }

  get resolves() {
    return withoutThisFile(this.#asked().resolves);
  }

  get rejects() {
    return withoutThisFile(this.#asked().rejects);
  }

  #asked() {
    return this.#expect(this.#actual);
  }

  /** Adds a method of the name of a matcher to a class of expectations. */
  static define(prototype, name) {
    const passes = Object.hasOwn(PASSES, name) ? PASSES[name] : () => false;
    Object.defineProperty(prototype, name, {
      configurable: true,
      value(...args) {
        if (passes(this.#actual, args)) {
          const state = this.#expect.getState();
          state.assertionCalls++;
          state.numPassingAsserts++;
          return undefined;
        }
        return cleaned(() => this.#asked()[name](...args));
      },
    });
  }
}

/** The matchers of a promise, whose errors were made where they were asked for: here. */
function withoutThisFile(matchers) {
  const cleanMatchers = {};
  for (const [name, matcher] of Object.entries(matchers)) {
    cleanMatchers[name] =
      typeof matcher === 'function' ? (...args) => cleaned(() => matcher(...args)) : withoutThisFile(matcher);
  }
  return cleanMatchers;
}

function cleaned(ask) {
  try {
    const result = ask();
    return typeof result?.then === 'function' ? result.catch(rethrow) : result;
  } catch (error) {
    return rethrow(error);
  }
}

/** An error is shown at the first line of its stack that is not Jest's. */
function rethrow(error) {
  if (typeof error?.stack === 'string' && error.stack.includes(__filename)) {
    error.stack = error.stack
      .split('\n')
      .filter((line) => !line.includes(__filename))
      .join('\n');
  }
  throw error;
}

/** @param expect that of a suite */
function quickExpect(expect) {
  class OfSuite extends Expectation {}
  const define = (names) => names.forEach((name) => Expectation.define(OfSuite.prototype, name));
  const quick = (actual, ...rest) => (rest.length > 0 ? expect(actual, ...rest) : new OfSuite(expect, actual));
  Object.defineProperties(quick, Object.getOwnPropertyDescriptors(expect));
  quick.extend = (matchers) => {
    expect.extend(matchers);
    define(Object.keys(matchers));
  };
  define(Object.keys(globalThis[MATCHERS].matchers));
  return quick;
}

module.exports = { quickExpect };
