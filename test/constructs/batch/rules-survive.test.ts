import { batchRules } from '../../../src/constructs/batch/rules';
import { expectRuleFacts, rulesSurvive } from '../../support/rules-survive';
import { disaggregatedSet, jobSet, leaderWorkerSet } from './sets';

test('rules survive any value in any place', () => {
  rulesSurvive(batchRules, [
    jobSet({
      coordinator: { replicatedJob: 'node' },
      failurePolicy: { rules: [{ name: 'a', action: 'FailJobSet' }] },
      volumeClaimPolicies: [{ templates: [{ metadata: { name: 'a' } }] }],
    }),
    leaderWorkerSet(
      { rolloutStrategy: { rollingUpdateConfiguration: { maxSurge: 1 } } },
      { subGroupPolicy: { subGroupSize: 2 } },
    ),
    disaggregatedSet({ placementPolicy: { type: 'ExclusiveSlice', topology: 'rack' } }),
  ]);
});

test('every rule has an id of its own, a row, a source and a remedy', () => {
  expectRuleFacts(batchRules, 'batch', /^(JS|LW)\d+$/);
});
