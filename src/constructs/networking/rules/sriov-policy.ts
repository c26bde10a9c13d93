/**
 * SN1 to SN8: what the operator's webhook demands of SriovNetworkNodePolicies, of pools and of its own configuration.
 */
import { quotedNames } from '../../../facts/spelling';
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type Rule, type Violation } from '../../../checks/rule';
import { type Manifest } from '../../../manifests/manifest';
import { asArray, asInteger, asObject, asString, isObject, stringEntries, stringsIn } from '../../../manifests/read';
import { SUPPORTED_CARDS } from '../sriov-facts';
import {
  certainlyMeet,
  NODE_POLICY,
  OPERATOR_CONFIG,
  OVS_NETWORK,
  POOL_CONFIG,
  setRule,
  specRule,
  SRIOV_IB_NETWORK,
  SRIOV_NETWORK,
  textAt,
} from './networking-rule';

const WEBHOOK = `${cite('sriov-network-operator')}, pkg/webhook/validate.go`;
const MOST_MELLANOX_FUNCTIONS = 128;

const resourceName = specRule(
  'sriov-resource-name-valid',
  {
    row: 'SN1',
    summary: 'The resourceName of a policy must consist of letters, digits, and underscores.',
    why: 'The webhook rejects any other; without the webhook, the device plugin does not start.',
    source: WEBHOOK,
    fix: 'Set resourceName to a name without prefix, hyphens, and dots.',
  },
  [NODE_POLICY],
  function* (spec) {
    const name = spec.resourceName;
    if (typeof name !== 'string' || /^[a-zA-Z0-9_]+$/.test(name)) {
      return;
    }
    const without = name
      .split('/')
      .at(-1)
      ?.replace(/[^a-zA-Z0-9_]/g, '_');
    yield {
      path: '/spec/resourceName',
      message: `"${name}" must consist of letters, digits, and underscores`,
      found: name,
      expected: without === '' ? 'a name' : without,
    };
  },
);

const nicSelector = specRule(
  'sriov-nic-selector-stated',
  {
    row: 'SN2',
    summary: 'A policy must select cards by vendor, deviceID, pfNames, rootDevices, or netFilter.',
    why: "The webhook rejects a policy that would take every card of the node, including the host's own.",
    source: WEBHOOK,
    fix: 'Set nicSelector, for example pfNames: [ens2f0].',
  },
  [NODE_POLICY],
  function* (spec) {
    const { nicSelector: selector } = spec;
    if (!isObject(selector)) {
      return;
    }
    const stated =
      ['vendor', 'deviceID', 'netFilter'].some((key) => textAt(selector, key) !== '') ||
      ['pfNames', 'rootDevices'].some((key) => asArray(selector[key]).length > 0);
    if (!stated) {
      yield { path: '/spec/nicSelector', message: 'nicSelector must not be empty', found: selector };
    }
  },
);

const supportedCard = specRule(
  'sriov-card-supported',
  {
    row: 'SN2',
    severity: 'warning',
    summary: 'Vendor and deviceID of a policy must be those of a card that the operator supports.',
    why: 'The webhook rejects cards that are not in the ConfigMap supported-nic-ids; by default it contains cards of Intel, NVIDIA, Broadcom, QLogic, Marvell, and virtio.',
    source: `${WEBHOOK}; deployment/sriov-network-operator-chart/templates/configmap.yaml`,
    fix: 'Set vendor and deviceID to the PCI ids of the physical function (four lower-case hexadecimal digits, without 0x), or add the card to supportedExtraNICs of the chart.',
  },
  [NODE_POLICY],
  function* (spec) {
    const selector = asObject(spec.nicSelector);
    const vendor = textAt(selector, 'vendor');
    const device = textAt(selector, 'deviceID');
    const cards = SUPPORTED_CARDS[vendor];
    if (vendor !== '' && cards === undefined) {
      yield {
        path: '/spec/nicSelector/vendor',
        message: `unsupported vendor "${vendor}"`,
        found: vendor,
        expected: Object.keys(SUPPORTED_CARDS).join(', '),
      };
    } else if (device !== '' && !(cards ?? Object.values(SUPPORTED_CARDS).flat()).includes(device)) {
      yield {
        path: '/spec/nicSelector/deviceID',
        message: `unsupported card "${device}"`,
        found: device,
        expected: cards?.join(', ') ?? 'the id of a physical function',
      };
    }
  },
);

interface FunctionRange {
  readonly pf: string;
  readonly first: number;
  readonly last: number;
}

/** `ens2f0#0-3`, or a complaint. A name without a range has every function. */
function rangeOf(text: string): FunctionRange | string {
  const [pf = '', range, ...rest] = text.split('#');
  if (range === undefined) {
    return { pf, first: 0, last: Infinity };
  }
  const match = /^(\d+)-(\d+)$/.exec(range);
  if (rest.length > 0 || match === null) {
    return 'is not name#first-last';
  }
  const [, first, last] = match.map(Number);
  return { pf, first: first ?? 0, last: last ?? 0 };
}

const functionRanges = specRule(
  'sriov-function-range-valid',
  {
    row: 'SN3',
    summary: 'A range of virtual functions must be written as name#first-last, in order, and be below numVfs.',
    why: 'Functions count from 0; the webhook rejects a range that the card does not have.',
    source: WEBHOOK,
    fix: 'Set pfNames to a range such as ens2f0#0-3, where the last of n functions is n-1.',
  },
  [NODE_POLICY],
  function* (spec) {
    const count = asInteger(spec.numVfs);
    for (const [index, name] of asArray(asObject(spec.nicSelector).pfNames).entries()) {
      if (typeof name !== 'string' || !name.includes('#')) {
        continue;
      }
      const range = rangeOf(name);
      const fault =
        typeof range === 'string'
          ? range
          : range.last < range.first
            ? 'must not end before it begins'
            : count !== undefined && range.last >= count
              ? `exceeds the ${count} functions 0 to ${count - 1}`
              : undefined;
      if (fault !== undefined) {
        yield { path: `/spec/nicSelector/pfNames/${index}`, message: `${name} ${fault}`, found: name };
      }
    }
  },
);

interface MeetingPolicies {
  readonly first: Manifest;
  readonly second: Manifest;
  /** Their specs. */
  readonly one: JsonObject;
  readonly other: JsonObject;
}

/** Pairs of policies of one namespace that certainly meet on some nodes. */
function* meetingPolicies(policies: readonly Manifest[]): Iterable<MeetingPolicies> {
  for (const [index, second] of policies.entries()) {
    const other = asObject(second.object.spec);
    for (const first of policies.slice(0, index)) {
      if (first.id.namespace !== second.id.namespace || first.id.name === second.id.name) {
        continue;
      }
      const one = asObject(first.object.spec);
      if (certainlyMeet(asObject(one.nodeSelector), asObject(other.nodeSelector))) {
        yield { first, second, one, other };
      }
    }
  }
}

const rangesApart = setRule(
  'sriov-functions-apart',
  {
    row: 'SN3',
    summary:
      'Two policies for the same nodes must not take the same virtual functions, and all policies of a card must have the same externallyManaged.',
    why: 'The webhook rejects the second policy.',
    source: WEBHOOK,
    fix: 'Set pfNames to different ranges (ens2f0#0-3 and ens2f0#4-7), or select different nodes.',
  },
  function* ({ set }) {
    for (const { first, second, one, other } of meetingPolicies(set.ofKind(NODE_POLICY))) {
      const theirs = stringsIn(asObject(one.nicSelector).pfNames)
        .map(rangeOf)
        .filter((range) => typeof range === 'object');
      for (const [index, name] of asArray(asObject(other.nicSelector).pfNames).entries()) {
        const own = typeof name === 'string' ? rangeOf(name) : '';
        if (typeof own === 'string') {
          continue;
        }
        for (const range of theirs.filter(({ pf }) => pf === own.pf)) {
          const path = `/spec/nicSelector/pfNames/${index}`;
          const managed = (one.externallyManaged === true) !== (other.externallyManaged === true);
          if (managed) {
            yield {
              manifest: second,
              path,
              message: `${first.id.name} has a different externallyManaged for ${own.pf}`,
              found: other.externallyManaged ?? false,
            };
          }
          // A name without a range beside one with a range passes the webhook: the stronger priority wins.
          const open = (own.last === Infinity) !== (range.last === Infinity);
          if (!open && own.first <= range.last && range.first <= own.last) {
            yield {
              manifest: second,
              path,
              message: `${first.id.name} already takes some of the functions of ${own.pf}`,
              found: name,
            };
          }
        }
      }
      for (const [index, device] of asArray(asObject(other.nicSelector).rootDevices).entries()) {
        if (typeof device !== 'string' || !stringsIn(asObject(one.nicSelector).rootDevices).includes(device)) {
          continue;
        }
        yield {
          manifest: second,
          path: `/spec/nicSelector/rootDevices/${index}`,
          message: `${first.id.name} already takes the device ${device}`,
          found: device,
        };
      }
    }
  },
);

function modeFaults(spec: JsonObject): readonly Violation[] {
  const infiniband = textAt(spec, 'linkType').toLowerCase() === 'ib';
  const switchdev = spec.eSwitchMode === 'switchdev';
  const deviceType = asString(spec.deviceType) ?? 'netdevice';
  const vdpa = spec.vdpaType === 'virtio' || spec.vdpaType === 'vhost';
  const bridge = Object.keys(asObject(spec.bridge)).length > 0;
  const faults: Violation[] = [];
  if (deviceType === 'vfio-pci' && (spec.isRdma === true || infiniband)) {
    const why = spec.isRdma === true ? 'isRdma' : 'linkType ib, for which the webhook sets isRdma';
    faults.push({
      path: '/spec/deviceType',
      message: `vfio-pci must not be used with ${why}`,
      found: 'vfio-pci',
      expected: 'netdevice, or no RDMA',
    });
  }
  if (switchdev && infiniband) {
    faults.push({
      path: '/spec/eSwitchMode',
      message: 'switchdev requires Ethernet links',
      found: 'switchdev',
      expected: 'legacy',
    });
  }
  if (vdpa && deviceType !== 'netdevice') {
    faults.push({
      path: '/spec/deviceType',
      message: 'vdpaType requires deviceType: netdevice',
      found: deviceType,
      expected: 'netdevice',
    });
  }
  if (vdpa && !switchdev) {
    faults.push({
      path: '/spec/vdpaType',
      message: 'vdpaType requires eSwitchMode: switchdev',
      found: spec.vdpaType,
      expected: 'eSwitchMode: switchdev',
    });
  }
  if (bridge && !switchdev) {
    faults.push({
      path: '/spec/bridge',
      message: 'a bridge requires eSwitchMode: switchdev',
      expected: 'eSwitchMode: switchdev',
    });
  }
  if (bridge && spec.externallyManaged === true) {
    faults.push({
      path: '/spec/bridge',
      message: 'bridge must not be set when externallyManaged is true',
      expected: 'externallyManaged: false',
    });
  }
  return faults;
}

const modes = specRule(
  'sriov-modes-agree',
  {
    row: 'SN4',
    summary:
      'Driver, link, and switch mode of a policy must be compatible: vfio-pci without RDMA, switchdev with Ethernet, vDPA with netdevice in switchdev mode, bridges in switchdev mode.',
    why: 'The webhook rejects other combinations.',
    source: WEBHOOK,
    fix: 'Set deviceType: netdevice and isRdma: true for RDMA in pods.',
  },
  [NODE_POLICY],
  modeFaults,
);

const functionCount = specRule(
  'sriov-function-count-possible',
  {
    row: 'SN5',
    summary: 'numVfs must be at least 1, and at most 128 on NVIDIA cards.',
    why: 'The webhook rejects 0 and more than the card has (for other vendors, the card decides).',
    source: WEBHOOK,
    fix: 'Set numVfs to the number of functions for each card.',
  },
  [NODE_POLICY],
  function* (spec, { id }) {
    const count = asInteger(spec.numVfs);
    if (count === undefined || id.name === 'default') {
      return;
    }
    if (count === 0) {
      yield {
        path: '/spec/numVfs',
        message: 'numVfs must be greater than or equal to 1',
        found: 0,
        expected: 'at least 1',
      };
    }
    const nvidia = textAt(asObject(spec.nicSelector), 'vendor') === '15b3';
    if (nvidia && count > MOST_MELLANOX_FUNCTIONS) {
      yield {
        path: '/spec/numVfs',
        message: `numVfs must be less than or equal to ${MOST_MELLANOX_FUNCTIONS} for NVIDIA cards: ${count}`,
        found: count,
        expected: `at most ${MOST_MELLANOX_FUNCTIONS}`,
      };
    }
  },
);

const OPERATOR_KINDS = [NODE_POLICY, SRIOV_NETWORK, SRIOV_IB_NETWORK, OVS_NETWORK, POOL_CONFIG];

const operatorNamespace = setRule(
  'sriov-objects-in-operator-namespace',
  {
    row: 'SN6',
    tier: 'advice',
    summary: "Policies, networks, and pools of the SR-IOV operator must be in the operator's namespace.",
    why: 'The operator reads only that namespace: an object in another namespace is accepted and has no effect.',
    source: `${WEBHOOK}; controllers/generic_network_controller.go`,
    fix: "Set metadata.namespace to that of the SriovOperatorConfig, and use networkNamespace for the namespace of a network's attachment.",
  },
  function* ({ set }) {
    const [config] = set.ofKind(OPERATOR_CONFIG);
    const objects = OPERATOR_KINDS.flatMap((kind) => set.ofKind(kind)).filter(({ id }) => id.namespace !== '');
    const home = config?.id.namespace ?? '';
    if (home !== '') {
      for (const manifest of objects.filter(({ id }) => id.namespace !== home)) {
        yield {
          manifest,
          path: '/metadata/namespace',
          message: `the operator's configuration is in the namespace ${home}`,
          found: manifest.id.namespace,
          expected: home,
        };
      }
      return;
    }
    const [first] = objects;
    for (const manifest of objects.filter(({ id }) => id.namespace !== first?.id.namespace)) {
      yield {
        manifest,
        path: '/metadata/namespace',
        severity: 'warning',
        found: manifest.id.namespace,
        expected: first?.id.namespace,
        message: `${first?.id.kind ?? ''} ${first?.id.name ?? ''} is in the namespace ${first?.id.namespace ?? ''}, but an operator reads only one namespace`,
      };
    }
  },
);

const excludeTopology = setRule(
  'sriov-exclude-topology-agrees',
  {
    row: 'SN7',
    summary: 'Policies of the same resource must have the same excludeTopology.',
    why: 'The device plugin has one setting for the resource; the webhook rejects the second policy.',
    source: WEBHOOK,
    fix: 'Set the same excludeTopology in all policies of the resource, or use another resourceName.',
  },
  function* ({ set }) {
    for (const { first, second, one, other } of meetingPolicies(set.ofKind(NODE_POLICY))) {
      if (textAt(one, 'resourceName') === '' || one.resourceName !== other.resourceName) {
        continue;
      }
      if ((one.excludeTopology === true) === (other.excludeTopology === true)) {
        continue;
      }
      yield {
        manifest: second,
        path: '/spec/excludeTopology',
        message: `${first.id.name} has a different excludeTopology for ${textAt(one, 'resourceName')}`,
        found: other.excludeTopology ?? false,
        expected: String(one.excludeTopology === true),
      };
    }
  },
);

const poolConfig = specRule(
  'sriov-pool-has-one-purpose',
  {
    row: 'SN8',
    summary:
      'A SriovNetworkPoolConfig must be either for parallel changes (maxUnavailable, nodeSelector) or for OVS hardware offload, and its percentage must be 1% to 100%.',
    why: 'The webhook rejects an object with both, and any other value.',
    source: WEBHOOK,
    fix: 'Create one SriovNetworkPoolConfig with maxUnavailable and another with ovsHardwareOffloadConfig.',
  },
  [POOL_CONFIG],
  function* (spec) {
    const parallel = ['maxUnavailable', 'nodeSelector'].find((key) => spec[key] !== undefined && spec[key] !== null);
    const offload = textAt(asObject(spec.ovsHardwareOffloadConfig), 'name');
    if (parallel !== undefined && offload !== '') {
      yield { path: `/spec/${parallel}`, message: `${parallel} must not be set when ovsHardwareOffloadConfig is set` };
    }
    const most = spec.maxUnavailable;
    if (typeof most !== 'string') {
      return;
    }
    const percent = /^\d+%$/.test(most) ? Number(most.slice(0, -1)) : 0;
    if (percent < 1 || percent > 100) {
      yield {
        path: '/spec/maxUnavailable',
        message: `"${most}" is not a valid number or percentage of nodes`,
        found: most,
        expected: 'a number, or 1% to 100%',
        fix: 'Set spec.maxUnavailable to a number of nodes, or to a percentage such as 10%.',
      };
    }
  },
);

const operatorConfig = specRule(
  'sriov-operator-config-named-default',
  {
    row: 'SN8',
    summary: 'The name of the SriovOperatorConfig must be default.',
    why: 'The operator has one configuration; the webhook rejects another name.',
    source: WEBHOOK,
    fix: "Set metadata.name: default, in the operator's namespace.",
  },
  [OPERATOR_CONFIG],
  function* (_spec, { id }) {
    if (id.name !== '' && id.name !== 'default') {
      yield {
        path: '/metadata/name',
        message: `the operator does not read the SriovOperatorConfig ${id.name}`,
        found: id.name,
        expected: 'default',
      };
    }
  },
);

const resourceOffered = setRule(
  'sriov-network-resource-offered',
  {
    tier: 'advice',
    severity: 'warning',
    summary: 'The resourceName of a SriovNetwork must be that of a policy.',
    why: 'Otherwise no function has the name: its pods stay pending, or start without a device (VF pci addr is required).',
    source: `${cite('sriov-network-operator')}, api/v1/helper.go RenderNetAttDef`,
    fix: 'Set resourceName to the resourceName of a policy, without prefix.',
  },
  function* ({ set }) {
    const offered = set
      .ofKind(NODE_POLICY)
      .map(({ object }) => textAt(asObject(object.spec), 'resourceName'))
      .filter((name) => name !== '');
    for (const manifest of [SRIOV_NETWORK, SRIOV_IB_NETWORK, OVS_NETWORK].flatMap((kind) => set.ofKind(kind))) {
      const name = textAt(asObject(manifest.object.spec), 'resourceName');
      if (name === '' || offered.includes(name)) {
        continue;
      }
      const prefixed = name.includes('/');
      if (!prefixed && offered.length === 0) {
        continue;
      }
      yield {
        manifest,
        path: '/spec/resourceName',
        found: name,
        expected: offered.length > 0 ? quotedNames(offered) : name.split('/').at(-1),
        message: prefixed
          ? `resourceName must not have a prefix, because the operator adds its own: "${name}"`
          : `no policy in these manifests offers "${name}"`,
      };
    }
  },
);

const linkTypesAgree = setRule(
  'sriov-network-fits-link',
  {
    tier: 'advice',
    summary: 'A SriovIBNetwork must use functions of InfiniBand cards, and a SriovNetwork those of Ethernet cards.',
    why: "The plugin ib-sriov sets GUIDs, the plugin sriov sets MAC addresses and VLANs: each fails on the other's functions, and the pod does not start.",
    source: `${cite('sriov-network-operator')}, README (SriovNetwork, SriovIBNetwork); ib-sriov-cni`,
    fix: 'Set linkType of the SriovNetworkNodePolicy to ib for a SriovIBNetwork and to eth for a SriovNetwork.',
  },
  function* ({ set }) {
    const policies = set.ofKind(NODE_POLICY).map(({ id, object }) => ({ name: id.name, spec: asObject(object.spec) }));
    for (const kind of [SRIOV_NETWORK, SRIOV_IB_NETWORK]) {
      const wanted = kind === SRIOV_IB_NETWORK ? 'ib' : 'eth';
      const other = kind === SRIOV_IB_NETWORK ? 'SriovNetwork' : 'SriovIBNetwork';
      for (const manifest of set.ofKind(kind)) {
        const { resourceName: wantedName } = asObject(manifest.object.spec);
        const own = policies.filter(({ spec }) => spec.resourceName === wantedName);
        const links = own.map(({ spec }) => textAt(spec, 'linkType').toLowerCase());
        const [policy] = own;
        if (policy === undefined || links.some((link) => link === '' || link === wanted)) {
          continue;
        }
        yield {
          manifest,
          path: '/spec/resourceName',
          message: `SriovNetworkNodePolicy ${policy.name} sets linkType "${links[0] ?? ''}", but a ${manifest.id.kind} requires ${wanted}`,
          found: textAt(policy.spec, 'linkType'),
          expected: `linkType: ${wanted}, or a ${other}`,
          fix: `Set linkType: ${wanted} in the SriovNetworkNodePolicy, or create a ${other} instead of the ${manifest.id.kind}.`,
        };
      }
    }
  },
);

const nodeSelectorStated = specRule(
  'sriov-policy-selects-nodes',
  {
    tier: 'advice',
    severity: 'warning',
    summary: 'A policy should select its nodes.',
    why: 'An empty nodeSelector selects every node, and the operator drains them one after the other.',
    source: `${cite('sriov-network-operator')}, api/v1/helper.go (Selected)`,
    fix: 'Set nodeSelector, for example to feature.node.kubernetes.io/network-sriov.capable: "true".',
  },
  [NODE_POLICY],
  function* (spec) {
    if (isObject(spec.nodeSelector) && stringEntries(spec.nodeSelector).length === 0) {
      yield { path: '/spec/nodeSelector', message: 'nodeSelector is empty', found: {} };
    }
  },
);

export const sriovRules: readonly Rule[] = [
  resourceName,
  nicSelector,
  supportedCard,
  functionRanges,
  rangesApart,
  modes,
  functionCount,
  operatorNamespace,
  excludeTopology,
  poolConfig,
  operatorConfig,
  resourceOffered,
  linkTypesAgree,
  nodeSelectorStated,
];
