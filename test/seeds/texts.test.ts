/**
 * Mistakes from commands and tables of guides: a rule finds each one once it is in a manifest.
 */
import { check } from '../../src/checks/engine';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { parseYaml } from '../../src/manifests/yaml';
import { allRules } from '../../src/interfaces/checks';

const pod = (spec: string, container: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: a, namespace: b }
spec: { ${spec} containers: [{ name: main, image: img, ${container} }] }
`;
const gpu = 'resources: { limits: { nvidia.com/gpu: 1 } }';
const selecting = (label: string, value: string): string => pod(`nodeSelector: { ${label}: "${value}" },`, gpu);
const variable = (name: string, value: string): string =>
  pod('', `${gpu}, env: [{ name: ${name}, value: "${value}" }]`);
const limited = (resource: string): string => pod('', `resources: { limits: { ${resource}: 1 } }`);
const alert = (expr: string): string => `
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: { name: a, namespace: b }
spec: { groups: [{ name: g, rules: [{ alert: A, expr: ${JSON.stringify(expr)} }] }] }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: counters, namespace: b }
data: { dcgm-metrics.csv: "DCGM_FI_DEV_FB_USED, gauge, used" }
`;
const release = (repository: string): string => `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: a, namespace: b }
spec: { project: default, destination: { name: in-cluster, namespace: c }, source: { repoURL: ${repository}, chart: volcano, targetRevision: 1.15.1 } }
`;
const unpinned = `
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: { name: a, namespace: b }
spec: { interval: 1h, chart: { spec: { chart: gpu-operator, sourceRef: { kind: HelmRepository, name: nvidia } } } }
`;
const tainted = (key: string): string => `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: a }
spec: { limits: { nvidia.com/gpu: 8 }, template: { spec: { taints: [{ key: ${key}, value: "true", effect: NoSchedule }], requirements: [], nodeClassRef: { group: g, kind: K, name: n } } } }
---
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: { name: cluster-policy }
spec: {}
`;
const annotated = (name: string): string =>
  `{ apiVersion: v1, kind: Node, metadata: { name: n, annotations: { ${name}: "{}" } } }`;
const daemonSet = (command: string): string => `
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: a, namespace: b }
spec:
  selector: { matchLabels: { app: a } }
  template: { metadata: { labels: { app: a } }, spec: { containers: [{ name: a, image: img, command: [sh, -c, ${JSON.stringify(command)}] }] } }
`;

/** The mistake, a manifest that contains it, and the rule that finds it. */
const CASES: readonly (readonly [string, string, string])[] = [
  ['/oom_score_adj', daemonSet('echo -800 | tee /proc/1/oom_score_adj'), 'node-tuning/live-node-setting-unchanged'],
  [
    'nvidia-smi -q -d MEMORY,UTILIZATION | grep -q "Used"',
    pod(
      '',
      `${gpu}, livenessProbe: { exec: { command: [sh, -c, 'nvidia-smi -q -d MEMORY,UTILIZATION | grep -q "Used"'] }, timeoutSeconds: 3 }`,
    ),
    'pods/liveness-asks-no-driver',
  ],
  [
    'node.kubernetes.io/ai-resource-capacity',
    annotated('node.kubernetes.io/ai-resource-capacity'),
    'node-tuning/node-annotation-in-own-domain',
  ],
  ['nvidia.com/mig: 0', limited('nvidia.com/mig'), 'devices/label-is-no-resource'],
  [
    'nvidia.com/gpu.product: NVIDIA-H100-80GB',
    selecting('nvidia.com/gpu.product', 'NVIDIA-H100-80GB'),
    'pods/node-label-set-by-something',
  ],
  ['nvidia/gpu-operator', unpinned, 'charts/version-pinned'],
  ['aliyun.com/gpu-core', limited('aliyun.com/gpu-core'), 'pods/device-name-served'],
  ['https://volcano-sh.github.io/charts', release('https://volcano-sh.github.io/charts'), 'charts/repository-current'],
  ['gpu-node=true:NoSchedule', tainted('gpu-node'), 'node-tuning/operator-tolerates-pool'],
  ['nvidia.com/gpu.memory 80', selecting('nvidia.com/gpu.memory', '80'), 'devices/memory-label-in-mib'],
  ['nvidia.com/mig.enabled true', selecting('nvidia.com/mig.enabled', 'true'), 'pods/node-label-set-by-something'],
  [
    'nvidia.com/gpu.driver.version 535.104.05',
    selecting('nvidia.com/gpu.driver.version', '535.104.05'),
    'pods/node-label-set-by-something',
  ],
  ['NCCL_ALGO=ring/Tree', variable('NCCL_ALGO', 'ring/Tree'), 'pods/nccl-value-known'],
  ['NCCL_SOCKET_IFNAME=ib0', variable('NCCL_SOCKET_IFNAME', 'ib0'), 'pods/nccl-interface-in-pod'],
  ['FB_USED >90%', alert('DCGM_FI_DEV_FB_USED > 90'), 'monitoring/comparison-in-unit'],
  [
    'DCGM_FI_DEV_ECC_SBE_AGG_TOTAL growing',
    alert('increase(DCGM_FI_DEV_ECC_SBE_AGG_TOTAL[1h]) > 0'),
    'monitoring/dcgm-metric-collected',
  ],
];

test.each(CASES)('%s', (_mistake, yaml, rule) => {
  const { manifests, problems } = parseYaml(yaml, 'a.yaml');
  const { findings } = check(new ManifestSet(manifests, problems), { rules: allRules() });
  expect(findings.map((finding) => finding.rule)).toContain(rule);
});
