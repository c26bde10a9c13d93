/**
 * A fault in an object that is otherwise valid, and the objects that faults are made in.
 */
import { type Json } from '../valid';
import { admissionObjects, deviceObjects, serviceObjects, tenantObjects } from '../valid-objects';

export type Make = () => Json;

/** The rule that reports it, without `core/`; what is wrong; the object; and the change that breaks it. */
export type ObjectFault = readonly [
  rule: string,
  what: string,
  make: Make,
  change: (spec: Json, object: Json) => unknown,
];

export const template = (spec: Json): Json => (spec.template as Json).spec as Json;
export const first = (list: unknown): Json => (list as Json[])[0];
export const by =
  (objects: () => readonly Json[], kind: string, name?: string): Make =>
  () =>
    objects().find(
      (object) => object.kind === kind && (name === undefined || (object.metadata as Json).name === name),
    ) as Json;

export const quota = by(tenantObjects, 'ResourceQuota');
export const limitRange = by(tenantObjects, 'LimitRange');
export const priorityClass = by(tenantObjects, 'PriorityClass');
export const service = by(serviceObjects, 'Service', 'web');
export const claim = by(deviceObjects, 'ResourceClaim');
export const crd = by(admissionObjects, 'CustomResourceDefinition');
export const schemaOf = (spec: Json): Json => (first(spec.versions).schema as Json).openAPIV3Schema as Json;

/** The object with its fault. */
export function broken([, , make, change]: ObjectFault): Json {
  const object = make();
  change((object.spec ?? {}) as Json, object);
  return object;
}
