/**
 * The metadata of every object: how the API server decodes it. Its values are judged elsewhere (`../server/metadata.ts`).
 *
 * Written down here rather than taken from the Kubernetes schemas, so that a custom resource is checked without loading those;
 * it has been the same for many releases.
 */
import { type JsonValue, type Schema } from '../../facts/api/schema';
import { nodeOf } from './schema-node';
import { TypedDecoding } from './typed-decoding';
import { type ViolationList } from './violation-list';

const STRING: Schema = { type: 'string' };
const TIME: Schema = { type: 'string', format: 'date-time' };
const INT64: Schema = { type: 'integer', format: 'int64' };
const BOOLEAN: Schema = { type: 'boolean' };
const STRING_MAP: Schema = { type: 'object', additionalProperties: STRING };

export const OBJECT_META: Schema = {
  type: 'object',
  properties: {
    annotations: STRING_MAP,
    creationTimestamp: TIME,
    deletionGracePeriodSeconds: INT64,
    deletionTimestamp: TIME,
    finalizers: { type: 'array', items: STRING },
    generateName: STRING,
    generation: INT64,
    labels: STRING_MAP,
    managedFields: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          apiVersion: STRING,
          fieldsType: STRING,
          fieldsV1: { 'x-kubernetes-preserve-unknown-fields': true },
          manager: STRING,
          operation: STRING,
          subresource: STRING,
          time: TIME,
        },
      },
    },
    name: STRING,
    namespace: STRING,
    ownerReferences: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          apiVersion: STRING,
          blockOwnerDeletion: BOOLEAN,
          controller: BOOLEAN,
          kind: STRING,
          name: STRING,
          uid: STRING,
        },
      },
    },
    resourceVersion: STRING,
    selfLink: STRING,
    uid: STRING,
  },
};

/** Decodes metadata as Go does, and reports what it refuses: unknown fields and wrong types. */
export function decodeObjectMeta(value: JsonValue, list: ViolationList): void {
  new TypedDecoding(list, false).value(value, nodeOf(OBJECT_META));
}
