/**
 * PrometheusRule: groups of alerts and recordings that the operator hands to Prometheus.
 */
import { Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import {
  PrometheusRule as PrometheusRuleKind,
  type PrometheusRuleSpec,
} from '../../facts/api/types/monitoring.coreos.com/v1';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { type Alert, type Recording, renderGroup, type RuleGroup } from './rule-groups';
import { publicClass } from '../resources/public-class';

/** Props of a PrometheusRule. */
export interface PrometheusRuleProps extends NamespacedObjectProps, Overridable<PrometheusRuleKind> {
  /** Groups of alerts and recordings. @default - none; add them with `addGroup` */
  readonly groups?: readonly RuleGroup[];
}

/**
 * Prometheus reads it only if its labels are those that the Prometheus object selects by (with kube-prometheus-stack: `release`).
 *
 * Rules: `monitoring/*`. Source: prometheus-operator v0.93, pkg/operator/rules.go.
 *
 * @example
 * new monitoring.PrometheusRule(chart, 'queue', { labels: { release: 'prometheus' } }).addGroup('queue', {
 *   alert: 'QueueLong', expr: 'sum(queue_length) > 100', for: Duration.minutes(10), summary: 'The queue is long',
 * });
 */
@publicClass('monitoring.PrometheusRule')
export class PrometheusRule extends Construct {
  /** Name of the PrometheusRule. */
  readonly name: string;
  /** The PrometheusRule object. */
  readonly resource: Resource<PrometheusRuleKind>;
  private readonly ownGroups: RuleGroup[];

  constructor(scope: Construct, id: string, props: PrometheusRuleProps = {}) {
    super(scope, id);
    this.name = props.name ?? id;
    this.ownGroups = [...(props.groups ?? [])];
    this.resource = new Resource(
      this,
      'Resource',
      PrometheusRuleKind,
      {
        metadata: namespacedMetadata(id, props),
        spec: Lazy.any({ produce: () => ({ groups: this.ownGroups.map(renderGroup) }) }) as PrometheusRuleSpec,
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace);
  }

  /** Adds rules to a group, which is made if it is not there. */
  addGroup(name: string, ...rules: readonly (Alert | Recording)[]): this {
    const index = this.ownGroups.findIndex((group) => group.name === name);
    const group = this.ownGroups[index];
    if (group === undefined) {
      this.ownGroups.push({ name, rules });
    } else {
      this.ownGroups[index] = { ...group, rules: [...group.rules, ...rules] };
    }
    return this;
  }

  /** The groups, in their order. */
  get groups(): readonly RuleGroup[] {
    return [...this.ownGroups];
  }
}
