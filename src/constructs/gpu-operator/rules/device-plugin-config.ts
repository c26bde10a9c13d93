/**
 * The device plugin's configuration, a text in a ConfigMap that nothing on a server checks.
 */
import { cite } from '../../../facts/upstream';
import { type Rule } from '../../../checks/rules/rule';
import { devicePluginConfigsOf, problemRule } from './embedded';

const ROW = 'GO-DP';
const CONFIG = `${cite('k8s-device-plugin')}, api/config/v1`;
const NO_START = 'The plugin does not start on the nodes with this configuration, so they offer no GPUs at all.';

export const devicePluginConfigRules: readonly Rule[] = [
  problemRule(
    'device-plugin-config-readable',
    {
      row: ROW,
      summary: 'A device-plugin configuration must be a mapping of version v1 with values of the expected types.',
      why: NO_START,
      source: `${CONFIG}/config.go`,
      fix: 'Set version: v1, and set each field of the configuration to a value of the expected type.',
    },
    devicePluginConfigsOf,
    'shape',
    'version',
  ),

  problemRule(
    'device-plugin-config-key-known',
    {
      row: ROW,
      tier: 'advice',
      summary: 'Each key of a device-plugin configuration must be one that the plugin reads.',
      why: 'The plugin silently ignores any other key: a misspelled timeSlicing shares nothing.',
      source: `${CONFIG}/config.go (decoded without strictness)`,
      fix: 'Remove the key, or rename it to one that the plugin reads, such as sharing.timeSlicing.',
    },
    devicePluginConfigsOf,
    'unknown-key',
  ),

  problemRule(
    'device-plugin-flag-known',
    {
      row: ROW,
      summary: 'Flags of a device-plugin configuration must have supported values; IMEX channels must be [] or [0].',
      why: NO_START,
      source: `${cite('k8s-device-plugin')}, cmd/nvidia-device-plugin/main.go validateFlags; api/config/v1/imex.go`,
      fix: 'Set the flag to one of the expected values, for example flags.migStrategy: mixed.',
    },
    devicePluginConfigsOf,
    'flag',
  ),

  problemRule(
    'sharing-resource-complete',
    {
      row: ROW,
      summary: 'A shared resource must have a name with the prefix nvidia.com/ and at least two replicas.',
      why: NO_START,
      source: `${CONFIG}/replicas.go, resources.go`,
      fix: 'Set resources to a list such as [{ name: nvidia.com/gpu, replicas: 4 }].',
    },
    devicePluginConfigsOf,
    'resource',
  ),

  problemRule(
    'sharing-one-kind',
    {
      row: ROW,
      tier: 'advice',
      summary: 'GPUs must be shared either by time-slicing or by MPS.',
      why: 'MPS is used, and timeSlicing is silently ignored.',
      source: `${CONFIG}/sharing.go`,
      fix: 'Remove sharing.timeSlicing or sharing.mps, and use a second configuration for other nodes.',
    },
    devicePluginConfigsOf,
    'both-kinds',
  ),

  problemRule(
    'sharing-mps-whole-gpus',
    {
      row: ROW,
      summary: 'MPS must share whole GPUs: no MIG slices, and not with the MIG strategy mixed.',
      why: NO_START,
      source: `${cite('k8s-device-plugin')}, cmd/nvidia-device-plugin/main.go validateFlags; README (MPS)`,
      fix: 'Set flags.migStrategy to none or single and share nvidia.com/gpu, or use sharing.timeSlicing for MIG slices.',
    },
    devicePluginConfigsOf,
    'mps',
  ),

  problemRule(
    'sharing-resource-served',
    {
      row: ROW,
      tier: 'advice',
      severity: 'warning',
      summary: 'The shared resource must be one that the plugin serves: nvidia.com/gpu, or nvidia.com/mig-<profile>.',
      why: 'No device has another name, so nothing is shared.',
      source: `${cite('k8s-device-plugin')}, internal/rm`,
      fix: 'Set name to nvidia.com/gpu, or to nvidia.com/mig-<profile> with the MIG strategy mixed.',
    },
    devicePluginConfigsOf,
    'no-such-device',
  ),

  problemRule(
    'sharing-settings-heeded',
    {
      row: ROW,
      tier: 'advice',
      severity: 'warning',
      summary:
        'A device-plugin configuration must not have settings that the plugin reads but ignores: rename, devices, resources.',
      why: 'The plugin logs a message and shares all devices with the default name.',
      source: `${CONFIG}/config.go DisableResourceNamingInConfig`,
      fix: 'Remove the setting, and set renameByDefault: true to rename shared resources.',
    },
    devicePluginConfigsOf,
    'ignored',
  ),

  problemRule(
    'sharing-several-refused',
    {
      row: ROW,
      tier: 'advice',
      severity: 'info',
      summary: 'Time-slicing should reject requests for more than one replica.',
      why: 'Two replicas provide no more compute and memory than one, although a user that requests two expects more.',
      source: `${cite('k8s-device-plugin')}, README (time-slicing)`,
      fix: 'Set sharing.timeSlicing.failRequestsGreaterThanOne: true.',
    },
    devicePluginConfigsOf,
    'request-of-several',
  ),
];
