/**
 * No rule goes without a test: each is named by one, by its id or by its name within a domain, as something that fires. That rules stay
 * silent is the matter of the corpus, and of the same tests.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { allRuleFacts } from '../../../src/interfaces/checks/all-rules';

/** Rules whose tests name what they say, and not the rule: where. */
const BY_GROUP: Readonly<Record<string, string>> = {
  'monitoring/dashboard-query-valid': 'constructs/monitoring/dashboards.test.ts',
  'monitoring/picked-up-by-prometheus': 'constructs/monitoring/monitors.test.ts',
  'monitoring/relabeling-valid': 'constructs/monitoring/monitors.test.ts',
  'node-tuning/device-plugin-not-surged': 'constructs/node-tuning/live-nodes.test.ts',
  'node-tuning/live-node-setting-unchanged': 'constructs/node-tuning/live-nodes.test.ts',
  'node-tuning/memlock-for-non-root': 'constructs/node-tuning/memlock-rule.test.ts',
};

const TESTS = resolve(__dirname, '../..');
const files = (readdirSync(TESTS, { recursive: true }) as readonly string[]).filter(
  (file) => file.endsWith('.ts') && join(TESTS, file) !== __filename,
);
const words = new Set(
  files.flatMap((file) => readFileSync(join(TESTS, file), 'utf8').match(/[a-z0-9-]+(?:\/[a-z0-9-]+)?/g) ?? []),
);

test('every rule is named by a test', () => {
  const unnamed = allRuleFacts()
    .map(({ id }) => id)
    .filter((id) => !words.has(id) && !words.has(id.slice(id.indexOf('/') + 1)));
  expect(unnamed.filter((id) => !(id in BY_GROUP)).sort()).toEqual([]);
  for (const file of Object.values(BY_GROUP)) {
    expect(files).toContain(file);
  }
});
