/**
 * Which Gantry this is.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The package's version. */
export function versionOf(): string {
  const { version } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as {
    readonly version: string;
  };
  return version;
}
