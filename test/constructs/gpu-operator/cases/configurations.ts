import { type JsonObject } from '../../../../src/facts/api/schema';
import { asObject } from '../../../../src/manifests/read';
import { clusterPolicy, configMap, counters, entry, mig, plugin, type RuleCases, slicing } from '../world';

const gpu = { name: 'nvidia.com/gpu', replicas: 4 };
const MOUNTED = { volumeMounts: [{ name: 'config', mountPath: '/config' }] };

export const configurationCases: readonly RuleCases[] = [
  {
    rule: 'gpu-operator/device-plugin-config-readable',
    fires: {
      'another spelling of a section, which is not a mapping': [plugin({ ...slicing(), SHARING: 'a' })],
      'another spelling of the version, which is not a string': [plugin({ ...slicing(), VERSION: 1 })],
      'another spelling of a flag, which is not a string': [
        plugin({ ...slicing(), flags: { migStrategy: 'none', MIGSTRATEGY: 1 } }),
      ],
      'broken YAML': [plugin('sharing:\n  timeSlicing: [')],
      'a list': [clusterPolicy({ devicePlugin: { config: { name: 'plugin' } } }), plugin('- a')],
      'another version': [plugin({ ...slicing(), version: 'v2' })],
      'sharing is a list': [plugin({ sharing: [], flags: { migStrategy: 'none' } })],
      'a flag that is a number': [plugin({ ...slicing(), flags: { nvidiaDriverRoot: 1 } })],
      'a switch of another type': [plugin({ ...slicing(), flags: { failOnInitError: 'true' } })],
      'no duration': [plugin({ ...slicing(), flags: { gfd: { sleepInterval: '60' } } })],
      'a strategy that is null': [plugin({ flags: { plugin: { deviceListStrategy: [null] } } })],
      'resources that are a list': [plugin({ ...slicing(), resources: [] })],
      'a switch that is text': [plugin(slicing(gpu, { renameByDefault: 'yes', failRequestsGreaterThanOne: true }))],
    },
    silent: {
      'no version': [plugin({ sharing: slicing().sharing ?? {} })],
      'a version that is null': [plugin({ ...slicing(), version: null })],
      'flags alone': [plugin('version: v1\nflags:\n  migStrategy: none\n')],
      'flags of each type': [
        plugin({
          ...slicing(),
          flags: { failOnInitError: null, mpsRoot: '/run', gfd: { oneshot: false, sleepInterval: '1m30s' } },
        }),
      ],
      'another text': [configMap({ 'a.yaml': 'sharing: yes\nversion: 7' })],
    },
  },
  {
    rule: 'gpu-operator/device-plugin-config-key-known',
    fires: {
      misspelled: [plugin({ version: 'v1', sharing: { 'time-slicing': { resources: [gpu] } } })],
      'in another case, where the plugin reads the exact name': [
        plugin({ version: 'v1', sharing: { timeSlicing: { Resources: [gpu], resources: [gpu] } } }),
      ],
      'in a resource': [plugin(slicing({ ...gpu, replica: 2 }))],
      'in flags': [plugin({ flags: { 'mig-strategy': 'none', migStrategy: 'none' } })],
    },
    silent: {
      'known keys': [
        plugin({
          ...slicing(),
          flags: { migStrategy: 'none', plugin: { deviceListStrategy: 'envvar' }, gfd: { oneshot: false } },
          imex: { channelIDs: [0], required: true },
        }),
      ],
      'in another case, which the plugin reads': [
        plugin({
          Version: 'v1',
          Sharing: { timeslicing: { resources: [gpu] } },
          Flags: { MigStrategy: 'none', Plugin: { DEVICELISTSTRATEGY: 'envvar' }, GFD: { oneShot: false } },
          Imex: { channelids: [0] },
        }),
      ],
    },
  },
  {
    rule: 'gpu-operator/device-plugin-flag-known',
    fires: {
      'MIG strategy': [plugin({ flags: { migStrategy: 'all' } })],
      'list strategy': [plugin({ flags: { plugin: { deviceListStrategy: ['envvar', 'cdi'] } } })],
      'id strategy': [plugin({ flags: { migStrategy: 'none', plugin: { deviceIDStrategy: 'name' } } })],
      'IMEX channel 1': [plugin({ ...slicing(), imex: { channelIDs: [1] } })],
    },
    silent: {
      known: [
        plugin({
          flags: {
            migStrategy: 'mixed',
            deviceDiscoveryStrategy: 'auto',
            plugin: { deviceListStrategy: 'volume-mounts', deviceIDStrategy: 'index' },
          },
          imex: { channelIDs: [] },
        }),
      ],
    },
  },
  {
    rule: 'gpu-operator/sharing-resource-complete',
    fires: {
      'one replica': [plugin(slicing({ name: 'nvidia.com/gpu', replicas: 1 }))],
      'no replicas': [plugin(slicing({ name: 'nvidia.com/gpu' }))],
      text: [plugin(slicing({ name: 'nvidia.com/gpu', replicas: '4' }))],
      'no name': [plugin(slicing({ replicas: 4 }))],
      'another vendor': [plugin(slicing({ name: 'amd.com/gpu', replicas: 4 }))],
      'a long name': [plugin(slicing({ name: `nvidia.com/${'x'.repeat(60)}`, replicas: 4 }))],
      none: [plugin({ sharing: { timeSlicing: { resources: [] } } })],
      devices: [plugin(slicing({ ...gpu, devices: 'some' }))],
      'a device that is no UUID': [plugin(slicing({ ...gpu, devices: ['GPU-1'] }))],
      'half a device': [plugin(slicing({ ...gpu, devices: [0.5] }))],
      'a new name that is none': [plugin(slicing({ ...gpu, rename: 'two words' }))],
      'a pattern without a name': [plugin({ ...slicing(), resources: { gpus: [{ pattern: '*' }] } })],
      'time-slicing that is null': [plugin('version: v1\nsharing:\n  timeSlicing: null\n')],
    },
    silent: {
      two: [plugin(slicing({ name: 'nvidia.com/gpu', replicas: 2 }))],
      'devices by index, slice, and UUID': [
        plugin(slicing({ ...gpu, devices: [0, '1', '1:0', 'GPU-b1028956-cfa2-0990-bf4a-5da9abb51763'] })),
      ],
      'resources with names': [
        plugin({ ...slicing(), resources: { gpus: [{ pattern: '*', name: 'nvidia.com/gpu' }], mig: null } }),
      ],
      'without the domain': [plugin(slicing({ name: 'gpu', replicas: 2, devices: 'all' }))],
    },
  },
  {
    rule: 'gpu-operator/sharing-one-kind',
    fires: { both: [plugin({ sharing: { timeSlicing: { resources: [gpu] }, mps: { resources: [gpu] } } })] },
    silent: {
      one: [plugin(slicing())],
      'null beside it': [plugin({ sharing: { timeSlicing: { resources: [gpu] }, mps: null } })],
    },
  },
  {
    rule: 'gpu-operator/sharing-mps-whole-gpus',
    fires: {
      mixed: [plugin({ flags: { migStrategy: 'mixed' }, sharing: { mps: { resources: [gpu] } } })],
      'a slice': [
        plugin(
          'version: v1\nsharing:\n  mps:\n    resources:\n    - name: nvidia.com/mig-1g.10gb\n      replicas: 2\n',
        ),
      ],
    },
    silent: {
      single: [plugin({ flags: { migStrategy: 'single' }, sharing: { mps: { resources: [gpu] } } })],
      'time-slicing of a slice': [plugin(slicing({ name: 'nvidia.com/mig-1g.10gb', replicas: 2 }))],
    },
  },
  {
    rule: 'gpu-operator/sharing-resource-served',
    fires: {
      'the shared name': [plugin(slicing({ name: 'nvidia.com/gpu.shared', replicas: 2 }))],
      'a product': [plugin(slicing({ name: 'nvidia.com/a100', replicas: 2 }))],
    },
    silent: {
      gpu: [plugin(slicing())],
      'media engines': [plugin(slicing({ name: 'nvidia.com/mig-1g.10gb.me', replicas: 2 }))],
    },
  },
  {
    rule: 'gpu-operator/sharing-settings-heeded',
    fires: {
      rename: [plugin(slicing({ ...gpu, rename: 'nvidia.com/small' }))],
      devices: [plugin(slicing({ ...gpu, devices: [0, 1] }))],
      resources: [plugin({ ...slicing(), resources: { gpus: [] } })],
    },
    silent: { 'all devices': [plugin(slicing({ ...gpu, devices: 'all' }))] },
  },
  {
    rule: 'gpu-operator/sharing-several-refused',
    fires: {
      'not stated': [plugin(slicing(gpu, {}))],
      false: [plugin(slicing(gpu, { failRequestsGreaterThanOne: false }))],
    },
    silent: {
      true: [plugin(slicing())],
      'MPS always does': [plugin({ flags: { migStrategy: 'none' }, sharing: { mps: { resources: [gpu] } } })],
    },
  },
  {
    rule: 'gpu-operator/mig-config-readable',
    fires: {
      'no version': [configMap({ 'config.yaml': 'mig-configs:\n  a:\n  - devices: all\n    mig-enabled: false\n' })],
      'no entry': [mig({ a: [] })],
      'no configuration': [mig({})],
      'an entry that is text': [mig({ a: ['all'] })],
      broken: [configMap({ 'config.yaml': 'version: v1\nmig-configs: {' })],
    },
    silent: { off: [mig({ 'all-disabled': [{ devices: 'all', 'mig-enabled': false }] })] },
  },
  {
    rule: 'gpu-operator/mig-config-key-known',
    fires: {
      'at the root': [mig({ a: [entry({ '1g.10gb': 7 })] }, { 'mig-config': {} })],
      'in an entry': [mig({ a: [entry({ '1g.10gb': 7 }, { 'device-filters': 'x' })] })],
      underscores: [configMap({ 'config.yaml': 'version: v1\nmig_configs: {}\n' })],
    },
    silent: { known: [mig({ a: [entry({ '1g.10gb': 7 }, { 'device-filter': ['0x233010DE'] })] })] },
  },
  {
    rule: 'gpu-operator/mig-entry-complete',
    fires: {
      'no devices': [mig({ a: [{ 'mig-enabled': false }] })],
      'devices by name': [mig({ a: [entry({}, { devices: 'first' })] })],
      'not said whether on': [mig({ a: [{ devices: 'all', 'mig-devices': { '1g.10gb': 1 } }] })],
      'on without instances': [mig({ a: [{ devices: 'all', 'mig-enabled': true }] })],
      'off with instances': [mig({ a: [entry({ '1g.10gb': 1 }, { 'mig-enabled': false })] })],
      'null, which Go reads as off, with instances': [mig({ a: [entry({ '1g.10gb': 1 }, { 'mig-enabled': null })] })],
      'an index of more than 64 bits': [mig({ a: [entry({ '1g.10gb': 1 }, { devices: [1e19] })] })],
      'a filter that is a number': [mig({ a: [entry({ '1g.10gb': 1 }, { 'device-filter': 1 })] })],
    },
    silent: {
      'on, no instance yet': [mig({ a: [entry({})] })],
      'null, which Go reads as 0 or as no filter': [
        mig({ a: [entry({ '1g.10gb': 1, '2g.20gb': null }, { devices: [null], 'device-filter': null })] }),
      ],
      'null, which Go reads as off': [mig({ a: [{ devices: 'all', 'mig-enabled': null, 'mig-devices': {} }] })],
      'by index': [mig({ a: [entry({ '1g.10gb': 7 }, { devices: [0, 1] }), { devices: [2], 'mig-enabled': false }] })],
    },
  },
  {
    rule: 'gpu-operator/mig-profile-well-formed',
    fires: {
      'a size': [mig({ a: [entry({ '10gb': 1 })] })],
      'as a resource': [mig({ a: [entry({ 'mig-1g.10gb': 1 })] })],
      'both signs': [mig({ a: [entry({ '1g.5gb+me-me': 1 })] })],
      'a sign twice': [mig({ a: [entry({ '2g.12gb+me+me': 1 })] })],
      'an attribute twice': [mig({ a: [entry({ '2g.12gb+me,me': 1 })] })],
      'an attribute that ends with a dot': [mig({ a: [entry({ '2g.12gb+me.': 1 })] })],
      'a size of more than 64 bits': [mig({ a: [entry({ '1g.10000000000000000000gb': 1 })] })],
    },
    silent: {
      'media engines': [mig({ a: [entry({ '1g.10gb+me': 1 })] })],
      'attributes that no GPU has': [mig({ a: [entry({ '1g.24gb+gfx.0,Me2': 1 })] })],
    },
  },
  {
    rule: 'gpu-operator/mig-count-valid',
    fires: {
      negative: [mig({ a: [entry({ '1g.10gb': -1 })] })],
      text: [mig({ a: [entry({ '1g.10gb': '7' })] })],
      'more than 64 bits': [mig({ a: [entry({ '1g.10gb': 1e19 })] })],
      'all zero': [mig({ a: [entry({ '1g.10gb': 0, '2g.20gb': 0 })] })],
    },
    silent: { 'one of them zero': [mig({ a: [entry({ '1g.10gb': 0, '2g.20gb': 1 })] })] },
  },
  {
    rule: 'gpu-operator/mig-layout-fits-gpu',
    fires: {
      'too many of one': [mig({ a: [entry({ '1g.10gb': 8 })] })],
      'too many slices together': [mig({ a: [entry({ '1g.10gb': 4, '4g.40gb': 1 })] })],
      'no memory left': [mig({ a: [entry({ '3g.40gb': 2, '1g.10gb': 1 })] })],
      'fits an H100 and not the A30 that is named': [
        mig({ a: [entry({ '1g.10gb': 7 }, { 'device-filter': '0x20B710DE' })] }),
      ],
      'media engines twice': [mig({ a: [entry({ '1g.6gb+me': 1, '2g.12gb+me': 1 })] })],
    },
    silent: {
      full: [mig({ a: [entry({ '1g.10gb': 2, '2g.20gb': 1, '3g.40gb': 1 })] })],
      'of the GPU named': [mig({ a: [entry({ '1g.10gb': 7 }, { 'device-filter': ['0x233010DE', '0x20B210DE'] })] })],
      'a GPU that the catalog does not know': [mig({ a: [entry({ '1g.5gb': 7 }, { 'device-filter': '0xFFFF10DE' })] })],
    },
  },
  {
    rule: 'gpu-operator/mig-profile-known',
    fires: {
      'of two GPUs': [mig({ a: [entry({ '1g.10gb': 1, '1g.18gb': 1 })] })],
      'of none': [mig({ a: [entry({ '1g.11gb': 1 })] })],
    },
    silent: { 'of one': [mig({ a: [entry({ '1g.18gb': 1, '3g.71gb': 1 })] })] },
  },
  {
    rule: 'gpu-operator/mig-config-has-default',
    fires: {
      "only one of one's own": [
        clusterPolicy({ migManager: { config: { name: 'mig' } } }),
        mig({ mine: [entry({ '1g.10gb': 7 })] }),
      ],
    },
    silent: {
      'with all-disabled': [
        clusterPolicy({ migManager: { config: { name: 'mig' } } }),
        mig({ mine: [entry({ '1g.10gb': 7 })], 'all-disabled': [{ devices: 'all', 'mig-enabled': false }] }),
      ],
      'no default wanted': [
        clusterPolicy({ migManager: { config: { name: 'mig', default: '' } } }),
        mig({ mine: [entry({ '1g.10gb': 7 })] }),
      ],
      'not the one that is used': [clusterPolicy(), mig({ mine: [entry({ '1g.10gb': 7 })] })],
    },
  },
  {
    rule: 'gpu-operator/dcgm-counters-are-csv',
    fires: {
      'a list in YAML': [counters('metrics:\n- name: DCGM_FI_DEV_GPU_TEMP\n  type: gauge\n', 'dcgm-exporter.yaml')],
      'under the right key': [counters('- DCGM_FI_DEV_GPU_TEMP\n- DCGM_FI_DEV_GPU_UTIL\n')],
    },
    silent: {
      CSV: [counters('# metrics: all\nDCGM_FI_DEV_GPU_TEMP, gauge, temperature: C\n')],
      alerts: [counters('groups:\n- name: gpu\n  rules:\n  - expr: DCGM_FI_DEV_GPU_TEMP > 90\n', 'rules.yaml')],
      'a script': [counters('#!/bin/sh\necho DCGM_FI_DEV_GPU_TEMP\n', 'run.sh')],
    },
  },
  {
    rule: 'gpu-operator/dcgm-counter-has-three-fields',
    fires: {
      two: [counters('DCGM_FI_DEV_GPU_TEMP, gauge\n')],
      'a comma in the help': [counters('DCGM_FI_DEV_GPU_TEMP, gauge, temperature, in C\n')],
      'an indented comment': [counters('  # GPU\nDCGM_FI_DEV_GPU_TEMP, gauge, t\n')],
      'a quote after a blank': [counters('DCGM_FI_DEV_GPU_TEMP, gauge, "temperature, in C"\n')],
    },
    silent: { three: [counters('# a, b\n\nDCGM_FI_DEV_GPU_TEMP,gauge,"temperature, ""hot"" or not"\r\n')] },
  },
  {
    rule: 'gpu-operator/dcgm-counter-type-known',
    fires: { capitals: [counters('DCGM_FI_DEV_GPU_TEMP, Gauge, t\n')] },
    silent: {
      label: [counters('DCGM_FI_DRIVER_VERSION, label, driver\n')],
      "one of the exporter's own": [counters('DCGM_EXP_XID_ERRORS_COUNT, anything, x\n')],
    },
  },
  {
    rule: 'gpu-operator/dcgm-counter-field-known',
    fires: { 'no prefix': [counters('DCGM_FI_DEV_GPU_TEMP, gauge, t\nGPU_UTIL, gauge, u\n')] },
    silent: { 'old name': [counters('dcgm_gpu_temp, gauge, t\n')] },
  },
  {
    rule: 'gpu-operator/dcgm-counter-stated-once',
    fires: { twice: [counters('DCGM_FI_DEV_GPU_TEMP, gauge, t\nDCGM_FI_DEV_GPU_TEMP, gauge, t\n')] },
    silent: { 'in a comment too': [counters('# DCGM_FI_DEV_GPU_TEMP, gauge, t\nDCGM_FI_DEV_GPU_TEMP, gauge, t\n')] },
  },
  {
    rule: 'gpu-operator/dcgm-counters-key-read',
    fires: {
      'another key': [counters('DCGM_FI_DEV_GPU_TEMP, gauge, t\n', 'counters.csv')],
      'another key, with an exporter that mounts another ConfigMap': [
        counters('DCGM_FI_DEV_GPU_TEMP, gauge, t\n', 'counters.csv'),
        exporterPods('others'),
      ],
      "another key under the operator, although one's own exporter mounts it": [
        clusterPolicy({ dcgmExporter: { config: { name: 'counters' } } }),
        counters('DCGM_FI_DEV_GPU_TEMP, gauge, t\n', 'counters.csv'),
        exporterPods('counters'),
      ],
      'the stand-alone key under the operator': [
        clusterPolicy({ dcgmExporter: { config: { name: 'counters' } } }),
        counters('DCGM_FI_DEV_GPU_TEMP, gauge, t\n', 'metrics'),
      ],
    },
    silent: {
      operator: [counters('DCGM_FI_DEV_GPU_TEMP, gauge, t\n')],
      'stand-alone': [counters('DCGM_FI_DEV_GPU_TEMP, gauge, t\n', 'metrics')],
      "a file of one's own exporter": [
        counters('DCGM_FI_DEV_GPU_TEMP, gauge, t\n', 'counters.csv'),
        exporterPods('counters'),
      ],
    },
  },
  {
    rule: 'gpu-operator/device-plugin-config-is-a-file',
    fires: {
      'variables of a ConfigMap': [plugin(slicing()), pluginPods({ envFrom: [{ configMapRef: { name: 'plugin' } }] })],
      'a file that nothing names': [plugin(slicing()), pluginPods(MOUNTED)],
      'a file that nothing names, with the program': [
        plugin(slicing()),
        pluginPods({ ...MOUNTED, command: ['/usr/bin/nvidia-device-plugin'] }),
      ],
    },
    silent: {
      'a mounted file': [
        plugin(slicing()),
        pluginPods({ ...MOUNTED, env: [{ name: 'CONFIG_FILE', value: '/config/any' }] }),
      ],
      'a mounted file, by a flag in a script': [
        plugin(slicing()),
        pluginPods({ ...MOUNTED, command: ['sh', '-c', 'exec nvidia-device-plugin --config-file /config/any'] }),
      ],
      'another program of the image': [
        plugin(slicing()),
        pluginPods({ ...MOUNTED, command: ['gpu-feature-discovery'] }),
      ],
      'the manager of the configuration': [plugin(slicing()), pluginPods({ ...MOUNTED, command: ['config-manager'] })],
      'the manager of the configuration beside the device plugin': [
        plugin(slicing()),
        pluginPods(MOUNTED, {
          name: 'manager',
          image: 'nvcr.io/nvidia/k8s-device-plugin:v0',
          command: ['config-manager'],
        }),
      ],
      'a volume of another kind': [plugin(slicing()), pluginPods({ volumeMounts: [{ name: 'b', mountPath: '/b' }] })],
      'a mounted ConfigMap of another kind': [configMap({ PASS_DEVICE_SPECS: 'true' }), pluginPods(MOUNTED)],
      'a file': [
        plugin(slicing()),
        pluginPods({
          envFrom: [{ configMapRef: { name: 'plugin' } }],
          env: [{ name: 'CONFIG_FILE', value: '/config/any' }],
        }),
      ],
      'a flag': [
        plugin(slicing()),
        pluginPods({ envFrom: [{ configMapRef: { name: 'plugin' } }], args: ['--config-file=/config/any'] }),
      ],
      'another ConfigMap': [
        configMap({ PASS_DEVICE_SPECS: 'true' }),
        pluginPods({ envFrom: [{ configMapRef: { name: 'plugin' } }] }),
      ],
      'another image': [
        plugin(slicing()),
        pluginPods({ image: 'busybox', envFrom: [{ configMapRef: { name: 'plugin' } }] }),
      ],
    },
  },
];

/** An exporter that mounts a ConfigMap. */
function exporterPods(name: string): JsonObject {
  const { namespace } = asObject(counters('').metadata);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'exporter', ...(typeof namespace === 'string' ? { namespace } : {}) },
    spec: { containers: [{ name: 'main', image: 'dcgm-exporter:4' }], volumes: [{ name: 'a', configMap: { name } }] },
  };
}

/** The device plugin without the operator. */
function pluginPods(container: JsonObject, ...others: readonly JsonObject[]): JsonObject {
  const { namespace } = asObject(plugin(slicing()).metadata);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'nvidia-device-plugin', ...(typeof namespace === 'string' ? { namespace } : {}) },
    spec: {
      containers: [{ name: 'main', image: 'nvcr.io/nvidia/k8s-device-plugin:v0', ...container }, ...others],
      volumes: [
        { name: 'config', configMap: { name: 'plugin' } },
        { name: 'b', emptyDir: {} },
      ],
    },
  };
}
