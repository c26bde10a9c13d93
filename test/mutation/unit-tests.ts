/**
 * The suites of `npm test` that can notice a mutant in `src/`.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** These look at the text of the project, or at what was built, and never run `src/` itself. */
const NEVER = /^test\/(architecture|docs|package|words|mutation|e2e|browser)\//;

export function suitesIn(project: string): readonly string[] {
  return (readdirSync(join(project, 'test'), { recursive: true }) as string[])
    .map((file) => `test/${file}`)
    .filter((file) => file.endsWith('.test.ts') && !NEVER.test(file))
    .sort();
}
