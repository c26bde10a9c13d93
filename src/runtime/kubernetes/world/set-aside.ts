/**
 * What cannot be scheduled with, and why: an error about one object costs that object, and the cycle goes on without it.
 *
 * Each is reported as long as it is so: in the metric `gantry_set_aside`, on which an alert looks, in the log when it begins, and as an
 * event of the object; that of a gang is its PodGroup, else its first pod.
 */
export type AsideKind = 'pod' | 'gang' | 'queue' | 'node' | 'object';

export interface Aside {
  readonly kind: AsideKind;
  /** `namespace/name`, or `name` where the kind has no namespaces; of a gang its id. */
  readonly name: string;
  readonly reason: string;
}

export class SetAside {
  private readonly known = new Map<string, Aside>();
  /** Called for each that is new, or has another reason. */
  onNew: (aside: Aside) => void = () => undefined;

  put(aside: Aside): void {
    const key = keyOf(aside.kind, aside.name);
    const before = this.known.get(key);
    this.known.set(key, aside);
    if (before?.reason !== aside.reason) {
      this.onNew(aside);
    }
  }

  remove(kind: AsideKind, name: string): void {
    this.known.delete(keyOf(kind, name));
  }

  reasonOf(kind: AsideKind, name: string): string | undefined {
    return this.known.get(keyOf(kind, name))?.reason;
  }

  get list(): readonly Aside[] {
    return [...this.known.values()];
  }
}

function keyOf(kind: AsideKind, name: string): string {
  return `${kind} ${name}`;
}
