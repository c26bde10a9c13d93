import { type JsonObject } from '../../../src/facts/api/schema';
import { amdGpuRules } from '../../../src/constructs/amd-gpu/rules';
import { describeRules, podWith } from '../../support/rule-cases';

const config = (name: string, spec: JsonObject = {}, namespace = 'kube-amd-gpu'): JsonObject => ({
  apiVersion: 'amd.com/v1alpha1',
  kind: 'DeviceConfig',
  metadata: { name, namespace },
  spec,
});
const map = (text: string, namespace = 'kube-amd-gpu'): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'profiles', namespace },
  data: { 'config.json': text },
});
const profiles = (...entries: readonly JsonObject[]): JsonObject =>
  map(JSON.stringify({ 'gpu-config-profiles': { p: { profiles: entries } } }));
const modes = (compute: string, memory: string, more: JsonObject = {}): JsonObject => ({
  computePartition: compute,
  memoryPartition: memory,
  ...more,
});
const mixed = { devicePlugin: { devicePluginArguments: { resource_naming_strategy: 'mixed' } } };

const quota = (hard: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q', namespace: 'ai' },
  spec: { hard },
});

describeRules(amdGpuRules, [
  {
    rule: 'amd-gpu/one-device-config-for-a-node',
    fires: {
      'two without a selector': [config('a'), config('b')],
      'two with the same selector': [config('a', { selector: { x: '1' } }), config('b', { selector: { x: '1' } })],
      'the default selector, written once': [
        config('a'),
        config('b', { selector: { 'feature.node.kubernetes.io/amd-gpu': 'true' } }),
      ],
    },
    silent: {
      'one alone': [config('a')],
      'two pools': [config('a', { selector: { x: '1' } }), config('b', { selector: { x: '2' } })],
    },
  },
  {
    rule: 'amd-gpu/config-map-in-namespace',
    fires: {
      'the ConfigMap is elsewhere': [
        config('a', { configManager: { enable: true, config: { name: 'profiles' } } }),
        map('{}', 'default'),
      ],
      ...Object.fromEntries(
        ['metricsExporter', 'remediationWorkflow', 'testRunner'].map((component) => [
          `of ${component}`,
          [config('a', { [component]: { config: { name: 'profiles' } } }), map('{}', 'default')],
        ]),
      ),
    },
    silent: {
      'beside the DeviceConfig': [config('a', { configManager: { config: { name: 'profiles' } } }), map('{}')],
      'not in the set': [config('a', { configManager: { config: { name: 'other' } } }), map('{}', 'default')],
      'no name': [config('a', { configManager: { config: { name: '' } } }), map('{}', 'default')],
    },
  },
  {
    rule: 'amd-gpu/partition-profile-valid',
    fires: {
      'not JSON': [map('{"gpu-config-profiles": ')],
      'an unknown compute mode': [profiles(modes('HPX', 'NPS1'))],
      'an unknown memory mode': [profiles(modes('CPX', 'NPS3'))],
      'NPS4 without CPX': [profiles(modes('SPX', 'NPS4'))],
      'two memory modes': [profiles(modes('CPX', 'NPS1', { numGPUsAssigned: 4 }), modes('CPX', 'NPS4'))],
      'no GPU': [profiles(modes('CPX', 'NPS4', { numGPUsAssigned: 0 }))],
      'no entry': [profiles()],
    },
    silent: {
      ...Object.fromEntries(['SPX', 'DPX', 'TPX', 'QPX', 'CPX'].map((mode) => [mode, [profiles(modes(mode, 'NPS1'))]])),
      'one GPU': [profiles(modes('CPX', 'NPS4', { numGPUsAssigned: 1 }))],
      'CPX with NPS4': [profiles(modes('CPX', 'NPS4', { numGPUsAssigned: 8 }))],
      'two compute modes of one memory mode': [profiles(modes('CPX', 'NPS1'), modes('SPX', 'NPS1'))],
      'another ConfigMap': [map('{"other": 1}')],
      'the file of another program, in another format': [map('other: 1')],
    },
  },
  {
    rule: 'amd-gpu/partition-resource-served',
    fires: {
      'by default the plugin names all amd.com/gpu': [config('a'), podWith({ 'amd.com/cpx_nps4': 1 })],
    },
    silent: {
      'under mixed naming': [config('a', mixed), podWith({ 'amd.com/cpx_nps4': 1 })],
      'one of two is mixed': [config('a'), config('b', mixed), podWith({ 'amd.com/cpx_nps4': 1 })],
      'no DeviceConfig in the set': [podWith({ 'amd.com/cpx_nps4': 1 })],
      'a whole GPU': [config('a'), podWith({ 'amd.com/gpu': 1 })],
    },
  },
  {
    rule: 'amd-gpu/partition-share-served',
    fires: { 'a partition under the strategy single': [config('a'), quota({ 'requests.amd.com/cpx_nps4': 64 })] },
    silent: {
      'the strategy mixed': [config('a', mixed), quota({ 'requests.amd.com/cpx_nps4': 64 })],
      'no DeviceConfig': [quota({ 'requests.amd.com/cpx_nps4': 64 })],
      'whole GPUs': [config('a'), quota({ 'requests.amd.com/gpu': 8 })],
    },
  },
]);
