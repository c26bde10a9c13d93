import { type JsonObject } from '../../../../src/facts/api/schema';
import { container, deployment, job, podGroup, queue, task, type RuleCases } from './world';

const hierarchy = (path: string, weights: string): { readonly [key: string]: string } => ({
  'volcano.sh/hierarchy': path,
  'volcano.sh/hierarchy-weights': weights,
});

/** A chain of queues, each the parent of the next. */
const chain = (length: number) =>
  Array.from({ length }, (_, level) => queue(`level${level}`, level === 0 ? {} : { parent: `level${level - 1}` }));

const podOf = (gpus: number): JsonObject => ({
  containers: [container({ resources: { limits: { 'nvidia.com/gpu': gpus } } })],
});

/** A job of so many pods with so many GPUs each, in the queue `q`. */
const gpuJob = (pods: number, gpus: number, spec: JsonObject = {}): JsonObject => {
  const pod = podOf(gpus);
  return job({ queue: 'q', tasks: [task('master', 1, {}, pod), task('worker', pods - 1, {}, pod)], ...spec });
};

/** Volcano issue 4867: 12 pods in 4 partitions, of which 2 must start. */
const partitioned = job({
  queue: 'q',
  tasks: [
    task(
      'worker',
      12,
      { partitionPolicy: { totalPartitions: 4, partitionSize: 3, minPartitions: 2 } },
      { containers: [container({ resources: { requests: { cpu: 2 } } })] },
    ),
  ],
});

export const queueCases: readonly RuleCases[] = [
  {
    rule: 'volcano/queue-guarantee-within-deserved',
    fires: {
      'a guarantee without deserved': [queue('a', { guarantee: { resource: { cpu: 4 } } })],
      'a guarantee above deserved, in different units': [
        queue('a', { deserved: { memory: '10Gi' }, guarantee: { resource: { memory: '11G' } } }),
      ],
    },
    silent: {
      'deserved equals the guarantee': [
        queue('a', { deserved: { cpu: '4' }, guarantee: { resource: { cpu: '4000m' } } }),
      ],
      'no guarantee at all': [queue('a', { deserved: { cpu: 4 } })],
      'a guarantee of the wrong shape': [queue('a', { guarantee: { resource: ['cpu'] } })],
    },
  },
  {
    rule: 'volcano/queue-deserved-within-capability',
    fires: {
      'deserved above the capability': [
        queue('a', { deserved: { 'nvidia.com/gpu': 9 }, capability: { 'nvidia.com/gpu': 8 } }),
      ],
    },
    silent: {
      'a resource that the capability does not name': [
        queue('a', { deserved: { 'nvidia.com/gpu': 9 }, capability: { cpu: 8 } }),
      ],
      'deserved equals the capability': [queue('a', { deserved: { cpu: '1' }, capability: { cpu: '1000m' } })],
    },
  },
  {
    rule: 'volcano/queue-amounts-valid',
    fires: {
      'a negative amount': [queue('a', { capability: { cpu: '-1' } })],
      'half a GPU': [queue('a', { deserved: { 'nvidia.com/gpu': '500m' } })],
      'half a pod': [queue('a', { guarantee: { resource: { pods: '0.5' } } })],
    },
    silent: { 'half a core and no GPU': [queue('a', { capability: { cpu: '500m', 'nvidia.com/gpu': '0' } })] },
  },
  {
    rule: 'volcano/queue-resources-counted',
    fires: {
      'a quota key': [queue('a', { capability: { 'requests.nvidia.com/gpu': 8 } })],
      'a name without a domain': [queue('a', { capability: { gpu: 8 } })],
    },
    silent: {
      'names that pods request': [
        queue('a', { capability: { cpu: 1, memory: '1Gi', pods: 9, 'hugepages-2Mi': '1Gi', 'rdma/hca': 1 } }),
      ],
    },
  },
  {
    rule: 'volcano/queue-memory-unit-intended',
    fires: { 'memory in powers of 1000': [queue('a', { capability: { memory: '500G' } })] },
    silent: {
      'memory in powers of 1024': [queue('a', { capability: { memory: '500Gi' } })],
      'thousands of cores': [queue('a', { capability: { cpu: '1k' } })],
    },
  },
  {
    rule: 'volcano/queue-hierarchy-weights-match',
    fires: {
      'fewer weights than parts': [queue('a', {}, hierarchy('root/a', '1'))],
      'a weight that is no number': [queue('a', {}, hierarchy('root/a', '1/x'))],
      'a weight of zero': [queue('a', {}, hierarchy('root/a', '1/0'))],
    },
    silent: { 'one weight per part': [queue('a', {}, hierarchy('root/a', '1/2.5'))], 'no annotations': [queue('a')] },
  },
  {
    rule: 'volcano/queue-hierarchy-ends-at-leaf',
    fires: {
      'a path inside another': [
        queue('a', {}, hierarchy('root/sci', '1/1')),
        queue('b', {}, hierarchy('sci/dev', '1/1')),
      ],
    },
    silent: {
      'names that only begin alike': [
        queue('a', {}, hierarchy('root/sci', '1/1')),
        queue('b', {}, hierarchy('root/scidev', '1/1')),
      ],
    },
  },
  {
    rule: 'volcano/queue-parents-form-a-tree',
    fires: {
      'a queue that is its own parent': [queue('a', { parent: 'a' })],
      'a circle of two': [queue('a', { parent: 'b' }), queue('b', { parent: 'a' })],
    },
    silent: {
      'a tree': [queue('a', { parent: 'root' }), queue('b', { parent: 'a' })],
      'a parent outside the set': [queue('b', { parent: 'a' })],
    },
  },
  {
    rule: 'volcano/queue-depth-within-limit',
    fires: {
      'six levels': chain(6),
      'five levels below a parent of the cluster': [queue('level0', { parent: 'there' }), ...chain(5).slice(1)],
    },
    silent: { 'five levels': chain(5) },
  },
  {
    rule: 'volcano/queue-parent-known',
    fires: { 'a parent that is not in the set': [queue('a', { parent: 'b' })] },
    silent: {
      'a parent of the set': [queue('b'), queue('a', { parent: 'b' })],
      'the root queue': [queue('a', { parent: 'root' })],
    },
  },
  {
    rule: 'volcano/queue-after-parent',
    fires: { 'the child is first': [queue('a', { parent: 'b' }), queue('b')] },
    silent: { 'the parent is first': [queue('b'), queue('a', { parent: 'b' })] },
  },
  {
    rule: 'volcano/queue-capability-within-ancestor',
    fires: {
      'more than the parent': [
        queue('p', { capability: { cpu: 8 } }),
        queue('c', { parent: 'p', capability: { cpu: 9 } }),
      ],
      'more than the grandparent, where the parent is silent': [
        queue('g', { capability: { cpu: 8 } }),
        queue('p', { parent: 'g' }),
        queue('c', { parent: 'p', capability: { cpu: 9 } }),
      ],
    },
    silent: {
      'children that together exceed the parent': [
        queue('p', { capability: { cpu: 8 } }),
        queue('c', { parent: 'p', capability: { cpu: 8 } }),
        queue('d', { parent: 'p', capability: { cpu: 8 } }),
      ],
      'a resource that no ancestor limits': [
        queue('p', { capability: { cpu: 8 } }),
        queue('c', { parent: 'p', capability: { memory: '1Ti' } }),
      ],
      'a parent that limits with zero, which Volcano takes for no limit': [
        queue('p', { capability: { cpu: 0 } }),
        queue('c', { parent: 'p', capability: { cpu: 8 } }),
      ],
    },
  },
  {
    rule: 'volcano/queue-children-guarantee-within-parent',
    fires: {
      'the sum exceeds the parent': [
        queue('p', { deserved: { cpu: 8 }, guarantee: { resource: { cpu: 8 } } }),
        queue('c', { parent: 'p', guarantee: { resource: { cpu: 5 } } }),
        queue('d', { parent: 'p', guarantee: { resource: { cpu: 4 } } }),
      ],
    },
    silent: {
      'the sum equals the parent': [
        queue('p', { guarantee: { resource: { cpu: 9 } } }),
        queue('c', { parent: 'p', guarantee: { resource: { cpu: 5 } } }),
        queue('d', { parent: 'p', guarantee: { resource: { cpu: 4 } } }),
      ],
      'children of the root': [queue('root', {}), queue('c', { parent: 'root', guarantee: { resource: { cpu: 5 } } })],
    },
  },
  {
    rule: 'volcano/queue-children-deserved-within-parent',
    fires: {
      'a parent that names nothing counts as zero': [queue('p'), queue('c', { parent: 'p', deserved: { cpu: 1 } })],
      'even zero of a device that the parent does not name': [
        queue('p'),
        queue('c', { parent: 'p', deserved: { 'nvidia.com/gpu': 0 } }),
      ],
    },
    silent: {
      'zero cores': [queue('p'), queue('c', { parent: 'p', deserved: { cpu: 0 } })],
      'a resource that Volcano does not count': [queue('p'), queue('c', { parent: 'p', deserved: { gpu: 1 } })],
    },
  },
  {
    rule: 'volcano/job-queue-is-leaf',
    fires: {
      'the root queue': [job({ queue: 'root' })],
      'a queue with children': [queue('p'), queue('c', { parent: 'p' }), job({ queue: 'p' })],
    },
    silent: {
      'a leaf': [queue('p'), queue('c', { parent: 'p' }), job({ queue: 'c' })],
      'no queue named': [queue('p'), job()],
    },
  },
  {
    rule: 'volcano/job-fits-its-queue',
    fires: {
      'all pods must start, and ask for more': [queue('q', { capability: { 'nvidia.com/gpu': 31 } }), gpuJob(4, 8)],
      'the limit is that of the parent': [
        queue('p', { capability: { 'nvidia.com/gpu': 31 } }),
        queue('q', { parent: 'p' }),
        gpuJob(4, 8),
      ],
      'even the smallest pods ask for more': [
        queue('q', { capability: { 'nvidia.com/gpu': 15 } }),
        gpuJob(4, 8, { minAvailable: 2 }),
      ],
    },
    silent: {
      'all pods fit': [queue('q', { capability: { 'nvidia.com/gpu': 32 } }), gpuJob(4, 8)],
      'the pods that ask for least fit, whose task comes last': [
        queue('q', { capability: { 'nvidia.com/gpu': 4 } }),
        job({
          queue: 'q',
          minAvailable: 4,
          tasks: [task('master', 1, {}, podOf(8)), task('worker', 4, {}, podOf(1))],
        }),
      ],
      'those that must start fit': [
        queue('q', { capability: { 'nvidia.com/gpu': 16 } }),
        gpuJob(4, 8, { minAvailable: 2 }),
      ],
      'another resource is limited': [queue('q', { capability: { cpu: 1 } }), gpuJob(4, 8)],
      'the queue is elsewhere': [gpuJob(4, 8)],
    },
  },
  {
    rule: 'volcano/job-replicas-fit-its-queue',
    fires: {
      'pods beyond the gang take turns': [
        queue('q', { capability: { 'nvidia.com/gpu': 16 } }),
        gpuJob(4, 8, { minAvailable: 2 }),
      ],
      'partitions beyond the smallest number never start': [queue('q', { capability: { cpu: 20 } }), partitioned],
    },
    silent: {
      'all pods fit': [queue('q', { capability: { 'nvidia.com/gpu': 32 } }), gpuJob(4, 8, { minAvailable: 2 })],
      'all partitions fit': [queue('q', { capability: { cpu: 24 } }), partitioned],
      'the gang does not fit, which is an error of its own': [
        queue('q', { capability: { 'nvidia.com/gpu': 15 } }),
        gpuJob(4, 8, { minAvailable: 2 }),
      ],
    },
  },
  {
    rule: 'volcano/pod-group-fits-its-queue',
    fires: {
      'more than the queue may hold': [
        queue('q', { capability: { cpu: 8 } }),
        podGroup('g', { queue: 'q', minResources: { cpu: 9 } }),
      ],
    },
    silent: {
      'as much as it may': [
        queue('q', { capability: { cpu: 8 } }),
        podGroup('g', { queue: 'q', minResources: { cpu: 8 } }),
      ],
    },
  },
  {
    rule: 'volcano/job-queue-known',
    fires: { 'a queue that the set does not hold, while it holds others': [queue('a'), job({ queue: 'b' })] },
    silent: {
      'no queues in the set': [job({ queue: 'b' })],
      'the default queue': [queue('a'), job({ queue: 'default' })],
    },
  },
  {
    rule: 'volcano/pod-group-queue-known',
    fires: { 'a queue that the set does not hold': [queue('a'), podGroup('g', { queue: 'b' })] },
    silent: { 'a queue of the set': [queue('a'), podGroup('g', { queue: 'a' })] },
  },
  {
    rule: 'volcano/pod-group-queue-is-leaf',
    fires: { 'a queue with children': [queue('p'), queue('c', { parent: 'p' }), podGroup('g', { queue: 'p' })] },
    silent: { 'a leaf': [queue('p'), queue('c', { parent: 'p' }), podGroup('g', { queue: 'c' })] },
  },
  {
    rule: 'volcano/pod-queue-is-leaf',
    fires: {
      'pods sent to a queue with children': [
        queue('p'),
        queue('c', { parent: 'p' }),
        deployment(2, { annotations: { 'scheduling.volcano.sh/queue-name': 'p' } }),
      ],
    },
    silent: {
      'pods sent to a leaf': [
        queue('p'),
        queue('c', { parent: 'p' }),
        deployment(2, { annotations: { 'scheduling.volcano.sh/queue-name': 'c' } }),
      ],
      'pods of another scheduler': [
        queue('p'),
        queue('c', { parent: 'p' }),
        deployment(2, { annotations: { 'scheduling.volcano.sh/queue-name': 'p' } }, {}, 'default-scheduler'),
      ],
    },
  },
  {
    rule: 'volcano/namespace-queue-takes-effect',
    fires: {
      'the annotation on a namespace': [
        {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: 'ai', annotations: { 'scheduling.volcano.sh/queue-name': 'a' } },
        },
      ],
    },
    silent: {
      'another annotation': [
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ai', annotations: { owner: 'a' } } },
      ],
    },
  },
];
