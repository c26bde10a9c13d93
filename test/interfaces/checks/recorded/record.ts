/**
 * `npm run record:findings -- [DOMAIN...]`: writes into `test/fixtures/findings`, which the unit tests hold the rules to, what they find in changed
 * manifests. `test/mutation/recording.ts` says what the options do.
 */
import { mutantsOf, mutatedRules, options, selectedDomains } from './mutated-rules';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type JsonObject } from '../../../../src/facts/api/schema';
import { type Mutant } from '../../../mutation/mutants';
import { record } from '../../../mutation/recording';
import { valuesByField } from '../../../support/changed-manifests';
import { findingsIn, printFindings, readFindings } from '../../../support/recorded-findings';
import { DocumentMaker } from './documents';
import { type Domain, fixtureOf, rulesOf } from './domains';
import { materialsFor } from './materials';
import { wordsOf } from './vocabulary';

/** How many documents are made for a mutant that no other document notices. */
const MADE_FOR_ONE = 100;

function recordDomain(domain: Domain): void {
  const fixture = fixtureOf(domain);
  const listed = existsSync(fixture) ? readFindings(readFileSync(fixture, 'utf8')).map(({ text }) => text) : [];
  const observe = (text: string): readonly string[] => findingsIn(rulesOf(mutatedRules.load(domain.modules)), text);
  const all = options.further === 0 ? [] : materialsFor(domain);
  const materials = meetingMost(all, observe);
  const fields = valuesByField(all.flatMap((text) => JSON.parse(text) as readonly JsonObject[]));
  const source = { fields, words: wordsOf(domain.modules) };
  const maker = new DocumentMaker([...materials, ...listed], source, options.from);
  record(
    {
      code: mutatedRules,
      mutants: mutantsOf(domain),
      listed,
      tries: 40,
      observe,
      concerns,
      further: (count) => [...materials, ...maker.any(count)],
      madeFor: ({ file, start }, meeting) => maker.around(MADE_FOR_ONE, meeting, file, start),
      write: (kept) => {
        const head = `Findings of ${domain.folder}, written by "npm run record:findings". test/support/recorded-findings.ts says how to read them.`;
        const documents = kept.map(({ subject, lines }) => ({ text: subject, findings: lines }));
        writeFileSync(
          fixture,
          printFindings(
            head,
            documents.sort((a, b) => (a.text < b.text ? -1 : 1)),
          ),
        );
      },
      noun: `documents for ${domain.name}`,
    },
    options,
  );
}

/** Documents that together meet all mutants that any of them meets; the first ones that do. */
function meetingMost(documents: readonly string[], observe: (text: string) => readonly string[]): readonly string[] {
  const met = new Set<number>();
  return documents.filter((document) => {
    const before = met.size;
    mutatedRules.meet(() => observe(document)).met.forEach((mutant) => met.add(mutant));
    return met.size > before;
  });
}

/** A change of a table shows in documents that have one of its words. */
function concerns(text: string, { code }: Mutant): boolean {
  const words = [...code.matchAll(/'([^']+)'/g)].map(([, word]) => word);
  return words.length === 0 || words.some((word) => text.includes(word));
}

selectedDomains.forEach(recordDomain);
