/** A problem of the node, in the words of a condition. */
export interface Finding {
  /** CamelCase, as conditions have it. */
  readonly reason: string;
  readonly message: string;
}
