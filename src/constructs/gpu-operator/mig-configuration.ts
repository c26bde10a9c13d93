/**
 * MigConfiguration: how nodes cut their GPUs, one file in a ConfigMap with a named entry per kind of node.
 */
import { Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { type JsonObject } from '../../facts/api/schema';
import { ConfigMap } from '../../facts/api/types/core/v1';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { configText } from './config-text';
import { checkConfigName } from './device-plugin-configuration';
import { MIG_CONFIG_KEY } from './mig-parted-text';
import { type Sharing } from './sharing';
import { publicClass } from '../resources/public-class';

/** The node label whose value is the name of the node's layout. */
export const MIG_CONFIG_LABEL = 'nvidia.com/mig.config';

/** The file replaces the built-in one, so it must contain the operator's default as well. */
const DISABLED = 'all-disabled';

/** Props of a MigConfiguration. */
export interface MigConfigurationProps extends NamespacedObjectProps, Overridable<ConfigMap> {
  /**
   * Configurations by name. Names are values of the node label. `all-disabled` always exists.
   * @default - none; `addConfiguration` adds one
   */
  readonly configurations?: Readonly<Record<string, Sharing>>;
}

/**
 * Rules: `gpu-operator/mig-*`. Source: mig-parted, api/spec/v1/spec.go.
 *
 * @example
 * const mig = new gpuOperator.MigConfiguration(chart, 'mig', { namespace: 'gpu-operator' });
 * const labels = mig.addConfiguration('small', gpuOperator.Sharing.mig({ gpu: 'H100-SXM-80GB', layout: { '1g.10gb': 7 } }));
 */
@publicClass('gpuOperator.MigConfiguration')
export class MigConfiguration extends Construct {
  /** Always `ConfigMap`, the kind that references carry. */
  readonly kind = 'ConfigMap';
  /** Name of the ConfigMap. */
  readonly name: string;
  /** The ConfigMap object. */
  readonly resource: Resource<ConfigMap>;
  private readonly entries = new Map<string, readonly JsonObject[]>([
    [DISABLED, [{ devices: 'all', 'mig-enabled': false }]],
  ]);

  constructor(scope: Construct, id: string, props: MigConfigurationProps = {}) {
    super(scope, id);
    this.name = props.name ?? id;
    for (const [name, sharing] of Object.entries(props.configurations ?? {})) {
      this.addConfiguration(name, sharing);
    }
    this.resource = new Resource(
      this,
      'Resource',
      ConfigMap,
      {
        metadata: namespacedMetadata(this.name, props),
        data: { [MIG_CONFIG_KEY]: Lazy.any({ produce: () => this.text }) as string },
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace);
  }

  /**
   * Adds a layout, and returns the labels for its nodes. The MIG manager stops the GPU pods of a node before it cuts.
   *
   * @throws if the name is taken or cannot be the value of a label, or GPUs are not to be cut
   */
  addConfiguration(name: string, sharing: Sharing): Readonly<Record<string, string>> {
    checkConfigName(name, this.entries.has(name));
    const entries = sharing.toMigEntries();
    if (entries === undefined) {
      throw new Error(
        `configuration "${name}" does not partition GPUs. Use Sharing.mig({ … }), or keep the nodes at ${DISABLED}.`,
      );
    }
    this.entries.set(name, entries);
    return { [MIG_CONFIG_LABEL]: name };
  }

  /** The file as the MIG manager reads it. */
  get text(): string {
    return configText({
      version: 'v1',
      'mig-configs': Object.fromEntries([...this.entries].map(([name, entries]) => [name, [...entries]])),
    });
  }
}
