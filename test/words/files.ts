import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(__dirname, '..', '..');

/** Paths of the files below a folder whose path matches, in order, with `/` between parts. */
export function filesBelow(folder: string, pattern: RegExp): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replace(/\\/g, '/')}`)
    .filter((path) => pattern.test(path))
    .sort();
}
