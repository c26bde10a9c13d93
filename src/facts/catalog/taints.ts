/**
 * Taints by which GPU nodes are kept for GPU pods, and the tolerations that answer them.
 *
 * Sources: gpu-operator (chart values: tolerations of its DaemonSets); Kubernetes 1.36 (admission plugin
 * ExtendedResourceToleration, off by default); the clouds' documents.
 */
import { frozen } from './frozen';

/** Effect of a taint. */
export type TaintEffect = 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';

/** A taint of accelerator nodes. */
export interface TaintFact {
  /** Key of the taint. */
  readonly key: string;
  /** Absent where any value occurs. */
  readonly value?: string;
  /** Effect of the taint. */
  readonly effect: TaintEffect;
  /** Which pods it keeps away, and why. */
  readonly meaning: string;
  /** The component or cloud that sets it. */
  readonly setBy: string;
}

/** A toleration as a pod writes it. */
export interface TolerationFact {
  /** Key of the taint that is tolerated. */
  readonly key: string;
  /** `Exists` tolerates any value; `Equal` tolerates `value` alone. */
  readonly operator: 'Exists' | 'Equal';
  /** The value that is tolerated. Absent with `Exists`. */
  readonly value?: string;
  /** The effect that is tolerated. */
  readonly effect: TaintEffect;
}

/** The taints of accelerator nodes that the catalog knows. */
export const TAINTS: readonly TaintFact[] = frozen([
  {
    key: 'nvidia.com/gpu',
    effect: 'NoSchedule',
    meaning: 'only pods that ask for a GPU',
    setBy: 'GKE (value present); elsewhere by convention: the GPU operator tolerates this key and no other',
  },
  { key: 'amd.com/gpu', effect: 'NoSchedule', meaning: 'only pods that ask for a GPU', setBy: 'convention' },
  {
    key: 'amd-dcm',
    value: 'up',
    effect: 'NoExecute',
    meaning: 'the GPUs of the node are being partitioned; only the device config manager tolerates it',
    setBy: 'you, while a partition profile is applied',
  },
  {
    key: 'huawei.com/Ascend910',
    effect: 'NoSchedule',
    meaning: 'only pods that request an NPU',
    setBy: 'convention: the Ascend device plugin tolerates this key',
  },
  {
    key: 'habana.ai/gaudi',
    effect: 'NoSchedule',
    meaning: 'only pods that ask for an accelerator',
    setBy: 'convention',
  },
  { key: 'aws.amazon.com/neuron', effect: 'NoSchedule', meaning: 'only pods that ask for Neuron', setBy: 'convention' },
  {
    key: 'google.com/tpu',
    value: 'present',
    effect: 'NoSchedule',
    meaning: 'only pods that ask for a TPU',
    setBy: 'GKE',
  },
  { key: 'sku', value: 'gpu', effect: 'NoSchedule', meaning: 'only GPU pods', setBy: 'convention on AKS' },
  {
    key: 'cloud.google.com/gke-spot',
    value: 'true',
    effect: 'NoSchedule',
    meaning: 'spot nodes',
    setBy: 'you, on GKE Standard',
  },
  {
    key: 'kubernetes.azure.com/scalesetpriority',
    value: 'spot',
    effect: 'NoSchedule',
    meaning: 'spot nodes',
    setBy: 'AKS',
  },
]);

/** Resources whose taint by convention has another key: parts of a device are tolerated like the device. */
const DEVICE_OF: readonly (readonly [part: RegExp, device: string])[] = [
  [/^nvidia\.com\//, 'nvidia.com/gpu'],
  [/^volcano\.sh\/vgpu-/, 'nvidia.com/gpu'],
  [/^amd\.com\//, 'amd.com/gpu'],
  [/^aws\.amazon\.com\/neuron/, 'aws.amazon.com/neuron'],
  [/^huawei\.com\/Ascend910/, 'huawei.com/Ascend910'],
  [/^huawei\.com\/Ascend310P/, 'huawei.com/Ascend310P'],
];

/**
 * The toleration that a pod with this accelerator resource needs on nodes that are tainted by convention, where the key of the taint is
 * the resource name of a whole device. A MIG slice, a partition, a core, or a renamed share is tolerated like its device.
 */
export function acceleratorToleration(resource: string): TolerationFact {
  const key = DEVICE_OF.find(([part]) => part.test(resource))?.[1] ?? resource;
  return { key, operator: 'Exists', effect: 'NoSchedule' };
}

/** Keys of labels that people also write as taints although nothing sets such a taint: a toleration for them has no effect. */
export const NEVER_TAINTS: readonly string[] = frozen([
  'nvidia.com/gpu.product',
  'nvidia.com/gpu.family',
  'nvidia.com/gpu.memory',
]);
