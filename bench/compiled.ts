/**
 * Loads a module of the compiled package: what runs TypeScript directly wraps every function, which costs more than some checks.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';

const load = createRequire(join(__dirname, '..', 'lib', 'index.js'));

/** @param module its path in `lib`, as `./checks/synth/on-synth` */
export function compiled(module: string): unknown {
  return load(module);
}
