/**
 * A small cluster of random objects as the scheduler watches it, in which objects and assumptions change at random, each made by its seed alone.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { type CollectionName } from '../../../src/planning/scheduler-settings/collections';
import { DEFAULT_CONFIGURATION } from '../../../src/planning/scheduler-settings/configuration';
import { Assumptions } from '../../../src/runtime/kubernetes/assumptions';
import { Feed } from '../../../src/runtime/kubernetes/world/feed';
import { type Moment } from '../../../src/runtime/kubernetes/world/snapshot';
import { World } from '../../../src/runtime/kubernetes/world/world';
import { Random } from '../../support/random';
import { NODE, NOW, pod, Source } from './watched-source';

const PODS = 12;
export const NODES = ['n-0', 'n-1', 'n-2'];

export class ChangingWorld {
  readonly source = new Source();
  readonly world = new World(
    this.source,
    { ...DEFAULT_CONFIGURATION, handOver: { timeoutSeconds: 30, guarded: true } },
    'salt',
  );
  private monotonic = 0;
  readonly assumptions = new Assumptions({ monotonic: () => this.monotonic, wall: () => NOW });
  readonly feed = new Feed(this.world, this.assumptions);
  private readonly random: Random;

  /** @param options.claims devices by claim change too */
  constructor(
    seed: number,
    private readonly options: { readonly claims?: boolean } = {},
  ) {
    this.random = new Random(seed);
    NODES.forEach((name) => this.source.put('nodes', node(name, {})));
  }

  get moment(): Moment {
    return { now: NOW + this.monotonic, settleMilliseconds: 1000 };
  }

  step(): void {
    this.monotonic += this.random.pick([0, 0, 50, 700, 1000, 2000, 5000, 70_000]);
    for (let changes = 1 + this.upTo(4); changes > 0; changes--) {
      this.random.pick(this.options.claims ? [...this.changes, ...this.claimChanges] : this.changes)();
    }
  }

  private readonly changes: readonly (() => void)[] = [
    () => this.putPod(),
    () => this.putPod(),
    () => this.putPod(),
    () => this.movePod(),
    () => this.movePod(),
    () => this.removeOne('pods'),
    () => this.assume(),
    () => this.assume(),
    () => this.putNode(),
    () =>
      this.source.put('nodes', node(this.random.pick(NODES), { labels: { rack: this.random.pick(['r-0', 'r-1']) } })),
    () => this.removeOne('nodes'),
    () => this.putGroup('volcanoPodGroups'),
    () => this.putGroup('nativePodGroups'),
    () => this.putGroup('schedulerPluginsPodGroups'),
    () => this.removeOne('volcanoPodGroups'),
    () => this.putQueue(),
    () => this.removeOne('volcanoQueues'),
    () => this.putBudget(),
    () => this.removeOne('podDisruptionBudgets'),
    () => this.source.put('priorityClasses', { metadata: { name: 'high' }, value: this.upTo(100) }),
    () => this.putNamespace(),
    () => this.putVolume(),
    () => this.removeOne(this.random.pick(['persistentVolumeClaims', 'persistentVolumes', 'storageClasses'])),
    () => this.putTopology(),
    () => this.removeOne(this.random.pick(['hyperNodes', 'kueueTopologies'])),
    () => this.configure(),
    () => this.assumptions.clear(),
  ];

  private readonly claimChanges: readonly (() => void)[] = [
    () => this.putSlice(),
    () => this.putClaim(),
    () => this.putClaim(),
    () => this.removeOne(this.random.pick(['resourceSlices', 'resourceClaims', 'deviceClasses'])),
    () => this.putClass(),
    () => this.assumeClaim(),
  ];

  private upTo(most: number): number {
    return Math.floor(this.random.next() * most);
  }

  private some<T extends object>(chance: number, fields: () => T): Partial<T> {
    return this.random.chance(chance) ? fields() : {};
  }

  private putPod(): void {
    const index = this.upTo(PODS);
    const gang = this.random.chance(0.5) ? this.random.pick(['a', 'b', 'x']) : undefined;
    const group = this.random.pick(['x', 'podgroup/x', 'c']);
    const claimName = this.random.pick(['data', 'late', 'none']);
    const here = this.random.pick(NODES);
    const isHandedOver = this.random.chance(0.15);
    const { metadata, ...rest } = pod(`p-${index}`, {
      gang,
      minimum: this.random.chance(0.5) ? 1 + this.upTo(3) : undefined,
      ageSeconds: this.random.pick([0, 1, 60, 600]),
      labels: {
        app: 'x',
        ...this.some(0.3, () => ({ 'gantry.dev/queue': this.random.pick(['a', 'b', 'nowhere']) })),
        ...this.some(0.3, () => ({ 'volcano.sh/task-spec': this.random.pick(['worker', 'ps']) })),
        ...this.some(0.3, () => ({ index: `${index}` })),
        ...this.some(0.2, () => ({ 'volcano.sh/task-index': `${index}` })),
      },
      annotations: {
        ...this.some(gang === undefined ? 0.5 : 0, () => ({ 'scheduling.k8s.io/group-name': group })),
        ...this.some(0.2, () => ({ 'gantry.dev/devices': this.random.pick(['0', '1,2']) })),
        ...this.some(0.1, () => ({ 'gantry.dev/preemptible': 'false' })),
        ...this.some(0.1, () => ({ 'kueue.x-k8s.io/podset-required-topology': 'rack' })),
        ...(isHandedOver && { 'gantry.dev/node': here }),
      },
      spec: {
        ...this.some(0.2, () => ({ schedulerName: 'other' })),
        ...this.some(0.15, () => ({ schedulingGates: [{ name: 'gantry.dev/placement' }] })),
        ...this.some(0.1, () => ({ schedulingGates: [{ name: 'other/gate' }, { name: 'gantry.dev/placement' }] })),
        ...this.some(0.2, () => ({ priorityClassName: 'high' })),
        ...this.some(0.2, () => ({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] })),
        ...this.some(0.05, () => ({ volumes: [{ name: 'v', ephemeral: {} }] })),
        ...this.some(this.options.claims ? 0.3 : 0.05, () => ({ resourceClaims: [this.claim()] })),
        ...this.some(0.1, () => ({ affinity: this.affinity() })),
        ...(isHandedOver && { schedulerName: 'other', schedulingGates: [], affinity: pinnedTo(here) }),
      },
      node: !isHandedOver && this.random.chance(0.5) ? this.random.pick(NODES) : undefined,
      phase: this.random.pick(['Pending', 'Running', 'Running', 'Succeeded', 'Failed']),
      leaving: this.random.chance(0.1),
      uid: `uid-${index}-${this.upTo(2)}`,
    });
    const claims = this.options.claims
      ? this.some(0.7, () => ({
          resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: `own-${this.upTo(4)}` }],
          ...this.some(0.3, () => ({
            extendedResourceClaimStatus: { resourceClaimName: this.random.pick(['made-0', 'made-1', 'own-0']) },
          })),
        }))
      : {};
    const owner = { kind: this.random.pick(['DaemonSet', 'Job']), name: 'owner', controller: true };
    this.source.put('pods', {
      ...rest,
      status: { ...(rest.status as JsonObject), ...claims },
      metadata: { ...(metadata as JsonObject), ...this.some(0.15, () => ({ ownerReferences: [owner] })) },
    });
  }

  /** A pod is bound, or goes on to its next phase. */
  private movePod(): void {
    const waiting = [...this.source.all('pods').values()].filter(({ spec }) => !('nodeName' in (spec as JsonObject)));
    if (waiting.length > 0) {
      const raw = this.random.pick(waiting);
      this.source.put('pods', {
        ...raw,
        spec: { ...(raw.spec as JsonObject), nodeName: this.random.pick(NODES) },
        status: { phase: 'Running', startTime: new Date(NOW + this.monotonic).toISOString() },
      });
    }
  }

  private affinity(): JsonObject {
    const term = {
      topologyKey: 'rack',
      labelSelector: { matchLabels: this.random.pick<JsonObject>([{ index: '1' }, { app: 'x' }]) },
      ...this.some(0.7, () => ({ namespaceSelector: { matchLabels: { team: 'red' } } })),
    };
    const rule = this.random.pick(['podAffinity', 'podAntiAffinity']);
    return { [rule]: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  }

  private removeOne(collection: CollectionName): void {
    const keys = [...this.source.all(collection).keys()];
    if (keys.length > 0) {
      this.source.remove(collection, this.random.pick(keys));
    }
  }

  /** With or without a report of devices, ready or not, and rarely one that cannot be. */
  private putNode(): void {
    const report = {
      'nvidia.com/gpu': { [`uid-${this.upTo(PODS)}-0`]: [this.upTo(10)], [`uid-${this.upTo(PODS)}-1`]: [1] },
    };
    const name = this.random.pick(NODES);
    const status = this.random.chance(0.3) ? 'False' : 'True';
    this.source.put('nodes', {
      ...node(name, { annotations: { 'gantry.dev/allocated-devices': JSON.stringify(report) } }),
      status: {
        ...(NODE.status as JsonObject),
        ...this.some(0.1, () => ({ allocatable: { cpu: '8', 'nvidia.com/gpu': '1000000' } })),
        conditions: [
          { type: 'MemoryPressure', status: 'False' },
          { type: 'Ready', status },
        ],
      },
    });
  }

  private putGroup(collection: CollectionName): void {
    const name = this.random.pick(['x', 'c']);
    this.source.put(collection, {
      metadata: {
        namespace: 'default',
        name,
        creationTimestamp: new Date(NOW - 30_000).toISOString(),
        ...this.some(0.2, () => ({ ownerReferences: [{ kind: 'Job', name: 'p-1', controller: true }] })),
      },
      spec: {
        minMember: 1 + this.upTo(4),
        ...this.some(0.3, () => ({ queue: 'b' })),
        ...this.some(0.3, () => ({ minTaskMember: { worker: this.upTo(3) } })),
        ...this.some(0.3, () => ({ networkTopology: { mode: 'hard', highestTierAllowed: 1 + this.upTo(2) } })),
      },
      status: { phase: this.random.pick(['', 'Pending', 'Running']) },
    });
  }

  private putQueue(): void {
    const name = this.random.pick(['a', 'b']);
    const parent = this.random.pick(['a', 'b', 'root', 'none', 'none']);
    this.source.put('volcanoQueues', {
      metadata: {
        name,
        annotations: this.some(0.3, () => ({ 'gantry.dev/namespaces': this.random.pick(['default', 'other']) })),
      },
      spec: {
        weight: 1 + this.upTo(3),
        ...(parent !== 'none' && parent !== name && { parent }),
        ...this.some(0.1, () => ({ deserved: { 'nvidia.com/gpu': 'many' } })),
      },
    });
  }

  private claim(): JsonObject {
    const named = { name: 'gpu', resourceClaimName: 'c' };
    return this.options.claims
      ? this.random.pick<JsonObject>([named, { name: 'gpu', resourceClaimTemplateName: 't' }])
      : named;
  }

  private putSlice(): void {
    const nodeName = this.random.pick(NODES);
    const devices = Array.from({ length: 1 + this.upTo(3) }, (_, i) => ({ name: `d-${i}` }));
    const generation = 1 + this.upTo(2);
    this.source.put('resourceSlices', {
      metadata: { name: `slice-${nodeName}` },
      spec: {
        driver: this.random.pick(['gpu.nvidia.com', 'other.example.com']),
        nodeName,
        pool: { name: nodeName, generation, resourceSliceCount: 1 },
        devices,
      },
    });
  }

  private putClass(): void {
    const selectors = this.some(0.5, () => ({
      selectors: [{ cel: { expression: 'device.driver == "gpu.nvidia.com"' } }],
    }));
    this.source.put('deviceClasses', {
      metadata: { name: 'gpus' },
      spec: { ...selectors, ...this.some(0.6, () => ({ extendedResourceName: 'nvidia.com/gpu' })) },
    });
  }

  private putClaim(): void {
    const pool = this.random.pick(NODES);
    const results = [{ request: 'r', driver: 'gpu.nvidia.com', pool, device: `d-${this.upTo(3)}` }];
    const owner = `uid-${this.upTo(PODS)}-${this.upTo(2)}`;
    // For the extended resources of a pod, mostly as the scheduler makes it.
    const isMade = this.random.chance(0.4);
    const name = isMade && this.random.chance(0.8) ? 'container-0-request-1' : 'r';
    const annotations: JsonObject = isMade
      ? { 'resource.kubernetes.io/extended-resource-claim': this.random.pick(['true', 'true', 'true', 'false']) }
      : this.some(0.5, () => ({ 'resource.kubernetes.io/pod-claim-name': 'gpu' }));
    const count = isMade && this.random.chance(0.8) ? 1 : 1 + this.upTo(2);
    const reserved = this.random.pick([owner, owner, 'uid-of-another']);
    this.source.put('resourceClaims', {
      metadata: {
        namespace: 'default',
        name: this.random.pick(isMade ? ['made-0', 'made-1', 'own-0'] : ['c', 'own-0', 'own-1', 'own-2', 'own-3']),
        uid: `claim-${this.upTo(2)}`,
        annotations,
        ownerReferences: [{ kind: this.random.chance(0.9) ? 'Pod' : 'Job', uid: owner, controller: true }],
        ...this.some(0.05, () => ({ deletionTimestamp: '2026-01-01T00:00:00Z' })),
      },
      spec: { devices: { requests: [{ name, exactly: { deviceClassName: 'gpus', count } }] } },
      status: {
        ...this.some(0.5, () => ({ allocation: { devices: { results } } })),
        ...this.some(0.3, () => ({ reservedFor: [{ resource: 'pods', name: 'p', uid: reserved }] })),
      },
    });
  }

  private assumeClaim(): void {
    const pods = [...this.world.pods.values()];
    const name = this.random.pick(['c', 'own-0', 'own-1']);
    const [node] = NODES;
    if (pods.length > 0) {
      this.world.devices.assumed.assume(`claim:default/${name}`, {
        uid: `claim-${this.upTo(2)}`,
        devices: [{ driver: 'gpu.nvidia.com', pool: node, device: 'd-0', request: 'r', adminAccess: false }],
        node,
        pods: new Set([this.random.pick(pods).uid]),
      });
    }
  }

  private putBudget(): void {
    this.source.put('podDisruptionBudgets', {
      metadata: {
        namespace: this.random.pick(['default', 'default', 'other']),
        name: this.random.pick(['b-0', 'b-1']),
      },
      spec: this.some(0.9, () => ({ selector: { matchLabels: { app: this.random.pick(['x', 'y']) } } })),
      status: this.some(0.9, () => ({ disruptionsAllowed: this.upTo(3) })),
    });
  }

  private putNamespace(): void {
    this.source.put('namespaces', {
      metadata: {
        name: this.random.pick(['default', 'other']),
        annotations: this.some(0.5, () => ({ 'scheduling.volcano.sh/queue-name': this.random.pick(['a', 'b']) })),
        labels: this.some(0.5, () => ({ team: 'red' })),
      },
    });
  }

  private putVolume(): void {
    this.random.pick([
      () =>
        this.source.put('persistentVolumeClaims', {
          metadata: { namespace: 'default', name: this.random.pick(['data', 'late', 'p-1-v']) },
          spec: {
            ...this.some(0.5, () => ({ volumeName: this.random.pick(['', 'pv', 'pv']) })),
            ...this.some(0.7, () => ({ storageClassName: this.random.pick(['wait', 'now']) })),
          },
        }),
      () =>
        this.source.put('persistentVolumes', {
          metadata: { name: 'pv' },
          spec: this.some(0.7, () => ({
            nodeAffinity: {
              required: {
                nodeSelectorTerms: [{ matchExpressions: [{ key: 'rack', operator: 'In', values: ['r-0'] }] }],
              },
            },
          })),
        }),
      () =>
        this.source.put('storageClasses', { metadata: { name: 'wait' }, volumeBindingMode: 'WaitForFirstConsumer' }),
      () => this.source.put('storageClasses', { metadata: { name: 'now' }, volumeBindingMode: 'Immediate' }),
    ])();
  }

  private putTopology(): void {
    this.random.pick([
      () =>
        this.source.put('kueueTopologies', { metadata: { name: 'kueue' }, spec: { levels: [{ nodeLabel: 'rack' }] } }),
      () =>
        this.source.put('hyperNodes', {
          metadata: { name: this.random.pick(['h-0', 'h-1']) },
          spec: {
            tier: 1 + this.upTo(2),
            members: [{ type: 'Node', selector: { exactMatch: { name: this.random.pick(NODES) } } }],
          },
        }),
    ])();
  }

  private configure(): void {
    const { configuration } = this.world;
    this.world.configure({
      ...configuration,
      ...this.random.pick([
        { defaultQueue: this.random.pick(['default', 'a']) },
        { schedulerName: this.random.pick(['gantry', 'gantry', 'other']) },
        { handOver: { timeoutSeconds: 30, guarded: this.random.chance(0.6) } },
        { topologies: this.random.pick([[], [{ name: 'stated', levels: ['rack'] }]]) },
        { queues: this.random.pick([[], [{ name: 'nowhere', namespaces: ['default'] }]]) },
      ]),
    });
  }

  private assume(): void {
    const { assumptions } = this;
    const uid = `uid-${this.upTo(PODS)}-${this.upTo(2)}`;
    const place = { node: this.random.pick(NODES), devices: this.random.pick([[], [3]]) };
    const gang = this.random.pick([...this.world.gangs.keys(), 'none']);
    this.random.pick([
      () => assumptions.place(uid, place),
      () => assumptions.unplace(uid),
      () => assumptions.unplace(uid, place),
      () => assumptions.leave(uid),
      () => assumptions.stay(uid),
      () => assumptions.forget(uid),
      () => assumptions.protect(uid, 3000),
      () => assumptions.refuse(uid, 2000, 'refused'),
      () => assumptions.avoid(gang, this.random.pick(NODES), 60_000),
      () => this.world.willHandOver(uid, place.node),
    ])();
  }
}

function node(name: string, metadata: JsonObject): JsonObject {
  return { ...NODE, metadata: { labels: {}, ...metadata, name } };
}

function pinnedTo(name: string): JsonObject {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [name] }];
  return {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } },
  };
}
