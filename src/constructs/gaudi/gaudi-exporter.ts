/**
 * GaudiExporter: the Prometheus exporter of Intel Gaudi, for nodes without the base operator, which brings its own.
 */
import { type Carried, type CarriedMap, taggedImage } from '../../manifests/values/deferred';
import { Construct } from 'constructs';
import { type Toleration } from '../../facts/api/types/core/v1';
import { ACCELERATOR_EXPORTERS, acceleratorToleration } from '../../facts/catalog';
import { versionOf } from '../../facts/upstream';
import { nodeDaemonSet } from '../resources/node-daemon-set';
import { type DaemonSet } from '../../facts/api/types/apps/v1';
import { type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { type NamedReference } from '../resources/references';
import { publicClass } from '../resources/public-class';
import { type Resource } from '../resources/resource';
import { GAUDI_IMAGES } from './cluster-policy';

/** Port of the exporter's metrics. */
export const GAUDI_EXPORTER_PORT = ACCELERATOR_EXPORTERS.gaudi.port.number;
/** Labels of the exporter's pods. */
export const GAUDI_EXPORTER_LABELS = ACCELERATOR_EXPORTERS.gaudi.podLabels ?? {};

/** Props of a GaudiExporter. */
export interface GaudiExporterProps extends NamespacedObjectProps, Overridable<DaemonSet> {
  /** @default habana-system */
  readonly namespace?: NamedReference<'Namespace'>;
  /** Release of the software, the tag of the image: `1.24.2-481`. It must fit the driver of the nodes. @default - that of the catalog */
  readonly version?: string;
  /** Image of the exporter, without its tag. @default docker.io/intel/gaudi-metric-exporter */
  readonly image?: Carried<string>;
  /** Labels of the Gaudi nodes. @default - every node that the tolerations admit */
  readonly nodeSelector?: CarriedMap<string>;
  /** Tolerations of the pods of the exporter. @default - habana.ai/gaudi:NoSchedule */
  readonly tolerations?: readonly Toleration[];
}

/**
 * Publishes what `hl-smi` reports of each device, on port 41611. It answers one scrape in 5 seconds and rejects more.
 *
 * Source: HabanaAI/gaudi-metric-exporter, main.go and deploy/manifests/metric-exporter-daemonset.yaml.
 *
 * @example
 * new gaudi.GaudiExporter(chart, 'gaudi-metrics');
 */
@publicClass('gaudi.GaudiExporter')
export class GaudiExporter extends Construct {
  /** Name of the DaemonSet. */
  readonly name: string;
  /** The DaemonSet object. */
  readonly resource: Resource<DaemonSet>;

  constructor(scope: Construct, id: string, props: GaudiExporterProps = {}) {
    super(scope, id);
    this.name = props.name ?? id;
    this.resource = nodeDaemonSet(this, {
      ...props,
      overrides: props.overrides,
      name: this.name,
      namespace: props.namespace ?? ACCELERATOR_EXPORTERS.gaudi.namespace,
      podLabels: GAUDI_EXPORTER_LABELS,
      // The ports of the devices are network interfaces of the node.
      hostNetwork: true,
      tolerations: props.tolerations ?? [{ ...acceleratorToleration('habana.ai/gaudi') }],
      container: {
        name: 'metric-exporter',
        image: taggedImage(
          props.image ?? `${GAUDI_IMAGES}/gaudi-metric-exporter`,
          props.version ?? versionOf('gaudi-base-operator'),
        ),
        args: ['--port', String(GAUDI_EXPORTER_PORT)],
        env: [{ name: 'LD_LIBRARY_PATH', value: '/usr/lib/habanalabs' }],
        ports: [{ name: 'metrics', containerPort: GAUDI_EXPORTER_PORT }],
        securityContext: { privileged: true },
      },
      hostMounts: [{ name: 'pod-resources', path: '/var/lib/kubelet/pod-resources' }],
    });
  }
}
