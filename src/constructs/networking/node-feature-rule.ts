/**
 * NodeFeatureRule: labels, taints and resources that node feature discovery gives to nodes by what it finds on them.
 */
import { definedJson } from '../../manifests/values/members';
import { Construct } from 'constructs';
import { type Taint } from '../../facts/api/types/core/v1';
import {
  NodeFeatureRule as NodeFeatureRuleKind,
  type NodeFeatureRuleSpecRule,
  type NodeFeatureRuleSpecRuleMatchFeature,
  type NodeFeatureRuleSpecRuleMatchFeatureMatchExpression,
} from '../../facts/api/types/nfd.k8s-sigs.io/v1alpha1';
import { merged, type OpenPartial } from '../resources/merge';
import { clusterMetadata, type ClusterObjectProps, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { publicClass } from '../resources/public-class';

type Expression = NodeFeatureRuleSpecRuleMatchFeatureMatchExpression;

/**
 * A condition on one attribute of a node's features.
 *
 * @example
 * new networking.NodeFeatureRule(chart, 'rdma', {
 *   rules: [
 *     {
 *       ruleName: 'rdma capable',
 *       labels: { 'example.com/rdma': 'true' },
 *       when: { 'pci.device': { vendor: networking.Attribute.in('15b3') } },
 *     },
 *   ],
 * });
 */
@publicClass('networking.Attribute')
export class Attribute {
  /** The value is one of these. */
  static in(...values: readonly string[]): Attribute {
    return new Attribute({ op: 'In', value: values });
  }

  /** The value is none of these. */
  static notIn(...values: readonly string[]): Attribute {
    return new Attribute({ op: 'NotIn', value: values });
  }

  /** The value matches one of these regular expressions. */
  static matches(...expressions: readonly string[]): Attribute {
    return new Attribute({ op: 'InRegexp', value: expressions });
  }

  /** The attribute exists, with any value. */
  static exists(): Attribute {
    return new Attribute({ op: 'Exists' });
  }

  /** The attribute does not exist. */
  static doesNotExist(): Attribute {
    return new Attribute({ op: 'DoesNotExist' });
  }

  /** The value is `true`. */
  static isTrue(): Attribute {
    return new Attribute({ op: 'IsTrue' });
  }

  /** The value is `false`. */
  static isFalse(): Attribute {
    return new Attribute({ op: 'IsFalse' });
  }

  /** The value is a number greater than this one. */
  static greaterThan(value: number): Attribute {
    return new Attribute({ op: 'Gt', value: [String(value)] });
  }

  /** The value is a number less than this one. */
  static lessThan(value: number): Attribute {
    return new Attribute({ op: 'Lt', value: [String(value)] });
  }

  /** At least this version, for example of the kernel. */
  static atLeastVersion(version: string): Attribute {
    return new Attribute({ op: 'Ge', type: 'version', value: [version] });
  }

  private constructor(private readonly expression: Expression) {}

  /** Returns the condition as a NodeFeatureRule has it. */
  toExpression(): Expression {
    return this.expression;
  }
}

/** Attributes by feature: `{ 'pci.device': { vendor: Attribute.in('15b3') } }`. All must hold, on one and the same device. */
export type Features = Readonly<Record<string, Readonly<Record<string, Attribute>>>>;

/** One rule: what it sets on the nodes that meet its conditions. */
export interface NodeFeatureRuleEntry {
  /** What the rule is called in logs. */
  readonly ruleName: string;
  /** All must hold. @default - nothing: the rule holds on every node */
  readonly when?: Features;
  /** One of them must hold beside `when`. @default - none */
  readonly whenAny?: readonly Features[];
  /** Keys with a domain of your own, or of features. A value `@<feature>.<attribute>` is read off the node. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Go template that gives `key=value` lines. @default - none */
  readonly labelsTemplate?: string;
  /** Annotations of the nodes. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Only where NFD's master runs with `--enable-taints`. @default - none */
  readonly taints?: readonly Taint[];
  /** Quantities, or `@<feature>.<attribute>`. @default - none */
  readonly extendedResources?: Readonly<Record<string, string>>;
  /** For later rules, as features of `rule.matched`. @default - none */
  readonly vars?: Readonly<Record<string, string>>;
  /** Fields of the rule without a property of their own, merged into it. @default - none */
  readonly ruleOverrides?: OpenPartial<NodeFeatureRuleSpecRule>;
}

/** Props of a NodeFeatureRule. */
export interface NodeFeatureRuleProps extends ClusterObjectProps, Overridable<NodeFeatureRuleKind> {
  /** The rules, in their order. */
  readonly rules: readonly NodeFeatureRuleEntry[];
}

/**
 * Rules: `networking/nfd-*`. Source: node-feature-discovery v0.19.0.
 *
 * @example
 * new networking.NodeFeatureRule(chart, 'rdma', {
 *   rules: [{
 *     ruleName: 'rdma capable', labels: { 'example.com/rdma': 'true' },
 *     when: { 'pci.device': { vendor: networking.Attribute.in('15b3') }, 'kernel.loadedmodule': { mlx5_ib: networking.Attribute.exists() } },
 *   }],
 * });
 */
@publicClass('networking.NodeFeatureRule')
export class NodeFeatureRule extends Construct {
  /** The NodeFeatureRule object. */
  readonly resource: Resource<NodeFeatureRuleKind>;

  constructor(scope: Construct, id: string, props: NodeFeatureRuleProps) {
    super(scope, id);
    this.resource = new Resource(
      this,
      'Resource',
      NodeFeatureRuleKind,
      {
        metadata: clusterMetadata(id, props),
        spec: { rules: props.rules.map(renderRule) },
      },
      props.overrides,
    );
  }

  /** Name of the object. */
  get name(): string {
    return this.resource.name;
  }
}

function renderRule(entry: NodeFeatureRuleEntry): NodeFeatureRuleSpecRule {
  const { ruleName, when, whenAny, labels, labelsTemplate, annotations, taints, extendedResources, vars } = entry;
  const rule: NodeFeatureRuleSpecRule = {
    name: ruleName,
    ...definedJson({
      matchFeatures: when && matchFeatures(when),
      matchAny: whenAny?.map((features) => ({ matchFeatures: matchFeatures(features) })),
      labels,
      labelsTemplate,
      annotations,
      taints,
      extendedResources,
      vars,
    }),
  };
  return merged(rule, entry.ruleOverrides);
}

function matchFeatures(features: Features): readonly NodeFeatureRuleSpecRuleMatchFeature[] {
  return Object.entries(features).map(([feature, attributes]) => ({
    feature,
    matchExpressions: Object.fromEntries(
      Object.entries(attributes).map(([name, attribute]) => [name, attribute.toExpression()]),
    ),
  }));
}
