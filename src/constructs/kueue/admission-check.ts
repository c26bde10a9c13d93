/**
 * AdmissionCheck: what another controller has to agree to before a workload that has quota starts.
 */
import { Construct } from 'constructs';
import {
  AdmissionCheck as AdmissionCheckKind,
  type AdmissionCheckSpecParameters,
} from '../../facts/api/types/kueue.x-k8s.io/v1beta2';
import { type ClusterObjectProps, clusterMetadata, type Overridable } from '../resources/object-props';
import { type ObjectReference } from '../resources/references';
import { Resource } from '../resources/resource';
import { publicClass } from '../resources/public-class';

/** Whatever names a check: an `AdmissionCheck`, or `AdmissionCheck.fromName(…)` for one of the cluster. */
export type AdmissionCheckReference = ObjectReference<'AdmissionCheck'>;

/** Props of an AdmissionCheck. */
export interface AdmissionCheckProps extends ClusterObjectProps, Overridable<AdmissionCheckKind> {
  /** Who answers, for example `kueue.x-k8s.io/provisioning-request` or `kueue.x-k8s.io/multikueue`. Cannot be changed later. */
  readonly controllerName: 'kueue.x-k8s.io/provisioning-request' | 'kueue.x-k8s.io/multikueue' | (string & {});
  /** The object with the controller's own settings, such as a ProvisioningRequestConfig. @default - none */
  readonly parameters?: AdmissionCheckSpecParameters;
}

/**
 * An AdmissionCheck: a condition beside quota that workloads must pass before Kueue admits them.
 *
 * @example
 * new kueue.AdmissionCheck(chart, 'autoscale', {
 *   controllerName: 'kueue.x-k8s.io/provisioning-request',
 *   parameters: { apiGroup: 'kueue.x-k8s.io', kind: 'ProvisioningRequestConfig', name: 'h100' },
 * });
 */
@publicClass('kueue.AdmissionCheck')
export class AdmissionCheck extends Construct implements AdmissionCheckReference {
  /** A check that exists in the cluster. */
  static fromName(name: string): AdmissionCheckReference {
    return { kind: 'AdmissionCheck', name };
  }

  /** Always `AdmissionCheck`, the kind that references carry. */
  readonly kind = 'AdmissionCheck';
  /** Name of the AdmissionCheck. */
  readonly name: string;
  /** The AdmissionCheck object. */
  readonly resource: Resource<AdmissionCheckKind>;

  constructor(scope: Construct, id: string, props: AdmissionCheckProps) {
    super(scope, id);
    this.name = props.name ?? id;
    this.resource = new Resource(
      this,
      'Resource',
      AdmissionCheckKind,
      {
        metadata: clusterMetadata(id, props),
        spec: { controllerName: props.controllerName, parameters: props.parameters },
      },
      props.overrides,
    );
  }
}
