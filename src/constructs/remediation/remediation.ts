/**
 * Remediation: the program that acts on nodes with a problem, with a service account of its own whose rights follow from its rules.
 *
 * It is in dry run until `mode` says otherwise: then it has no right to change anything.
 */
import { type ApiObject, type ApiObjectMetadata } from 'cdk8s';
import { Construct } from 'constructs';
import { createHash } from 'node:crypto';
import { Deployment } from '../../facts/api/types/apps/v1';
import { ConfigMap, Service, ServiceAccount } from '../../facts/api/types/core/v1';
import { NetworkPolicy, type NetworkPolicyPeer } from '../../facts/api/types/networking.k8s.io/v1';
import { PodDisruptionBudget } from '../../facts/api/types/policy/v1';
import {
  ClusterRole,
  ClusterRoleBinding,
  type PolicyRule,
  Role,
  RoleBinding,
} from '../../facts/api/types/rbac.authorization.k8s.io/v1';
import { type RemediationNeeds, remediationNeeds, type RemediationSettings } from '../../planning/remediation';
import { nodeImage, type NodeImageOptions } from '../bundled/node-image';
import { bundledProgram } from '../bundled/program';
import { programConfigMaps } from '../bundled/program-objects';
import { ServiceMonitor } from '../monitoring';
import { dependOn } from '../resources/depend-on';
import { copied, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { publicClass } from '../resources/public-class';
import { type NamedReference, nameOf } from '../resources/references';
import { NAME_LABEL, REMEDIATION_NAME } from '../../planning/scheduler-settings/deployment-names';
import { Resource } from '../resources/resource';
import { Namespace } from '../tenancy';
import { RemediationAlerts } from './alerts';
import { type RemediationConfiguration, remediationSettings, type RenderedSettings } from './configuration';
import { remediationNetworkPolicy } from './network-policy';
import { RemediationNodePolicy } from './node-policy';
import { remediationClusterRules, remediationNamespaceRules } from './permissions';
import { HTTP_PORT, HTTP_PORT_NAME, remediationPod, SETTINGS_KEY } from './pod';

/**
 * Where Alertmanager sends alerts, for rules with an alert as their cause.
 *
 * @beta
 */
export interface RemediationWebhook {
  /** Secret with the bearer token that Alertmanager sends, in the namespace of remediation. The construct does not create it. */
  readonly tokenSecret: string;
  /** Key of the token in the Secret. @default token */
  readonly tokenKey?: string;
}

/**
 * Props of a Remediation.
 *
 * @beta
 */
export interface RemediationProps extends RemediationConfiguration, NamespacedObjectProps, Overridable<Deployment> {
  /**
   * Namespace of remediation.
   * @default - a namespace `gantry-remediation` of the PodSecurity level `restricted`, which the construct makes
   */
  readonly namespace?: NamedReference<'Namespace'>;
  /**
   * `dry-run` shows what would be done, in the log, the metrics, and the page, without a right to change anything; `active` does it.
   * @default dry-run
   */
  readonly mode?: 'dry-run' | 'active';
  /** Receives alerts. @default - none; rules must not have an alert as their cause */
  readonly webhook?: RemediationWebhook;
  /** One acts, the others are on standby. @default - 2; 1 in a dry run */
  readonly replicas?: number;
  /** The stock Node image that runs the program. @default - node:24.11.0-bookworm-slim */
  readonly image?: NodeImageOptions;
  /**
   * Who may reach the port of metrics and alerts. The page is served to `kubectl port-forward` alone.
   * @default - every pod of the cluster; `false` makes no NetworkPolicy
   */
  readonly allowedFrom?: readonly NetworkPolicyPeer[] | false;
  /** Ports of the API server, for the NetworkPolicy. @default - 443 and 6443 */
  readonly apiServerPorts?: readonly number[];
  /**
   * ServiceMonitor and PrometheusRule, with the labels by which Prometheus selects them; `false` where no Prometheus operator is there.
   * @default - both, without further labels
   */
  readonly monitoring?: { readonly labels?: Readonly<Record<string, string>> } | false;
}

const RBAC = 'rbac.authorization.k8s.io';

/**
 * Acts on nodes with a problem by rules: taints, cordons, evicts or moves whole gangs, recreates the device plugin's pod, requests driver upgrades
 * and repairs, within budgets, and undoes it when the problem ends. It begins with a dry run.
 *
 * Source of what it needs: the program in `src/runtime/remediation`.
 *
 * @beta
 *
 * @example
 * new Remediation(chart, 'remediation', {
 *   mode: 'active',
 *   rules: [
 *     { name: 'xid', cause: { condition: 'AcceleratorUnhealthy' }, after: Duration.minutes(1), actions: ['taint', 'evict'] },
 *   ],
 * });
 */
@publicClass('Remediation')
export class Remediation extends Construct {
  /** Name of all its objects. */
  readonly name: string;
  /** Namespace of remediation. */
  readonly namespace: string;
  /** The Deployment object. */
  readonly resource: Resource<Deployment>;
  /** The Service object, which serves metrics and receives alerts. */
  readonly service: ApiObject;
  /** The alerts. Absent where they are turned off. */
  readonly alerts?: RemediationAlerts;
  private readonly labels: Readonly<Record<string, string>>;

  /**
   * @throws if the rules cannot be used, with every fault that the program would report
   * @throws if a rule has an alert as its cause and there is no `webhook`, or the other way around
   * @throws if replicas is not a whole number of at least 1
   */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: RemediationProps = {},
  ) {
    super(scope, id);
    const { mode = 'dry-run', webhook } = props;
    const isActive = mode === 'active';
    const rendered = remediationSettings(this.node.path, props);
    const needs = remediationNeeds(rendered.settings);
    requireWebhook(this.node.path, rendered.settings, webhook);
    const { replicas = isActive ? 2 : 1 } = props;
    requireReplicas(this.node.path, replicas, isActive);
    this.name = props.name ?? REMEDIATION_NAME;
    const namespace =
      props.namespace ??
      new Namespace(this, 'namespace', {
        name: REMEDIATION_NAME,
        labels: { 'pod-security.kubernetes.io/enforce': 'restricted' },
      });
    this.namespace = nameOf(namespace);
    this.labels = { [NAME_LABEL]: REMEDIATION_NAME, 'app.kubernetes.io/instance': this.name };

    const account = new Resource(this, 'ServiceAccount', ServiceAccount, { metadata: this.metadata });
    const settings = this.settings(rendered);
    const program = programConfigMaps(this, this.metadata, bundledProgram('remediation'));
    const alerts = webhook !== undefined && isActive ? this.alertConfigMap() : undefined;
    const rights = this.permissions(account, needs, isActive, alerts?.name);
    const policy = isActive ? this.policy(account, rendered.settings, needs) : undefined;
    this.resource = new Resource(
      this,
      'Resource',
      Deployment,
      {
        metadata: this.metadata,
        spec: {
          replicas,
          selector: { matchLabels: this.labels },
          template: {
            metadata: { labels: this.labels },
            spec: remediationPod({
              name: this.name,
              labels: this.labels,
              image: nodeImage(props.image),
              program: program.map(({ name }) => name),
              settings: settings.name,
              serviceAccount: account.name,
              mode,
              replicas,
              ...(webhook === undefined
                ? {}
                : {
                    webhook: {
                      secret: webhook.tokenSecret,
                      key: webhook.tokenKey ?? 'token',
                      alerts: this.alertsName,
                    },
                  }),
            }),
          },
        },
      },
      props.overrides,
    );
    this.service = new Resource(this, 'Service', Service, {
      metadata: this.metadata,
      spec: { selector: this.labels, ports: [{ name: HTTP_PORT_NAME, port: HTTP_PORT, targetPort: HTTP_PORT_NAME }] },
    });
    dependOn(this.resource, account, settings, ...program, alerts, ...rights, ...(policy?.bindings ?? []));
    const around = [account, settings, ...program, alerts, this.service, this.resource, ...this.protection(replicas)];
    for (const object of around) {
      if (object !== undefined) {
        dependOn(object, namespace);
      }
    }
    this.alerts = this.monitoring();
  }

  /** Address to which Alertmanager sends alerts, for its `webhook_configs`. */
  get webhookUrl(): string {
    return `http://${this.service.name}.${this.namespace}.svc:${HTTP_PORT}/alerts`;
  }

  private get alertsName(): string {
    return `${this.name}-alerts`;
  }

  private get metadata(): ApiObjectMetadata & { readonly name: string } {
    return { ...this.clusterMetadata, namespace: this.namespace };
  }

  private get clusterMetadata(): ApiObjectMetadata & { readonly name: string } {
    return {
      name: this.name,
      labels: { ...this.labels, ...copied('labels', this.props.labels) },
      annotations: copied('annotations', this.props.annotations),
    };
  }

  /** Named for its content: other settings are other pods, and no program runs with settings that it did not start with. */
  private settings({ value }: RenderedSettings): ApiObject {
    const text = JSON.stringify(value, null, 2);
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 10);
    return new Resource(this, 'Settings', ConfigMap, {
      metadata: { ...this.metadata, name: `${this.name}-settings-${hash}` },
      immutable: true,
      data: { [SETTINGS_KEY]: text },
    });
  }

  /** Rendered empty: the program may write it, and needs no right to create any. */
  private alertConfigMap(): ApiObject {
    return new Resource(this, 'Alerts', ConfigMap, { metadata: { ...this.metadata, name: this.alertsName } });
  }

  private policy(
    account: ApiObject,
    settings: RemediationSettings,
    { actions }: RemediationNeeds,
  ): RemediationNodePolicy {
    return new RemediationNodePolicy(this, 'marks', {
      name: `${this.name}-marks`,
      labels: this.labels,
      username: `system:serviceaccount:${this.namespace}:${account.name}`,
      actions,
      repairAnnotation: settings.repairAnnotation,
    });
  }

  private permissions(
    account: ApiObject,
    needs: RemediationNeeds,
    isActive: boolean,
    alerts: string | undefined,
  ): readonly ApiObject[] {
    const { name, namespace } = this;
    const subjects = [{ kind: 'ServiceAccount', name: account.name, namespace }];
    const rules: readonly PolicyRule[] = remediationClusterRules(needs, isActive);
    const clusterRole = new Resource(this, 'ClusterRole', ClusterRole, { metadata: this.clusterMetadata, rules });
    const clusterBinding = new Resource(this, 'ClusterRoleBinding', ClusterRoleBinding, {
      metadata: this.clusterMetadata,
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
      subjects,
    });
    dependOn(clusterBinding, clusterRole, account);
    if (!isActive) {
      return [clusterBinding];
    }
    const role = new Resource(this, 'Role', Role, {
      metadata: this.metadata,
      rules: remediationNamespaceRules(name, alerts),
    });
    const binding = new Resource(this, 'RoleBinding', RoleBinding, {
      metadata: this.metadata,
      roleRef: { apiGroup: RBAC, kind: 'Role', name },
      subjects,
    });
    dependOn(binding, role, account);
    return [clusterBinding, binding];
  }

  private protection(replicas: number): readonly ApiObject[] {
    const { allowedFrom = [{ namespaceSelector: {} }], apiServerPorts = [443, 6443] } = this.props;
    return [
      ...(replicas === 1
        ? []
        : [
            new Resource(this, 'PodDisruptionBudget', PodDisruptionBudget, {
              metadata: this.metadata,
              spec: { maxUnavailable: 1, selector: { matchLabels: this.labels } },
            }),
          ]),
      ...(allowedFrom === false
        ? []
        : [
            new Resource(
              this,
              'NetworkPolicy',
              NetworkPolicy,
              remediationNetworkPolicy(this.metadata, this.labels, allowedFrom, apiServerPorts),
            ),
          ]),
    ];
  }

  private monitoring(): RemediationAlerts | undefined {
    const { monitoring = {} } = this.props;
    if (monitoring === false) {
      return undefined;
    }
    const labels = { ...this.labels, ...monitoring.labels };
    const monitor = new ServiceMonitor(this, 'monitor', {
      name: this.name,
      namespace: this.namespace,
      labels,
      selector: this.labels,
      port: HTTP_PORT_NAME,
    });
    dependOn(monitor.resource, this.service);
    return new RemediationAlerts(this, 'alerts', { name: this.name, namespace: this.namespace, labels });
  }
}

function requireWebhook(path: string, { rules }: RemediationSettings, webhook: RemediationWebhook | undefined): void {
  const rule = rules.find(({ cause }) => 'alert' in cause);
  if (rule !== undefined && webhook === undefined) {
    throw new Error(
      `${path}: the rule "${rule.name}" has an alert as its cause, but webhook is not set, so no alerts are received. Set webhook to the Secret with the token.`,
    );
  }
  if (rule === undefined && webhook !== undefined) {
    throw new Error(
      `${path}: webhook must not be set when no rule has an alert as its cause. Add such a rule, or remove webhook.`,
    );
  }
}

function requireReplicas(path: string, replicas: number, isActive: boolean): void {
  if (!Number.isInteger(replicas) || replicas < 1) {
    throw new Error(`${path}: replicas must be a whole number greater than or equal to 1, not ${replicas}.`);
  }
  if (!isActive && replicas > 1) {
    throw new Error(
      `${path}: replicas must be 1 in a dry run, which elects no leader. Remove replicas, or set mode to active.`,
    );
  }
}
