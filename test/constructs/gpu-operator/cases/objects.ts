import { type JsonObject } from '../../../../src/facts/api/schema';
import {
  clusterPolicy,
  configMap,
  driver,
  entry,
  gpuCluster,
  mig,
  node,
  plugin,
  pod,
  type RuleCases,
  slicing,
} from '../world';

const used = clusterPolicy({ driver: { useNvidiaDriverCRD: true } });
const named = clusterPolicy({
  devicePlugin: { config: { name: 'plugin', default: 'any' } },
  migManager: { config: { name: 'mig' } },
  dcgmExporter: { config: { name: 'counters' } },
});
const undefaulted = clusterPolicy({ devicePlugin: { config: { name: 'plugin' } } });
const sliced = JSON.stringify(slicing());
const withStrategy = (strategy: string) =>
  clusterPolicy({ mig: { strategy }, devicePlugin: { config: { name: 'plugin' } } });
const migMap = mig({ 'all-disabled': [{ devices: 'all', 'mig-enabled': false }], small: [entry({ '1g.10gb': 7 })] });
const counterMap = (namespace: string) =>
  configMap({ 'dcgm-metrics.csv': 'DCGM_FI_DEV_GPU_TEMP, gauge, t\n' }, 'counters', namespace);
const karpenter = (labels: Record<string, string>) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'p' },
  spec: { template: { metadata: { labels }, spec: {} } },
});

const quota = (resource: string) => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q', namespace: 'ai' },
  spec: { hard: { [`requests.${resource}`]: 8 } },
});
const release = (values: JsonObject) => ({
  apiVersion: 'helm.toolkit.fluxcd.io/v2',
  kind: 'HelmRelease',
  metadata: { name: 'gpu-operator', namespace: 'gpu-operator' },
  spec: { chart: { spec: { chart: 'gpu-operator' } }, values },
});
const shared = plugin(slicing({ name: 'nvidia.com/gpu', replicas: 4 }, { renameByDefault: true }));
const withPlugin = clusterPolicy({ devicePlugin: { config: { name: 'plugin' } } });
const mixedPlugin = plugin({ version: 'v1', flags: { migStrategy: 'mixed' } });

export const objectCases: readonly RuleCases[] = [
  {
    rule: 'gpu-operator/share-served',
    fires: {
      'instances under the strategy single': [
        clusterPolicy({ mig: { strategy: 'single' } }),
        quota('nvidia.com/mig-1g.10gb'),
      ],
      "the chart's default strategy": [release({}), quota('nvidia.com/mig-1g.10gb')],
      'configurations without the strategy mixed': [withPlugin, shared, quota('nvidia.com/mig-1g.10gb')],
      'a profile of no layout': [
        clusterPolicy({ mig: { strategy: 'mixed' }, migManager: { config: { name: 'mig' } } }),
        migMap,
        quota('nvidia.com/mig-3g.40gb'),
      ],
      'shared GPUs without a configuration that shares': [clusterPolicy(), quota('nvidia.com/gpu.shared')],
      'shared GPUs that keep their name': [withPlugin, plugin(slicing()), quota('nvidia.com/gpu.shared')],
    },
    silent: {
      'no operator in the set': [quota('nvidia.com/mig-1g.10gb'), quota('nvidia.com/gpu.shared')],
      'a profile of a layout': [
        clusterPolicy({ mig: { strategy: 'mixed' }, migManager: { config: { name: 'mig' } } }),
        migMap,
        quota('nvidia.com/mig-1g.10gb'),
      ],
      'the built-in layouts': [clusterPolicy({ mig: { strategy: 'mixed' } }), quota('nvidia.com/mig-3g.40gb')],
      'layouts that are not in the set': [
        clusterPolicy({ mig: { strategy: 'mixed' }, migManager: { config: { name: 'elsewhere' } } }),
        quota('nvidia.com/mig-3g.40gb'),
      ],
      'a configuration with the strategy mixed': [withPlugin, mixedPlugin, quota('nvidia.com/mig-1g.10gb')],
      'a configuration that is not in the set': [
        withPlugin,
        quota('nvidia.com/mig-1g.10gb'),
        quota('nvidia.com/gpu.shared'),
      ],
      'shared GPUs with a name of their own': [withPlugin, shared, quota('nvidia.com/gpu.shared')],
      'whole GPUs': [clusterPolicy(), quota('nvidia.com/gpu')],
      'two operators': [clusterPolicy(), release({}), quota('nvidia.com/mig-1g.10gb')],
      'a device plugin beside the operator': [
        clusterPolicy(),
        {
          ...pod({}),
          spec: { containers: [{ name: 'main', image: 'nvcr.io/nvidia/k8s-device-plugin:v0' }] },
        },
        quota('nvidia.com/gpu.shared'),
      ],
    },
  },
  {
    rule: 'gpu-operator/one-cluster-policy',
    fires: { two: [clusterPolicy(), clusterPolicy({}, 'other')] },
    silent: { one: [clusterPolicy()] },
  },
  {
    rule: 'gpu-operator/cluster-policy-or-gpu-cluster',
    fires: { both: [clusterPolicy(), gpuCluster()] },
    silent: { one: [gpuCluster()] },
  },
  {
    rule: 'gpu-operator/kernel-module-type-stated',
    fires: {
      'in the policy': [clusterPolicy({ driver: { useOpenKernelModules: true } })],
      'in a driver': [driver('a', { useOpenKernelModules: false })],
    },
    silent: { 'the new field': [clusterPolicy({ driver: { kernelModuleType: 'open' } })] },
  },
  {
    rule: 'gpu-operator/nri-plugin-needs-cdi',
    fires: {
      'CDI off': [clusterPolicy({ cdi: { enabled: false, nriPluginEnabled: true } })],
      'no toolkit': [clusterPolicy({ cdi: { nriPluginEnabled: true }, toolkit: { enabled: false } })],
    },
    silent: {
      'CDI by default': [clusterPolicy({ cdi: { nriPluginEnabled: true } })],
      'no NRI': [clusterPolicy({ cdi: { enabled: false } })],
    },
  },
  {
    rule: 'gpu-operator/mig-strategy-agrees',
    fires: {
      'another strategy': [withStrategy('single'), plugin({ flags: { migStrategy: 'mixed' } })],
      'MPS under mixed': [
        withStrategy('mixed'),
        plugin({ sharing: { mps: { resources: [{ name: 'nvidia.com/gpu', replicas: 2 }] } } }),
      ],
    },
    silent: {
      'none stated': [withStrategy(''), plugin({ flags: { migStrategy: 'mixed' } })],
      'the same': [withStrategy('mixed'), plugin({ flags: { migStrategy: 'mixed' } })],
      'left to the policy': [withStrategy('single'), plugin(slicing())],
    },
  },
  {
    rule: 'gpu-operator/driver-rdma-enabled-for-host-mofed',
    fires: {
      'in the policy': [clusterPolicy({ driver: { rdma: { useHostMofed: true } } })],
      'in a driver': [driver('a', { rdma: { enabled: false, useHostMofed: true } })],
    },
    silent: { both: [clusterPolicy({ driver: { rdma: { enabled: true, useHostMofed: true } } })] },
  },
  {
    rule: 'gpu-operator/config-maps-beside-operator',
    fires: {
      'in two namespaces': [named, plugin(slicing()), counterMap('monitoring')],
      'in a namespace where no operator is': [undefaulted, configMap({ any: sliced }, 'plugin', 'kube-system')],
    },
    silent: {
      'where the operator is, by its own Deployment': [
        undefaulted,
        configMap({ any: sliced }, 'plugin', 'kube-system'),
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'gpu-operator', namespace: 'kube-system' },
          spec: {},
        },
      ],
      'in one': [named, plugin(slicing()), counterMap('gpu-operator')],
      'one of two with the name': [named, plugin(slicing()), counterMap('gpu-operator'), counterMap('monitoring')],
      'not named': [clusterPolicy(), plugin(slicing()), counterMap('monitoring')],
    },
  },
  {
    rule: 'gpu-operator/device-plugin-config-has-default',
    fires: {
      'one configuration that no node chooses': [undefaulted, configMap({ any: sliced }, 'plugin')],
      'several of which no node chooses one': [undefaulted, configMap({ a: sliced, b: sliced }, 'plugin')],
    },
    silent: {
      'a default': [named, configMap({ any: sliced }, 'plugin')],
      'a node that chooses': [
        undefaulted,
        configMap({ any: sliced }, 'plugin'),
        node({ 'nvidia.com/device-plugin.config': 'any' }),
      ],
      'a ConfigMap that is not in the set': [undefaulted],
    },
  },
  {
    rule: 'gpu-operator/node-config-in-map',
    fires: {
      'a node': [named, plugin(slicing()), node({ 'nvidia.com/device-plugin.config': 'none' })],
      'a node pool': [named, migMap, karpenter({ 'nvidia.com/mig.config': 'all-1g.10gb' })],
      'the default': [
        clusterPolicy({ devicePlugin: { config: { name: 'plugin', default: 'other' } } }),
        plugin(slicing()),
      ],
      'no ready-made configuration': [clusterPolicy(), node({ 'nvidia.com/mig.config': 'small' })],
    },
    silent: {
      'keys that are there': [
        named,
        plugin(slicing()),
        migMap,
        node({ 'nvidia.com/device-plugin.config': 'any', 'nvidia.com/mig.config': 'small' }),
      ],
      'ready-made': [clusterPolicy(), node({ 'nvidia.com/mig.config': 'all-1g.10gb.me' })],
      'the map lives in the cluster': [
        named,
        node({ 'nvidia.com/device-plugin.config': 'there', 'nvidia.com/mig.config': 'there' }),
      ],
    },
  },
  {
    rule: 'gpu-operator/driver-one-default',
    fires: { two: [used, driver('a', { default: true }), driver('b', { default: true })] },
    silent: { one: [used, driver('a', { default: true }), driver('b', { nodeSelector: { pool: 'b' } })] },
  },
  {
    rule: 'gpu-operator/driver-selectors-disjoint',
    fires: {
      'no selector twice': [used, driver('a'), driver('b')],
      'one within the other': [
        used,
        driver('a', { nodeSelector: { pool: 'a' } }),
        driver('b', { nodeSelector: { pool: 'a', zone: 'z' } }),
      ],
      'different labels': [
        used,
        driver('a', { nodeSelector: { pool: 'a' } }),
        driver('b', { nodeSelector: { zone: 'z' } }),
      ],
    },
    silent: {
      'different values': [
        used,
        driver('a', { nodeSelector: { pool: 'a' } }),
        driver('b', { nodeSelector: { pool: 'b' } }),
      ],
      'beside the default': [used, driver('a', { default: true }), driver('b', { nodeSelector: { pool: 'b' } })],
      'no GPU there': [used, driver('a', { nodeSelector: { 'nvidia.com/gpu.present': 'false' } }), driver('b')],
    },
  },
  {
    rule: 'gpu-operator/driver-resource-used',
    fires: { 'not sent': [clusterPolicy(), driver('a', { default: true })] },
    silent: {
      named: [used, driver('a', { default: true })],
      'the policy lives in the cluster': [driver('a', { default: true })],
    },
  },
  {
    rule: 'gpu-operator/driver-owner-label-reserved',
    fires: { selected: [driver('a', { nodeSelector: { 'nvidia.com/gpu-operator.driver.owner': 'a' } })] },
    silent: { another: [driver('a', { nodeSelector: { 'nvidia.com/gpu.product': 'NVIDIA-H200' } })] },
  },
  {
    rule: 'gpu-operator/driver-precompiled-alone',
    fires: {
      GDS: [driver('a', { usePrecompiled: true, gds: { enabled: true } })],
      GDRCopy: [driver('a', { usePrecompiled: true, gdrcopy: { enabled: true } })],
    },
    silent: {
      off: [driver('a', { usePrecompiled: true, gds: { enabled: false } })],
      'built on the node': [driver('a', { gds: { enabled: true } })],
    },
  },
  {
    rule: 'gpu-operator/driver-gds-open-modules',
    fires: {
      proprietary: [driver('a', { kernelModuleType: 'proprietary', gds: { enabled: true } })],
      new: [driver('a', { kernelModuleType: 'proprietary', gds: { enabled: true, version: 'v2.20.5' } })],
    },
    silent: {
      auto: [driver('a', { gds: { enabled: true } })],
      old: [driver('a', { kernelModuleType: 'proprietary', gds: { enabled: true, version: '2.16.1' } })],
    },
  },
  {
    rule: 'gpu-operator/shared-device-asked-once',
    fires: { 'two shares': [pod({ 'nvidia.com/gpu.shared': 2 })] },
    silent: { 'one share': [pod({ 'nvidia.com/gpu.shared': '1' })], 'whole GPUs': [pod({ 'nvidia.com/gpu': 8 })] },
  },
];
