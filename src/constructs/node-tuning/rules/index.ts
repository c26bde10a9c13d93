/**
 * The rules about nodes: what is set on them, and what their files say.
 */
import { type Rule } from '../../../checks/rules/rule';
import { containerdRules } from './containerd';
import { dockerDaemonRules } from './docker-daemon';
import { fileReadable } from './files';
import { kubeletArgumentRules } from './kubelet-arguments';
import { kubeletConfigurationRules } from './kubelet-configuration';
import { kubeletPolicyOptionRules } from './kubelet-policy-options';
import { liveNodeRules } from './live-nodes';
import { memlockRules } from './memlock';
import { poolRules } from './pools';
import { readinessRules } from './readiness';
import { reservedNameRules } from './reserved-names';
import { spotRules } from './spot';
import { unitRules } from './units';

export const nodeTuningRules: readonly Rule[] = [
  fileReadable,
  ...kubeletConfigurationRules,
  ...kubeletPolicyOptionRules,
  ...kubeletArgumentRules,
  ...containerdRules,
  ...dockerDaemonRules,
  ...unitRules,
  ...liveNodeRules,
  ...memlockRules,
  ...poolRules,
  ...reservedNameRules,
  ...spotRules,
  ...readinessRules,
];
