/**
 * Random clusters and pods that between them meet every filter: resources, ports, selectors, affinity, taints, volumes, other pods, spread.
 */
import { type JsonObject } from '../../../src/facts/api/schema';

export class RandomWorld {
  private count = 0;

  constructor(private readonly random: () => number) {}

  nodes(count: number): JsonObject[] {
    return Array.from({ length: count }, (_, index) => this.node(`n-${index}`));
  }

  /** Persistent volumes, one for each zone, and claims that are bound to them. */
  volumes(): JsonObject[] {
    return ZONES.flatMap((zone): JsonObject[] => [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: `volume-${zone}` },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteMany'],
          persistentVolumeReclaimPolicy: 'Retain',
          storageClassName: '',
          hostPath: { path: '/data' },
          claimRef: { namespace: 'default', name: `claim-${zone}` },
          nodeAffinity: {
            required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] }] },
          },
        },
      },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: `claim-${zone}`, namespace: 'default' },
        spec: {
          accessModes: ['ReadWriteMany'],
          storageClassName: '',
          volumeName: `volume-${zone}`,
          resources: { requests: { storage: '1Gi' } },
        },
      },
    ]);
  }

  /** @param scheduler for whom it waits */
  pod(scheduler: string): JsonObject {
    const name = `p-${this.count++}`;
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', labels: this.podLabels() },
      spec: this.spec(scheduler),
    };
  }

  private node(name: string): JsonObject {
    const resources: Record<string, string> = {
      cpu: this.pick(['2', '4', '3500m', '16', '64']),
      memory: this.pick(['2Gi', '8Gi', '16G']),
      pods: this.pick(['1', '3', '110', '110']),
      'ephemeral-storage': this.pick(['1Gi', '100Gi']),
      ...(this.chance(0.6) && { 'nvidia.com/gpu': this.pick(['1', '2', '8']) }),
      ...(this.chance(0.2) && { 'example.com/foo': '2' }),
    };
    const labels: Record<string, string> = {
      'kubernetes.io/hostname': name,
      ...(this.chance(0.85) && { zone: this.pick(ZONES) }),
      ...(this.chance(0.7) && { disk: this.pick(['fast', 'slow']) }),
      ...(this.chance(0.5) && { size: this.pick(['1', '5', '10', '07', 'big']) }),
    };
    const taints: JsonObject[] = [
      ...(this.chance(0.25)
        ? [
            {
              key: 'dedicated',
              value: this.pick(['ml', 'web', '']),
              effect: this.pick(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
            },
          ]
        : []),
      ...(this.chance(0.15) ? [{ key: 'nvidia.com/gpu', effect: 'NoSchedule' }] : []),
    ];
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels },
      spec: { taints, ...(this.chance(0.1) && { unschedulable: true }) },
      status: {
        allocatable: resources,
        capacity: resources,
        conditions: [{ type: 'Ready', status: 'True', reason: 'Test', message: 'test' }],
      },
    };
  }

  private podLabels(): JsonObject {
    return {
      ...(this.chance(0.7) && { app: this.pick(APPS) }),
      ...(this.chance(0.4) && { tier: this.pick(['1', '2']) }),
    };
  }

  private spec(scheduler: string): JsonObject {
    const volumes: JsonObject[] = [{ name: 'data', persistentVolumeClaim: { claimName: `claim-${this.pick(ZONES)}` } }];
    const affinity: JsonObject = {
      ...(this.chance(0.25) && { nodeAffinity: this.nodeAffinity() }),
      ...(this.chance(0.12) && { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [this.podTerm()] } }),
      ...(this.chance(0.15) && {
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: this.some(1, 2, () => this.podTerm()) },
      }),
    };
    const optional: JsonObject = {
      ...(this.chance(0.2) && {
        initContainers: this.some(1, 2, (index) => ({
          ...this.container(`i${index}`),
          ...(this.chance(0.5) && { restartPolicy: 'Always' }),
        })),
      }),
      ...(this.chance(0.2) && {
        nodeSelector: this.pick<JsonObject>([{ disk: 'fast' }, { zone: 'a' }, { disk: 'slow', zone: 'b' }]),
      }),
      ...(this.chance(0.5) && { tolerations: this.some(1, 2, () => this.toleration()) }),
      ...(this.chance(0.2) && { topologySpreadConstraints: this.spreads() }),
      ...(this.chance(0.15) && { volumes }),
    };
    return {
      schedulerName: scheduler,
      terminationGracePeriodSeconds: 0,
      affinity,
      containers: this.some(1, 2, (index) => this.container(`c${index}`)),
      ...optional,
    };
  }

  private container(name: string): JsonObject {
    const gpus = this.chance(0.3) ? this.pick(['1', '2']) : undefined;
    const requests: Record<string, string> = {
      ...(this.chance(0.8) && { cpu: this.pick(['100m', '500m', '1', '2500m']) }),
      ...(this.chance(0.6) && { memory: this.pick(['128Mi', '1Gi', '3G']) }),
      ...(this.chance(0.15) && { 'ephemeral-storage': this.pick(['500Mi', '2Gi']) }),
      ...(gpus !== undefined && { 'nvidia.com/gpu': gpus }),
      ...(this.chance(0.05) && { 'example.com/foo': '1' }),
    };
    const counted = Object.fromEntries(Object.entries(requests).filter(([resource]) => resource.includes('/')));
    const ports: JsonObject[] =
      name === 'c0' && this.chance(0.3)
        ? [
            {
              containerPort: 80,
              hostPort: this.pick([8080, 9090]),
              ...(this.chance(0.3) && { hostIP: this.pick(['127.0.0.1', '10.0.0.1']) }),
              ...(this.chance(0.3) && { protocol: 'UDP' }),
            },
          ]
        : [];
    return { name, image: 'registry.example/x:1', resources: { requests, limits: counted }, ports };
  }

  private toleration(): JsonObject {
    return this.pick<JsonObject>([
      { operator: 'Exists' },
      { key: 'dedicated', operator: 'Exists' },
      { key: 'dedicated', operator: 'Equal', value: 'ml' },
      { key: 'dedicated', value: 'web', effect: 'NoSchedule' },
      { key: 'dedicated', operator: 'Exists', effect: 'NoExecute' },
      { key: 'nvidia.com/gpu', operator: 'Exists' },
      { key: 'node.kubernetes.io/unschedulable', operator: 'Exists' },
    ]);
  }

  private nodeAffinity(): JsonObject {
    const expression = (): JsonObject =>
      this.pick<JsonObject>([
        { key: 'zone', operator: 'In', values: [this.pick(ZONES), this.pick(ZONES)] },
        { key: 'zone', operator: 'NotIn', values: [this.pick(ZONES)] },
        { key: 'disk', operator: 'Exists' },
        { key: 'disk', operator: 'DoesNotExist' },
        { key: 'size', operator: 'Gt', values: ['4'] },
        { key: 'size', operator: 'Lt', values: ['5'] },
      ]);
    const term = (): JsonObject => ({
      matchExpressions: this.some(1, 2, expression),
      ...(this.chance(0.15) && {
        matchFields: [{ key: 'metadata.name', operator: this.pick(['In', 'NotIn']), values: ['n-1'] }],
      }),
    });
    return { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: this.some(1, 2, term) } };
  }

  private podTerm(): JsonObject {
    return {
      topologyKey: this.pick(['zone', 'kubernetes.io/hostname', 'disk']),
      labelSelector: this.selector(),
      ...(this.chance(0.2) && { namespaces: ['default', 'kube-system'] }),
      ...(this.chance(0.15) && { namespaceSelector: {} }),
    };
  }

  private selector(): JsonObject {
    return this.pick<JsonObject>([
      { matchLabels: { app: this.pick(APPS) } },
      { matchExpressions: [{ key: 'app', operator: 'In', values: [this.pick(APPS), this.pick(APPS)] }] },
      { matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
      { matchExpressions: [{ key: 'app', operator: 'NotIn', values: [this.pick(APPS)] }] },
      { matchLabels: { tier: '1' }, matchExpressions: [{ key: 'app', operator: 'Exists' }] },
    ]);
  }

  private spreads(): JsonObject[] {
    const keys = this.pick([
      ['zone'],
      ['kubernetes.io/hostname'],
      ['zone', 'disk'],
      ['disk', 'kubernetes.io/hostname'],
    ]);
    return keys.map((topologyKey): JsonObject => ({
      maxSkew: this.pick([1, 2]),
      topologyKey,
      labelSelector: this.selector(),
      whenUnsatisfiable: this.chance(0.85) ? 'DoNotSchedule' : 'ScheduleAnyway',
    }));
  }

  private pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.random() * values.length)];
  }

  chance(part: number): boolean {
    return this.random() < part;
  }

  private some<T>(least: number, most: number, make: (index: number) => T): T[] {
    return Array.from({ length: least + Math.floor(this.random() * (most - least + 1)) }, (_, index) => make(index));
  }
}

const ZONES = ['a', 'b', 'c'] as const;
const APPS = ['web', 'db', 'train'] as const;
