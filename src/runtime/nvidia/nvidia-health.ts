/**
 * Why a device should not be used, by what `nvidia-smi -q -x` says of it. A device is in service again when the report no longer says so.
 *
 * Sources: NVIDIA GPU memory error management (row remapping, A100 and later), nvidia-smi(1), `nvidia-smi -q -x` of drivers 535 to 580. Elements that a driver
 * does not have say nothing.
 */
import { elementAt, textAt, type XmlElement } from './xml';

type Test = (gpu: XmlElement) => string | undefined;

const TESTS: readonly Test[] = [
  (gpu) => {
    const action = textAt(gpu, 'gpu_recovery_action');
    return action === undefined || action === 'None' ? undefined : `the driver asks for: ${action}`;
  },
  (gpu) =>
    isYes(gpu, 'remapped_rows', 'remapped_row_failure', 'a memory row could not be remapped; replace the device'),
  (gpu) => isYes(gpu, 'remapped_rows', 'remapped_row_pending', 'remapping of memory rows is pending; reset the device'),
  (gpu) => isYes(gpu, 'retired_pages', 'pending_retirement', 'memory pages wait to be retired; reset the device'),
  (gpu) => {
    const errors = uncorrected(elementAt(gpu, 'ecc_errors', 'volatile'));
    return errors === 0 ? undefined : `${errors} uncorrectable memory errors since its last reset; reset the device`;
  },
  // Drivers up to 550 say "throttle".
  (gpu) =>
    ['event', 'throttle'].some(
      (word) =>
        elementAt(gpu, `clocks_${word}_reasons`, `clocks_${word}_reason_hw_thermal_slowdown`)?.text === 'Active',
    )
      ? 'hardware thermal slowdown; check its cooling'
      : undefined,
];

/** The first thing that is wrong. */
export function nvidiaFault(gpu: XmlElement): string | undefined {
  for (const test of TESTS) {
    const fault = test(gpu);
    if (fault !== undefined) {
      return fault;
    }
  }
  return undefined;
}

function isYes(gpu: XmlElement, group: string, name: string, fault: string): string | undefined {
  return elementAt(gpu, group, name)?.text === 'Yes' ? fault : undefined;
}

/** Before A100: `double_bit`. With some drivers the count of SRAM is divided into parity and SEC-DED. */
function uncorrected(counts: XmlElement | undefined): number {
  const old = textAt(counts, 'double_bit', 'total');
  const counted = (counts?.children ?? []).filter(({ name }) => /^(sram|dram)_uncorrectable/.test(name));
  return [...counted.map(({ text }) => text), old ?? '0'].reduce((sum, text) => sum + (Number.parseInt(text) || 0), 0);
}
