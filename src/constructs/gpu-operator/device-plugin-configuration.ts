/**
 * DevicePluginConfiguration: how nodes expose their GPUs, one entry of a ConfigMap per kind of node.
 */
import { Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { ConfigMap } from '../../facts/api/types/core/v1';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { configText } from './config-text';
import { type Sharing } from './sharing';
import { publicClass } from '../resources/public-class';

/** The node label whose value is the key of the node's configuration. */
export const DEVICE_PLUGIN_CONFIG_LABEL = 'nvidia.com/device-plugin.config';

/** Props of a DevicePluginConfiguration. */
export interface DevicePluginConfigurationProps extends NamespacedObjectProps, Overridable<ConfigMap> {
  /**
   * Configurations by name. Names are keys of the ConfigMap and values of the node label.
   * @default - none; `addConfiguration` adds one
   */
  readonly configurations?: Readonly<Record<string, Sharing>>;
}

/**
 * Rules: `gpu-operator/device-plugin-*`, `gpu-operator/sharing-*`. Source: k8s-device-plugin, api/config/v1.
 *
 * @example
 * const plugin = new gpuOperator.DevicePluginConfiguration(chart, 'plugin', { namespace: 'gpu-operator' });
 * const labels = plugin.addConfiguration('inference', gpuOperator.Sharing.timeSlicing({ replicas: 4 }));
 */
@publicClass('gpuOperator.DevicePluginConfiguration')
export class DevicePluginConfiguration extends Construct {
  /** Always `ConfigMap`, the kind that references carry. */
  readonly kind = 'ConfigMap';
  /** Name of the ConfigMap. */
  readonly name: string;
  /** The ConfigMap object. */
  readonly resource: Resource<ConfigMap>;
  private readonly configurations: Map<string, Sharing>;

  constructor(scope: Construct, id: string, props: DevicePluginConfigurationProps = {}) {
    super(scope, id);
    this.name = props.name ?? id;
    this.configurations = new Map(Object.entries(props.configurations ?? {}));
    this.resource = new Resource(
      this,
      'Resource',
      ConfigMap,
      {
        metadata: namespacedMetadata(this.name, props),
        data: Lazy.any({ produce: () => this.data }) as Record<string, string>,
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace);
  }

  /**
   * Adds a configuration, and returns the labels for its nodes.
   *
   * @throws if the name is taken, or cannot be the value of a label
   */
  addConfiguration(name: string, sharing: Sharing): Readonly<Record<string, string>> {
    checkConfigName(name, this.configurations.has(name));
    this.configurations.set(name, sharing);
    return { [DEVICE_PLUGIN_CONFIG_LABEL]: name };
  }

  /** The texts by name, as the ConfigMap has them. */
  get data(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      [...this.configurations].map(([name, sharing]) => [name, configText(sharing.toDevicePluginConfig())]),
    );
  }
}

/** @throws if the name is taken, or cannot be the value of a label */
export function checkConfigName(name: string, taken: boolean): void {
  if (taken) {
    throw new Error(`configuration "${name}" already exists. Give each configuration a unique name.`);
  }
  if (!/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(name)) {
    throw new Error(
      `configuration "${name}" must be a valid label value: at most 63 letters, digits, "-", "_", and ".", beginning and ending with a letter or digit.`,
    );
  }
}
