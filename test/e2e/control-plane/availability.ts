/**
 * Whether this machine can have a control plane with the definitions of every covered project.
 */
import { whySkipped } from '../../../projen/api/drift';
import { whyNotBuildable } from './build';

/** One line that says what is missing; `undefined` where nothing is. */
export function whyNoControlPlane(): string | undefined {
  return whyNotBuildable() ?? whySkipped();
}
