/**
 * Crashes of the runner and the engine at chosen steps of the life of a task; `faults.full.e2e.ts` crashes them at each step.
 */
import { buildEngine, whyNoEngine } from '../programs';
import { LiveEngine } from '../live-engine';
import { crashAt } from './expectations';
import { Ordeal, SCENARIOS } from './ordeal';

const suite = whyNoEngine() === undefined ? describe : describe.skip;
const [SUCCEEDS, CANCELED, GANG] = SCENARIOS;

let engine: LiveEngine;

suite('crashes at chosen steps', () => {
  beforeAll(async () => {
    engine = await LiveEngine.start(
      buildEngine((line) => process.stdout.write(`${line}\n`)),
      2,
    );
  }, 1_800_000);

  afterAll(async () => {
    await engine?.stop();
  });

  test.each([
    { scenario: SUCCEEDS, at: 4, kills: ['runner'], when: 'after the first container was created' },
    { scenario: SUCCEEDS, at: 8, kills: ['runner', 'engine'], when: 'after it was started' },
    { scenario: CANCELED, at: 11, kills: ['runner'], when: 'while it is stopped' },
    { scenario: GANG, at: 9, kills: ['runner'], when: 'between the starts of its containers' },
    { scenario: GANG, at: 7, kills: ['engine'], when: 'before the store has its containers' },
  ] as const)('$kills killed: a task that $scenario.name, $when', async ({ scenario, at, kills }) => {
    expect(await crashAt(engine, scenario, { at, kills })).toBeDefined();
  });

  test('a clock that is set back while a task runs and a runner is killed changes nothing', async () => {
    const ordeal = new Ordeal(engine, { ...SUCCEEDS, script: 'until [ -e /shared/go ]; do sleep 0.1; done' });
    try {
      expect(await ordeal.withClockSetBack()).toMatchObject({ state: 'succeeded', attempt: 1 });
      expect(await ordeal.next()).toBe('succeeded');
      expect(ordeal.ran.filter((line) => line.startsWith('1/'))).toEqual(['1/1/0']);
    } finally {
      await ordeal.end();
    }
  });
});
