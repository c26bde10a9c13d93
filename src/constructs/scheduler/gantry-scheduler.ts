/**
 * GantryScheduler: the in-cluster scheduler with everything that it needs, as one construct.
 *
 * The program travels in immutable ConfigMaps that are named for its content and runs on a stock Node image: a new version of the
 * package is a new ConfigMap and a rolling update, and nothing has to be built. The configuration is in a separate ConfigMap, which
 * the program reloads when it changes.
 */
import { type ApiObject, type ApiObjectMetadata } from 'cdk8s';
import { Construct } from 'constructs';
import { stringify } from 'yaml';
import { GANTRY_HISTORY_LABEL } from '../../facts/catalog/gantry-names';
import { Deployment } from '../../facts/api/types/apps/v1';
import { ConfigMap, Service, ServiceAccount } from '../../facts/api/types/core/v1';
import { type NetworkPolicyPeer } from '../../facts/api/types/networking.k8s.io/v1';
import { PodDisruptionBudget } from '../../facts/api/types/policy/v1';
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../../facts/api/types/rbac.authorization.k8s.io/v1';
import { ServiceMonitor } from '../monitoring';
import { dependOn } from '../resources/depend-on';
import { copied, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { type GantryQueueReference, requireQueue, type VolcanoQueueReference } from '../resources/queue-references';
import { nameOf, type PriorityClassReference } from '../resources/references';
import { bundledProgram } from '../bundled/program';
import { programConfigMaps } from '../bundled/program-objects';
import { Resource } from '../resources/resource';
import { Namespace } from '../tenancy';
import { SchedulerAlerts } from './alerts';
import { configurationValue, type GantrySchedulerConfiguration, historyOf } from './configuration';
import { ClaimPolicy } from './claim-policy';
import { FieldGuard } from './field-guard';
import { SchedulerImage } from './image';
import { MigConfigPolicy } from './mig-config-policy';
import { SchedulerNetworkPolicy } from './network-policy';
import { clusterRules, namespaceRules } from './permissions';
import {
  CONFIGURATION_KEY,
  historySegmentName,
  NAME_LABEL,
  SCHEDULER_NAME,
} from '../../planning/scheduler-settings/deployment-names';
import { HTTP_PORT, HTTP_PORT_NAME, type PodResources, schedulerPod } from './pod';
import { publicClass } from '../resources/public-class';

/** Props of a GantryScheduler. */
export interface GantrySchedulerProps
  extends GantrySchedulerConfiguration, NamespacedObjectProps, Overridable<Deployment> {
  /**
   * One decides, the others are on standby. A single one holds the lease too, since during an update there are two.
   * @default 2
   */
  readonly replicas?: number;
  /** Image of the program. @default - a stock Node image that gets the program from a ConfigMap */
  readonly image?: SchedulerImage;
  /** Of each replica. @default - requests of 500m CPU and 256Mi, a limit of 512Mi: enough for 1,000 nodes and 10,000 pods */
  readonly resources?: PodResources;
  /** Priority class of the scheduler's pods. @default system-cluster-critical */
  readonly priorityClass?: PriorityClassReference;
  /**
   * Who may see the page and the API. `cluster`: users that RBAC allows to `get` the path as a non-resource URL, and users that can
   * `kubectl port-forward` to the pod; `always`: only the former, for a proxy that is injected into the pod; `open`: every client that
   * reaches the port.
   * @default cluster
   */
  readonly access?: 'cluster' | 'always' | 'open';
  /**
   * An admission policy by which only the scheduler writes `gantry.dev/node` and `gantry.dev/devices` on pods, and removes their
   * scheduling gate.
   * @default true
   */
  readonly fieldGuard?: boolean;
  /** What the page calls the cluster. @default cluster */
  readonly clusterName?: string;
  /**
   * Who may reach the scheduler. It reaches the API server and DNS alone.
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

/**
 * Source of what it needs: the program in `src/runtime/kubernetes`.
 *
 * @example
 * const scheduler = new GantryScheduler(chart, 'scheduler', {
 *   queues: [{ name: 'research', deserved: { accelerators: Accelerator.nvidia({ count: 64 }) } }],
 * });
 * new kubeflow.PyTorchJob(chart, 'train', { nodes: 2, image }).submitTo(scheduler.queue('research'));
 */
@publicClass('GantryScheduler')
export class GantryScheduler extends Construct {
  /** Name of all its objects. */
  readonly name: string;
  /** Namespace of the scheduler. */
  readonly namespace: string;
  /** The Deployment object. */
  readonly resource: Resource<Deployment>;
  /** The Service object, which serves metrics and pages. */
  readonly service: ApiObject;
  /** The alerts. Absent where they are turned off. */
  readonly alerts?: SchedulerAlerts;
  /**
   * Absent with `fieldGuard: false`.
   *
   * @beta
   */
  readonly fieldGuard?: FieldGuard;
  private readonly labels: Readonly<Record<string, string>>;

  /**
   * @throws where the configuration contradicts itself, with every fault that the program would report
   * @throws if replicas is not a whole number of at least 1
   */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: GantrySchedulerProps = {},
  ) {
    super(scope, id);
    const { replicas = 2, image = SchedulerImage.node(), fieldGuard = true } = props;
    if (!Number.isInteger(replicas) || replicas < 1) {
      throw new Error(
        `${this.node.path}: replicas must be a whole number greater than or equal to 1, not ${replicas}.`,
      );
    }
    this.name = props.name ?? SCHEDULER_NAME;
    const namespace =
      props.namespace ??
      new Namespace(this, 'namespace', {
        name: 'gantry-system',
        labels: { 'pod-security.kubernetes.io/enforce': 'restricted' },
      });
    this.namespace = nameOf(namespace);
    this.labels = { [NAME_LABEL]: SCHEDULER_NAME, 'app.kubernetes.io/instance': this.name };

    const account = new Resource(this, 'ServiceAccount', ServiceAccount, { metadata: this.metadata });
    const configuration = new Resource(this, 'Configuration', ConfigMap, {
      metadata: this.metadata,
      data: { [CONFIGURATION_KEY]: stringify(configurationValue(this.node.path, props, fieldGuard), { lineWidth: 0 }) },
    });
    const username = `system:serviceaccount:${this.namespace}:${account.name}`;
    if (fieldGuard) {
      this.fieldGuard = new FieldGuard(this, 'field-guard', {
        ...this.clusterMetadata,
        name: `${this.name}-fields`,
        username,
      });
    }
    const migConfigs = this.repartitions
      ? new MigConfigPolicy(this, 'mig-configs', { name: `${this.name}-mig-configs`, labels: this.labels, username })
      : undefined;
    const claims = new ClaimPolicy(this, 'claims', { name: `${this.name}-claims`, labels: this.labels, username });
    const history = this.historyConfigMaps();
    const program = image.hasProgram ? [] : programConfigMaps(this, this.metadata, bundledProgram('scheduler'));
    const permissions = this.permissions(account);
    this.resource = new Resource(
      this,
      'Resource',
      Deployment,
      {
        metadata: this.metadata,
        spec: {
          replicas,
          selector: { matchLabels: this.labels },
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
          template: {
            metadata: { labels: this.labels },
            spec: schedulerPod({
              name: this.name,
              labels: this.labels,
              replicas,
              image,
              program: program.map(({ name }) => name),
              configuration: configuration.name,
              serviceAccount: account.name,
              resources: props.resources,
              priorityClass: props.priorityClass,
              access: props.access ?? 'cluster',
              clusterName: props.clusterName,
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
    dependOn(
      this.resource,
      props.priorityClass,
      account,
      configuration,
      ...history,
      ...program,
      this.fieldGuard?.binding,
      claims.binding,
      migConfigs?.binding,
      ...permissions,
    );
    const around = [account, configuration, ...history, ...program, this.service, ...this.protection(replicas)];
    for (const object of around) {
      if (object !== undefined) {
        dependOn(object, namespace);
      }
    }
    this.alerts = this.monitoring();
  }

  /**
   * A queue of this scheduler, to submit workloads to: one of its configuration by name, or a Queue of Volcano, whose
   * share it reads from the cluster. The reference carries the name that this scheduler listens to.
   * @throws if the configuration has no queue of the name, or the queue is one of another engine
   *
   * @example
   * const scheduler = new GantryScheduler(chart, 'scheduler', {
   *   queues: [{ name: 'research', deserved: { accelerators: Accelerator.nvidia({ count: 64 }) } }],
   * });
   * job.submitTo(scheduler.queue('research'));
   */
  queue(queue: string | VolcanoQueueReference): GantryQueueReference {
    const { queues = [], schedulerName } = this.props;
    const own = schedulerName === undefined ? {} : { schedulerName };
    if (typeof queue !== 'string') {
      requireQueue(`${this.node.path}: queue`, queue, ['volcano']);
      const { name } = queue;
      // The workload waits for the Queue's own object.
      return { engine: 'gantry', name, ...own, ...('resource' in queue ? { resource: queue.resource } : {}) };
    }
    const names = queues.map(({ name }) => name);
    if (!names.includes(queue)) {
      throw new Error(
        `${this.node.path}: unknown queue "${queue}" (the configuration has ${names.join(', ') || 'none'}). ` +
          'Add it to queues, or pass the Volcano Queue construct.',
      );
    }
    return { engine: 'gantry', name: queue, ...own };
  }

  /** It changes MIG configurations of nodes. */
  private get repartitions(): boolean {
    return (this.props.policy?.repartitionLimit ?? 0) > 0;
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

  /** They are rendered empty: the program may write them, and needs no right to create any. */
  private historyConfigMaps(): readonly ApiObject[] {
    return this.historyNames.map(
      (name, index) =>
        new Resource(this, `History${index + 1}`, ConfigMap, {
          metadata: { ...this.metadata, name, labels: { ...this.metadata.labels, [GANTRY_HISTORY_LABEL]: this.name } },
        }),
    );
  }

  private get historyNames(): readonly string[] {
    return Array.from({ length: historyOf(this.props).configMaps }, (_, index) => historySegmentName(this.name, index));
  }

  private permissions(account: ApiObject): readonly ApiObject[] {
    const { name, namespace, repartitions } = this;
    const subjects = [{ kind: 'ServiceAccount', name: account.name, namespace }];
    const group = 'rbac.authorization.k8s.io';
    const clusterRole = new Resource(this, 'ClusterRole', ClusterRole, {
      metadata: this.clusterMetadata,
      rules: clusterRules(repartitions),
    });
    const clusterBinding = new Resource(this, 'ClusterRoleBinding', ClusterRoleBinding, {
      metadata: this.clusterMetadata,
      roleRef: { apiGroup: group, kind: 'ClusterRole', name },
      subjects,
    });
    const role = new Resource(this, 'Role', Role, {
      metadata: this.metadata,
      rules: namespaceRules(name, this.historyNames),
    });
    const binding = new Resource(this, 'RoleBinding', RoleBinding, {
      metadata: this.metadata,
      roleRef: { apiGroup: group, kind: 'Role', name },
      subjects,
    });
    dependOn(clusterBinding, clusterRole, account);
    dependOn(binding, role, account);
    return [clusterBinding, binding];
  }

  private protection(replicas: number): readonly ApiObject[] {
    const { allowedFrom, apiServerPorts } = this.props;
    const objects: ApiObject[] = [];
    if (replicas > 1) {
      objects.push(
        new Resource(this, 'PodDisruptionBudget', PodDisruptionBudget, {
          metadata: this.metadata,
          spec: { maxUnavailable: 1, selector: { matchLabels: this.labels } },
        }),
      );
    }
    if (allowedFrom !== false) {
      const policy = new SchedulerNetworkPolicy(this, 'NetworkPolicy', {
        metadata: this.metadata,
        pods: this.labels,
        from: allowedFrom,
        port: HTTP_PORT_NAME,
        apiServerPorts,
      });
      objects.push(policy.resource);
    }
    return objects;
  }

  private monitoring(): SchedulerAlerts | undefined {
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
    return new SchedulerAlerts(this, 'alerts', { name: this.name, namespace: this.namespace, labels });
  }
}
