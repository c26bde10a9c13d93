/**
 * What the GPU operator, its device plugin, its MIG manager and its exporter demand beyond their schemas.
 */
import { type Rule } from '../../../checks/rules/rule';
import { clusterPolicyRules } from './cluster-policy';
import { dcgmCounterRules } from './dcgm-counters';
import { devicePluginConfigRules } from './device-plugin-config';
import { configFileNamed } from './given-config';
import { migConfigRules } from './mig-config';
import { nvidiaDriverRules } from './nvidia-driver';
import { shareServed } from './served-shares';
import { sharedDeviceAskedOnce } from './shared-device';

export const gpuOperatorRules: readonly Rule[] = [
  ...clusterPolicyRules,
  ...nvidiaDriverRules,
  ...devicePluginConfigRules,
  ...migConfigRules,
  ...dcgmCounterRules,
  sharedDeviceAskedOnce,
  shareServed,
  configFileNamed,
];
