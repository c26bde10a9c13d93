/**
 * Corrected manifests that lie beside the project, made by constructs: queues, gangs, jobs, a scheduler's configuration, quotas, claims.
 * Those of other domains have files of their own here; the last test says that no file is left out.
 */
import { App, Chart } from 'cdk8s';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import {
  Accelerator,
  devices,
  kubeflow,
  LimitRange,
  Mount,
  Namespace,
  PodTemplate,
  PriorityClass,
  Resource,
  ResourceQuota,
  Scheduling,
  volcano,
} from '../../src';
import { Pod } from '../../src/facts/api/types/core/v1';
import { type JsonObject, type JsonValue } from '../../src/facts/api/schema';
import { parseQuantity } from '../../src/manifests/quantity';
import { isObject } from '../../src/manifests/read';
import { parseYaml } from '../../src/manifests/yaml';
import { Testing } from '../../src/interfaces/testing';

const FIXED = resolve(__dirname, '../../../shared/seeds/fixed');
const here = existsSync(FIXED);
if (!here) {
  console.log('no ../shared/seeds beside the project: the comparison with corrected manifests is skipped');
}

const IMAGE = 'pytorch/pytorch:2.0.1-cuda11.7-cudnn8-runtime';
const {
  HyperNode,
  HyperNodeMember,
  Job,
  JobPlugin,
  Policy,
  PodGroup,
  Queue,
  SchedulerConfiguration,
  SchedulerPlugin,
  torchrun,
} = volcano;
const queue = Queue.fromName('default-queue');

function reading(file: string): readonly JsonObject[] {
  return parseYaml(readFileSync(join(FIXED, file), 'utf8'), file).manifests.map(({ object }) => object);
}

/** Amounts in whatever form they are written, without what is the default, and a scheduler's configuration as what its text says. */
function meaning(value: JsonValue, key = ''): JsonValue {
  if (Array.isArray(value)) {
    return value.map((item) => meaning(item));
  }
  if (isObject(value)) {
    const said = Object.entries(value).filter(([name, member]) => !(name === 'globalDefault' && member === false));
    return Object.fromEntries(
      said.map(([name, member]) => [name, AMOUNTS.has(key) ? amount(member) : meaning(member, name)]),
    );
  }
  return key === 'volcano-scheduler.conf' ? (parse(String(value)) as JsonValue) : value;
}

const AMOUNTS: ReadonlySet<string> = new Set([
  'limits',
  'requests',
  'resource',
  'capability',
  'deserved',
  'minResources',
  'hard',
  'default',
  'defaultRequest',
]);

function amount(value: JsonValue): JsonValue {
  const quantity = typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
  return quantity?.toString() ?? meaning(value);
}

const trainer = (name: string) => ({
  name,
  image: IMAGE,
  ...torchrun({ processesPerNode: 4, script: ['train.py'] }),
  resources: { limits: { 'nvidia.com/gpu': 4 } },
});

const MADE: Readonly<Record<string, (chart: Chart) => void>> = {
  '001-05-queue.yaml': (chart) => {
    new Queue(chart, 'default-queue', {
      weight: 1,
      reclaimable: true,
      capability: { cpu: 100, memory: '500Gi', gpu: 50 },
      deserved: { cpu: 20, memory: '100Gi', gpu: 10 },
      guarantee: { cpu: 20, memory: '100Gi', gpu: 10 },
    });
  },
  '001-06-07-job.yaml': (chart) => {
    new Job(chart, 'distributed-training', {
      priorityClass: new PriorityClass(chart, 'high-priority', { value: 1000 }),
      plugins: [JobPlugin.pytorch({ master: 'master', worker: 'worker', port: 23456 }), JobPlugin.svc()],
      policies: [Policy.onEvent('PodEvicted', 'RestartJob')],
      tasks: [
        {
          name: 'master',
          policies: [Policy.onEvent('TaskCompleted', 'CompleteJob')],
          template: { spec: { containers: [trainer('master')] } },
        },
        { name: 'worker', replicas: 4, template: { spec: { containers: [trainer('worker')] } } },
      ],
    }).submitTo(queue);
  },
  '001-06-podgroup.yaml': (chart) => {
    new PodGroup(chart, 'training-job-group', {
      queue,
      minTaskMember: { master: 1, worker: 4 },
      minResources: { gpu: 20 },
      priorityClass: PriorityClass.fromName('high-priority'),
    });
  },
  '001-08-scheduler-config.yaml': (chart) => {
    new SchedulerConfiguration(chart, 'scheduler', {
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
  },
  '001-10-pytorchjob-elastic.yaml': (chart) => {
    new kubeflow.PyTorchJob(chart, 'pytorch-elastic', {
      nodes: 4,
      elastic: { min: 4, max: 8, maxRestarts: 10 },
      image: IMAGE,
      command: ['torchrun', 'train.py'],
      accelerators: Accelerator.nvidia({ count: 8, tolerations: [] }),
    });
  },
  '001-10-pytorchjob-static.yaml': (chart) => {
    new kubeflow.PyTorchJob(chart, 'pytorch-distributed', {
      nodes: 4,
      image: IMAGE,
      command: ['torchrun', 'train.py'],
      resources: { cpu: 32, memory: '200Gi' },
      accelerators: Accelerator.nvidia({ count: 8, tolerations: [] }),
      sharedMemory: '16Gi',
      mounts: [Mount.claim('training-data-pvc', '/data')],
      cleanPodPolicy: 'None',
      scheduling: Scheduling.volcano(queue),
    });
  },
  '001-15-quota.yaml': (chart) => {
    const namespace = Namespace.fromName('ai-team-a');
    new ResourceQuota(chart, 'gpu-quota', {
      namespace,
      requests: { cpu: 500, memory: '2000Gi', 'nvidia.com/gpu': 50 },
      limits: { cpu: 1000, memory: '4000Gi' },
      persistentVolumeClaims: 50,
    });
    new LimitRange(chart, 'gpu-defaults', {
      namespace,
      container: { defaultRequest: { cpu: 1, memory: '4Gi' }, default: { cpu: 4, memory: '16Gi' } },
    });
  },
  '001-18-dra.yaml': (chart) => {
    const claim = new devices.GpuClaim(chart, 'gpu-claim-template', {
      count: 2,
      selectors: [devices.DeviceSelector.memoryAtLeast('70Gi')],
    });
    const { spec } = new PodTemplate({
      image: 'nvidia/cuda:12.4.1-base-ubuntu22.04',
      accelerators: claim.accelerator({ claimName: 'gpus', request: 'gpu' }),
    }).toPodTemplate({ restartPolicy: 'Never' });
    new Resource(chart, 'dra-pod', Pod, { metadata: { name: 'dra-pod' }, spec });
  },
  // The objects of Kueue in this file are made in test/constructs/kueue.
  'hypernode-kueue.yaml': (chart) => {
    new HyperNode(chart, 'leaf-1', {
      tier: 1,
      members: [HyperNodeMember.nodesLabelled({ 'nvidia.com/gpu.clique': '5b1a5c8e-8a3b-4a7a-9b53-5d7f6f2c0d11.1' })],
    });
  },
};

const ELSEWHERE: Readonly<Record<string, string>> = {
  '001-11-rdma.yaml': 'test/seeds/networking.test.ts',
  '001-13-14-monitoring.yaml': 'test/seeds/monitoring.test.ts',
  '001-19-knative.yaml': 'test/seeds/serving.test.ts',
  '001-24-kubelet.yaml': 'test/seeds/nodes.test.ts',
  '001-25-trainjob-v2.yaml': 'test/constructs/trainer/constructs.test.ts',
  '001-26-keda.yaml': 'test/seeds/keda.test.ts',
  '001-27-spot.yaml': 'test/seeds/nodes.test.ts',
};

(here ? describe : describe.skip)('corrected manifests', () => {
  test.each(Object.entries(MADE))('%s is what constructs make', (file, make) => {
    const chart = new Chart(new App(), 'seed', { namespace: 'ai-workloads' });
    make(chart);
    const wanted = reading(file).filter(({ apiVersion }) => apiVersion !== 'kueue.x-k8s.io/v1beta2');
    expect(Testing.synth(chart).map((object) => meaning(object))).toEqual(wanted.map((object) => meaning(object)));
  });

  test('there is no other file', () => {
    expect(readdirSync(FIXED).sort()).toEqual([...Object.keys(MADE), ...Object.keys(ELSEWHERE)].sort());
    for (const [file, where] of Object.entries(ELSEWHERE)) {
      expect(readFileSync(resolve(__dirname, '../..', where), 'utf8')).toContain(file);
    }
  });
});
