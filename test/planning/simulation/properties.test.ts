/**
 * What holds in every simulation, whatever arrives, fails or is drained.
 */
import fc from 'fast-check';
import { readScenario, simulate, type SimulationResult } from '../../../src/planning/simulation';
import { noFile } from './support';
import { samples } from '../../support/samples';

const NODES = 4;

const gangs = fc.array(
  fc.record({
    queue: fc.constantFrom('a', 'b'),
    pods: fc.integer({ min: 1, max: 4 }),
    gpus: fc.constantFrom(0.5, 1, 2, 4, 8),
    arrives: fc.integer({ min: 0, max: 2000 }),
    duration: fc.integer({ min: 1, max: 3000 }),
    elastic: fc.boolean(),
    checkpoint: fc.option(fc.integer({ min: 1, max: 500 }), { nil: undefined }),
    priority: fc.integer({ min: 0, max: 2 }),
    minimumRuntime: fc.constantFrom(0, 0, 300),
  }),
  { minLength: 1, maxLength: 12 },
);

const events = fc.array(
  fc.record({
    at: fc.integer({ min: 0, max: 3000 }),
    kind: fc.constantFrom('fail', 'drain'),
    node: fc.integer({ min: 1, max: NODES }),
    for: fc.integer({ min: 1, max: 1000 }),
  }),
  { maxLength: 4 },
);

const drawn = fc.record({ gangs, events, grace: fc.constantFrom(0, 30), cycle: fc.constantFrom(1, 7, 60) });

const scenario = drawn.map(({ grace, cycle, ...world }) =>
  JSON.stringify({
    nodes: [{ name: 'n', count: NODES, allocatable: { cpu: 64, gpus: 8 } }],
    queues: [
      { name: 'a', deserved: { gpus: 16 } },
      { name: 'b', deserved: { gpus: 8 } },
    ],
    gangs: world.gangs.map(({ elastic, ...gang }, i) => ({
      name: `g${i}`,
      cpu: 1,
      ...gang,
      ...(elastic ? { minimum: 1 } : {}),
    })),
    events: world.events.map(({ at, kind, node, for: lasts }) => ({ at, [kind]: `n-${node}`, for: lasts })),
    run: { grace, cycle },
  }),
);

function run(text: string): SimulationResult {
  return simulate(readScenario(text, 'random.json', noFile));
}

test('everything that fits an empty cluster finishes, with all of its work done, and nothing is used that is not there', () => {
  fc.assert(
    fc.property(scenario, (text) => {
      const result = run(text);
      const asked = (JSON.parse(text) as { gangs: readonly { duration: number; pods: number }[] }).gangs;
      expect(result.gangs.filter(({ state }) => state !== 'finished').map(({ name }) => name)).toEqual([]);
      expect(Math.max(...result.samples.used['nvidia.com/gpu'])).toBeLessThanOrEqual(NODES * 8);
      expect(result.samples.used['nvidia.com/gpu'].at(-1)).toBe(0);
      for (const gang of result.gangs) {
        const { duration, pods } = asked[Number(gang.name.slice(1))];
        const atWork = gang.spans.filter(({ stalled }) => stalled !== true);
        const worked = atWork.reduce((sum, { from, to, pods: had }) => sum + ((to - from) * had) / pods, 0);
        expect(worked - gang.lostSeconds).toBeCloseTo(duration, 0);
        expect(gang.spans.every(({ from, to, pods: had }) => to > from && had > 0 && had <= pods)).toBe(true);
        expect(gang.waitSeconds).toBeGreaterThanOrEqual(0);
      }
    }),
    { seed: 7, numRuns: samples(40) },
  );
});

test('equal scenarios give equal results', () => {
  fc.assert(
    fc.property(scenario, (text) => {
      expect(JSON.stringify(run(text))).toBe(JSON.stringify(run(text)));
    }),
    { seed: 8, numRuns: 10 },
  );
});
