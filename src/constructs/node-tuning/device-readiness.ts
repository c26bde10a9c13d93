/**
 * DeviceReadiness: nodes whose devices are not there yet get no pods.
 *
 * A node joins, and is scheduled to, before its driver and its device plugin run; after a restart of the kubelet it may offer what it no
 * longer has. A taint that the node is born with keeps pods away until the devices are allocatable.
 */
import { optionalSecondsOf } from '../resources/durations';
import { type Duration, type ApiObject, Chart } from 'cdk8s';
import { Construct } from 'constructs';
import {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../facts/api/types/admissionregistration.k8s.io/v1';
import { DaemonSet } from '../../facts/api/types/apps/v1';
import {
  type Container,
  type PodSpec,
  ServiceAccount,
  type Taint,
  type Toleration,
} from '../../facts/api/types/core/v1';
import { NodeReadinessRule } from '../../facts/api/types/readiness.node.x-k8s.io/v1alpha1';
import { ClusterRole, ClusterRoleBinding } from '../../facts/api/types/rbac.authorization.k8s.io/v1';
import { type ResourceName } from '../../facts/catalog';
import { GANTRY_PREFIX } from '../../facts/catalog/gantry-names';
import { tolerationOf } from '../pods/node-selection';
import { dependOn } from '../resources/depend-on';
import {
  clusterMetadata,
  namespacedMetadata,
  type NamespacedObjectProps,
  type Overridable,
} from '../resources/object-props';
import { nameOf } from '../resources/references';
import { Resource } from '../resources/resource';
import { fixedConfigMap } from './node-config-map';
import { scriptText } from './script-text';
import { publicClass } from '../resources/public-class';

/** Props of DeviceReadiness. */
export interface DeviceReadinessProps extends NamespacedObjectProps, Overridable<DaemonSet> {
  /** An image with `kubectl` and a POSIX shell. */
  readonly image: string;
  /** How many devices a node must offer. */
  readonly count: number;
  /** The resource that must be there for the taint to be removed. @default nvidia.com/gpu */
  readonly resource?: ResourceName;
  /** Labels of the nodes. @default - `nvidia.com/gpu.present=true` */
  readonly nodeLabels?: Readonly<Record<string, string>>;
  /**
   * `controller`: a condition is reported, and the node readiness controller, which must be installed, puts the taint on and takes it off.
   * `remover`: the taint is taken off once, by the reporter itself.
   * @default controller
   */
  readonly by?: 'controller' | 'remover';
  /** Whether the taint comes back when devices are lost, or is taken off once. For `controller`. @default continuous */
  readonly enforcementMode?: 'continuous' | 'bootstrap-only';
  /** Further tolerations: taints of the nodes beside this one. @default - every taint is tolerated */
  readonly tolerations?: readonly Toleration[];
  /** Time between two looks. @default - 10 seconds */
  readonly interval?: Duration;
}

/** The domain of the taints that the node readiness controller manages. */
const READINESS_DOMAIN = 'readiness.k8s.io/';
const SCRIPT = 'device-readiness.sh';

/**
 * The reporter may change nodes. An admission policy holds it to the one that it runs on.
 *
 * Hand `taint` to the nodes (`NodeProfile.startupTaints`), and `toleration` to whatever makes the devices: the GPU operator's DaemonSets.
 *
 * Rules: `node-tuning/readiness-*`. Source: kubernetes-sigs/node-readiness-controller v1alpha1; kubernetes 1.32 (node name in tokens).
 *
 * @example
 * const ready = new nodeTuning.DeviceReadiness(chart, 'gpu-ready', { image: 'registry.example.com/kubectl:1.36', count: 8 });
 * const profile = new nodeTuning.NodeProfile('h100', { startupTaints: [ready.taint] });
 */
@publicClass('nodeTuning.DeviceReadiness')
export class DeviceReadiness extends Construct {
  /** What nodes are to be born with. */
  readonly taint: Taint & { readonly effect: 'NoSchedule' };
  /** The condition that is reported. */
  readonly conditionType: string;
  /** The DaemonSet that looks. */
  readonly resource: Resource<DaemonSet>;
  /** Absent where no controller is asked. */
  readonly rule?: ApiObject;

  /** @throws if the count is none, or no namespace is known */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: DeviceReadinessProps,
  ) {
    super(scope, id);
    if (!Number.isInteger(props.count) || props.count < 1) {
      throw new Error(`${this.node.path}: count must be a whole number greater than or equal to 1: ${props.count}.`);
    }
    const name = props.name ?? id;
    const byController = props.by !== 'remover';
    this.conditionType = `${GANTRY_PREFIX}DevicesReady`;
    this.taint = byController
      ? { key: `${READINESS_DOMAIN}gantry.dev-devices-ready`, value: 'pending', effect: 'NoSchedule' }
      : { key: `${GANTRY_PREFIX}devices-missing`, effect: 'NoSchedule' };
    const account = this.account(name, byController);
    const map = fixedConfigMap(this, 'Script', name, props, { [SCRIPT]: scriptText(SCRIPT) });
    const labels = { 'app.kubernetes.io/name': 'gantry-device-readiness', 'app.kubernetes.io/instance': name };
    this.resource = new Resource(
      this,
      'Resource',
      DaemonSet,
      {
        metadata: namespacedMetadata(name, props),
        spec: {
          selector: { matchLabels: labels },
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: '10%' } },
          template: { metadata: { labels }, spec: this.podSpec(name, map.name, byController) },
        },
      },
      this.props.overrides,
    );
    dependOn(map.resource, props.namespace);
    dependOn(this.resource, map.resource, ...account, props.namespace);
    if (byController) {
      this.rule = this.readinessRule(name);
    }
  }

  /** Name of the object. */
  get name(): string {
    return this.resource.name;
  }

  /** Toleration of the taint, for pods that must run before the devices are ready. */
  get toleration(): Toleration {
    return tolerationOf(this.taint);
  }

  private get nodeLabels(): Readonly<Record<string, string>> {
    return this.props.nodeLabels ?? { 'nvidia.com/gpu.present': 'true' };
  }

  private readinessRule(name: string): ApiObject {
    return new Resource(this, 'Rule', NodeReadinessRule, {
      metadata: clusterMetadata(name, { name }),
      spec: {
        conditions: [{ type: this.conditionType, requiredStatus: 'True' }],
        taint: this.taint,
        enforcementMode: this.props.enforcementMode ?? 'continuous',
        nodeSelector: { matchLabels: this.nodeLabels },
      },
    });
  }

  private podSpec(name: string, configMap: string, byController: boolean): PodSpec {
    return {
      serviceAccountName: name,
      enableServiceLinks: false,
      priorityClassName: 'system-node-critical',
      nodeSelector: { 'kubernetes.io/os': 'linux', ...this.nodeLabels },
      tolerations:
        this.props.tolerations === undefined ? [{ operator: 'Exists' }] : [this.toleration, ...this.props.tolerations],
      securityContext: { runAsNonRoot: true, runAsUser: 65_534, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [this.container(byController)],
      volumes: [{ name: 'script', configMap: { name: configMap, defaultMode: 0o555 } }],
    };
  }

  private container(byController: boolean): Container {
    const { resource = 'nvidia.com/gpu', count, image, interval } = this.props;
    const said: Readonly<Record<string, string>> = byController
      ? { CONDITION: this.conditionType }
      : { TAINT: `${this.taint.key}:${this.taint.effect}` };
    const env = Object.entries({
      RESOURCE: resource,
      COUNT: `${count}`,
      GANTRY_INTERVAL: `${optionalSecondsOf('interval', interval) ?? 10}`,
      ...said,
    });
    return {
      name: byController ? 'reporter' : 'remover',
      image,
      command: ['sh', `/opt/gantry/${SCRIPT}`, byController ? 'report' : 'untaint'],
      env: [
        { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
        ...env.map(([variable, value]) => ({ name: variable, value })),
      ],
      resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '256Mi' } },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      volumeMounts: [{ name: 'script', mountPath: '/opt/gantry', readOnly: true }],
    };
  }

  /** Its account, what it may do, and that it may do it to its own node alone. */
  private account(name: string, byController: boolean): readonly ApiObject[] {
    const namespace = this.props.namespace === undefined ? Chart.of(this).namespace : nameOf(this.props.namespace);
    if (namespace === undefined) {
      throw new Error(
        `${this.node.path}: the binding of the ServiceAccount requires a namespace. Set namespace here or on the chart.`,
      );
    }
    const clusterName = `${namespace}-${name}`;
    const account = new Resource(this, 'Account', ServiceAccount, { metadata: namespacedMetadata(name, this.props) });
    const role = new Resource(this, 'Role', ClusterRole, {
      metadata: clusterMetadata(clusterName, {}),
      rules: [
        { apiGroups: [''], resources: ['nodes'], verbs: byController ? ['get'] : ['get', 'patch'] },
        ...(byController ? [{ apiGroups: [''], resources: ['nodes/status'], verbs: ['patch'] }] : []),
      ],
    });
    const binding = new Resource(this, 'RoleBinding', ClusterRoleBinding, {
      metadata: clusterMetadata(clusterName, {}),
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: clusterName },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    });
    const policy = new Resource(this, 'Policy', ValidatingAdmissionPolicy, {
      metadata: clusterMetadata(clusterName, {}),
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['nodes', 'nodes/status'] },
          ],
        },
        matchConditions: [
          {
            name: 'is-the-reporter',
            expression: `request.userInfo.username == 'system:serviceaccount:${namespace}:${name}'`,
          },
        ],
        validations: [
          {
            expression: `'${NODE_NAME}' in request.userInfo.extra && request.userInfo.extra['${NODE_NAME}'][0] == object.metadata.name`,
            message: 'the account may change the node that its pod runs on, and no other',
          },
        ],
      },
    });
    const policyBinding = new Resource(this, 'PolicyBinding', ValidatingAdmissionPolicyBinding, {
      metadata: clusterMetadata(clusterName, {}),
      spec: { policyName: clusterName, validationActions: ['Deny'] },
    });
    dependOn(account, this.props.namespace);
    dependOn(binding, role, account);
    dependOn(policyBinding, policy);
    return [account, binding, policyBinding];
  }
}

/** The token of a pod says on which node it runs. */
const NODE_NAME = 'authentication.kubernetes.io/node-name';
