/**
 * Every example scenario runs, has expectations, and meets them all; twice the same, whatever the order of its lists.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readScenario, simulate } from '../../src/simulation';
import { noFile } from './support';

const FOLDER = join(__dirname, '..', '..', 'examples', 'scenarios');
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));

test('there are examples', () => {
  expect(FILES.length).toBeGreaterThanOrEqual(5);
});

test.each(FILES)('%s does what it expects', (name) => {
  const scenario = readScenario(readFileSync(join(FOLDER, name), 'utf8'), name, noFile);
  const result = simulate(scenario);
  expect(result.expectations.length).toBeGreaterThan(2);
  expect(result.expectations.filter(({ met }) => !met)).toEqual([]);
  expect(JSON.stringify(simulate({ ...scenario, nodes: [...scenario.nodes].reverse() }).summary)).toBe(JSON.stringify(result.summary));
});
