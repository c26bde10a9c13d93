import { App, Chart, Duration } from 'cdk8s';
import { parse } from 'yaml';
import { Accelerator, volcano } from '../../../src';
import { checkTree } from '../../../src/checks/synth/check-tree';
import { Testing } from '../../../src/interfaces/testing';
import { SCHEDULER_PLUGINS } from '../../../src/constructs/volcano/scheduler-facts';
import { readSchedulerConfig } from '../../../src/constructs/volcano/scheduler-config-text';

const { Queue, SchedulerConfiguration, SchedulerPlugin } = volcano;
const chart = (): Chart => new Chart(new App(), 'test', { namespace: 'research' });

test('a configuration is the ConfigMap of its Helm release', () => {
  const scope = chart();
  new SchedulerConfiguration(scope, 'scheduler', {
    tiers: [
      [SchedulerPlugin.priority(), SchedulerPlugin.gang({ preemptable: false }), SchedulerPlugin.conformance()],
      [
        SchedulerPlugin.overcommit(),
        SchedulerPlugin.drf({ preemptable: false }),
        SchedulerPlugin.predicates(),
        SchedulerPlugin.capacity({ hierarchy: false }),
        SchedulerPlugin.nodeorder(),
        SchedulerPlugin.binpack({ weight: 10, cpu: 1, memory: 1, resources: { 'nvidia.com/gpu': 10 } }),
      ],
    ],
  });
  const [map] = Testing.synth(scope) as readonly { data: Record<string, string>; metadata: unknown }[];
  expect(map?.metadata).toEqual({ name: 'volcano-scheduler-configmap', namespace: 'volcano-system' });
  expect(parse(map?.data['volcano-scheduler.conf'] ?? '')).toEqual({
    actions: 'enqueue, allocate, preempt, reclaim, backfill',
    tiers: [
      { plugins: [{ name: 'priority' }, { name: 'gang', enablePreemptable: false }, { name: 'conformance' }] },
      {
        plugins: [
          { name: 'overcommit' },
          { name: 'drf', enablePreemptable: false },
          { name: 'predicates' },
          { name: 'capacity' },
          { name: 'nodeorder' },
          {
            name: 'binpack',
            arguments: {
              'binpack.weight': 10,
              'binpack.cpu': 1,
              'binpack.memory': 1,
              'binpack.resources': 'nvidia.com/gpu',
              'binpack.resources.nvidia.com/gpu': 10,
            },
          },
        ],
      },
    ],
  });
});

test('what suits GPUs is sound by every rule, with queue trees and topology', () => {
  const scope = chart();
  SchedulerConfiguration.forGpus(scope, 'scheduler', {
    release: 'batch',
    networkTopology: true,
    plugins: [SchedulerPlugin.sla({ waitingTime: Duration.hours(1) })],
  });
  new Queue(scope, 'ai').addQueue('research', { guarantee: { accelerators: Accelerator.nvidia({ count: 8 }) } });
  expect(Testing.synth(scope)[0]).toMatchObject({ metadata: { name: 'batch-scheduler-configmap' } });
});

test('weights instead of deserved amounts load proportion', () => {
  const { text } = SchedulerConfiguration.forGpus(chart(), 'scheduler', { queues: 'weight' });
  expect(text).toContain('name: proportion');
  expect(text).not.toContain('name: capacity');
});

test('actions with arguments become configurations, metrics their own section', () => {
  const configuration = new SchedulerConfiguration(chart(), 'scheduler', {
    actions: ['allocate', { name: 'preempt', arguments: { enableTopologyAwarePreemption: true } }],
    tiers: [[SchedulerPlugin.of('usage', { thresholds: { cpu: 80, mem: 80 } })]],
    metrics: {
      type: 'prometheus',
      address: 'http://prometheus:9090',
      interval: Duration.seconds(30),
      others: { 'tls.insecureSkipVerify': 'true' },
    },
  });
  configuration.addPlugin(SchedulerPlugin.gang(), 0).addPlugin(SchedulerPlugin.predicates(), 1);
  expect(parse(configuration.text)).toEqual({
    actions: 'allocate, preempt',
    tiers: [
      { plugins: [{ name: 'usage', arguments: { thresholds: { cpu: 80, mem: 80 } } }, { name: 'gang' }] },
      { plugins: [{ name: 'predicates' }] },
    ],
    configurations: [{ name: 'preempt', arguments: { enableTopologyAwarePreemption: true } }],
    metrics: {
      type: 'prometheus',
      address: 'http://prometheus:9090',
      interval: '30s',
      'tls.insecureSkipVerify': 'true',
    },
  });
  expect(readSchedulerConfig(configuration.text).problems).toEqual([]);
});

test('every argument that the plugin factories write is one that the scheduler reads', () => {
  const weights = { weight: 1, cpu: 1, memory: 1, resources: { 'nvidia.com/gpu': 2, 'rdma/hca': 1 } };
  const plugins = [
    SchedulerPlugin.priority(),
    SchedulerPlugin.gang(),
    SchedulerPlugin.conformance({ switches: { enableJobReady: true } }),
    SchedulerPlugin.drf({ hierarchy: true }),
    SchedulerPlugin.predicates({
      nodeAffinity: true,
      nodePorts: true,
      taintToleration: true,
      podAffinity: true,
      nodeVolumeLimits: true,
      volumeZone: true,
      podTopologySpread: true,
      volumeBinding: true,
      cache: true,
    }),
    SchedulerPlugin.capacity({ ancestorReclaimLevel: 1, dynamicResources: true, consumableCapacity: true }),
    SchedulerPlugin.nodeorder({
      leastRequested: 1,
      mostRequested: 1,
      nodeAffinity: 1,
      podAffinity: 1,
      balancedResource: 1,
      taintToleration: 1,
      imageLocality: 1,
      podTopologySpread: 1,
    }),
    SchedulerPlugin.binpack(weights),
    SchedulerPlugin.overcommit({ factor: 1.5 }),
    SchedulerPlugin.deviceshare({ sharing: 'vgpu', schedulePolicy: 'binpack', scheduleWeight: 5, nodeLock: true }),
    SchedulerPlugin.networkTopologyAware({ ...weights, normalPods: false }),
    SchedulerPlugin.nodegroup({ strict: true, preferredInOrder: true }),
    SchedulerPlugin.cdp(),
    SchedulerPlugin.pdb(),
    SchedulerPlugin.resourcequota(),
    SchedulerPlugin.taskTopology({ weight: 2 }),
    SchedulerPlugin.usage({ cpuThreshold: 70, weight: 3, cpuWeight: 1, memoryWeight: 1 }),
    SchedulerPlugin.tdm({ revocableZones: { rz1: '22:00-06:00' }, evictPeriod: Duration.minutes(5) }),
    SchedulerPlugin.resourceStrategyFit({
      weight: 10,
      resources: { 'nvidia.com/gpu': { type: 'MostAllocated', weight: 2 }, cpu: { type: 'LeastAllocated' } },
      scarce: { 'nvidia.com/gpu': 1 },
    }),
    SchedulerPlugin.numaAware({ weight: 3 }),
    SchedulerPlugin.sla({ waitingTime: Duration.minutes(90) }),
    SchedulerPlugin.proportion(),
  ];
  const { text } = new SchedulerConfiguration(chart(), 'scheduler', { tiers: [plugins] });
  expect(readSchedulerConfig(text).problems).toEqual([]);
  expect(plugins.every(({ name }) => name in SCHEDULER_PLUGINS)).toBe(true);
});

test('the same configuration gives the same text', () => {
  expect(SchedulerConfiguration.forGpus(chart(), 'a').text).toBe(SchedulerConfiguration.forGpus(chart(), 'b').text);
});

test('a plugin that Volcano does not have is reported, and a misspelled one as a warning', () => {
  const scope = chart();
  new SchedulerConfiguration(scope, 'scheduler', {
    tiers: [
      [
        SchedulerPlugin.gang(),
        SchedulerPlugin.predicates(),
        SchedulerPlugin.of('gpu-aware'),
        SchedulerPlugin.of('binpak'),
      ],
    ],
  });
  const findings = checkTree(scope).findings.filter(({ rule }) => rule === 'volcano/scheduler-plugin-known');
  expect(findings).toMatchObject([
    { severity: 'info', found: 'gpu-aware' },
    { severity: 'warning', found: 'binpak' },
  ]);
});
