/** Where the compressed files of `src/api/schemas/` stand, seen from `lib/api` (published) and from `src/api` (tests) alike. */
import { join } from 'path';

const FOLDER = join(__dirname, '..', '..', 'src', 'api', 'schemas');

export function schemaFile(name: string): string {
  return join(FOLDER, `${name}.br`);
}
