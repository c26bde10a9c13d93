/** NicClusterPolicy and NicNodePolicy. */
import { functions, image, nics, nodeNics, nvidia, policy, type RuleCases } from './world';

const ofed = (version: string, more = {}) => ({ ofedDriver: { ...image, version, ...more } });
const guids = (from: string, to: string) =>
  nics({ ibKubernetes: { ...image, pKeyGUIDPoolRangeStart: from, pKeyGUIDPoolRangeEnd: to, ufmSecret: 'ufm' } });
const resources = (amounts: object) =>
  nics({ nvIpam: { ...image, containerResources: [{ name: 'nv-ipam-node', ...amounts }] } });

const forGpu = { name: 'main', limits: { 'nvidia.com/gpu': 1 } };

export const nicCases: readonly RuleCases[] = [
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
      ...Object.fromEntries(
        [
          'ofedDriver',
          'rdmaSharedDevicePlugin',
          'sriovDevicePlugin',
          'ibKubernetes',
          'nvIpam',
          'nicFeatureDiscovery',
          'docaTelemetryService',
        ].map((part) => [`a GPU of ${part}`, [nics({ [part]: { ...image, containerResources: [forGpu] } })]]),
      ),
      ...Object.fromEntries(
        ['multus', 'cniPlugins', 'ipoib'].map((part) => [
          `a GPU of ${part}`,
          [nics({ secondaryNetwork: { [part]: { ...image, containerResources: [forGpu] } } })],
        ]),
      ),
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
];
