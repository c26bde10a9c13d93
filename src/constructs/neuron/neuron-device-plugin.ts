/**
 * NeuronDevicePlugin and NeuronMonitor: what serves and measures Neuron devices, for clusters that do not use the Neuron Helm chart.
 */
import { type Carried, taggedImage } from '../../manifests/values/deferred';
import { Construct } from 'constructs';
import { type NodeSelectorRequirement, type Toleration } from '../../facts/api/types/core/v1';
import { ACCELERATOR_EXPORTERS, ACCELERATORS, acceleratorToleration } from '../../facts/catalog';
import { nodeDaemonSet } from '../resources/node-daemon-set';
import { type DaemonSet } from '../../facts/api/types/apps/v1';
import { type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { type NamedReference } from '../resources/references';
import { publicClass } from '../resources/public-class';
import { type Resource } from '../resources/resource';

/** Port of the monitor's metrics. */
export const NEURON_MONITOR_PORT = ACCELERATOR_EXPORTERS.neuron.port.number;
/** Labels of the monitor's pods. */
export const NEURON_MONITOR_LABELS = ACCELERATOR_EXPORTERS.neuron.podLabels ?? {};
/** Name of the scheduler that the Neuron chart installs beside the default one, for `schedulerName`. */
export const NEURON_SCHEDULER = 'my-scheduler';

/** Nodes with Neuron devices, by the instance types of the catalog. */
const NEURON_NODES: NodeSelectorRequirement = {
  key: 'node.kubernetes.io/instance-type',
  operator: 'In',
  values: ACCELERATORS.filter(({ vendor }) => vendor === 'aws').flatMap(({ productLabels }) => productLabels),
};

/** Props of a NeuronDevicePlugin. */
export interface NeuronDevicePluginProps extends NamespacedObjectProps, Overridable<DaemonSet> {
  /** @default kube-system */
  readonly namespace?: NamedReference<'Namespace'>;
  /** Tag of the image: `2.12.5.0`. */
  readonly version: string;
  /** Image of the plugin. @default - public.ecr.aws/neuron/neuron-device-plugin */
  readonly image?: Carried<string>;
  /** Tolerations of the pods of the plugin. @default - CriticalAddonsOnly and aws.amazon.com/neuron:NoSchedule */
  readonly tolerations?: readonly Toleration[];
}

/**
 * Serves Neuron devices and their cores as `aws.amazon.com/neuron` and `aws.amazon.com/neuroncore`.
 *
 * The chart `neuron-helm-chart` brings the same plugin, and the scheduler extension with it; use one of the two.
 *
 * Rules: `neuron/*`. Source: aws-neuron-sdk, src/k8/k8s-neuron-device-plugin.yml.
 *
 * @example
 * new neuron.NeuronDevicePlugin(chart, 'neuron', { version: '2.12.5.0' });
 */
@publicClass('neuron.NeuronDevicePlugin')
export class NeuronDevicePlugin extends Construct {
  /** Name of the DaemonSet. */
  readonly name: string;
  /** The DaemonSet object. */
  readonly resource: Resource<DaemonSet>;

  constructor(scope: Construct, id: string, props: NeuronDevicePluginProps) {
    super(scope, id);
    this.name = props.name ?? 'neuron-device-plugin';
    this.resource = nodeDaemonSet(this, {
      ...props,
      overrides: props.overrides,
      name: this.name,
      namespace: props.namespace ?? 'kube-system',
      podLabels: { name: 'neuron-device-plugin-ds' },
      tolerations: props.tolerations ?? [
        { key: 'CriticalAddonsOnly', operator: 'Exists' },
        { ...acceleratorToleration('aws.amazon.com/neuron') },
      ],
      nodeRequirements: [NEURON_NODES],
      permissions: [
        { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
        { apiGroups: [''], resources: ['pods'], verbs: ['update', 'patch', 'get', 'list', 'watch'] },
        { apiGroups: [''], resources: ['nodes/status'], verbs: ['patch', 'update'] },
      ],
      container: {
        name: 'neuron-device-plugin',
        image: taggedImage(props.image ?? 'public.ecr.aws/neuron/neuron-device-plugin', props.version),
        env: [
          { name: 'KUBECONFIG', value: '/etc/kubernetes/kubelet.conf' },
          { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
        ],
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
      hostMounts: [
        { name: 'device-plugin', path: '/var/lib/kubelet/device-plugins' },
        { name: 'infa-map', path: '/run' },
      ],
    });
  }
}

/** Props of a NeuronMonitor. */
export interface NeuronMonitorProps extends NamespacedObjectProps, Overridable<DaemonSet> {
  /** @default neuron-monitor */
  readonly namespace?: NamedReference<'Namespace'>;
  /** Tag of the image: `1.0.0`. */
  readonly version: string;
  /** Image of the monitor. @default - public.ecr.aws/neuron/neuron-monitor */
  readonly image?: Carried<string>;
  /** Tolerations of the pods of the monitor. @default - aws.amazon.com/neuron:NoSchedule */
  readonly tolerations?: readonly Toleration[];
}

/**
 * Publishes what the Neuron runtime and driver know, on port 8000. It does not measure devices that the Neuron DRA driver allocates.
 *
 * Source: aws-neuron-sdk, src/k8/k8s-neuron-monitor-daemonset.yml.
 *
 * @example
 * new neuron.NeuronMonitor(chart, 'neuron-monitor', { version: '1.0.0' });
 */
@publicClass('neuron.NeuronMonitor')
export class NeuronMonitor extends Construct {
  /** Name of the DaemonSet. */
  readonly name: string;
  /** The DaemonSet object. */
  readonly resource: Resource<DaemonSet>;

  constructor(scope: Construct, id: string, props: NeuronMonitorProps) {
    super(scope, id);
    this.name = props.name ?? id;
    this.resource = nodeDaemonSet(this, {
      ...props,
      overrides: props.overrides,
      name: this.name,
      namespace: props.namespace ?? ACCELERATOR_EXPORTERS.neuron.namespace,
      podLabels: NEURON_MONITOR_LABELS,
      tolerations: props.tolerations ?? [{ ...acceleratorToleration('aws.amazon.com/neuron') }],
      nodeRequirements: [NEURON_NODES],
      container: {
        name: 'neuron-monitor',
        image: taggedImage(props.image ?? 'public.ecr.aws/neuron/neuron-monitor', props.version),
        command: ['/opt/bin/entrypoint.sh'],
        args: ['--port', String(NEURON_MONITOR_PORT)],
        ports: [{ name: 'metrics', containerPort: NEURON_MONITOR_PORT }],
        env: [{ name: 'GOMEMLIMIT', value: '160MiB' }],
        resources: { requests: { cpu: '256m', memory: '128Mi' }, limits: { cpu: '500m', memory: '256Mi' } },
        securityContext: { privileged: true },
      },
      hostMounts: [],
    });
  }
}
