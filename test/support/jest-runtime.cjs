/**
 * Jest's runtime, with what is the same for a file in every suite done once in each worker: reading, transforming, and compiling it.
 *
 * A suite has its own context and its own modules, as always. Only compiled code is shared, which holds no state: a `vm.Script` runs in any
 * context. Without this, each of the suites compiles the hundreds of files of the library, of Jest, and of the dependencies again.
 */
'use strict';

const { statSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

// Otherwise, V8 drops the compiled code of functions that were not called for some time.
setFlagsFromString('--no-flush-bytecode');

/** By path: the code and what it was compiled to. */
const scripts = new Map();
/** By path: when the file was modified, and what it was transformed to. What Jest itself consists of is not transformed. */
const transforms = { ofTests: new Map(), ofJest: new Map() };

class SharingRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    const [, , , , , { collectCoverage }] = args;
    if (typeof this.executor?.compile !== 'function' || typeof this.transformCache?.transform !== 'function') {
      throw new Error('test/support/jest-runtime.cjs does not fit this version of jest-runtime: adapt or remove it');
    }
    // Coverage is counted by the positions of code that Jest compiles itself.
    if (!collectCoverage) {
      this.shareScripts(this.executor);
      this.shareTransforms(this.transformCache);
    }
  }

  shareScripts(executor) {
    const head = `(function(${executor.injectedModuleParameters.join(',')}){`;
    const compile = executor.compile.bind(executor);
    executor.compile = (source, filename) => {
      const context = executor.environment.getVmContext();
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
      return kept.script.runInContext(context);
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
        shared.set(filename, { modified, result: isInternalModule ? { code } : cache.transforms.get(filename) });
        return code;
      }
      const { result } = kept;
      if (!isInternalModule) {
        cache.transforms.set(filename, result);
        if (result.sourceMapPath) {
          cache.sourceMaps.set(filename, result.sourceMapPath);
        }
      }
      return result.code;
    };
  }
}

module.exports = { __esModule: true, default: SharingRuntime };
