/**
 * Documents in YAML or JSON that programs of a Docker host read: recognized by their contents, so that rules can check them. They are not Kubernetes objects.
 */
import { type JsonValue } from '../../facts/api/schema';
import { COMPOSE_FILE } from './compose-file';
import { isComposeWithGpus } from './foreign-document';
import { isObject } from '../read';

/** Kind of a manifest that is the `runner.yaml` of `gantry docker`. */
export const RUNNER_FILE = 'RunnerConfiguration' as const;
/** Kind of a manifest that is a CDI specification. */
export const CDI_FILE = 'CdiSpecification' as const;

export type HostDocumentKind = typeof COMPOSE_FILE | typeof RUNNER_FILE | typeof CDI_FILE;

/** Fields of `runner.yaml`, in the order in which they are written. */
export const RUNNER_FIELDS = [
  'state',
  'socket',
  'tenantSockets',
  'listen',
  'engine',
  'tenants',
  'priorities',
  'reserved',
  'devices',
  'keepDays',
  'lockMemory',
  'devicePollSeconds',
] as const;

/** Names of fields that other programs do not have. */
const RUNNER_ONLY: ReadonlySet<string> = new Set(['tenantSockets', 'keepDays', 'lockMemory', 'devicePollSeconds']);
const RUNNER_NAME = /(^|[^a-z0-9])runner\.ya?ml$/i;

/** A text without one of these is no such document, and need not be parsed. */
const CDI_TEXT = /^[^\S\n]*(?:\{\s*)?"?cdiVersion"?\s*:/m;

/** Whether a text of this name is worth reading to find out what it is. */
export function mayBeHostDocument(text: string, name: string): boolean {
  return RUNNER_NAME.test(name) || CDI_TEXT.test(text);
}

/**
 * What a document is; `undefined` where it is none of these.
 *
 * @param name the name of the file, or of the key of a ConfigMap that contains it
 */
export function hostDocumentKind(value: JsonValue | undefined, name: string): HostDocumentKind | undefined {
  if (!isObject(value) || Object.hasOwn(value, 'apiVersion')) {
    return undefined;
  }
  if (Object.hasOwn(value, 'cdiVersion') && Object.hasOwn(value, 'kind')) {
    return CDI_FILE;
  }
  if (isComposeWithGpus(value)) {
    return COMPOSE_FILE;
  }
  // Other runners have a `runner.yaml` too, with few of these fields. Under another name, a field that only this file has is needed.
  const found = RUNNER_FIELDS.filter((field) => Object.hasOwn(value, field));
  const isRunner = RUNNER_NAME.test(name)
    ? found.length > 0 && found.length * 2 >= Object.keys(value).length
    : found.length > 1 && found.some((field) => RUNNER_ONLY.has(field));
  return isRunner && !Object.hasOwn(value, 'kind') ? RUNNER_FILE : undefined;
}
