import { describeLive, liveCluster, type LiveCluster } from '../live-cluster';
import { corpus } from './corpus';
import { type Answer, askBoth } from './differential';
import { questions } from './mutants';
import { prepareCluster } from './prepare';
import { exampleOf, summarize, table } from './summary';

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

  it('are asked the same questions by the same seed', () => {
    const again = questions(corpus(), MUTANTS, SEED, live.minor);
    expect(again.map(({ object }) => JSON.stringify(object))).toEqual(
      answers.map(({ question }) => JSON.stringify(question.object)),
    );
  });

  function disagreements(suits: (answer: Answer) => boolean): readonly unknown[] {
    return answers
      .filter((answer) => suits(answer) && (answer.outcome === 'false accept' || answer.outcome === 'false reject'))
      .map(exampleOf);
  }
});
