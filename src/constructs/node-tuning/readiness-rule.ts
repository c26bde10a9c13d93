/**
 * NodeReadinessRule of the node readiness controller, as far as it is written here: keep a taint on nodes until a condition holds.
 *
 * Source: kubernetes-sigs/node-readiness-controller, readiness.node.x-k8s.io/v1alpha1.
 */
import { type ResourceKind } from '../../facts/api/resource-kind';
import { type Taint } from '../../facts/api/types/core/v1';
import { type LabelSelector, type ObjectMeta } from '../../facts/api/types/meta/v1';

export interface NodeReadinessRule {
  readonly apiVersion?: 'readiness.node.x-k8s.io/v1alpha1';
  readonly kind?: 'NodeReadinessRule';
  readonly metadata?: ObjectMeta;
  readonly spec: NodeReadinessRuleSpec;
}

export interface NodeReadinessRuleSpec {
  /** 1 to 32; cannot be changed later. */
  readonly conditions: readonly NodeReadinessCondition[];
  /** `bootstrap-only`: the taint is taken off once. `continuous`: it comes back when the condition no longer holds. */
  readonly enforcementMode: 'bootstrap-only' | 'continuous';
  /** Must select something; cannot be changed later. */
  readonly nodeSelector: LabelSelector;
  /** The key begins with `readiness.k8s.io/`. */
  readonly taint: Taint;
  readonly dryRun?: boolean;
}

export interface NodeReadinessCondition {
  readonly type: string;
  readonly requiredStatus: 'True' | 'False' | 'Unknown';
}

export const NodeReadinessRule: ResourceKind<NodeReadinessRule> = {
  apiVersion: 'readiness.node.x-k8s.io/v1alpha1',
  kind: 'NodeReadinessRule',
};

/** The domain of taints that the controller manages. */
export const READINESS_DOMAIN = 'readiness.k8s.io/';
