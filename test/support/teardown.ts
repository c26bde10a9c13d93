/**
 * After `npm test`: says in the last line which tests were skipped, and why.
 */
import { skippedLine } from './skipped';
import { hasBusybox, hasHelm, hasKubectl, hasShellcheck } from './tools';

export default function teardown(): void {
  const line = skippedLine('npm test', {
    'scripts of nodes': hasBusybox ? undefined : 'busybox is not installed',
    'the lint of scripts': hasShellcheck ? undefined : 'shellcheck is not installed',
    'an overlay that kubectl renders': hasKubectl ? undefined : 'kubectl is not installed',
    'a chart that helm renders': hasHelm ? undefined : 'helm is not installed',
  });
  if (line !== undefined) {
    process.stdout.write(line);
  }
}
