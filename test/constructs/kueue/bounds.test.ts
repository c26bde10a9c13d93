/**
 * Numbers at which Kueue begins to refuse: the last one that it takes, and the next one. And the kinds that it does not manage.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { kueueRules } from '../../../src/constructs/kueue/rules';
import { findingsOf } from '../../support/findings';

function found(rule: string, object: JsonObject): readonly string[] {
  return findingsOf(JSON.stringify(object), kueueRules)
    .filter(({ rule: id }) => id === `kueue/${rule}`)
    .map(({ message }) => message);
}

test('a group of a ClusterQueue has at most 512 quotas', () => {
  const queue = (resources: number, flavors: number): JsonObject => {
    const coveredResources = Array.from({ length: resources }, (_, index) => `example.com/r${index}`);
    return {
      apiVersion: 'kueue.x-k8s.io/v1beta2',
      kind: 'ClusterQueue',
      metadata: { name: 'q' },
      spec: {
        resourceGroups: [
          {
            coveredResources,
            flavors: Array.from({ length: flavors }, (_, index) => ({
              name: `f${index}`,
              resources: coveredResources.map((name) => ({ name, nominalQuota: 1 })),
            })),
          },
        ],
      },
    };
  };
  expect(found('queue-size-within-limits', queue(8, 64))).toEqual([]);
  expect(found('queue-size-within-limits', queue(27, 19))).toEqual([
    'the resource group must have no more than 512 quotas, but has 513',
  ]);
});

test('a slice has at least one pod, and at most as many as the Job', () => {
  const job = (size: string): JsonObject => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j', namespace: 'ai', labels: { 'kueue.x-k8s.io/queue-name': 'q' } },
    spec: {
      parallelism: 4,
      completions: 4,
      template: {
        metadata: {
          annotations: {
            'kueue.x-k8s.io/podset-slice-required-topology': 'kubernetes.io/hostname',
            'kueue.x-k8s.io/podset-slice-size': size,
          },
        },
        spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'i' }] },
      },
    },
  });
  const SIZE = /slice size must be|not a valid number of pods/;
  const refused = (size: string): readonly string[] =>
    findingsOf(JSON.stringify(job(size)), kueueRules)
      .map(({ message }) => message)
      .filter((message) => SIZE.test(message));
  expect(refused('0')).toEqual(['"0" is not a valid number of pods']);
  expect(refused('1')).toEqual([]);
  expect(refused('4')).toEqual([]);
  expect(refused('5')).toEqual(['the slice size must be less than or equal to the number of pods (5 > 4)']);
});

test.each([
  ['batch/v1', 'CronJob'],
  ['apps/v1', 'DaemonSet'],
  ['batch.volcano.sh/v1alpha1', 'Job'],
  ['batch.volcano.sh/v1alpha1', 'CronJob'],
  ['kubeflow.org/v1', 'MPIJob'],
  ['serving.knative.dev/v1', 'Service'],
  ['trainer.kubeflow.org/v1alpha1', 'TrainingRuntime'],
  ['trainer.kubeflow.org/v1alpha1', 'ClusterTrainingRuntime'],
  ['ray.io/v1', 'RayCronJob'],
])('a queue for %s %s has no effect', (apiVersion, kind) => {
  const object = (name: string): JsonObject => ({
    apiVersion,
    kind: name,
    metadata: { name: 'a', namespace: 'ai', labels: { 'kueue.x-k8s.io/queue-name': 'q' } },
    spec: {},
  });
  const message = `Kueue does not manage the kind ${kind} of ${apiVersion}, so its pods start without counting against a quota`;
  const said = (name: string): readonly string[] =>
    findingsOf(JSON.stringify(object(name)), kueueRules).map(({ message: one }) => one);
  expect(said(kind)).toContain(message);
  expect(said('SomethingElse')).toEqual([]);
});
