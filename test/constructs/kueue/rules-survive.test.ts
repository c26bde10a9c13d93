import { kueueRules } from '../../../src/constructs/kueue/rules';
import { expectRuleFacts, rulesSurvive } from '../../support/rules-survive';
import { clusterQueue, cohort, flavor, job, jobSet, localQueue, topology, workload } from './objects';

test('rules survive any value in any place', () => {
  rulesSurvive(
    kueueRules,
    [
      clusterQueue({
        cohortName: 'all',
        admissionChecksStrategy: { admissionChecks: [{ name: 'a', onFlavors: ['h100'] }] },
        concurrentAdmissionPolicy: { migration: { constraints: {} } },
      }),
      cohort({ parentName: 'root' }),
      localQueue(),
      flavor({ topologyName: 'racks', nodeTaints: [{ key: 'a', effect: 'NoSchedule' }] }),
      topology('rack'),
      workload({ podSets: [{ name: 'a', count: 1, template: { spec: { containers: [] } } }] }),
      job({
        podAnnotations: {
          'kueue.x-k8s.io/podset-required-topology': 'rack',
          'kueue.x-k8s.io/podset-slice-required-topology-constraints': '[{"topology":"a","size":1}]',
        },
      }),
      jobSet(
        ['a', 1, { 'kueue.x-k8s.io/podset-group-name': 'x' }],
        ['b', 2, { 'kueue.x-k8s.io/podset-group-name': 'x' }],
      ),
    ],
    150,
  );
});

test('every rule has an id of its own, a row, a source and a remedy', () => {
  expectRuleFacts(kueueRules, 'kueue', /^KU\d+$/);
});
