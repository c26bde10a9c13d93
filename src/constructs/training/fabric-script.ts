/**
 * The script of the launcher of a FabricTest, which reads what a program of nccl-tests prints (src/common.cu and src/util.cu; rccl-tests prints
 * the same): rows of `size count type redop root time algbw busbw #wrong time algbw busbw #wrong`, out of place and in place, and at the end
 * `# Out of bounds values : N OK` and `# Avg bus bandwidth    : N`, in GB/s.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// Relative to the compiled file as to the source: the package contains the folder as it is.
const SCRIPT = join(__dirname, '../../../src/constructs/training/scripts/fabric-test.sh');

/** How the launcher ends, which is the exit code of its container. */
export const FABRIC_TEST_EXIT = { passed: 0, slow: 1, wrong: 2, noResult: 3 } as const;

/** The script as the container's shell gets it. */
export function fabricScript(): string {
  return readFileSync(SCRIPT, 'utf8')
    .replace(/^#.*\n/gm, '')
    .trimStart();
}
