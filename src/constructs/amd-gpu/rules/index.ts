/**
 * What the ROCm GPU operator and its device config manager require beyond the schema of a DeviceConfig.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { cite } from '../../../facts/upstream';
import { type ObjectRule, type Rule, type SetRule, type Violation } from '../../../checks/rules/rule';
import { mayShareNamespace } from '../../../manifests/identity';
import { oneOf } from '../../../facts/words';
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
  summary: 'Two DeviceConfigs must not have the same node selector.',
  why: 'The operator sets the second one to the condition Error and runs nothing for it: a node belongs to one DeviceConfig.',
  source: `${OPERATOR}, internal/controllers/device_config_reconciler.go (validateNodeAssignments)`,
  fix: 'Set spec.selector to labels of nodes that no other DeviceConfig selects, or merge the two DeviceConfigs.',
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
          message: `the selector matches nodes of the DeviceConfig "${other}", but a node can belong to only one DeviceConfig`,
          found: entries,
          expected: 'a selector that no other DeviceConfig has',
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
  summary: 'A ConfigMap that a DeviceConfig names must be in the namespace of the DeviceConfig.',
  why: 'The operator looks only in that namespace; without the ConfigMap the component is not deployed.',
  source: `${OPERATOR}, internal/validator/specValidators.go (validateConfigMap)`,
  fix: 'Set metadata.namespace of the ConfigMap to that of the DeviceConfig.',
  on: 'object',
  kinds: [DEVICE_CONFIG],
  check: function* ({ object, id }, { set }) {
    const spec = asObject(object.spec);
    const namespace = id.namespace ?? 'default';
    for (const field of CONFIG_FIELDS) {
      const name = asString(asObject(asObject(spec[field]).config).name);
      if (name === undefined || name === '') {
        continue;
      }
      const maps = set.ofKind('ConfigMap').filter((map) => map.id.name === name);
      if (maps.length > 0 && maps.every((map) => !mayShareNamespace(map.id.namespace, id.namespace))) {
        yield {
          path: pointer('/spec', field, 'config', 'name'),
          message: `ConfigMap "${name}" not found in namespace "${namespace}": it is in namespace "${maps[0]?.id.namespace ?? 'default'}"`,
          found: name,
          expected: `a ConfigMap in namespace "${namespace}"`,
          fix: `Set metadata.namespace of the ConfigMap "${name}" to "${namespace}".`,
        };
      }
    }
  },
};

const partitionProfiles: ObjectRule = {
  id: 'amd-gpu/partition-profile-valid',
  tier: 'webhook',
  severity: 'error',
  summary: 'A partition profile must have modes that exist, one memory mode, and NPS4 only with CPX.',
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
        message: 'config.json is not valid JSON, so the device config manager applies no profile',
        expected: 'a JSON object with gpu-config-profiles',
        fix: 'Set data["config.json"] to a JSON object with gpu-config-profiles.',
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
    yield {
      path: at,
      message: `the profile "${name}" has no entries, so it sets no partition mode`,
      fix: `Add an entry with computePartition and memoryPartition to profiles of the profile "${name}".`,
    };
  }
  for (const entry of entries) {
    const [compute, memory, count] = [
      asString(entry.computePartition),
      asString(entry.memoryPartition),
      entry.numGPUsAssigned,
    ];
    const isKnown = COMPUTE.includes(compute ?? '');
    if (!isKnown) {
      yield unknownMode(name, 'computePartition', entry, COMPUTE);
    }
    if (!MEMORY.includes(memory ?? '')) {
      yield unknownMode(name, 'memoryPartition', entry, MEMORY);
    }
    if (memory === 'NPS4' && isKnown && compute !== 'CPX') {
      yield {
        path: at,
        message: `the profile "${name}" combines memoryPartition NPS4 with computePartition ${compute ?? ''}, which no GPU supports`,
        found: 'NPS4',
        expected: 'CPX with NPS4',
        fix: `Set computePartition of the profile "${name}" to CPX, or its memoryPartition to NPS1.`,
      };
    }
    if (count !== undefined && !(Number.isInteger(count) && Number(count) > 0)) {
      yield {
        path: at,
        message: `numGPUsAssigned of the profile "${name}" must be an integer greater than or equal to 1`,
        found: count,
        fix: `Set numGPUsAssigned of the profile "${name}" to an integer greater than or equal to 1.`,
      };
    }
    memories.add(memory ?? 'unset');
  }
  if (memories.size > 1) {
    yield {
      path: at,
      message: `the profile "${name}" has several memory partition modes (${[...memories].join(', ')}), but all GPUs of a node must have the same`,
      expected: 'the same memoryPartition in all entries',
      fix: `Set memoryPartition to the same mode in all entries of the profile "${name}".`,
    };
  }
}

function unknownMode(
  profile: string,
  field: 'computePartition' | 'memoryPartition',
  entry: JsonObject,
  modes: readonly string[],
): Violation {
  const mode = entry[field];
  return {
    path: '/data/config.json',
    message:
      mode === undefined
        ? `${field} of the profile "${profile}" must be set`
        : `unsupported ${field} ${JSON.stringify(mode)} in the profile "${profile}"`,
    ...(mode === undefined ? {} : { found: mode }),
    expected: oneOf(modes),
    fix: `Set ${field} of the profile "${profile}" to ${oneOf(modes)}.`,
  };
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

function notOffered(resource: string): string {
  return `no node offers ${resource}, because resource_naming_strategy is single in every DeviceConfig`;
}

const partitionNamed = domainAdvice(
  'amd-gpu',
  'partition-resource-served',
  {
    severity: 'warning',
    summary: 'A pod should request a partition by the resource name of the device plugin.',
    why: 'Under the naming strategy single every partition is amd.com/gpu, under mixed it is named after its modes; no node offers the other name, and the pod stays pending.',
    source: `${OPERATOR}, docs/device_plugin/device-plugin.md`,
    fix: 'Request amd.com/gpu in resources.limits instead, or set spec.devicePlugin.devicePluginArguments.resource_naming_strategy of the DeviceConfig to mixed.',
  },
  (pod, say, { set }) => {
    const strategies = strategiesOf(set);
    if (strategies.size === 0 || strategies.has('mixed')) {
      return;
    }
    for (const { name, path } of askedByPod(pod)) {
      if (PARTITION.test(name)) {
        say(path, notOffered(name), {
          found: name,
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
  fix: 'Replace the resource of the partition with amd.com/gpu, or set spec.devicePlugin.devicePluginArguments.resource_naming_strategy of the DeviceConfig to mixed.',
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
          message: notOffered(resource),
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
