/** Policies, networks, and pools of the SR-IOV operator. */
import { policy, sriov, type RuleCases } from './world';

const other = { 'example.com/rdma': 'other' };

export const sriovCases: readonly RuleCases[] = [
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
];
