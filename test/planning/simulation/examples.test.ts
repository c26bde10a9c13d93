/**
 * Every example scenario runs, has expectations, and meets them all.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_POLICY } from '../../../src/placement';
import {
  readScenario,
  type Scenario,
  simulate,
  type SimulationResult,
  simulationText,
  verdictLine,
} from '../../../src/planning/simulation';
import { noFile } from './support';

const FOLDER = join(__dirname, '../../..', 'examples', 'scenarios');
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));

const results = new Map<string, SimulationResult>();

function scenarioOf(name: string): Scenario {
  return readScenario(readFileSync(join(FOLDER, name), 'utf8'), name, noFile);
}

function resultOf(name: string): SimulationResult {
  const result = results.get(name) ?? simulate(scenarioOf(name));
  results.set(name, result);
  return result;
}

test('there are examples', () => {
  expect(FILES.length).toBeGreaterThanOrEqual(5);
});

test('the scenario of the page says what the page says that it does', () => {
  const page = readFileSync(join(__dirname, '../../..', 'docs', 'simulate.md'), 'utf8');
  const [, text, shown] = /```yaml\n([\s\S]*?)```[\s\S]*?--quiet\n([\s\S]*?)\$ echo/.exec(page)!;
  const result = simulate(readScenario(text, 'reclaim.yaml', noFile));
  const told = simulationText(result, { color: false, file: 'reclaim.yaml', table: () => '', quiet: true });
  expect(`${told}\n${verdictLine([result], false)}`).toBe(shown);
});

test.each(FILES)('%s does what it expects', (name) => {
  const result = resultOf(name);
  expect(result.expectations.length).toBeGreaterThan(2);
  expect(result.expectations.filter(({ met }) => !met)).toEqual([]);
});

/** Scenarios of one value of the policy each. */
const OF_POLICY = [
  'capacity-filters.yaml',
  'pod-priorities.yaml',
  'quota-by-resource.yaml',
  'repartition.yaml',
  'shared-device-wait.yaml',
  'shortest-first.yaml',
  'spread-devices.yaml',
  'surplus-in-turn.yaml',
  'weights.yaml',
];

test.each(OF_POLICY)('%s shows the effect of its policy: without it, an expectation is not met', (name) => {
  const { expectations } = simulate({ ...scenarioOf(name), policy: DEFAULT_POLICY });
  expect(expectations.filter(({ met }) => !met)).not.toEqual([]);
});

test.each(['backfill.yaml', 'elastic.yaml', 'reclaim.yaml'])(
  '%s is the same whatever the order of its nodes',
  (name) => {
    const scenario = scenarioOf(name);
    expect(JSON.stringify(simulate({ ...scenario, nodes: [...scenario.nodes].reverse() }))).toBe(
      JSON.stringify(resultOf(name)),
    );
  },
);
