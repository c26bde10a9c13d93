import { kubeflowRules } from '../../../src/constructs/kubeflow/rules';
import { type JsonObject } from '../../../src/facts/api/schema';
import { findingsOf, rulesFiring } from '../../support/findings';
import { elasticJob, job, role, staticJob, yaml } from './jobs';

const firing = (...objects: readonly JsonObject[]): readonly string[] => rulesFiring(yaml(...objects), kubeflowRules);

describe('elastic jobs', () => {
  test.each<[string, JsonObject, readonly string[]]>([
    [
      'no Worker',
      elasticJob({}, { pytorchReplicaSpecs: { Master: role(1) } }),
      ['kubeflow/elastic-has-worker', 'kubeflow/elastic-is-workers-only'],
    ],
    ['nProcPerNode beside nprocPerNode', elasticJob({ nProcPerNode: 8 }), ['kubeflow/nproc-per-node-stated-once']],
    ['a number of processes that is none', elasticJob({}, { nprocPerNode: '0' }), ['kubeflow/nproc-per-node-known']],
    ['an unknown backend', elasticJob({ rdzvBackend: 'zookeeper' }), ['kubeflow/rendezvous-backend-known']],
    ['etcd without its address', elasticJob({ rdzvBackend: 'etcd-v2' }), ['kubeflow/etcd-backend-has-host']],
    ['an empty rdzvConf', elasticJob({ rdzvConf: [] }), ['kubeflow/rendezvous-conf-not-empty']],
    ['a range upside down', elasticJob({ minReplicas: 8, maxReplicas: 4 }), ['kubeflow/elastic-range-ordered']],
    ['too few Workers', elasticJob({ minReplicas: 6 }), ['kubeflow/elastic-workers-in-range']],
    [
      'a number of Workers in quotes, which schema/type reports',
      elasticJob({ minReplicas: 6 }, { pytorchReplicaSpecs: { Worker: { ...role(4), replicas: '4' } } }),
      [],
    ],
    ['too many Workers', elasticJob({ minReplicas: 2, maxReplicas: 3 }), ['kubeflow/elastic-workers-in-range']],
    [
      'a Master',
      elasticJob({}, { pytorchReplicaSpecs: { Master: role(1), Worker: role(4) } }),
      ['kubeflow/elastic-is-workers-only'],
    ],
    ['stand-alone pods', elasticJob({ standalone: true }), ['kubeflow/standalone-is-one-pod']],
    [
      'Workers alone without elasticPolicy',
      staticJob({ pytorchReplicaSpecs: { Worker: role(4) } }),
      ['kubeflow/static-has-master'],
    ],
    [
      'a PaddleJob with its range upside down',
      job('PaddleJob', { Worker: { replicas: 4 } }, { elasticPolicy: { minReplicas: 5, maxReplicas: 4 } }),
      ['kubeflow/elastic-range-ordered'],
    ],
  ])('%s', (_what, object, rules) => {
    expect(firing(object)).toEqual(rules);
  });

  test('one bound stands for the other', () => {
    const bounded = (policy: JsonObject): JsonObject =>
      staticJob({ elasticPolicy: { maxRestarts: 3, ...policy }, pytorchReplicaSpecs: { Worker: role(4) } });
    expect(firing(bounded({ minReplicas: 4 }))).toEqual([]);
    expect(firing(bounded({ maxReplicas: 8 }))).toEqual(['kubeflow/elastic-workers-in-range']);
    expect(firing(bounded({}))).toEqual([]);
  });

  test('no maxRestarts is 0 restarts', () => {
    const policy = { minReplicas: 4, maxReplicas: 8 };
    expect(firing(staticJob({ elasticPolicy: policy, pytorchReplicaSpecs: { Worker: role(4) } }))).toEqual([
      'kubeflow/elastic-max-restarts-stated',
    ]);
  });

  test('nProcPerNode alone still works and is only warned of', () => {
    const { elasticPolicy, pytorchReplicaSpecs } = elasticJob({ nProcPerNode: 8 }).spec as {
      [key: string]: JsonObject;
    };
    const [finding] = findingsOf(
      yaml({ ...elasticJob(), spec: { elasticPolicy, pytorchReplicaSpecs } }),
      kubeflowRules,
    );
    expect(finding).toMatchObject({ rule: 'kubeflow/nproc-per-node-stated-once', tier: 'advice', severity: 'warning' });
  });
});
