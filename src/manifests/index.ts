/**
 * Manifests as data, the entry point `cdk8s-gantry/manifests`: sets of objects with their references, pod templates, and apply order,
 * readers for JSON of unknown shape, JSON pointers, and quantities.
 *
 * Construct trees are not read here, so that this loads nothing of cdk8s.
 */
export { type JsonObject, type JsonPrimitive, type JsonValue, type KubernetesMinor } from '../facts/api/schema';
export { idOf, kindKey } from './identity';
export {
  describeId,
  type Manifest,
  type ObjectId,
  type Origin,
  type Position,
  type SkippedSource,
  type SourceProblem,
} from './manifest';
export { ManifestSet } from './manifest-set';
export { type PodTemplate } from './pods/pod-template';
export { pointer, tokensOf, valueAt } from './pointer';
export { parseQuantity, Quantity } from './values/quantity';
export {
  asArray,
  asBoolean,
  asInteger,
  asObject,
  asString,
  isObject,
  objectsAt,
  stringEntries,
  stringsIn,
} from './read';
export { type Reference } from './references/references';
export { parseYaml, type Parsed, type ParseOptions } from './yaml';
