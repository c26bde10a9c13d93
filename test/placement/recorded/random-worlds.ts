/**
 * Random small clusters that use every field of the placement core's model, each made by its seed alone.
 */
import {
  type ClusterNode,
  DEFAULT_POLICY,
  type Device,
  type Gang,
  type Pod,
  type PodTemplate,
  type Policy,
  type Queue,
  type Requirement,
  type Role,
  type Subgroup,
  type Taint,
  type TopologyConstraint,
} from '../../../src/placement';
import {
  GANG_ORDERS,
  GANG_SPREADS,
  NODE_SCORES,
  POD_ORDERS,
  PREFERRED_TOPOLOGIES,
  QUEUE_ORDERS,
  QUEUEINGS,
  SHARE_JUDGMENTS,
  SURPLUS_ORDERS,
  VICTIM_ORDERS,
} from '../../../src/placement/model/policy';
import { Random } from '../../support/random';
import { MINUTE, NOW } from '../builders';

const GPU = 'nvidia.com/gpu';
const NPU = 'example.com/npu';
const PROFILE = '1g.10gb';
const MODELS = ['A100', 'H100'];

export interface RandomWorld {
  readonly nodes: readonly ClusterNode[];
  readonly queues: readonly Queue[];
  /** In the order in which they arrive. */
  readonly gangs: readonly Gang[];
  /** Pods without a gang. */
  readonly others: readonly Pod[];
  readonly policy: Policy;
}

export function randomWorld(seed: number): RandomWorld {
  return new Maker(new Random(seed)).world();
}

class Maker {
  constructor(private readonly random: Random) {}

  world(): RandomWorld {
    // Some clusters are plain, so that what is rare does not hide everything else.
    const features = new Set(
      ['labels', 'taints', 'devices', 'reports', 'pods', 'queues', 'topology', 'ports'].filter(() =>
        this.random.chance(0.3),
      ),
    );
    const nodes = this.list(2, this.random.pick([3, 5, 11]), (index) => this.node(index + 1, features));
    const queues = this.list(1, features.has('queues') ? 5 : 2, (index) => this.queue(index, features));
    return {
      nodes,
      queues,
      gangs: this.list(4, 12, (index) => this.gang(index, queues, features)),
      others: features.has('pods') ? this.list(0, 2, (index) => this.other(index, nodes)) : [],
      policy: this.policy(),
    };
  }

  private policy(): Policy {
    if (this.random.chance(0.4)) {
      return { ...DEFAULT_POLICY, staleGangSeconds: 60, capacityReportSeconds: 60 };
    }
    return {
      ...DEFAULT_POLICY,
      capacityReportSeconds: 60,
      queueOrder: this.random.pick(QUEUE_ORDERS),
      gangOrder: this.random.pick(GANG_ORDERS),
      shareJudgment: this.random.pick(SHARE_JUDGMENTS),
      surplusOrder: this.random.pick(SURPLUS_ORDERS),
      podOrder: this.random.pick(POD_ORDERS),
      queueing: this.random.pick(QUEUEINGS),
      nodeScore: this.random.pick(NODE_SCORES),
      victimOrder: this.random.pick(VICTIM_ORDERS),
      preferredTopology: this.random.pick(PREFERRED_TOPOLOGIES),
      gangSpread: this.random.pick(GANG_SPREADS),
      nonPreemptibleWithinQuota: this.random.chance(0.5),
      staleGangSeconds: this.random.pick([0, 60]),
      moveLimit: this.random.pick([0, 1, 3, 100]),
      victimLimit: this.random.pick([1, 3, 100]),
      moveIntervalSeconds: this.random.pick([0, 300]),
      makeRoomLimit: this.random.pick([1, 2, 100]),
    };
  }

  private node(number: number, features: ReadonlySet<string>): ClusterNode {
    const count = this.random.pick([0, 2, 4, 4, 8]);
    const rack = this.random.pick([0, 1, 2]);
    const resource = features.has('devices') && this.random.chance(0.2) ? NPU : GPU;
    return {
      name: `n${number}`,
      allocatable: {
        cpu: this.random.pick([4, 8, 16]) * 1000,
        memory: 1e11,
        pods: this.random.pick([3, 50]),
        [resource]: count,
      },
      ...(resource === GPU ? {} : { deviceResource: resource }),
      labels: {
        'kubernetes.io/hostname': `n${number}`,
        rack: `r${rack}`,
        zone: rack < 2 ? 'z0' : 'z1',
        size: `${count}`,
      },
      ...this.some(features.has('devices'), {
        devices: Array.from({ length: count }, (_, i) => this.device(i, count)),
      }),
      ...this.some(features.has('taints') && this.random.chance(0.4), { taints: this.list(1, 2, () => this.taint()) }),
      ...this.some(features.has('labels') && this.random.chance(0.2), { unschedulable: true }),
      ...this.some(features.has('labels') && this.random.chance(0.15), { ready: false }),
      ...this.some(this.random.chance(0.1), { used: { cpu: 1000, [resource]: Math.min(1, count) } }),
      ...this.some(features.has('topology'), { pool: `pool-${rack}`, domains: { block: `b${rack % 2}` } }),
      ...this.some(features.has('reports') && this.random.chance(0.7), { capacityReport: this.report(count) }),
    };
  }

  private device(index: number, count: number): Device {
    return {
      ...this.some(this.random.chance(0.8), { model: this.random.pick(MODELS) }),
      ...this.some(this.random.chance(0.8), { memoryMiB: this.random.pick([40_000, 80_000]) }),
      ...this.some(this.random.chance(0.8), { numa: index < count / 2 ? 0 : 1, island: `i${Math.floor(index / 2)}` }),
      ...this.some(this.random.chance(0.15), { mig: { [PROFILE]: this.random.pick([2, 7]), '3g.40gb': 1 } }),
      ...this.some(this.random.chance(0.15), { replicas: this.random.pick([2, 4]) }),
      ...this.some(this.random.chance(0.1), { healthy: false }),
    };
  }

  private taint(): Taint {
    return {
      key: this.random.pick(['team', 'maintenance']),
      ...this.some(this.random.chance(0.7), { value: this.random.pick(['vision', 'speech']) }),
      effect: this.random.pick(['NoSchedule', 'NoSchedule', 'PreferNoSchedule', 'NoExecute']),
    };
  }

  private report(count: number): string {
    const at = this.random.pick<unknown>([
      NOW - MINUTE / 2,
      NOW,
      NOW - 60 * MINUTE,
      new Date(NOW).toISOString(),
      'never',
    ]);
    const devices = Array.from({ length: count }, (_, index) => ({
      index,
      ...this.some(this.random.chance(0.7), { freeMemoryMiB: this.random.pick([0, 20_000, 70_000]) }),
      ...this.some(this.random.chance(0.5), { utilization: this.random.pick([0, 0.5, 1]) }),
      ...this.some(this.random.chance(0.5), { latencyMs: this.random.pick([1, 40]) }),
    }));
    return this.random.chance(0.1) ? 'nonsense' : JSON.stringify({ at, devices });
  }

  private queue(index: number, features: ReadonlySet<string>): Queue {
    const rich = features.has('queues');
    const parent = this.random.pick([0, 1, 2]);
    return {
      name: `q${index}`,
      weight: this.random.pick([1, 1, 2, 3]),
      arrival: index % 2,
      ...this.some(rich && parent < index, { parent: `q${parent}` }),
      ...this.some(this.random.chance(0.5), {
        deserved: {
          [GPU]: this.random.pick([0, 2, 4, 8]),
          cpu: 'unlimited' as const,
          ...this.some(this.random.chance(0.3), { memory: 1e11 }),
        },
      }),
      ...this.some(rich && this.random.chance(0.3), { surplusWeight: { [GPU]: this.random.pick([1, 5]) } }),
      ...this.some(rich && this.random.chance(0.25), { guarantee: { [GPU]: this.random.pick([1, 3]), cpu: 1000 } }),
      ...this.some(this.random.chance(0.15), { capability: { [GPU]: this.random.pick([2, 4, 8]), cpu: 12_000 } }),
      ...this.some(rich && this.random.chance(0.4), { priority: this.random.pick([0, 1]) }),
      ...this.some(rich && this.random.chance(0.3), { reclaimable: this.random.chance(0.5) }),
      ...this.some(rich && this.random.chance(0.05), { state: 'closed' as const }),
    };
  }

  private gang(index: number, queues: readonly Queue[], features: ReadonlySet<string>): Gang {
    const subgroups =
      features.has('topology') && this.random.chance(0.3) ? this.list(1, 2, (at) => this.subgroup(at)) : [];
    const roles = this.list(1, this.random.chance(0.3) ? 3 : 1, (at) =>
      this.role(at, index < 3 ? [1, 2, 3] : [1, 1, 2, 4, 6], subgroups, features),
    );
    return {
      name: `g${index}`,
      queue: this.random.chance(0.02) ? 'nowhere' : this.random.pick(queues).name,
      roles,
      arrival: NOW - (90 - 7 * index + this.random.pick([0, 0, 20])) * MINUTE,
      priority: this.random.pick(index < 3 ? [0, 0, 50] : [0, 50, 100]),
      ...this.some(subgroups.length > 0, { subgroups }),
      ...this.some(this.random.chance(0.2), { minimum: this.random.pick([1, 1, 2]) }),
      ...this.some(features.has('topology') && this.random.chance(0.6), { topology: this.constraint() }),
      ...this.some(this.random.chance(0.25), { preemptible: false }),
      ...this.some(this.random.chance(0.1), { preempts: false }),
      ...this.some(this.random.chance(0.2), { minimumRuntimeSeconds: this.random.pick([60, 600]) }),
      ...this.some(this.random.chance(0.5), { expectedSeconds: this.random.pick([30, 90, 1200, 7200]) }),
      ...this.some(this.random.chance(0.2), { checkpointSeconds: this.random.pick([60, 900]) }),
      ...this.some(this.random.chance(0.1), { preemptionDelaySeconds: this.random.pick([60, 600]) }),
      ...this.some(this.random.chance(0.1), { staleSince: NOW - this.random.pick([0, 10]) * MINUTE }),
    };
  }

  private subgroup(index: number): Subgroup {
    return {
      name: `s${index}`,
      ...this.some(index > 0 && this.random.chance(0.5), { parent: 's0' }),
      ...this.some(this.random.chance(0.5), { topology: this.constraint() }),
      ...this.some(this.random.chance(0.3), { minimum: 1 }),
    };
  }

  private role(
    index: number,
    counts: readonly number[],
    subgroups: readonly Subgroup[],
    features: ReadonlySet<string>,
  ): Role {
    const count = this.random.pick(counts);
    return {
      name: `r${index}`,
      count,
      template: this.template(features),
      ...this.some(this.random.chance(0.4), { minimum: Math.max(0, count - this.random.pick([1, 2])) }),
      ...this.some(subgroups.length > 0 && this.random.chance(0.8), {
        subgroup: this.random.pick([...subgroups, { name: undefined }]).name,
      }),
      ...this.some(features.has('topology') && this.random.chance(0.2), { topology: this.constraint() }),
      ...this.some(this.random.chance(0.2), { priority: this.random.pick([0, 5]) }),
      ...this.some(index === 0 && this.random.chance(0.15), { leader: true }),
    };
  }

  private constraint(): TopologyConstraint {
    const level = (): string => this.random.pick(['rack', 'rack', 'zone', 'block', 'kubernetes.io/hostname']);
    return this.random.pick<() => TopologyConstraint>([
      () => ({ required: level() }),
      () => ({ preferred: level() }),
      () => ({ topology: 'rooms', required: 'zone', preferred: 'rack' }),
      () => ({ sliceSize: this.random.pick([1, 2]), sliceLevel: level(), required: 'zone' }),
      () => ({ required: this.random.chance(0.2) ? 'row' : 'rack' }),
    ])();
  }

  private template(features: ReadonlySet<string>): PodTemplate {
    const accelerator = this.accelerator(features);
    const app = this.random.pick(['a', 'b']);
    const wants = (feature: string, chance: number): boolean => features.has(feature) && this.random.chance(chance);
    const term = {
      topologyKey: this.random.pick(['rack', 'kubernetes.io/hostname']),
      selector: { labels: [this.podRequirement()] },
    };
    const weighted = [{ weight: this.random.pick([1, 50, 100]), term }];
    const nodeTerm = { labels: this.list(1, 2, () => this.nodeRequirement()) };
    return {
      request: {
        cpu: this.random.pick([500, 1000, 3000]),
        memory: 1e9,
        ...this.some(accelerator === undefined && this.random.chance(0.7), { [GPU]: this.random.pick([1, 2, 4]) }),
      },
      ...this.some(accelerator !== undefined, { accelerator }),
      labels: { app },
      ...this.some(wants('pods', 0.2), { namespace: 'other' }),
      ...this.some(wants('labels', 0.05), { nodeName: this.random.pick(['n1', 'n2', 'n99']) }),
      ...this.some(wants('labels', 0.2), { nodeSelector: { rack: this.random.pick(['r0', 'r1', 'r9']) } }),
      ...this.some(wants('labels', 0.2), { nodeTerms: [nodeTerm] }),
      ...this.some(wants('labels', 0.2), { preferredNodeTerms: [{ weight: 50, term: nodeTerm }] }),
      ...this.some(wants('labels', 0.1), {
        volumeNodeTerms: [[{ labels: [{ key: 'zone', operator: 'In' as const, values: ['z0'] }] }]],
      }),
      ...this.some(wants('taints', 0.5), {
        tolerations: [
          {
            key: 'team',
            ...this.random.pick([{ operator: 'Exists' as const }, { value: 'vision' }]),
            ...this.some(this.random.chance(0.4), { effect: 'NoSchedule' as const }),
          },
        ],
      }),
      ...this.some(wants('ports', 0.3), {
        hostPorts: [
          { port: this.random.pick([80, 81]), ...this.some(this.random.chance(0.3), { address: '10.0.0.1' }) },
        ],
      }),
      ...this.some(wants('pods', 0.15), { podAffinity: [term] }),
      ...this.some(wants('pods', 0.2), { podAntiAffinity: [term] }),
      ...this.some(wants('pods', 0.15), { preferredPodAffinity: weighted }),
      ...this.some(wants('pods', 0.15), { preferredPodAntiAffinity: weighted }),
      ...this.some(wants('pods', 0.2), {
        topologySpread: [
          {
            ...term,
            maxSkew: this.random.pick([1, 2]),
            ...this.some(this.random.chance(0.4), { whenUnsatisfiable: 'ScheduleAnyway' as const }),
          },
        ],
      }),
    };
  }

  private accelerator(features: ReadonlySet<string>): PodTemplate['accelerator'] {
    if (this.random.chance(0.3)) {
      return undefined;
    }
    const isRich = features.has('devices');
    const models = this.some(isRich && this.random.chance(0.2), { models: [this.random.pick([...MODELS, 'B200'])] });
    const resource = this.some(isRich && this.random.chance(0.1), { resource: NPU });
    const count = this.random.pick([1, 1, 2]);
    const simple: readonly PodTemplate['accelerator'][] = [
      { kind: 'whole', count: this.random.pick([1, 2, 4]), ...models, ...resource },
      { kind: 'fraction', milli: this.random.pick([200, 500, 700]), count, ...models },
    ];
    const ofDevices: readonly PodTemplate['accelerator'][] = [
      { kind: 'memory', mebibytes: this.random.pick([10_000, 50_000]), count, ...models },
      { kind: 'mig', profile: PROFILE, count, countedInSlices: this.random.chance(0.5) },
      { kind: 'shared', count, ...models },
    ];
    return this.random.pick([...simple, ...(isRich ? ofDevices : [])]);
  }

  private nodeRequirement(): Requirement {
    return this.random.pick<Requirement>([
      { key: 'rack', operator: 'In', values: ['r0', 'r2'] },
      { key: 'rack', operator: 'NotIn', values: ['r1'] },
      { key: 'zone', operator: 'Exists' },
      { key: 'gone', operator: 'DoesNotExist' },
      { key: 'size', operator: 'Gt', values: ['2'] },
      { key: 'size', operator: 'Lt', values: ['8'] },
    ]);
  }

  private podRequirement(): Requirement {
    return this.random.pick<Requirement>([
      { key: 'app', operator: 'In', values: ['a'] },
      { key: 'app', operator: 'NotIn', values: ['a'] },
      { key: 'app', operator: 'Exists' },
    ]);
  }

  private other(index: number, nodes: readonly ClusterNode[]): Pod {
    return {
      name: `other-${index}`,
      state: this.random.pick(['running', 'running', 'releasing']),
      node: this.random.pick(nodes).name,
      template: {
        request: { cpu: 500 },
        labels: { app: 'a' },
        ...this.some(this.random.chance(0.5), { accelerator: { kind: 'fraction' as const, milli: 500 } }),
      },
      ...this.some(this.random.chance(0.4), { releasedBy: NOW + this.random.pick([-60, 1]) * MINUTE }),
    };
  }

  private some<T extends object>(present: boolean, fields: T): Partial<T> {
    return present ? fields : {};
  }

  private list<T>(least: number, most: number, make: (index: number) => T): T[] {
    return Array.from({ length: least + Math.floor(this.random.next() * (most - least + 1)) }, (_, index) =>
      make(index),
    );
  }
}
