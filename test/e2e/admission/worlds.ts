/**
 * Random namespaces with what decides about pods, and random pods for them: a seed makes the same ones everywhere.
 */
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { Random } from '../../support/random';

/** A namespace, and the objects of it that admission reads. */
export interface World {
  readonly name: string;
  /** The Namespace, LimitRanges, and ResourceQuotas. */
  readonly objects: readonly JsonObject[];
}

const meta = (name: string, namespace?: string): JsonObject =>
  namespace === undefined ? { name } : { name, namespace };

/** Classes of the cluster, which all worlds share. */
export const CLASSES: readonly JsonObject[] = [
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: meta('admission-high'), value: 1000 },
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: meta('admission-quiet'),
    value: 10,
    preemptionPolicy: 'Never',
  },
  { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: meta('admission-plain'), handler: 'plain' },
  {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: meta('admission-heavy'),
    handler: 'heavy',
    overhead: { podFixed: { cpu: '250m', memory: '120Mi' } },
    scheduling: { nodeSelector: { 'example.com/sandbox': 'yes' } },
  },
];

/** Amounts in several forms, so that sums and comparisons meet all of them. */
const CPU = ['100m', '250m', '0.5', '1', '1500m', '2', '4'];
const MEMORY = ['64Mi', '128Mi', '256M', '512Mi', '1Gi', '2Gi', '4G'];

export class Worlds {
  private readonly random: Random;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  private some<T>(probability: number, make: () => T): readonly T[] {
    return this.random.chance(probability) ? [make()] : [];
  }

  /** The members that are chosen, in a new object. */
  private members(
    choices: Readonly<Record<string, readonly [probability: number, value: () => JsonValue]>>,
  ): JsonObject {
    return Object.fromEntries(
      Object.entries(choices).flatMap(([name, [probability, value]]) =>
        this.some(probability, () => [name, value()] as const),
      ),
    );
  }

  world(name: string): World {
    const { random } = this;
    const labels = this.members({
      'pod-security.kubernetes.io/enforce': [
        0.6,
        () => random.pick(['baseline', 'restricted', 'restricted', 'privileged']),
      ],
      'pod-security.kubernetes.io/enforce-version': [
        0.5,
        () =>
          random.pick([
            'latest',
            'v1.18',
            'v1.20',
            'v1.24',
            'v1.26',
            'v1.28',
            'v1.30',
            'v1.33',
            'v1.34',
            'v1.36',
            'v1.40',
          ]),
      ],
    });
    return {
      name,
      objects: [
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } },
        ...this.some(0.4, () => this.limitRange(name)),
        ...this.some(0.35, () => this.quota(name, 'first')),
        ...this.some(0.2, () => this.quota(name, 'second')),
      ],
    };
  }

  private limitRange(namespace: string): JsonObject {
    const { random } = this;
    const item = (type: string): JsonObject => {
      const min = this.members({ cpu: [0.3, () => '200m'], memory: [0.2, () => '100Mi'] });
      const max = this.members({
        cpu: [0.4, () => random.pick(['2', '3'])],
        memory: [0.3, () => random.pick(['1Gi', '2Gi'])],
      });
      const bounds = {
        ...(Object.keys(min).length > 0 ? { min } : {}),
        ...(Object.keys(max).length > 0 ? { max } : {}),
        ...(random.chance(0.25)
          ? { maxLimitRequestRatio: { [random.pick(['cpu', 'memory'])]: random.pick(['2', '3']) } }
          : {}),
      };
      const defaults: JsonObject =
        type === 'Container' && random.chance(0.5)
          ? {
              default: { cpu: '1', memory: '512Mi' },
              defaultRequest: { cpu: random.pick(['250m', '500m']), memory: '256Mi' },
            }
          : {};
      return { type, ...bounds, ...defaults };
    };
    const types = random.pick([['Container'], ['Container'], ['Pod'], ['Container', 'Pod']]);
    return {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: meta('limits', namespace),
      spec: { limits: types.map(item) },
    };
  }

  private quota(namespace: string, name: string): JsonObject {
    const { random } = this;
    const bestEffort = random.chance(0.15);
    const hard: JsonObject = bestEffort
      ? { pods: random.pick(['0', '5']) }
      : {
          ...this.members({
            pods: [0.3, () => random.pick(['0', '10'])],
            'requests.cpu': [0.4, () => random.pick(CPU)],
            'limits.cpu': [0.3, () => random.pick(['1', '2', '4', '8'])],
            memory: [0.3, () => random.pick(MEMORY)],
            'limits.memory': [0.3, () => random.pick(MEMORY)],
            'requests.nvidia.com/gpu': [0.4, () => random.pick(['0', '1', '4'])],
            'requests.ephemeral-storage': [0.15, () => '1Gi'],
          }),
          'count/configmaps': '20',
        };
    const scope = bestEffort
      ? { scopes: ['BestEffort'] }
      : random.pick<JsonObject>([
          {},
          {},
          {},
          { scopes: ['Terminating'] },
          { scopes: ['NotTerminating'] },
          { scopes: ['NotBestEffort'] },
          {
            scopeSelector: {
              matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['admission-high'] }],
            },
          },
          {
            scopeSelector: {
              matchExpressions: [{ scopeName: 'PriorityClass', operator: 'NotIn', values: ['admission-high'] }],
            },
          },
          { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Exists' }] } },
          { scopes: ['CrossNamespacePodAffinity'] },
        ]);
    const allowed = withinScope(hard, scope);
    return {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: meta(name, namespace),
      spec: { hard: allowed, ...scope },
    };
  }

  private resources(): JsonObject {
    const { random } = this;
    const cpu = random.below(CPU.length);
    const memory = random.below(MEMORY.length);
    const above = (list: readonly string[], at: number): string =>
      list[Math.min(list.length - 1, at + random.below(3))];
    const gpu: JsonObject = random.chance(0.3) ? { 'nvidia.com/gpu': random.pick(['1', '2', '8']) } : {};
    return this.members({
      requests: [
        0.7,
        () => ({
          ...this.members({
            cpu: [0.8, () => CPU[cpu]],
            memory: [0.7, () => MEMORY[memory]],
            'ephemeral-storage': [0.1, () => '1Gi'],
          }),
          ...gpu,
        }),
      ],
      limits: [
        Object.keys(gpu).length > 0 ? 1 : 0.6,
        () => ({
          ...this.members({ cpu: [0.6, () => above(CPU, cpu)], memory: [0.6, () => above(MEMORY, memory)] }),
          ...gpu,
        }),
      ],
    });
  }

  /** Mostly as `restricted` demands, so that single deviations decide. */
  private containerSecurity(): JsonObject {
    const { random } = this;
    return {
      ...this.members({
        allowPrivilegeEscalation: [0.93, () => random.chance(0.03)],
        runAsNonRoot: [0.6, () => !random.chance(0.05)],
        runAsUser: [0.15, () => random.pick([0, 1000, 1000])],
        seccompProfile: [0.5, () => ({ type: random.pick(['RuntimeDefault', 'RuntimeDefault', 'Unconfined']) })],
        procMount: [0.06, () => 'Default'],
        privileged: [0.03, () => false],
        seLinuxOptions: [
          0.06,
          () =>
            random.pick<JsonObject>([
              { type: 'container_t' },
              { type: 'spc_t' },
              { type: 'container_engine_t' },
              { level: 's0' },
              { user: 'u' },
            ]),
        ],
        appArmorProfile: [0.06, () => ({ type: random.pick(['RuntimeDefault', 'Unconfined']) })],
      }),
      ...(random.chance(0.95)
        ? {
            capabilities: {
              ...(random.chance(0.95) ? { drop: random.pick([['ALL'], ['ALL'], ['ALL'], ['NET_RAW']]) } : {}),
              ...(random.chance(0.15)
                ? { add: [random.pick(['NET_BIND_SERVICE', 'IPC_LOCK', 'CHOWN', 'SYS_ADMIN'])] }
                : {}),
            },
          }
        : {}),
    };
  }

  private container(name: string): JsonObject {
    const { random } = this;
    const handler = (): JsonObject => ({
      httpGet: { port: 80, path: '/', ...(random.chance(0.3) ? { host: '10.0.0.1' } : {}) },
    });
    return {
      name,
      image: 'registry.example.com/a:1',
      resources: this.resources(),
      securityContext: this.containerSecurity(),
      ...this.members({
        ports: [0.1, () => [{ containerPort: 80, ...(random.chance(0.4) ? { hostPort: 80 } : {}) }]],
        livenessProbe: [0.08, handler],
        lifecycle: [0.06, () => ({ postStart: handler() })],
      }),
    };
  }

  pod(name: string, namespace: string): JsonObject {
    const { random } = this;
    const volumes: readonly JsonObject[] = [
      { emptyDir: {} },
      { configMap: { name: 'c' } },
      { projected: { sources: [] } },
      { nfs: { server: 's', path: '/' } },
      { hostPath: { path: '/data' } },
      {
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        },
      },
      {},
    ];
    const term = (more: JsonObject): JsonObject => ({
      labelSelector: { matchLabels: { a: 'b' } },
      topologyKey: 'kubernetes.io/hostname',
      ...more,
    });
    const heavy = random.chance(0.15);
    const spec = {
      containers: [this.container('main'), ...this.some(0.25, () => this.container('other'))],
      ...this.members({
        initContainers: [
          0.25,
          () => [
            {
              ...this.container('prepare'),
              ...removeHooks(),
              ...(random.chance(0.4) ? { restartPolicy: 'Always' } : {}),
            },
          ],
        ],
        securityContext: [
          0.85,
          () => ({
            ...this.members({
              runAsNonRoot: [0.85, () => !random.chance(0.05)],
              runAsUser: [0.15, () => random.pick([0, 1000])],
              seccompProfile: [
                0.85,
                () => ({ type: random.pick(['RuntimeDefault', 'RuntimeDefault', 'RuntimeDefault', 'Unconfined']) }),
              ],
              sysctls: [
                0.1,
                () => [
                  {
                    name: random.pick([
                      'net.ipv4.tcp_syncookies',
                      'net.ipv4.tcp_keepalive_time',
                      'net.ipv4.tcp_rmem',
                      'net.core.somaxconn',
                    ]),
                    value: '1',
                  },
                ],
              ],
              seLinuxOptions: [0.05, () => ({ type: random.pick(['container_t', 'container_engine_t', 'super_t']) })],
              appArmorProfile: [0.05, () => ({ type: random.pick(['RuntimeDefault', 'Unconfined']) })],
            }),
          }),
        ],
        volumes: [0.3, () => [{ name: 'v', ...random.pick(volumes) }]],
        hostIPC: [0.04, () => true],
        hostPID: [0.04, () => true],
        hostUsers: [0.06, () => false],
        activeDeadlineSeconds: [0.25, () => 60],
        priorityClassName: [0.35, () => random.pick(['admission-high', 'admission-quiet'])],
        preemptionPolicy: [0.06, () => random.pick(['Never', 'PreemptLowerPriority'])],
        priority: [0.04, () => random.pick([0, 10, 1000])],
        resources: [0.08, () => ({ requests: { cpu: '2' }, limits: { cpu: '4' } })],
        affinity: [
          0.12,
          () => ({
            podAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                term(random.pick<JsonObject>([{}, { namespaces: ['other'] }, { namespaceSelector: {} }])),
              ],
            },
          }),
        ],
      }),
      ...(heavy ? { runtimeClassName: random.pick(['admission-heavy', 'admission-plain']) } : {}),
      ...this.members({
        overhead: [
          heavy ? 0.2 : 0.02,
          () =>
            random.pick<JsonObject>([
              { cpu: '250m', memory: '120Mi' },
              { cpu: '0.25', memory: '125829120' },
              { cpu: '1' },
            ]),
        ],
        nodeSelector: [heavy ? 0.4 : 0.05, () => ({ 'example.com/sandbox': random.pick(['yes', 'no']) })],
      }),
    };
    const annotations = this.members({
      'container.apparmor.security.beta.kubernetes.io/main': [
        0.02,
        () => random.pick(['runtime/default', 'unconfined']),
      ],
    });
    return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, annotations }, spec };
  }
}

/** Quotas with a scope count pods only, and some scopes take only some amounts. */
function withinScope(hard: JsonObject, scope: JsonObject): JsonObject {
  const [name] = Array.isArray(scope.scopes)
    ? scope.scopes
    : [scope.scopeSelector === undefined ? '' : 'PriorityClass'];
  const taken = Object.entries(hard).filter(([key]) => {
    if (name === '' || name === undefined) {
      return true;
    }
    return name === 'BestEffort' || name === 'CrossNamespacePodAffinity'
      ? key === 'pods'
      : /^(pods|memory|(requests|limits)\.(cpu|memory))$/.test(key);
  });
  return taken.length === 0 ? { pods: '10' } : Object.fromEntries(taken);
}

/** Init containers that end have neither probes nor hooks. */
function removeHooks(): JsonObject {
  return { livenessProbe: null, lifecycle: null };
}
