/**
 * Which nodes a pod may go to: labels, requirements, preferences, and the spot nodes of a cloud.
 */
import {
  type NodeSelectorRequirement,
  type PreferredSchedulingTerm,
  type Taint,
  type Toleration,
} from '../../facts/api/types/core/v1';
import {
  type AcceleratorName,
  type CloudName,
  CLOUDS,
  type SpotProvider,
  spotFacts,
  VENDORS,
} from '../../facts/catalog';
import { productRequirements } from './accelerator';
import { type PodContext, type PodContribution, type PodPart } from './pod-part';
import { publicClass } from '../resources/public-class';

/** Operator of a node requirement, as in Kubernetes. */
export type NodeOperator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';

/**
 * Selects the nodes that pods may run on, together with the tolerations for their taints.
 *
 * @example
 * new kubeflow.PyTorchJob(chart, 'train', {
 *   nodes: 1,
 *   image: 'registry.example.com/train:1',
 *   nodeSelection: [NodeSelection.spot('gke'), NodeSelection.prefer(50, 'topology.kubernetes.io/zone', 'In', 'us-east1-b')],
 * });
 */
@publicClass('NodeSelection')
export class NodeSelection implements PodPart {
  /** Nodes that carry these labels. A taint does not attract pods: a tainted pool must also have a label. */
  static labels(labels: Readonly<Record<string, string>>): NodeSelection {
    return new NodeSelection({ nodeLabels: labels });
  }

  /** Nodes with this NVIDIA GPU, by catalog name or label value. */
  static product(product: AcceleratorName): NodeSelection {
    return new NodeSelection({ nodeRequirements: productRequirements(product) });
  }

  /** Nodes that a cloud labels with this accelerator, for example `cloudAccelerator('gke', 'nvidia-h100-80gb')`. */
  static cloudAccelerator(cloud: CloudName, value: string): NodeSelection {
    return new NodeSelection({ nodeLabels: { [CLOUDS[cloud].gpuLabel]: value } });
  }

  /**
   * Spot nodes of a cloud, or of Karpenter: the label, and the toleration where they are tainted. Such a node ends within seconds of its
   * notice.
   *
   * @throws if the cloud has no label for spot nodes
   */
  static spot(provider: SpotProvider): NodeSelection {
    const spot = spotFacts(provider);
    if (spot === undefined) {
      const title = provider === 'karpenter' ? 'Karpenter' : CLOUDS[provider].title;
      throw new Error(`The catalog has no label for spot nodes of ${title}. Use NodeSelection.labels.`);
    }
    return NodeSelection.tainted({ [spot.label]: spot.value }, spot.taint === undefined ? [] : [spot.taint]);
  }

  /** Nodes that carry these labels, and are kept from other pods by these taints: one statement, so that neither is forgotten. */
  static tainted(labels: Readonly<Record<string, string>>, taints: readonly Taint[]): NodeSelection {
    return new NodeSelection({ nodeLabels: labels, tolerations: taints.map(tolerationOf) });
  }

  /** Nodes whose label `key` matches the values by this operator. */
  static require(key: string, operator: NodeOperator, ...values: readonly string[]): NodeSelection {
    return new NodeSelection({ nodeRequirements: [requirement(key, operator, values)] });
  }

  /** Nodes that come first where there is a choice; `weight` from 1 to 100. */
  static prefer(weight: number, key: string, operator: NodeOperator, ...values: readonly string[]): NodeSelection {
    const term: PreferredSchedulingTerm = {
      weight,
      preference: { matchExpressions: [requirement(key, operator, values)] },
    };
    return new NodeSelection({ nodePreferences: [term] });
  }

  private constructor(private readonly contribution: PodContribution) {}

  toPod(_context: PodContext): PodContribution {
    return this.contribution;
  }
}

/** The toleration that answers a taint, and no other. Accelerator taints have any value: clouds write `present`, people `true`. */
export function tolerationOf({ key, value, effect }: Taint): Toleration {
  const anyValue = value === undefined || value === '' || ACCELERATOR_TAINTS.has(key);
  return anyValue ? { key, operator: 'Exists', effect } : { key, operator: 'Equal', value, effect };
}

const ACCELERATOR_TAINTS: ReadonlySet<string> = new Set(Object.values(VENDORS).map(({ taint }) => taint));

function requirement(key: string, operator: NodeOperator, values: readonly string[]): NodeSelectorRequirement {
  return { key, operator, ...(values.length === 0 ? {} : { values }) };
}
