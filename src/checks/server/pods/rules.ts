/**
 * Every rule over pod templates that the API server's own validation enforces.
 */
import { type Rule } from '../../rules/rule';
import { affinityRules } from './affinity';
import { containerRules } from './containers';
import { environmentRules } from './environment';
import { mountRules } from './mounts';
import { podSpecRules } from './pod-spec';
import { probeRules } from './probes';
import { resourceRules } from './resources';
import { securityRules } from './security';
import { templateMetadataRules } from './template-metadata';
import { tolerationRules } from './tolerations';
import { volumeRules } from './volumes';

export const podTemplateRules: readonly Rule[] = [
  ...containerRules,
  ...environmentRules,
  ...probeRules,
  ...resourceRules,
  ...mountRules,
  ...volumeRules,
  ...securityRules,
  ...podSpecRules,
  ...affinityRules,
  ...tolerationRules,
  ...templateMetadataRules,
];
