/**
 * Constraints on attributes over the devices of a claim, kept while devices are chosen and given up again.
 */
import { type Device, type DeviceAttribute, type DeviceConstraint } from '../model/claims';

type Value = string;

/** One constraint of a claim, and the devices that it holds for now. */
export class ConstraintState {
  private readonly chosen: (readonly Value[])[] = [];

  constructor(private readonly constraint: DeviceConstraint) {}

  /** Whether the devices of a request, or of an alternative of it, have to observe the constraint. */
  concerns(request: string, alternative: string | undefined): boolean {
    const { requests } = this.constraint;
    return (
      requests.length === 0 ||
      requests.includes(request) ||
      (alternative !== undefined && requests.includes(`${request}/${alternative}`))
    );
  }

  /** Adds a device where the constraint holds with it. */
  add(driver: string, device: Device): boolean {
    const values = valuesOf(attributeOf(driver, device, this.constraint.attribute));
    if (values === undefined || !this.holdsWith(values)) {
      return false;
    }
    this.chosen.push(values);
    return true;
  }

  /** Gives up the device that was added last. */
  undo(): void {
    this.chosen.pop();
  }

  private holdsWith(values: readonly Value[]): boolean {
    if (this.constraint.kind === 'distinct') {
      return this.chosen.every((other) => !other.some((value) => values.includes(value)));
    }
    return values.some((value) => this.chosen.every((other) => other.includes(value)));
  }
}

/** A driver may leave out its own domain. */
function attributeOf(driver: string, { attributes }: Device, name: string): DeviceAttribute | undefined {
  const slash = name.indexOf('/');
  return attributes.get(name) ?? (name.slice(0, slash) === driver ? attributes.get(name.slice(slash + 1)) : undefined);
}

/** Each with its type, since values of different types differ. */
function valuesOf(attribute: DeviceAttribute | undefined): readonly Value[] | undefined {
  return attribute === undefined || attribute.values.length === 0
    ? undefined
    : attribute.values.map((value) => `${attribute.type} ${String(value)}`);
}
