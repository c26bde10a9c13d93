import { describeLive, liveCluster, type LiveCluster } from '../live-cluster';
import { recordedBases } from './asking';
import { corpus } from './corpus';
import { type Answer, askBoth } from './differential';
import { questions } from './mutants';
import { prepareCluster } from './prepare';
import { requiredPairs, requiredQuestions } from './required';
import { disagreementsIn, summarize, table } from './summary';

const MUTANTS = 300;
const SEED = 20_261;

describeLive('Gantry and the server', () => {
  let live: LiveCluster;
  let answers: readonly Answer[];

  beforeAll(async () => {
    live = await liveCluster();
    const bases = corpus();
    await prepareCluster(live.cluster.client, live.discovery, bases);
    answers = await askBoth(
      live.cluster.client,
      live.discovery,
      questions(bases, MUTANTS, SEED, live.minor),
      live.minor,
    );
    const summary = summarize(answers);
    const judges = summary.byJudge.map((row) => ({ name: `refused by ${row.judge}`, ...row }));
    console.log(`${table([...judges, { name: `all (seed ${SEED})`, ...summary }])}`);
  });
  afterAll(() => live.cluster.client.close());

  it('accept the same valid manifests', () => {
    expect(disagreements(({ question }) => question.operator === 'none')).toEqual([]);
  });

  it('agree on every mutant that the server accepts', () => {
    expect(disagreements(({ outcome }) => outcome === 'false reject')).toEqual([]);
  });

  it('agree on every mutant that a schema or a CEL rule refuses', () => {
    expect(disagreements(({ outcome, judge }) => outcome === 'false accept' && judge !== 'server')).toEqual([]);
  });

  it('agree on objects without a required field', async () => {
    const bases = recordedBases();
    const { client } = live.cluster;
    await prepareCluster(client, live.discovery, bases);
    const pairs = requiredPairs(bases, live.minor, { once: true, every: 8 });
    const asked = await askBoth(client, live.discovery, requiredQuestions(pairs), live.minor);
    expect(disagreementsIn(asked)).toEqual([]);
    const reached = asked.filter(({ question, server }) => question.index % 2 === 0 && server.verdict === 'accepted');
    expect(reached.length).toBeGreaterThan(pairs.length / 3);
  });

  it('are asked the same questions by the same seed', () => {
    const again = questions(corpus(), MUTANTS, SEED, live.minor);
    expect(again.map(({ object }) => JSON.stringify(object))).toEqual(
      answers.map(({ question }) => JSON.stringify(question.object)),
    );
  });

  function disagreements(suits: (answer: Answer) => boolean): readonly unknown[] {
    return disagreementsIn(answers.filter(suits));
  }
});
