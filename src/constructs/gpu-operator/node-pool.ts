/**
 * GpuNodePool: nodes that expose their GPUs in the same way, as pods and node provisioners see them.
 */
import { type ResourceName } from '../../facts/catalog';
import { type Accelerator } from '../pods/accelerator';
import { podPart, type PodPart } from '../pods/pod-part';
import { type Sharing } from './sharing';
import { publicClass } from '../resources/public-class';

/**
 * Nodes that expose their GPUs in the same way. `GpuOperator.addNodePool` makes one.
 *
 * @example
 * const operator = new gpuOperator.GpuOperator(chart, 'gpu');
 * const pool = operator.addNodePool('inference', gpuOperator.Sharing.timeSlicing({ replicas: 4 }));
 * new PodTemplate({ image, accelerators: pool.accelerator(), parts: [pool.nodes] });
 */
@publicClass('gpuOperator.GpuNodePool')
export class GpuNodePool {
  constructor(
    /** Name of the pool. */
    readonly name: string,
    /** How the GPUs of the pool are shared. */
    readonly sharing: Sharing,
    /** What the nodes are to be labeled with: the keys of their configurations. */
    readonly nodeLabels: Readonly<Record<string, string>>,
  ) {}

  /** What pods ask for on these nodes. */
  get resources(): readonly ResourceName[] {
    return this.sharing.resources;
  }

  /**
   * The request of a pod for one device, share or instance.
   *
   * @param resource profile or resource, where the GPUs are cut into several kinds; the first of them where nothing is said
   * @throws if the nodes offer no such thing
   */
  accelerator(resource?: ResourceName): Accelerator {
    return this.sharing.accelerator(resource);
  }

  /** A part of a pod that keeps it on these nodes. */
  get nodes(): PodPart {
    return podPart({ nodeLabels: this.nodeLabels });
  }
}
