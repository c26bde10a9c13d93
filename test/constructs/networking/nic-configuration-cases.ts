/** Templates of the NIC configuration operator. */
import { type JsonObject } from '../../../src/facts/api/schema';
import { cards, type RuleCases } from './world';

const PCI = { pciPerformanceOptimized: { enabled: true } };
const roce = (qos: JsonObject): JsonObject => ({
  roceOptimized: { enabled: true, qos: { pfc: '0,0,0,1,0,0,0,0', ...qos } },
});
const selects = (nicSelector: JsonObject, name: string, nodeSelector: JsonObject = {}): JsonObject =>
  cards({}, { nicSelector: { nicType: '1021', ...nicSelector }, nodeSelector }, name);

export const nicConfigurationCases: readonly RuleCases[] = [
  {
    rule: 'networking/nic-configuration-card-type',
    fires: {
      'a name': [cards({}, { nicSelector: { nicType: 'ConnectX7' } })],
      'upper case': [cards({}, { nicSelector: { nicType: 'A2DC' } })],
      'with 0x': [cards({}, { nicSelector: { nicType: '0x1021' } })],
    },
    silent: { digits: [cards()], letters: [cards({}, { nicSelector: { nicType: 'a2dc' } })] },
  },
  {
    rule: 'networking/nic-configuration-roce-on-ethernet',
    fires: { InfiniBand: [cards({ linkType: 'Infiniband', ...roce({ trust: 'dscp' }) })] },
    silent: {
      Ethernet: [cards(roce({ trust: 'dscp' }))],
      disabled: [cards({ linkType: 'Infiniband', roceOptimized: { enabled: false } })],
    },
  },
  {
    rule: 'networking/nic-configuration-gpu-direct-complete',
    fires: {
      'without PCI': [cards({ gpuDirectOptimized: { enabled: true, env: 'Baremetal' } })],
      'in a virtual machine': [cards({ ...PCI, gpuDirectOptimized: { enabled: true, env: 'VM' } })],
    },
    silent: {
      both: [cards({ ...PCI, gpuDirectOptimized: { enabled: true, env: 'Baremetal' } })],
      disabled: [cards({ gpuDirectOptimized: { enabled: false, env: 'VM' } })],
    },
  },
  {
    rule: 'networking/nic-configuration-trust-mode',
    fires: {
      'of the old form': [cards(roce({ trust: 'trust-dscp' }))],
      layer: [cards(roce({ trust: 'L3' }))],
      'of the tag': [cards(roce({ trust: 'pcp' }))],
    },
    silent: { dscp: [cards(roce({ trust: 'dscp' }))], pfc: [cards(roce({ trust: 'pfc' }))], none: [cards()] },
  },
  {
    rule: 'networking/nic-configuration-reset-ignores-template',
    fires: { 'with settings': [cards(PCI, { resetToDefault: true })] },
    silent: { alone: [cards({}, { resetToDefault: true })], 'no reset': [cards(PCI, { resetToDefault: false })] },
  },
  {
    rule: 'networking/nic-configurations-apart',
    fires: {
      'all cards twice': [cards(), cards({}, {}, 'b')],
      'one card of all': [selects({}, 'a'), selects({ pciAddresses: ['0000:03:00.0'] }, 'b')],
      'nodes of all': [selects({}, 'a'), selects({}, 'b', { rack: '1' })],
    },
    silent: {
      'other cards': [cards(), cards({}, { nicSelector: { nicType: '1023' } }, 'b')],
      'other addresses': [
        selects({ pciAddresses: ['0000:03:00.0'] }, 'a'),
        selects({ pciAddresses: ['0000:04:00.0'] }, 'b'),
      ],
      'other serial numbers': [selects({ serialNumbers: ['MT1'] }, 'a'), selects({ serialNumbers: ['MT2'] }, 'b')],
      'other nodes': [selects({}, 'a', { rack: '1' }), selects({}, 'b', { rack: '2' })],
      'another namespace': [cards(), cards({}, {}, 'b', 'others')],
    },
  },
];
