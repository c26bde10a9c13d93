/** The device plugin, RDMA on nodes, and node feature discovery. */
import {
  attachment,
  configMap,
  expression,
  functions,
  nfd,
  pod,
  policy,
  pool,
  shared,
  sriov,
  type RuleCases,
} from './world';

export const nodeCases: readonly RuleCases[] = [
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
