import { kubeflowRules } from '../../../src/constructs/kubeflow/rules';
import { type JsonObject } from '../../../src/facts/api/schema';
import { findingsOf, rulesFiring } from '../../support/findings';
import { container, job, masterWorker, role, staticJob, yaml } from './jobs';

const firing = (...objects: readonly JsonObject[]): readonly string[] => rulesFiring(yaml(...objects), kubeflowRules);

describe('roles that should look alike', () => {
  test.each<[JsonObject, string, string | undefined, string]>([
    [{}, '', undefined, 'uses the default scheduler'],
    [{ schedulerName: 'kai' }, '/schedulerName', 'kai', 'uses "kai"'],
  ])('a role with the scheduler of %j', (pod, path, found, words) => {
    const object = staticJob(masterWorker(role(1, { pod: { schedulerName: 'volcano' } }), role(3, { pod })));
    const [finding] = findingsOf(yaml(object), kubeflowRules).filter(({ rule }) => rule.endsWith('share-scheduler'));
    expect([finding.expected, finding.found]).toEqual(['volcano', found]);
    expect(finding.path).toBe(`/spec/pytorchReplicaSpecs/Worker/template/spec${path}`);
    expect(finding.message).toContain(words);
  });

  const claim = { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] };
  const mounted = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };

  test.each<[string, JsonObject, readonly string[]]>([
    [
      'the scheduler of one role only',
      staticJob({
        runPolicy: { schedulingPolicy: {} },
        ...masterWorker(role(1), role(3, { pod: { schedulerName: 'volcano' } })),
      }),
      ['kubeflow/roles-share-scheduler'],
    ],
    [
      'the host network of one role only',
      staticJob(masterWorker(role(1), role(3, { pod: { hostNetwork: true } }))),
      ['kubeflow/roles-share-network'],
    ],
    [
      'data of one role only',
      staticJob(masterWorker(role(1, { pod: claim, container: mounted }), role(3))),
      ['kubeflow/roles-share-data'],
    ],
    [
      'other devices',
      staticJob({
        nprocPerNode: 'auto',
        ...masterWorker(
          role(1, { container: { resources: { limits: { 'nvidia.com/gpu': 1 } } } }),
          role(3, { container: { resources: { limits: { 'nvidia.com/gpu': 8 } } } }),
        ),
      }),
      ['kubeflow/roles-have-equal-devices'],
    ],
    [
      'requests of one role only',
      staticJob(masterWorker(role(1), role(3, { container: { resources: { limits: { 'nvidia.com/gpu': 8 } } } }))),
      ['kubeflow/roles-request-alike'],
    ],
  ])('%s', (_what, object, rules) => {
    expect(firing(object)).toEqual(rules);
  });

  test('a volume that is no data may differ', () => {
    const scratch = { volumes: [{ name: 'data', emptyDir: {} }] };
    expect(firing(staticJob(masterWorker(role(1, { pod: scratch, container: mounted }), role(3))))).toEqual([]);
  });

  test('roles that differ by design may differ', () => {
    const launcher = {
      template: { spec: { hostNetwork: true, ...claim, containers: [{ ...container(), name: 'mpi', ...mounted }] } },
    };
    expect(firing(job('MPIJob', { Launcher: launcher, Worker: { replicas: 2 } }))).toEqual([]);
  });
});
