/**
 * Valid objects of versions that only some minors serve, which the server of the corpus does not: no rule may call them wrong there, and
 * elsewhere the version is reported.
 */
import { type KubernetesMinor } from '../../src/facts/api/schema';
import { check } from '../../src/checks/engine';
import { type Finding } from '../../src/checks/report/finding';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { parseYaml } from '../../src/manifests/yaml';
import { allRules } from '../../src/interfaces/checks/all-rules';

const DOCUMENTS: readonly (readonly [KubernetesMinor, string])[] = [
  [
    '1.37',
    `
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: { name: failing }
spec: { deviceSelector: { driver: gpu.nvidia.com, pool: node-7, device: gpu-3 }, taint: { key: example.com/xid, value: "79", effect: NoExecute } }
`,
  ],
  [
    '1.37',
    `
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: { name: train, namespace: a }
spec:
  schedulingPolicy: { gang: { minCount: 4 } }
  schedulingConstraints: { topology: [{ key: topology.kubernetes.io/zone }] }
  disruptionMode: { all: {} }
`,
  ],
  [
    '1.37',
    `
apiVersion: scheduling.k8s.io/v1beta1
kind: Workload
metadata: { name: train, namespace: a }
spec:
  controllerRef: { apiGroup: batch, kind: Job, name: train }
  podGroupTemplates: [{ name: workers, schedulingPolicy: { gang: { minCount: 8 } } }, { name: driver, schedulingPolicy: { basic: {} } }]
`,
  ],
  [
    '1.35',
    `
apiVersion: scheduling.k8s.io/v1alpha1
kind: Workload
metadata: { name: train, namespace: a }
spec: { podGroups: [{ name: workers, policy: { gang: { minCount: 8 } } }] }
`,
  ],
  [
    '1.36',
    `
apiVersion: resource.k8s.io/v1alpha3
kind: DeviceTaintRule
metadata: { name: draining }
spec: { deviceSelector: { pool: node-7 }, taint: { key: example.com/maintenance, effect: NoSchedule } }
`,
  ],
  [
    '1.31',
    `
apiVersion: resource.k8s.io/v1alpha3
kind: ResourceClaim
metadata: { name: two, namespace: a }
spec: { devices: { requests: [{ name: gpu, deviceClassName: gpu.nvidia.com, allocationMode: ExactCount, count: 2 }] } }
`,
  ],
  [
    '1.30',
    `
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClass
metadata: { name: gpus }
driverName: gpu.example.com
suitableNodes: { nodeSelectorTerms: [{ matchExpressions: [{ key: example.com/gpus, operator: Exists }] }] }
`,
  ],
  [
    '1.30',
    `
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata: { name: one, namespace: a }
spec: { resourceClassName: gpus, allocationMode: WaitForFirstConsumer }
`,
  ],
  [
    '1.31',
    `
apiVersion: flowcontrol.apiserver.k8s.io/v1beta3
kind: FlowSchema
metadata: { name: jobs }
spec:
  priorityLevelConfiguration: { name: workload-low }
  matchingPrecedence: 9000
  rules: [{ subjects: [{ kind: Group, group: { name: "system:serviceaccounts:a" } }], nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }] }]
`,
  ],
  [
    '1.33',
    `
apiVersion: admissionregistration.k8s.io/v1beta1
kind: ValidatingAdmissionPolicy
metadata: { name: gpus.example.com }
spec:
  matchConstraints: { resourceRules: [{ apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods] }] }
  validations: [{ expression: "object.spec.containers.size() < 9", messageExpression: "'too many: ' + string(object.spec.containers.size())" }]
`,
  ],
];

function findings(yaml: string, kubernetes: KubernetesMinor): readonly Finding[] {
  const { manifests, problems } = parseYaml(yaml, 'a.yaml');
  return check(new ManifestSet(manifests, problems), { rules: allRules(), kubernetes }).findings;
}

const named = DOCUMENTS.map(
  ([minor, yaml]) => [/apiVersion: (\S+)\nkind: (\S+)/.exec(yaml)?.slice(1, 3).join(' ') ?? '', minor, yaml] as const,
);

test.each(named)('%s on Kubernetes %s', (_kind, minor, yaml) => {
  expect(
    findings(yaml, minor)
      .filter(({ severity }) => severity === 'error')
      .map(({ rule, path, message }) => `${rule} ${path}: ${message}`),
  ).toEqual([]);
  const other = minor === '1.37' ? '1.34' : minor === '1.35' || minor === '1.36' ? '1.32' : '1.37';
  expect(findings(yaml, other).map(({ rule }) => rule)).toContain('schema/api-version-served');
});
