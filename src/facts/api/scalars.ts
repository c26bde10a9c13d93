/** The scalar types of Kubernetes' API that TypeScript has no name for. */

/** An amount with an optional suffix: `500m`, `80Gi`, `1e3`, or a plain number. */
export type Quantity = string | number;

/** A whole number, or a string such as a port name or a percentage. */
export type IntOrString = number | string;

/** An instant in RFC 3339 form, `2026-01-31T12:00:00Z`. */
export type DateTime = string;

/** An object whose members the schema leaves open. */
export type AnyObject = object;
