/** Who asks: an administrator, or one tenant. */
export interface Caller {
  readonly tenant?: string;
}
