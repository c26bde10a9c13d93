/**
 * ClaimSharing: how containers that share a claim share its GPUs, as NVIDIA's DRA driver is configured.
 */
import { bytesText, type ByteSize } from '../resources/quantities';
import { type JsonObject } from '../../facts/api/schema';
import { type TimeSliceInterval } from './dra-facts';
import { publicClass } from '../resources/public-class';

/** Options of `ClaimSharing.mps`. */
export interface MpsClaimOptions {
  /** Percent of the GPU's threads that each process may use. @default - all */
  readonly activeThreadPercentage?: number;
  /** Memory that each process may pin on each device. @default - not limited */
  readonly pinnedMemoryLimit?: ByteSize;
}

/**
 * How the pods of a claim share its devices. Needs a feature gate of the driver that is off by default:
 * `TimeSlicingSettings` or `MPSSupport`.
 *
 * @example
 * new devices.GpuClaim(chart, 'shared', { sharing: devices.ClaimSharing.timeSlicing('Long') });
 */
@publicClass('devices.ClaimSharing')
export class ClaimSharing {
  /** Processes take turns of this length. */
  static timeSlicing(interval: TimeSliceInterval = 'Default'): ClaimSharing {
    return new ClaimSharing({ strategy: 'TimeSlicing', timeSlicingConfig: { interval } });
  }

  /**
   * Processes run at the same time.
   *
   * @throws if the percentage is not between 0 and 100
   */
  static mps(options: MpsClaimOptions = {}): ClaimSharing {
    const { activeThreadPercentage, pinnedMemoryLimit } = options;
    if (activeThreadPercentage !== undefined && !(activeThreadPercentage >= 0 && activeThreadPercentage <= 100)) {
      throw new Error(`activeThreadPercentage ${activeThreadPercentage}: must be a number from 0 to 100.`);
    }
    return new ClaimSharing({
      strategy: 'MPS',
      mpsConfig: {
        ...(activeThreadPercentage === undefined ? {} : { defaultActiveThreadPercentage: activeThreadPercentage }),
        ...(pinnedMemoryLimit === undefined
          ? {}
          : { defaultPinnedDeviceMemoryLimit: bytesText('pinnedMemoryLimit', pinnedMemoryLimit) }),
      },
    });
  }

  private constructor(private readonly sharing: JsonObject) {}

  /** The parameters of the driver. */
  toSharing(): JsonObject {
    return this.sharing;
  }
}
