/**
 * Valid objects for tests of core validation: fresh copies, so that a test may change one.
 */
import { type JsonObject } from '../../../src/facts/api/schema';

export type Json = JsonObject;

/** JSON is YAML. */
export function yaml(object: Json): string {
  return JSON.stringify(object);
}

const template = (more: Json = {}): Json => ({
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'main', image: 'img' }], ...more },
});

export const minimalPod = (): Json => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'small' },
  spec: { containers: [{ name: 'main', image: 'img' }] },
});

export const deployment = (): Json => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { selector: { matchLabels: { app: 'x' } }, template: template() },
});

export const statefulSet = (): Json => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db' },
  spec: {
    serviceName: 'db',
    selector: { matchLabels: { app: 'x' } },
    template: {
      metadata: { labels: { app: 'x' } },
      spec: { containers: [{ name: 'main', image: 'img', volumeMounts: [{ name: 'data', mountPath: '/d' }] }] },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  },
});

export const daemonSet = (): Json => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent' },
  spec: { selector: { matchLabels: { app: 'x' } }, template: template() },
});

export const job = (): Json => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'train' },
  spec: { template: template({ restartPolicy: 'Never' }) },
});

export const indexedJob = (): Json => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'train' },
  spec: {
    completionMode: 'Indexed',
    completions: 4,
    parallelism: 4,
    backoffLimitPerIndex: 1,
    maxFailedIndexes: 2,
    successPolicy: { rules: [{ succeededIndexes: '0-1,3', succeededCount: 2 }] },
    podFailurePolicy: {
      rules: [
        { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
        { action: 'FailIndex', onExitCodes: { containerName: 'main', operator: 'In', values: [1, 42] } },
      ],
    },
    template: template({ restartPolicy: 'Never' }),
  },
});

export const cronJob = (): Json => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'nightly' },
  spec: {
    schedule: '*/5 1-3 * jan,feb mon-fri',
    timeZone: 'Europe/Berlin',
    jobTemplate: { spec: { template: template({ restartPolicy: 'OnFailure' }) } },
  },
});

export const pytorchJob = (): Json => ({
  apiVersion: 'kubeflow.org/v1',
  kind: 'PyTorchJob',
  metadata: { name: 'train', namespace: 'ai' },
  spec: {
    pytorchReplicaSpecs: {
      Worker: { replicas: 2, template: { spec: { containers: [{ name: 'pytorch', image: 'img' }] } } },
    },
  },
});

export const richPod = (): Json => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'rich', namespace: 'ai' },
  spec: {
    restartPolicy: 'OnFailure',
    dnsPolicy: 'ClusterFirst',
    activeDeadlineSeconds: 600,
    hostname: 'rank-0',
    subdomain: 'train',
    os: { name: 'linux' },
    serviceAccountName: 'train',
    priorityClassName: 'high',
    runtimeClassName: 'nvidia',
    preemptionPolicy: 'Never',
    dnsConfig: {
      nameservers: ['10.0.0.10'],
      searches: ['a.local', 'b_c.local'],
      options: [{ name: 'ndots', value: '2' }],
    },
    nodeSelector: { 'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-80GB' },
    hostAliases: [{ ip: '10.1.2.3', hostnames: ['a.example'] }],
    schedulingGates: [{ name: 'example.com/wait' }],
    readinessGates: [{ conditionType: 'example.com/ready' }],
    overhead: { cpu: '100m' },
    resourceClaims: [
      { name: 'gpus', resourceClaimTemplateName: 'gpu-claim' },
      { name: 'net', resourceClaimName: 'net-claim' },
    ],
    securityContext: {
      fsGroup: 1000,
      runAsUser: 1000,
      supplementalGroups: [1, 2],
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
      appArmorProfile: { type: 'Localhost', localhostProfile: 'profile' },
      sysctls: [{ name: 'net.core.somaxconn', value: '1024' }],
    },
    tolerations: [
      { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' },
      { key: 'a', value: 'b', effect: 'NoExecute', tolerationSeconds: 30 },
    ],
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        minDomains: 2,
        labelSelector: { matchLabels: { app: 'x' } },
        matchLabelKeys: ['job'],
      },
    ],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                { key: 'zone', operator: 'In', values: ['a'] },
                { key: 'gen', operator: 'Gt', values: ['3'] },
                { key: 'has', operator: 'Exists' },
              ],
              matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }],
            },
          ],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 10, preference: { matchExpressions: [{ key: 'z', operator: 'NotIn', values: ['q'] }] } },
        ],
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'x' } } },
          },
        ],
      },
    },
    initContainers: [
      { name: 'init', image: 'busybox' },
      { name: 'side', image: 'busybox', restartPolicy: 'Always', livenessProbe: { exec: { command: ['ls'] } } },
    ],
    containers: [
      {
        name: 'main',
        image: 'img:1',
        imagePullPolicy: 'IfNotPresent',
        terminationMessagePolicy: 'FallbackToLogsOnError',
        ports: [
          { name: 'http', containerPort: 8080 },
          { containerPort: 9090, hostPort: 9090 },
        ],
        env: [
          { name: 'A', value: 'b' },
          { name: 'LABEL', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
          { name: 'CPUS', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
          { name: 'KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
        ],
        envFrom: [{ prefix: 'P_', configMapRef: { name: 'cm' } }],
        resources: {
          limits: { cpu: '2', memory: '4Gi', 'nvidia.com/gpu': 1, 'hugepages-2Mi': '4Mi' },
          requests: { cpu: '1', 'nvidia.com/gpu': 1 },
          claims: [{ name: 'gpus', request: 'gpu' }, { name: 'net' }],
        },
        volumeMounts: [
          { name: 'shm', mountPath: '/dev/shm' },
          { name: 'data', mountPath: '/data', subPath: 'a/b', readOnly: true, recursiveReadOnly: 'IfPossible' },
          { name: 'cm', mountPath: '/cm', mountPropagation: 'HostToContainer' },
        ],
        volumeDevices: [{ name: 'blk', devicePath: '/dev/xvda' }],
        securityContext: { allowPrivilegeEscalation: false, capabilities: { add: ['IPC_LOCK'] }, procMount: 'Default' },
        livenessProbe: {
          httpGet: { path: '/h', port: 'http', scheme: 'HTTPS', httpHeaders: [{ name: 'X-A', value: 'b' }] },
        },
        readinessProbe: { tcpSocket: { port: 8080 }, successThreshold: 2 },
        startupProbe: { grpc: { port: 8080 } },
        lifecycle: { postStart: { exec: { command: ['ls'] } }, preStop: { sleep: { seconds: 5 } } },
        resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
      },
    ],
    volumes: [
      { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
      { name: 'data', persistentVolumeClaim: { claimName: 'c' } },
      { name: 'blk', persistentVolumeClaim: { claimName: 'd' } },
      { name: 'cm', configMap: { name: 'cm', defaultMode: 420, items: [{ key: 'a', path: 'b/c' }] } },
      { name: 'sec', secret: { secretName: 's' } },
      { name: 'host', hostPath: { path: '/x', type: 'Directory' } },
      {
        name: 'down',
        downwardAPI: {
          items: [
            { path: 'l', fieldRef: { fieldPath: 'metadata.labels' } },
            { path: 'c', resourceFieldRef: { containerName: 'main', resource: 'limits.cpu' } },
          ],
        },
      },
      { name: 'csi', csi: { driver: 'd.csi.io' } },
      {
        name: 'eph',
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        },
      },
      {
        name: 'proj',
        projected: {
          sources: [
            { secret: { name: 's', items: [{ key: 'a', path: 'p1' }] } },
            { serviceAccountToken: { path: 'tok' } },
          ],
        },
      },
    ],
  },
});
