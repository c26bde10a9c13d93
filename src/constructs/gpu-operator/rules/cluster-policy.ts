/**
 * ClusterPolicy and GPUCluster: what the operator makes of them, beyond their schemas.
 */
import { oneOfStrings } from '../../../facts/words';
import { cite } from '../../../facts/upstream';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { type Rule, type SetRule, type Violation } from '../../../checks/rules/rule';
import { mayShareNamespace } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';
import { asObject, asString, stringEntries } from '../../../manifests/read';
import { CLUSTER_POLICY, devicePluginConfigsOf, GPU_CLUSTER, mapNameOf, migConfigsOf } from './embedded';

const OPERATOR = cite('nvidia-gpu-operator');
const POLICY = 'controllers/clusterpolicy_controller.go';

const onePolicy: SetRule = {
  id: 'gpu-operator/one-cluster-policy',
  row: 'GO2',
  tier: 'webhook',
  severity: 'error',
  summary: 'A cluster must have only one ClusterPolicy.',
  why: 'The operator uses the oldest one and sets the others to the state ignored.',
  source: `${OPERATOR}, ${POLICY}`,
  fix: 'Merge the ClusterPolicies into one, and move differences between nodes to devicePlugin.config and migManager.config.',
  on: 'set',
  check: function* ({ set }) {
    const [first, ...others] = set.ofKind(CLUSTER_POLICY);
    for (const manifest of others) {
      if (manifest.id.name !== first?.id.name) {
        yield {
          manifest,
          path: '/metadata/name',
          message: `only one ClusterPolicy is supported, but these manifests also contain "${first?.id.name ?? ''}"`,
          found: manifest.id.name,
          expected: 'one ClusterPolicy',
        };
      }
    }
  },
};

const policyOrCluster: SetRule = {
  id: 'gpu-operator/cluster-policy-or-gpu-cluster',
  row: 'GO2',
  tier: 'webhook',
  severity: 'error',
  summary: 'GPUs must be managed either by a ClusterPolicy (device plugin) or by a GPUCluster (DRA driver).',
  why: 'Both would allocate the same GPUs; the operator rejects the second object.',
  source: `${OPERATOR}, templates/validations.yaml; ${POLICY}`,
  fix: 'Remove either the ClusterPolicy or the GPUCluster (in the chart, set clusterPolicy.deployCR or gpuCluster.deployCR to false).',
  on: 'set',
  check: function* ({ set }) {
    const [policy] = set.ofKind(CLUSTER_POLICY);
    if (policy === undefined) {
      return;
    }
    for (const manifest of set.ofKind(GPU_CLUSTER)) {
      yield {
        manifest,
        message: `a GPUCluster and the ClusterPolicy "${policy.id.name}" would both manage the GPUs`,
        expected: 'a ClusterPolicy or a GPUCluster',
      };
    }
  },
};

function policyRule(
  id: string,
  facts: Omit<Rule, 'id' | 'on' | 'check' | 'kinds' | 'severity' | 'tier'> & Partial<Pick<Rule, 'severity' | 'tier'>>,
  check: (
    spec: JsonObject,
    manifest: Manifest,
  ) => Iterable<{ path: string; message: string; found?: JsonValue; expected?: string; fix?: string }>,
  kinds: readonly string[] = [CLUSTER_POLICY],
): Rule {
  return {
    severity: 'error',
    tier: 'webhook',
    ...facts,
    id: `gpu-operator/${id}`,
    on: 'object',
    kinds,
    check: (manifest) => check(asObject(manifest.object.spec), manifest),
  };
}

const kernelModules = policyRule(
  'kernel-module-type-stated',
  {
    row: 'GO6',
    tier: 'advice',
    severity: 'warning',
    summary: 'The kind of kernel modules must be set with kernelModuleType, not with useOpenKernelModules.',
    why: 'The old field is deprecated, and the two fields can contradict each other.',
    source: `${OPERATOR}, api/nvidia/v1/clusterpolicy_types.go, api/nvidia/v1alpha1/nvidiadriver_types.go`,
    fix: 'Replace useOpenKernelModules with kernelModuleType: open, proprietary, or auto.',
  },
  function* (spec, manifest) {
    const policy = manifest.id.kind === 'ClusterPolicy';
    const driver = policy ? asObject(spec.driver) : spec;
    if (driver.useOpenKernelModules === undefined) {
      return;
    }
    const open = driver.useOpenKernelModules === true;
    yield {
      path: `${policy ? '/spec/driver' : '/spec'}/useOpenKernelModules`,
      message: 'useOpenKernelModules is deprecated; use kernelModuleType',
      found: driver.useOpenKernelModules,
      expected: `kernelModuleType: ${open ? 'open' : 'auto'}`,
      fix: `Replace useOpenKernelModules with kernelModuleType: ${open ? 'open' : 'auto'}.`,
    };
  },
  [CLUSTER_POLICY, 'nvidia.com/NVIDIADriver'],
);

const nri = policyRule(
  'nri-plugin-needs-cdi',
  {
    row: 'GO4',
    summary: 'The NRI plugin requires CDI and the container toolkit.',
    why: 'The plugin injects devices from the CDI specifications that the toolkit writes; without them containers get none. The chart rejects this.',
    source: `${OPERATOR}, templates/validations.yaml`,
    fix: 'Set spec.cdi.enabled: true and spec.toolkit.enabled: true, or set spec.cdi.nriPluginEnabled: false.',
  },
  function* (spec) {
    const cdi = asObject(spec.cdi);
    if (cdi.nriPluginEnabled !== true) {
      return;
    }
    if (cdi.enabled === false) {
      yield {
        path: '/spec/cdi/nriPluginEnabled',
        message: 'cdi.nriPluginEnabled requires cdi.enabled: true',
        found: true,
        expected: 'cdi.enabled: true',
        fix: 'Set spec.cdi.enabled: true, or set spec.cdi.nriPluginEnabled: false.',
      };
    }
    if (asObject(spec.toolkit).enabled === false) {
      yield {
        path: '/spec/toolkit/enabled',
        message: 'cdi.nriPluginEnabled requires toolkit.enabled: true',
        found: false,
        expected: 'toolkit.enabled: true',
        fix: 'Set spec.toolkit.enabled: true, or set spec.cdi.nriPluginEnabled: false.',
      };
    }
  },
);

const migStrategyAgrees: SetRule = {
  id: 'gpu-operator/mig-strategy-agrees',
  row: 'GO7',
  tier: 'advice',
  severity: 'error',
  summary: 'The MIG strategy of the ClusterPolicy must not contradict those of its device-plugin configurations.',
  why: 'The operator passes its strategy to the plugin as an environment variable, which overrides the configuration. With mixed, a configuration for MPS does not start at all.',
  source: `${OPERATOR}, controllers/object_controls.go applyMIGConfiguration; ${cite('k8s-device-plugin')}, api/config/v1/config.go (order of precedence)`,
  fix: 'Remove spec.mig.strategy (in the chart, set mig.strategy: ""), so that each configuration sets its own.',
  on: 'set',
  check: function* ({ set }) {
    for (const manifest of set.ofKind(CLUSTER_POLICY)) {
      const strategy = asString(asObject(asObject(manifest.object.spec).mig).strategy) ?? '';
      if (strategy === '') {
        continue;
      }
      const map = set.ofKind('ConfigMap').find(({ id }) => id.name === mapNameOf(manifest.object, 'devicePlugin'));
      for (const { key, reading } of map === undefined ? [] : devicePluginConfigsOf(map, set)) {
        const contradicted = reading.migStrategy !== '' && reading.migStrategy !== strategy;
        const breaks = reading.strategy === 'mps' && strategy === 'mixed';
        if (!contradicted && !breaks) {
          continue;
        }
        const uncut = reading.migStrategy === 'none' && !breaks;
        yield {
          manifest,
          path: '/spec/mig/strategy',
          found: strategy,
          expected: 'mig.strategy unset',
          message: breaks
            ? `the configuration "${key}" uses MPS, which does not start with mig.strategy mixed`
            : `the configuration "${key}" sets migStrategy ${reading.migStrategy}, but mig.strategy ${strategy} overrides it`,
          // On nodes whose GPUs are not cut, all strategies come to the same.
          ...(uncut ? { severity: 'info' as const } : {}),
        };
      }
    }
  },
};

const rdmaHost = policyRule(
  'driver-rdma-enabled-for-host-mofed',
  {
    tier: 'advice',
    severity: 'warning',
    summary: 'rdma.useHostMofed requires rdma.enabled.',
    why: 'Without rdma.enabled the peer-memory module is not built, whichever OFED the node has: there is no GPUDirect RDMA.',
    source: `${OPERATOR}, internal/state/driver.go; assets/state-driver`,
    fix: 'Set rdma.enabled: true, or remove rdma.useHostMofed.',
  },
  function* (spec, manifest) {
    const policy = manifest.id.kind === 'ClusterPolicy';
    const rdma = asObject((policy ? asObject(spec.driver) : spec).rdma);
    if (rdma.useHostMofed === true && rdma.enabled !== true) {
      yield {
        path: `${policy ? '/spec/driver' : '/spec'}/rdma/useHostMofed`,
        message: 'rdma.useHostMofed requires rdma.enabled: true',
        found: true,
        expected: 'rdma.enabled: true',
      };
    }
  },
  [CLUSTER_POLICY, 'nvidia.com/NVIDIADriver'],
);

const oneNamespace: SetRule = {
  id: 'gpu-operator/config-maps-beside-operator',
  row: 'GO7',
  tier: 'advice',
  severity: 'error',
  summary: "The ConfigMaps of a ClusterPolicy must be in the operator's namespace.",
  why: 'The operator mounts them by name from its own namespace: with a ConfigMap elsewhere, its DaemonSet waits for the volume.',
  source: `${OPERATOR}, controllers/object_controls.go`,
  fix: 'Set metadata.namespace to the namespace of the operator, by default gpu-operator.',
  on: 'set',
  check: function* ({ set }) {
    const policies = set.ofKind(CLUSTER_POLICY);
    const known = policies.length === 0 ? undefined : operatorNamespace(set.manifests);
    for (const { object } of policies) {
      const maps = (['devicePlugin', 'migManager', 'dcgmExporter'] as const).flatMap((component) => {
        const found = set.ofKind('ConfigMap').filter(({ id }) => id.name === mapNameOf(object, component));
        // Of several with one name, one may be the right one.
        return found.length === 1 && found[0] !== undefined ? [{ component, manifest: found[0] }] : [];
      });
      const namespaces = maps.map(({ manifest }) => manifest.id.namespace);
      const home = known ?? (namespaces.includes('gpu-operator') ? 'gpu-operator' : namespaces[0]);
      for (const { component, manifest } of maps) {
        const { namespace } = manifest.id;
        if (!mayShareNamespace(namespace, home ?? '')) {
          yield {
            manifest,
            path: '/metadata/namespace',
            message: `${component}.config refers to this ConfigMap, which is in the namespace "${namespace}" instead of the namespace of the operator`,
            found: namespace,
            expected: home,
            ...(home === undefined ? {} : { fix: `Set metadata.namespace to ${home}, the namespace of the operator.` }),
          };
        } else if (known === undefined && NOT_FOR_OPERATORS.has(namespace)) {
          yield {
            manifest,
            path: '/metadata/namespace',
            message: `${component}.config refers to this ConfigMap, but the operator reads it only in its own namespace, which is unlikely to be "${namespace}"`,
            found: namespace,
            expected: 'gpu-operator',
            severity: 'warning',
          };
        }
      }
    }
  },
};

/** Namespaces in which the operator is hardly ever installed. */
const NOT_FOR_OPERATORS: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

const configHasDefault: SetRule = {
  id: 'gpu-operator/device-plugin-config-has-default',
  row: 'GO7',
  tier: 'advice',
  severity: 'info',
  summary:
    'devicePlugin.config of a ClusterPolicy should set a default, unless each GPU node has its own configuration.',
  why: 'Without a default, a node without the label nvidia.com/device-plugin.config gets an empty configuration: no time-slicing and no MPS, without an error.',
  source: `${OPERATOR}, assets/state-device-plugin (FALLBACK_STRATEGIES=empty); ${cite('k8s-device-plugin')}, cmd/config-manager`,
  fix: 'Set spec.devicePlugin.config.default to a key of the ConfigMap, or label the nodes with nvidia.com/device-plugin.config.',
  on: 'set',
  check: function* ({ set }) {
    const labeled = [...nodeLabels(set.manifests)].some(({ labels }) => labels.has('nvidia.com/device-plugin.config'));
    for (const manifest of labeled ? [] : set.ofKind(CLUSTER_POLICY)) {
      const config = asObject(asObject(asObject(manifest.object.spec).devicePlugin).config);
      const name = asString(config.name) ?? '';
      const byDefault = asString(config.default) ?? '';
      const map = set.ofKind('ConfigMap').find(({ id }) => id.name === name);
      const keys = map === undefined ? [] : devicePluginConfigsOf(map, set).map(({ key }) => key);
      if (name === '' || byDefault !== '' || keys.length === 0) {
        continue;
      }
      yield {
        manifest,
        path: '/spec/devicePlugin/config',
        message: `no default is set, so only nodes with the label nvidia.com/device-plugin.config use the ConfigMap "${name}"`,
        expected: `default: ${keys[0]}`,
        fix: `Set spec.devicePlugin.config.default to ${oneOfStrings(keys)}, or label the nodes with nvidia.com/device-plugin.config.`,
        // Several configurations are for several kinds of nodes; a single one is for all.
        ...(keys.length === 1 ? { severity: 'warning' as const } : {}),
      };
    }
  },
};

/** Where the set itself deploys the operator, if it does. */
function operatorNamespace(manifests: readonly Manifest[]): string | undefined {
  for (const { id, object } of manifests) {
    if (id.kind === 'Deployment' && id.name === 'gpu-operator' && id.namespace !== '') {
      return id.namespace;
    }
    const spec = asObject(object.spec);
    if (id.kind === 'HelmRelease' && asString(asObject(asObject(spec.chart).spec).chart) === 'gpu-operator') {
      return asString(spec.targetNamespace) ?? id.namespace;
    }
    if (id.kind === 'Application' && asString(asObject(spec.source).chart) === 'gpu-operator') {
      return asString(asObject(spec.destination).namespace);
    }
  }
  return undefined;
}

const READY_MIG_CONFIG = /^(all-disabled|all-enabled|all-balanced|all-\d+g\.\d+gb.*)$/;

/** A key that the ConfigMap of the device plugin does not have. */
function unknownKey(key: string, keys: readonly string[], field: string): Violation {
  return {
    message: `the device plugin ConfigMap has no key "${key}"`,
    found: key,
    ...(keys.length > 0 && { expected: keys.join(', ') }),
    fix: `Set ${field} to ${keys.length === 0 ? 'a key of the ConfigMap' : oneOfStrings(keys)}, or add the key "${key}" to the ConfigMap.`,
  };
}

const nodeKeys: SetRule = {
  id: 'gpu-operator/node-config-in-map',
  row: 'GO7',
  tier: 'advice',
  severity: 'error',
  summary:
    'The labels nvidia.com/device-plugin.config and nvidia.com/mig.config, and the default of the ClusterPolicy, must be keys of the configuration.',
  why: 'With an unknown key the device plugin waits, and the MIG manager goes to the state failed.',
  source: `${cite('k8s-device-plugin')}, cmd/config-manager; ${cite('mig-parted')}, cmd/nvidia-mig-manager`,
  fix: 'Set the label, or config.default of the ClusterPolicy, to a key of the ConfigMap, or add the key to the ConfigMap.',
  on: 'set',
  check: function* ({ set }) {
    const [policy] = set.ofKind(CLUSTER_POLICY);
    if (policy === undefined) {
      return;
    }
    const plugin = set.ofKind('ConfigMap').find(({ id }) => id.name === mapNameOf(policy.object, 'devicePlugin'));
    const pluginKeys = plugin && devicePluginConfigsOf(plugin, set).map(({ key }) => key);
    const byDefault = asString(asObject(asObject(asObject(policy.object.spec).devicePlugin).config).default);
    if (pluginKeys !== undefined && byDefault !== undefined && byDefault !== '' && !pluginKeys.includes(byDefault)) {
      yield {
        manifest: policy,
        path: '/spec/devicePlugin/config/default',
        ...unknownKey(byDefault, pluginKeys, 'spec.devicePlugin.config.default'),
      };
    }
    const customMig = mapNameOf(policy.object, 'migManager');
    const migMap = set.ofKind('ConfigMap').find(({ id }) => id.name === customMig);
    const migNames = migMap && migConfigsOf(migMap, set).flatMap(({ reading }) => reading.names);
    for (const { manifest, labels, path } of nodeLabels(set.manifests)) {
      const key = labels.get('nvidia.com/device-plugin.config');
      if (key !== undefined && pluginKeys !== undefined && !pluginKeys.includes(key)) {
        yield {
          manifest,
          path: `${path}/nvidia.com~1device-plugin.config`,
          ...unknownKey(key, pluginKeys, 'the label nvidia.com/device-plugin.config'),
        };
      }
      const config = labels.get('nvidia.com/mig.config');
      const wrong =
        config !== undefined &&
        (migNames === undefined
          ? (customMig ?? '') === '' && !READY_MIG_CONFIG.test(config)
          : !migNames.includes(config));
      if (wrong) {
        yield {
          manifest,
          path: `${path}/nvidia.com~1mig.config`,
          message: `unknown MIG configuration "${config}" in the label nvidia.com/mig.config`,
          found: config,
          expected: migNames === undefined ? 'all-disabled, all-balanced, or all-<profile>' : oneOfStrings(migNames),
          fix: `Set the label nvidia.com/mig.config to ${migNames === undefined ? 'all-disabled, all-balanced, or all-<profile>' : migNames.length === 0 ? 'a name in mig-configs' : oneOfStrings(migNames)}.`,
        };
      }
    }
  },
};

/** The labels of nodes, as the set states them: of Nodes, and of the nodes that a Karpenter NodePool makes. */
function* nodeLabels(
  manifests: readonly Manifest[],
): Iterable<{ manifest: Manifest; labels: ReadonlyMap<string, string>; path: string }> {
  for (const manifest of manifests) {
    const { kind, group } = manifest.id;
    if (kind === 'Node' && group === '') {
      yield {
        manifest,
        labels: new Map(stringEntries(asObject(manifest.object.metadata).labels)),
        path: '/metadata/labels',
      };
    } else if (kind === 'NodePool' && group === 'karpenter.sh') {
      const template = asObject(asObject(manifest.object.spec).template);
      yield {
        manifest,
        labels: new Map(stringEntries(asObject(template.metadata).labels)),
        path: '/spec/template/metadata/labels',
      };
    }
  }
}

export const clusterPolicyRules: readonly Rule[] = [
  onePolicy,
  policyOrCluster,
  kernelModules,
  nri,
  migStrategyAgrees,
  rdmaHost,
  oneNamespace,
  configHasDefault,
  nodeKeys,
];
