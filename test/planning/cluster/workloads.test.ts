/**
 * Every kind that makes pods: which gangs it asks for, and what holds them together.
 */
import { READ_KINDS } from '../../../src/planning/cluster/workloads';
import { TEMPLATE_PLACES } from '../../../src/manifests/pods/pod-templates';
import { clusterOf, gangNamed, gpus, plan } from './builders';

const job = (apiVersion: string, kind: string, spec: string, metadata = ''): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: job, namespace: ml${metadata}}\nspec: ${spec}`;

/** `role x count` of the gang's roles, with its minimum. */
function shape(
  manifests: string | readonly string[],
  name = 'ml/job',
): { readonly roles: readonly string[]; readonly minimum: number } {
  const gang = gangNamed(plan(manifests), name);
  return { roles: gang.roles.map((role) => `${role.name} x ${role.count}`), minimum: gang.minimum };
}

describe('pods of Kubernetes itself', () => {
  it('are of use one by one in Deployments, StatefulSets, ReplicaSets and Jobs', () => {
    const template = `{spec: ${gpus(1)}}`;
    for (const [kind, apiVersion] of [
      ['Deployment', 'apps/v1'],
      ['StatefulSet', 'apps/v1'],
      ['ReplicaSet', 'apps/v1'],
      ['ReplicationController', 'v1'],
    ]) {
      expect(shape(job(apiVersion, kind, `{replicas: 3, template: ${template}}`))).toMatchObject({
        minimum: 1,
        roles: [expect.stringMatching(/x 3$/)],
      });
    }
    expect(shape(job('batch/v1', 'Job', `{parallelism: 4, completions: 2, template: ${template}}`))).toMatchObject({
      minimum: 1,
      roles: ['job x 2'],
    });
  });

  it('are one gang in a Job that Kueue admits, even while it is suspended', () => {
    const suspended = `{suspend: true, parallelism: 4, template: {spec: ${gpus(1)}}}`;
    expect(shape(job('batch/v1', 'Job', suspended, ', labels: {kueue.x-k8s.io/queue-name: q}'))).toMatchObject({
      minimum: 4,
    });
    expect(plan(job('batch/v1', 'Job', suspended)).view.notes).toEqual(['Job ml/job is suspended: not placed.']);
  });

  it('are one gang across workloads when they carry one gang label', () => {
    const member = (name: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: ml}
spec: {replicas: 2, template: {metadata: {labels: {gantry.dev/gang: pair}, annotations: {gantry.dev/gang-min-member: '3'}}, spec: ${gpus(1)}}}`;
    expect(shape([member('a'), member('b')], 'ml/pair')).toEqual({
      roles: ['a/deployment x 2', 'b/deployment x 2'],
      minimum: 3,
    });
  });

  it('follow the pod group that they name', () => {
    const pod = (name: string): string => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: ml, annotations: {scheduling.k8s.io/group-name: ring}}
spec: ${gpus(8)}`;
    const group =
      'apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\nmetadata: {name: ring, namespace: ml}\nspec: {minMember: 2, queue: q}';
    const made = plan([group, pod('p-0'), pod('p-1')]);
    expect(gangNamed(made, 'ml/ring')).toMatchObject({
      kind: 'PodGroup',
      queue: 'q',
      pods: 2,
      minimum: 2,
      state: 'placed',
    });
  });

  it('take a node of their own name when they say so', () => {
    const made = plan(`apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: ${gpus(1, 'nodeName: n-3, ')}`);
    expect(gangNamed(made, 'default/p').domain).toEqual({ level: -1, name: 'n-3' });
  });

  it('take room on each matching node in a DaemonSet, and are no gang', () => {
    const daemon = `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: kube-system}
spec: {template: {spec: {nodeSelector: {nvidia.com/gpu.present: 'true'}, containers: [{name: a, image: x, resources: {requests: {cpu: 2}}}]}}}`;
    const { view } = plan(
      daemon,
      clusterOf('pools: [{name: g, count: 2, accelerator: H100-SXM-80GB}, {name: c, count: 1}]'),
    );
    expect(view.gangs).toEqual([]);
    expect(view.nodes.map(({ name, used }) => [name, used[0]])).toEqual([
      ['c-1', 0],
      ['g-1', 2000],
      ['g-2', 2000],
    ]);
  });

  it('that start by the clock are not placed, and that is said', () => {
    const cron = job(
      'batch/v1',
      'CronJob',
      `{schedule: '@daily', jobTemplate: {spec: {template: {spec: ${gpus(1)}}}}}`,
    );
    expect(plan(cron).view).toMatchObject({ gangs: [], notes: ['CronJob ml/job starts on a schedule: not placed.'] });
  });
});

describe('jobs of Volcano', () => {
  const tasks = `tasks: [{name: master, replicas: 1, template: {spec: ${gpus(1)}}}, {name: worker, replicas: 4, minAvailable: 2, template: {spec: ${gpus(1)}}}]`;

  it('need what their tasks need', () => {
    expect(shape(job('batch.volcano.sh/v1alpha1', 'Job', `{${tasks}}`))).toEqual({
      roles: ['master x 1', 'worker x 4'],
      minimum: 3,
    });
    expect(shape(job('batch.volcano.sh/v1alpha1', 'Job', `{minAvailable: 2, ${tasks}}`)).minimum).toBe(2);
  });

  it('stay within one tier; a tier is a level of the cluster where no HyperNodes are described', () => {
    const two = `{networkTopology: {mode: hard, highestTierAllowed: 1}, tasks: [{name: w, replicas: 2, template: {spec: ${gpus(8)}}}]}`;
    expect(gangNamed(plan(job('batch.volcano.sh/v1alpha1', 'Job', two)), 'ml/job')).toMatchObject({
      topology: 'in one rack',
      domain: { name: 'rack-1' },
    });
    const three = two.replace('replicas: 2', 'replicas: 3');
    expect(gangNamed(plan(job('batch.volcano.sh/v1alpha1', 'Job', three)), 'ml/job').pending?.kind).toBe('topology');
  });

  it('use HyperNodes where the manifests describe those of the cluster', () => {
    const hyper = (name: string, from: number): string => `apiVersion: topology.volcano.sh/v1alpha1
kind: HyperNode
metadata: {name: ${name}}
spec: {tier: 1, members: [{type: Node, selector: {regexMatch: {pattern: '^n-[${from}-${from + 2}]$'}}}]}`;
    const three = `{networkTopology: {highestTierAllowed: 1}, tasks: [{name: w, replicas: 3, template: {spec: ${gpus(8)}}}]}`;
    const made = plan([hyper('left', 1), hyper('right', 4), job('batch.volcano.sh/v1alpha1', 'Job', three)]);
    expect(made.good).toBe(true);
    expect(gangNamed(made, 'ml/job').where.map(([node]) => made.view.nodes[node].name)).toEqual(['n-1', 'n-2', 'n-3']);
  });

  it.each([
    ['^(?i)N-[1-3]$', ['n-1', 'n-2', 'n-3']],
    ['\\\\An-[2-4]\\\\z', ['n-2', 'n-3', 'n-4']],
    ['^((n|n)*(-|n)*)*!$', undefined],
  ])('names of nodes are matched as Go does, in little time: %s', (pattern, where) => {
    const hyper = `apiVersion: topology.volcano.sh/v1alpha1
kind: HyperNode
metadata: {name: some}
spec: {tier: 1, members: [{type: Node, selector: {regexMatch: {pattern: "${pattern}"}}}]}`;
    const three = `{networkTopology: {highestTierAllowed: 1}, tasks: [{name: w, replicas: 3, template: {spec: ${gpus(8)}}}]}`;
    const made = plan([hyper, job('batch.volcano.sh/v1alpha1', 'Job', three)]);
    expect(made.good ? gangNamed(made, 'ml/job').where.map(([node]) => made.view.nodes[node].name) : undefined).toEqual(
      where,
    );
  });

  it('in a flow start when they wait for no other', () => {
    const template = (name: string): string =>
      job('flow.volcano.sh/v1alpha1', 'JobTemplate', `{${tasks}}`).replace('name: job', `name: ${name}`);
    const flow = job(
      'flow.volcano.sh/v1alpha1',
      'JobFlow',
      '{flows: [{name: prepare}, {name: train, dependsOn: {targets: [prepare]}}]}',
    );
    const made = plan([template('prepare'), template('train'), flow]);
    expect(made.asked.map(({ view }) => view.name)).toEqual(['ml/job-prepare']);
    expect(made.view.notes).toEqual(['JobFlow ml/job starts "train" once prepare is done: not placed.']);
  });
});

describe('training jobs', () => {
  const kinds = [
    ['PyTorchJob', 'pytorchReplicaSpecs'],
    ['TFJob', 'tfReplicaSpecs'],
    ['XGBoostJob', 'xgbReplicaSpecs'],
    ['PaddleJob', 'paddleReplicaSpecs'],
    ['JAXJob', 'jaxReplicaSpecs'],
  ];

  it.each(kinds)('%s is one gang of all its replicas', (kind, field) => {
    const spec = `{${field}: {Master: {template: {spec: ${gpus(1)}}}, Worker: {replicas: 3, template: {spec: ${gpus(1)}}}}}`;
    expect(shape(job('kubeflow.org/v1', kind, spec))).toEqual({ roles: ['Master x 1', 'Worker x 3'], minimum: 4 });
  });

  it('MPIJob has a launcher, in both of its versions', () => {
    const spec = `{mpiReplicaSpecs: {Launcher: {template: {spec: ${gpus(0)}}}, Worker: {replicas: 2, template: {spec: ${gpus(8)}}}}}`;
    for (const version of ['kubeflow.org/v1', 'kubeflow.org/v2beta1']) {
      expect(shape(job(version, 'MPIJob', spec))).toEqual({ roles: ['Launcher x 1', 'Worker x 2'], minimum: 3 });
    }
  });

  it('an elastic PyTorchJob needs the least of its workers', () => {
    const spec = `{elasticPolicy: {minReplicas: 2, maxReplicas: 8}, pytorchReplicaSpecs: {Worker: {replicas: 6, template: {spec: ${gpus(8)}}}}}`;
    expect(gangNamed(plan(job('kubeflow.org/v1', 'PyTorchJob', spec)), 'ml/job')).toMatchObject({
      minimum: 2,
      placed: 4,
      state: 'partial',
    });
  });

  it('take queue, minimum and priority from their scheduling policy', () => {
    const spec = `{runPolicy: {schedulingPolicy: {queue: q, minAvailable: 2, priorityClass: high}},
  pytorchReplicaSpecs: {Worker: {replicas: 3, template: {spec: ${gpus(1)}}}}}`;
    const high = 'apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 100';
    expect(gangNamed(plan([high, job('kubeflow.org/v1', 'PyTorchJob', spec)]), 'ml/job')).toMatchObject({
      queue: 'q',
      minimum: 2,
      priority: 100,
    });
  });

  it('a TrainJob asks for the nodes of its runtime, with the resources that it names itself', () => {
    const runtime = `apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: torch}
spec:
  mlPolicy: {numNodes: 2}
  template: {spec: {replicatedJobs: [
    {name: dataset-initializer, template: {metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: dataset-initializer}},
      spec: {template: {spec: ${gpus(0)}}}}},
    {name: node, template: {spec: {template: {spec: {containers: [{name: node, image: x}]}}}}}]}}`;
    const train = job(
      'trainer.kubeflow.org/v1alpha1',
      'TrainJob',
      '{runtimeRef: {name: torch}, trainer: {numNodes: 3, resourcesPerNode: {limits: {nvidia.com/gpu: 8}}}}',
    );
    expect(gangNamed(plan([runtime, train]), 'ml/job')).toMatchObject({
      pods: 3,
      minimum: 3,
      devices: 24,
      state: 'placed',
    });
    expect(gangNamed(plan(train), 'ml/job')).toMatchObject({ pods: 3, devices: 24 });
  });
});

describe('sets of jobs, leaders and rays', () => {
  it('a JobSet is one gang; with an exclusive topology each job has its domain', () => {
    const spec = `{replicatedJobs: [{name: w, replicas: 2, template: {spec: {parallelism: 2, completions: 2, template: {spec: ${gpus(8)}}}}}]}`;
    expect(shape(job('jobset.x-k8s.io/v1alpha2', 'JobSet', spec))).toEqual({ roles: ['w x 4'], minimum: 4 });
    const apart = ', annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.provider.com/topology-rack}';
    const made = plan(job('jobset.x-k8s.io/v1alpha2', 'JobSet', spec, apart));
    expect(gangNamed(made, 'ml/job')).toMatchObject({ state: 'placed', topology: 'w-0 in one rack; w-1 in one rack' });
  });

  it('a job that others wait for to be complete is over when they start', () => {
    const spec = `{replicatedJobs: [{name: prepare, template: {spec: {template: {spec: ${gpus(1)}}}}},
  {name: train, dependsOn: [{name: prepare, status: Complete}], template: {spec: {template: {spec: ${gpus(8)}}}}}]}`;
    expect(shape(job('jobset.x-k8s.io/v1alpha2', 'JobSet', spec)).roles).toEqual(['train x 1']);
  });

  it('a LeaderWorkerSet is one gang for each group, in a domain of its own where it asks for that', () => {
    const spec = `{replicas: 2, leaderWorkerTemplate: {size: 2, workerTemplate: {spec: ${gpus(8)}}}}`;
    const exclusive =
      ', annotations: {leaderworkerset.sigs.k8s.io/exclusive-topology: cloud.provider.com/topology-rack}';
    const made = plan(job('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', spec, exclusive));
    expect(made.asked.map(({ view }) => [view.name, view.domain?.name])).toEqual([
      ['ml/job-0', 'rack-1'],
      ['ml/job-1', 'rack-2'],
    ]);
    expect(gangNamed(made, 'ml/job-0').roles.map(({ name, count }) => `${name} x ${count}`)).toEqual([
      'leader x 1',
      'worker x 1',
    ]);
  });

  it('a Ray cluster starts with its head and what autoscaling begins with', () => {
    const groups = `headGroupSpec: {template: {spec: ${gpus(0)}}}, workerGroupSpecs: [{groupName: w, replicas: 3, minReplicas: 1, template: {spec: ${gpus(1)}}}]`;
    expect(shape(job('ray.io/v1', 'RayCluster', `{${groups}}`))).toEqual({ roles: ['head x 1', 'w x 3'], minimum: 4 });
    expect(
      shape(job('ray.io/v1', 'RayService', `{rayClusterConfig: {enableInTreeAutoscaling: true, ${groups}}}`)).minimum,
    ).toBe(2);
    expect(shape(job('ray.io/v1', 'RayJob', `{rayClusterSpec: {${groups}}}`)).minimum).toBe(4);
  });

  it('a Knative Service starts with its least scale, and with one pod at the least', () => {
    const scaled = `{template: {metadata: {annotations: {autoscaling.knative.dev/min-scale: '3'}}, spec: ${gpus(1)}}}`;
    expect(shape(job('serving.knative.dev/v1', 'Service', scaled)).roles).toEqual(['revision x 3']);
    expect(shape(job('serving.knative.dev/v1', 'Service', `{template: {spec: ${gpus(1)}}}`)).roles).toEqual([
      'revision x 1',
    ]);
  });
});

it('every kind that holds pod templates is placed, or said not to be', () => {
  expect(Object.keys(TEMPLATE_PLACES).filter((kind) => !READ_KINDS.includes(kind))).toEqual([]);
});

it('what another object of the set makes is not counted twice', () => {
  const deployment = `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: ml}\nspec: {replicas: 1, template: {spec: ${gpus(1)}}}`;
  const made = `apiVersion: apps/v1\nkind: ReplicaSet
metadata: {name: web-1, namespace: ml, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: u}]}
spec: {replicas: 1, template: {spec: ${gpus(1)}}}`;
  expect(plan([deployment, made]).asked.map(({ view }) => view.name)).toEqual(['ml/web']);
});
