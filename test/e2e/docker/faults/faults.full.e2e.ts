/**
 * A crash of the runner, the engine, or both at each step of the life of a task. `faults.e2e.ts` has a part of these.
 */
import { buildEngine, whyNoEngine } from '../programs';
import { LiveEngine } from '../live-engine';
import { crashAt } from './expectations';
import { SCENARIOS, type Victim } from './ordeal';

const suite = whyNoEngine() === undefined ? describe : describe.skip;
const VICTIMS: readonly (readonly Victim[])[] = [['runner'], ['engine'], ['runner', 'engine']];
const CASES = SCENARIOS.flatMap((scenario) =>
  VICTIMS.map((kills) => ({ scenario, kills, name: scenario.name, killed: kills.join(' and ') })),
);

let engine: LiveEngine;

suite('crashes at each step', () => {
  beforeAll(async () => {
    engine = await LiveEngine.start(
      buildEngine((line) => process.stdout.write(`${line}\n`)),
      2,
    );
  }, 1_800_000);

  afterAll(async () => {
    await engine?.stop();
  });

  test.each(CASES)(
    '$killed killed: a task that $name',
    async ({ scenario, kills }) => {
      let at = 1;
      while ((await crashAt(engine, scenario, { at, kills })) !== undefined) {
        at++;
      }
      // Each of them writes the store at least three times, and creates, starts, and removes a container.
      expect(at).toBeGreaterThan(12);
    },
    1_800_000,
  );
});
