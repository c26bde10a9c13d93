import { basename } from 'node:path';
import { pageOfRules, pagesWithTables } from '../../projen/docs/rule-tables';
import { allRuleFacts } from '../../src/interfaces/checks/all-rules';

test.each(pagesWithTables().map((page) => [basename(page.file), page] as const))(
  'the rule tables of %s are those of the rules',
  (_, page) => {
    expect(page.now).toBe(page.wanted);
  },
);

test('docs/rules.md is what the rules say', () => {
  const { now, wanted } = pageOfRules();
  expect(now).toBe(wanted);
});

test('every rule is in some page of a domain', () => {
  const text = pagesWithTables()
    .map(({ now }) => now)
    .join('\n');
  expect(
    allRuleFacts()
      .map(({ id }) => id)
      .filter((id) => !text.includes(`\`${id}\``)),
  ).toEqual([]);
});

test('rule ids are unique and in kebab case, and each rule says everything that a reader needs', () => {
  const facts = allRuleFacts();
  expect(facts.map(({ id }) => id).filter((id, index, all) => all.indexOf(id) !== index)).toEqual([]);
  for (const { id, summary, why, source } of facts) {
    expect(id).toMatch(/^[a-z0-9-]+\/[a-z0-9-]+$/);
    for (const text of [summary, why, source]) {
      expect(text.length).toBeGreaterThan(3);
    }
  }
});
