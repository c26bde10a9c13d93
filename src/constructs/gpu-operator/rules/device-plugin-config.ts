/**
 * The device plugin's configuration, a text in a ConfigMap that nothing on a server checks.
 */
import { cite } from '../../../facts/upstream';
import { type Rule } from '../../../checks/rule';
import { devicePluginConfigsOf, problemRule } from './embedded';

const ROW = 'GO-DP';
const CONFIG = `${cite('k8s-device-plugin')}, api/config/v1`;
const NO_START = 'The plugin does not start on the nodes of this configuration, so they offer no GPU at all.';

export const devicePluginConfigRules: readonly Rule[] = [
  problemRule(
    'device-plugin-config-readable',
    {
      row: ROW,
      summary:
        'A device-plugin configuration is a mapping of version v1 whose parts have the kinds that the plugin decodes.',
      why: NO_START,
      source: `${CONFIG}/config.go`,
      fix: 'Correct the value named; the version is v1.',
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
      summary: 'Each key of a device-plugin configuration is one that the plugin reads.',
      why: 'Any other is passed over without a word: a misspelt timeSlicing shares nothing.',
      source: `${CONFIG}/config.go (decoded without strictness)`,
      fix: 'Correct the key, or take it out.',
    },
    devicePluginConfigsOf,
    'unknown-key',
  ),

  problemRule(
    'device-plugin-flag-known',
    {
      row: ROW,
      summary:
        'Flags of a device-plugin configuration have a value that the plugin knows; IMEX channels are [] or [0].',
      why: NO_START,
      source: `${cite('k8s-device-plugin')}, cmd/nvidia-device-plugin/main.go validateFlags; api/config/v1/imex.go`,
      fix: 'Use one of the values named.',
    },
    devicePluginConfigsOf,
    'flag',
  ),

  problemRule(
    'sharing-resource-complete',
    {
      row: ROW,
      summary: 'What is shared has a name below nvidia.com/ and at least two replicas.',
      why: NO_START,
      source: `${CONFIG}/replicas.go, resources.go`,
      fix: 'Write resources: [{ name: nvidia.com/gpu, replicas: 4 }].',
    },
    devicePluginConfigsOf,
    'resource',
  ),

  problemRule(
    'sharing-one-kind',
    {
      row: ROW,
      tier: 'advice',
      summary: 'GPUs are shared by time-slicing or by MPS, not both.',
      why: 'MPS is used and timeSlicing is passed over without a word.',
      source: `${CONFIG}/sharing.go`,
      fix: 'Keep one; give the other a configuration of its own for other nodes.',
    },
    devicePluginConfigsOf,
    'both-kinds',
  ),

  problemRule(
    'sharing-mps-whole-gpus',
    {
      row: ROW,
      summary: 'MPS shares whole GPUs: no MIG slices, and not with the MIG strategy mixed.',
      why: NO_START,
      source: `${cite('k8s-device-plugin')}, cmd/nvidia-device-plugin/main.go validateFlags; README (MPS)`,
      fix: 'Share nvidia.com/gpu with migStrategy none or single, or use time-slicing for MIG slices.',
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
      summary: 'What is shared is what the plugin serves: nvidia.com/gpu, or nvidia.com/mig-<profile>.',
      why: 'No device has another name, so nothing is shared.',
      source: `${cite('k8s-device-plugin')}, internal/rm`,
      fix: 'Name nvidia.com/gpu; renameByDefault gives the shares the name nvidia.com/gpu.shared.',
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
        'A device-plugin configuration holds no settings that the plugin reads and then ignores: rename, devices, resources.',
      why: 'The plugin logs a line and shares all devices under the default name.',
      source: `${CONFIG}/config.go DisableResourceNamingInConfig`,
      fix: 'Take the setting out; renameByDefault is the one that counts.',
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
      summary: 'Time-slicing refuses requests for more than one replica.',
      why: 'Two replicas are no more compute and no more memory than one; whoever asks for two believes otherwise.',
      source: `${cite('k8s-device-plugin')}, README (time-slicing)`,
      fix: 'Set failRequestsGreaterThanOne: true.',
    },
    devicePluginConfigsOf,
    'request-of-several',
  ),
];
