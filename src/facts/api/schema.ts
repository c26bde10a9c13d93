/**
 * The shape of a structural schema as Gantry keeps it: what the API server enforces, without prose.
 *
 * Nodes are shared: two fields with the same schema may hold the same object, and Kubernetes' recursive types make cycles.
 * A schema is read-only; whoever walks it must follow the value, not the schema.
 */

/** A JSON value that contains no other. */
export type JsonPrimitive = string | number | boolean | null;
/** Any JSON value. */
export type JsonValue = JsonPrimitive | JsonValue[] | JsonObject;
/** A JSON object with any members. */
export interface JsonObject {
  [key: string]: JsonValue;
}

export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

/** One CEL rule of `x-kubernetes-validations`. Upstream's message is prose and is not kept. */
export interface CelRule {
  readonly rule: string;
  /** CEL that computes the message; kept since it is code, and since a broken one has effects of its own. */
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

export interface Schema {
  readonly type?: SchemaType;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly enum?: readonly JsonValue[];
  readonly default?: JsonValue;
  readonly nullable?: boolean;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-validations'?: readonly CelRule[];
  /** Built-in kinds only: discriminated unions as the OpenAPI states them. */
  readonly 'x-kubernetes-unions'?: JsonValue;
}

/** A Kubernetes minor release, `1.35`. */
export type KubernetesMinor = `1.${number}`;

/** What Gantry knows of a kind without loading its schema. */
export interface KindInfo {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** `group/version`, or `version` alone for the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural?: string;
  readonly scope: 'Namespaced' | 'Cluster';
  /** Served by the API server's own code; otherwise a custom resource. */
  readonly builtIn: boolean;
  /** The project and version that the schema was taken from; `kubernetes` for built-in kinds. */
  readonly source: string;
  readonly served: boolean;
  /** The version that the server stores. For built-in kinds, where the API does not tell, the one it prefers. */
  readonly storage: boolean;
  /** The server warns of this version; for built-in kinds from the minor `deprecatedSince` on. */
  readonly deprecated: boolean;
  /** Built-in kinds: the first minor that warns of this version, where Gantry knows that minor. */
  readonly deprecatedSince?: KubernetesMinor;
  /** Built-in kinds: the first minor without this version, as planned; a release may keep it for longer. */
  readonly removedIn?: KubernetesMinor;
  readonly hasStatusSubresource: boolean;
  /** Built-in kinds: the minors that serve this version, ascending. Absent for custom resources. */
  readonly minors?: readonly KubernetesMinor[];
}
