/**
 * After all suites: says in the last line whether they were skipped, and why.
 */
import { skippedLine } from '../support/skipped';
import { CHROMIUM } from './browser';

export default function teardown(): void {
  const line = skippedLine('test:browser', {
    'all pages': CHROMIUM === undefined ? 'no Chromium is installed' : undefined,
  });
  if (line !== undefined) {
    process.stdout.write(line);
  }
}
