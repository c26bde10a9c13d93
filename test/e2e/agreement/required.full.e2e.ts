import { describeLive, liveCluster, type LiveCluster } from '../live-cluster';
import { recordedBases } from './asking';
import { askBoth } from './differential';
import { prepareCluster } from './prepare';
import { requiredPairs, requiredQuestions } from './required';
import { disagreementsIn } from './summary';

describeLive('Objects without one of their required fields', () => {
  let live: LiveCluster;
  beforeAll(async () => {
    live = await liveCluster();
  });
  afterAll(() => live.cluster.client.close());

  it('get the same verdict from Gantry and the server, for each field of each kind', async () => {
    const bases = recordedBases();
    const { client } = live.cluster;
    await prepareCluster(client, live.discovery, bases);
    const questions = requiredQuestions(requiredPairs(bases, live.minor));
    const answers = await askBoth(client, live.discovery, questions, live.minor);
    expect(questions.length).toBeGreaterThan(5000);
    expect(disagreementsIn(answers)).toEqual([]);
  }, 600_000);
});
