/**
 * References to what the manifests do not contain: information where the object may be in the cluster, a warning where one of nearly the same
 * name is among them, and an error where the object is among them and lacks the port.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Severity } from '../../src/checks/report/finding';
import { check, readManifestFiles, readManifests } from '../../src/interfaces/checks';

const SERVER = `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: server, namespace: a}
spec:
  replicas: 1
  selector: {matchLabels: {app: server}}
  template: {metadata: {labels: {app: server}}, spec: {containers: [{name: c, image: "a/b:1", ports: [{name: http, containerPort: 80}]}]}}
`;
const SERVICE = `---
apiVersion: v1
kind: Service
metadata: {name: server, namespace: a, labels: {app: server}}
spec: {selector: {app: server}, ports: [{name: http, port: 80}]}
`;

interface Reference {
  readonly rule: string;
  /** What the reference is to. */
  readonly there: string;
  readonly named: (name: string) => string;
  /** A name that is nearly that of what is there, and what is reported. */
  readonly near: readonly [name: string, severity: Severity];
  /** Another name, and what is reported; nothing where every cluster has objects of the kind. */
  readonly absent: readonly [name: string, severity?: Severity];
}

const REFERENCES: Readonly<Record<string, Reference>> = {
  'a Service without pods': {
    rule: 'references/selector-matches',
    there: SERVER,
    named: (name) => `---
apiVersion: v1
kind: Service
metadata: {name: s, namespace: a}
spec: {selector: {app: ${name}}, ports: [{port: 80}]}
`,
    near: ['servre', 'warning'],
    absent: ['elsewhere', 'info'],
  },
  'the selector of a ServiceMonitor': {
    rule: 'references/selector-matches',
    there: SERVER + SERVICE,
    named: (name) => `---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: s, namespace: a}
spec: {selector: {matchLabels: {app: ${name}}}, endpoints: [{port: http}]}
`,
    near: ['servre', 'warning'],
    absent: ['elsewhere', 'info'],
  },
  'the port of a ServiceMonitor': {
    rule: 'monitoring/monitor-port-exists',
    there: SERVER + SERVICE,
    named: (name) => `---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: s, namespace: a}
spec: {selector: {matchLabels: {app: server}}, endpoints: [{port: ${name}}]}
`,
    near: ['htpt', 'error'],
    absent: ['metrics', 'error'],
  },
  'the port of a PodMonitor': {
    rule: 'monitoring/monitor-port-exists',
    there: SERVER,
    named: (name) => `---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: s, namespace: a}
spec: {selector: {matchLabels: {app: server}}, podMetricsEndpoints: [{port: ${name}}]}
`,
    near: ['htpt', 'error'],
    absent: ['metrics', 'error'],
  },
  'the selector of a PodMonitor': {
    rule: 'references/selector-matches',
    there: SERVER,
    named: (name) => `---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: s, namespace: a}
spec: {selector: {matchLabels: {app: ${name}}}, podMetricsEndpoints: [{port: http}]}
`,
    near: ['servre', 'warning'],
    absent: ['elsewhere', 'info'],
  },
  'the target of a HorizontalPodAutoscaler': {
    rule: 'references/object-in-set',
    there: SERVER,
    named: (name) => `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: s, namespace: a}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${name}}, maxReplicas: 2}
`,
    near: ['servre', 'warning'],
    absent: ['elsewhere', 'info'],
  },
  'the target of a ScaledObject': {
    rule: 'references/object-in-set',
    there: SERVER,
    named: (name) => `---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: s, namespace: a}
spec: {scaleTargetRef: {name: ${name}}, triggers: [{type: cron, metadata: {timezone: UTC, start: "0 8 * * *", end: "0 9 * * *", desiredReplicas: "1"}}]}
`,
    near: ['servre', 'warning'],
    absent: ['elsewhere', 'info'],
  },
  'the backend of an Ingress': {
    rule: 'references/object-in-set',
    there: SERVER + SERVICE,
    named: (name) => `---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: s, namespace: a}
spec: {defaultBackend: {service: {name: ${name}, port: {number: 80}}}}
`,
    near: ['servre', 'warning'],
    absent: ['elsewhere', 'info'],
  },
  'the port of an Ingress': {
    rule: 'references/backend-port-exists',
    there: SERVER + SERVICE,
    named: (name) => `---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: s, namespace: a}
spec: {defaultBackend: {service: {name: server, port: {name: ${name}}}}}
`,
    near: ['htpt', 'error'],
    absent: ['metrics', 'error'],
  },
  'the backend of an HTTPRoute': {
    rule: 'references/object-in-set',
    there: SERVER + SERVICE,
    named: (name) => `---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: s, namespace: a}
spec: {rules: [{backendRefs: [{name: ${name}, port: 80}]}]}
`,
    near: ['servre', 'warning'],
    absent: ['elsewhere', 'info'],
  },
  'the port of an HTTPRoute': {
    rule: 'references/backend-port-exists',
    there: SERVER + SERVICE,
    named: (name) => `---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: s, namespace: a}
spec: {rules: [{backendRefs: [{name: server, port: ${name}}]}]}
`,
    near: ['81', 'error'],
    absent: ['9999', 'error'],
  },
  'the subject of a RoleBinding': {
    rule: 'references/object-in-set',
    there: `---
apiVersion: v1
kind: ServiceAccount
metadata: {name: server, namespace: a}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: r, namespace: a}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
`,
    named: (name) => `---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: s, namespace: a}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}
subjects: [{kind: ServiceAccount, name: ${name}, namespace: a}]
`,
    near: ['servre', 'warning'],
    absent: ['elsewhere', 'info'],
  },
  'a key of a ConfigMap': {
    rule: 'references/key-exists',
    there: `---
apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: a}
data: {server: x}
`,
    named: (name) => `---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: a}
spec: {containers: [{name: c, image: "a/b:1", env: [{name: A, valueFrom: {configMapKeyRef: {name: c, key: ${name}}}}]}]}
`,
    near: ['servre', 'warning'],
    absent: ['elsewhere', 'warning'],
  },
  'a key of a Secret': {
    rule: 'references/key-exists',
    there: `---
apiVersion: v1
kind: Secret
metadata: {name: c, namespace: a}
stringData: {server: x}
`,
    named: (name) => `---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: a}
spec: {containers: [{name: c, image: "a/b:1", env: [{name: A, valueFrom: {secretKeyRef: {name: c, key: ${name}}}}]}]}
`,
    near: ['servre', 'warning'],
    absent: ['elsewhere', 'warning'],
  },
  'a volume claim': {
    rule: 'references/object-in-set',
    there: `---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: server, namespace: a}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`,
    named: (name) => `---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: a}
spec: {volumes: [{name: v, persistentVolumeClaim: {claimName: ${name}}}], containers: [{name: c, image: "a/b:1", volumeMounts: [{name: v, mountPath: /v}]}]}
`,
    near: ['servre', 'warning'],
    absent: ['elsewhere', 'info'],
  },
  'a StorageClass': {
    rule: 'references/object-in-set',
    there: `---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: server}
provisioner: a.b/c
`,
    named: (name) => `---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: x, namespace: a}
spec: {storageClassName: ${name}, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`,
    near: ['servre', 'warning'],
    absent: ['elsewhere'],
  },
  'a namespace': {
    rule: 'references/object-in-set',
    there: `---
apiVersion: v1
kind: Namespace
metadata: {name: server}
`,
    named: (name) => `---
apiVersion: v1
kind: ConfigMap
metadata: {name: x, namespace: ${name}}
`,
    near: ['servre', 'warning'],
    absent: ['elsewhere'],
  },
  'the Service of a webhook': {
    rule: 'references/object-in-set',
    there: SERVER + SERVICE,
    named: (name) => `---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: x}
webhooks: [{name: a.b.c, admissionReviewVersions: [v1], sideEffects: None, clientConfig: {caBundle: Y2E=, service: {name: ${name}, namespace: a, port: 80}}, rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}]
`,
    near: ['servre', 'warning'],
    absent: ['elsewhere', 'info'],
  },
  'a NetworkPolicy that selects nothing': {
    rule: 'references/selector-matches',
    there: SERVER,
    named: (name) => `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: x, namespace: a}
spec: {podSelector: {matchLabels: {app: ${name}}}}
`,
    near: ['servre', 'warning'],
    absent: ['elsewhere', 'info'],
  },
};

test.each(Object.entries(REFERENCES))('%s', (_, { rule, there, named, near, absent }) => {
  const severities = (name: string): readonly Severity[] =>
    check(readManifests(there + named(name)))
      .findings.filter((finding) => finding.rule === rule)
      .map(({ severity }) => severity);
  expect(severities(near[0])).toEqual([near[1]]);
  expect(severities(absent[0])).toEqual(absent.slice(1));
});

describe('where several files define one object', () => {
  const service = (port: number): string =>
    `apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {a: b}, ports: [{port: ${port}}]}\n`;
  const ingress = (port: number): string =>
    `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i}\nspec: {defaultBackend: {service: {name: web, port: {number: ${port}}}}}\n`;
  const pod = (key: string): string =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: "a/b:1", env: [{name: A, valueFrom: {configMapKeyRef: {name: m, key: ${key}}}}]}]}\n`;
  const map = (key: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {${key}: x}\n`;

  const inTeam = (yaml: string): string => yaml.replace('metadata: {', 'metadata: {namespace: team, ');

  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-definitions-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function severities(rule: string, files: Readonly<Record<string, string>>): readonly Severity[] {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, dirname(name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const { findings } = check(readManifestFiles('.', { cwd: folder }));
    return findings.filter((finding) => finding.rule === rule).map(({ severity }) => severity);
  }

  test.each<[string, Readonly<Record<string, string>>, readonly Severity[]]>([
    ['a port that one of them has', { 'a/s.yaml': service(80), 'b/s.yaml': service(90), 'c/i.yaml': ingress(80) }, []],
    ['a port that the last has', { 'a/s.yaml': service(90), 'b/s.yaml': service(80), 'c/i.yaml': ingress(80) }, []],
    ['a port that none has', { 'a/s.yaml': service(80), 'b/s.yaml': service(90), 'c/i.yaml': ingress(70) }, ['info']],
    [
      'a port that none has, one of them in the same file',
      { 'a/s.yaml': service(80), 'c/i.yaml': `${service(90)}---\n${ingress(70)}` },
      ['error'],
    ],
    ['one definition in the folder of the route', { 'a/s.yaml': service(80), 'a/i.yaml': ingress(70) }, ['error']],
    ['one definition elsewhere, without namespaces', { 'a/s.yaml': service(80), 'b/i.yaml': ingress(70) }, ['warning']],
    [
      'one definition elsewhere, in the same namespace',
      { 'a/s.yaml': inTeam(service(80)), 'b/i.yaml': inTeam(ingress(70)) },
      ['error'],
    ],
  ])('%s', (_, files, expected) => {
    expect(severities('references/backend-port-exists', files)).toEqual(expected);
  });

  test('a key that one of them has, or that none has', () => {
    const files = { 'a/m.yaml': map('one'), 'b/m.yaml': map('two') };
    expect(severities('references/key-exists', { ...files, 'c/p.yaml': pod('two') })).toEqual([]);
    expect(severities('references/key-exists', { ...files, 'c/p.yaml': pod('three') })).toEqual(['warning']);
  });
});
