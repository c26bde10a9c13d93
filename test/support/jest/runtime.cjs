/**
 * Jest's runtime, with what is the same in every suite done once in each worker: reading, transforming, compiling, and, in the worker's own context
 * (environment.cjs), evaluating the code that is tested, the dependencies, and Jest itself.
 */
'use strict';

const { statSync } = require('node:fs');
const { createRequire, isBuiltin } = require('node:module');
const path = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');
const { default: Runtime } = require('jest-runtime');
const { refuse, WorkerEnvironment } = require('./environment.cjs');
const { WorkerState } = require('./worker-state.cjs');

// Otherwise, V8 drops the compiled code of functions that were not called for some time.
setFlagsFromString('--no-flush-bytecode');

/** By path: the code and what it was compiled to. */
const scripts = new Map();
/** By path: when the file was modified, and what it was transformed to. What Jest itself consists of is not transformed. */
const transforms = { ofTests: new Map(), ofJest: new Map() };
/** By path: the source map of each transformed file. */
const sourceMaps = new Map();

/** Shares compiled code, which holds no state: a script runs in any context. */
class SharingRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    const [, , , , , { collectCoverage }] = args;
    if (typeof this.executor?.compile !== 'function' || typeof this.transformCache?.transform !== 'function') {
      throw new Error('test/support/jest/runtime.cjs does not fit this version of jest-runtime: adapt or remove it');
    }
    // Coverage is counted by the positions of code that Jest compiles itself.
    this.isSharing = !collectCoverage;
    if (this.isSharing) {
      this.shareScripts(this.executor);
      this.shareTransforms(this.transformCache);
    }
  }

  getSourceMaps() {
    return this.isSharing ? sourceMaps : super.getSourceMaps();
  }

  shareScripts(executor) {
    const head = `(function(${executor.injectedModuleParameters.join(',')}){`;
    const compile = executor.compile.bind(executor);
    executor.compile = (source, filename) => {
      const { environment } = executor;
      const inWorker = environment instanceof WorkerEnvironment;
      const context = inWorker ? undefined : environment.getVmContext();
      if (context === null) {
        return null;
      }
      let kept = scripts.get(filename);
      if (kept?.source !== source) {
        try {
          const script = new Script(`${head}${source}\n})`, { filename, columnOffset: -head.length });
          kept = { source, script };
        } catch {
          // Jest explains what is wrong with the code.
          return compile(source, filename);
        }
        scripts.set(filename, kept);
      }
      return inWorker ? kept.script.runInThisContext() : kept.script.runInContext(context);
    };
  }

  shareTransforms(cache) {
    const transform = cache.transform.bind(cache);
    cache.transform = (filename, options) => {
      const { isInternalModule = false } = options ?? {};
      const shared = isInternalModule ? transforms.ofJest : transforms.ofTests;
      const modified = statSync(filename).mtimeMs;
      const kept = shared.get(filename);
      if (kept?.modified !== modified) {
        const code = transform(filename, options);
        const result = isInternalModule ? { code } : cache.transforms.get(filename);
        shared.set(filename, { modified, result });
        if (result.sourceMapPath) {
          sourceMaps.set(filename, result.sourceMapPath);
        }
        return code;
      }
      const { result } = kept;
      if (!isInternalModule) {
        cache.transforms.set(filename, result);
      }
      return result.code;
    };
  }
}

/** Evaluates what is the same for all suites in the worker's context. */
class LibraryRuntime extends SharingRuntime {
  isLoading = false;
  /** What modules that suites asked for export, by the folder of the suite and the name that it uses. */
  loaded = new Map();

  requireModule(...args) {
    if (this.isLoading) {
      return super.requireModule(...args);
    }
    const [from, name] = args;
    const key = `${path.dirname(from)}\0${name ?? path.basename(from)}`;
    if (!this.loaded.has(key)) {
      this.loaded.set(key, this.load(args));
    }
    return this.loaded.get(key);
  }

  load(args) {
    this.isLoading = true;
    try {
      return WorkerState.current.keepNewGlobals(() => super.requireModule(...args));
    } finally {
      this.isLoading = false;
    }
  }
}

/** Evaluated in each worker before anything else: what a module registers is there for all suites, in whatever order they run. */
const ENTRY_POINT = 'src/index.ts';

/** By configuration. */
const libraries = new Map();

/** Shares evaluated modules too, where the suite runs in the worker's own context. */
class SuiteRuntime extends SharingRuntime {
  constructor(...args) {
    super(...args);
    const [config, environment, resolver, transformer, , ...others] = args;
    if (environment instanceof WorkerEnvironment) {
      this.tested = path.join(config.rootDir, 'src') + path.sep;
      if (!libraries.has(config.id)) {
        const library = new LibraryRuntime(config, environment, resolver, transformer, new Map(), ...others);
        library.requireModule(path.join(config.rootDir, ENTRY_POINT));
        libraries.set(config.id, library);
      }
      this.library = libraries.get(config.id);
    }
  }

  requireModule(from, moduleName, options, isRequireActual) {
    return this.library !== undefined && !options?.isInternalModule && moduleName && this.isShared(from, moduleName)
      ? this.library.requireModule(from, moduleName)
      : super.requireModule(from, moduleName, options, isRequireActual);
  }

  /** Whether a module that a suite or its helpers import is the same for all suites: src/ and every package. */
  isShared(from, moduleName) {
    const isPath = /^\.{0,2}(?:\/|$)/.test(moduleName);
    return isPath ? path.resolve(path.dirname(from), moduleName).startsWith(this.tested) : !isBuiltin(moduleName);
  }

  /** Jest's test framework keeps the state of a suite, and is evaluated for each; what it consists of is not. */
  requireInternalModule(from, to) {
    return this.library !== undefined && to ? createRequire(from)(to) : super.requireInternalModule(from, to);
  }

  setMock(...args) {
    this.refuseInWorker('jest.mock');
    super.setMock(...args);
  }

  isolateModules(load) {
    this.refuseInWorker('jest.isolateModules');
    super.isolateModules(load);
  }

  refuseInWorker(call) {
    if (this.library !== undefined) {
      refuse(call);
    }
  }
}

module.exports = { __esModule: true, default: SuiteRuntime };
