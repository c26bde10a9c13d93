/** Services of Knative, and cases of rules. */
import { type JsonObject } from '../../../src/facts/api/schema';

export type Manifests = readonly JsonObject[];

export interface RuleCases {
  readonly rule: string;
  readonly fires: Readonly<Record<string, Manifests>>;
  readonly silent: Readonly<Record<string, Manifests>>;
}

function annotated(annotations: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [
      key.includes('/') ? key : `autoscaling.knative.dev/${key}`,
      value,
    ]),
  );
}

export function knative(
  annotations: Readonly<Record<string, string>> = {},
  spec: JsonObject = {},
  container: JsonObject = {},
): JsonObject {
  return {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata: { name: 'chat', namespace: 'ai' },
    spec: {
      template: {
        metadata: { annotations: annotated(annotations) },
        spec: { containers: [{ image: 'server', ...container }], ...spec },
      },
    },
  };
}
