/**
 * PriorityClass: who goes first, and who may be pushed aside.
 */
import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { PriorityClass as PriorityClassKind } from '../../facts/api/types/scheduling.k8s.io/v1';
import { Checks } from '../../checks/checks-of';
import { Resource } from '../resources/resource';

/** Whatever names a priority class: a `PriorityClass`, or `PriorityClass.fromName(…)` for one of the cluster. */
export interface IPriorityClass {
  /** Name of the PriorityClass. */
  readonly priorityClassName: string;
}

/** `Never` waits in front of lower pods without pushing them aside. */
export type PreemptionPolicy = 'PreemptLowerPriority' | 'Never';

/** Props of a PriorityClass. */
export interface PriorityClassProps {
  /** Name of the PriorityClass. @default - the construct's id */
  readonly name?: string;
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
  readonly description?: string;
}

/**
 * A PriorityClass that the app creates, which pods and jobs refer to.
 *
 * @example new PriorityClass(chart, 'production', { value: 3000, description: 'Training that a release waits for' });
 */
export class PriorityClass extends Construct implements IPriorityClass {
  /** A class that exists in the cluster, for example `system-node-critical`. */
  static fromName(name: string): IPriorityClass {
    return { priorityClassName: name };
  }

  /** Name of the PriorityClass. */
  readonly priorityClassName: string;
  /** Priority of the pods; higher comes first. */
  readonly value: number;
  /** The PriorityClass object. */
  readonly resource: ApiObject;

  /** @throws if the reason for a global default is empty */
  constructor(scope: Construct, id: string, props: PriorityClassProps) {
    super(scope, id);
    this.priorityClassName = props.name ?? id;
    this.value = props.value;
    this.resource = new Resource(this, 'Resource', PriorityClassKind, {
      metadata: { name: this.priorityClassName },
      value: props.value,
      preemptionPolicy: props.preemptionPolicy,
      description: props.description,
      ...(props.globalDefaultBecause === undefined ? {} : { globalDefault: true }),
    });
    if (props.globalDefaultBecause !== undefined) {
      Checks.of(this).ignore('tenancy/global-default-deliberate', props.globalDefaultBecause);
    }
  }
}
