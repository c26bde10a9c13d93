/** Where the compressed files of `src/facts/api/schemas/` stand, seen from `lib/facts/api` (published) and from `src/facts/api` (tests) alike. */
import { join } from 'path';

const FOLDER = join(__dirname, '../../../src/facts/api/schemas');

export function schemaFile(name: string): string {
  return join(FOLDER, `${name}.br`);
}
