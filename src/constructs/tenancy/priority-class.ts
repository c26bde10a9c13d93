/**
 * PriorityClass: who goes first, and who may be pushed aside.
 */
import { type Carried } from '../../manifests/values/deferred';
import { Construct } from 'constructs';
import { PriorityClass as PriorityClassKind } from '../../facts/api/types/scheduling.k8s.io/v1';
import { Checks } from '../../checks/synth/checks-of';
import { type PriorityClassReference } from '../resources/references';
import { type ClusterObjectProps, clusterMetadata, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { publicClass } from '../resources/public-class';

/** `Never` waits in front of lower pods without pushing them aside. */
export type PreemptionPolicy = 'PreemptLowerPriority' | 'Never';

/** Props of a PriorityClass. */
export interface PriorityClassProps extends ClusterObjectProps, Overridable<PriorityClassKind> {
  /**
   * Higher goes first. Whole, at most 1,000,000,000: what is above belongs to the system.
   *
   * Source: Kubernetes 1.36, pkg/apis/scheduling/validation.
   */
  readonly value: number;
  /** Whether pods of the class preempt others. @default 'PreemptLowerPriority' */
  readonly preemptionPolicy?: PreemptionPolicy;
  /**
   * Why every new pod of the cluster that names no class gets this priority. One class of a cluster can have one.
   *
   * It also moves the pods of controllers and add-ons, above all existing pods, which keep 0. For this reason you must give a reason, which is recorded on the
   * object.
   * @default - pods that name no class keep priority 0
   */
  readonly globalDefaultBecause?: string;
  /** What the class is for. @default - none */
  readonly description?: Carried<string>;
}

/**
 * A PriorityClass that the app creates, which pods and jobs refer to.
 *
 * @example new PriorityClass(chart, 'production', { value: 3000, description: 'Training that a release waits for' });
 */
@publicClass('PriorityClass')
export class PriorityClass extends Construct implements PriorityClassReference {
  /** A class that exists in the cluster, for example `system-node-critical`. */
  static fromName(name: string): PriorityClassReference {
    return { kind: 'PriorityClass', name };
  }

  /** Always `PriorityClass`, the kind that references carry. */
  readonly kind = 'PriorityClass';
  /** Name of the PriorityClass. */
  readonly name: string;
  /** Priority of the pods; higher comes first. */
  readonly value: number;
  /** The PriorityClass object. */
  readonly resource: Resource<PriorityClassKind>;

  /** @throws if the reason for a global default is empty */
  constructor(scope: Construct, id: string, props: PriorityClassProps) {
    super(scope, id);
    this.name = props.name ?? id;
    this.value = props.value;
    this.resource = new Resource(
      this,
      'Resource',
      PriorityClassKind,
      {
        metadata: clusterMetadata(id, props),
        value: props.value,
        preemptionPolicy: props.preemptionPolicy,
        description: props.description,
        ...(props.globalDefaultBecause === undefined ? {} : { globalDefault: true }),
      },
      props.overrides,
    );
    if (props.globalDefaultBecause !== undefined) {
      Checks.of(this).ignore('tenancy/global-default-deliberate', props.globalDefaultBecause);
    }
  }
}
