/**
 * DeviceClass: devices under a name that claims ask for, and, if need be, under the name of an extended resource.
 */
import { Construct } from 'constructs';
import { type ResourceKind } from '../../facts/api/resource-kind';
import { type KubernetesMinor } from '../../facts/api/schema';
import { type DeviceClass as DeviceClassObject } from '../../facts/api/types/resource.k8s.io/v1';
import { clusterMetadata, type ClusterObjectProps, type Overridable } from '../resources/object-props';
import { type ObjectReference } from '../resources/references';
import { Resource } from '../resources/resource';
import { type DeviceSelector } from './device-selector';
import { type DriverConfig } from './device-request';
import { formFor } from './resource-claim-template';
import { publicClass } from '../resources/public-class';

/** Props of a DeviceClass. */
export type DeviceClassReference = ObjectReference<'DeviceClass'>;

/** Props of a DeviceClass. */
export interface DeviceClassProps extends ClusterObjectProps, Overridable<DeviceClassObject> {
  /**
   * Conditions that devices must meet, all of them. The first one usually names the driver.
   * @default - every device of every driver
   */
  readonly selectors?: readonly DeviceSelector[];
  /** Parameters for drivers, for all claims of the class. @default - none */
  readonly config?: readonly Omit<DriverConfig, 'requests'>[];
  /**
   * Pods that ask for this resource get devices of the class. A node must not serve one name by a device plugin as well.
   * Feature gate DRAExtendedResource, on from Kubernetes 1.36.
   * @default - claims alone
   */
  readonly extendedResourceName?: string;
  /** The minor whose form is written. @default - the target of the app's checks, when the construct is made */
  readonly kubernetes?: KubernetesMinor;
}

/**
 * Rules: `core/device-class-valid`, `devices/extended-resource-served-once`. Source: kubernetes 1.36, pkg/apis/resource/validation.
 *
 * @example
 * const large = new devices.DeviceClass(chart, 'large-gpu.example.com', {
 *   selectors: [devices.DeviceSelector.cel('device.driver == "gpu.nvidia.com"'), devices.DeviceSelector.memoryAtLeast('70Gi')],
 * });
 */
@publicClass('devices.DeviceClass')
export class DeviceClass extends Construct implements DeviceClassReference {
  /** A class of the cluster. */
  static fromName(name: string): DeviceClassReference {
    return { kind: 'DeviceClass', name };
  }

  /** Always `DeviceClass`, the kind that references carry. */
  readonly kind = 'DeviceClass';
  /** Name of the DeviceClass. */
  readonly name: string;
  /** The DeviceClass object. */
  readonly resource: Resource<DeviceClassObject>;

  /** @throws if the target minor has no such classes */
  constructor(scope: Construct, id: string, props: DeviceClassProps = {}) {
    super(scope, id);
    this.name = props.name ?? id;
    const { apiVersion } = formFor(this, props.kubernetes);
    const kind: ResourceKind<DeviceClassObject> = { apiVersion, kind: 'DeviceClass' };
    this.resource = new Resource(
      this,
      'Resource',
      kind,
      {
        metadata: clusterMetadata(id, props),
        spec: {
          selectors: props.selectors?.map((selector) => selector.toSelector()),
          config: props.config?.map(({ driver, parameters }) => ({ opaque: { driver, parameters } })),
          extendedResourceName: props.extendedResourceName,
        },
      },
      props.overrides,
    );
  }
}
