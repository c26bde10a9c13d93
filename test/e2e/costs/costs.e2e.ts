/**
 * The cost that the API server estimates for CEL expressions before it accepts them: the numbers of its own code, and what a live server accepts.
 */
import { coreRules } from '../../../src/checks/server/rules';
import { COST_CASES } from '../../cel/estimates/cases';
import { estimateOf, rounded } from '../../cel/estimates/estimate';
import { findingsOf } from '../../support/findings';
import { askServer } from '../control-plane/server-verdict';
import { describeLive, liveCluster, type LiveCluster } from '../live-cluster';
import { growing } from './growing';
import { askForEstimates, whyNoEstimates } from './oracle';

(whyNoEstimates() === undefined ? test : test.skip)("costs are those of the API server's own code", () => {
  const answers = askForEstimates(COST_CASES);
  expect(COST_CASES.map(estimateOf)).toEqual(answers.map(rounded));
});

describeLive('a live server', () => {
  let live: LiveCluster;

  beforeAll(async () => {
    live = await liveCluster();
  });
  afterAll(() => live.cluster.client.close());

  it.each(growing().map(({ name, steps }) => [name, steps] as const))(
    'stops accepting at the same step: %s',
    async (_, steps) => {
      const verdicts: string[] = [];
      for (const object of steps) {
        const { verdict } = await askServer(live.cluster.client, live.discovery, object);
        verdicts.push(verdict);
      }
      const judged = steps.map((object) => findingsOf(JSON.stringify(object), coreRules, { kubernetes: live.minor }));
      expect(judged.map((findings) => (findings.length === 0 ? 'accepted' : 'refused'))).toEqual(verdicts);
      expect(new Set(verdicts)).toEqual(new Set(['accepted', 'refused']));
    },
  );
});
