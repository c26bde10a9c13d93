/**
 * After `npm test`: says in the last line which tests were skipped, and why.
 */
import { hasBusybox, hasShellcheck } from '../constructs/node-tuning/tools';
import { skippedLine } from './skipped';

export default function teardown(): void {
  const line = skippedLine('npm test', {
    'scripts of nodes': hasBusybox ? undefined : 'busybox is not installed',
    'the lint of scripts': hasShellcheck ? undefined : 'shellcheck is not installed',
  });
  if (line !== undefined) {
    process.stdout.write(line);
  }
}
