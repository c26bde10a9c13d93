/**
 * The memory of a device as its driver reports it, which feature discovery writes into `nvidia.com/gpu.memory` and the DRA driver publishes as
 * the capacity `memory`. It is NVML's total, and can be less than the nominal memory: an H100 of 80 GB has 81559 MiB, not 80 GiB.
 *
 * Sources: totals of nvidia-smi with ECC as the boards are delivered (modal-labs/modal-client#2797 for most of them);
 * kubernetes-sigs/dra-driver-nvidia-gpu#719 (`memory: 80Gi` of an A100 of 80 GB).
 */
import { type KnownAcceleratorFacts } from './accelerators';

const REPORTED_MIB: Partial<Readonly<Record<KnownAcceleratorFacts['name'], number>>> = {
  'A100-SXM-40GB': 40960,
  'A100-PCIe-40GB': 40960,
  'A100-SXM-80GB': 81920,
  'A100-PCIe-80GB': 81920,
  'H100-SXM-80GB': 81559,
  'H100-PCIe-80GB': 81559,
  'H200-SXM-141GB': 143771,
  'H200-NVL': 143771,
  B200: 183359,
  T4: 15360,
  A10: 23028,
  A10G: 23028,
  A40: 46068,
  L4: 23034,
  L40S: 46068,
};

/** `undefined` where no source states it: the memory is then less than the nominal one, by an amount that is not known. */
export function reportedMemoryMiB({ name }: KnownAcceleratorFacts): number | undefined {
  return REPORTED_MIB[name];
}

/** As the driver reports it where that is known, and otherwise nominal. */
export function memoryMiBOf(facts: KnownAcceleratorFacts): number {
  return reportedMemoryMiB(facts) ?? facts.memoryGB * 1024;
}
