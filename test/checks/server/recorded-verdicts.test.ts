/**
 * What a live API server said about thousands of valid and broken manifests of all covered kinds. `npm run record:verdicts` asks it again.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject } from '../../../src/facts/api/schema';
import { askGantry, askGantryAboutText, type GantryVerdict } from '../../e2e/agreement/gantry-verdict';
import {
  names,
  printVerdicts,
  readVerdicts,
  type RecordedVerdict,
  verdictsHead,
} from '../../support/recorded-verdicts';

const MINOR = '1.36';
const file = readFileSync(join(__dirname, '../../fixtures/verdicts.txt'), 'utf8');
const groups = readVerdicts(file);
const answers = groups
  .flatMap(({ verdicts }) => verdicts)
  .map((recorded) => ({ recorded, gantry: gantryOn(recorded) }));

function gantryOn({ text, form }: RecordedVerdict): GantryVerdict {
  return form === 'text' ? askGantryAboutText(text, MINOR) : askGantry(JSON.parse(text) as JsonObject, MINOR);
}

function described({ recorded, gantry }: (typeof answers)[number]): object {
  const fields = recorded.fields.filter(({ named }) => named).map(({ field }) => field);
  return {
    document: recorded.text,
    server: [recorded.verdict, ...fields],
    gantry: gantry.findings.map(({ rule, path, message }) => `${rule} ${path}: ${message}`),
  };
}

it('there are thousands of verdicts, accepted and rejected', () => {
  const count = (verdict: RecordedVerdict['verdict']): number =>
    answers.filter(({ recorded }) => recorded.verdict === verdict).length;
  expect(count('accepted')).toBeGreaterThan(1000);
  expect(count('rejected')).toBeGreaterThan(3000);
});

it('the file is read as it was written', () => {
  expect(printVerdicts(verdictsHead(file), groups)).toBe(file);
});

it('what the server accepts, no check rejects', () => {
  const wrong = answers.filter(
    ({ recorded, gantry }) => recorded.verdict === 'accepted' && gantry.verdict !== 'accepted',
  );
  expect(wrong.map(described)).toEqual([]);
});

it('what the server rejects, a check rejects', () => {
  const wrong = answers.filter(
    ({ recorded, gantry }) => recorded.verdict === 'rejected' && gantry.verdict !== 'refused',
  );
  expect(wrong.map(described)).toEqual([]);
});

it('findings name the fields that the server names', () => {
  const wrong = answers.filter(({ recorded, gantry }) => {
    const paths = gantry.findings.map(({ path }) => path);
    return recorded.fields.some(({ field, named }) => named && !names(paths, field));
  });
  expect(wrong.map(described)).toEqual([]);
});
