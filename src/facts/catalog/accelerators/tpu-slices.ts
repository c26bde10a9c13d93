/**
 * Slices of Google TPUs: the topologies and machine types that GKE offers for each version.
 *
 * Sources: GKE documentation, "Plan TPUs in GKE" (topologies and machine types) and "About Ironwood (TPU7x) in GKE"; the table of
 * topologies of AI-Hypercomputer/xpk, src/xpk/core/system_characteristics.py.
 */
import { counted, oneOf } from '../../words';
import { frozen } from '../frozen';
import { type AcceleratorName } from './index';
import { acceleratorsNamed } from './names';

/** The slices of one TPU version. */
export interface TpuSliceFacts {
  /** Topologies by their chips in each dimension. For three dimensions, the small ones: those of multiples of 4 follow a rule. */
  readonly topologies: readonly string[];
  /** Chips of the largest slice. */
  readonly chips: number;
  /** Chips of one node, by machine type. */
  readonly machineTypes: Readonly<Record<string, number>>;
}

const SQUARES = ['1x1', '2x2', '2x4', '4x4', '4x8', '8x8', '8x16', '16x16'];
const CUBES = ['2x2x1', '2x2x2', '2x2x4', '2x4x4'];

/** The slices of each TPU of the catalog. */
export const TPU_SLICES: Readonly<Record<string, TpuSliceFacts>> = frozen({
  'TPU-v4': { topologies: CUBES, chips: 4096, machineTypes: { 'ct4p-hightpu-4t': 4 } },
  'TPU-v5e': {
    topologies: SQUARES,
    chips: 256,
    machineTypes: { 'ct5lp-hightpu-1t': 1, 'ct5lp-hightpu-4t': 4, 'ct5lp-hightpu-8t': 8 },
  },
  'TPU-v5p': { topologies: CUBES, chips: 6144, machineTypes: { 'ct5p-hightpu-4t': 4 } },
  'TPU-v6e': {
    topologies: SQUARES,
    chips: 256,
    machineTypes: { 'ct6e-standard-1t': 1, 'ct6e-standard-4t': 4, 'ct6e-standard-8t': 8 },
  },
  'TPU-v7': {
    topologies: ['1x1x1', ...CUBES],
    chips: 9216,
    machineTypes: { 'tpu7x-standard-1t': 1, 'tpu7x-standard-4t': 4 },
  },
});

/**
 * Why no node has this number of chips of a TPU, as a clause; `undefined` if one may. The chips of a slice are those of all of its nodes.
 */
export function tpuCountProblem(accelerator: AcceleratorName, topology: string, count: number): string | undefined {
  const known = slicesOf(accelerator);
  if (known === undefined) {
    return undefined;
  }
  const most = Math.max(...Object.values(known.slices.machineTypes));
  if (count > most) {
    return `no node has ${counted(count, 'chip')} of ${known.name}: the largest has ${most}`;
  }
  const chips = topology.split('x').reduce((product, side) => product * Number(side), 1);
  return count > chips ? `a slice of topology ${topology} has ${counted(chips, 'chip')}, not ${count}` : undefined;
}

/** What is wrong with the topology of a TPU slice, as a clause with the choices; `undefined` if GKE offers it or the TPU is unknown. */
export function tpuTopologyProblem(accelerator: AcceleratorName, topology: string): string | undefined {
  const known = slicesOf(accelerator);
  if (known === undefined || known.slices.topologies.includes(topology)) {
    return undefined;
  }
  const { name, slices } = known;
  const isThreeDimensional = slices.topologies.every((each) => each.split('x').length === 3);
  if (isThreeDimensional && isLargeTopology(topology, slices.chips)) {
    return undefined;
  }
  const { topologies } = slices;
  const rule = isThreeDimensional
    ? `${topologies.join(', ')}, or three multiples of 4 in ascending order with at most ${slices.chips} chips, such as 4x4x8`
    : oneOf(topologies);
  return `topology "${topology}" of ${name} must be ${rule}`;
}

/** The TPU of this name, in any spelling, and its slices. */
function slicesOf(accelerator: AcceleratorName): { readonly name: string; readonly slices: TpuSliceFacts } | undefined {
  const [facts] = acceleratorsNamed(accelerator).filter(({ vendor }) => vendor === 'google');
  const slices = facts === undefined ? undefined : TPU_SLICES[facts.name];
  return facts === undefined || slices === undefined ? undefined : { name: facts.name, slices };
}

/** From 4x4x4, a slice consists of cubes of 4x4x4 chips. */
function isLargeTopology(topology: string, chips: number): boolean {
  if (!/^[1-9]\d{0,3}(?:x[1-9]\d{0,3}){2}$/.test(topology)) {
    return false;
  }
  const [a, b, c] = topology.split('x').map(Number);
  return a >= 4 && a <= b && b <= c && [a, b, c].every((side) => side % 4 === 0) && a * b * c <= chips;
}
