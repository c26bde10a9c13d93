/**
 * NC1 to NC6: what NVIDIA's network operator demands of its policies and of HostDeviceNetworks.
 */
import { fixesByField } from '../../../checks/rules/field-fix';
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type Rule } from '../../../checks/rules/rule';
import { parseQuantity } from '../../../manifests/values/quantity';
import { pointer, fieldOf } from '../../../manifests/pointer';
import { asArray, asObject, isObject, objectsAt } from '../../../manifests/read';
import {
  certainlyMeet,
  HOST_DEVICE_NETWORK,
  NIC_CLUSTER_POLICY,
  NIC_NODE_POLICY,
  setRule,
  specRule,
  textAt,
} from './networking-rule';

const OPERATOR = cite('network-operator');
const WEBHOOK = `${OPERATOR}, api/v1alpha1/validator/nicpolicy_webhook.go`;
const BOTH = [NIC_CLUSTER_POLICY, NIC_NODE_POLICY];
const LONGEST_NAME = 50;
/** What newer releases allow, whose message still says 50. */
const LONGEST_NAME_LATER = 30;

const named = specRule(
  'nic-cluster-policy-named',
  {
    row: 'NC1',
    summary: 'The name of the NicClusterPolicy must be nic-cluster-policy.',
    why: 'The operator uses only this one and sets every other to the state ignore.',
    source: `${OPERATOR}, controllers/nicclusterpolicy_controller.go`,
    fix: 'Set metadata.name: nic-cluster-policy.',
  },
  [NIC_CLUSTER_POLICY],
  function* (_spec, { id }) {
    if (id.name !== '' && id.name !== 'nic-cluster-policy') {
      yield {
        path: '/metadata/name',
        message: `the name must be nic-cluster-policy: the operator ignores the NicClusterPolicy "${id.name}"`,
        found: id.name,
        expected: 'nic-cluster-policy',
      };
    }
  },
);

const OFED_VERSION = new RegExp(
  [
    'sha256:[a-fA-F0-9]{64}',
    String.raw`doca\d+\.\d+(\.\d+)?-\d+\.\d+-(\d+\.\d+\.\d+\.\d+-\d+|\d{6,})(-[\w.-]+)*`,
    String.raw`\d+\.\d+-\d+(\.\d+)*(-\d+)?(-[\w.-]+)*`,
  ]
    .map((form) => `^(?:${form})$`)
    .join('|'),
);

const ofedVersion = specRule(
  'nic-ofed-version-readable',
  {
    row: 'NC2',
    summary: "The version of the OFED driver must have one of NVIDIA's formats.",
    why: 'The webhook rejects any other, including an empty one.',
    source: WEBHOOK,
    fix: 'Set ofedDriver.version to a version in the release notes, for example doca3.3.0-26.01-1.0.0.0-0 or 24.10-0.7.0.0-0.',
  },
  BOTH,
  function* (spec) {
    const driver = spec.ofedDriver;
    if (!isObject(driver)) {
      return;
    }
    const global = textAt(asObject(spec.global), 'version');
    const version = textAt(driver, 'version');
    if (OFED_VERSION.test(version)) {
      return;
    }
    yield {
      path: version === '' ? '/spec/ofedDriver' : '/spec/ofedDriver/version',
      message: version === '' ? 'ofedDriver.version must be set' : `"${version}" is not a valid driver version`,
      found: version,
      expected:
        global === ''
          ? 'for example doca3.3.0-26.01-1.0.0.0-0'
          : 'a version of its own: global.version does not apply to the driver',
    };
  },
);

const safeLoad = specRule(
  'nic-safe-load-upgrades',
  {
    row: 'NC2',
    summary: 'upgradePolicy.safeLoad requires autoUpgrade: true.',
    why: 'The upgrade controller keeps pods away from a node until its driver is loaded; the webhook rejects safeLoad without autoUpgrade.',
    source: WEBHOOK,
    fix: 'Set upgradePolicy.autoUpgrade: true.',
  },
  BOTH,
  function* (spec) {
    const policy = asObject(asObject(spec.ofedDriver).upgradePolicy);
    if (policy.safeLoad === true && policy.autoUpgrade !== true) {
      yield {
        path: '/spec/ofedDriver/upgradePolicy/safeLoad',
        message: 'safeLoad requires autoUpgrade: true',
        found: true,
        expected: 'autoUpgrade: true',
      };
    }
  },
);

const GUID = /^([0-9A-Fa-f]{2}:){7}[0-9A-Fa-f]{2}$/;

const guidRange = fixesByField(
  specRule(
    'nic-guid-range-ordered',
    {
      row: 'NC3',
      summary:
        'The GUIDs of ibKubernetes must be eight hexadecimal bytes, and the last one must be greater than the first.',
      why: 'The webhook rejects any others.',
      source: WEBHOOK,
      fix: 'Set pKeyGUIDPoolRangeStart and pKeyGUIDPoolRangeEnd, for example to 02:00:00:00:00:00:00:00 and 02:FF:FF:FF:FF:FF:FF:FF.',
    },
    [NIC_CLUSTER_POLICY],
    function* (spec) {
      const ib = spec.ibKubernetes;
      if (!isObject(ib)) {
        return;
      }
      const keys = ['pKeyGUIDPoolRangeStart', 'pKeyGUIDPoolRangeEnd'] as const;
      const wrong = keys.filter((key) => typeof ib[key] === 'string' && !GUID.test(ib[key]));
      for (const key of wrong) {
        yield {
          path: `/spec/ibKubernetes/${key}`,
          message: `${key} must be a GUID of eight hexadecimal pairs`,
          found: ib[key],
          expected: 'a GUID such as 02:00:00:00:00:00:00:00',
        };
      }
      const [start, end] = keys.map((key) => textAt(ib, key));
      if (wrong.length > 0 || start === undefined || end === undefined || start === '' || end === '') {
        return;
      }
      const number = (guid: string): bigint => BigInt(`0x${guid.replaceAll(':', '')}`);
      if (number(end) <= number(start)) {
        yield {
          path: '/spec/ibKubernetes/pKeyGUIDPoolRangeEnd',
          message: 'pKeyGUIDPoolRangeEnd must be greater than pKeyGUIDPoolRangeStart',
          fix: `Set ibKubernetes.pKeyGUIDPoolRangeEnd to a GUID greater than ${start}.`,
          found: end,
          expected: `greater than ${start}`,
        };
      }
    },
  ),
);

/** The parts of a policy that have containers. */
const PARTS = [
  'ofedDriver',
  'rdmaSharedDevicePlugin',
  'sriovDevicePlugin',
  'ibKubernetes',
  'nvIpam',
  'nicFeatureDiscovery',
  'docaTelemetryService',
  'secondaryNetwork/multus',
  'secondaryNetwork/cniPlugins',
  'secondaryNetwork/ipoib',
];

const containerResources = specRule(
  'nic-container-resources-valid',
  {
    row: 'NC5',
    summary: 'containerResources must be CPU and memory, greater than zero, and requests must not exceed limits.',
    why: 'The webhook rejects any others.',
    source: WEBHOOK,
    fix: 'Set only cpu and memory in containerResources[].requests and containerResources[].limits.',
  },
  BOTH,
  function* (_spec, { object }) {
    for (const part of PARTS) {
      for (const { value, path } of objectsAt(object, `/spec/${part}/containerResources`)) {
        const requests = asObject(value.requests);
        const limits = asObject(value.limits);
        for (const [list, amounts] of [
          ['requests', requests],
          ['limits', limits],
        ] as const) {
          for (const [name, amount] of Object.entries(amounts)) {
            const quantity =
              typeof amount === 'string' || typeof amount === 'number' ? parseQuantity(amount) : undefined;
            if (name !== 'cpu' && name !== 'memory') {
              yield {
                path: pointer(path, list, name),
                message: `unsupported resource "${name}" in containerResources`,
                fix: `Remove "${name}": only cpu and memory are supported.`,
                found: name,
                expected: 'cpu or memory',
              };
            } else if (quantity?.isZero() === true) {
              yield {
                path: pointer(path, list, name),
                message: `${name} must be greater than 0`,
                fix: `Set ${fieldOf(pointer(path, list, name))} to a quantity greater than 0, or remove it.`,
                found: amount,
                expected: 'greater than 0, or unset',
              };
            }
          }
        }
        for (const [name, amount] of Object.entries(requests)) {
          const [request, limit] = [amount, limits[name]].map((one) =>
            typeof one === 'string' || typeof one === 'number' ? parseQuantity(one) : undefined,
          );
          if (request !== undefined && limit !== undefined && request.isGreaterThan(limit)) {
            yield {
              path: pointer(path, 'requests', name),
              message: `the ${name} request must be less than or equal to the limit (${request.toString()} > ${limit.toString()})`,
              found: amount,
              expected: `at most ${limit.toString()}`,
            };
          }
        }
      }
    }
  },
);

const nodePolicyName = specRule(
  'nic-node-policy-name-short',
  {
    row: 'NC6',
    summary: 'The name of a NicNodePolicy must be no more than 50 characters (30 in newer releases).',
    why: 'It becomes part of the names of DaemonSets and of label values; the webhook rejects longer names.',
    source: WEBHOOK,
    fix: 'Shorten metadata.name to at most 30 characters.',
  },
  [NIC_NODE_POLICY],
  function* (_spec, { id }) {
    if (id.name.length <= LONGEST_NAME_LATER) {
      return;
    }
    yield {
      path: '/metadata/name',
      message: `the name must be no more than ${LONGEST_NAME_LATER} characters, but has ${id.name.length}`,
      found: id.name,
      expected: `at most ${LONGEST_NAME_LATER} characters`,
      ...(id.name.length > LONGEST_NAME ? {} : { severity: 'warning' as const }),
    };
  },
);

const SECTIONS = ['ofedDriver', 'rdmaSharedDevicePlugin', 'sriovDevicePlugin'];

const policiesApart = setRule(
  'nic-policies-apart',
  {
    row: 'NC6',
    summary:
      'A setting of a NicNodePolicy (driver, shared devices, SR-IOV devices) must not be set in the NicClusterPolicy or in another NicNodePolicy for the same nodes.',
    why: 'Two DaemonSets of the same driver would run on a node; the webhook rejects the second policy.',
    source: `${WEBHOOK}; pkg/policyoverlap`,
    fix: 'Select disjoint nodes in the nodeSelector of the node policies, and remove the setting from the NicClusterPolicy.',
  },
  function* ({ set }) {
    const nodePolicies = set.ofKind(NIC_NODE_POLICY);
    const [cluster] = set.ofKind(NIC_CLUSTER_POLICY);
    const clusterSpec = asObject(cluster?.object.spec);
    for (const [index, manifest] of nodePolicies.entries()) {
      const spec = asObject(manifest.object.spec);
      for (const section of SECTIONS.filter((key) => isObject(spec[key]) && isObject(clusterSpec[key]))) {
        yield {
          manifest,
          path: `/spec/${section}`,
          message: `${section} must not be set both here and in the NicClusterPolicy`,
          fix: `Remove ${section} from this policy or from the NicClusterPolicy.`,
        };
      }
      for (const other of nodePolicies.slice(0, index)) {
        const theirs = asObject(other.object.spec);
        if (
          other.id.name === manifest.id.name ||
          !certainlyMeet(asObject(theirs.nodeSelector), asObject(spec.nodeSelector))
        ) {
          continue;
        }
        yield {
          manifest,
          path: '/spec/nodeSelector',
          message: `nodeSelector must not select nodes that the NicNodePolicy "${other.id.name}" also selects`,
          fix: `Set spec.nodeSelector to labels that no node of the NicNodePolicy "${other.id.name}" has.`,
          found: spec.nodeSelector,
        };
      }
    }
  },
);

const hostDeviceName = specRule(
  'nic-host-device-resource-valid',
  {
    row: 'NC6',
    summary:
      'The resourceName of a HostDeviceNetwork must consist of letters, digits, "-", "_", and ".", and start and end with a letter or digit.',
    why: 'The webhook rejects any other, including an empty one; the operator adds the prefix nvidia.com/.',
    source: `${OPERATOR}, api/v1alpha1/validator/hostdevicenetwork_webhook.go`,
    fix: 'Set resourceName to the name without a prefix.',
  },
  [HOST_DEVICE_NETWORK],
  function* (spec) {
    const name = textAt(spec, 'resourceName');
    if (!/^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(name)) {
      yield {
        path: name === '' ? '/spec' : '/spec/resourceName',
        message: name === '' ? 'resourceName must be set' : `resourceName "${name}" must be a name without a prefix`,
        ...(name === '' ? {} : { found: name, expected: name.split('/').at(-1) ?? '' }),
      };
    }
  },
);

/** Plugins that an attachment needs on the node, by the part of the policy that brings them. */
const imagesNamed = fixesByField(
  specRule(
    'nic-part-image-complete',
    {
      tier: 'advice',
      severity: 'warning',
      summary: 'Each part of a NicClusterPolicy must have a repository and a version, of its own or from global.',
      why: 'The operator builds the image reference from repository, image, and version: without one of them the image cannot be pulled.',
      source: `${OPERATOR}, api/v1alpha1/nicclusterpolicy_types.go (ImageSpec, global)`,
      fix: 'Set global.repository and global.version, or set repository and version in the component.',
    },
    [NIC_CLUSTER_POLICY],
    function* (spec) {
      const global = asObject(spec.global);
      for (const part of PARTS) {
        const [head = '', tail] = part.split('/');
        const value = tail === undefined ? spec[head] : asObject(spec[head])[tail];
        if (!isObject(value)) {
          continue;
        }
        for (const key of ['repository', 'version']) {
          const inherited = part === 'ofedDriver' && key === 'version' ? '' : textAt(global, key);
          // A driver without a version is another rule's to report.
          if (textAt(value, key) === '' && inherited === '' && !(part === 'ofedDriver' && key === 'version')) {
            yield {
              path: `/spec/${part}`,
              message: `${key} must be set for ${part}`,
              expected: key,
              fix: `Set ${fieldOf(`/spec/${part}`)}.${key}, or global.${key}, to ${key === 'repository' ? 'an image repository such as nvcr.io/nvidia/mellanox' : 'the version of the image'}.`,
            };
          }
        }
      }
    },
  ),
);

const oneDevicePlugin = setRule(
  'nic-one-sriov-device-plugin',
  {
    tier: 'advice',
    severity: 'warning',
    summary:
      "The SR-IOV operator's device plugin and that of the NicClusterPolicy must not offer virtual functions under the same name.",
    why: 'The kubelet knows only one plugin for each resource: the two replace each other, and devices appear and disappear.',
    source: `${OPERATOR}, docs (SR-IOV network operator beside sriovDevicePlugin); ${cite('sriov-network-operator')}`,
    fix: 'Remove spec.sriovDevicePlugin, or set resourceName to another name in its pool.',
  },
  function* ({ set }) {
    const offered = new Set(
      set
        .ofKind('sriovnetwork.openshift.io/SriovNetworkNodePolicy')
        .map(({ object }) => textAt(asObject(object.spec), 'resourceName')),
    );
    if (offered.size === 0) {
      return;
    }
    for (const manifest of BOTH.flatMap((kind) => set.ofKind(kind))) {
      for (const name of resourceNamesOf(asObject(asObject(manifest.object.spec).sriovDevicePlugin)).filter((one) =>
        offered.has(one),
      )) {
        yield {
          manifest,
          path: '/spec/sriovDevicePlugin/config',
          message: `a SriovNetworkNodePolicy in these manifests also has the resourceName "${name}"`,
          found: name,
        };
      }
    }
  },
);

function resourceNamesOf(plugin: JsonObject): readonly string[] {
  try {
    const config: unknown = JSON.parse(textAt(plugin, 'config'));
    return asArray(asObject(config as JsonObject).resourceList)
      .map((pool) => textAt(asObject(pool), 'resourceName'))
      .filter((name) => name !== '');
  } catch {
    return [];
  }
}

export const nicPolicyRules: readonly Rule[] = [
  named,
  ofedVersion,
  safeLoad,
  guidRange,
  containerResources,
  nodePolicyName,
  policiesApart,
  hostDeviceName,
  imagesNamed,
  oneDevicePlugin,
];
