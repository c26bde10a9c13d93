/**
 * GaudiDevicePlugin: the device plugin of Intel Gaudi alone, for nodes whose driver and container runtime are installed already.
 */
import { type Carried, type CarriedMap, taggedImage } from '../../manifests/values/deferred';
import { Construct } from 'constructs';
import { type Toleration } from '../../facts/api/types/core/v1';
import { acceleratorToleration } from '../../facts/catalog';
import { versionOf } from '../../facts/upstream';
import { nodeDaemonSet } from '../resources/node-daemon-set';
import { type DaemonSet } from '../../facts/api/types/apps/v1';
import { type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { type NamedReference } from '../resources/references';
import { publicClass } from '../resources/public-class';
import { type Resource } from '../resources/resource';
import { GAUDI_IMAGES } from './cluster-policy';

/** Namespace of the device plugin, by convention. */
export const GAUDI_NAMESPACE = 'habana-system';
/** Namespace of the base operator, by convention. */
export const GAUDI_OPERATOR_NAMESPACE = 'habana-ai-operator';

/** Props of a GaudiDevicePlugin. */
export interface GaudiDevicePluginProps extends NamespacedObjectProps, Overridable<DaemonSet> {
  /** @default habana-system */
  readonly namespace?: NamedReference<'Namespace'>;
  /** Release of the software, the tag of the image: `1.24.2-481`. It must fit the driver of the nodes. @default - that of the catalog */
  readonly version?: string;
  /** Image of the plugin, without its tag. @default docker.io/intel/gaudi-device-plugin */
  readonly image?: Carried<string>;
  /** Labels of the Gaudi nodes. @default - every node that the tolerations admit */
  readonly nodeSelector?: CarriedMap<string>;
  /** Tolerations of the pods of the plugin. @default - habana.ai/gaudi:NoSchedule and CriticalAddonsOnly */
  readonly tolerations?: readonly Toleration[];
}

/**
 * Serves the Gaudi devices of each node as `habana.ai/gaudi`.
 *
 * The base operator (chart `habana-ai-operator`) brings the same plugin together with the driver; use one of the two.
 *
 * Rules: `gaudi/*`. Source: HabanaAI/habanalabs-k8s-device-plugin, habana-k8s-device-plugin.yaml, which the Intel Gaudi documentation installs; image of the
 * base operator.
 *
 * @example
 * new gaudi.GaudiDevicePlugin(chart, 'gaudi', {
 *   tolerations: [{ key: 'habana.ai/gaudi', operator: 'Exists', effect: 'NoSchedule' }],
 * });
 */
@publicClass('gaudi.GaudiDevicePlugin')
export class GaudiDevicePlugin extends Construct {
  /** Name of the DaemonSet. */
  readonly name: string;
  /** The DaemonSet object. */
  readonly resource: Resource<DaemonSet>;

  constructor(scope: Construct, id: string, props: GaudiDevicePluginProps = {}) {
    super(scope, id);
    this.name = props.name ?? 'habanalabs-device-plugin-daemonset';
    this.resource = nodeDaemonSet(this, {
      ...props,
      overrides: props.overrides,
      name: this.name,
      namespace: props.namespace ?? GAUDI_NAMESPACE,
      podLabels: { name: 'habanalabs-device-plugin-ds' },
      tolerations: props.tolerations ?? [
        { key: 'CriticalAddonsOnly', operator: 'Exists' },
        { ...acceleratorToleration('habana.ai/gaudi') },
      ],
      container: {
        name: 'habanalabs-device-plugin-ctr',
        image: taggedImage(
          props.image ?? `${GAUDI_IMAGES}/gaudi-device-plugin`,
          props.version ?? versionOf('gaudi-base-operator'),
        ),
        securityContext: { privileged: true },
      },
      hostMounts: [{ name: 'device-plugin', path: '/var/lib/kubelet/device-plugins' }],
    });
  }
}
