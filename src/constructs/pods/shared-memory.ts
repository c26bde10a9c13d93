/**
 * `/dev/shm`, which a container gets with 64 MiB and data loaders and NCCL want larger.
 *
 * It is a tmpfs: what is written there counts to the memory limit of the container, so a limit that does not leave room for it ends
 * in an OOM kill rather than in a full disk.
 */
import { bytesText, type ByteSize } from '../resources/quantities';
import { parseQuantity, type Quantity } from '../../manifests/values/quantity';
import { Mount } from './mount';
import { publicClass } from '../resources/public-class';

/**
 * The size of `/dev/shm`, which is 64 MiB by default and too small for data loaders and NCCL. It is a tmpfs: what is
 * written there counts toward the memory limit of the container.
 *
 * @example
 * new kubeflow.PyTorchJob(chart, 'train', {
 *   nodes: 1,
 *   image: 'registry.example.com/train:1',
 *   resources: { memory: '512Gi' },
 *   sharedMemory: SharedMemory.added('64Gi'),
 * });
 */
@publicClass('SharedMemory')
export class SharedMemory {
  /** Part of the container's memory: the limit stays as it is stated and must be larger. */
  static within(size: ByteSize): SharedMemory {
    return new SharedMemory(bytesText('sharedMemory', size), false);
  }

  /** On top of the container's memory: request and limit grow by this size. */
  static added(size: ByteSize): SharedMemory {
    return new SharedMemory(bytesText('sharedMemory', size), true);
  }

  /** A bare size means `within`. */
  static of(size: ByteSize | SharedMemory): SharedMemory {
    return size instanceof SharedMemory ? size : SharedMemory.within(size);
  }

  /** The size as an amount. */
  readonly amount: Quantity;

  private constructor(
    /** The size as it was written. */
    readonly size: string,
    private readonly onTop: boolean,
  ) {
    const amount = parseQuantity(size);
    if (amount === undefined || amount.isZero() || amount.isNegative()) {
      throw new Error(`sharedMemory ${JSON.stringify(size)}: must be a size such as 64Gi.`);
    }
    this.amount = amount;
  }

  /** Returns the volume and its mount at `/dev/shm`. */
  toMount(): Mount {
    return Mount.emptyDir('/dev/shm', { volumeName: 'shm', medium: 'Memory', sizeLimit: this.size });
  }

  /** A request of the container, with the shared memory in it. */
  requestWith(memory: string): string {
    return this.onTop ? (parseQuantity(memory)?.add(this.amount).toString() ?? memory) : memory;
  }

  /**
   * The limit of the container, with the shared memory in it.
   *
   * @param prop the property that states the limit
   * @throws if the limit leaves nothing beside the shared memory
   */
  limitWith(memory: string, prop: string): string {
    const stated = parseQuantity(memory);
    if (stated === undefined || this.onTop) {
      return this.requestWith(memory);
    }
    if (stated.isGreaterThan(this.amount)) {
      return memory;
    }
    throw new Error(
      `${prop} ${memory} must be greater than sharedMemory ${this.size}, which counts toward it. Raise ${prop}, or use SharedMemory.added('${this.size}').`,
    );
  }
}
