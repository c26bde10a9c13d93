/**
 * DeviceSelector: which devices of a class, as expressions that name only attributes that devices really have.
 */
import { type ByteSize, bytesText } from '../resources/quantities';
import { GPU_DRIVER } from './dra-facts';
import { publicClass } from '../resources/public-class';

/**
 * A condition that a device must meet, as a CEL expression.
 *
 * @example
 * new devices.GpuClaim(chart, 'large', { count: 2, selectors: [devices.DeviceSelector.memoryAtLeast('70Gi')] });
 */
@publicClass('devices.DeviceSelector')
export class DeviceSelector {
  /** An expression of your own; `device` is the device. */
  static cel(expression: string): DeviceSelector {
    return new DeviceSelector(expression);
  }

  /**
   * Devices with at least this memory: `70Gi` finds an 80 GB GPU, whose memory is a little less than its name says.
   *
   * @throws if it has no unit, or is not a quantity
   */
  static memoryAtLeast(memory: ByteSize, driver: string = GPU_DRIVER): DeviceSelector {
    const least = bytesText('memory', memory);
    return new DeviceSelector(`device.capacity[${celText(driver)}].memory.compareTo(quantity(${celText(least)})) >= 0`);
  }

  /** GPUs of NVIDIA of one of these architectures, as the driver spells them. */
  static architecture(
    ...architectures: readonly (
      | 'Volta'
      | 'Turing'
      | 'Ampere'
      | 'Ada Lovelace'
      | 'Hopper'
      | 'Blackwell'
      | (string & {})
    )[]
  ): DeviceSelector {
    return new DeviceSelector(isOneOf(`device.attributes[${celText(GPU_DRIVER)}].architecture`, architectures));
  }

  /** GPUs of NVIDIA whose product is one of these, as NVML reports it: `NVIDIA H100 80GB HBM3`, with blanks. */
  static product(...products: readonly string[]): DeviceSelector {
    return new DeviceSelector(isOneOf(`device.attributes[${celText(GPU_DRIVER)}].productName`, products));
  }

  /** MIG devices of one of these profiles, for the class `mig.nvidia.com`. */
  static migProfile(...profiles: readonly string[]): DeviceSelector {
    return new DeviceSelector(isOneOf(`device.attributes[${celText(GPU_DRIVER)}].profile`, profiles));
  }

  /** GPUs of NVIDIA with at least this compute capability: `9.0`. */
  static computeCapabilityAtLeast(version: `${number}.${number}`): DeviceSelector {
    return new DeviceSelector(
      `device.attributes[${celText(GPU_DRIVER)}].cudaComputeCapability.compareTo(semver(${celText(`${version}.0`)})) >= 0`,
    );
  }

  /** Devices that have an attribute with this value. A device without the attribute does not match; it causes no error. */
  static attribute(domain: string, name: string, value: string | number | boolean): DeviceSelector {
    const attributes = `device.attributes[${celText(domain)}]`;
    return new DeviceSelector(
      `${celText(name)} in ${attributes} && ${attributes}.${name} == ${typeof value === 'string' ? celText(value) : value}`,
    );
  }

  private constructor(
    /** The condition as a CEL expression. */
    readonly expression: string,
  ) {}

  /** As a request has it. */
  toSelector(): { readonly cel: { readonly expression: string } } {
    return { cel: { expression: this.expression } };
  }
}

function isOneOf(attribute: string, values: readonly string[]): string {
  const [only] = values;
  return values.length === 1 && only !== undefined
    ? `${attribute} == ${celText(only)}`
    : `${attribute} in [${values.map(celText).join(', ')}]`;
}

/** A CEL string literal. */
function celText(text: string): string {
  return JSON.stringify(text);
}
