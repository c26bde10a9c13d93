/**
 * The option `--policy`, the same on every command: one of the policies with a name, or a policy file.
 */
import { type Policy } from '../../../placement';
import { NAMED_POLICIES, PolicyFileError, readPolicyFile } from '../../../planning/cluster/files/policy-file';
import { readText } from '../../checks/read-files';
import { type Terminal, UsageError } from '../terminal';

export function policyNamed(name: string, { cwd }: Pick<Terminal, 'cwd'>): Policy {
  const named = NAMED_POLICIES.get(name);
  if (named !== undefined) {
    return named;
  }
  if (!/[./\\]/.test(name)) {
    throw new UsageError(
      `--policy ${name}: unknown policy; supported values are ${[...NAMED_POLICIES.keys()].join(', ')}, or a file`,
    );
  }
  try {
    return readPolicyFile(readText(name, cwd), name);
  } catch (error) {
    throw error instanceof PolicyFileError ? new UsageError(error.message) : error;
  }
}
