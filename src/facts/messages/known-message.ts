/**
 * One message of a scheduler, a controller, or the kubelet, and what to do about it.
 */

/** A message that Gantry knows. */
export interface KnownMessage {
  /** Stable name: `component/what`. */
  readonly id: string;
  readonly component: string;
  /** The text in the source of the component, with Go's verbs for what varies. */
  readonly format: string;
  readonly pattern: RegExp;
  readonly cause: string;
  readonly verify: string;
  readonly remedy: string;
}
