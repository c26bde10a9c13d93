/**
 * Documents with fields that API servers of some minors drop, since the feature gate is off. Each has a value that the server rejects where it
 * keeps the field, or is valid everywhere.
 */
import { type JsonObject } from '../../../src/facts/api/schema';

const metadata = { name: 'a', namespace: 'default' };

function pod(container: JsonObject, more: JsonObject = {}): JsonObject {
  const containers = [{ name: 'a', image: 'example.com/a:1', ...container }];
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, ...more } };
}

function statefulSet(maxUnavailable: number | string): JsonObject {
  const labels = { app: 'a' };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata,
    spec: {
      serviceName: 'a',
      selector: { matchLabels: labels },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable } },
      template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'example.com/a:1' }] } },
    },
  };
}

const fromFile = (reference: JsonObject, more: JsonObject = {}): JsonObject =>
  pod(
    { env: [{ name: 'A', valueFrom: { fileKeyRef: reference, ...more } }] },
    { volumes: [{ name: 'v', emptyDir: {} }] },
  );

const KEY = { path: 'a.env', volumeName: 'v', key: 'A' };

/** By what they show. */
export function gateCases(): Readonly<Record<string, JsonObject>> {
  return {
    'a volume with an image': pod({}, { volumes: [{ name: 'model', image: { reference: 'example.com/model:1' } }] }),
    'a volume with an image and another source': pod(
      {},
      { volumes: [{ name: 'model', image: { reference: 'example.com/model:1' }, emptyDir: {} }] },
    ),
    'a volume with an image without a reference': pod({}, { volumes: [{ name: 'model', image: {} }] }),
    'a variable from a file': fromFile(KEY),
    'a variable from a file in a volume that is not there': fromFile({ ...KEY, volumeName: 'gone' }),
    'a variable from a file and a field': fromFile(KEY, { fieldRef: { fieldPath: 'metadata.name' } }),
    'a stop signal': pod({ lifecycle: { stopSignal: 'SIGUSR1' } }, { os: { name: 'linux' } }),
    'a stop signal that does not exist': pod({ lifecycle: { stopSignal: 'SIGNONE' } }, { os: { name: 'linux' } }),
    'a stop signal without an operating system': pod({ lifecycle: { stopSignal: 'SIGUSR1' } }),
    'the most unavailable pods of a StatefulSet': statefulSet(2),
    'no unavailable pod of a StatefulSet': statefulSet(0),
    'unavailable pods of a StatefulSet in words': statefulSet('many'),
  };
}
