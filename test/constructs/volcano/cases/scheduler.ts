import { configMap, hyperNode, job, plugins, queue, type RuleCases } from './world';

const withActions = (actions: string) => configMap(`actions: ${actions}\ntiers: []\n`);

export const schedulerCases: readonly RuleCases[] = [
  {
    rule: 'volcano/scheduler-config-holds-no-flags',
    fires: { flags: [configMap('--schedule-period=1s\n--kube-api-qps=100\n')] },
    silent: { YAML: [configMap()] },
  },
  {
    rule: 'volcano/scheduler-config-readable',
    fires: {
      'a list': [configMap('- a\n- b\n')],
      'not YAML': [configMap('actions: "enqueue\n')],
      'actions as a list': [configMap('actions: [enqueue, allocate]\n')],
      'a switch as a text': [plugins('- name: gang\n  enablePreemptable: "false"')],
      'a merge of a number': [configMap('<<: 5\n')],
    },
    silent: {
      'YAML 1.1 words for switches': [plugins('- name: drf\n  enablePreemptable: no')],
      'a ConfigMap of something else': [{ ...configMap(), data: { other: '- a' } }],
    },
  },
  {
    rule: 'volcano/scheduler-actions-known',
    fires: {
      'no actions': [configMap('tiers: []\n')],
      'one that does not exist': [withActions('"enqueue, allocate, evict"')],
      'a comma too many': [withActions('"enqueue, allocate,"')],
      'an empty text': [configMap('')],
    },
    silent: {
      'all that there are': [
        withActions('"enqueue,allocate,backfill,preempt,reclaim,gangpreempt,gangreclaim,shuffle"'),
      ],
    },
  },
  {
    rule: 'volcano/scheduler-plugin-known',
    fires: {
      'a plugin that does not exist': [plugins('- name: gpu-aware')],
      "the folder's name of numa-aware": [plugins('- name: numaaware')],
    },
    silent: { 'numa-aware': [plugins('- name: numa-aware')] },
  },
  {
    rule: 'volcano/scheduler-config-key-known',
    fires: {
      'at the top': [configMap('actions: "allocate"\nnodeorder: []\n')],
      'in a tier': [configMap('actions: "allocate"\ntiers:\n- plugin: []\n')],
      'a switch in another spelling': [plugins('- name: drf\n  enabledPreemptable: false')],
      'an argument that the plugin does not have': [plugins('- name: binpack\n  arguments:\n    binpack.gpu: 5')],
      'a threshold by another name': [
        plugins('- name: usage\n  arguments:\n    thresholds:\n      cpu: 80\n      memory: 80'),
      ],
      'an argument of an action': [
        configMap('actions: "allocate"\nconfigurations:\n- name: allocate\n  arguments:\n    speed: 3\n'),
      ],
      'a second document': [configMap('actions: "allocate"\n---\ntiers: []\n')],
      'a key twice': [configMap('actions: "allocate"\nactions: "enqueue, allocate"\n')],
    },
    silent: {
      'arguments that are read': [
        plugins(
          '- name: network-topology-aware\n  arguments:\n    weight: 3\n    hypernode.binpack.resources.nvidia.com/gpu: 5',
        ),
        configMap(
          'actions: "preempt"\nconfigurations:\n- name: preempt\n  arguments:\n    enableTopologyAwarePreemption: true\nmetrics:\n  type: prometheus\n',
        ),
      ],
    },
  },
  {
    rule: 'volcano/scheduler-argument-typed',
    fires: {
      'a number as a text': [plugins('- name: binpack\n  arguments:\n    binpack.weight: "10"')],
      'a fraction for a whole weight': [plugins('- name: nodeorder\n  arguments:\n    nodeaffinity.weight: 1.5')],
      'a threshold with a fraction': [plugins('- name: usage\n  arguments:\n    thresholds:\n      cpu: 80.5')],
      'a waiting time without unit': [plugins('- name: sla\n  arguments:\n    sla-waiting-time: 30')],
      'a policy that does not exist': [
        plugins('- name: deviceshare\n  arguments:\n    deviceshare.SchedulePolicy: pack'),
      ],
    },
    silent: {
      'a switch as a text, which Volcano reads': [
        plugins('- name: predicates\n  arguments:\n    predicate.CacheEnable: "true"'),
      ],
    },
  },
  {
    rule: 'volcano/scheduler-argument-survivable',
    fires: {
      'a time span without end': [plugins('- name: tdm\n  arguments:\n    tdm.revocable-zone.rz1: "10:00"')],
      'a number where a duration is asserted': [plugins('- name: rescheduling\n  arguments:\n    interval: 5')],
      'a weight among the resources': [
        plugins('- name: resource-strategy-fit\n  arguments:\n    resources:\n      weight: -1'),
      ],
      'a weight of a resource as a text': [
        plugins('- name: resource-strategy-fit\n  arguments:\n    resources:\n      nvidia.com/gpu: {weight: "2"}'),
      ],
      'a weight in sra as a text': [
        plugins('- name: resource-strategy-fit\n  arguments:\n    sra:\n      resourceWeight: {cpu: "1"}'),
      ],
      'a proportion as a text': [
        plugins('- name: resource-strategy-fit\n  arguments:\n    proportional:\n      resourceProportion: {cpu: "4"}'),
      ],
      'a switch as a text, which the plugin does not convert': [
        plugins('- name: resource-strategy-fit\n  arguments:\n    sra: {enable: "true"}'),
      ],
    },
    silent: {
      'resources of any names': [
        plugins(
          '- name: resource-strategy-fit\n  arguments:\n    resources:\n      cloudml.gpu/*: {type: MostAllocated, weight: 2}\n    sra: {enable: true, resources: nvidia.com/gpu, weight: 10, resourceWeight: {nvidia.com/gpu: 1}}\n    proportional: {enable: false, resources: nvidia.com/gpu, resourceProportion: {nvidia.com/gpu.cpu: 4, nvidia.com/gpu.memory: 0.5}}',
        ),
      ],
      'a time span': [plugins('- name: tdm\n  arguments:\n    tdm.revocable-zone.rz1: 22:00-06:00')],
      'a fraction, of which the plugin reads the whole part': [
        plugins('- name: resource-strategy-fit\n  arguments:\n    resourceStrategyFitWeight: 1.5'),
      ],
      'null, which the plugin reads as zero': [
        plugins('- name: resource-strategy-fit\n  arguments:\n    resourceStrategyFitWeight: null'),
      ],
    },
  },
  {
    rule: 'volcano/scheduler-proportion-without-hierarchical-drf',
    fires: { 'both in one tier': [plugins('- name: proportion', '- name: drf\n  enableHierarchy: true')] },
    silent: {
      'drf without hierarchy': [plugins('- name: proportion', '- name: drf')],
      'in different tiers': [
        configMap(
          'actions: "allocate"\ntiers:\n- plugins:\n  - name: proportion\n- plugins:\n  - name: drf\n    enableHierarchy: true\n',
        ),
      ],
    },
  },
  {
    rule: 'volcano/scheduler-one-queue-plugin',
    fires: { both: [plugins('- name: proportion', '- name: capacity')] },
    silent: { one: [plugins('- name: proportion')] },
  },
  {
    rule: 'volcano/scheduler-one-device-mode',
    fires: {
      'memory and vGPU': [
        plugins(
          '- name: deviceshare\n  arguments:\n    deviceshare.GPUSharingEnable: true\n    deviceshare.VGPUEnable: "true"',
        ),
      ],
    },
    silent: {
      one: [
        plugins(
          '- name: deviceshare\n  arguments:\n    deviceshare.GPUSharingEnable: false\n    deviceshare.VGPUEnable: true',
        ),
      ],
    },
  },
  {
    rule: 'volcano/scheduler-config-map-read',
    fires: { "a name of one's own": [configMap(undefined, { name: 'volcano-scheduler-config' })] },
    silent: { 'another release': [configMap(undefined, { name: 'batch-scheduler-configmap' })] },
  },
  {
    rule: 'volcano/scheduler-config-map-namespaced',
    fires: { 'no namespace': [configMap(undefined, { namespace: '' })] },
    silent: { 'a namespace': [configMap()] },
  },
  {
    rule: 'volcano/scheduler-enforces-queues',
    fires: { 'no plugin for queues': [plugins('- name: drf'), queue('a', { capability: { cpu: 1 } })] },
    silent: {
      proportion: [plugins('- name: proportion'), queue('a', { capability: { cpu: 1 } })],
      'a configuration that is refused anyway': [configMap('tiers: []\n')],
    },
  },
  {
    rule: 'volcano/scheduler-honors-queue-tree',
    fires: {
      'capacity without the switch': [plugins('- name: capacity'), queue('p'), queue('c', { parent: 'p' })],
      proportion: [plugins('- name: proportion'), queue('p'), queue('c', { parent: 'p' })],
    },
    silent: {
      'capacity with the switch': [configMap(), queue('p'), queue('c', { parent: 'p' })],
      'no tree': [plugins('- name: capacity'), queue('p')],
      'a scheduler of neither plugin, which knows no queues': [
        plugins('- name: gang'),
        queue('p'),
        queue('c', { parent: 'p' }),
      ],
    },
  },
  {
    rule: 'volcano/scheduler-reads-queue-fields',
    fires: {
      'weights under capacity': [configMap(), queue('a', { weight: 4 })],
      'deserved under proportion': [plugins('- name: proportion'), queue('a', { deserved: { cpu: 1 } })],
    },
    silent: {
      'deserved under capacity': [configMap(), queue('a', { weight: 1, deserved: { cpu: 1 } })],
      'weights under proportion': [plugins('- name: proportion'), queue('a', { weight: 4 })],
    },
  },
  {
    rule: 'volcano/scheduler-binpack-counts-devices',
    fires: {
      'no resources': [plugins('- name: binpack')],
      'an empty list': [plugins('- name: binpack\n  arguments:\n    binpack.resources: ""')],
    },
    silent: { 'a GPU': [configMap()], 'no binpack': [plugins('- name: nodeorder')] },
  },
  {
    rule: 'volcano/scheduler-resource-weights-listed',
    fires: {
      'a weight for what is not listed': [
        plugins(
          '- name: binpack\n  arguments:\n    binpack.resources: rdma/hca\n    binpack.resources.nvidia.com/gpu: 5',
        ),
      ],
      'the same of network-topology-aware': [
        plugins(
          '- name: network-topology-aware\n  arguments:\n    hypernode.binpack.resources: rdma/hca\n    hypernode.binpack.resources.nvidia.com/gpu: 5',
        ),
      ],
    },
    silent: {
      'a weight for what is': [configMap()],
      'a key of the other plugin': [
        plugins(
          '- name: network-topology-aware\n  arguments:\n    binpack.resources: rdma/hca\n    binpack.resources.nvidia.com/gpu: 5',
        ),
      ],
    },
  },
  {
    rule: 'volcano/scheduler-reclaims-resources',
    fires: { "the chart's actions": [withActions('"enqueue, allocate, backfill"')] },
    silent: { 'gang preemption': [withActions('"enqueue, allocate, gangpreempt"')] },
  },
  {
    rule: 'volcano/scheduler-allocates',
    fires: { 'no allocate': [withActions('"enqueue, backfill"')] },
    silent: { allocate: [withActions('allocate')] },
  },
  {
    rule: 'volcano/scheduler-has-gang-and-predicates',
    fires: { neither: [withActions('allocate')] },
    silent: { both: [configMap()] },
  },
  {
    rule: 'volcano/scheduler-plugin-once',
    fires: { twice: [plugins('- name: gang')] },
    silent: { once: [configMap()] },
  },
  {
    rule: 'volcano/scheduler-honors-topology',
    fires: {
      'hyper nodes': [configMap(), hyperNode('a', 1, [])],
      'a job that asks for a tier': [configMap(), job({ networkTopology: { mode: 'hard', highestTierAllowed: 1 } })],
    },
    silent: {
      'the plugin is there': [plugins('- name: network-topology-aware'), hyperNode('a', 1, [])],
      'no user': [configMap(), job()],
    },
  },
];
