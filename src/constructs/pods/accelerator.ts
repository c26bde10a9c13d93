/**
 * What a pod computes on: a number of devices (or slices, or shares) of one kind, with the toleration for their nodes and, if
 * requested, the labels of those nodes.
 */
import { known } from '../../manifests/values/deferred';
import { bytesText, shown } from '../resources/quantities';
import { type NodeSelectorRequirement, type Toleration } from '../../facts/api/types/core/v1';
import {
  type AcceleratorName,
  acceleratorProblem,
  acceleratorsNamed,
  acceleratorToleration,
  type AcceleratorVendor,
  findAccelerator,
  type KnownAcceleratorFacts,
  migResource,
  parseMigProfile,
  type ResourceName,
  VENDORS,
  acceleratorsLike,
  tpuTopologyProblem,
} from '../../facts/catalog';
import {
  type AcceleratorOptions,
  type AmdOptions,
  type AscendOptions,
  type CgpuOptions,
  type ClaimOptions,
  type GaudiOptions,
  type HamiOptions,
  type IntelGpuOptions,
  type MigOptions,
  type NeuronOptions,
  type NvidiaOptions,
  type OtherAcceleratorOptions,
  type QgpuOptions,
  type ShareOptions,
  type TpuOptions,
  type VirtualGpuOptions,
} from './accelerator-options';
import { memoryIn, percentOf, stated } from './device-amounts';
import { type PodContext, type PodContribution, type PodPart } from './pod-part';
import { nameOf, referencesIn } from '../resources/references';
import { publicClass } from '../resources/public-class';

const PRODUCT_LABEL = 'nvidia.com/gpu.product';
const SHARING_LABEL = 'nvidia.com/gpu.sharing-strategy';
const ACK_SHARING_LABEL = 'ack.node.gpu.schedule';

/**
 * A request for accelerators: the resource, the nodes that have it, and the tolerations for their taints.
 *
 * @example
 * new kubeflow.PyTorchJob(chart, 'train', {
 *   nodes: 2,
 *   image: 'registry.example.com/train:1',
 *   accelerators: Accelerator.nvidia({ count: 8, product: 'H100-SXM-80GB' }),
 * });
 */
@publicClass('Accelerator')
export class Accelerator implements PodPart {
  /** Whole NVIDIA GPUs, or what the device plugin exposes as `nvidia.com/gpu`. */
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
      throw new Error(
        `profile "${options.profile}" is not a MIG profile. Write <slices>g.<memory>gb, for example 1g.10gb.`,
      );
    }
    return new Accelerator(options, migResource(options.profile), {
      nodeRequirements: productRequirements(options.product),
    });
  }

  /**
   * One time-sliced share of a GPU: a turn on it, with neither memory nor faults kept apart. One share is all that a pod can use.
   *
   * @throws if the profile is none
   */
  static timeSliced(options: ShareOptions = {}): Accelerator {
    const { profile, renamed = true } = options;
    const whole =
      profile === undefined ? 'nvidia.com/gpu' : (Accelerator.mig({ count: 1, profile }).resource ?? 'nvidia.com/gpu');
    return share(
      options,
      renamed ? `${whole}.shared` : whole,
      'time-slicing',
      (resource, more) => new Accelerator({ ...options, count: 1 }, resource, more),
    );
  }

  /** One MPS share of a GPU: an equal part of its memory and compute. */
  static mps(options: Omit<ShareOptions, 'profile'> = {}): Accelerator {
    const resource = (options.renamed ?? true) ? 'nvidia.com/gpu.shared' : 'nvidia.com/gpu';
    return share(options, resource, 'mps', (name, more) => new Accelerator({ ...options, count: 1 }, name, more));
  }

  /**
   * Virtual GPUs of HAMi. Its plugin takes the place of NVIDIA's on a node; pods with a privileged container are denied.
   *
   * @throws if memory is stated twice, or an amount is out of bounds
   */
  static hami(options: HamiOptions): Accelerator {
    const { gpuTypes, notGpuTypes, gpuUuids, notGpuUuids, mode, priority } = options;
    const annotations = stated({
      'nvidia.com/use-gputype': gpuTypes?.join(','),
      'nvidia.com/nouse-gputype': notGpuTypes?.join(','),
      'nvidia.com/use-gpuuuid': gpuUuids?.join(','),
      'nvidia.com/nouse-gpuuuid': notGpuUuids?.join(','),
      'nvidia.com/vgpu-mode': mode,
    });
    const limits = stated({
      ...virtualLimits(options, 'nvidia.com/gpumem', 'nvidia.com/gpumem-percentage', 'nvidia.com/gpucores'),
      'nvidia.com/priority': priority,
    });
    return new Accelerator(options, 'nvidia.com/gpu', {
      limits,
      annotations,
      nodeRequirements: productRequirements(options.product),
    });
  }

  /**
   * Virtual GPUs of Volcano's device plugin; the scheduler needs the plugin deviceshare with VGPUEnable.
   *
   * @throws if memory is stated twice, or an amount is out of bounds
   */
  static volcanoVgpu(options: VirtualGpuOptions): Accelerator {
    const limits = virtualLimits(
      options,
      'volcano.sh/vgpu-memory',
      'volcano.sh/vgpu-memory-percentage',
      'volcano.sh/vgpu-cores',
    );
    const more = { limits, nodeRequirements: productRequirements(options.product) };
    return new Accelerator(options, 'volcano.sh/vgpu-number', more);
  }

  /**
   * A share of a GPU on Aliyun (cGPU), by memory and if need be by compute.
   *
   * @throws if memory is not a whole number of the unit, or the percentage is out of bounds
   */
  static cgpu(options: CgpuOptions): Accelerator {
    const { memory, computePercent, unit = 'GiB' } = options;
    const values = computePercent === undefined ? ['cgpu', 'core_mem'] : ['core_mem'];
    const limits = stated({
      'aliyun.com/gpu-mem': memoryIn(unit, memory),
      'aliyun.com/gpu-core.percentage':
        computePercent === undefined ? undefined : percentOf(computePercent, 'computePercent'),
    });
    const more = { limits, nodeRequirements: [{ key: ACK_SHARING_LABEL, operator: 'In', values }] };
    return new Accelerator({ tolerations: NVIDIA_TOLERATIONS, ...options, count: 1 }, undefined, more);
  }

  /**
   * A share of a GPU on Tencent (qGPU), or whole cards of nodes that share.
   *
   * @throws if memory is not a whole number of GiB, or the percentage is not a multiple of 5 up to 100
   */
  static qgpu(options: QgpuOptions): Accelerator {
    const limits: Record<string, number> =
      options.cards === undefined
        ? {
            'tke.cloud.tencent.com/qgpu-memory': memoryIn('GiB', options.memory),
            'tke.cloud.tencent.com/qgpu-core': percentOf(options.computePercent, 'computePercent', 5),
          }
        : { 'tke.cloud.tencent.com/qgpu-core': options.cards * 100 };
    return new Accelerator(
      { tolerations: options.tolerations ?? NVIDIA_TOLERATIONS, count: options.cards ?? 1 },
      undefined,
      { limits },
    );
  }

  /** Whole GPUs of AMD, or partitions of them. */
  static amd(options: AmdOptions): Accelerator {
    const { partition, product } = options;
    return new Accelerator(options, `amd.com/${partition ?? 'gpu'}`, {
      nodeRequirements: requirementsOf(product, 'amd', 'amd.com/gpu.product-name'),
    });
  }

  /** GPUs of Intel; with a `sharedDevNum` above 1, shares of them. */
  static intel(options: IntelGpuOptions): Accelerator {
    return new Accelerator(options, `gpu.intel.com/${options.driver ?? 'i915'}`);
  }

  /** Whole Huawei NPUs. The counts that a node allocates follow its topology: 1, 2, 4, or 8. */
  static ascend(options: AscendOptions): Accelerator {
    const { chip = '910', product, acceleratorType, devicesFromVolcano = false } = options;
    const resource = chip === 'npu' ? 'huawei.com/npu' : `huawei.com/Ascend${chip}`;
    return new Accelerator(options, resource, {
      nodeLabels: stated({ 'accelerator-type': acceleratorType }),
      nodeRequirements: requirementsOf(product, 'huawei', 'node.kubernetes.io/npu.chip.name'),
      env: devicesFromVolcano
        ? [
            {
              name: 'ASCEND_VISIBLE_DEVICES',
              valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${resource}']` } },
            },
          ]
        : [],
    });
  }

  /** Neuron devices of AWS (Trainium, Inferentia), or single cores. */
  static neuron(options: NeuronOptions): Accelerator {
    const resource = options.unit === 'core' ? 'aws.amazon.com/neuroncore' : 'aws.amazon.com/neuron';
    return new Accelerator(options, resource, {
      nodeRequirements: requirementsOf(options.product, 'aws', 'node.kubernetes.io/instance-type'),
    });
  }

  /**
   * TPU chips of GKE. A TPU pool is selected by type and topology; a pod must set both.
   *
   * @throws if GKE does not offer the topology
   */
  static tpu(options: TpuOptions): Accelerator {
    const [facts] = acceleratorsNamed(options.accelerator).filter(({ vendor }) => vendor === 'google');
    const isLabel = facts?.productLabels.includes(options.accelerator) ?? false;
    const problem = tpuTopologyProblem(options.accelerator, options.topology);
    if (problem !== undefined) {
      throw new Error(`${problem}.`);
    }
    const nodeLabels = {
      'cloud.google.com/gke-tpu-accelerator': isLabel
        ? options.accelerator
        : namedOf('accelerator', options.accelerator, 'google').productLabels[0],
      'cloud.google.com/gke-tpu-topology': options.topology,
    };
    return new Accelerator(options, 'google.com/tpu', { nodeLabels });
  }

  /** Gaudi accelerators, with the huge pages that their driver needs. */
  static gaudi(options: GaudiOptions): Accelerator {
    return new Accelerator(options, 'habana.ai/gaudi', {
      nodeRequirements: requirementsOf(options.product, 'intel', 'habana.ai/device.type'),
      limits: { 'hugepages-2Mi': bytesText('hugepages', options.hugepages) },
    });
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

  /** Devices of each pod, from which the number of processes per node is derived; in `Amounts`, devices in total. */
  readonly count: number;

  private constructor(
    private readonly options: AcceleratorOptions,
    /** The extended resource; absent where a claim brings the devices. */
    readonly resource: ResourceName | undefined,
    private readonly more: PodContribution = {},
  ) {
    known('count', options.count);
    if (!Number.isInteger(options.count) || options.count < 0) {
      throw new Error(
        `count must be a whole number greater than or equal to 1, not ${shown(options.count)}. For a pod without accelerators, omit the prop accelerators.`,
      );
    }
    this.count = options.count;
  }

  /** @throws if the count is 0, which only amounts may state */
  toPod(_context: PodContext): PodContribution {
    const { resource, more } = this;
    if (this.count === 0) {
      throw new Error(
        'accelerators: count must be greater than or equal to 1. For a pod without devices, omit accelerators.',
      );
    }
    const tolerations =
      this.options.tolerations ?? (resource === undefined ? [] : [{ ...acceleratorToleration(resource) }]);
    return {
      ...more,
      tolerations,
      limits: { ...(resource === undefined ? {} : { [resource]: this.count }), ...more.limits },
    };
  }
}

function tolerationsOf(resource: ResourceName): readonly Toleration[] {
  return [{ ...acceleratorToleration(resource) }];
}

const NVIDIA_TOLERATIONS = tolerationsOf('nvidia.com/gpu');

/** A share is found by how its node shares: the resource may have the same name for time-slicing, MPS and whole GPUs. */
function share(
  options: ShareOptions,
  resource: ResourceName,
  strategy: 'time-slicing' | 'mps',
  make: (resource: ResourceName, more: PodContribution) => Accelerator,
): Accelerator {
  // GPU feature discovery marks the product of shares that are not renamed.
  const requirements = productRequirements(options.product).map((requirement) =>
    (options.renamed ?? true)
      ? requirement
      : {
          ...requirement,
          values: requirement.values?.map((value) => (value.endsWith('-SHARED') ? value : `${value}-SHARED`)),
        },
  );
  return make(resource, { nodeLabels: { [SHARING_LABEL]: strategy }, nodeRequirements: requirements });
}

function virtualLimits(
  options: VirtualGpuOptions,
  memory: string,
  percentage: string,
  cores: string,
): Record<string, number> {
  if (options.memory !== undefined && options.memoryPercent !== undefined) {
    throw new Error(
      `memory ${bytesText('memory', options.memory)} and memoryPercent ${options.memoryPercent} must not be set together, because each sets the memory of a vGPU. Keep one of them.`,
    );
  }
  return stated({
    [memory]: options.memory === undefined ? undefined : memoryIn('MiB', options.memory),
    [percentage]: options.memoryPercent === undefined ? undefined : percentOf(options.memoryPercent, 'memoryPercent'),
    [cores]: options.computePercent === undefined ? undefined : percentOf(options.computePercent, 'computePercent'),
  });
}

/**
 * The node labels of NVIDIA products. A name of the catalog in any spelling represents all of its labels; anything that the catalog does
 * not know is taken as a label value.
 *
 * @throws if a name is ambiguous (`H100` is an SXM module or a PCIe card), or belongs to another vendor
 */
export function productRequirements(
  product: AcceleratorName | readonly AcceleratorName[] | undefined,
): readonly NodeSelectorRequirement[] {
  return requirementsOf(product, 'nvidia', PRODUCT_LABEL);
}

/** How the values of the product labels begin or end, those of sharing included. */
const LABEL = /^(?:NVIDIA|Tesla)-|^AMD_|-SHARED$/;

/** @param labelKey label whose value is meant where the catalog does not know the name */
function requirementsOf(
  product: AcceleratorName | readonly AcceleratorName[] | undefined,
  vendor: AcceleratorVendor,
  labelKey: string,
): readonly NodeSelectorRequirement[] {
  const wanted = new Map<string, string[]>();
  const want = (key: string, values: readonly string[]): void => {
    wanted.set(key, [...(wanted.get(key) ?? []), ...values]);
  };
  for (const name of product === undefined ? [] : [product].flat()) {
    const known = acceleratorsNamed(name);
    const exact = known.find(({ productLabels }) => productLabels.includes(name));
    // A longer label than the catalog's examples (a MIG or sharing suffix) is a label all the same.
    const isLabel = exact !== undefined || LABEL.test(name);
    if (isLabel || (known.length === 0 && /[-_.]/.test(name) && acceleratorsLike(name).length === 0)) {
      want(exact?.productLabelKey ?? labelKey, [name]);
    } else {
      const facts = namedOf('product', name, vendor);
      want(facts.productLabelKey ?? labelKey, facts.productLabels.length === 0 ? [name] : facts.productLabels);
    }
  }
  if (wanted.size > 1) {
    throw new Error(
      `product [${[product].flat().join(', ')}]: must not mix names of the catalog with label values, because they select by different labels (${[...wanted.keys()].join(', ')}). Use one or the other.`,
    );
  }
  return [...wanted].map(([key, values]) => ({ key, operator: 'In', values: [...new Set(values)] }));
}

/** @throws if the name is ambiguous, or belongs to another vendor */
function namedOf(prop: string, name: AcceleratorName, vendor: AcceleratorVendor): KnownAcceleratorFacts {
  const facts = findAccelerator(name);
  if (facts === undefined) {
    const unknown = acceleratorsNamed(name).length === 0;
    throw new Error(
      `${prop}: ${acceleratorProblem(name) ?? name}.${unknown ? ` For a device that the catalog does not have, use Accelerator.of, or select its nodes with NodeSelection.labels.` : ''}`,
    );
  }
  if (facts.vendor !== vendor) {
    throw new Error(
      `${prop} must be a product of ${VENDORS[vendor].title}: "${name}" is the ${facts.name} of ${VENDORS[facts.vendor].title}.`,
    );
  }
  return facts;
}
