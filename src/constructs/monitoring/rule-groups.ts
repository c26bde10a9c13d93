/**
 * What Prometheus evaluates by itself: alerts, and series that it records, in groups.
 */
import { durationText } from '../resources/durations';
import type { Duration } from 'cdk8s';
import {
  type PrometheusRuleSpecGroup,
  type PrometheusRuleSpecGroupRule,
} from '../../facts/api/types/monitoring.coreos.com/v1';

/** Value of the label `severity` of an alert. */
export type AlertSeverity = 'critical' | 'warning' | 'info';

/** An alert of Prometheus. */
export interface Alert {
  /** Name of the alert. */
  readonly alert: string;
  /** PromQL: each element of the result is one alert. */
  readonly expr: string;
  /** How long an element must be there before it fires. @default - it fires at once */
  readonly for?: Duration;
  /** How long it goes on firing after it has gone. @default - not at all */
  readonly keepFiringFor?: Duration;
  /** The label `severity`. @default warning */
  readonly severity?: AlertSeverity;
  /** One sentence, which may name labels: `GPU {{ $labels.gpu }} of {{ $labels.node }} is too hot`. @default - none */
  readonly summary?: string;
  /** What happened, and what to do. @default - none */
  readonly description?: string;
  /** Address of the page that says what to do. @default - none */
  readonly runbook?: string;
  /** More labels. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** More annotations. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A series that is computed beforehand. */
export interface Recording {
  /** By custom `level:metric:operations`. */
  readonly record: string;
  /** The query in PromQL whose result is stored. */
  readonly expr: string;
  /** Labels of the stored series. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Alerts and recordings that are evaluated together. */
export interface RuleGroup {
  /** Name of the group, unique in the PrometheusRule. */
  readonly name: string;
  /** How often it is evaluated. @default - the evaluation interval of Prometheus */
  readonly interval?: Duration;
  /** The alerts and recordings, in their order. */
  readonly rules: readonly (Alert | Recording)[];
}

export function renderGroup({ name, interval, rules }: RuleGroup): PrometheusRuleSpecGroup {
  return {
    name,
    ...(interval === undefined ? {} : { interval: durationText('interval', interval, 'days') }),
    rules: rules.map(renderRule),
  };
}

function renderRule(rule: Alert | Recording): PrometheusRuleSpecGroupRule {
  if ('record' in rule) {
    return { record: rule.record, expr: rule.expr, ...(rule.labels === undefined ? {} : { labels: rule.labels }) };
  }
  const annotations = {
    ...(rule.summary === undefined ? {} : { summary: rule.summary }),
    ...(rule.description === undefined ? {} : { description: rule.description }),
    ...(rule.runbook === undefined ? {} : { runbook_url: rule.runbook }),
    ...rule.annotations,
  };
  return {
    alert: rule.alert,
    expr: rule.expr,
    ...(rule.for === undefined ? {} : { for: durationText('for', rule.for, 'days') }),
    ...(rule.keepFiringFor === undefined
      ? {}
      : { keep_firing_for: durationText('keepFiringFor', rule.keepFiringFor, 'days') }),
    labels: { severity: rule.severity ?? 'warning', ...rule.labels },
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}
