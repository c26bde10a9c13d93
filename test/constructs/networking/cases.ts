/** Cases of each rule. */
import {
  attachment,
  cni,
  configMap,
  expression,
  functions,
  image,
  nfd,
  nics,
  nodeNics,
  nvidia,
  pod,
  policy,
  pool,
  type RuleCases,
  shared,
  sriov,
} from './world';

const whereabouts = { type: 'whereabouts', range: '192.168.100.0/24' };
const ofed = (version: string, more = {}) => ({ ofedDriver: { ...image, version, ...more } });
const guids = (from: string, to: string) =>
  nics({ ibKubernetes: { ...image, pKeyGUIDPoolRangeStart: from, pKeyGUIDPoolRangeEnd: to, ufmSecret: 'ufm' } });
const resources = (amounts: object) =>
  nics({ nvIpam: { ...image, containerResources: [{ name: 'nv-ipam-node', ...amounts }] } });
const other = { 'example.com/rdma': 'other' };

export const cases: readonly RuleCases[] = [
  {
    rule: 'networking/sriov-resource-name-valid',
    fires: {
      'a hyphen': [policy({ resourceName: 'rail-0' })],
      'a prefix': [policy({ resourceName: 'nvidia.com/rail0' })],
      'no name': [policy({ resourceName: '' })],
    },
    silent: { 'letters, digits, underscores': [policy({ resourceName: 'Rail_0' })] },
  },
  {
    rule: 'networking/sriov-nic-selector-stated',
    fires: {
      nothing: [policy({ nicSelector: {} })],
      'empty lists': [policy({ nicSelector: { pfNames: [], vendor: '' } })],
    },
    silent: {
      'a network of OpenStack': [policy({ nicSelector: { netFilter: 'openstack/NetworkID:1' } })],
      addresses: [policy({ nicSelector: { rootDevices: ['0000:3b:00.0'] } })],
    },
  },
  {
    rule: 'networking/sriov-card-supported',
    fires: {
      'with 0x': [policy({ nicSelector: { vendor: '0x15b3' } })],
      'a function for a card': [policy({ nicSelector: { vendor: '15b3', deviceID: '101e' } })],
      'a card that is unknown': [policy({ nicSelector: { deviceID: 'ffff' } })],
      'of another vendor': [policy({ nicSelector: { vendor: '8086', deviceID: '1021' } })],
    },
    silent: {
      NVIDIA: [policy({ nicSelector: { vendor: '15b3' } })],
      none: [policy()],
      'a card alone': [policy({ nicSelector: { deviceID: '1021' } })],
    },
  },
  {
    rule: 'networking/sriov-function-range-valid',
    fires: {
      'beyond the last': [policy({ nicSelector: { pfNames: ['ens2f0#4-8'] } })],
      backwards: [policy({ nicSelector: { pfNames: ['ens2f0#4-2'] } })],
      'one number': [policy({ nicSelector: { pfNames: ['ens2f0#4'] } })],
    },
    silent: { 'the last one': [policy({ nicSelector: { pfNames: ['ens2f0#4-7', 'ens3f0'] } })] },
  },
  {
    rule: 'networking/sriov-functions-apart',
    fires: {
      'overlapping ranges': [
        policy({ nicSelector: { pfNames: ['ens2f0#0-4'] } }),
        policy({ nicSelector: { pfNames: ['ens2f0#4-7'] } }, 'b'),
      ],
      'one card whole twice': [policy(), policy({}, 'b')],
      'one device twice': [
        policy({ nicSelector: { rootDevices: ['0000:3b:00.0'] } }),
        policy({ nicSelector: { rootDevices: ['0000:3b:00.0'] } }, 'b'),
      ],
      'other management': [
        policy({ nicSelector: { pfNames: ['ens2f0#0-3'] } }),
        policy({ nicSelector: { pfNames: ['ens2f0#4-7'] }, externallyManaged: true }, 'b'),
      ],
      'nodes of a wider selector': [policy({ nodeSelector: {} }), policy({}, 'b')],
    },
    silent: {
      'ranges beside each other': [
        policy({ nicSelector: { pfNames: ['ens2f0#0-3'] } }),
        policy({ nicSelector: { pfNames: ['ens2f0#4-7'] } }, 'b'),
      ],
      'other nodes': [policy(), policy({ nodeSelector: other }, 'b')],
      'other cards': [policy(), policy({ nicSelector: { pfNames: ['ens3f0'] } }, 'b')],
      'other namespaces': [policy(), policy({}, 'b', 'elsewhere')],
      'a whole card beside a range, which priority decides': [
        policy(),
        policy({ nicSelector: { pfNames: ['ens2f0#4-7'] } }, 'b'),
      ],
    },
  },
  {
    rule: 'networking/sriov-modes-agree',
    fires: {
      'vfio-pci with RDMA': [policy({ deviceType: 'vfio-pci', isRdma: true })],
      'vfio-pci on InfiniBand': [policy({ deviceType: 'vfio-pci', linkType: 'IB' })],
      'switchdev on InfiniBand': [policy({ eSwitchMode: 'switchdev', linkType: 'ib' })],
      'vDPA without switchdev': [policy({ vdpaType: 'vhost' })],
      'vDPA on a card of Intel': [
        policy({ vdpaType: 'virtio', eSwitchMode: 'switchdev', nicSelector: { vendor: '8086' } }),
      ],
      'a bridge on a foreign card': [
        policy({ bridge: { ovs: {} }, eSwitchMode: 'switchdev', externallyManaged: true }),
      ],
    },
    silent: {
      'RDMA on netdevice': [policy({ isRdma: true, linkType: 'ib' })],
      'virtual machines': [policy({ deviceType: 'vfio-pci', isRdma: false })],
      'vDPA in switchdev': [policy({ vdpaType: 'virtio', eSwitchMode: 'switchdev' })],
      'an empty bridge': [policy({ bridge: {} })],
    },
  },
  {
    rule: 'networking/sriov-node-selector-valid',
    fires: {
      'a key that is none': [policy({ nodeSelector: { 'a b': '' } })],
      'a long value': [policy({ nodeSelector: { 'example.com/a': 'x'.repeat(64) } })],
    },
    silent: { 'labels of nodes': [policy({ nodeSelector: { 'node-role.kubernetes.io/worker': '' } })] },
  },
  {
    rule: 'networking/sriov-function-count-possible',
    fires: {
      none: [policy({ numVfs: 0 })],
      'too many for NVIDIA': [policy({ numVfs: 129, nicSelector: { vendor: '15b3' } })],
      'too many for cards with vDPA': [
        policy({ numVfs: 129, nicSelector: { pfNames: ['a'] }, vdpaType: 'vhost', eSwitchMode: 'switchdev' }),
      ],
    },
    silent: {
      'the most': [policy({ numVfs: 128, nicSelector: { vendor: '15b3' } })],
      'many of another vendor': [policy({ numVfs: 256, nicSelector: { vendor: '8086' } })],
    },
  },
  {
    rule: 'networking/sriov-objects-in-operator-namespace',
    fires: {
      'beside no configuration': [sriov('SriovOperatorConfig', {}, 'default', 'sriov-system'), policy()],
      'in two namespaces': [policy(), sriov('SriovNetwork', { resourceName: 'rail0' }, 'net', 'ai')],
    },
    silent: {
      'with the configuration': [
        sriov('SriovOperatorConfig', {}, 'default', 'sriov'),
        policy(),
        sriov('SriovNetwork', { networkNamespace: 'ai' }),
      ],
      'in one namespace': [policy(), policy({}, 'b')],
    },
  },
  {
    rule: 'networking/sriov-exclude-topology-agrees',
    fires: { 'one of two': [policy({ excludeTopology: true }), policy({ nicSelector: { pfNames: ['ens3f0'] } }, 'b')] },
    silent: {
      both: [
        policy({ excludeTopology: true }),
        policy({ excludeTopology: true, nicSelector: { pfNames: ['ens3f0'] } }, 'b'),
      ],
      'other resources': [
        policy({ excludeTopology: true }),
        policy({ resourceName: 'rail1', nicSelector: { pfNames: ['ens3f0'] } }, 'b'),
      ],
    },
  },
  {
    rule: 'networking/sriov-pool-has-one-purpose',
    fires: {
      two: [sriov('SriovNetworkPoolConfig', { maxUnavailable: 2, ovsHardwareOffloadConfig: { name: 'master' } })],
      'a share that is none': [sriov('SriovNetworkPoolConfig', { maxUnavailable: '0%' })],
      'a number in quotes': [sriov('SriovNetworkPoolConfig', { maxUnavailable: '2' })],
    },
    silent: {
      'parallel changes': [
        sriov('SriovNetworkPoolConfig', {
          maxUnavailable: '50%',
          nodeSelector: { matchLabels: other },
          rdmaMode: 'exclusive',
        }),
      ],
    },
  },
  {
    rule: 'networking/sriov-operator-config-named-default',
    fires: { 'another name': [sriov('SriovOperatorConfig', {}, 'mine')] },
    silent: { default: [sriov('SriovOperatorConfig', {}, 'default')] },
  },
  {
    rule: 'networking/sriov-network-resource-offered',
    fires: {
      'no such policy': [policy(), sriov('SriovNetwork', { resourceName: 'rail9' })],
      'a prefix': [sriov('SriovIBNetwork', { resourceName: 'openshift.io/rail0' })],
    },
    silent: {
      'of a policy': [policy(), sriov('SriovNetwork', { resourceName: 'rail0' })],
      'policies elsewhere': [sriov('SriovNetwork', { resourceName: 'rail9' })],
    },
  },
  {
    rule: 'networking/sriov-network-fits-link',
    fires: {
      'InfiniBand over Ethernet': [policy({ linkType: 'ETH' }), sriov('SriovIBNetwork', { resourceName: 'rail0' })],
      'Ethernet over InfiniBand': [policy({ linkType: 'ib' }), sriov('SriovNetwork', { resourceName: 'rail0' })],
    },
    silent: {
      'as the card is': [policy(), sriov('SriovIBNetwork', { resourceName: 'rail0' })],
      InfiniBand: [policy({ linkType: 'IB' }), sriov('SriovIBNetwork', { resourceName: 'rail0' })],
    },
  },
  {
    rule: 'networking/sriov-policy-selects-nodes',
    fires: { 'every node': [policy({ nodeSelector: {} })] },
    silent: { some: [policy()] },
  },
  {
    rule: 'networking/nic-cluster-policy-named',
    fires: { 'another name': [nics({}, 'mine')] },
    silent: { 'the name': [nics({})] },
  },
  {
    rule: 'networking/nic-ofed-version-readable',
    fires: {
      'a word': [nics(ofed('latest'))],
      none: [nics(ofed(''))],
      'the version of all': [nics({ global: { version: 'v26' }, ofedDriver: { image: 'doca-driver' } })],
    },
    silent: {
      'as NVIDIA writes them': [
        nics(ofed('23.10-0.2.2.0')),
        nodeNics(ofed('doca3.1.0-25.07-0.9.7.0-0'), 'b'),
        nodeNics(ofed('25.01-0.6.0.0-0-6.8.0-1019-oracle-ubuntu22.04-arm64'), 'c'),
        nodeNics(ofed('doca3.6.0-26.10-016000-ubuntu24.04-amd64'), 'd'),
        nodeNics(ofed(`sha256:${'a'.repeat(64)}`), 'e'),
      ],
    },
  },
  {
    rule: 'networking/nic-safe-load-upgrades',
    fires: { 'without upgrades': [nics(ofed('23.10-0.2.2.0', { upgradePolicy: { safeLoad: true } }))] },
    silent: { 'with them': [nics(ofed('23.10-0.2.2.0', { upgradePolicy: { safeLoad: true, autoUpgrade: true } }))] },
  },
  {
    rule: 'networking/nic-guid-range-ordered',
    fires: {
      'no GUID': [guids('0x02', '02:FF:FF:FF:FF:FF:FF:FF')],
      backwards: [guids('02:FF:FF:FF:FF:FF:FF:FF', '02:00:00:00:00:00:00:00')],
      one: [guids('02:00:00:00:00:00:00:00', '02:00:00:00:00:00:00:00')],
    },
    silent: { 'a range': [guids('02:00:00:00:00:00:00:00', '02:ff:FF:FF:FF:FF:FF:FF')] },
  },
  {
    rule: 'networking/nic-container-resources-valid',
    fires: {
      'a GPU': [resources({ limits: { 'nvidia.com/gpu': 1 } })],
      zero: [resources({ requests: { cpu: '0' } })],
      'more than the limit': [resources({ requests: { memory: '2Gi' }, limits: { memory: '1Gi' } })],
    },
    silent: { 'CPU and memory': [resources({ requests: { cpu: '100m', memory: '1Gi' }, limits: { memory: '1Gi' } })] },
  },
  {
    rule: 'networking/nic-node-policy-name-short',
    fires: {
      '51 characters': [nodeNics({}, 'a'.repeat(51))],
      '31, which newer releases refuse': [nodeNics({}, 'a'.repeat(31))],
    },
    silent: { '30': [nodeNics({}, 'a'.repeat(30))] },
  },
  {
    rule: 'networking/nic-policies-apart',
    fires: {
      'beside the cluster policy': [nics(ofed('23.10-0.2.2.0')), nodeNics(ofed('23.10-0.2.2.0'))],
      'same nodes': [nodeNics({}), nodeNics({}, 'b', { pool: 'a', zone: 'z' })],
    },
    silent: {
      'other sections': [nics({ nvIpam: image }), nodeNics(ofed('23.10-0.2.2.0'))],
      'other nodes': [nodeNics(ofed('23.10-0.2.2.0')), nodeNics(ofed('23.10-0.2.2.0'), 'b', { pool: 'b' })],
    },
  },
  {
    rule: 'networking/nic-host-device-resource-valid',
    fires: {
      'a prefix': [nvidia('HostDeviceNetwork', { resourceName: 'nvidia.com/hostdev' })],
      none: [nvidia('HostDeviceNetwork', {})],
    },
    silent: { 'a name': [nvidia('HostDeviceNetwork', { resourceName: 'host-dev.1' })] },
  },
  {
    rule: 'networking/nic-part-image-complete',
    fires: {
      'no version': [nics({ nvIpam: { image: 'x', repository: 'y' } })],
      'of Multus': [nics({ secondaryNetwork: { multus: { image: 'x' } } })],
    },
    silent: {
      'for all': [
        nics({
          global: { repository: 'y', version: '1' },
          nvIpam: { image: 'x' },
          secondaryNetwork: { multus: { image: 'x' } },
        }),
      ],
      'of its own': [nics({ nvIpam: image })],
    },
  },
  {
    rule: 'networking/nic-one-sriov-device-plugin',
    fires: {
      'one name twice': [
        policy(),
        functions({ resourceList: [{ resourceName: 'rail0', selectors: { vendors: ['15b3'] } }] }),
      ],
    },
    silent: {
      'two names': [
        policy(),
        functions({ resourceList: [{ resourceName: 'hostdev', selectors: { vendors: ['15b3'] } }] }),
      ],
      'no policy': [functions({ resourceList: [{ resourceName: 'rail0' }] })],
    },
  },
  {
    rule: 'networking/cni-config-is-json',
    fires: {
      'a comma too many': [attachment('{"type": "macvlan",}')],
      'a list': [attachment([])],
      'ipam of a network': [sriov('SriovNetwork', { ipam: "{'type': 'whereabouts'}" })],
      'plugins behind': [sriov('SriovNetwork', { metaPlugins: 'type: rdma' })],
    },
    silent: {
      JSON: [attachment(cni({}))],
      'nothing, so that the node has it': [attachment('')],
      'plugins behind, as the operator writes them': [
        sriov('SriovNetwork', {
          metaPlugins: '{"type":"rdma"},{"type":"tuning"}',
          capabilities: '{"ips": true}',
          ipam: JSON.stringify(whereabouts),
        }),
      ],
    },
  },
  {
    rule: 'networking/cni-plugin-named',
    fires: {
      'no plugin': [attachment({ cniVersion: '1.0.0', name: 'a' })],
      'one without type': [attachment({ cniVersion: '1.0.0', name: 'a', plugins: [{ type: 'macvlan' }, {}] })],
    },
    silent: {
      one: [attachment(cni({}))],
      'a list': [attachment({ cniVersion: '1.0.0', name: 'a', plugins: [{ type: 'macvlan' }] })],
    },
  },
  {
    rule: 'networking/cni-version-known',
    fires: {
      'none such': [attachment(cni({ cniVersion: '2.0.0' }))],
      'a number': [attachment(cni({ cniVersion: 1 }))],
      none: [attachment({ name: 'a', type: 'macvlan' })],
    },
    silent: {
      old: [attachment(cni({ cniVersion: '0.3.1' }))],
      several: [attachment({ name: 'a', type: 'macvlan', cniVersions: ['1.0.0', '1.1.0'] })],
    },
  },
  {
    rule: 'networking/cni-network-named',
    fires: {
      'a space': [attachment(cni({ name: 'my net' }))],
      none: [attachment({ cniVersion: '1.0.0', type: 'macvlan' })],
    },
    silent: { 'a name': [attachment(cni({ name: 'My_net.1' }))] },
  },
  {
    rule: 'networking/cni-plugin-settings-taken',
    fires: {
      'a function from nowhere': [attachment(cni({}), null)],
      'of InfiniBand': [attachment(cni({ type: 'ib-sriov' }), null)],
      'a device from nowhere': [attachment(cni({ type: 'host-device' }), null)],
      'IPoIB over nothing': [attachment(cni({ type: 'ipoib' }), null)],
      'a mode that is none': [attachment(cni({ type: 'macvlan', mode: 'private-ish' }))],
      'a VLAN that is none': [attachment(cni({ vlan: 4095 }))],
      'priority without VLAN': [attachment(cni({ vlanQoS: 3 }))],
      'in a list': [attachment({ cniVersion: '1.0.0', name: 'a', plugins: [{ type: 'sriov' }] }, null)],
    },
    silent: {
      tied: [attachment(cni({ vlan: 100, vlanQoS: 3, link_state: 'auto' }))],
      'a named device': [attachment(cni({ type: 'host-device', device: 'ens2f0' }), null)],
      'an address': [attachment(cni({ deviceID: '0000:3b:02.1' }), null)],
      'macvlan over the default route': [attachment(cni({ type: 'macvlan' }), null)],
      'a plugin that is unknown': [attachment(cni({ type: 'mine', mode: 'x' }), null)],
      'priority 0, as the operator writes it': [attachment(cni({ vlan: 0, vlanQoS: 0 }))],
    },
  },
  {
    rule: 'networking/cni-ipam-complete',
    fires: {
      'no type': [attachment(cni({ ipam: { range: '10.0.0.0/8' } }))],
      'no range': [attachment(cni({ ipam: { type: 'whereabouts' } }))],
      'no length': [attachment(cni({ ipam: { type: 'whereabouts', range: '10.0.0.0' } }))],
      'no subnet': [attachment(cni({ ipam: { type: 'host-local' } }))],
      outside: [attachment(cni({ ipam: { type: 'host-local', subnet: '10.0.0.0/24', rangeStart: '10.0.1.1' } }))],
      'no pool': [attachment(cni({ ipam: { type: 'nv-ipam' } }))],
      'of a network': [nvidia('MacvlanNetwork', { ipam: '{"type": "whereabouts", "range": "10.0.0/24"}' })],
      'in the other family': [attachment(cni({ ipam: { ...whereabouts, range_start: 'fd00::1' } }))],
      'an exclusion that is none': [attachment(cni({ ipam: { ...whereabouts, exclude: ['10.0.0.300/32'] } }))],
    },
    silent: {
      none: [attachment(cni({ ipam: {} }))],
      whereabouts: [
        attachment(
          cni({
            ipam: { ...whereabouts, range: '192.168.2.225/28', exclude: ['192.168.2.229/30'], gateway: '192.168.2.1' },
          }),
        ),
      ],
      'first and last in one text': [
        attachment(cni({ ipam: { type: 'whereabouts', range: '192.168.2.226-192.168.2.230/28' } })),
      ],
      'two families': [
        attachment(
          cni({
            ipam: {
              type: 'whereabouts',
              ipRanges: [{ range: '10.0.0.0/24' }, { range: 'fd00:1::/64', range_start: 'fd00:1::10' }],
            },
          }),
        ),
      ],
      ranges: [
        attachment(
          cni({
            ipam: {
              type: 'host-local',
              ranges: [[{ subnet: '10.0.0.0/24', rangeStart: '10.0.0.9', rangeEnd: '10.0.0.9' }]],
            },
          }),
        ),
      ],
      dhcp: [attachment(cni({ ipam: { type: 'dhcp' } }))],
      'static by the pod': [attachment(cni({ ipam: { type: 'static' } }))],
      'another plugin': [attachment(cni({ ipam: { type: 'mine' } }))],
    },
  },
  {
    rule: 'networking/cni-chained-plugin-follows',
    fires: {
      alone: [attachment(cni({ type: 'rdma' }))],
      first: [attachment({ cniVersion: '1.0.0', name: 'a', plugins: [{ type: 'rdma' }, { type: 'sriov' }] })],
    },
    silent: {
      behind: [
        attachment({
          cniVersion: '1.0.0',
          name: 'a',
          plugins: [{ type: 'sriov' }, { type: 'rdma' }, { type: 'tuning' }],
        }),
      ],
    },
  },
  {
    rule: 'networking/cni-macvlan-on-ethernet',
    fires: {
      ib0: [attachment(cni({ type: 'macvlan', master: 'ib0' }))],
      'of the operator': [nvidia('MacvlanNetwork', { master: 'ibs3f1' })],
    },
    silent: {
      Ethernet: [attachment(cni({ type: 'macvlan', master: 'ens2f0' }))],
      IPoIB: [nvidia('IPoIBNetwork', { master: 'ib0' })],
    },
  },
  {
    rule: 'networking/device-plugin-config-readable',
    fires: {
      'no JSON': [shared('configList: []')],
      'no pools': [shared({ configList: [] })],
      'another list': [functions({ configList: [pool] })],
      'a count in quotes': [shared({ configList: [{ ...pool, rdmaHcaMax: '63' }] })],
      'selectors that are a text': [shared({ configList: [{ ...pool, selectors: 'mlx5' }] })],
      'a device type that is none': [functions({ resourceList: [{ resourceName: 'a', deviceType: 'nic' }] })],
      'in a ConfigMap': [
        configMap('{"configList": [{"resourceName": "a", "rdmaHcaMax": 1, "selectors": {"vendors": "15b3"}}]}'),
      ],
    },
    silent: {
      'shared devices': [shared({ periodicUpdateInterval: 0, configList: [pool] })],
      functions: [
        functions({
          resourceList: [{ resourceName: 'a', selectors: [{ vendors: ['15b3'] }, { pfNames: ['ens2f0#0-3'] }] }],
        }),
      ],
      'another ConfigMap': [configMap('configList')],
    },
  },
  {
    rule: 'networking/device-plugin-resource-named',
    fires: {
      'a hyphen': [shared({ configList: [{ ...pool, resourceName: 'rdma-a' }] })],
      'one twice': [shared({ configList: [pool, pool] })],
      'a prefix that is no domain': [shared({ configList: [{ ...pool, resourcePrefix: 'rdma' }] })],
      none: [functions({ resourceList: [{ selectors: { vendors: ['15b3'] } }] })],
    },
    silent: {
      'a domain': [shared({ configList: [{ ...pool, resourcePrefix: 'example.com' }] })],
      'a prefix that only the webhook refuses, in a ConfigMap': [
        configMap(JSON.stringify({ configList: [{ ...pool, resourcePrefix: 'example_prefix' }] })),
      ],
    },
  },
  {
    rule: 'networking/device-plugin-pool-selects',
    fires: {
      nothing: [shared({ configList: [{ resourceName: 'a', rdmaHcaMax: 1 }] })],
      twice: [shared({ configList: [{ ...pool, devices: ['ib0'] }] })],
      'every function': [functions({ resourceList: [{ resourceName: 'a', selectors: {} }] })],
    },
    silent: {
      'in the old way': [shared({ configList: [{ resourceName: 'a', rdmaHcaMax: 1, devices: ['ib0'] }] })],
      'by what it can do': [functions({ resourceList: [{ resourceName: 'a', selectors: { isRdma: true } }] })],
    },
  },
  {
    rule: 'networking/device-plugin-pool-shares',
    fires: {
      zero: [shared({ configList: [{ ...pool, rdmaHcaMax: 0 }] })],
      nothing: [configMap('{"configList": [{"resourceName": "a", "devices": ["ib0"]}]}')],
    },
    silent: { some: [shared({ configList: [pool] })] },
  },
  {
    rule: 'networking/device-plugin-key-known',
    fires: {
      'a selector of the other plugin': [shared({ configList: [{ ...pool, selectors: { pfNames: ['ens2f0'] } }] })],
      'ifNames of the other': [
        functions({ resourceList: [{ resourceName: 'a', selectors: { ifNames: ['ens2f0'] } }] }),
      ],
    },
    silent: {
      'another case, as Go reads it': [
        functions({ resourceList: [{ resourceName: 'a', selectors: { IsRdma: true } }] }),
      ],
    },
  },
  {
    rule: 'networking/sriov-rdma-function-carries-rdma',
    fires: { 'no RDMA': [policy(), pod({ 'openshift.io/rail0': 1 })] },
    silent: {
      RDMA: [policy({ isRdma: true }), pod({ 'openshift.io/rail0': 1 })],
      InfiniBand: [policy({ linkType: 'ib' }), pod({ 'openshift.io/rail0': 1 })],
      'no RDMA wanted': [policy(), pod({ 'openshift.io/rail0': 1 }, [])],
    },
  },
  {
    rule: 'networking/rdma-namespace-mode-fits',
    fires: {
      exclusive: [sriov('SriovNetworkPoolConfig', { rdmaMode: 'exclusive' }), shared({ configList: [pool] })],
      shared: [
        sriov('SriovNetworkPoolConfig', { rdmaMode: 'shared' }),
        attachment({ cniVersion: '1.0.0', name: 'a', plugins: [{ type: 'sriov' }, { type: 'rdma' }] }),
      ],
      'shared, behind a network': [
        sriov('SriovNetworkPoolConfig', { rdmaMode: 'shared' }),
        sriov('SriovNetwork', { metaPlugins: '{"type": "rdma"}' }),
      ],
    },
    silent: {
      'exclusive with functions': [
        sriov('SriovNetworkPoolConfig', { rdmaMode: 'exclusive' }),
        sriov('SriovNetwork', { metaPlugins: '{"type": "rdma"}' }),
      ],
      'both modes, for different nodes': [
        sriov('SriovNetworkPoolConfig', { rdmaMode: 'exclusive' }),
        sriov('SriovNetworkPoolConfig', { rdmaMode: 'shared' }, 'b'),
        shared({ configList: [pool] }),
      ],
    },
  },
  {
    rule: 'networking/rdma-shared-device-offered',
    fires: { 'another name': [shared({ configList: [pool] }), pod({ 'rdma/hca': 1 })] },
    silent: {
      'the name': [shared({ configList: [pool] }), pod({ 'rdma/rdma_shared_device_a': 1 })],
      'no plugin here': [pod({ 'rdma/hca': 1 })],
    },
  },
  {
    rule: 'networking/nfd-key-in-domain',
    fires: {
      'a taint without domain': [nfd({ taints: [{ key: 'rdma', effect: 'NoSchedule' }] })],
      'a key that is no name': [nfd({ labels: { 'two words': 'true' } })],
      'kubernetes.io': [nfd({ labels: { 'kubernetes.io/rdma': 'true' } })],
      'another of it': [nfd({ annotations: { 'profile.node.kubernetes.io/a': 'b' } })],
      'a taint': [nfd({ taints: [{ key: 'node.kubernetes.io/a', effect: 'NoSchedule' }] })],
    },
    silent: {
      'keys that NFD prefixes': [
        nfd({ labels: { rdma: 'true' }, annotations: { fabric: 'ib' }, extendedResources: { lanes: '4' } }),
      ],
      allowed: [
        nfd({
          labels: { 'feature.node.kubernetes.io/a': 'b', 'x.profile.node.kubernetes.io/a': 'b', 'example.com/c': '' },
          taints: [{ key: 'example.com/x', effect: 'NoExecute' }],
        }),
      ],
    },
  },
  {
    rule: 'networking/nfd-value-valid',
    fires: {
      'a space': [nfd({ labels: { 'example.com/a': 'two words' } })],
      'a long annotation': [nfd({ annotations: { 'example.com/a': 'x'.repeat(1025) } })],
      'no quantity': [nfd({ extendedResources: { 'example.com/a': 'many' } })],
    },
    silent: {
      references: [
        nfd({
          labels: { 'example.com/a': '@pci.device.vendor' },
          extendedResources: { 'example.com/b': '@cpu.topology.socket_count', 'example.com/c': '4' },
        }),
      ],
    },
  },
  {
    rule: 'networking/nfd-taint-key-valid',
    fires: {
      'no DNS name': [nfd({ taints: [{ key: 'example..com/a', effect: 'NoSchedule' }] })],
      'no name': [nfd({ taints: [{ key: 'example.com/', effect: 'NoSchedule' }] })],
    },
    silent: {
      'a qualified name': [nfd({ taints: [{ key: 'example.com/a', effect: 'NoSchedule' }] })],
      'no domain, which NFD rejects': [nfd({ taints: [{ key: 'a b', effect: 'NoSchedule' }] })],
    },
  },
  {
    rule: 'networking/nfd-template-valid',
    fires: {
      'an unknown function': [nfd({ labelsTemplate: '{{ range .pci.device }}a-{{ class }}=true{{ end }}' })],
      'a block without an end': [nfd({ varsTemplate: '{{ if .a }}b=c' })],
      'a function that reads the host': [nfd({ labelsTemplate: 'a={{ env "HOME" }}' })],
      'too large': [nfd({ labelsTemplate: 'a'.repeat(64 * 1024 + 1) })],
    },
    silent: {
      'functions of Go and sprig': [
        nfd({ labelsTemplate: '{{ range .pci.device }}a-{{ .class | upper | trunc 4 }}={{ len .vendor }}\n{{ end }}' }),
      ],
    },
  },
  {
    rule: 'networking/nfd-taint-effect-valid',
    fires: {
      none: [nfd({ taints: [{ key: 'example.com/a' }] })],
      'none such': [nfd({ taints: [{ key: 'example.com/a', effect: 'Never' }] })],
    },
    silent: { 'one of them': [nfd({ taints: [{ key: 'example.com/a', effect: 'PreferNoSchedule' }] })] },
  },
  {
    rule: 'networking/nfd-feature-named',
    fires: {
      'one word': [expression({ op: 'Exists' }, 'pci')],
      'in an alternative': [nfd({ matchAny: [{ matchFeatures: [{ feature: 'a.b.c' }] }] })],
    },
    silent: { two: [expression({ op: 'Exists' })] },
  },
  {
    rule: 'networking/nfd-expression-evaluates',
    fires: {
      'a value too many': [expression({ op: 'Exists', value: ['x'] })],
      none: [expression({ op: 'In' })],
      'two for Gt': [expression({ op: 'Gt', value: ['1', '2'] })],
      'no number': [expression({ op: 'Gt', value: ['5.15'] })],
      backwards: [expression({ op: 'GtLt', value: ['9', '1'] })],
      'in matchName': [nfd({ matchFeatures: [{ feature: 'cpu.cpuid', matchName: { op: 'InRegexp' } }] })],
    },
    silent: {
      'as they are meant': [
        expression({ op: 'In', value: ['15b3'] }),
        expression({ op: 'Ge', type: 'version', value: ['5.15'] }),
        expression({ op: 'GeLe', value: ['1', '9'] }),
        expression({ op: 'IsTrue' }),
      ],
    },
  },
  {
    rule: 'networking/nfd-rule-does-something',
    fires: { nothing: [nfd({ labels: null })] },
    silent: { 'variables for later rules': [nfd({ labels: null, vars: { a: 'b' } })] },
  },
];
