/**
 * The corrected manifests, made by constructs: queues, gangs, jobs, a scheduler's configuration, quotas, claims. Manifests of other
 * domains have test files of their own; the last test holds that each file is covered.
 */
import { App, Chart } from 'cdk8s';
import { readdirSync, readFileSync } from 'node:fs';
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
import { parseQuantity } from '../../src/manifests/values/quantity';
import { isObject } from '../../src/manifests/read';
import { parseYaml } from '../../src/manifests/yaml';
import { Testing } from '../../src/interfaces/testing';

const FIXED = resolve(__dirname, '../fixtures/manifests/corrected');
const IMAGE = 'registry.example.com/trainer:1.4';
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
const queue = Queue.fromName('research');

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
  ...torchrun({ processesPerNode: 4, script: ['fit.py'] }),
  resources: { limits: { 'nvidia.com/gpu': 4 } },
});

const MADE: Readonly<Record<string, (chart: Chart) => void>> = {
  'volcano-queue.yaml': (chart) => {
    new Queue(chart, 'research', {
      weight: 1,
      reclaimable: true,
      capability: { cpu: 100, memory: '500Gi', accelerators: Accelerator.nvidia({ count: 50 }) },
      deserved: { cpu: 20, memory: '100Gi', accelerators: Accelerator.nvidia({ count: 10 }) },
      guarantee: { cpu: 20, memory: '100Gi', accelerators: Accelerator.nvidia({ count: 10 }) },
    });
  },
  'volcano-job.yaml': (chart) => {
    new Job(chart, 'vision', {
      priorityClass: new PriorityClass(chart, 'urgent', { value: 1000 }),
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
  'volcano-pod-group.yaml': (chart) => {
    new PodGroup(chart, 'vision-gang', {
      queue,
      minTaskMember: { master: 1, worker: 4 },
      minResources: { accelerators: Accelerator.nvidia({ count: 20 }) },
      priorityClass: PriorityClass.fromName('urgent'),
    });
  },
  'volcano-scheduler.yaml': (chart) => {
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
  'pytorch-job-elastic.yaml': (chart) => {
    new kubeflow.PyTorchJob(chart, 'bert-elastic', {
      nodes: 4,
      elastic: { min: 4, max: 8, maxRestarts: 10 },
      image: IMAGE,
      command: ['torchrun', 'fit.py'],
      accelerators: Accelerator.nvidia({ count: 8, tolerations: [] }),
    });
  },
  'pytorch-job.yaml': (chart) => {
    new kubeflow.PyTorchJob(chart, 'bert', {
      nodes: 4,
      image: IMAGE,
      command: ['torchrun', 'fit.py'],
      resources: { cpu: 32, memory: '200Gi' },
      accelerators: Accelerator.nvidia({ count: 8, tolerations: [] }),
      sharedMemory: '16Gi',
      mounts: [Mount.claim('corpus', '/data')],
      cleanPodPolicy: 'None',
      scheduling: Scheduling.volcano(queue),
    });
  },
  'resource-quota.yaml': (chart) => {
    const namespace = Namespace.fromName('team-blue');
    new ResourceQuota(chart, 'accelerators', {
      namespace,
      requests: { cpu: 500, memory: '2000Gi', accelerators: Accelerator.nvidia({ count: 50 }) },
      limits: { cpu: 1000, memory: '4000Gi' },
      persistentVolumeClaims: 50,
    });
    new LimitRange(chart, 'containers', {
      namespace,
      container: { defaultRequest: { cpu: 1, memory: '4Gi' }, default: { cpu: 4, memory: '16Gi' } },
    });
  },
  'claim.yaml': (chart) => {
    const claim = new devices.GpuClaim(chart, 'large-pair', {
      count: 2,
      selectors: [devices.DeviceSelector.memoryAtLeast('70Gi')],
    });
    const { spec } = new PodTemplate({
      image: 'registry.example.com/trainer:1.4',
      accelerators: claim.accelerator({ claimName: 'gpus', request: 'gpu' }),
    }).toPodTemplate({ restartPolicy: 'Never' });
    new Resource(chart, 'claimer', Pod, { metadata: { name: 'claimer' }, spec });
  },
  // The objects of Kueue in this file are made in test/constructs/kueue.
  'topology-and-kueue.yaml': (chart) => {
    new HyperNode(chart, 'rack-1', {
      tier: 1,
      members: [HyperNodeMember.nodesLabeled({ 'nvidia.com/gpu.clique': '0c9e2f4a-11d7-4b6e-a3f0-2d5c8b7e9a10.3' })],
    });
  },
};

const ELSEWHERE: Readonly<Record<string, string>> = {
  'rdma-pod.yaml': 'test/seeds/networking.test.ts',
  'monitoring.yaml': 'test/seeds/monitoring.test.ts',
  'knative-service.yaml': 'test/seeds/serving.test.ts',
  'kubelet.yaml': 'test/seeds/nodes.test.ts',
  'train-job.yaml': 'test/constructs/trainer/constructs.test.ts',
  'keda-scaled-object.yaml': 'test/seeds/keda.test.ts',
  'spot-job.yaml': 'test/seeds/nodes.test.ts',
};

describe('corrected manifests', () => {
  test.each(Object.entries(MADE))('%s is what constructs make', (file, make) => {
    const chart = new Chart(new App(), 'seed', { namespace: 'training' });
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
