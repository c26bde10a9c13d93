/**
 * AlertRoutes: where Alertmanager sends the alerts of some PrometheusRules, as an AlertmanagerConfig of the Prometheus operator.
 */
import { type Duration, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import {
  AlertmanagerConfig,
  type AlertmanagerConfigSpec,
  type AlertmanagerConfigSpecReceiver,
} from '../../facts/api/types/monitoring.coreos.com/v1alpha1';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { publicClass } from '../resources/public-class';
import { type NamedReference, nameOf } from '../resources/references';
import { Resource } from '../resources/resource';
import { type PrometheusRule } from './prometheus-rule';

/**
 * One entry of a Secret in the namespace of the routes.
 *
 * @beta
 */
export interface AlertSecret {
  /** The Secret that has the entry, in the namespace of the AlertmanagerConfig. */
  readonly secret: NamedReference<'Secret'>;
  /** Key of the entry. */
  readonly key: string;
}

/**
 * A destination of alerts: a Slack channel, a PagerDuty service, or a webhook. What is secret stays in a Secret.
 *
 * @beta
 *
 * @example
 * monitoring.AlertReceiver.slack({ channel: '#gpu-alerts', apiUrl: { secret: 'alerting', key: 'slack' } });
 */
export class AlertReceiver {
  private constructor(private readonly configuration: Omit<AlertmanagerConfigSpecReceiver, 'name'>) {}

  /** A channel of Slack, by the URL of an incoming webhook in a Secret. */
  static slack({ channel, apiUrl }: { readonly channel: string; readonly apiUrl: AlertSecret }): AlertReceiver {
    return new AlertReceiver({ slackConfigs: [{ channel, apiURL: entryOf(apiUrl), sendResolved: true }] });
  }

  /** A service of PagerDuty, by its integration key in a Secret. */
  static pagerDuty({ routingKey }: { readonly routingKey: AlertSecret }): AlertReceiver {
    return new AlertReceiver({ pagerdutyConfigs: [{ routingKey: entryOf(routingKey), sendResolved: true }] });
  }

  /** A webhook that understands Alertmanager's messages, with a bearer token in a Secret where it requires one. */
  static webhook({ url, token }: { readonly url: string; readonly token?: AlertSecret }): AlertReceiver {
    const httpConfig = token === undefined ? {} : { httpConfig: { authorization: { credentials: entryOf(token) } } };
    return new AlertReceiver({ webhookConfigs: [{ url, sendResolved: true, ...httpConfig }] });
  }

  /** @internal */
  named(name: string): AlertmanagerConfigSpecReceiver {
    return { name, ...this.configuration };
  }
}

function entryOf({ secret, key }: AlertSecret): { readonly name: string; readonly key: string } {
  return { name: nameOf(secret), key };
}

/**
 * Props of AlertRoutes.
 *
 * @beta
 */
export interface AlertRoutesProps extends NamespacedObjectProps, Overridable<AlertmanagerConfig> {
  /** The rules whose alerts are routed; other alerts are left to other routes. */
  readonly rules: readonly PrometheusRule[];
  /** The receiver of all of these alerts that no receiver of `bySeverity` gets. */
  readonly receiver: AlertReceiver;
  /** The receiver of alerts of one severity. @default - `receiver` */
  readonly bySeverity?: Readonly<Record<string, AlertReceiver>>;
  /** Time until an alert that still fires is sent again. @default Duration.hours(4) */
  readonly repeatInterval?: Duration;
}

const DEFAULT_RECEIVER = 'default';

/**
 * Sends the alerts of the given PrometheusRules to receivers. The operator limits an AlertmanagerConfig to alerts with its own namespace, so set
 * `alertmanagerConfigMatcherStrategy: { type: 'None' }` in the Alertmanager object where alerts have the namespace of what they are about.
 *
 * Source: prometheus-operator v0.93, pkg/alertmanager/amcfg.go.
 *
 * @beta
 *
 * @example
 * const agent = new NodeAgent(chart, 'agent');
 * new monitoring.AlertRoutes(chart, 'routes', {
 *   rules: [agent.alerts!],
 *   receiver: monitoring.AlertReceiver.slack({ channel: '#gpu-alerts', apiUrl: { secret: 'alerting', key: 'slack' } }),
 *   bySeverity: { critical: monitoring.AlertReceiver.pagerDuty({ routingKey: { secret: 'alerting', key: 'pagerduty' } }) },
 * });
 */
@publicClass('monitoring.AlertRoutes')
export class AlertRoutes extends Construct {
  /** Name of the AlertmanagerConfig. */
  readonly name: string;
  /** The AlertmanagerConfig object. */
  readonly resource: Resource<AlertmanagerConfig>;

  /** @throws if no rules are given */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: AlertRoutesProps,
  ) {
    super(scope, id);
    if (props.rules.length === 0) {
      throw new Error(`${this.node.path}: rules must not be empty. Pass the PrometheusRules whose alerts are routed.`);
    }
    this.name = props.name ?? id;
    this.resource = new Resource(
      this,
      'Resource',
      AlertmanagerConfig,
      {
        metadata: namespacedMetadata(id, props),
        // Rules may get alerts until the end.
        spec: Lazy.any({ produce: () => this.spec() }) as AlertmanagerConfigSpec,
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace);
  }

  private spec(): AlertmanagerConfigSpec {
    const { rules, receiver, bySeverity = {}, repeatInterval } = this.props;
    const alerts = rules.flatMap(({ groups }) => groups.flatMap((group) => group.rules));
    const names = [...new Set(alerts.flatMap((rule) => ('alert' in rule ? [rule.alert] : [])))].sort();
    const severities = Object.entries(bySeverity);
    return {
      route: {
        receiver: DEFAULT_RECEIVER,
        groupBy: ['alertname', 'namespace'],
        groupWait: '30s',
        groupInterval: '5m',
        repeatInterval: repeatInterval === undefined ? '4h' : `${repeatInterval.toSeconds()}s`,
        matchers: [{ name: 'alertname', matchType: '=~', value: names.map(escaped).join('|') }],
        ...(severities.length === 0
          ? {}
          : {
              routes: severities.map(([severity]) => ({
                receiver: severity,
                matchers: [{ name: 'severity', matchType: '=', value: severity }],
              })),
            }),
      },
      receivers: [receiver.named(DEFAULT_RECEIVER), ...severities.map(([severity, one]) => one.named(severity))],
    };
  }
}

/** Names of alerts may be any text; the matcher is a regular expression, which Alertmanager anchors. */
function escaped(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
