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

const RESOURCES = { requests: { storage: '1Gi' } };

/** A claim with a source, by itself, and in the templates of a pod and of a StatefulSet. */
const claimSpec = (spec: JsonObject): JsonObject => ({ accessModes: ['ReadWriteOnce'], resources: RESOURCES, ...spec });
const claim = (spec: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata,
  spec: claimSpec(spec),
});
const ephemeral = (spec: JsonObject): JsonObject =>
  pod({}, { volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: { spec: claimSpec(spec) } } }] });
const claimTemplate = (spec: JsonObject): JsonObject => {
  const set = statefulSet(1);
  const template = { metadata: { name: 'v' }, spec: claimSpec(spec) };
  return { ...set, spec: { ...(set.spec as JsonObject), updateStrategy: {}, volumeClaimTemplates: [template] } };
};

const SNAPSHOT = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'model' };
const ELSEWHERE = { ...SNAPSHOT, namespace: 'models' };

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
    'a group of pods': pod({}, { schedulingGroup: { podGroupName: 'train' } }),
    'a group of pods without a name': pod({}, { schedulingGroup: {} }),
    'a group of pods with a name that is not valid': pod({}, { schedulingGroup: { podGroupName: 'Not a name' } }),
    'a group of pods with a number as its name': pod({}, { schedulingGroup: { podGroupName: 5 } }),
    'a workload of a pod': pod({}, { workloadRef: { name: 'train', podGroup: 'workers' } }),
    'a source in the namespace of the claim': claim({ dataSourceRef: SNAPSHOT }),
    'a source in another namespace': claim({ dataSourceRef: ELSEWHERE }),
    'a source in a namespace with a name that is not valid': claim({
      dataSourceRef: { ...ELSEWHERE, namespace: 'Not a name' },
    }),
    'a source in another namespace without a name': claim({ dataSourceRef: { ...ELSEWHERE, name: '' } }),
    'a source without a name, its namespace empty': claim({ dataSourceRef: { ...SNAPSHOT, name: '', namespace: '' } }),
    'a source in another namespace beside a source': claim({ dataSourceRef: ELSEWHERE, dataSource: SNAPSHOT }),
    'a source in another namespace beside another source': claim({
      dataSourceRef: ELSEWHERE,
      dataSource: { ...SNAPSHOT, name: 'other' },
    }),
    'a source in another namespace beside one without a name': claim({
      dataSourceRef: ELSEWHERE,
      dataSource: { ...SNAPSHOT, name: '' },
    }),
    'a source in another namespace for the pods of a StatefulSet': claimTemplate({ dataSourceRef: ELSEWHERE }),
    'a source in another namespace for one pod': ephemeral({ dataSourceRef: ELSEWHERE }),
    'a source in another namespace without a name for one pod': ephemeral({
      dataSourceRef: { ...ELSEWHERE, name: '' },
    }),
    'a source in another namespace beside a source for one pod': ephemeral({
      dataSourceRef: ELSEWHERE,
      dataSource: SNAPSHOT,
    }),
    'a source in a namespace with a name that is not valid for one pod': ephemeral({
      dataSourceRef: { ...ELSEWHERE, namespace: 'Not a name' },
    }),
  };
}
