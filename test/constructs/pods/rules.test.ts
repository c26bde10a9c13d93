/**
 * Advice about pods: each rule fires on what is taken and does not do what was meant, and stays silent on the right form.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { podRules } from '../../../src/constructs/pods/rules';
import { findingsOf, rulesFiring } from '../../support/findings';

type Json = JsonObject;

const pod = (container: Json, spec: Json = {}, metadata: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ai', ...metadata },
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'img', ...container }], ...spec },
});
const gpus = (count: number, more: Json = {}): Json => ({
  resources: { limits: { 'nvidia.com/gpu': count, ...more } },
});
const shm: Json = { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '8Gi' } };
const tolerant: Json = { tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }] };
const required = (...matchExpressions: Json[]): Json => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
});
const attached = (networks: string): Json => ({ annotations: { 'k8s.v1.cni.cncf.io/networks': networks } });
const attachment = (namespace: string, resource?: string): Json => ({
  apiVersion: 'k8s.cni.cncf.io/v1',
  kind: 'NetworkAttachmentDefinition',
  metadata: {
    name: 'rdma',
    namespace,
    ...(resource === undefined ? {} : { annotations: { 'k8s.v1.cni.cncf.io/resourceName': resource } }),
  },
  spec: { config: '{}' },
});

const sriovNetwork = (networkNamespace: string): Json => ({
  apiVersion: 'sriovnetwork.openshift.io/v1',
  kind: 'SriovNetwork',
  metadata: { name: 'rail', namespace: 'sriov' },
  spec: { resourceName: 'rail0', networkNamespace },
});

/** Rule, what is written, objects on which it fires, objects on which it does not. */
const CASES: readonly (readonly [string, string, readonly Json[], readonly Json[]])[] = [
  [
    'liveness-asks-no-driver',
    'a probe that greps what nvidia-smi prints',
    [
      pod({ livenessProbe: { exec: { command: ['sh', '-c', 'nvidia-smi -q -d MEMORY | grep -q Used'] } } }),
      pod({ livenessProbe: { exec: { command: ['nvidia-smi'] } } }),
    ],
    [
      pod({
        startupProbe: { exec: { command: ['nvidia-smi', '-L'] } },
        livenessProbe: { httpGet: { path: '/health', port: 8000 } },
      }),
      pod({ livenessProbe: { exec: { command: ['nvidia-smi-check'] } } }),
    ],
  ],
  [
    'cpu-limit-feeds-gpus',
    'one CPU beside eight GPUs',
    [pod({ resources: { limits: { 'nvidia.com/gpu': 8, cpu: 1 } } }, tolerant)],
    [
      pod({ resources: { limits: { 'nvidia.com/gpu': 8, cpu: 8 } } }, tolerant),
      pod({ resources: { limits: { 'nvidia.com/gpu': 1, cpu: '500m' } } }, tolerant),
      pod({ resources: { limits: { cpu: '500m' } } }),
    ],
  ],
  [
    'memory-request-near-limit',
    'a request far below the limit',
    [pod({ resources: { limits: { 'nvidia.com/gpu': 1, memory: '64Gi' }, requests: { memory: '1Gi' } } }, tolerant)],
    [
      pod({ resources: { limits: { 'nvidia.com/gpu': 1, memory: '64Gi' }, requests: { memory: '32Gi' } } }, tolerant),
      pod({ resources: { limits: { memory: '64Gi' }, requests: { memory: '1Gi' } } }),
    ],
  ],
  [
    'shared-memory-for-data-loader',
    'data loader processes and 64 MiB',
    [
      pod({ ...gpus(1), command: ['python', 'train.py', '--num-workers', '8'] }, tolerant),
      pod({ ...gpus(1), command: ['sh', '-c', 'torchrun train.py --num_workers=8'] }, tolerant),
    ],
    [
      pod({ ...gpus(1), command: ['python', 'train.py', '--num-workers', '0'] }, tolerant),
      pod({ ...gpus(1), command: ['uvicorn', 'app', '--workers', '8'] }, tolerant),
      pod(
        {
          ...gpus(1),
          command: ['python', 'train.py', '--num-workers=8'],
          volumeMounts: [{ name: 'shm', mountPath: '/dev/shm' }],
        },
        { ...tolerant, volumes: [shm] },
      ),
    ],
  ],
  [
    'tensor-parallel-size-is-gpus',
    'ranks unlike the GPUs',
    [
      pod({ ...gpus(4), image: 'vllm/vllm-openai:v1', args: ['--tensor-parallel-size', '8'] }, tolerant),
      pod({ ...gpus(4), command: ['sh', '-c', 'python -m sglang.launch_server --tp 2'] }, tolerant),
    ],
    [
      pod({ ...gpus(4), image: 'vllm/vllm-openai:v1', args: ['--tensor-parallel-size=4'] }, tolerant),
      pod({ ...gpus(4), image: 'vllm/vllm-openai:v1', args: ['-tp', '2', '-pp', '2'] }, tolerant),
      pod({ ...gpus(4), image: 'train:1', args: ['--tensor-parallel-size=2'] }, tolerant),
      pod({ image: 'vllm/vllm-openai:v1', args: ['--tensor-parallel-size=4'] }),
    ],
  ],
  [
    'variable-form-expanded',
    '${NAME} without a shell',
    [pod({ command: ['torchrun', '--master_addr=${MASTER_ADDR}'] })],
    [pod({ command: ['torchrun', '--master_addr=$(MASTER_ADDR)'], env: [{ name: 'MASTER_ADDR', value: 'x' }] })],
  ],
  [
    'variable-form-expanded',
    '${NAME} in args after a program',
    [pod({ args: ['torchrun', '--port=${PORT}'] })],
    [pod({ command: ['/bin/bash', '-c', 'torchrun --port=${PORT} $RANK'] })],
  ],
  [
    'variable-form-expanded',
    '$NAME without a shell',
    [pod({ command: ['python', 'train.py', '--rank', '$RANK'] })],
    [pod({ command: ['python', '-c', 'print("${X}")'] })],
  ],
  [
    'command-substitution-in-shell',
    '$(hostname -s) without a shell',
    [pod({ command: ['train', '--host', '$(hostname -s)'] })],
    [pod({ command: ['sh', '-c', 'train --host $(hostname -s)'] })],
  ],
  [
    'variable-defined',
    '$(NAME) of no variable',
    [pod({ command: ['train', '$(RANK)'] }), pod({ command: ['train', '$(rank)'] })],
    [
      pod({ command: ['train', '$(RANK)'], env: [{ name: 'RANK', value: '0' }] }),
      pod({ command: ['sh', '-c', 'echo $(date) on $(hostname)'] }),
      pod({ command: ['/bin/bash', '-lc'], args: ['cd $(dirname "$0") && ls $(pwd)'] }),
      pod({ args: ['echo $(date)'] }),
    ],
  ],
  [
    'variable-defined',
    '$(NAME) of no variable in a shell, which would run a program of that name',
    [pod({ command: ['sh', '-c', 'train --rank $(RANK)'] })],
    [pod({ command: ['sh', '-c', 'train --rank $RANK'] })],
  ],
  [
    'variable-defined',
    'a variable before its definition',
    [
      pod({
        env: [
          { name: 'URL', value: 'http://$(HOST)' },
          { name: 'HOST', value: 'h' },
        ],
      }),
    ],
    [
      pod({
        env: [
          { name: 'HOST', value: 'h' },
          { name: 'URL', value: 'http://$(HOST):$(WEB_SERVICE_PORT)' },
        ],
      }),
      pod({ command: ['x', '$(A)'], envFrom: [{ configMapRef: { name: 'c' } }] }),
    ],
  ],
  [
    'env-name-readable',
    'a blank in a name',
    [pod({ env: [{ name: 'MY VAR', value: 'x' }] })],
    [pod({ env: [{ name: 'MY_VAR', value: 'x' }] })],
  ],
  [
    'env-name-once',
    'one name twice',
    [
      pod({
        env: [
          { name: 'A', value: 'x' },
          { name: 'A', value: 'y' },
        ],
      }),
    ],
    [
      pod({
        env: [
          { name: 'A', value: 'x' },
          { name: 'B', value: 'y' },
        ],
      }),
    ],
  ],
  [
    'memory-volume-has-size-limit',
    'no limit',
    [pod({}, { volumes: [{ name: 'shm', emptyDir: { medium: 'Memory' } }] })],
    [pod({}, { volumes: [shm] })],
  ],
  [
    'memory-volume-has-size-limit',
    "a limit above the container's memory",
    [
      pod(
        { resources: { limits: { memory: '8Gi' } }, volumeMounts: [{ name: 'shm', mountPath: '/dev/shm' }] },
        { volumes: [shm] },
      ),
    ],
    [
      pod(
        { resources: { limits: { memory: '16Gi' } }, volumeMounts: [{ name: 'shm', mountPath: '/dev/shm' }] },
        { volumes: [shm] },
      ),
    ],
  ],
  [
    'shared-memory-for-several-gpus',
    'eight GPUs and 64 MiB',
    [pod(gpus(8), tolerant)],
    [
      pod({ ...gpus(8), volumeMounts: [{ name: 'shm', mountPath: '/dev/shm/' }] }, { ...tolerant, volumes: [shm] }),
      pod(gpus(1), tolerant),
      pod({ resources: { limits: { 'google.com/tpu': 4 } } }),
    ],
  ],
  [
    'volume-medium-known',
    'RAM',
    [pod({}, { volumes: [{ name: 'a', emptyDir: { medium: 'RAM' } }] })],
    [
      pod(
        {},
        {
          volumes: [
            { name: 'a', emptyDir: { medium: 'HugePages-2Mi' } },
            { name: 'b', emptyDir: {} },
          ],
        },
      ),
    ],
  ],
  [
    'mount-path-without-colon',
    'a colon',
    [pod({ volumeMounts: [{ name: 'shm', mountPath: '/a:b' }] }, { volumes: [shm] })],
    [pod({ volumeMounts: [{ name: 'shm', mountPath: 'C:\\data' }] }, { volumes: [shm] })],
  ],
  [
    'device-name-served',
    'a resource that nothing serves',
    [pod({ resources: { limits: { 'aliyun.com/gpu-core': 30 } } })],
    [pod({ resources: { limits: { 'aliyun.com/gpu-core.percentage': 30 } } })],
  ],
  [
    'device-name-served',
    'a slip of the pen',
    [pod({ resources: { limits: { 'volcano.sh/vgpu-numbers': 1 } } })],
    [pod({ resources: { limits: { 'volcano.sh/vgpu-number': 1, 'example.com/fpga': 1 } } })],
  ],
  [
    'visible-devices-left-to-plugin',
    'devices by number',
    [pod({ ...gpus(1), env: [{ name: 'CUDA_VISIBLE_DEVICES', value: '0' }] }, tolerant)],
    [
      pod({ env: [{ name: 'CUDA_VISIBLE_DEVICES', value: '' }] }),
      pod({
        resources: { limits: { 'huawei.com/Ascend910': 8 } },
        env: [
          {
            name: 'ASCEND_VISIBLE_DEVICES',
            valueFrom: { fieldRef: { fieldPath: "metadata.annotations['huawei.com/Ascend910']" } },
          },
        ],
      }),
    ],
  ],
  [
    'device-request-and-claim-apart',
    'a limit and a claim',
    [
      pod(
        { resources: { limits: { 'nvidia.com/gpu': 1 }, claims: [{ name: 'gpu-claim' }] } },
        { ...tolerant, resourceClaims: [{ name: 'gpu-claim', resourceClaimName: 'c' }] },
      ),
    ],
    [
      pod(
        { resources: { claims: [{ name: 'gpu-claim' }] } },
        { resourceClaims: [{ name: 'gpu-claim', resourceClaimName: 'c' }] },
      ),
    ],
  ],
  [
    'rdma-may-lock-memory',
    'no capability',
    [pod({ resources: { limits: { 'rdma/shared_a': 1 } } })],
    [pod({ resources: { limits: { 'rdma/shared_a': 1 } }, securityContext: { capabilities: { add: ['IPC_LOCK'] } } })],
  ],
  [
    'rdma-name-configured',
    'a name that is only a guess',
    [pod({ resources: { limits: { 'rdma/roce_v2': 1 } } })],
    [pod({ resources: { limits: { 'rdma/rdma_shared_device_a': 1 } } })],
  ],
  [
    'nccl-value-known',
    'tokens joined by a slash',
    [pod({ env: [{ name: 'NCCL_ALGO', value: 'ring/Tree' }] })],
    [
      pod({
        env: [
          { name: 'NCCL_ALGO', value: 'ring,Tree' },
          { name: 'NCCL_PROTO', value: '^LL128' },
        ],
      }),
    ],
  ],
  [
    'nccl-value-known',
    'a debug level that is none',
    [pod({ env: [{ name: 'NCCL_DEBUG', value: 'verbose' }] })],
    [pod({ env: [{ name: 'NCCL_DEBUG', value: 'INFO' }] })],
  ],
  [
    'nccl-interface-in-pod',
    "the host's interface",
    [pod({ env: [{ name: 'NCCL_SOCKET_IFNAME', value: 'ib0' }] })],
    [pod({ env: [{ name: 'NCCL_SOCKET_IFNAME', value: 'eth0' }] })],
  ],
  [
    'accelerator-tolerated',
    'no toleration',
    [pod(gpus(1))],
    [pod(gpus(1), tolerant), pod(gpus(1), { tolerations: [{ operator: 'Exists' }] })],
  ],
  [
    'toleration-of-real-taint',
    'a label as taint',
    [pod({}, { tolerations: [{ key: 'nvidia.com/gpu.product', value: 'A100' }] })],
    [pod({}, tolerant)],
  ],
  [
    'taint-makes-no-label',
    'one key as both',
    [pod({}, { nodeSelector: { 'gpu-type': 'A100' }, tolerations: [{ key: 'gpu-type', value: 'A100' }] })],
    [pod({}, { nodeSelector: { 'gpu-type': 'A100' }, tolerations: [{ key: 'gpu-node', operator: 'Exists' }] })],
  ],
  [
    'node-label-set-by-something',
    'a product that is not spelled so',
    [pod({}, { affinity: required({ key: 'nvidia.com/gpu.product', operator: 'In', values: ['NVIDIA-H100-80GB'] }) })],
    [pod({}, { nodeSelector: { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3' } })],
  ],
  [
    'node-label-set-by-something',
    'a product of lower case at its start',
    [pod({}, { nodeSelector: { 'nvidia.com/gpu.product': 'my-GPU' } })],
    [pod({}, { nodeSelector: { 'nvidia.com/gpu.product': 'Own-GPU' } })],
  ],
  [
    'node-label-set-by-something',
    'a value that the label never has',
    [pod({}, { nodeSelector: { 'nvidia.com/gpu.mode': 'graphics' } })],
    [pod({}, { nodeSelector: { 'nvidia.com/gpu.mode': 'compute', 'nvidia.com/mps.capable': '' } })],
  ],
  [
    'node-label-set-by-something',
    'memory with a unit',
    [pod({}, { nodeSelector: { 'nvidia.com/gpu.memory': '80GB' } })],
    [pod({}, { nodeSelector: { 'nvidia.com/gpu.memory': '81559', 'own-label': '80GB' } })],
  ],
  [
    'node-label-set-by-something',
    'a label that nothing sets',
    [pod({}, { nodeSelector: { 'nvidia.com/mig.enabled': 'true' } })],
    [pod({}, { nodeSelector: { 'nvidia.com/mig.capable': 'true' } })],
  ],
  [
    'affinity-compares-numbers',
    'Gt with a word',
    [pod({}, { affinity: required({ key: 'gen', operator: 'Gt', values: ['big'] }) })],
    [pod({}, { affinity: required({ key: 'gen', operator: 'Gt', values: ['3'] }) })],
  ],
  [
    'topology-by-network-distance',
    'anti-affinity by host within a zone',
    [
      pod(
        {},
        {
          affinity: {
            ...required(
              { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['a'] },
              { key: 'nvidia.com/gpu.present', operator: 'In', values: ['true'] },
            ),
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: 'kubernetes.io/hostname', labelSelector: {} },
              ],
            },
          },
        },
      ),
    ],
    [
      pod(
        {},
        {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: 'kubernetes.io/hostname', labelSelector: {} },
              ],
            },
          },
        },
      ),
    ],
  ],
  [
    'spot-pod-is-replaced',
    'a bare Pod on spot nodes',
    [pod({}, { nodeSelector: { 'cloud.google.com/gke-spot': 'true' } })],
    [pod({}, { nodeSelector: { 'cloud.google.com/gke-spot': 'false' } })],
  ],
  [
    'accelerator-pod-is-owned',
    'a bare Pod that shall run on',
    [pod(gpus(1), { ...tolerant, restartPolicy: 'Always' })],
    [pod(gpus(1), tolerant)],
  ],
  [
    'host-network-resolves-services',
    'the default DNS policy',
    [pod({}, { hostNetwork: true })],
    [pod({}, { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' })],
  ],
  [
    'network-attachment-readable',
    'a list that Multus cannot read',
    [pod({}, {}, attached('rdma network'))],
    [pod({}, {}, attached('other/rdma@net1')), pod({}, {}, attached('[{"name":"rdma"}]'))],
  ],
  [
    'network-attachment-known',
    'a network of another namespace',
    [pod({}, {}, attached('rdma')), attachment('other')],
    [pod({}, {}, attached('rdma')), attachment('ai')],
  ],
  [
    'network-attachment-device-asked',
    'a network whose device is not requested',
    [pod({}, {}, attached('rdma')), attachment('ai', 'nvidia.com/mlx5')],
    [
      pod({ resources: { limits: { 'nvidia.com/mlx5': 1 } } }, {}, attached('rdma')),
      attachment('ai', 'nvidia.com/mlx5'),
    ],
  ],
  [
    'network-attachment-device-asked',
    'more attachments than devices',
    [
      pod({ resources: { limits: { 'nvidia.com/mlx5': 1 } } }, {}, attached('rdma,rdma')),
      attachment('ai', 'nvidia.com/mlx5'),
    ],
    [
      pod({ resources: { limits: { 'nvidia.com/mlx5': 2 } } }, {}, attached('rdma,rdma')),
      attachment('ai', 'nvidia.com/mlx5'),
    ],
  ],
  [
    'network-device-attached',
    'the device of a network that is not attached',
    [pod({ resources: { limits: { 'nvidia.com/mlx5': 1 } } }), attachment('ai', 'nvidia.com/mlx5')],
    [
      pod({ resources: { limits: { 'nvidia.com/mlx5': 1 } } }, {}, attached('rdma')),
      attachment('ai', 'nvidia.com/mlx5'),
    ],
  ],
  [
    'network-device-attached',
    'the device of a network that an operator makes',
    [
      pod({ resources: { limits: { 'openshift.io/rail0': 1 } } }, {}, attached('other')),
      attachment('ai'),
      sriovNetwork('ai'),
      { ...attachment('ai'), metadata: { name: 'other', namespace: 'ai' } },
    ],
    [
      pod({ resources: { limits: { 'openshift.io/rail0': 1 } } }, {}, attached('rail')),
      attachment('ai'),
      sriovNetwork('ai'),
    ],
  ],
  [
    'cron-schedule-comes',
    'the 31st of February',
    [{ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'c' }, spec: { schedule: '0 0 31 2 *' } }],
    [{ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'c' }, spec: { schedule: '0 0 29 feb *' } }],
  ],
  [
    'node-port-in-default-range',
    'port 80',
    [
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 's' },
        spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] },
      },
    ],
    [
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 's' },
        spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 30080 }] },
      },
    ],
  ],
];

const yaml = (objects: readonly Json[]): string => objects.map((object) => JSON.stringify(object)).join('\n---\n');

describe('advice about pods', () => {
  it.each(CASES)('pods/%s fires on %s', (rule, _what, wrong) => {
    expect(rulesFiring(yaml(wrong), podRules)).toContain(`pods/${rule}`);
  });

  it.each(CASES)('pods/%s takes the right form of %s', (rule, _what, _wrong, right) => {
    for (const [index, object] of right.entries()) {
      // Objects that belong together are in one list; others are alternatives.
      const together = right.some(({ kind }) => kind === 'NetworkAttachmentDefinition')
        ? right
        : [{ ...object, metadata: { ...(object.metadata as Json), name: `n${index}` } }];
      expect(rulesFiring(yaml(together), podRules)).not.toContain(`pods/${rule}`);
    }
  });

  it('has a case in this table for each rule', () => {
    const covered = new Set(CASES.map(([rule]) => `pods/${rule}`));
    expect(podRules.filter(({ id }) => !covered.has(id)).map(({ id }) => id)).toEqual([]);
  });
});

describe('what severity says', () => {
  it("is an error where the program certainly gets the text itself, a warning where the image's entry point may be a shell", () => {
    const severity = (container: Json): readonly string[] =>
      findingsOf(yaml([pod(container)]), podRules)
        .filter(({ rule }) => rule === 'pods/variable-form-expanded')
        .map((finding) => finding.severity);
    expect(severity({ command: ['torchrun', '${RANK}'] })).toEqual(['error']);
    expect(severity({ args: ['torchrun ${RANK}'] })).toEqual(['warning']);
    expect(severity({ command: ['echo', '$RANK'] })).toEqual(['warning']);
    // clusterctl and Flux replace variables with defaults before the manifest is applied.
    expect(severity({ command: ['serve', '--port=${PORT:=8080}'] })).toEqual(['warning']);
    expect(severity({ command: ['serve', '--port=${PORT:-8080}'] })).toEqual(['warning']);
    expect(severity({ command: ['serve', '--port=${PORT:8080}'] })).toEqual(['error']);
  });

  it('is a warning for a network that is in another namespace of the set, a hint for one that may be in the cluster', () => {
    const found = (objects: readonly Json[]): readonly string[] =>
      findingsOf(yaml(objects), podRules)
        .filter(({ rule }) => rule === 'pods/network-attachment-known')
        .map(({ severity }) => severity);
    expect(found([pod({}, {}, attached('rdma')), attachment('other')])).toEqual(['warning']);
    expect(found([pod({}, {}, attached('rdma'))])).toEqual(['info']);
    expect(found([pod({}, {}, attached('rail')), sriovNetwork('ai')])).toEqual([]);
    expect(found([pod({}, {}, attached('rail')), sriovNetwork('other')])).toEqual(['warning']);
  });

  it('is a hint for a Job on spot nodes that counts lost nodes as failures', () => {
    const job = (spec: Json): Json => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j' },
      spec: {
        ...spec,
        template: {
          spec: {
            restartPolicy: 'Never',
            nodeSelector: { 'karpenter.sh/capacity-type': 'spot' },
            containers: [{ name: 'a', image: 'b' }],
          },
        },
      },
    });
    const ignoring = {
      podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
    };
    expect(findingsOf(yaml([job({})]), podRules)).toMatchObject([
      { rule: 'pods/spot-pod-is-replaced', severity: 'info' },
    ]);
    expect(findingsOf(yaml([job(ignoring)]), podRules)).toEqual([]);
  });
});
