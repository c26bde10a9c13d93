/**
 * Which nodes a pod may go to: labels, requirements, preferences, and the spot nodes of a cloud.
 */
import { type NodeSelectorRequirement, type PreferredSchedulingTerm, type Toleration } from '../api/types/core/v1';
import { type AcceleratorName, type CloudName, CLOUDS } from '../catalog';
import { productRequirements } from './accelerator';
import { type PodContext, type PodContribution, type PodPart } from './pod-part';

export type NodeOperator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';

export class NodeSelection implements PodPart {
  /** Nodes that carry these labels. A taint is no label: a pool that is tainted must be labelled too. */
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
   * Spot nodes of a cloud: its label, and the toleration where they are tainted. Such a node ends within seconds of its notice.
   *
   * @throws if the cloud has no label for spot nodes
   */
  static spot(cloud: CloudName): NodeSelection {
    const { spot, title } = CLOUDS[cloud];
    if (spot === undefined) throw new Error(`No label for spot nodes of ${title} is known. Use NodeSelection.labels.`);
    const tolerations: readonly Toleration[] = spot.taint === undefined ? [] : [{ ...spot.taint, operator: spot.taint.value === undefined ? 'Exists' : 'Equal' }];
    return new NodeSelection({ nodeLabels: { [spot.label]: spot.value }, tolerations });
  }

  /** Nodes whose label `key` stands in this relation to the values. */
  static require(key: string, operator: NodeOperator, ...values: readonly string[]): NodeSelection {
    return new NodeSelection({ nodeRequirements: [requirement(key, operator, values)] });
  }

  /** Nodes that come first where there is a choice; `weight` from 1 to 100. */
  static prefer(weight: number, key: string, operator: NodeOperator, ...values: readonly string[]): NodeSelection {
    const term: PreferredSchedulingTerm = { weight, preference: { matchExpressions: [requirement(key, operator, values)] } };
    return new NodeSelection({ nodePreferences: [term] });
  }

  private constructor(private readonly contribution: PodContribution) {}

  toPod(_context: PodContext): PodContribution {
    return this.contribution;
  }
}

function requirement(key: string, operator: NodeOperator, values: readonly string[]): NodeSelectorRequirement {
  return { key, operator, ...(values.length === 0 ? {} : { values }) };
}
