/**
 * NC1 to NC6: what NVIDIA's network operator demands of its policies and of HostDeviceNetworks.
 */
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type Rule } from '../../../checks/rule';
import { parseQuantity } from '../../../manifests/quantity';
import { pointer } from '../../../manifests/pointer';
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
    summary: 'The NicClusterPolicy is called nic-cluster-policy.',
    why: 'The operator follows this one and sets every other to the state ignore.',
    source: `${OPERATOR}, controllers/nicclusterpolicy_controller.go`,
    fix: 'Call it nic-cluster-policy.',
  },
  [NIC_CLUSTER_POLICY],
  function* (_spec, { id }) {
    if (id.name !== '' && id.name !== 'nic-cluster-policy') {
      yield {
        path: '/metadata/name',
        message: `the operator passes over ${id.name}`,
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
    summary: 'The version of the OFED driver has one of the forms that NVIDIA gives it.',
    why: 'The webhook refuses others, an empty one among them.',
    source: WEBHOOK,
    fix: 'Write it as the release notes do, for example doca3.3.0-26.01-1.0.0.0-0 or 24.10-0.7.0.0-0.',
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
      message: version === '' ? 'the driver has no version' : `"${version}" is no version of the driver`,
      found: version,
      expected:
        global === ''
          ? 'for example doca3.3.0-26.01-1.0.0.0-0'
          : "a version of its own: that of global is not the driver's",
    };
  },
);

const safeLoad = specRule(
  'nic-safe-load-upgrades',
  {
    row: 'NC2',
    summary: 'upgradePolicy.safeLoad stands beside autoUpgrade: true.',
    why: 'Whoever keeps pods away from a node until its driver is loaded is the upgrade controller; the webhook refuses one without the other.',
    source: WEBHOOK,
    fix: 'Set autoUpgrade: true.',
  },
  BOTH,
  function* (spec) {
    const policy = asObject(asObject(spec.ofedDriver).upgradePolicy);
    if (policy.safeLoad === true && policy.autoUpgrade !== true) {
      yield {
        path: '/spec/ofedDriver/upgradePolicy/safeLoad',
        message: 'safeLoad is on and autoUpgrade is off',
        found: true,
        expected: 'autoUpgrade: true',
      };
    }
  },
);

const GUID = /^([0-9A-Fa-f]{2}:){7}[0-9A-Fa-f]{2}$/;

const guidRange = specRule(
  'nic-guid-range-ordered',
  {
    row: 'NC3',
    summary: 'The GUIDs of ibKubernetes are eight hexadecimal bytes each, the last above the first.',
    why: 'The webhook refuses others.',
    source: WEBHOOK,
    fix: 'Write for example 02:00:00:00:00:00:00:00 and 02:FF:FF:FF:FF:FF:FF:FF.',
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
        message: `${key} is no GUID`,
        found: ib[key],
        expected: 'xx:xx:xx:xx:xx:xx:xx:xx',
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
        message: 'the last GUID is not above the first',
        found: end,
        expected: `above ${start}`,
      };
    }
  },
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
    summary: 'containerResources are CPU and memory, above zero, and no request above its limit.',
    why: 'The webhook refuses others.',
    source: WEBHOOK,
    fix: 'State cpu and memory only.',
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
                message: `${name} cannot be stated here`,
                found: name,
                expected: 'cpu, memory',
              };
            } else if (quantity?.isZero() === true) {
              yield {
                path: pointer(path, list, name),
                message: `${name} is zero`,
                found: amount,
                expected: 'more than zero, or nothing',
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
              message: `the request for ${name} is above its limit`,
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
    summary: 'The name of a NicNodePolicy has at most 50 characters, in newer releases 30.',
    why: 'It becomes part of the names of DaemonSets and of label values; the webhook refuses longer ones.',
    source: WEBHOOK,
    fix: 'Choose a name of up to 30 characters.',
  },
  [NIC_NODE_POLICY],
  function* (_spec, { id }) {
    if (id.name.length <= LONGEST_NAME_LATER) {
      return;
    }
    yield {
      path: '/metadata/name',
      message: `the name has ${id.name.length} characters`,
      found: id.name,
      expected: `at most ${LONGEST_NAME_LATER}`,
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
      'What a NicNodePolicy says (driver, shared devices, SR-IOV devices), no NicClusterPolicy and no other NicNodePolicy of the same nodes says.',
    why: 'Two DaemonSets of one driver would run on a node; the webhook refuses the second policy.',
    source: `${WEBHOOK}; pkg/policyoverlap`,
    fix: 'Say it in node policies of nodes that have nothing in common, and leave it out of the NicClusterPolicy.',
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
          message: `the NicClusterPolicy ${cluster?.id.name ?? ''} has ${section} as well`,
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
          message: `${other.id.name} selects some of the same nodes`,
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
      'The resourceName of a HostDeviceNetwork has letters, digits, "-", "_" and ".", a letter or digit at both ends.',
    why: 'The webhook refuses others, an empty one among them; the operator puts nvidia.com/ before it.',
    source: `${OPERATOR}, api/v1alpha1/validator/hostdevicenetwork_webhook.go`,
    fix: 'Write the name without prefix.',
  },
  [HOST_DEVICE_NETWORK],
  function* (spec) {
    const name = textAt(spec, 'resourceName');
    if (!/^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(name)) {
      yield {
        path: name === '' ? '/spec' : '/spec/resourceName',
        message: name === '' ? 'there is no resourceName' : `"${name}" is no name`,
        found: name,
        expected: name.split('/').at(-1),
      };
    }
  },
);

/** Plugins that an attachment needs on the node, by the part of the policy that brings them. */
const imagesNamed = specRule(
  'nic-part-image-complete',
  {
    tier: 'advice',
    severity: 'warning',
    summary: 'Each part of a NicClusterPolicy has a repository and a version, its own or that of global.',
    why: 'The operator joins repository, image and version to a reference: a part without one of them is never pulled.',
    source: `${OPERATOR}, api/v1alpha1/nicclusterpolicy_types.go (ImageSpec, global)`,
    fix: 'State global.repository and global.version, or both in the part.',
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
          yield { path: `/spec/${part}`, message: `${part} has no ${key}`, expected: key };
        }
      }
    }
  },
);

const oneDevicePlugin = setRule(
  'nic-one-sriov-device-plugin',
  {
    tier: 'advice',
    severity: 'warning',
    summary:
      "Virtual functions are offered by the SR-IOV operator's device plugin or by that of the NicClusterPolicy, not by both under one name.",
    why: 'The kubelet knows one plugin for each resource: the two take turns, and devices come and go.',
    source: `${OPERATOR}, docs (SR-IOV network operator beside sriovDevicePlugin); ${cite('sriov-network-operator')}`,
    fix: 'Keep one of the two, or give their resources different names.',
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
          message: `a SriovNetworkNodePolicy offers ${name} as well`,
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
