/**
 * What a pod computes on: so many devices (or slices, or shares) of a kind, with the toleration for the nodes that have them and,
 * where asked, the labels of those nodes.
 */
import { type NodeSelectorRequirement, type Toleration } from '../api/types/core/v1';
import { type Quantity } from '../api/scalars';
import {
  ACCELERATORS,
  type AcceleratorName,
  acceleratorToleration,
  findAccelerator,
  migResource,
  parseMigProfile,
  type ResourceName,
} from '../catalog';
import { type PodContext, type PodContribution, type PodPart } from './pod-part';
import { type NamedReference, nameOf, referencesIn } from '../resources/references';

const PRODUCT_LABEL = 'nvidia.com/gpu.product';

export interface AcceleratorOptions {
  /** Devices of each pod, at least 1. */
  readonly count: number;
  /**
   * Tolerations of the pod for the nodes of the accelerator.
   * @default - the taint that is set by convention, whose key is the resource name (`nvidia.com/gpu` for everything of NVIDIA),
   * with any value: the admission plugin that would add it is off on most clusters
   */
  readonly tolerations?: readonly Toleration[];
}

export interface NvidiaOptions extends AcceleratorOptions {
  /**
   * Only nodes with this GPU: a name of the catalog (`H100-80GB`), which stands for all its node labels, or one value of the label
   * `nvidia.com/gpu.product` (`NVIDIA-H100-80GB-HBM3`).
   * @default - any GPU
   */
  readonly product?: AcceleratorName;
}

export interface MigOptions extends NvidiaOptions {
  /** MIG profile, for example `1g.10gb`; the device plugin must run with the mixed strategy. */
  readonly profile: string;
}

export interface OtherAcceleratorOptions extends AcceleratorOptions {
  /** The extended resource, for example `huawei.com/Ascend910`. */
  readonly resource: ResourceName;
  /** Labels of the nodes. @default - none */
  readonly nodeLabels?: Readonly<Record<string, string>>;
  /** Resources that pods need beside the devices. @default - none */
  readonly with?: Readonly<Record<string, Quantity>>;
}

export interface ClaimOptions extends AcceleratorOptions {
  /** ResourceClaimTemplate of the pod's namespace, by name or as a construct. Every pod gets a claim of its own. */
  readonly template: NamedReference;
  /** Name of the claim in the pod. @default accelerator */
  readonly claimName?: string;
  /** Only this request of the claim. @default - all of them */
  readonly request?: string;
}

/** A request for accelerators. */
export class Accelerator implements PodPart {
  /** Whole GPUs of NVIDIA, or whatever the device plugin gives out as `nvidia.com/gpu`. */
  static nvidia(options: NvidiaOptions): Accelerator {
    return new Accelerator(options, 'nvidia.com/gpu', { nodeRequirements: productRequirements(options.product) });
  }

  /**
   * MIG slices, under the mixed strategy.
   *
   * @throws if the profile is none
   */
  static mig(options: MigOptions): Accelerator {
    if (parseMigProfile(options.profile) === undefined) {
      throw new Error(`profile "${options.profile}" is no MIG profile: expected <slices>g.<memory>gb, for example 1g.10gb.`);
    }
    return new Accelerator(options, migResource(options.profile), { nodeRequirements: productRequirements(options.product) });
  }

  /** Whole GPUs of AMD. */
  static amd(options: AcceleratorOptions): Accelerator {
    return new Accelerator(options, 'amd.com/gpu');
  }

  /** Gaudi accelerators, with the huge pages that their driver needs. */
  static gaudi(options: AcceleratorOptions & {
    /** Huge pages of 2 MiB, in total, for example 95000Mi for eight. The nodes must have reserved them. */
    readonly hugepages: Quantity;
  }): Accelerator {
    return new Accelerator(options, 'habana.ai/gaudi', { limits: { 'hugepages-2Mi': options.hugepages } });
  }

  /** Any other extended resource. */
  static of(options: OtherAcceleratorOptions): Accelerator {
    return new Accelerator(options, options.resource, { nodeLabels: options.nodeLabels, limits: options.with });
  }

  /** Devices that a resource claim (dynamic resource allocation) brings. */
  static claim(options: ClaimOptions): Accelerator {
    const name = options.claimName ?? 'accelerator';
    return new Accelerator({ tolerations: [], ...options }, undefined, {
      claims: [{ name, ...(options.request === undefined ? {} : { request: options.request }) }],
      pod: { resourceClaims: [{ name, resourceClaimTemplateName: nameOf(options.template) }] },
      references: referencesIn(options.template),
    });
  }

  /** Devices of each pod: what the number of processes per node is derived from. */
  readonly count: number;

  private constructor(
    private readonly options: AcceleratorOptions,
    /** The extended resource; absent where a claim brings the devices. */
    readonly resource: ResourceName | undefined,
    private readonly more: PodContribution = {},
  ) {
    if (!Number.isInteger(options.count) || options.count < 1) {
      throw new Error(`count ${options.count}: expected a whole number of accelerators, at least 1. A pod without any leaves accelerators out.`);
    }
    this.count = options.count;
  }

  toPod(_context: PodContext): PodContribution {
    const { resource, more } = this;
    const tolerations = this.options.tolerations ?? (resource === undefined ? [] : [{ ...acceleratorToleration(resource) }]);
    return { ...more, tolerations, limits: { ...(resource === undefined ? {} : { [resource]: this.count }), ...more.limits } };
  }
}

/**
 * The node labels of a product. A name of the catalog stands for all of them; anything else must be a label value as it is.
 *
 * @throws if the product is another spelling of a catalog entry: some are other boards, whose nodes carry other labels
 */
export function productRequirements(product: AcceleratorName | undefined): readonly NodeSelectorRequirement[] {
  if (product === undefined) return [];
  const known = findAccelerator(product);
  if (known === undefined || ACCELERATORS.some(({ productLabels }) => productLabels.includes(product))) {
    return [{ key: PRODUCT_LABEL, operator: 'In', values: [product] }];
  }
  if (known.name === product && known.productLabels.length > 0) return [{ key: PRODUCT_LABEL, operator: 'In', values: known.productLabels }];
  // A longer label than the catalog's examples (another board, a MIG or sharing suffix) is a label all the same.
  if (product.startsWith('NVIDIA-') || product.startsWith('Tesla-')) return [{ key: PRODUCT_LABEL, operator: 'In', values: [product] }];
  throw new Error(
    `product "${product}" is neither a name of the catalog nor a value of ${PRODUCT_LABEL}. Use "${known.name}", or the label value of the nodes`
    + `${known.productLabels[0] === undefined ? '' : `, for example "${known.productLabels[0]}"`}.`,
  );
}
