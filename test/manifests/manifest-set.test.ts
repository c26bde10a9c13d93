import { type Reference } from '../../src/manifests/references/references';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { parseYaml } from '../../src/manifests/yaml';

function setOf(text: string): ManifestSet {
  const { manifests, problems } = parseYaml(text, 'a.yaml');
  expect(problems).toEqual([]);
  return new ManifestSet(manifests);
}

const object = (apiVersion: string, kind: string, name: string, rest = ''): string =>
  `---\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}${rest.startsWith('@') ? `, namespace: ${rest.split(' ')[0].slice(1)}` : ''}}\n${rest.replace(/^@\S+ ?/, '')}\n`;

const short = ({ path, kind, namespace, name }: Reference): string => `${path} -> ${kind} ${namespace}/${name}`;

describe('index', () => {
  const set = setOf(
    object('v1', 'Service', 'a', '@x') +
      object('serving.knative.dev/v1', 'Service', 'a', '@x') +
      object('v1', 'Service', 'a', '@z') +
      object('scheduling.volcano.sh/v1beta1', 'Queue', 'a'),
  );

  test('tells kinds of different groups apart', () => {
    expect(set.ofKind('Service')).toHaveLength(2);
    expect(set.ofKind('serving.knative.dev/Service')).toHaveLength(1);
    expect(set.ofKind('apps/Deployment')).toEqual([]);
  });

  test('finds by kind, name and namespace', () => {
    expect(set.get('Service', 'a', 'z')).toBe(set.manifests[2]);
    expect(set.get('Service', 'a')).toBeUndefined();
    expect(set.get('scheduling.volcano.sh/Queue', 'a')).toBe(set.manifests[3]);
  });

  test('an object that appears twice, in whatever version, is a duplicate; one without a name is none', () => {
    const twice = setOf(
      object('kueue.x-k8s.io/v1beta1', 'Topology', 't') +
        object('kueue.x-k8s.io/v1beta2', 'Topology', 't') +
        '---\napiVersion: v1\nkind: Pod\n---\napiVersion: v1\nkind: Pod\n',
    );
    expect(twice.duplicates).toEqual([[twice.manifests[0], twice.manifests[1]]]);
    expect(set.duplicates).toEqual([]);
  });
});

describe('references', () => {
  const of = (text: string): string[] => setOf(text).referencesFrom(setOf(text).manifests[0]).map(short);
  const references = (text: string): string[] => {
    const set = setOf(text);
    return set.referencesFrom(set.manifests[0]).map(short);
  };

  test('of a pod template: classes, accounts, volumes, environment, claims, networks', () => {
    expect(
      references(`apiVersion: apps/v1
kind: Deployment
metadata: {name: d, namespace: ns, labels: {kueue.x-k8s.io/queue-name: lq}}
spec:
  template:
    metadata:
      annotations:
        k8s.v1.cni.cncf.io/networks: rdma, other/ib@net1
        scheduling.volcano.sh/group-name: pg
    spec:
      priorityClassName: high
      serviceAccountName: sa
      runtimeClassName: nvidia
      imagePullSecrets: [{name: pull}]
      resourceClaims: [{name: a, resourceClaimTemplateName: rct}, {name: b, resourceClaimName: rc}]
      volumes:
      - {name: v, persistentVolumeClaim: {claimName: pvc}}
      - {name: w, configMap: {name: cm, optional: true}}
      - {name: x, secret: {secretName: s}}
      - {name: y, projected: {sources: [{secret: {name: ps}}]}}
      containers:
      - name: c
        env: [{name: E, valueFrom: {secretKeyRef: {name: es, key: k}}}]
        envFrom: [{configMapRef: {name: ec}}]
`),
    ).toEqual([
      '/metadata/namespace -> Namespace /ns',
      '/metadata/labels/kueue.x-k8s.io~1queue-name -> kueue.x-k8s.io/LocalQueue ns/lq',
      '/spec/template/metadata/annotations/scheduling.volcano.sh~1group-name -> scheduling.volcano.sh/PodGroup ns/pg',
      '/spec/template/spec/serviceAccountName -> ServiceAccount ns/sa',
      '/spec/template/spec/priorityClassName -> scheduling.k8s.io/PriorityClass /high',
      '/spec/template/spec/runtimeClassName -> node.k8s.io/RuntimeClass /nvidia',
      '/spec/template/spec/resourceClaims/1/resourceClaimName -> resource.k8s.io/ResourceClaim ns/rc',
      '/spec/template/spec/resourceClaims/0/resourceClaimTemplateName -> resource.k8s.io/ResourceClaimTemplate ns/rct',
      '/spec/template/spec/volumes/0/persistentVolumeClaim/claimName -> PersistentVolumeClaim ns/pvc',
      '/spec/template/spec/volumes/1/configMap/name -> ConfigMap ns/cm',
      '/spec/template/spec/containers/0/envFrom/0/configMapRef/name -> ConfigMap ns/ec',
      '/spec/template/spec/imagePullSecrets/0/name -> Secret ns/pull',
      '/spec/template/spec/volumes/2/secret/secretName -> Secret ns/s',
      '/spec/template/spec/volumes/3/projected/sources/0/secret/name -> Secret ns/ps',
      '/spec/template/spec/containers/0/env/0/valueFrom/secretKeyRef/name -> Secret ns/es',
      '/spec/template/metadata/annotations/k8s.v1.cni.cncf.io~1networks -> k8s.cni.cncf.io/NetworkAttachmentDefinition ns/rdma',
      '/spec/template/metadata/annotations/k8s.v1.cni.cncf.io~1networks -> k8s.cni.cncf.io/NetworkAttachmentDefinition other/ib',
    ]);
  });

  test.each([
    [
      'a child queue',
      'scheduling.volcano.sh/v1beta1',
      'Queue',
      'spec: {parent: p}',
      '/spec/parent -> scheduling.volcano.sh/Queue /p',
    ],
    [
      'a Volcano CronJob',
      'batch.volcano.sh/v1alpha1',
      'CronJob',
      '@ns spec: {jobTemplate: {spec: {queue: q}}}',
      '/spec/jobTemplate/spec/queue -> scheduling.volcano.sh/Queue /q',
    ],
    [
      'a PyTorchJob',
      'kubeflow.org/v1',
      'PyTorchJob',
      'spec: {runPolicy: {schedulingPolicy: {queue: q}}}',
      '/spec/runPolicy/schedulingPolicy/queue -> scheduling.volcano.sh/Queue /q',
    ],
    [
      'a TrainJob, whose runtime is cluster-wide by default',
      'trainer.kubeflow.org/v1alpha1',
      'TrainJob',
      '@ns spec: {runtimeRef: {name: torch}}',
      '/spec/runtimeRef/name -> trainer.kubeflow.org/ClusterTrainingRuntime /torch',
    ],
    [
      'a TrainJob with a runtime of its namespace',
      'trainer.kubeflow.org/v1alpha1',
      'TrainJob',
      '@ns spec: {runtimeRef: {kind: TrainingRuntime, name: torch}}',
      '/spec/runtimeRef/name -> trainer.kubeflow.org/TrainingRuntime ns/torch',
    ],
    [
      'a ScaledObject, whose target is a Deployment by default',
      'keda.sh/v1alpha1',
      'ScaledObject',
      '@ns spec: {scaleTargetRef: {name: d}}',
      '/spec/scaleTargetRef/name -> apps/Deployment ns/d',
    ],
    [
      'a ScaledObject with another target',
      'keda.sh/v1alpha1',
      'ScaledObject',
      '@ns spec: {scaleTargetRef: {apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, name: d}}',
      '/spec/scaleTargetRef/name -> leaderworkerset.x-k8s.io/LeaderWorkerSet ns/d',
    ],
    [
      'a trigger',
      'keda.sh/v1alpha1',
      'ScaledObject',
      '@ns spec: {triggers: [{authenticationRef: {name: t, kind: ClusterTriggerAuthentication}}]}',
      '/spec/triggers/0/authenticationRef/name -> keda.sh/ClusterTriggerAuthentication /t',
    ],
    [
      'a ClusterQueue',
      'kueue.x-k8s.io/v1beta2',
      'ClusterQueue',
      'spec: {resourceGroups: [{flavors: [{name: f}]}]}',
      '/spec/resourceGroups/0/flavors/0/name -> kueue.x-k8s.io/ResourceFlavor /f',
    ],
    [
      'a role binding',
      'rbac.authorization.k8s.io/v1',
      'RoleBinding',
      '@ns roleRef: {kind: Role, name: r, apiGroup: rbac.authorization.k8s.io}',
      '/roleRef/name -> rbac.authorization.k8s.io/Role ns/r',
    ],
    [
      'a subject of another namespace',
      'rbac.authorization.k8s.io/v1',
      'ClusterRoleBinding',
      'subjects: [{kind: User, name: u}, {kind: ServiceAccount, name: s, namespace: m}]',
      '/subjects/1/name -> ServiceAccount m/s',
    ],
    [
      'a claim template',
      'resource.k8s.io/v1',
      'ResourceClaimTemplate',
      '@ns spec: {spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu.nvidia.com}}]}}}',
      '/spec/spec/devices/requests/0/exactly/deviceClassName -> resource.k8s.io/DeviceClass /gpu.nvidia.com',
    ],
  ])('of %s', (_, apiVersion, kind, rest, expected) => {
    const found = references(object(apiVersion, kind, 'x', rest)).filter(
      (line) => !line.startsWith('/metadata/namespace'),
    );
    expect(found).toEqual([expected]);
  });

  test('resolve to manifests of the set, and are known from the other side', () => {
    const set = setOf(
      object('batch.volcano.sh/v1alpha1', 'Job', 'j', '@ns spec: {queue: q, priorityClassName: gone}') +
        object('scheduling.volcano.sh/v1beta1', 'Queue', 'q'),
    );
    const [job, queue] = set.manifests;
    expect(set.referencesFrom(job).map((reference) => set.resolve(reference))).toEqual([undefined, queue, undefined]);
    expect(set.referencesTo(queue).map(({ from, path }) => [from, path])).toEqual([[job, '/spec/queue']]);
    expect(set.referencesTo(job)).toEqual([]);
  });

  test('survive shapes that the schema refuses', () => {
    expect(
      of(
        'apiVersion: v1\nkind: Pod\nmetadata: {annotations: 3, labels: []}\nspec: {volumes: {a: 1}, containers: text, priorityClassName: [x]}\n',
      ),
    ).toEqual([]);
  });
});

describe('apply order', () => {
  const orderOf = (text: string): string[] =>
    setOf(text)
      .inApplyOrder()
      .map(({ id }) => `${id.kind} ${id.name}`);

  test('brings what is named before what names it', () => {
    expect(
      orderOf(
        object('batch.volcano.sh/v1alpha1', 'Job', 'train', '@ns spec: {queue: child, priorityClassName: high}') +
          object('scheduling.volcano.sh/v1beta1', 'Queue', 'child', 'spec: {parent: parent}') +
          object('scheduling.volcano.sh/v1beta1', 'Queue', 'parent') +
          object('scheduling.k8s.io/v1', 'PriorityClass', 'high') +
          object('v1', 'Namespace', 'ns'),
      ),
    ).toEqual(['Namespace ns', 'PriorityClass high', 'Queue parent', 'Queue child', 'Job train']);
  });

  test('brings quotas before workloads and scalers after them, though nothing names them', () => {
    expect(
      orderOf(
        object('keda.sh/v1alpha1', 'ScaledObject', 's', '@ns spec: {scaleTargetRef: {name: gone}}') +
          object('apps/v1', 'Deployment', 'd', '@ns') +
          object('v1', 'ResourceQuota', 'q', '@ns') +
          object('example.com/v1', 'Unknown', 'u', '@ns'),
      ),
    ).toEqual(['ResourceQuota q', 'Deployment d', 'Unknown u', 'ScaledObject s']);
  });

  test('keeps the given order where nothing decides, and ends on circles', () => {
    const circle =
      object('scheduling.volcano.sh/v1beta1', 'Queue', 'a', 'spec: {parent: b}') +
      object('scheduling.volcano.sh/v1beta1', 'Queue', 'b', 'spec: {parent: a}');
    expect(orderOf(circle)).toEqual(['Queue b', 'Queue a']);
    expect(orderOf(object('v1', 'ConfigMap', 'z', '@ns') + object('v1', 'ConfigMap', 'a', '@ns'))).toEqual([
      'ConfigMap z',
      'ConfigMap a',
    ]);
  });
});
