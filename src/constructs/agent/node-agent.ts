/**
 * NodeAgent: the program on every node that reports accelerators, CPU throttling, memory pressure, and RDMA ports to the Node object.
 *
 * It runs as root without any capability: the kubelet's pod resources socket and folder belong to root. Of the host it sees four folders, all
 * of them read-only.
 */
import { type ApiObject, type ApiObjectMetadata } from 'cdk8s';
import { Construct } from 'constructs';
import { DaemonSet } from '../../facts/api/types/apps/v1';
import { type Container, type PodSpec, Service, ServiceAccount, type Volume } from '../../facts/api/types/core/v1';
import { ClusterRole, ClusterRoleBinding, type PolicyRule } from '../../facts/api/types/rbac.authorization.k8s.io/v1';
import { ACCELERATOR_EXPORTERS, type MeasuredVendor } from '../../facts/catalog/accelerator-exporters';
import { bundledProgram } from '../bundled/program';
import { PROGRAM_MOUNT, programCommand, programConfigMaps, programVolume } from '../bundled/program-objects';
import { nodeImage, type NodeImageOptions } from '../bundled/node-image';
import { NODE_RELABELING, PodMonitor } from '../monitoring';
import { dependOn } from '../resources/depend-on';
import { type ClusterObjectProps, copied, type Overridable } from '../resources/object-props';
import { publicClass } from '../resources/public-class';
import { type NamedReference, nameOf } from '../resources/references';
import { NAME_LABEL, NODE_AGENT_NAME } from '../../planning/scheduler-settings/deployment-names';
import { Resource } from '../resources/resource';
import { Namespace } from '../tenancy';
import { NodeAgentAlerts } from './alerts';
import { OwnNodePolicy } from './own-node-policy';

/** Vendors whose exporter the agent can read. */
export type NodeAgentVendor = 'nvidia' | Exclude<MeasuredVendor, 'neuron'>;

/**
 * The metrics exporter of one vendor's accelerators, by the pods that run it.
 *
 * @beta
 */
export interface NodeAgentExporter {
  /** Namespace of the exporter. @default - where the vendor's operator installs it */
  readonly namespace?: string;
  /** Labels of the exporter's pods. @default - those that the vendor's operator sets */
  readonly podLabels?: Readonly<Record<string, string>>;
  /** Port of the exporter's pods. @default - that of the vendor's exporter */
  readonly port?: number;
}

/**
 * Nodes that are alike, and what each of them must have.
 *
 * @beta
 */
export interface NodeAgentPool {
  /** Name of the pool, which the DaemonSet has too. */
  readonly name: string;
  /** Labels of the nodes. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  /**
   * Devices of each node by resource name, such as `{ 'nvidia.com/gpu': 8 }`. A node with fewer gets the condition
   * `AcceleratorsMissing`.
   * @default - none; the condition is not reported
   */
  readonly devices?: Readonly<Record<string, number>>;
  /** RDMA ports of each node that must be active. @default - those that were active once since the agent started */
  readonly rdmaPorts?: number;
}

/**
 * Props of a NodeAgent.
 *
 * @beta
 */
export interface NodeAgentProps extends ClusterObjectProps, Overridable<DaemonSet> {
  /**
   * Namespace of the agent. PodSecurity must allow `hostPath` volumes there, so the level is `privileged`.
   * @default - a namespace `gantry-node-agent` of that level, which the construct makes
   */
  readonly namespace?: NamedReference<'Namespace'>;
  /** One DaemonSet for each pool. Pools must not overlap. @default - one pool of all nodes, without expectations */
  readonly pools?: readonly NodeAgentPool[];
  /**
   * The exporters from which the agent reads the state of accelerators. It adds a Service to the namespace of each exporter, by which a
   * node reaches the exporter's pod on the same node only.
   * @default - NVIDIA's DCGM exporter in the namespace gpu-operator
   */
  readonly exporters?: Partial<Readonly<Record<NodeAgentVendor, NodeAgentExporter>>>;
  /**
   * Whether the agent runs `nvidia-smi` once a minute on the pools with NVIDIA's devices, and on those that state no devices. It names NVLink
   * islands and MIG instances, and the state of GPUs where no exporter runs. The runtime class of NVIDIA's container toolkit puts it into the
   * container of the agent.
   * @default - it is not run
   */
  readonly nvidiaSmi?: {
    /** Runtime class of NVIDIA's container toolkit. @default 'nvidia' */
    readonly runtimeClass?: NamedReference<'RuntimeClass'>;
  };
  /** The stock Node image that runs the agent. @default - node:24.11.0-bookworm-slim */
  readonly image?: NodeImageOptions;
  /** Whether the agent only logs what it would report. @default false */
  readonly dryRun?: boolean;
  /**
   * PodMonitor and PrometheusRule, with the labels by which Prometheus selects them; `false` where no Prometheus operator is there.
   * @default - both, without further labels
   */
  readonly monitoring?: { readonly labels?: Readonly<Record<string, string>> } | false;
}

const METRICS_PORT = 10271;
const METRICS_PORT_NAME = 'metrics';
const HOST_ROOT = '/host';
/** Mebibytes; V8's heap is half of it, since buffers and the program need the rest. */
const MEMORY_LIMIT = 160;

/** No verb more than the program uses; a test compares them with the audit log of an API server. */
export const AGENT_RULES: readonly PolicyRule[] = [
  // The policy of the agent limits this to the node of the agent's pod.
  { apiGroups: [''], resources: ['nodes/status'], verbs: ['patch'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create'] },
];

type HostFolder = readonly [name: string, path: string];

/** Folders of the host that the agent reads. */
const HOST_FOLDERS: readonly HostFolder[] = [
  ['sys', '/sys'],
  ['pressure', '/proc/pressure'],
  ['pod-names', '/var/log/pods'],
  ['pod-resources', '/var/lib/kubelet/pod-resources'],
];
/** Sockets of device plugins: they say why devices are missing, so that they are read only where devices are expected. */
const DEVICE_PLUGINS: HostFolder = ['device-plugins', '/var/lib/kubelet/device-plugins'];

/** The container sees all GPUs through NVIDIA's management library, and may not compute on them. */
const NVIDIA_TOOL_ENV = [
  { name: 'NVIDIA_VISIBLE_DEVICES', value: 'all' },
  { name: 'NVIDIA_DRIVER_CAPABILITIES', value: 'utility' },
];

const DCGM: Required<NodeAgentExporter> = {
  namespace: 'gpu-operator',
  podLabels: { app: 'nvidia-dcgm-exporter' },
  port: 9400,
};

/**
 * Runs an agent on every node that reports to the Node object: free memory, utilization, and faults of accelerators, the devices of each
 * pod, and the conditions `AcceleratorsMissing`, `AcceleratorUnhealthy`, `RdmaDegraded`, `CpuThrottled`, and `MemoryPressureStalled`.
 *
 * Source of what it needs: the program in `src/runtime/agent`.
 *
 * @beta
 *
 * @example
 * new NodeAgent(chart, 'agent', {
 *   pools: [{
 *     name: 'h100', nodeSelector: { 'gantry.dev/node-profile': 'training' }, devices: { 'nvidia.com/gpu': 8 }, rdmaPorts: 8,
 *   }],
 * });
 */
@publicClass('NodeAgent')
export class NodeAgent extends Construct {
  /** Name of its cluster-scoped objects. */
  readonly name: string;
  /** Namespace of the agent. */
  readonly namespace: string;
  /** The DaemonSet of each pool, in the order of `pools`. */
  readonly daemonSets: readonly Resource<DaemonSet>[];
  /** The alerts. Absent where they are turned off. */
  readonly alerts?: NodeAgentAlerts;
  private readonly labels: Readonly<Record<string, string>>;

  /**
   * @throws if two pools have one name, or a count is not a whole number of at least 1
   */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: NodeAgentProps = {},
  ) {
    super(scope, id);
    const { pools = [{ name: 'all', nodeSelector: {} }], monitoring = {} } = props;
    requirePools(this.node.path, pools);
    this.name = props.name ?? NODE_AGENT_NAME;
    const namespace =
      props.namespace ??
      new Namespace(this, 'namespace', {
        name: NODE_AGENT_NAME,
        labels: { 'pod-security.kubernetes.io/enforce': 'privileged' },
      });
    this.namespace = nameOf(namespace);
    this.labels = { [NAME_LABEL]: NODE_AGENT_NAME, 'app.kubernetes.io/instance': this.name };

    const account = new Resource(this, 'ServiceAccount', ServiceAccount, { metadata: this.metadata(this.name) });
    const policy = new OwnNodePolicy(this, 'own-node', {
      name: `${this.name}-own-node`,
      labels: this.labels,
      username: `system:serviceaccount:${this.namespace}:${account.name}`,
    });
    const program = programConfigMaps(this, this.metadata(this.name), bundledProgram('node-agent'));
    const binding = this.permissions(account);
    const urls = this.exporterServices();
    this.daemonSets = pools.map((pool) => {
      const podLabels = { ...this.labels, 'app.kubernetes.io/component': pool.name };
      const daemonSet = new Resource(
        this,
        `DaemonSet-${pool.name}`,
        DaemonSet,
        {
          metadata: this.metadata(`${this.name}-${pool.name}`),
          spec: {
            selector: { matchLabels: podLabels },
            updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } },
            template: {
              metadata: { labels: podLabels },
              spec: podOf(
                account.name,
                program.map(({ name }) => name),
                nodeImage(props.image),
                [
                  ...flagsOf(pool),
                  ...toolFlags(toolOf(props, pool)),
                  ...urls,
                  ...(props.dryRun === true ? ['--dry-run'] : []),
                ],
                pool.nodeSelector,
                toolOf(props, pool),
                pool.devices === undefined ? HOST_FOLDERS : [...HOST_FOLDERS, DEVICE_PLUGINS],
              ),
            },
          },
        },
        props.overrides,
      );
      dependOn(daemonSet, account, ...program, policy.binding, binding);
      return daemonSet;
    });
    [account, ...program, ...this.daemonSets].forEach((object) => dependOn(object, namespace));
    this.alerts = monitoring === false ? undefined : this.monitoring(monitoring.labels);
  }

  private metadata(name: string): ApiObjectMetadata & { readonly name: string } {
    return {
      name,
      namespace: this.namespace,
      labels: { ...this.labels, ...copied('labels', this.props.labels) },
      annotations: copied('annotations', this.props.annotations),
    };
  }

  private permissions(account: ApiObject): ApiObject {
    const { name, namespace } = this;
    const metadata = { name, labels: this.labels };
    const role = new Resource(this, 'ClusterRole', ClusterRole, {
      metadata,
      rules: AGENT_RULES,
    });
    const binding = new Resource(this, 'ClusterRoleBinding', ClusterRoleBinding, {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name: account.name, namespace }],
    });
    dependOn(binding, role, account);
    return binding;
  }

  /** Services that lead to the exporter's pod of the same node, and the flags that name them. */
  private exporterServices(): readonly string[] {
    const { exporters = { nvidia: {} } } = this.props;
    return (Object.entries(exporters) as [NodeAgentVendor, NodeAgentExporter][]).map(([vendor, exporter]) => {
      const { namespace, podLabels, port } = { ...defaultsOf(vendor), ...exporter };
      const name = `${this.name}-${vendor}`;
      new Resource(this, `Exporter-${vendor}`, Service, {
        metadata: { name, namespace, labels: this.labels },
        spec: {
          selector: podLabels,
          internalTrafficPolicy: 'Local',
          ports: [{ name: METRICS_PORT_NAME, port, targetPort: port }],
        },
      });
      return `--exporter=${vendor}=http://${name}.${namespace}:${port}/metrics`;
    });
  }

  private monitoring(labels: Readonly<Record<string, string>> = {}): NodeAgentAlerts {
    const all = { ...this.labels, ...labels };
    new PodMonitor(this, 'monitor', {
      name: this.name,
      namespace: this.namespace,
      labels: all,
      selector: this.labels,
      port: METRICS_PORT_NAME,
      relabelings: [NODE_RELABELING],
    });
    return new NodeAgentAlerts(this, 'alerts', { name: this.name, namespace: this.namespace, labels: all });
  }
}

function defaultsOf(vendor: NodeAgentVendor): Required<NodeAgentExporter> {
  if (vendor === 'nvidia') {
    return DCGM;
  }
  const { namespace, podLabels = {}, port } = ACCELERATOR_EXPORTERS[vendor];
  return { namespace, podLabels, port: port.number };
}

function requirePools(path: string, pools: readonly NodeAgentPool[]): void {
  const names = pools.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new Error(`${path}: pools has two pools named "${twice}". Give each pool its own name.`);
  }
  for (const { name, devices = {}, rdmaPorts } of pools) {
    const counts = [
      ...Object.entries(devices),
      ...(rdmaPorts === undefined ? [] : [['rdmaPorts', rdmaPorts] as const]),
    ];
    for (const [what, count] of counts) {
      if (!Number.isInteger(count) || count < 1) {
        throw new Error(
          `${path}: ${what} of the pool "${name}" must be a whole number greater than or equal to 1, not ${count}.`,
        );
      }
    }
  }
}

function flagsOf({ devices = {}, rdmaPorts }: NodeAgentPool): readonly string[] {
  return [
    `--host-root=${HOST_ROOT}`,
    '--address=0.0.0.0',
    `--port=${METRICS_PORT}`,
    ...Object.entries(devices).map(([resource, count]) => `--expect-devices=${resource}=${count}`),
    ...(rdmaPorts === undefined ? [] : [`--expect-rdma-ports=${rdmaPorts}`]),
  ];
}

/** Nodes without NVIDIA's runtime class could not start the pod. */
function toolOf({ nvidiaSmi }: NodeAgentProps, { devices }: NodeAgentPool): NodeAgentProps['nvidiaSmi'] {
  const mayBeNvidia = devices === undefined || Object.keys(devices).some((name) => name.startsWith('nvidia.com/'));
  return mayBeNvidia ? nvidiaSmi : undefined;
}

function toolFlags(nvidiaSmi: NodeAgentProps['nvidiaSmi']): readonly string[] {
  return nvidiaSmi === undefined ? [] : ['--nvidia-smi=nvidia-smi'];
}

function podOf(
  account: string,
  program: readonly string[],
  image: string,
  args: readonly string[],
  nodeSelector: Readonly<Record<string, string>>,
  nvidiaSmi: NodeAgentProps['nvidiaSmi'],
  folders: readonly HostFolder[],
): PodSpec {
  const volumes: readonly Volume[] = folders.map(([name, path]) => ({ name, hostPath: { path } }));
  const container: Container = {
    name: 'agent',
    image,
    command: programCommand(MEMORY_LIMIT / 2),
    args,
    env: [
      { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      ...(nvidiaSmi === undefined ? [] : NVIDIA_TOOL_ENV),
    ],
    ports: [{ name: METRICS_PORT_NAME, containerPort: METRICS_PORT }],
    resources: { requests: { cpu: '20m', memory: '96Mi' }, limits: { memory: `${MEMORY_LIMIT}Mi` } },
    startupProbe: { httpGet: { path: '/readyz', port: METRICS_PORT_NAME }, periodSeconds: 5, failureThreshold: 24 },
    livenessProbe: { httpGet: { path: '/healthz', port: METRICS_PORT_NAME }, periodSeconds: 30, failureThreshold: 4 },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    volumeMounts: [
      PROGRAM_MOUNT,
      ...folders.map(([name, path]) => ({
        name,
        mountPath: `${HOST_ROOT}${path}`,
        readOnly: true,
        // The cgroups are mounts below /sys, and root may write to them without any capability.
        recursiveReadOnly: 'IfPossible',
      })),
    ],
  };
  return {
    serviceAccountName: account,
    priorityClassName: 'system-node-critical',
    enableServiceLinks: false,
    ...(nvidiaSmi === undefined ? {} : { runtimeClassName: nameOf(nvidiaSmi.runtimeClass ?? 'nvidia') }),
    securityContext: { runAsUser: 0, runAsGroup: 0, seccompProfile: { type: 'RuntimeDefault' } },
    // A node with a problem has a taint for it sooner or later, and is the one to hear from.
    tolerations: [{ operator: 'Exists' }],
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
    containers: [container],
    volumes: [programVolume(program), ...volumes],
  };
}
