/**
 * GaudiExporter: the Prometheus exporter of Intel Gaudi, for nodes without the base operator, which brings its own.
 */
import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { type Toleration } from '../../facts/api/types/core/v1';
import { ACCELERATOR_EXPORTERS, acceleratorToleration } from '../../facts/catalog';
import { nodeDaemonSet } from '../resources/node-daemon-set';
import { type DaemonSet } from '../../facts/api/types/apps/v1';
import { type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { type NamedReference } from '../resources/references';
import { publicClass } from '../resources/public-class';

/** Port of the exporter's metrics. */
export const GAUDI_EXPORTER_PORT = ACCELERATOR_EXPORTERS.gaudi.port.number;
/** Labels of the exporter's pods. */
export const GAUDI_EXPORTER_LABELS = ACCELERATOR_EXPORTERS.gaudi.podLabels ?? {};

/** Props of a GaudiExporter. */
export interface GaudiExporterProps extends NamespacedObjectProps, Overridable<DaemonSet> {
  /** @default habana-system */
  readonly namespace?: NamedReference<'Namespace'>;
  /** Tag of the image: `1.22.1-6`. It must fit the driver of the nodes. */
  readonly version: string;
  /** Image of the exporter. @default - vault.habana.ai/gaudi-metric-exporter/metric-exporter */
  readonly image?: string;
  /** Labels of the Gaudi nodes. @default - every node that the tolerations admit */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Tolerations of the pods of the exporter. @default - habana.ai/gaudi:NoSchedule */
  readonly tolerations?: readonly Toleration[];
}

/**
 * Publishes what `hl-smi` knows of each device, on port 41611.
 *
 * Source: Intel Gaudi documentation, "Prometheus Metric Exporter".
 *
 * @example
 * new gaudi.GaudiExporter(chart, 'gaudi-metrics', { version: '1.22.1-6' });
 */
@publicClass('gaudi.GaudiExporter')
export class GaudiExporter extends Construct {
  /** Name of the DaemonSet. */
  readonly name: string;
  /** The DaemonSet object. */
  readonly resource: ApiObject;

  constructor(scope: Construct, id: string, props: GaudiExporterProps) {
    super(scope, id);
    this.name = props.name ?? id;
    this.resource = nodeDaemonSet(this, {
      ...props,
      overrides: props.overrides,
      name: this.name,
      namespace: props.namespace ?? ACCELERATOR_EXPORTERS.gaudi.namespace,
      podLabels: GAUDI_EXPORTER_LABELS,
      tolerations: props.tolerations ?? [{ ...acceleratorToleration('habana.ai/gaudi') }],
      container: {
        name: 'metric-exporter',
        image: `${props.image ?? 'vault.habana.ai/gaudi-metric-exporter/metric-exporter'}:${props.version}`,
        args: ['--port', String(GAUDI_EXPORTER_PORT)],
        ports: [{ name: 'metrics', containerPort: GAUDI_EXPORTER_PORT }],
        securityContext: { privileged: true },
      },
      hostMounts: [
        { name: 'dev', path: '/dev' },
        { name: 'pod-resources', path: '/var/lib/kubelet/pod-resources', readOnly: true },
      ],
    });
  }
}
