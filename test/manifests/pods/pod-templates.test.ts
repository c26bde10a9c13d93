import { ManifestSet } from '../../../src/manifests/manifest-set';
import { parseYaml } from '../../../src/manifests/yaml';
import { valueAt } from '../../../src/manifests/pointer';

/** `role x count @ path` of every template. */
function templatesOf(text: string): string[] {
  const { manifests, problems } = parseYaml(text, 'a.yaml');
  expect(problems).toEqual([]);
  return new ManifestSet(manifests).podTemplates.map(({ role, count, path }) => `${role} x ${count} @ ${path}`);
}

const POD = '{spec: {containers: [{name: c}]}}';

test.each([
  ['a Pod', `apiVersion: v1\nkind: Pod\nspec: {containers: []}`, ['pod x 1 @ ']],
  ['a PodTemplate', `apiVersion: v1\nkind: PodTemplate\ntemplate: ${POD}`, ['podtemplate x undefined @ /template']],
  [
    'a Deployment without replicas',
    `apiVersion: apps/v1\nkind: Deployment\nspec: {template: ${POD}}`,
    ['deployment x 1 @ /spec/template'],
  ],
  [
    'a StatefulSet',
    `apiVersion: apps/v1\nkind: StatefulSet\nspec: {replicas: 0, template: ${POD}}`,
    ['statefulset x 0 @ /spec/template'],
  ],
  [
    'a DaemonSet',
    `apiVersion: apps/v1\nkind: DaemonSet\nspec: {template: ${POD}}`,
    ['daemonset x undefined @ /spec/template'],
  ],
  ['a Job', `apiVersion: batch/v1\nkind: Job\nspec: {template: ${POD}}`, ['job x 1 @ /spec/template']],
  [
    'a Job with fewer completions than places',
    `apiVersion: batch/v1\nkind: Job\nspec: {parallelism: 8, completions: 3, template: ${POD}}`,
    ['job x 3 @ /spec/template'],
  ],
  [
    'a CronJob',
    `apiVersion: batch/v1\nkind: CronJob\nspec: {jobTemplate: {spec: {parallelism: 2, template: ${POD}}}}`,
    ['cronjob x 2 @ /spec/jobTemplate/spec/template'],
  ],
  [
    'a Volcano Job with an unnamed task',
    `apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nspec: {tasks: [{name: master, replicas: 1, template: ${POD}}, {replicas: 4, template: ${POD}}]}`,
    ['master x 1 @ /spec/tasks/0/template', 'default1 x 4 @ /spec/tasks/1/template'],
  ],
  [
    'a Volcano JobTemplate, which makes no pods itself',
    `apiVersion: flow.volcano.sh/v1alpha1\nkind: JobTemplate\nspec: {tasks: [{name: a, replicas: 2, template: ${POD}}]}`,
    ['a x undefined @ /spec/tasks/0/template'],
  ],
  [
    'a PyTorchJob',
    `apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec: {pytorchReplicaSpecs: {Master: {template: ${POD}}, Worker: {replicas: 7, template: ${POD}}}}`,
    [
      'Master x 1 @ /spec/pytorchReplicaSpecs/Master/template',
      'Worker x 7 @ /spec/pytorchReplicaSpecs/Worker/template',
    ],
  ],
  [
    'an MPIJob of training-operator',
    `apiVersion: kubeflow.org/v1\nkind: MPIJob\nspec: {mpiReplicaSpecs: {Launcher: {template: ${POD}}, Worker: {template: ${POD}}}}`,
    ['Launcher x 1 @ /spec/mpiReplicaSpecs/Launcher/template', 'Worker x 1 @ /spec/mpiReplicaSpecs/Worker/template'],
  ],
  [
    'an MPIJob of mpi-operator, whose workers are none by default',
    `apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nspec: {mpiReplicaSpecs: {Launcher: {template: ${POD}}, Worker: {template: ${POD}}}}`,
    ['Launcher x 1 @ /spec/mpiReplicaSpecs/Launcher/template', 'Worker x 0 @ /spec/mpiReplicaSpecs/Worker/template'],
  ],
  [
    'a training runtime',
    `apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nspec: {template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: ${POD}}}}]}}}`,
    ['node x undefined @ /spec/template/spec/replicatedJobs/0/template/spec/template'],
  ],
  [
    'a JobSet',
    `apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nspec: {replicatedJobs: [{name: w, replicas: 2, template: {spec: {parallelism: 4, completions: 4, template: ${POD}}}}]}`,
    ['w x 8 @ /spec/replicatedJobs/0/template/spec/template'],
  ],
  [
    'a LeaderWorkerSet with a leader template',
    `apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nspec: {replicas: 3, leaderWorkerTemplate: {size: 4, leaderTemplate: ${POD}, workerTemplate: ${POD}}}`,
    [
      'leader x 3 @ /spec/leaderWorkerTemplate/leaderTemplate',
      'worker x 9 @ /spec/leaderWorkerTemplate/workerTemplate',
    ],
  ],
  [
    'a LeaderWorkerSet whose workers lead',
    `apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nspec: {leaderWorkerTemplate: {size: 4, workerTemplate: ${POD}}}`,
    ['worker x 4 @ /spec/leaderWorkerTemplate/workerTemplate'],
  ],
  [
    'a DisaggregatedSet',
    `apiVersion: disaggregatedset.x-k8s.io/v1\nkind: DisaggregatedSet\nspec: {roles: [{name: prefill, spec: {replicas: 2, leaderWorkerTemplate: {size: 2, workerTemplate: ${POD}}}}]}`,
    ['prefill/worker x 4 @ /spec/roles/0/spec/leaderWorkerTemplate/workerTemplate'],
  ],
  [
    'a RayCluster: replicas are at least minReplicas, times hosts',
    `apiVersion: ray.io/v1\nkind: RayCluster\nspec: {headGroupSpec: {template: ${POD}}, workerGroupSpecs: [{groupName: gpu, minReplicas: 2, numOfHosts: 4, template: ${POD}}, {groupName: idle, replicas: 5, suspend: true, template: ${POD}}]}`,
    [
      'head x 1 @ /spec/headGroupSpec/template',
      'gpu x 8 @ /spec/workerGroupSpecs/0/template',
      'idle x 0 @ /spec/workerGroupSpecs/1/template',
    ],
  ],
  [
    'a RayJob and its submitter',
    `apiVersion: ray.io/v1\nkind: RayJob\nspec: {submitterPodTemplate: ${POD}, rayClusterSpec: {headGroupSpec: {template: ${POD}}}}`,
    ['head x 1 @ /spec/rayClusterSpec/headGroupSpec/template', 'submitter x 1 @ /spec/submitterPodTemplate'],
  ],
  [
    'a RayJob that submits over HTTP',
    `apiVersion: ray.io/v1\nkind: RayJob\nspec: {submissionMode: HTTPMode, submitterPodTemplate: ${POD}}`,
    ['submitter x 0 @ /spec/submitterPodTemplate'],
  ],
  [
    'a Knative Service',
    `apiVersion: serving.knative.dev/v1\nkind: Service\nspec: {template: ${POD}}`,
    ['service x undefined @ /spec/template'],
  ],
  ['a Service, which has no pods', 'apiVersion: v1\nkind: Service\nspec: {selector: {a: b}}', []],
  [
    'a ScaledJob',
    `apiVersion: keda.sh/v1alpha1\nkind: ScaledJob\nspec: {jobTargetRef: {template: ${POD}}}`,
    ['scaledjob x undefined @ /spec/jobTargetRef/template'],
  ],
  [
    'a Kueue Workload',
    `apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nspec: {podSets: [{name: main, count: 3, template: ${POD}}]}`,
    ['main x 3 @ /spec/podSets/0/template'],
  ],
  [
    'an AscendJob',
    `apiVersion: mindxdl.gitee.com/v1\nkind: AscendJob\nspec: {replicaSpecs: {Worker: {replicas: 2, template: ${POD}}}}`,
    ['Worker x 2 @ /spec/replicaSpecs/Worker/template'],
  ],
  [
    'shapes that the schema refuses',
    'apiVersion: apps/v1\nkind: Deployment\nspec: {replicas: many, template: none}',
    [],
  ],
])('%s', (_, text, expected) => {
  expect(templatesOf(text)).toEqual(expected);
});

test('the path of a template leads to it, also where keys hold slashes', () => {
  const { manifests } = parseYaml(
    `apiVersion: kubeflow.org/v1\nkind: TFJob\nspec: {tfReplicaSpecs: {a/b: {template: ${POD}}}}`,
    'a.yaml',
  );
  const [template] = new ManifestSet(manifests).podTemplates;
  expect(template).toMatchObject({ path: '/spec/tfReplicaSpecs/a~1b/template', metadata: {}, isPod: false });
  expect(valueAt(template.manifest.object, template.path)).toEqual({ spec: template.spec });
});
