/**
 * The reader of manifests against kubectl's own: the same texts accepted and refused, and the same JSON.
 */
import { answerOf, buildJudge, comparable, judge, whyNoJudge } from './judge';
import { EDGES, fixtures, generatedTexts } from './texts';

const COUNT = Number(process.env.GANTRY_YAML_TEXTS ?? 20_000);
const SEED = Number(process.env.GANTRY_YAML_SEED ?? 20);

const reason = whyNoJudge();
const withJudge = reason === undefined ? describe : describe.skip;

withJudge("kubectl's reader", () => {
  test(
    `reads what Gantry reads in ${COUNT} texts with seed ${SEED}`,
    () => {
      const texts = [...EDGES, ...fixtures(), ...generatedTexts(COUNT, SEED)];
      const answers = judge(buildJudge(), texts);
      const refused = answers.filter(({ stream }) => stream.some((verdict) => 'error' in verdict)).length;
      const differ = texts.filter((text, index) => comparable(answerOf(text)) !== comparable(answers[index]));
      console.log(`${texts.length} texts, ${refused} of them refused, ${differ.length} read otherwise`);
      expect(refused).toBeGreaterThan(texts.length / 5);
      expect(texts.length - refused).toBeGreaterThan(texts.length / 3);
      expect(differ).toEqual([]);
    },
    10 * 60_000,
  );
});
