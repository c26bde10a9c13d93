/**
 * The accelerators of a pod, with the tolerations and node labels that go with them.
 */
import { isAcceleratorResource } from '../../../facts/catalog';
import { type Toleration } from '../../../facts/api/types/core/v1';
import { type Accelerator } from '../../../constructs/pods';
import { parseQuantity } from '../../../manifests/values/quantity';
import {
  at,
  Call,
  evaluate,
  type Expression,
  type Fields,
  fieldsOf,
  listOf,
  nonEmpty,
  present,
  without,
} from './expression';

/** What a container asks for, as an `Accelerator`. */
export interface AcceleratorRequest {
  readonly expression?: Expression;
  readonly count?: number;
  /** Resources that the accelerator writes. */
  readonly taken: readonly string[];
  /** Tolerations and node labels that it does not bring along. */
  readonly tolerations?: Expression;
  readonly nodeSelection?: Expression;
}

/** The first accelerator of a container; a second one stays among the other resources. */
export function acceleratorOf(container: Expression, spec: Fields): AcceleratorRequest {
  const limits = fieldsOf(at(container, 'resources', 'limits'));
  const requests = fieldsOf(at(container, 'resources', 'requests'));
  const resource = Object.keys(limits).find(
    (name) => isAcceleratorResource(name) && countOf(limits[name]) !== undefined,
  );
  const labels = fieldsOf(spec.nodeSelector);
  const others = { tolerations: nonEmpty(listOf(spec.tolerations)), nodeSelection: selectionOf(labels) };
  const count = resource === undefined ? undefined : countOf(limits[resource]);
  if (resource === undefined || count === undefined) {
    return { taken: [], ...others };
  }
  const requested = requests[resource];
  if (requested !== undefined && countOf(requested) !== count) {
    return { taken: [], ...others };
  }
  const made = factoryOf(resource, count, labels, limits);
  const own = new Call(made.target, [made.options]);
  const { rest, missing } = withoutTolerations(listOf(spec.tolerations), evaluate(own, new Map()) as Accelerator);
  const expression = missing ? new Call(made.target, [{ ...made.options, tolerations: [] }]) : own;
  const remaining = without(labels, ...made.labels) ?? {};
  return {
    expression,
    count,
    taken: [resource, ...made.taken],
    tolerations: nonEmpty(rest),
    nodeSelection: selectionOf(remaining),
  };
}

interface Factory {
  readonly target: string;
  readonly options: Fields;
  /** Node labels that the factory writes. */
  readonly labels: readonly string[];
  /** Further resources that the factory writes. */
  readonly taken: readonly string[];
}

const TPU_LABELS = ['cloud.google.com/gke-tpu-accelerator', 'cloud.google.com/gke-tpu-topology'] as const;

/** The factory of the vendor that writes a resource by this name. */
// One case for each form, which reads best in one place.
// oxlint-disable-next-line complexity
export function factoryOf(resource: string, count: number, labels: Fields = {}, limits: Fields = {}): Factory {
  const made = (name: string, options: Fields, more: Partial<Factory> = {}): Factory => ({
    target: `Accelerator.${name}`,
    options: { count, ...options },
    labels: [],
    taken: [],
    ...more,
  });
  const [, profile] = /^nvidia\.com\/mig-(\d+g\.\d+gb(?:\.me)?)$/.exec(resource) ?? [];
  if (profile !== undefined) {
    return made('mig', { profile });
  }
  const [, partition] = /^amd\.com\/([sdtqc]px_nps[1248])$/.exec(resource) ?? [];
  if (partition !== undefined) {
    return made('amd', { partition });
  }
  const [, chip] = /^huawei\.com\/(?:Ascend(910|310P|310)|npu)$/.exec(resource) ?? [];
  if (resource.startsWith('huawei.com/') && (chip !== undefined || resource === 'huawei.com/npu')) {
    return made('ascend', { chip: chip === '910' ? undefined : (chip ?? 'npu') });
  }
  const [type, topology] = TPU_LABELS.map((label) => labels[label]);
  const hugepages = limits['hugepages-2Mi'];
  switch (resource) {
    case 'nvidia.com/gpu':
      return made('nvidia', {});
    case 'amd.com/gpu':
      return made('amd', {});
    case 'gpu.intel.com/i915':
      return made('intel', {});
    case 'gpu.intel.com/xe':
      return made('intel', { driver: 'xe' });
    case 'aws.amazon.com/neuron':
      return made('neuron', {});
    case 'aws.amazon.com/neuroncore':
      return made('neuron', { unit: 'core' });
    case 'google.com/tpu':
      if (typeof type === 'string' && typeof topology === 'string') {
        return made('tpu', { accelerator: type, topology }, { labels: TPU_LABELS });
      }
      break;
    case 'habana.ai/gaudi':
      if (typeof hugepages === 'string') {
        return made('gaudi', { hugepages }, { taken: ['hugepages-2Mi'] });
      }
      break;
  }
  return made('of', { resource });
}

/** A whole number of devices, at least 1. */
export function countOf(amount: Expression): number | undefined {
  const quantity = typeof amount === 'string' || typeof amount === 'number' ? parseQuantity(amount) : undefined;
  const count = quantity?.isInteger() === true ? quantity.toNumber() : 0;
  return count >= 1 && Number.isSafeInteger(count) ? count : undefined;
}

function selectionOf(labels: Fields): Expression {
  const own = present(labels);
  return own === undefined ? undefined : new Call('NodeSelection.labels', [own]);
}

/** The tolerations but those that the accelerator brings; `missing` where the pod does not have them all. */
function withoutTolerations(
  list: readonly Expression[],
  accelerator: Accelerator,
): { readonly rest: readonly Expression[]; readonly missing: boolean } {
  const brought = accelerator.toPod({ hostNetwork: false }).tolerations ?? [];
  const keyOf = (value: Expression | Toleration): string => {
    const { key, operator, value: of, effect, tolerationSeconds } = value as Toleration;
    return JSON.stringify([key, operator ?? 'Equal', of ?? '', effect ?? '', tolerationSeconds ?? null]);
  };
  const keys = new Set(brought.map((one) => keyOf(one)));
  const found = list.filter((one) => keys.has(keyOf(one)));
  return found.length === brought.length
    ? { rest: list.filter((one) => !keys.has(keyOf(one))), missing: false }
    : { rest: list, missing: brought.length > 0 };
}
