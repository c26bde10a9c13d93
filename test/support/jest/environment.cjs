/**
 * Jest environment: suites run in the worker's own context, instead of each in a new `vm` context.
 *
 * Code in a `vm` context is slow, because each access to a global variable is a call into Node.js, and evaluated modules cannot leave it. Here, the
 * suites of a worker share the modules that contain no tests (runtime.cjs), and find globals and process as the suite before found them.
 *
 * A suite that replaces modules begins with `@jest-environment node`, and gets a context and modules of its own. With `--coverage` and
 * `--watch`, all suites do.
 */
'use strict';

const { createContext } = require('node:vm');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { TestEnvironment } = require('jest-environment-node');
const { ModuleMocker } = require('jest-mock');
const { quickExpect } = require('./expect.cjs');
const { WorkerState } = require('./worker-state.cjs');

// It keeps matchers in a global variable, which the state of each suite then contains.
require('expect');

/** Enough to show the line of the test below the helpers that it calls. */
const STACK_FRAMES = 20;

class WorkerEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  constructor({ projectConfig }) {
    WorkerState.current = new WorkerState();
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  /** For Jest, which explains syntax errors by compiling the code once more. */
  getVmContext() {
    return createContext();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  setup() {
    // Jest sets 100, and every assertion collects that many, whether it fails or not.
    Error.stackTraceLimit = STACK_FRAMES;
    return Promise.resolve();
  }

  /** Before the suite is loaded. */
  handleTestEvent({ name, runtimeGlobals }) {
    if (name === 'setup') {
      runtimeGlobals.expect = quickExpect(runtimeGlobals.expect);
      this.global.expect = runtimeGlobals.expect;
    }
  }

  teardown() {
    this.fakeTimersModern.dispose();
    WorkerState.current.restore();
    return Promise.resolve();
  }
}

/** The environment that Jest is configured with. */
class SuiteEnvironment {
  constructor(config, context) {
    const { collectCoverage, watch, watchAll } = config.globalConfig;
    return collectCoverage || watch || watchAll ? new TestEnvironment(config, context) : new WorkerEnvironment(config);
  }
}

function refuse(call) {
  throw new Error(`${call} needs a context of its own: begin the suite with /** @jest-environment node */`);
}

module.exports = { __esModule: true, default: SuiteEnvironment, WorkerEnvironment, refuse };
