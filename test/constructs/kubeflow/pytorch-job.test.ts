import { App, Chart } from 'cdk8s';
import { ConfigMap } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { type JsonObject } from '../../../src/facts/api/schema';
import { PyTorchJob, type PyTorchJobProps } from '../../../src/constructs/kubeflow';
import { Accelerator, Mount, Scheduling } from '../../../src/constructs/pods';

const IMAGE = 'pytorch/pytorch:2.0.1-cuda11.7-cudnn8-runtime';
const MINIMAL: PyTorchJobProps = { nodes: 2, image: IMAGE, command: ['torchrun', 'train.py'] };

/** A queue as other folders make it: a construct that knows its name. */
class QueueStandIn extends Construct {
  readonly engine = 'volcano';

  constructor(
    scope: Construct,
    readonly name: string,
  ) {
    super(scope, `queue-${name}`);
  }
}

function chart(): Chart {
  return new Chart(new App(), 'test', { namespace: 'ai-workloads' });
}

function objectOf(props: Partial<PyTorchJobProps>, change: (job: PyTorchJob) => void = () => undefined): JsonObject {
  const scope = chart();
  const job = new PyTorchJob(scope, 'train', { ...MINIMAL, ...props });
  change(job);
  const [object] = scope.toJson() as JsonObject[];
  if (object === undefined) {
    throw new Error('nothing was made');
  }
  return object;
}

function specOf(props: Partial<PyTorchJobProps>, change?: (job: PyTorchJob) => void): JsonObject {
  return objectOf(props, change).spec as JsonObject;
}

test('a static job is a Master and the other Workers, alike', () => {
  const template = {
    spec: {
      schedulerName: 'volcano',
      containers: [
        {
          name: 'pytorch',
          image: IMAGE,
          command: ['torchrun', 'train.py'],
          resources: { limits: { 'nvidia.com/gpu': 8, memory: '200Gi' }, requests: { cpu: '32', memory: '200Gi' } },
          volumeMounts: [
            { name: 'data', mountPath: '/data' },
            { name: 'shm', mountPath: '/dev/shm' },
          ],
        },
      ],
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'training-data-pvc' } },
        { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '16Gi' } },
      ],
    },
  };
  expect(
    objectOf({
      name: 'pytorch-distributed',
      nodes: 4,
      resources: { cpu: '32', memory: '200Gi' },
      accelerators: Accelerator.nvidia({ count: 8, tolerations: [] }),
      sharedMemory: '16Gi',
      mounts: [Mount.claim('training-data-pvc', '/data')],
      cleanPodPolicy: 'None',
      scheduling: Scheduling.volcano({ engine: 'volcano', name: 'default-queue' }),
    }),
  ).toEqual({
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name: 'pytorch-distributed', namespace: 'ai-workloads' },
    spec: {
      nprocPerNode: '8',
      runPolicy: { cleanPodPolicy: 'None', schedulingPolicy: { queue: 'default-queue', minAvailable: 4 } },
      pytorchReplicaSpecs: {
        Master: { replicas: 1, restartPolicy: 'OnFailure', template },
        Worker: { replicas: 3, restartPolicy: 'OnFailure', template },
      },
    },
  });
});

test('an elastic job is Workers only', () => {
  expect(
    objectOf({
      name: 'pytorch-elastic',
      nodes: 4,
      elastic: { min: 4, max: 8, maxRestarts: 10 },
      accelerators: Accelerator.nvidia({ count: 8, tolerations: [] }),
    }),
  ).toEqual({
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name: 'pytorch-elastic', namespace: 'ai-workloads' },
    spec: {
      nprocPerNode: '8',
      elasticPolicy: { rdzvBackend: 'c10d', minReplicas: 4, maxReplicas: 8, maxRestarts: 10 },
      pytorchReplicaSpecs: {
        Worker: {
          replicas: 4,
          restartPolicy: 'OnFailure',
          template: {
            spec: {
              containers: [
                {
                  name: 'pytorch',
                  image: IMAGE,
                  command: ['torchrun', 'train.py'],
                  resources: { limits: { 'nvidia.com/gpu': 8 } },
                },
              ],
            },
          },
        },
      },
    },
  });
});

test('one node is a Master alone', () => {
  expect(Object.keys(specOf({ nodes: 1 }).pytorchReplicaSpecs as JsonObject)).toEqual(['Master']);
});

test('processes per node follow the devices, and can be stated', () => {
  expect(specOf({}).nprocPerNode).toBe('auto');
  expect(specOf({ accelerators: Accelerator.mig({ profile: '1g.10gb', count: 2 }) }).nprocPerNode).toBe('2');
  expect(specOf({ accelerators: Accelerator.nvidia({ count: 8 }), processesPerNode: 4 }).nprocPerNode).toBe('4');
});

test('what differs in the first node differs there only', () => {
  const { Master, Worker } = specOf({ nodes: 2, env: { A: '1' }, master: { env: { A: '2' } } }).pytorchReplicaSpecs as {
    [role: string]: JsonObject;
  };
  expect(JSON.stringify(Master)).toContain('"value":"2"');
  expect(JSON.stringify(Worker)).toContain('"value":"1"');
});

test('settings of the rendezvous are a list, and no list where there are none', () => {
  expect(specOf({ elastic: { min: 1, max: 2, rdzvConf: { join_timeout: '600' } } }).elasticPolicy).toMatchObject({
    rdzvConf: [{ key: 'join_timeout', value: '600' }],
  });
  expect(specOf({ elastic: { min: 1, max: 2, rdzvConf: {} } }).elasticPolicy).not.toHaveProperty('rdzvConf');
});

test('a port of its own carries the name by which the operator finds it', () => {
  expect(JSON.stringify(specOf({ port: 29500 }))).toContain(
    '"ports":[{"containerPort":29500,"name":"pytorchjob-port"}]',
  );
});

test('what has no property of its own is merged in, and an unknown property is reported rather than dropped', () => {
  const overrides = { runPolicy: { backoffLimit: 3 }, elasticPolicy: { minReplicas: 2 } };
  expect(specOf({ elastic: { min: 1, max: 2 }, overrides })).toMatchObject({
    runPolicy: { backoffLimit: 3 },
    elasticPolicy: { minReplicas: 2, maxReplicas: 2 },
  });
  expect(() => specOf({ overrides: { invented: true } })).toThrow('unknown field "invented"');
});

describe('scheduling', () => {
  test('a queue chosen late reaches every role and the gang', () => {
    const spec = specOf({ nodes: 4, priorityClass: { kind: 'PriorityClass', name: 'high' } }, (job) =>
      job.submitTo({ engine: 'volcano', name: 'research' }),
    );
    expect(spec.runPolicy).toEqual({ schedulingPolicy: { queue: 'research', minAvailable: 4, priorityClass: 'high' } });
    for (const role of Object.values(spec.pytorchReplicaSpecs as JsonObject)) {
      expect(role).toMatchObject({ template: { spec: { schedulerName: 'volcano', priorityClassName: 'high' } } });
    }
  });

  test('an elastic gang is as large as the least that can train', () => {
    expect(
      specOf({ nodes: 6, elastic: { min: 4, max: 8 } }, (job) => job.submitTo({ engine: 'volcano', name: 'a' }))
        .runPolicy,
    ).toMatchObject({ schedulingPolicy: { minAvailable: 4 } });
  });

  test('a local queue of Kueue is a label, and no gang of an operator', () => {
    const object = objectOf({}, (job) => job.submitTo({ engine: 'kueue', name: 'team' }));
    expect(object.metadata).toMatchObject({ labels: { 'kueue.x-k8s.io/queue-name': 'team' } });
    expect(object.spec).not.toHaveProperty('runPolicy');
  });

  test("a job of Gantry's scheduler carries its queue on job and pods", () => {
    const object = objectOf({ scheduling: Scheduling.gantry({ engine: 'gantry', name: 'research' }) });
    expect(object.metadata).toMatchObject({ labels: { 'gantry.dev/queue': 'research' } });
    expect((object.spec as JsonObject).pytorchReplicaSpecs).toMatchObject({
      Worker: {
        template: { metadata: { labels: { 'gantry.dev/queue': 'research' } }, spec: { schedulerName: 'gantry' } },
      },
    });
  });

  test('a second choice is refused', () => {
    const job = new PyTorchJob(chart(), 'train', MINIMAL).submitTo({ engine: 'volcano', name: 'a' });
    // @ts-expect-error it has a queue
    expect(() => job.submitTo({ engine: 'volcano', name: 'b' })).toThrow(
      'test/train: must not be scheduled by the Volcano queue "b": it is scheduled by the Volcano queue "a".',
    );
  });
});

test('a job is called like its construct, and what is said of its metadata reaches it', () => {
  expect(objectOf({}).metadata).toEqual({ name: 'train', namespace: 'ai-workloads' });
  expect(
    objectOf({
      namespace: 'other',
      labels: { a: 'b' },
      metadata: { labels: { c: 'd' }, finalizers: ['x.example.com/y'] },
    }).metadata,
  ).toEqual({ name: 'train', namespace: 'other', labels: { a: 'b', c: 'd' }, finalizers: ['x.example.com/y'] });
});

test('what a job refers to is written before it', () => {
  const scope = chart();
  const job = new PyTorchJob(scope, 'a-train', { ...MINIMAL, mounts: [] });
  const settings = new ConfigMap(scope, 'z-settings');
  const mounted = new PyTorchJob(scope, 'b-train', { ...MINIMAL, mounts: [Mount.configMap(settings, '/etc/train')] });
  const queue = new QueueStandIn(scope, 'research');
  job.submitTo(queue);
  expect(job.node.dependencies).toContain(queue);
  expect(mounted.node.dependencies).toContain(settings);
  // What is in the scope of a queue need not come first: its own object is waited for.
  const object = new Construct(queue, 'Resource');
  const other = new PyTorchJob(scope, 'c-train', MINIMAL).submitTo(
    Object.assign(new QueueStandIn(scope, 'other'), { resource: object }),
  );
  expect(other.node.dependencies).toEqual([object]);
  expect((scope.toJson() as JsonObject[]).map(({ kind }) => kind)).toEqual([
    'PyTorchJob',
    'ConfigMap',
    'PyTorchJob',
    'PyTorchJob',
  ]);
});

describe('contradictions are reported where they are written', () => {
  test.each<[string, Partial<PyTorchJobProps>, string]>([
    ['no nodes', { nodes: 0 }, 'test/train: nodes must be a whole number greater than or equal to 1, not 0.'],
    [
      'a range upside down',
      { elastic: { min: 4, max: 2 } },
      'test/train: elastic min 4, max 2: must be whole numbers with 1 <= min <= max.',
    ],
    [
      'nodes outside of the range',
      { nodes: 9, elastic: { min: 4, max: 8 } },
      'test/train: nodes 9: must be from elastic min 4 to max 8.',
    ],
    [
      'no memory beside shared memory',
      { resources: { memory: '1Gi' }, sharedMemory: '2Gi' },
      'test/train: memory 1Gi must be greater than sharedMemory 2Gi',
    ],
  ])('%s', (_what, props, message) => {
    expect(() => new PyTorchJob(chart(), 'train', { ...MINIMAL, ...props })).toThrow(message);
  });
});
