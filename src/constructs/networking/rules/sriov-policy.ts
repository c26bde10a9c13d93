/**
 * SN1 to SN4, and SN7: what the operator's webhook demands of one SriovNetworkNodePolicy, and what it silently accepts.
 */
import { oneOfStrings } from '../../../facts/words';
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type Rule, type Violation } from '../../../checks/rules/rule';
import { keyFix, nameFix } from '../../../checks/rules/name-fix';
import { labelValue, qualifiedName } from '../../../manifests/values/name-syntax';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asArray, asObject, asString, isObject, stringEntries } from '../../../manifests/read';
import { hasVdpa, NVIDIA_CARDS, SUPPORTED_CARDS } from '../sriov-facts';
import { meetingPolicies, NODE_POLICY, setRule, specRule, textAt } from './networking-rule';

const WEBHOOK = `${cite('sriov-network-operator')}, pkg/webhook/validate.go`;

const resourceName = specRule(
  'sriov-resource-name-valid',
  {
    row: 'SN1',
    summary: 'The resourceName of a policy must consist of letters, digits, and underscores.',
    why: 'The webhook rejects any other; without the webhook, the device plugin does not start.',
    source: WEBHOOK,
    fix: 'Set resourceName to a name of letters, digits, and underscores, without a prefix.',
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
      ?.replace(/[^a-zA-Z0-9_]+/g, '_')
      .replace(/^_+|_+$/g, '');
    yield {
      path: '/spec/resourceName',
      message: `"${name}" must consist of letters, digits, and underscores`,
      found: name,
      expected: without === '' ? 'a name' : without,
      ...(without === '' ? {} : { fix: `Set spec.resourceName to ${without}.` }),
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
    fix: 'Set at least one field in spec.nicSelector to a non-empty value, such as pfNames: [ens2f0].',
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
      yield {
        path: '/spec/nicSelector',
        message: 'nicSelector must have at least one field that is not empty',
        found: selector,
      };
    }
  },
);

/** What else to do about a card that the operator does not know. */
const ADD_CARD = 'add the card to supportedExtraNICs in the values of the Helm chart';

const supportedCard = specRule(
  'sriov-card-supported',
  {
    row: 'SN2',
    severity: 'warning',
    summary: 'Vendor and deviceID of a policy must be those of a card that the operator supports.',
    why: 'The webhook rejects cards that are not in the ConfigMap supported-nic-ids; by default it contains cards of Intel, NVIDIA, Broadcom, QLogic, Marvell, and virtio.',
    source: `${WEBHOOK}; deployment/sriov-network-operator-chart/templates/configmap.yaml`,
    fix: 'Set vendor and deviceID to the PCI IDs of the physical function (four lowercase hexadecimal digits, without 0x), or add the card to supportedExtraNICs in the values of the Helm chart.',
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
        message: `the operator does not support cards with the vendor ID "${vendor}"`,
        found: vendor,
        expected: oneOfStrings(Object.keys(SUPPORTED_CARDS)),
        fix: `Set nicSelector.vendor to ${oneOfStrings(Object.keys(SUPPORTED_CARDS))}, or ${ADD_CARD}.`,
      };
    } else if (device !== '' && !(cards ?? Object.values(SUPPORTED_CARDS).flat()).includes(device)) {
      yield {
        path: '/spec/nicSelector/deviceID',
        message: `the operator does not support cards with the device ID "${device}"`,
        found: device,
        expected: cards === undefined ? 'the PCI device ID of a physical function' : oneOfStrings(cards),
        fix: `Set nicSelector.deviceID to the PCI device ID of the physical function, such as ${oneOfStrings((cards ?? SUPPORTED_CARDS[NVIDIA_CARDS] ?? []).slice(0, 1))}, or ${ADD_CARD}.`,
      };
    }
  },
);

const nodeSelector = specRule(
  'sriov-node-selector-valid',
  {
    row: 'SN2',
    summary: 'The keys and values of the nodeSelector of a policy must be those of labels.',
    why: 'The webhook cannot list the nodes and rejects the policy; no node has such a label.',
    source: WEBHOOK,
    fix: 'Set spec.nodeSelector to node labels.',
  },
  [NODE_POLICY],
  function* (spec) {
    for (const [key, value] of stringEntries(spec.nodeSelector)) {
      const ofKey = qualifiedName(key);
      const complaint = ofKey ?? labelValue(value);
      if (complaint !== undefined) {
        const at = pointer('/spec/nodeSelector', key);
        yield {
          path: at,
          message:
            ofKey === undefined
              ? `the value ${JSON.stringify(value)} of the node label ${JSON.stringify(key)} must ${complaint}`
              : `the node label key ${JSON.stringify(key)} must ${complaint}`,
          fix:
            ofKey === undefined ? nameFix(fieldOf(at), complaint, value) : keyFix('spec.nodeSelector', complaint, key),
          found: ofKey === undefined ? value : key,
        };
      }
    }
  },
);

function* vdpaFaults(spec: JsonObject, deviceType: string, switchdev: boolean): Iterable<Violation> {
  if (!hasVdpa(spec)) {
    return;
  }
  const vendor = textAt(asObject(spec.nicSelector), 'vendor');
  if (deviceType !== 'netdevice') {
    yield {
      path: '/spec/deviceType',
      message: 'vdpaType requires deviceType: netdevice',
      fix: 'Set spec.deviceType to netdevice, or remove vdpaType.',
      found: deviceType,
      expected: 'netdevice',
    };
  }
  if (!switchdev) {
    yield {
      path: '/spec/vdpaType',
      message: 'vdpaType requires eSwitchMode: switchdev',
      fix: 'Set spec.eSwitchMode to switchdev, or remove vdpaType.',
      found: spec.vdpaType,
      expected: 'eSwitchMode: switchdev',
    };
  }
  if (vendor !== '' && vendor !== NVIDIA_CARDS) {
    yield {
      path: '/spec/nicSelector/vendor',
      message: `vdpaType requires NVIDIA cards (vendor ${NVIDIA_CARDS})`,
      fix: `Set nicSelector.vendor to "${NVIDIA_CARDS}", or remove vdpaType.`,
      found: vendor,
      expected: NVIDIA_CARDS,
    };
  }
}

function modeFaults(spec: JsonObject): readonly Violation[] {
  const infiniband = textAt(spec, 'linkType').toLowerCase() === 'ib';
  const switchdev = spec.eSwitchMode === 'switchdev';
  const deviceType = asString(spec.deviceType) ?? 'netdevice';
  const bridge = Object.keys(asObject(spec.bridge)).length > 0;
  const faults: Violation[] = [];
  if (deviceType === 'vfio-pci' && (spec.isRdma === true || infiniband)) {
    const why = spec.isRdma === true ? 'isRdma is true' : 'linkType is ib, for which the webhook sets isRdma';
    faults.push({
      path: '/spec/deviceType',
      message: `deviceType must not be vfio-pci when ${why}`,
      found: 'vfio-pci',
      expected: 'netdevice',
      fix: `Set spec.deviceType to netdevice${spec.isRdma === true ? ', or remove isRdma' : ''}.`,
    });
  }
  if (switchdev && infiniband) {
    faults.push({
      path: '/spec/eSwitchMode',
      message: 'eSwitchMode must not be switchdev when linkType is ib',
      fix: 'Set spec.eSwitchMode to legacy, or linkType to eth.',
      found: 'switchdev',
      expected: 'legacy',
    });
  }
  faults.push(...vdpaFaults(spec, deviceType, switchdev));
  if (bridge && !switchdev) {
    faults.push({
      path: '/spec/bridge',
      message: 'bridge requires eSwitchMode: switchdev',
      fix: 'Set spec.eSwitchMode to switchdev, or remove bridge.',
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
      'Driver, link, and switch mode of a policy must be compatible: vfio-pci without RDMA, switchdev with Ethernet, vDPA with netdevice and cards of NVIDIA in switchdev mode, bridges in switchdev mode.',
    why: 'The webhook rejects other combinations.',
    source: WEBHOOK,
    fix: 'Set deviceType: netdevice and isRdma: true for RDMA in pods.',
  },
  [NODE_POLICY],
  modeFaults,
);

const excludeTopology = setRule(
  'sriov-exclude-topology-agrees',
  {
    row: 'SN7',
    summary: 'Policies of the same resource must have the same excludeTopology.',
    why: 'The device plugin has one setting for the resource; the webhook rejects the second policy.',
    source: WEBHOOK,
    fix: 'Set spec.excludeTopology to the same value in all policies with this resourceName, or set another resourceName.',
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
        message: `excludeTopology must be the same in all policies with the resourceName "${textAt(one, 'resourceName')}", but differs in the SriovNetworkNodePolicy "${first.id.name}"`,
        found: other.excludeTopology ?? false,
        expected: String(one.excludeTopology === true),
      };
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
    fix: 'Add a label to spec.nodeSelector, for example feature.node.kubernetes.io/network-sriov.capable: "true".',
  },
  [NODE_POLICY],
  function* (spec) {
    if (isObject(spec.nodeSelector) && stringEntries(spec.nodeSelector).length === 0) {
      yield {
        path: '/spec/nodeSelector',
        message: 'nodeSelector is empty, so the policy selects every node',
        found: {},
      };
    }
  },
);

export const sriovPolicyRules: readonly Rule[] = [
  resourceName,
  nicSelector,
  supportedCard,
  nodeSelector,
  modes,
  excludeTopology,
  nodeSelectorStated,
];
