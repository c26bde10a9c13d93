/**
 * Amounts of resources as one writes them for a queue or a pod group.
 */
import { type Quantity } from '../../facts/api/scalars';

/**
 * Amounts by resource name. `gpu` is short for `nvidia.com/gpu`; any other resource goes by its own name,
 * `{ cpu: 512, memory: '4Ti', gpu: 64, 'rdma/hca': 64 }`.
 */
export interface QueueAmounts {
  /** Cores. */
  readonly cpu?: Quantity;
  /** Bytes: write the unit, `500Gi`. */
  readonly memory?: Quantity;
  /** Whole devices of `nvidia.com/gpu`. */
  readonly gpu?: number;
  /** Number of pods. */
  readonly pods?: number;
  readonly [resource: string]: Quantity | undefined;
}

const GPU = 'nvidia.com/gpu';

/**
 * The amounts as Kubernetes has them, as texts, in the order in which they are written.
 *
 * @throws if both `gpu` and `nvidia.com/gpu` are given
 */
export function renderAmounts(amounts: QueueAmounts): Readonly<Record<string, string>> {
  if (amounts.gpu !== undefined && amounts[GPU] !== undefined) {
    throw new Error(
      `gpu (${amounts.gpu}) is short for ${GPU}, which is given too (${amounts[GPU]}). Keep one of them.`,
    );
  }
  return Object.fromEntries(
    Object.entries(amounts).flatMap(([name, amount]) =>
      amount === undefined ? [] : [[name === 'gpu' ? GPU : name, String(amount)]],
    ),
  );
}
