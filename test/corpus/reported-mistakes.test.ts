/**
 * Mistakes that users reported to the projects: each has a rule that finds it. The manifests are as small as the mistake allows.
 */
import { check, readManifests } from '../../src/interfaces/checks';

const REPORTED: readonly (readonly [issue: string, rule: string, manifests: string])[] = [
  [
    'k8s-device-plugin#615',
    'gpu-operator/device-plugin-config-is-a-file',
    `apiVersion: v1
kind: ConfigMap
metadata: {name: time-slicing, namespace: kube-system}
data:
  any: |
    version: v1
    sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: nvidia-device-plugin, namespace: kube-system}
spec:
  selector: {matchLabels: {name: nvidia-device-plugin}}
  template:
    metadata: {labels: {name: nvidia-device-plugin}}
    spec:
      containers:
      - name: plugin
        image: nvcr.io/nvidia/k8s-device-plugin:v0.17.4
        envFrom: [{configMapRef: {name: time-slicing}}]
`,
  ],
  [
    'k8s-device-plugin#615, with a volume',
    'gpu-operator/device-plugin-config-is-a-file',
    `apiVersion: v1
kind: ConfigMap
metadata:
  name: nvidia-plugin-configs
  namespace: kube-system
data:
  config.yaml: |-
    version: v1
    sharing:
      timeSlicing:
        resources:
          - name: nvidia.com/gpu
            replicas: 10
---
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: nvidia-device-plugin-daemonset
  namespace: kube-system
spec:
  selector:
    matchLabels:
      name: nvidia-device-plugin-ds
  template:
    metadata:
      labels:
        name: nvidia-device-plugin-ds
    spec:
      containers:
        - image: nvcr.io/nvidia/k8s-device-plugin:v0.14.5
          name: nvidia-device-plugin-ctr
          volumeMounts:
            - name: device-plugin
              mountPath: /var/lib/kubelet/device-plugins
            - name: cfg
              mountPath: /config
      volumes:
        - name: device-plugin
          hostPath:
            path: /var/lib/kubelet/device-plugins
        - name: cfg
          configMap:
            name: nvidia-plugin-configs
`,
  ],
  [
    'gpu-operator#412',
    'gpu-operator/config-maps-beside-operator',
    `apiVersion: v1
kind: ConfigMap
metadata: {name: time-slicing, namespace: default}
data: {any: "version: v1\\nsharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}"}
---
apiVersion: v1
kind: Namespace
metadata: {name: gpu-operator}
---
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {name: cluster-policy, namespace: gpu-operator}
spec:
  operator: {defaultRuntime: containerd}
  daemonsets: {}
  driver: {}
  toolkit: {}
  dcgmExporter: {}
  dcgm: {}
  gfd: {}
  nodeStatusExporter: {}
  devicePlugin: {config: {name: time-slicing}}
`,
  ],
  [
    'gpu-operator#412, without a default',
    'gpu-operator/device-plugin-config-has-default',
    `apiVersion: v1
kind: ConfigMap
metadata: {name: time-slicing, namespace: gpu-operator}
data:
  a100: "version: v1\\nsharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}"
---
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {name: cluster-policy, namespace: gpu-operator}
spec:
  operator: {defaultRuntime: containerd}
  daemonsets: {}
  driver: {}
  toolkit: {}
  dcgmExporter: {}
  dcgm: {}
  gfd: {}
  nodeStatusExporter: {}
  devicePlugin: {config: {name: time-slicing}}
`,
  ],
  [
    'kuberay#1898',
    'ray/runtime-env-is-yaml',
    `apiVersion: ray.io/v1
kind: RayJob
metadata: {name: a}
spec:
  entrypoint: python a.py
  runtimeEnvYAML: "pip: [a\\nenv_vars: {x"
  rayClusterSpec: {headGroupSpec: {rayStartParams: {}, template: {spec: {containers: [{name: h, image: "rayproject/ray:2.46.0"}]}}}}
`,
  ],
  [
    'ray#43832',
    'ray/autoscaled-group-states-cpus',
    `apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: a}
spec:
  enableInTreeAutoscaling: true
  headGroupSpec: {rayStartParams: {}, template: {spec: {containers: [{name: h, image: "rayproject/ray:2.46.0", resources: {limits: {cpu: 1, memory: 4Gi}}}]}}}
  workerGroupSpecs: [{groupName: w, minReplicas: 0, maxReplicas: 2, replicas: 1, rayStartParams: {}, template: {spec: {containers: [{name: w, image: "rayproject/ray:2.46.0", resources: {limits: {nvidia.com/gpu: 1, memory: 4Gi}}}]}}}]
`,
  ],
  [
    'kuberay#1984',
    'ray/start-resources-are-quoted-json',
    `apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: a}
spec:
  headGroupSpec: {rayStartParams: {resources: '{"a": 1}'}, template: {spec: {containers: [{name: h, image: "rayproject/ray:2.46.0", resources: {limits: {cpu: 1, memory: 4Gi}}}]}}}
`,
  ],
  [
    'kueue#1410',
    'kueue/requests-stated',
    `apiVersion: batch/v1
kind: Job
metadata: {name: a, namespace: t, labels: {kueue.x-k8s.io/queue-name: q}}
spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: a, image: "a/b:1"}]}}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: q, namespace: t}
spec: {clusterQueue: c}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: c}
spec: {namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu, memory], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 4}, {name: memory, nominalQuota: 4Gi}]}]}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: f}
`,
  ],
  [
    'kueue#4848',
    'kueue/requests-within-quota',
    `apiVersion: v1
kind: LimitRange
metadata: {name: defaults, namespace: t}
spec: {limits: [{type: Container, default: {cpu: 8, memory: 16Gi}, defaultRequest: {cpu: 8, memory: 16Gi}}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: a, namespace: t, labels: {kueue.x-k8s.io/queue-name: q}}
spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: a, image: "a/b:1"}]}}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: q, namespace: t}
spec: {clusterQueue: c}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: c}
spec: {namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu, memory], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 4}, {name: memory, nominalQuota: 64Gi}]}]}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: f}
`,
  ],
  [
    'karpenter-provider-aws#8064',
    'node-tuning/pool-holds-pod',
    `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: d}
      requirements: [{key: karpenter.k8s.aws/instance-gpu-count, operator: In, values: ["1", "4"]}]
---
apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {nodeSelector: {karpenter.sh/nodepool: gpu}, containers: [{name: a, image: "a/b:1", resources: {limits: {nvidia.com/gpu: 8}}}]}
`,
  ],
  [
    'karpenter-provider-aws#8064, by families and sizes',
    'node-tuning/pool-holds-pod',
    `apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: gpu-nodepool
spec:
  template:
    metadata:
      labels:
        workload: inference
    spec:
      taints:
        - key: nvidia.com/gpu
          value: "true"
          effect: NoSchedule
      requirements:
        - key: "karpenter.k8s.aws/instance-family"
          operator: In
          values: ["g5", "g6"]
        - key: "karpenter.k8s.aws/instance-size"
          operator: In
          values: ["xlarge", "2xlarge", "12xlarge"]
        - key: karpenter.sh/capacity-type
          operator: In
          values: ["on-demand"]
      nodeClassRef:
        group: karpenter.k8s.aws
        kind: EC2NodeClass
        name: gpu
  disruption:
    consolidationPolicy: WhenEmpty
    consolidateAfter: 10m
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: vllm
  namespace: inference
spec:
  replicas: 1
  selector:
    matchLabels:
      app: vllm
  template:
    metadata:
      labels:
        app: vllm
    spec:
      nodeSelector:
        workload: inference
      tolerations:
        - key: nvidia.com/gpu
          operator: Exists
      containers:
        - name: vllm
          image: vllm/vllm-openai:v0.8.5
          args: ["--model", "Qwen/Qwen2.5-72B-Instruct", "--tensor-parallel-size", "8"]
          resources:
            requests:
              cpu: "8"
              memory: 64Gi
              nvidia.com/gpu: "8"
            limits:
              memory: 64Gi
              nvidia.com/gpu: "8"
          volumeMounts:
            - {name: shm, mountPath: /dev/shm}
      volumes:
        - name: shm
          emptyDir: {medium: Memory, sizeLimit: 16Gi}
`,
  ],
  [
    'karpenter-provider-aws#8068',
    'node-tuning/pool-holds-pod',
    `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  limits: {nvidia.com/gpu: 4}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: d}
      requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [p5.48xlarge]}]
---
apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {nodeSelector: {karpenter.sh/nodepool: gpu}, containers: [{name: a, image: "a/b:1", resources: {limits: {nvidia.com/gpu: 8}}}]}
`,
  ],
  [
    'KAI-Scheduler#44',
    'kai/queue-label-current',
    `apiVersion: v1
kind: Pod
metadata: {name: a, labels: {runai/queue: team}}
spec: {schedulerName: kai-scheduler, containers: [{name: a, image: "a/b:1", resources: {limits: {nvidia.com/gpu: 1}}}]}
`,
  ],
  [
    'KAI-Scheduler#44, without schedulerName',
    'kai/queue-label-with-scheduler',
    `apiVersion: v1
kind: Pod
metadata: {name: a, labels: {kai.scheduler/queue: team}}
spec: {containers: [{name: a, image: "a/b:1", resources: {limits: {nvidia.com/gpu: 1}}}]}
`,
  ],
  [
    'KAI-Scheduler#1112',
    'kai/queue-in-node-pool',
    `apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: worker-queue, labels: {kai.scheduler/node-pool: worker-nodes}}
spec:
  parentQueue: default-parent-queue
  resources:
    cpu: {quota: -1, limit: -1, overQuotaWeight: 1}
    gpu: {quota: -1, limit: -1, overQuotaWeight: 1}
    memory: {quota: -1, limit: -1, overQuotaWeight: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: a, labels: {kai.scheduler/queue: worker-queue}}
spec: {schedulerName: kai-scheduler, containers: [{name: a, image: "a/b:1", resources: {requests: {cpu: 1}}}]}
`,
  ],
  [
    'prometheus-operator#4007',
    'references/selector-matches',
    `apiVersion: v1
kind: Service
metadata: {name: dcgm, namespace: m, labels: {app: dcgm-exporter}}
spec: {selector: {app: dcgm}, ports: [{name: metrics, port: 9400}]}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: dcgm, namespace: m}
spec: {selector: {matchLabels: {app: dcgm-exportr}}, endpoints: [{port: metrics}]}
`,
  ],
  [
    'volcano#4867',
    'volcano/job-fits-its-queue',
    `apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: team}
spec: {capability: {nvidia.com/gpu: 8}}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: a}
spec:
  queue: team
  schedulerName: volcano
  minAvailable: 4
  tasks: [{name: w, replicas: 4, template: {spec: {restartPolicy: Never, containers: [{name: a, image: "a/b:1", resources: {limits: {nvidia.com/gpu: 8}}}]}}}]
`,
  ],
  [
    'volcano#4867, with partitions',
    'volcano/job-replicas-fit-its-queue',
    `apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: test}
spec: {weight: 1, reclaimable: false, capability: {cpu: 20, memory: 400Gi}}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: vcjob-with-subgroups, namespace: default}
spec:
  schedulerName: volcano
  queue: test
  networkTopology: {mode: hard, highestTierAllowed: 1}
  tasks:
  - name: worker
    replicas: 12
    partitionPolicy: {totalPartitions: 4, partitionSize: 3, minPartitions: 2}
    template: {spec: {restartPolicy: OnFailure, containers: [{name: worker, image: "nginx:1", resources: {requests: {cpu: 2, memory: 10Gi}}}]}}
`,
  ],
  [
    'volcano#4867, minAvailable unlike the partitions',
    'volcano/task-partitions-add-up',
    `apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: a}
spec:
  schedulerName: volcano
  tasks:
  - name: worker
    replicas: 12
    minAvailable: 9
    partitionPolicy: {totalPartitions: 4, partitionSize: 3, minPartitions: 2}
    template: {spec: {restartPolicy: OnFailure, containers: [{name: worker, image: "nginx:1"}]}}
`,
  ],
  [
    'volcano#195',
    'volcano/job-queue-known',
    `apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
spec: {}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: a}
spec:
  queue: reserach
  schedulerName: volcano
  minAvailable: 1
  tasks: [{name: w, replicas: 1, template: {spec: {restartPolicy: Never, containers: [{name: a, image: "a/b:1"}]}}}]
`,
  ],
  [
    'ome#809',
    'pods/network-attachment-readable',
    `apiVersion: v1
kind: Pod
metadata: {name: a, annotations: {k8s.v1.cni.cncf.io/networks: '[{"name": "default/nad"}]'}}
spec: {containers: [{name: a, image: "a/b:1"}]}
`,
  ],
];

test.each(REPORTED)('%s is found by %s', (_, rule, manifests) => {
  const { findings, notChecked } = check(readManifests(manifests));
  expect(notChecked).toEqual([]);
  expect(findings.filter(({ severity }) => severity !== 'info').map((finding) => finding.rule)).toContain(rule);
});
