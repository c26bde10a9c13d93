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
import { DocumentMaker, LONGEST } from './documents';
import { type Domain, fixtureOf, rulesOf } from './domains';
import { materialsFor } from './materials';
import { wordsOf } from './vocabulary';

/** How many documents are made for a mutant that no other document notices. */
const MADE_FOR_ONE = 150;

function recordDomain(domain: Domain): void {
  const fixture = fixtureOf(domain);
  const listed = existsSync(fixture) ? readFindings(readFileSync(fixture, 'utf8')).map(({ text }) => text) : [];
  const observe = (text: string): readonly string[] => findingsIn(rulesOf(mutatedRules.load(domain.modules)), text);
  const all = options.further === 0 ? [] : materialsFor(domain).filter(({ length }) => length <= LONGEST);
  const materials = meetingMost(all, observe);
  const fields = valuesByField(all.flatMap((text) => JSON.parse(text) as readonly JsonObject[]));
  const source = { fields, words: wordsOf(domain.modules) };
  const mutants = mutantsOf(domain);
  const maker = new DocumentMaker([...materials, ...listed], source, options.from);
  const running =
    options.further === 0
      ? new Map<string, readonly string[]>()
      : documentsByFile([...materials, ...listed], observe, mutants);
  record(
    {
      code: mutatedRules,
      mutants,
      listed,
      tries: 40,
      observe,
      concerns,
      further: (count) => [...materials, ...maker.any(count)],
      // A table is met by all documents: those that run the code of its file are the most likely to look something up in it.
      madeFor: ({ id, file, start }, meeting) => {
        const from = mutatedRules.isMetByLoading(id) ? (running.get(file) ?? meeting) : meeting;
        return maker.around(MADE_FOR_ONE, from, file, start);
      },
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

/** The documents that run code of a file, by the file. */
function documentsByFile(
  documents: readonly string[],
  observe: (text: string) => readonly string[],
  mutants: readonly Mutant[],
): ReadonlyMap<string, readonly string[]> {
  const fileOf = new Map(mutants.map(({ id, file }) => [id, file]));
  const byFile = new Map<string, string[]>();
  for (const document of documents) {
    const { met } = mutatedRules.meet(() => observe(document));
    for (const file of new Set(met.flatMap((id) => fileOf.get(id) ?? []))) {
      byFile.set(file, [...(byFile.get(file) ?? []), document]);
    }
  }
  return byFile;
}

/** A change of a table shows in documents that have one of its words. */
function concerns(text: string, { code }: Mutant): boolean {
  const words = [...code.matchAll(/'([^']+)'/g)].map(([, word]) => word);
  return words.length === 0 || words.some((word) => text.includes(word));
}

selectedDomains.forEach(recordDomain);
