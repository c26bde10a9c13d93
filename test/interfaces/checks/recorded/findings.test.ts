/**
 * What the rules of each domain find in changed manifests, as it was recorded. `npm run record:findings` records it again; its diff is part of the
 * review.
 */
import { readFileSync } from 'node:fs';
import { findingsIn, printFindings, readFindings } from '../../../support/recorded-findings';
import { domains, fixtureOf, rulesOf } from './domains';

describe.each(domains())('the findings of $name', (domain) => {
  const file = readFileSync(fixtureOf(domain), 'utf8');
  const recorded = readFindings(file);

  test('are those that were recorded', async () => {
    const rules = rulesOf(await Promise.all(domain.modules.map((path): Promise<unknown> => import(path))));
    expect(recorded.length).toBeGreaterThan(0);
    const found = recorded.map(({ text }) => ({ text, findings: findingsIn(rules, text) }));
    const differs = recorded.map((one, index) => one.findings.join('\n') !== found[index].findings.join('\n'));
    expect(found.filter((_, index) => differs[index])).toEqual(recorded.filter((_, index) => differs[index]));
  });

  test('are read as they were written', () => {
    const [head] = file.split('\n');
    expect(printFindings(head.slice('# '.length), recorded)).toBe(file);
  });
});
