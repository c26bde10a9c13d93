/**
 * The scripts that run on nodes. They are files, so that a shell and its linter can read them; the package ships them beside the schemas.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The same folder from `lib/constructs/node-tuning` (published) and from `src/constructs/node-tuning` (tests). */
const FOLDER = join(__dirname, '../../../src/constructs/node-tuning/scripts');

export type ScriptName = 'tune.sh' | 'device-readiness.sh';

export function scriptText(name: ScriptName): string {
  return readFileSync(join(FOLDER, name), 'utf8');
}
