/**
 * NpuExporter: the Prometheus exporter of Huawei Ascend.
 */
import { type Carried, type CarriedMap, passed } from '../../manifests/values/deferred';
import { Construct } from 'constructs';
import { type Toleration } from '../../facts/api/types/core/v1';
import { ACCELERATOR_EXPORTERS } from '../../facts/catalog';
import { nodeDaemonSet } from '../resources/node-daemon-set';
import { type DaemonSet } from '../../facts/api/types/apps/v1';
import { type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { type NamedReference } from '../resources/references';
import { publicClass } from '../resources/public-class';
import { type Resource } from '../resources/resource';

/** Namespace of the exporter, by convention. */
export const NPU_EXPORTER_NAMESPACE = ACCELERATOR_EXPORTERS.ascend.namespace;
/** Labels of the exporter's pods. */
export const NPU_EXPORTER_LABELS = ACCELERATOR_EXPORTERS.ascend.podLabels ?? {};
/** Port of the exporter's metrics. */
export const NPU_EXPORTER_PORT = ACCELERATOR_EXPORTERS.ascend.port.number;

/** Props of an NpuExporter. */
export interface NpuExporterProps extends NamespacedObjectProps, Overridable<DaemonSet> {
  /** @default npu-exporter */
  readonly namespace?: NamedReference<'Namespace'>;
  /** Image of the exporter. Upstream publishes archives to build it from, not an image: name yours, with its tag. */
  readonly image: Carried<string>;
  /** Labels of the nodes that the exporter runs on. @default - the label workerselector=dls-worker-node */
  readonly nodeSelector?: CarriedMap<string>;
  /**
   * Tolerations of the pods of the exporter.
   * @default - huawei.com/Ascend910:NoSchedule and huawei.com/Ascend310P:NoSchedule
   */
  readonly tolerations?: readonly Toleration[];
}

/**
 * Publishes what DCMI knows of each NPU, on port 8082.
 *
 * Source: Ascend mind-cluster, component/npu-exporter/build/npu-exporter.yaml, for nodes that run containerd.
 *
 * @example
 * new ascend.NpuExporter(chart, 'npu-exporter', { image: 'registry.example.com/npu-exporter:v26.0.0' });
 */
@publicClass('ascend.NpuExporter')
export class NpuExporter extends Construct {
  /** Name of the DaemonSet. */
  readonly name: string;
  /** The DaemonSet object. */
  readonly resource: Resource<DaemonSet>;

  constructor(scope: Construct, id: string, props: NpuExporterProps) {
    super(scope, id);
    this.name = props.name ?? id;
    this.resource = nodeDaemonSet(this, {
      ...props,
      overrides: props.overrides,
      name: this.name,
      namespace: props.namespace ?? NPU_EXPORTER_NAMESPACE,
      podLabels: NPU_EXPORTER_LABELS,
      nodeSelector: props.nodeSelector ?? { workerselector: 'dls-worker-node' },
      tolerations: props.tolerations ?? [
        { key: 'huawei.com/Ascend910', operator: 'Exists', effect: 'NoSchedule' },
        { key: 'huawei.com/Ascend310P', operator: 'Exists', effect: 'NoSchedule' },
      ],
      container: {
        name: 'npu-exporter',
        image: passed(props.image),
        command: ['/bin/bash', '-c', '--'],
        args: [
          `umask 027;npu-exporter -port=${NPU_EXPORTER_PORT} -ip=0.0.0.0 -logFile=/var/log/mindx-dl/npu-exporter/npu-exporter.log -logLevel=0 -containerMode=containerd`,
        ],
        ports: [{ name: 'http', containerPort: NPU_EXPORTER_PORT }],
        resources: { requests: { cpu: '1', memory: '1000Mi' }, limits: { cpu: '1', memory: '1000Mi' } },
        securityContext: { privileged: true, readOnlyRootFilesystem: true, runAsUser: 0, runAsGroup: 0 },
      },
      hostMounts: [
        { name: 'log-npu-exporter', path: '/var/log/mindx-dl/npu-exporter', type: 'DirectoryOrCreate' },
        { name: 'localtime', path: '/etc/localtime', readOnly: true },
        { name: 'ascend-driver', path: '/usr/local/Ascend/driver', readOnly: true },
        { name: 'ascend-dcmi', path: '/usr/local/dcmi', readOnly: true },
        { name: 'containerd', path: '/run/containerd', readOnly: true },
        { name: 'tmp', path: '/tmp' },
      ],
    });
  }
}
