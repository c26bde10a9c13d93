/**
 * How the GPUs of a node pool are exposed: whole, time-sliced, with MPS, or partitioned into MIG instances. A closed choice, from which follow
 * the device plugin's configuration, the MIG manager's, the resources that pods ask for and the request for one of them.
 */
import { type JsonObject } from '../../facts/api/schema';
import { type AcceleratorName, migResource, type ResourceName } from '../../facts/catalog';
import { type MigLayout } from '../../facts/catalog/mig-layout';
import { Accelerator } from '../pods/accelerator';
import { provenLayout } from './mig-layout';
import { publicClass } from '../resources/public-class';

/** MPS serves at most this many processes on one GPU. */
const MOST_MPS_CLIENTS = 48;

/** How MIG instances are named as resources. */
export type MigStrategy = 'none' | 'single' | 'mixed';

/** Options of `Sharing.timeSlicing`. */
export interface TimeSlicingOptions {
  /** Shares of each GPU, at least 2. */
  readonly replicas: number;
  /**
   * Shares are called `nvidia.com/gpu.shared`, so that no pod that asks for `nvidia.com/gpu` gets one.
   * @default true
   */
  readonly rename?: boolean;
  /** A pod that asks for two shares is refused, since it would get no more than one gives. @default true */
  readonly refuseSeveral?: boolean;
}

/** Options of `Sharing.mps`. */
export interface MpsOptions {
  /** Equal parts of memory and compute of each GPU, 2 to 48. */
  readonly replicas: number;
  /** As with time-slicing. @default true */
  readonly rename?: boolean;
}

/** Which GPUs of a node are cut in which way. */
export interface MigGroup {
  /** Indexes of the GPUs. @default - all GPUs of the node */
  readonly devices?: readonly number[];
  /** Instances of each of these GPUs. @default - MIG is off on them */
  readonly layout?: MigLayout;
}

/** Options of `Sharing.mig`. */
export interface MigSharingOptions {
  /** The GPU of the nodes, a name of the catalog: the layout is proven against it. */
  readonly gpu: AcceleratorName;
  /** Instances of each GPU: `{ '1g.10gb': 2, '2g.20gb': 1, '3g.40gb': 1 }`; or GPUs in groups of different layouts. */
  readonly layout: MigLayout | readonly MigGroup[];
  /**
   * How instances are offered: `mixed` by profile (`nvidia.com/mig-1g.10gb`), `single` as `nvidia.com/gpu`, for which all instances of
   * a node are of one profile.
   * @default mixed
   */
  readonly strategy?: 'mixed' | 'single';
  /** Time-sliced shares of each instance. @default - whole instances */
  readonly slicesOfEach?: TimeSlicingOptions;
}

interface Parts {
  readonly migStrategy: MigStrategy;
  readonly sharing?: JsonObject;
  readonly mig?: readonly MigGroup[];
  readonly resources: readonly ResourceName[];
  readonly request: (resource: ResourceName | undefined) => Accelerator;
  readonly offers: (gpus: number) => Readonly<Record<string, number>>;
}

/**
 * How the GPUs of a node are shared between pods.
 *
 * @example
 * const operator = new gpuOperator.GpuOperator(chart, 'gpu');
 * operator.addNodePool('inference', gpuOperator.Sharing.mig({ gpu: 'H100-SXM-80GB', layout: { '1g.10gb': 7 } }));
 */
@publicClass('gpuOperator.Sharing')
export class Sharing {
  /** Whole GPUs, one pod each. */
  static whole(): Sharing {
    return new Sharing({
      migStrategy: 'none',
      resources: ['nvidia.com/gpu'],
      request: () => Accelerator.nvidia({ count: 1 }),
      offers: (gpus) => ({ 'nvidia.com/gpu': gpus }),
    });
  }

  /**
   * Pods take turns on a GPU. Memory is not kept apart, and a fault of one ends the others: for trusted, small or interactive work.
   *
   * @throws if replicas is not a whole number of at least 2
   */
  static timeSlicing(options: TimeSlicingOptions): Sharing {
    const { rename = true } = options;
    const resource = rename ? 'nvidia.com/gpu.shared' : 'nvidia.com/gpu';
    return new Sharing({
      migStrategy: 'none',
      sharing: slicing(options, ['nvidia.com/gpu']),
      resources: [resource],
      request: () => Accelerator.timeSliced({ renamed: rename }),
      offers: (gpus) => ({ [resource]: gpus * options.replicas }),
    });
  }

  /**
   * Pods run at the same time on equal parts of a GPU's memory and compute. A fault of one still ends the others. Experimental in the
   * device plugin; whole GPUs only.
   *
   * @throws if replicas is not a whole number from 2 to 48
   */
  static mps(options: MpsOptions): Sharing {
    const { replicas, rename = true } = options;
    const resource = rename ? 'nvidia.com/gpu.shared' : 'nvidia.com/gpu';
    checkReplicas(replicas);
    if (replicas > MOST_MPS_CLIENTS) {
      throw new Error(`replicas ${replicas}: MPS serves at most ${MOST_MPS_CLIENTS} processes on one GPU.`);
    }
    return new Sharing({
      migStrategy: 'none',
      sharing: { mps: { renameByDefault: rename, resources: [{ name: 'nvidia.com/gpu', replicas }] } },
      resources: [resource],
      request: () => Accelerator.mps({ renamed: rename }),
      offers: (gpus) => ({ [resource]: gpus * replicas }),
    });
  }

  /**
   * GPUs cut into instances that share neither memory nor faults.
   *
   * @throws if the GPU is not in the catalog, the layout does not fit it, a GPU is listed in two groups, or `single` is used with several profiles
   */
  static mig(options: MigSharingOptions): Sharing {
    const { gpu, strategy = 'mixed', slicesOfEach } = options;
    const groups = isGroups(options.layout) ? options.layout : [{ layout: options.layout }];
    checkGroups(groups);
    const layouts = groups.flatMap(({ layout }) => (layout === undefined ? [] : [layout]));
    for (const layout of layouts) {
      provenLayout(gpu, layout);
    }
    const profiles = [...new Set(layouts.flatMap((layout) => Object.keys(layout)))];
    if (profiles.length === 0) {
      throw new Error('layout: at least one group must have MIG instances. For whole GPUs, use Sharing.whole().');
    }
    const uncut = groups.some(({ layout }) => layout === undefined);
    if (strategy === 'single' && (profiles.length > 1 || uncut)) {
      throw new Error(
        `strategy "single" requires one profile on all GPUs of a node, but the layout has ${[...profiles, ...(uncut ? ['whole GPUs'] : [])].join(' and ')}. Use "mixed".`,
      );
    }
    const whole =
      strategy === 'single'
        ? ['nvidia.com/gpu']
        : [...profiles.map((profile) => migResource(profile)), ...(uncut ? ['nvidia.com/gpu'] : [])];
    const rename = slicesOfEach !== undefined && (slicesOfEach.rename ?? true);
    const profileOf = (resource: ResourceName | undefined): string =>
      profiles.find(
        (profile) =>
          resource === undefined || resource === profile || resource.replace(/\.shared$/, '') === migResource(profile),
      ) ?? missing(resource, profiles);
    return new Sharing({
      migStrategy: strategy,
      ...(slicesOfEach === undefined ? {} : { sharing: slicing(slicesOfEach, whole) }),
      mig: groups,
      resources: whole.map((resource) => (rename ? `${resource}.shared` : resource)),
      request: (resource) => {
        if (strategy === 'single') {
          return slicesOfEach === undefined
            ? Accelerator.nvidia({ count: 1 })
            : Accelerator.timeSliced({ renamed: rename });
        }
        const profile = profileOf(resource);
        return slicesOfEach === undefined
          ? Accelerator.mig({ count: 1, profile })
          : Accelerator.timeSliced({ profile, renamed: rename });
      },
      offers: (gpus) => {
        const amounts: Record<string, number> = {};
        for (const { devices, layout } of groups) {
          const cut = Object.entries(layout ?? { whole: 1 }).map(([profile, count]): [ResourceName, number] => [
            layout === undefined || strategy === 'single' ? 'nvidia.com/gpu' : migResource(profile),
            count,
          ]);
          for (const [name, count] of cut) {
            const resource = rename ? `${name}.shared` : name;
            amounts[resource] =
              (amounts[resource] ?? 0) + (devices?.length ?? gpus) * count * (slicesOfEach?.replicas ?? 1);
          }
        }
        return amounts;
      },
    });
  }

  private constructor(private readonly parts: Parts) {}

  /** The MIG strategy of nodes with this sharing. */
  get migStrategy(): MigStrategy {
    return this.parts.migStrategy;
  }

  /** What pods ask for on such nodes. */
  get resources(): readonly ResourceName[] {
    return this.parts.resources;
  }

  /**
   * The request of a pod for one device, share or instance.
   *
   * @param resource profile or resource, where the GPUs are cut into several kinds; the first of them where nothing is said
   * @throws if the nodes offer no such thing
   */
  accelerator(resource?: ResourceName): Accelerator {
    return this.parts.request(resource);
  }

  /** The resources of a node with the given number of GPUs. */
  offersOf(gpus: number): Readonly<Record<string, number>> {
    return this.parts.offers(gpus);
  }

  /** The device plugin's configuration. */
  toDevicePluginConfig(): JsonObject {
    const { migStrategy, sharing } = this.parts;
    return { version: 'v1', flags: { migStrategy }, ...(sharing === undefined ? {} : { sharing }) };
  }

  /** The entries of the MIG manager's configuration; `undefined` where GPUs are not cut. */
  toMigEntries(): readonly JsonObject[] | undefined {
    return this.parts.mig?.map(({ devices, layout }) => ({
      devices: devices === undefined ? 'all' : [...devices],
      'mig-enabled': layout !== undefined,
      ...(layout === undefined ? {} : { 'mig-devices': { ...layout } }),
    }));
  }
}

function isGroups(layout: MigLayout | readonly MigGroup[]): layout is readonly MigGroup[] {
  return Array.isArray(layout);
}

function missing(resource: ResourceName | undefined, profiles: readonly string[]): never {
  throw new Error(`"${resource ?? ''}" is not a resource of these nodes. Their resources are ${profiles.join(', ')}.`);
}

function checkReplicas(replicas: number): void {
  if (!Number.isInteger(replicas) || replicas < 2) {
    throw new Error(`replicas must be a whole number greater than or equal to 2, not ${replicas}.`);
  }
}

function checkGroups(groups: readonly MigGroup[]): void {
  const named = groups.flatMap(({ devices }) => devices ?? []);
  const twice = named.find((device, index) => named.indexOf(device) !== index);
  if (twice !== undefined) {
    throw new Error(`layout: GPU ${twice} is listed in two groups. List each index once.`);
  }
  if (groups.length > 1 && groups.some(({ devices }) => devices === undefined)) {
    throw new Error(
      'layout: if there are several groups, each must list its devices, because a group without devices means all of them. Set devices of each group.',
    );
  }
}

function slicing(options: TimeSlicingOptions, names: readonly string[]): JsonObject {
  checkReplicas(options.replicas);
  return {
    timeSlicing: {
      renameByDefault: options.rename ?? true,
      failRequestsGreaterThanOne: options.refuseSeveral ?? true,
      resources: names.map((name) => ({ name, replicas: options.replicas })),
    },
  };
}
