/**
 * What the ROCm GPU operator and its device config manager require beyond the schema of a DeviceConfig.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { cite } from '../../../facts/upstream';
import { type ObjectRule, type Rule, type SetRule, type Violation } from '../../../checks/rule';
import { mayShareNamespace } from '../../../manifests/identity';
import { pointer } from '../../../manifests/pointer';
import { asArray, asObject, asString, isObject, stringEntries } from '../../../manifests/read';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { deviceSharesIn } from '../../resources/shares';
import { askedByPod, domainAdvice } from '../../pods/rules/domain-advice';

const DEVICE_CONFIG = 'amd.com/DeviceConfig';
const OPERATOR = cite('rocm-gpu-operator');
/** The resource of a partition under the naming strategy mixed. */
const PARTITION = /^amd\.com\/[a-z]+_nps\d$/;
const COMPUTE = ['SPX', 'DPX', 'TPX', 'QPX', 'CPX'];
const MEMORY = ['NPS1', 'NPS2', 'NPS4', 'NPS8'];
const DEFAULT_SELECTOR = { 'feature.node.kubernetes.io/amd-gpu': 'true' };

const oneConfigOfANode: SetRule = {
  id: 'amd-gpu/one-device-config-for-a-node',
  tier: 'webhook',
  severity: 'error',
  summary: 'Two DeviceConfigs do not have the same node selector.',
  why: 'The operator sets the second one to the condition Error and runs nothing for it: a node belongs to one DeviceConfig.',
  source: `${OPERATOR}, internal/controllers/device_config_reconciler.go (validateNodeAssignments)`,
  fix: 'Merge the two DeviceConfigs, or set spec.selector of each to labels that no node has both of.',
  on: 'set',
  check: function* ({ set }) {
    const seen = new Map<string, string>();
    for (const manifest of set.ofKind(DEVICE_CONFIG)) {
      const selector = asObject(asObject(manifest.object.spec).selector);
      const entries = Object.keys(selector).length === 0 ? DEFAULT_SELECTOR : selector;
      const key = JSON.stringify(Object.entries(entries).sort());
      const other = seen.get(key);
      if (other !== undefined && other !== manifest.id.name) {
        yield {
          manifest,
          path: '/spec/selector',
          message: `duplicate value: the DeviceConfig ${other} selects the same nodes`,
          found: selector,
          expected: 'a selector of its own',
        };
      }
      seen.set(key, other ?? manifest.id.name);
    }
  },
};

/** Fields that name a ConfigMap of the DeviceConfig's namespace. */
const CONFIG_FIELDS = ['configManager', 'metricsExporter', 'remediationWorkflow', 'testRunner'];

const configInNamespace: ObjectRule = {
  id: 'amd-gpu/config-map-in-namespace',
  tier: 'webhook',
  severity: 'error',
  summary: 'A ConfigMap that a DeviceConfig names is in the namespace of the DeviceConfig.',
  why: 'The operator looks only in that namespace; without the ConfigMap the component is not deployed.',
  source: `${OPERATOR}, internal/validator/specValidators.go (validateConfigMap)`,
  fix: 'Set metadata.namespace of the ConfigMap to that of the DeviceConfig.',
  on: 'object',
  kinds: [DEVICE_CONFIG],
  check: function* ({ object, id }, { set }) {
    const spec = asObject(object.spec);
    for (const field of CONFIG_FIELDS) {
      const name = asString(asObject(asObject(spec[field]).config).name);
      if (name === undefined || name === '') {
        continue;
      }
      const maps = set.ofKind('ConfigMap').filter((map) => map.id.name === name);
      if (maps.length > 0 && maps.every((map) => !mayShareNamespace(map.id.namespace, id.namespace))) {
        yield {
          path: pointer('/spec', field, 'config', 'name'),
          message: `ConfigMap ${name} not found in namespace ${id.namespace ?? 'default'} (it is in ${maps[0]?.id.namespace ?? 'default'})`,
          found: name,
          expected: `a ConfigMap of namespace ${id.namespace ?? 'default'}`,
        };
      }
    }
  },
};

const partitionProfiles: ObjectRule = {
  id: 'amd-gpu/partition-profile-valid',
  tier: 'webhook',
  severity: 'error',
  summary: 'A partition profile has modes that exist, one memory mode, and NPS4 only with CPX.',
  why: 'The device config manager does not apply the profile: the GPUs keep the modes that they have.',
  source: `${OPERATOR}, docs/dcm/device-config-manager-configmap.md`,
  fix: 'Set computePartition and memoryPartition to modes that the GPU supports, such as CPX and NPS4.',
  on: 'object',
  kinds: ['ConfigMap'],
  check: function* ({ object }) {
    const text = asString(asObject(object.data)['config.json']);
    if (text === undefined || !text.includes('gpu-config-profiles')) {
      return;
    }
    const config = jsonOf(text);
    if (config === undefined) {
      yield {
        path: '/data/config.json',
        message: 'must be valid JSON',
        expected: 'an object with gpu-config-profiles',
      };
      return;
    }
    for (const [name, profile] of Object.entries(asObject(config['gpu-config-profiles']))) {
      yield* profileProblems(name, asArray(asObject(profile).profiles).filter(isObject));
    }
  },
};

function* profileProblems(name: string, entries: readonly JsonObject[]): Iterable<Violation> {
  const at = '/data/config.json';
  const memories = new Set<string>();
  if (entries.length === 0) {
    yield { path: at, message: `profile "${name}" must have at least one entry in profiles` };
  }
  for (const entry of entries) {
    const [compute, memory, count] = [
      asString(entry.computePartition),
      asString(entry.memoryPartition),
      entry.numGPUsAssigned,
    ];
    if (!COMPUTE.includes(compute ?? '')) {
      yield {
        path: at,
        message: `profile "${name}": unknown computePartition`,
        found: shown(entry.computePartition),
        expected: COMPUTE.join(', '),
      };
    }
    if (!MEMORY.includes(memory ?? '')) {
      yield {
        path: at,
        message: `profile "${name}": unknown memoryPartition`,
        found: shown(entry.memoryPartition),
        expected: MEMORY.join(', '),
      };
    }
    if (memory === 'NPS4' && compute !== 'CPX') {
      yield {
        path: at,
        message: `profile "${name}": memoryPartition NPS4 must not be set with computePartition ${compute ?? 'unset'}`,
        found: 'NPS4',
        expected: 'CPX with NPS4',
      };
    }
    if (count !== undefined && !(Number.isInteger(count) && Number(count) > 0)) {
      yield {
        path: at,
        message: `profile "${name}": numGPUsAssigned must be greater than or equal to 1`,
        found: shown(count),
      };
    }
    memories.add(memory ?? 'unset');
  }
  if (memories.size > 1) {
    yield {
      path: at,
      message: `profile "${name}" has several memory modes (${[...memories].join(', ')}), and the GPUs of a node share one`,
      expected: 'one memoryPartition',
    };
  }
}

function shown(value: JsonValue | undefined): JsonValue {
  return value ?? null;
}

function jsonOf(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Naming strategies of the device plugins of a set; empty where it has no DeviceConfig. */
function strategiesOf(set: ManifestSet): ReadonlySet<string> {
  return new Set(
    set.ofKind(DEVICE_CONFIG).map(({ object }) => {
      const plugin = asObject(asObject(object.spec).devicePlugin);
      const given = stringEntries(plugin.devicePluginArguments).find(([name]) => name === 'resource_naming_strategy');
      return given?.[1] ?? 'single';
    }),
  );
}

const partitionNamed = domainAdvice(
  'amd-gpu',
  'partition-resource-served',
  {
    severity: 'warning',
    summary: 'A pod must request a partition by the resource name of the device plugin.',
    why: 'Under the naming strategy single every partition is amd.com/gpu, under mixed it is named after its modes; no node offers the other name, and the pod stays pending.',
    source: `${OPERATOR}, docs/device_plugin/device-plugin.md`,
    fix: 'Set the resource in resources.limits to the name under the strategy, or set spec.devicePlugin.devicePluginArguments.resource_naming_strategy of the DeviceConfig to mixed.',
  },
  (pod, say, { set }) => {
    const strategies = strategiesOf(set);
    if (strategies.size === 0 || strategies.has('mixed')) {
      return;
    }
    for (const { name, path } of askedByPod(pod)) {
      if (PARTITION.test(name)) {
        say(path, `${name} is not served: every DeviceConfig has the naming strategy single`, {
          expected: 'amd.com/gpu',
        });
      }
    }
  },
);

const partitionShareServed: SetRule = {
  id: 'amd-gpu/partition-share-served',
  tier: 'advice',
  severity: 'warning',
  on: 'set',
  summary: 'A queue or quota must name partitions by the resource name of the device plugin.',
  why: 'Under the naming strategy single every partition is counted as amd.com/gpu, so a share of another name limits and guarantees nothing.',
  source: `${OPERATOR}, docs/device_plugin/device-plugin.md`,
  fix: 'Set the share to amd.com/gpu, or set spec.devicePlugin.devicePluginArguments.resource_naming_strategy of the DeviceConfig to mixed.',
  check: function* ({ set, offered }) {
    const strategies = strategiesOf(set);
    // What the pools of an app offer is known exactly, and another rule compares it.
    if (strategies.size === 0 || strategies.has('mixed') || offered !== undefined) {
      return;
    }
    for (const { manifest, path, resource } of deviceSharesIn(set)) {
      if (PARTITION.test(resource)) {
        yield {
          manifest,
          path,
          message: `no node offers ${resource}: every DeviceConfig has the naming strategy single`,
          found: resource,
          expected: 'amd.com/gpu',
        };
      }
    }
  },
};

export const amdGpuRules: readonly Rule[] = [
  oneConfigOfANode,
  configInNamespace,
  partitionProfiles,
  partitionNamed,
  partitionShareServed,
];
