/**
 * ResourceClaimTemplate: what devices each pod shall get by dynamic resource allocation, in the form that the target minor serves.
 */
import { Construct } from 'constructs';
import { DEFAULT_MINOR } from '../../facts/api/kinds';
import { type ResourceKind } from '../../facts/api/resource-kind';
import { type KubernetesMinor } from '../../facts/api/schema';
import { type ResourceClaimTemplate as ResourceClaimTemplateObject } from '../../facts/api/types/resource.k8s.io/v1';
import { Checks } from '../../checks/synth/checks-of';
import { Accelerator } from '../pods/accelerator';
import { type AcceleratorOptions } from '../pods/accelerator-options';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { type ObjectReference } from '../resources/references';
import { Resource } from '../resources/resource';
import {
  classesIn,
  type ClaimStatement,
  countOf,
  type DeviceOptions,
  type DeviceRequest,
  renderDevices,
  tolerationsFor,
} from './device-request';
import { type ClaimForm, claimForm } from './dra-facts';
import { publicClass } from '../resources/public-class';

/** Props of a ResourceClaimTemplate. */
export interface ResourceClaimTemplateProps
  extends NamespacedObjectProps, Overridable<ResourceClaimTemplateObject>, ClaimStatement {
  /** The minor whose form is written. @default - the target of the app's checks, when the construct is made */
  readonly kubernetes?: KubernetesMinor;
}

/**
 * Rules: `core/device-*`, `devices/dra-*`. Source: kubernetes 1.36, pkg/apis/resource/validation.
 *
 * @example
 * const claim = new devices.ResourceClaimTemplate(chart, 'gpus', {
 *   requests: [{ name: 'gpu', count: 2, selectors: [devices.DeviceSelector.memoryAtLeast('70Gi')] }],
 * });
 * new PodTemplate({ image, accelerators: claim.accelerator() });
 */
@publicClass('devices.ResourceClaimTemplate')
export class ResourceClaimTemplate extends Construct implements ObjectReference<'ResourceClaimTemplate'> {
  /** Always `ResourceClaimTemplate`, the kind that references carry. */
  readonly kind = 'ResourceClaimTemplate';
  /** Name of the ResourceClaimTemplate. */
  readonly name: string;
  /** The ResourceClaimTemplate object. */
  readonly resource: Resource<ResourceClaimTemplateObject>;

  /** @throws if the target minor has no such claims, or a request names no devices */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: ResourceClaimTemplateProps,
  ) {
    super(scope, id);
    this.name = props.name ?? id;
    const form = formFor(this, props.kubernetes);
    const kind: ResourceKind<ResourceClaimTemplateObject> = {
      apiVersion: form.apiVersion,
      kind: 'ResourceClaimTemplate',
    };
    this.resource = new Resource(
      this,
      'Resource',
      kind,
      {
        metadata: namespacedMetadata(this.name, props),
        spec: { spec: { devices: renderDevices(props, form) } },
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace, ...classesIn(props.requests));
  }

  /**
   * The request of a pod for what the claim brings. The pod tolerates the taint of the nodes of each known
   * device class, unless `tolerations` are given.
   *
   * @param options `count`: devices of each pod, where the claim does not say (`all`)
   * @throws if the claim does not say how many devices a pod gets, and `count` does not either
   */
  accelerator(
    options: Partial<AcceleratorOptions> & { readonly claimName?: string; readonly request?: string } = {},
  ): Accelerator {
    const count = options.count ?? this.deviceCount(options.request);
    if (count === undefined) {
      throw new Error(
        `${this.node.path}: the number of devices per pod is not known. Set it with accelerator({ count: … }).`,
      );
    }
    const tolerations = options.tolerations ?? tolerationsFor(this.props.requests);
    return Accelerator.claim({ ...options, count, tolerations, template: this });
  }

  private deviceCount(request: string | undefined): number | undefined {
    const counts = this.props.requests.filter(({ name }) => request === undefined || name === request).map(countOf);
    return counts.reduce<number | undefined>(
      (sum, count) => (sum === undefined || count === undefined ? undefined : sum + count),
      0,
    );
  }
}

/** Props of a GpuClaim. */
export interface GpuClaimProps extends Omit<ResourceClaimTemplateProps, 'requests'>, DeviceOptions {
  /** The first of these that can be had, instead of one kind of device. @default - devices of one kind */
  readonly firstAvailable?: Extract<DeviceRequest, { readonly firstAvailable: readonly unknown[] }>['firstAvailable'];
}

/**
 * A claim for GPUs of one kind: a `ResourceClaimTemplate` with the one request `gpu`.
 *
 * @example
 * const claim = new devices.GpuClaim(chart, 'gpus', { count: 2 });
 * new PodTemplate({ image, accelerators: claim.accelerator() });
 */
@publicClass('devices.GpuClaim')
export class GpuClaim extends ResourceClaimTemplate {
  constructor(scope: Construct, id: string, props: GpuClaimProps = {}) {
    const { deviceClass, count, selectors, capacity, tolerations, adminAccess, firstAvailable } = props;
    const request: DeviceRequest =
      firstAvailable === undefined
        ? { name: 'gpu', deviceClass, count, selectors, capacity, tolerations, adminAccess }
        : { name: 'gpu', firstAvailable };
    super(scope, id, { ...props, requests: [request] });
  }
}

/** @throws if the minor has only the form of claims that was given up */
export function formFor(scope: Construct, kubernetes: KubernetesMinor | undefined): ClaimForm {
  const minor = kubernetes ?? Checks.of(scope).options.kubernetes ?? DEFAULT_MINOR;
  const form = claimForm(minor);
  if (form === undefined) {
    throw new Error(
      `Kubernetes ${minor} does not support structured claims for devices, which are alpha in 1.31, beta in 1.32 and 1.33, and stable in 1.34 and later.`,
    );
  }
  return form;
}
