/**
 * Configurations that are embedded as strings in objects: CNI configurations, and those of the device plugins. No server validates them.
 */
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type Rule, type Violation } from '../../../checks/rules/rule';
import { NETWORK_RESOURCE_ANNOTATION } from '../../../facts/catalog';
import { type Manifest } from '../../../manifests/manifest';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asObject, asString, isObject, stringEntries } from '../../../manifests/read';
import { type CniProblem, type CniProblemKind, readCniConfig, readIpam } from '../cni-text';
import {
  type PluginProblem,
  type PluginProblemKind,
  pluginOfText,
  readSharedDeviceConfig,
  readSriovDeviceConfig,
} from '../device-plugin-text';
import {
  ATTACHMENT,
  HOST_DEVICE_NETWORK,
  NIC_CLUSTER_POLICY,
  NIC_NODE_POLICY,
  OVS_NETWORK,
  specRule,
  SRIOV_IB_NETWORK,
  SRIOV_NETWORK,
} from './networking-rule';

const MULTUS = `${cite('multus')}, pkg/types/conf.go`;
const PLUGINS = `${cite('cni-plugins')}; sriov-cni, ipoib-cni, rdma-cni`;
const NO_START = 'The API server does not check the string: pods that attach to the network do not start.';

interface Placed<Problem> {
  readonly path: string;
  readonly problem: Problem;
}

const IPAM_KINDS = [
  SRIOV_NETWORK,
  SRIOV_IB_NETWORK,
  OVS_NETWORK,
  HOST_DEVICE_NETWORK,
  'mellanox.com/MacvlanNetwork',
  'mellanox.com/IPoIBNetwork',
];

const cniByManifest = new WeakMap<Manifest, readonly Placed<CniProblem>[]>();

/** What is wrong with the CNI texts of an object, each read once. */
function cniProblemsOf(manifest: Manifest): readonly Placed<CniProblem>[] {
  let problems = cniByManifest.get(manifest);
  if (problems === undefined) {
    cniByManifest.set(manifest, (problems = readCni(manifest)));
  }
  return problems;
}

function readCni({ id, object }: Manifest): readonly Placed<CniProblem>[] {
  const spec = asObject(object.spec);
  if (id.kind !== 'NetworkAttachmentDefinition') {
    const ipam = asString(spec.ipam) ?? '';
    const own = ipam.trim() === '' ? [] : readIpam(ipam).map((problem) => ({ path: '/spec/ipam', problem }));
    const macvlan =
      id.kind === 'MacvlanNetwork' && /^ib/.test(asString(spec.master) ?? '')
        ? [{ path: '/spec/master', problem: onInfiniband(asString(spec.master) ?? '') }]
        : [];
    return [...own, ...jsonParts(spec), ...macvlan];
  }
  const config = asString(spec.config);
  // Without a text Multus takes a file of this name from the node.
  if (config === undefined || config.trim() === '') {
    return [];
  }
  const tied = asString(asObject(asObject(object.metadata).annotations)[NETWORK_RESOURCE_ANNOTATION]) ?? '';
  return readCniConfig(config, tied !== '').problems.map((problem) => ({ path: '/spec/config', problem }));
}

function onInfiniband(master: string): CniProblem {
  return {
    kind: 'macvlan-on-infiniband',
    message: `"${master}" looks like an InfiniBand interface, which does not support macvlan`,
    found: master,
    expected: 'an IPoIBNetwork',
    fix: 'Replace the MacvlanNetwork with an IPoIBNetwork, or set spec.master to an Ethernet interface.',
  };
}

/** Texts that an operator writes into a list or an object unchanged. */
function* jsonParts(spec: JsonObject): Iterable<Placed<CniProblem>> {
  const parts: readonly (readonly [string, string])[] = [
    ['metaPlugins', '[]'],
    ['capabilities', ''],
  ];
  for (const [key, around] of parts) {
    const text = asString(spec[key]) ?? '';
    if (text.trim() === '') {
      continue;
    }
    try {
      JSON.parse(around === '' ? text : `[${text}]`);
    } catch {
      yield {
        path: `/spec/${key}`,
        problem: {
          kind: 'json',
          message: `${key} is not valid JSON`,
          found: text,
          expected:
            key === 'metaPlugins' ? 'objects with a type, separated by commas' : 'an object such as {"ips": true}',
        },
      };
    }
  }
}

const JSON_SYNTAX = 'double quotes, no comments, and no comma after the last member';

function cniRule(
  id: string,
  facts: Parameters<typeof specRule>[1],
  kinds: readonly string[],
  ...of: readonly CniProblemKind[]
): ObjectRule {
  const all = {
    tier: 'advice',
    concerns: ['config', 'ipam', 'metaPlugins', 'capabilities', 'master'],
    ...facts,
  } as const;
  return specRule(`cni-${id}`, all, kinds, function* (_spec, manifest) {
    for (const { path, problem } of cniProblemsOf(manifest)) {
      const { kind, message, found, expected, severity } = problem;
      if (of.includes(kind)) {
        const fix = kind === 'json' ? `Set ${fieldOf(path)} to valid JSON: ${JSON_SYNTAX}.` : problem.fix;
        yield {
          path,
          message,
          found,
          expected,
          ...(fix === undefined ? {} : { fix }),
          ...(severity === undefined ? {} : { severity }),
        };
      }
    }
  });
}

const ALL = [ATTACHMENT, ...IPAM_KINDS];

const cniRules: readonly Rule[] = [
  cniRule(
    'config-is-json',
    {
      row: 'NAD',
      summary:
        "spec.config of a NetworkAttachmentDefinition must be a JSON object; ipam, capabilities, and metaPlugins of an operator's network must be JSON.",
      why: NO_START,
      source: MULTUS,
      fix: `Set spec.config to valid JSON: ${JSON_SYNTAX}.`,
    },
    ALL,
    'json',
  ),
  cniRule(
    'plugin-named',
    {
      row: 'NAD',
      summary: 'A CNI configuration must name its plugin in type, or each plugin of a list in its type.',
      why: NO_START,
      source: MULTUS,
      fix: 'Set "type" to a CNI plugin, for example "type": "sriov".',
    },
    [ATTACHMENT],
    'type',
  ),
  cniRule(
    'version-known',
    {
      row: 'NAD',
      summary: 'A CNI configuration must set a cniVersion that exists.',
      why: 'Plugins reject versions that they do not know; without cniVersion they assume 0.1.0.',
      source: `CNI specification 1.1; ${cite('cni-library')}, pkg/version`,
      fix: 'Set "cniVersion": "1.0.0" (or 0.3.1 for old plugins).',
    },
    [ATTACHMENT],
    'version',
  ),
  cniRule(
    'network-named',
    {
      row: 'NAD',
      severity: 'error',
      summary: 'A CNI configuration must have a name of letters, digits, "_", ".", and "-".',
      why: 'The name separates the addresses of one network from those of others. Multus fills in a missing name, other runtimes reject it; all reject other characters.',
      source: `${cite('cni-library')}, pkg/utils ValidateNetworkName; ${cite('network-attachment-definition')}, pkg/utils/cniconfig.go`,
      fix: 'Set "name" to the name of the NetworkAttachmentDefinition.',
    },
    [ATTACHMENT],
    'name',
  ),
  cniRule(
    'plugin-settings-taken',
    {
      row: 'NAD',
      summary: 'A CNI plugin must have its required settings, with valid values.',
      why: NO_START,
      source: PLUGINS,
      fix: 'Set the expected setting in spec.config.',
    },
    [ATTACHMENT],
    'setting',
  ),
  cniRule(
    'ipam-complete',
    {
      row: 'NAD',
      summary: 'ipam must name a plugin and its range, subnet, or pool, with addresses inside it.',
      why: NO_START,
      source: `${cite('cni-plugins')}, plugins/ipam; whereabouts, pkg/config; nvidia-k8s-ipam`,
      fix: 'Set ipam to a plugin with valid addresses, or to {} for no addresses.',
    },
    ALL,
    'ipam',
  ),
  cniRule(
    'chained-plugin-follows',
    {
      row: 'NAD',
      summary: 'The plugins rdma and tuning must come after the plugin that creates the interface.',
      why: 'They change the result of a previous plugin, and fail without it.',
      source: PLUGINS,
      fix: 'Set "plugins" to a list: [{"type": "sriov", …}, {"type": "rdma"}].',
    },
    [ATTACHMENT],
    'chain',
  ),
  cniRule(
    'macvlan-on-ethernet',
    {
      row: 'NAD',
      severity: 'warning',
      summary: 'macvlan must have an Ethernet interface as its master.',
      why: 'An InfiniBand interface cannot have another MAC address: the kernel rejects the macvlan interface, and the pod does not start.',
      source: 'Linux, drivers/net/macvlan.c; ipoib-cni, README',
      fix: 'Set "type" to ipoib, or "master" to an Ethernet interface.',
    },
    [ATTACHMENT, 'mellanox.com/MacvlanNetwork'],
    'macvlan-on-infiniband',
  ),
];

const pluginByManifest = new WeakMap<Manifest, readonly Placed<PluginProblem>[]>();
const CONFIG_KINDS = ['ConfigMap', NIC_CLUSTER_POLICY, NIC_NODE_POLICY];

function pluginProblemsOf(manifest: Manifest): readonly Placed<PluginProblem>[] {
  let problems = pluginByManifest.get(manifest);
  if (problems === undefined) {
    pluginByManifest.set(manifest, (problems = readPlugins(manifest)));
  }
  return problems;
}

function readPlugins({ id, object }: Manifest): readonly Placed<PluginProblem>[] {
  if (id.kind !== 'ConfigMap') {
    const spec = asObject(object.spec);
    return (
      [
        ['rdmaSharedDevicePlugin', readSharedDeviceConfig],
        ['sriovDevicePlugin', readSriovDeviceConfig],
      ] as const
    ).flatMap(([part, read]) => {
      const text = isObject(spec[part]) ? asString(spec[part].config) : undefined;
      return text === undefined
        ? []
        : read(text).problems.map((problem) => ({ path: `/spec/${part}/config`, problem }));
    });
  }
  return stringEntries(object.data).flatMap(([key, text]) => {
    const plugin = pluginOfText(text);
    if (plugin === undefined) {
      return [];
    }
    const { problems } = plugin === 'shared' ? readSharedDeviceConfig(text) : readSriovDeviceConfig(text);
    // The webhook does not see ConfigMaps.
    return problems
      .filter(({ webhookOnly }) => webhookOnly !== true)
      .map((problem) => ({ path: pointer('/data', key), problem }));
  });
}

function pluginRule(
  id: string,
  facts: Parameters<typeof specRule>[1],
  ...of: readonly PluginProblemKind[]
): ObjectRule {
  const check = function* (_spec: JsonObject, manifest: Manifest): Iterable<Violation> {
    for (const {
      path,
      problem: { kind, message, found, expected, fix, webhookOnly, near },
    } of pluginProblemsOf(manifest)) {
      if (of.includes(kind)) {
        yield {
          path,
          message:
            webhookOnly === true ? `${message}; the operator's webhook, if enabled, rejects the object` : message,
          found,
          expected,
          ...(fix === undefined ? {} : { fix }),
          ...(webhookOnly === true ? { severity: 'warning' } : {}),
          // A fork of the plugin may read keys of its own.
          ...(near === false ? { severity: 'info' } : {}),
        };
      }
    }
  };
  return { ...specRule(id, { row: 'NC4', ...facts }, CONFIG_KINDS, check), appliesTo: hasPluginProblems };
}

function hasPluginProblems(manifest: Manifest): boolean {
  return pluginProblemsOf(manifest).length > 0;
}

const PLUGIN_SOURCE = `${cite('rdma-shared-device-plugin')}, pkg/resources; sriov-network-device-plugin, cmd/sriovdp; ${cite('network-operator')}, webhook-schemas`;

const pluginRules: readonly Rule[] = [
  pluginRule(
    'device-plugin-config-readable',
    {
      summary:
        'A configuration of the RDMA shared device plugin or of the SR-IOV device plugin must be JSON of the expected shape.',
      why: "The operator's webhook rejects any other; in a ConfigMap of your own it prevents the plugin from starting, and the nodes offer no devices.",
      source: PLUGIN_SOURCE,
      fix: 'Set configList (shared devices) or resourceList (SR-IOV) to a JSON list of pools, such as {"configList": [{"resourceName": "rdma_a"}]}.',
    },
    'shape',
  ),
  pluginRule(
    'device-plugin-resource-named',
    {
      summary:
        'Each pool of a device plugin must have a unique resource name of letters, digits, and underscores, and a domain as its prefix.',
      why: 'The plugin does not start with any other name, or with duplicate names.',
      source: PLUGIN_SOURCE,
      fix: 'Set resourceName to letters, digits, and underscores, such as rdma_a, and resourcePrefix to a domain, such as nvidia.com.',
    },
    'name',
  ),
  pluginRule(
    'device-plugin-pool-selects',
    {
      summary:
        'A pool of a device plugin must select cards in one way: by selectors, or (old configurations of shared devices) by devices.',
      why: 'A pool that selects nothing is rejected, as is a pool with both.',
      source: PLUGIN_SOURCE,
      fix: 'Set selectors in the pool, for example "selectors": {"vendors": ["15b3"]}.',
    },
    'selectors',
  ),
  pluginRule(
    'device-plugin-pool-shares',
    {
      tier: 'advice',
      severity: 'error',
      summary: 'A pool of shared RDMA devices must set rdmaHcaMax, the number of pods that may share it.',
      why: "The default is 0, and the node then offers no device. The operator's webhook rejects a missing value.",
      source: PLUGIN_SOURCE,
      fix: 'Set rdmaHcaMax to the number of pods that share a card, for example 63.',
    },
    'no-share',
  ),
  pluginRule(
    'device-plugin-key-known',
    {
      tier: 'advice',
      severity: 'warning',
      summary: 'A configuration of a device plugin must only have keys that the plugin reads.',
      why: 'Other keys are silently ignored; with an unknown selector, more cards than intended are selected, or the webhook rejects the configuration.',
      source: PLUGIN_SOURCE,
      fix: 'Rename the key to one that the plugin reads, for example resourceName or selectors.',
    },
    'unknown-key',
  ),
];

export const embeddedRules: readonly Rule[] = [...cniRules, ...pluginRules];
