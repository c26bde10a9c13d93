/**
 * Manifests from official examples that work as they are, each of which a rule once reported as wrong.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from '../../../src/checks/engine';
import { type Severity } from '../../../src/checks/report/finding';
import { allRules } from '../../../src/interfaces/checks/all-rules';
import { readManifestFiles } from '../../../src/interfaces/checks/read-files';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { parseYaml } from '../../../src/manifests/yaml';

/** The worst that a rule reports on a text; undefined where it reports nothing. */
function worst(rule: string, set: ManifestSet): Severity | undefined {
  const { findings } = check(set, { rules: allRules(), kubernetes: '1.36' });
  const severities = findings.filter((finding) => finding.rule === rule).map(({ severity }) => severity);
  return (['error', 'warning', 'info'] as const).find((severity) => severities.includes(severity));
}

function read(yaml: string): ManifestSet {
  const { manifests, problems } = parseYaml(yaml, 'example.yaml');
  expect(problems).toEqual([]);
  return new ManifestSet(manifests);
}

interface Row {
  readonly rule: string;
  readonly what: string;
  readonly yaml: string;
  /** What is right to say all the same, because it depends on what is not in the set. */
  readonly says?: Severity;
}

const pod = (spec: string, metadata = ''): string => `
apiVersion: v1
kind: Pod
metadata: { name: example${metadata} }
spec: ${spec}
`;

const rayCluster = (metadata: string, container: string): string => `
apiVersion: ray.io/v1
kind: RayCluster
metadata: { name: example, ${metadata} }
spec:
  headGroupSpec:
    rayStartParams: {}
    template: { spec: { containers: [{ name: ray-head, image: "rayproject/ray:2.46.0", ${container} }] } }
`;

const nodeFeatureRule = (rule: string): string => `
apiVersion: nfd.k8s-sigs.io/v1alpha1
kind: NodeFeatureRule
metadata: { name: example }
spec: { rules: [{ name: one, ${rule} }] }
`;

const leaderWorkerSet = (replicas: number, size: number): string => {
  const template = (name: string): string =>
    `{ metadata: { annotations: { kueue.x-k8s.io/podset-required-topology: rack, kueue.x-k8s.io/podset-group-name: group } },
       spec: { containers: [{ name: ${name}, image: nginx:1.29, resources: { requests: { nvidia.com/gpu: 1 }, limits: { nvidia.com/gpu: 1 } } }] } }`;
  return `
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: { name: vllm, namespace: team, labels: { kueue.x-k8s.io/queue-name: team } }
spec:
  replicas: ${replicas}
  leaderWorkerTemplate:
    size: ${size}
    leaderTemplate: ${template('leader')}
    workerTemplate: ${template('worker')}
`;
};

const kueueQueue = `
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: { name: team, namespace: team }
spec: { clusterQueue: all }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: { name: all }
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [nvidia.com/gpu]
      flavors: [{ name: h100, resources: [{ name: nvidia.com/gpu, nominalQuota: 8 }] }]
`;

const scaled = (trigger: string): string => `
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: { name: scaled }
spec: { scaleTargetRef: { name: web }, triggers: [${trigger}] }
`;

const volcanoJob = (tasks: string): string => `
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: { name: example }
spec: { schedulerName: volcano, minAvailable: 1, tasks: [${tasks}] }
`;

const configMap = (key: string, text: string, name = 'example'): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'volcano-system' },
    data: { [key]: text },
  });

const sharedDevices = (pool: object): string =>
  JSON.stringify({
    apiVersion: 'mellanox.com/v1alpha1',
    kind: 'NicClusterPolicy',
    metadata: { name: 'nic-cluster-policy' },
    spec: {
      rdmaSharedDevicePlugin: {
        image: 'k8s-rdma-shared-dev-plugin',
        repository: 'nvcr.io/nvidia/mellanox',
        version: 'v1',
        config: JSON.stringify({ configList: [pool] }),
      },
    },
  });

const deployment = (replicas: number): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: web } }
  template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: web, image: nginx:1.29 }] } }
`;

const rows: readonly Row[] = [
  {
    rule: 'networking/nfd-key-in-domain',
    what: 'bare keys of labels, annotations, and resources, which NFD prefixes',
    yaml: nodeFeatureRule('labels: { my-label: "true" }, annotations: { note: a }, extendedResources: { lanes: "4" }'),
  },
  {
    rule: 'core/volume-mount-has-volume',
    what: 'the volume of the hostfile that the mpi-operator adds',
    yaml: `
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: { name: pi }
spec:
  mpiReplicaSpecs:
    Launcher:
      template:
        spec:
          containers: [{ name: mpi, image: "mpi:1", volumeMounts: [{ name: mpi-job-config, mountPath: /opt/mpi }] }]
    Worker: { replicas: 2, template: { spec: { containers: [{ name: mpi, image: "mpi:1" }] } } }
`,
  },
  {
    rule: 'core/volume-mount-has-volume',
    what: 'the volume of the token that KubeRay adds',
    yaml: `
apiVersion: ray.io/v1
kind: RayCluster
metadata: { name: ray }
spec:
  headGroupSpec:
    rayStartParams: {}
    template:
      spec:
        containers:
          - { name: head, image: "rayproject/ray:2.50.0", volumeMounts: [{ name: ray-token, mountPath: /token }] }
`,
  },
  {
    rule: 'kueue/pod-set-group-of-two',
    what: 'a LeaderWorkerSet with several replicas, each of which is a Workload with one leader',
    yaml: leaderWorkerSet(3, 4),
  },
  {
    rule: 'kueue/requests-within-quota',
    what: 'replicas of a LeaderWorkerSet that fit one by one',
    yaml: leaderWorkerSet(3, 4) + kueueQueue,
  },
  {
    rule: 'kueue/requests-covered',
    what: 'a resource that the configuration of Kueue may exclude or transform',
    says: 'warning',
    yaml: `
apiVersion: batch/v1
kind: Job
metadata: { name: train, namespace: team, labels: { kueue.x-k8s.io/queue-name: team } }
spec:
  suspend: true
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: train, image: "train:1", resources: { requests: { nvidia.com/gpu: 1, example.com/fpga: 1 } } }]
${kueueQueue}`,
  },
  {
    rule: 'keda/parameter-known',
    what: 'the parameter type of the Datadog scaler, which its code reads beside its typed configuration',
    yaml: scaled('{ type: datadog, metadata: { query: "avg:requests{*}", queryValue: "7", type: global } }'),
  },
  {
    rule: 'devices/tpu-names-its-slice',
    what: 'TPU chips of a node pool that the pod selects',
    yaml: pod(
      '{ nodeSelector: { cloud.google.com/gke-nodepool: tpus }, containers: [{ name: a, image: "a:1", resources: { limits: { google.com/tpu: 4 } } }] }',
    ),
  },
  {
    rule: 'devices/tpu-names-its-slice',
    what: 'TPU chips under dynamic slicing',
    yaml: pod(
      '{ containers: [{ name: a, image: "a:1", resources: { limits: { google.com/tpu: 4 } } }] }',
      ', annotations: { cloud.google.com/gke-tpu-slice-topology: 4x4x4 }',
    ),
  },
  {
    rule: 'volcano/scheduler-plugin-known',
    what: 'a custom plugin that Volcano loads',
    says: 'info',
    yaml: configMap(
      'volcano-scheduler.conf',
      'actions: "enqueue, allocate, backfill"\ntiers:\n- plugins:\n  - name: priority\n  - name: magic\n',
      'volcano-scheduler-configmap',
    ),
  },
  {
    rule: 'volcano/scheduler-plugin-known',
    what: "Ascend's plugin, whose name has its version and architecture",
    yaml: configMap(
      'volcano-scheduler.conf',
      'actions: "enqueue, allocate, backfill"\ntiers:\n- plugins:\n  - name: volcano-npu_v7.0.0_linux-aarch64\n',
      'volcano-scheduler-configmap',
    ),
  },
  {
    rule: 'volcano/scheduler-config-key-known',
    what: "the configuration init-params, which Ascend's plugin reads",
    yaml: configMap(
      'volcano-scheduler.conf',
      'actions: "enqueue, allocate, backfill"\ntiers:\n- plugins:\n  - name: volcano-npu_v7.0.0_linux-aarch64\nconfigurations:\n- name: init-params\n  arguments: {"grace-over-time":"900","presetVirtualDevice":"true"}\n',
      'volcano-scheduler-configmap',
    ),
  },
  {
    rule: 'networking/device-plugin-resource-named',
    what: 'the prefix rdma, which only the optional webhook of the operator rejects',
    says: 'warning',
    yaml: sharedDevices({
      resourceName: 'rdma_shared_device_a',
      resourcePrefix: 'rdma',
      rdmaHcaMax: 63,
      selectors: { vendors: ['15b3'] },
    }),
  },
  {
    rule: 'volcano/job-flow-template-known',
    what: 'a JobFlow without a namespace beside a JobTemplate with one',
    yaml: `
apiVersion: flow.volcano.sh/v1alpha1
kind: JobTemplate
metadata: { name: a, namespace: default }
spec: { minAvailable: 1, tasks: [{ name: t, replicas: 1, template: { spec: { restartPolicy: Never, containers: [{ name: c, image: "i:1" }] } } }] }
---
apiVersion: flow.volcano.sh/v1alpha1
kind: JobFlow
metadata: { name: flow }
spec: { jobRetainPolicy: delete, flows: [{ name: a }] }
`,
  },
  {
    rule: 'scheduling/pod-group-known',
    what: 'a PodGroup without a namespace and pods with one',
    yaml: `
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: { name: group }
spec: { minMember: 1 }
---
apiVersion: v1
kind: Pod
metadata: { name: a, namespace: team, labels: { scheduling.x-k8s.io/pod-group: group } }
spec: { containers: [{ name: a, image: "a:1" }] }
`,
  },
  {
    rule: 'schema/scope',
    what: 'a namespace on a cluster-scoped kind, which the server drops',
    says: 'warning',
    yaml: 'apiVersion: v1\nkind: Namespace\nmetadata: { name: a, namespace: b }\n',
  },
  {
    rule: 'volcano/task-restart-policy-lets-finish',
    what: 'a task that runs until the job is deleted',
    says: 'info',
    yaml: volcanoJob('{ name: ps, replicas: 1, template: { spec: { containers: [{ name: ps, image: "ps:1" }] } } }'),
  },
  {
    rule: 'pods/variable-defined',
    what: 'command substitutions in a shell',
    yaml: pod(`{ containers: [{ name: a, image: "a:1", command: [sh, -c, 'echo "$(date) $(hostname)"'] }] }`),
  },
  {
    rule: 'pods/shared-memory-for-several-gpus',
    what: 'TPU chips, whose processes exchange no data over shared memory',
    yaml: pod('{ containers: [{ name: a, image: "a:1", resources: { limits: { google.com/tpu: 8 } } }] }'),
  },
  {
    rule: 'pods/shared-memory-for-several-gpus',
    what: 'the first container of a Ray pod, where KubeRay mounts shared memory',
    yaml: rayCluster('', 'resources: { limits: { nvidia.com/gpu: 8 } }'),
  },
  {
    rule: 'kai/queue-label-with-scheduler',
    what: 'a RayCluster, whose scheduler KubeRay sets',
    yaml: rayCluster('labels: { kai.scheduler/queue: team-a }', ''),
  },
  {
    rule: 'pods/visible-devices-left-to-plugin',
    what: 'ASCEND_VISIBLE_DEVICES, which Ascend requires',
    yaml: pod(
      `{ containers: [{ name: a, image: "a:1", resources: { limits: { huawei.com/Ascend910: 8 } }, env: [{ name: ASCEND_VISIBLE_DEVICES, value: "0-7" }] }] }`,
    ),
  },
  {
    rule: 'gpu-operator/mig-profile-known',
    what: 'profiles of newer GPUs in the configuration that NVIDIA ships',
    says: 'info',
    yaml: configMap(
      'config.yaml',
      'version: v1\nmig-configs:\n  all-7g.189gb:\n  - devices: all\n    mig-enabled: true\n    mig-devices: { "7g.189gb": 1 }\n  all-4g.95gb:\n  - devices: all\n    mig-enabled: true\n    mig-devices: { "4g.95gb": 1 }\n',
    ),
  },
  {
    rule: 'gpu-operator/dcgm-counters-key-read',
    what: 'counters in a file that an exporter of its own mounts',
    says: 'info',
    yaml: configMap('default-counters.csv', 'DCGM_FI_DEV_GPU_UTIL, gauge, GPU utilization (in %).\n'),
  },
  {
    rule: 'networking/device-plugin-key-known',
    what: 'a key that a fork of the plugin reads',
    says: 'info',
    yaml: sharedDevices({ resourceName: 'a', rdmaHcaMax: 63, selectors: { vendors: ['15b3'] }, quantumRouting: true }),
  },
];

describe('a rule reports no more than is certain of', () => {
  test.each(rows)('$rule: $what', ({ rule, yaml, says }) => {
    expect(worst(rule, read(yaml))).toBe(says);
  });
});

describe('what depends on the files around it', () => {
  let folder = '';
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-valid-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const binding = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: operator }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: operator }
subjects: [{ kind: ServiceAccount, name: operator }]
`;

  test('a base whose namespace a Kustomization fills in is a hint, and an error on its own', () => {
    write('binding.yaml', binding);
    expect(worst('core/role-binding-valid', readManifestFiles('.', { cwd: folder }))).toBe('error');
    write('kustomization.yaml', 'namespace: operators\nresources: [binding.yaml]\n');
    expect(worst('core/role-binding-valid', readManifestFiles('.', { cwd: folder }))).toBe('info');
    expect(worst('core/role-binding-valid', readManifestFiles('binding.yaml', { cwd: folder }))).toBe('info');
    write('kustomization.yaml', 'namespace: operators\nresources: [other.yaml]\n');
    expect(worst('core/role-binding-valid', readManifestFiles('.', { cwd: folder }))).toBe('error');
  });

  test('an object in two files is a warning, since one may be an overlay or a second step', () => {
    write('step-1.yaml', deployment(1));
    write('step-2.yaml', deployment(3));
    expect(worst('core/object-once', readManifestFiles('.', { cwd: folder }))).toBe('warning');
    write('step-2.yaml', deployment(1));
    expect(worst('core/object-once', readManifestFiles('.', { cwd: folder }))).toBe('info');
    write('step-2.yaml', '');
    write('step-1.yaml', `${deployment(1)}---${deployment(3)}`);
    expect(worst('core/object-once', readManifestFiles('.', { cwd: folder }))).toBe('error');
  });

  test('an object in files of two folders is a hint, since folders are alternatives of one another', () => {
    mkdirSync(join(folder, 'prod'));
    write('web.yaml', deployment(1));
    write('prod/web.yaml', deployment(3));
    expect(worst('core/object-once', readManifestFiles('.', { cwd: folder }))).toBe('info');
  });
});
