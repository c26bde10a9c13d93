/** Configurations of network attachments. */
import { attachment, cni, nvidia, sriov, type RuleCases } from './world';

const whereabouts = { type: 'whereabouts', range: '192.168.100.0/24' };

export const cniCases: readonly RuleCases[] = [
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
];
