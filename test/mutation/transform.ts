/**
 * Jest transformer: writes the mutants of the run into the files that have some, then compiles as the unit tests do.
 */
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { type SyncTransformer } from '@jest/transform';
import { createTransformer } from '@swc/jest';
import { instrumented } from './instrument';
import { type Mutant, PROJECT } from './mutants';
import { currentPlan } from './plan';

const swc = createTransformer({
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true },
  },
});
const byFile = new Map<string, Mutant[]>();
for (const mutant of currentPlan().mutants) {
  byFile.set(mutant.file, [...(byFile.get(mutant.file) ?? []), mutant]);
}

/** The code as it is to be compiled. */
function codeOf(code: string, path: string): string {
  const mutants = byFile.get(relative(PROJECT, path));
  return mutants === undefined ? code : instrumented(code, mutants);
}

const transformer: SyncTransformer = {
  process(code, path, options) {
    return (swc as SyncTransformer).process(codeOf(code, path), path, options);
  },
  getCacheKey(code, path, options) {
    const own = (swc as SyncTransformer).getCacheKey!(code, path, options);
    return createHash('sha256').update(own).update(codeOf(code, path)).digest('hex');
  },
};

export default transformer;
