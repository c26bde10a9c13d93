/**
 * What pods take, in the resources that a simulation keeps account of.
 */
import { type PodTemplate } from '../../placement';

const SLICES_OF_A_DEVICE = 7;

/** Devices that a pod takes, also by claim; parts count as parts, a MIG instance as its slices in seven, a replica or a memory share as a whole device. */
export function devicesOf({ request, accelerator, charged }: PodTemplate, device: string): number {
  if (accelerator === undefined) {
    return (request[device] ?? 0) + (charged?.[device] ?? 0);
  }
  switch (accelerator.kind) {
    case 'whole':
    case 'shared':
      return accelerator.count;
    case 'fraction':
      return ((accelerator.count ?? 1) * accelerator.milli) / 1000;
    case 'memory':
      return accelerator.count ?? 1;
    case 'mig':
      return (accelerator.count * Number.parseInt(accelerator.profile, 10)) / SLICES_OF_A_DEVICE || 0;
  }
}

export function amountOf(template: PodTemplate, resource: string, device: string): number {
  return resource === device ? devicesOf(template, device) : (template.request[resource] ?? 0);
}
