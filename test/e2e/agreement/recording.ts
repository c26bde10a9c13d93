/**
 * Answers of a live API server as the verdicts that are recorded: each below the valid manifest that it resembles most.
 */
import { join } from 'node:path';
import { type KubernetesMinor } from '../../../src/facts/api/schema';
import { printVerdict, names, type RecordedVerdict, type VerdictGroup } from '../../support/recorded-verdicts';
import { type Answer } from './differential';
import { askGantry, askGantryAboutText, type GantryVerdict } from './gantry-verdict';
import { type Question } from './mutants';
import { exampleOf } from './summary';

export const FIXTURE = join(__dirname, '../../fixtures/verdicts.txt');

/** Long lists make most of the file's size, and a few of them show what they can. */
const LONGEST_LINE = 1600;

export function gantryOn({ object, text }: Question, minor: KubernetesMinor): GantryVerdict {
  return text === undefined ? askGantry(object, minor) : askGantryAboutText(text, minor);
}

/** The text of the document that was sent. */
export function textOf({ object, text }: Question): string {
  return text ?? JSON.stringify(object);
}

export interface Recording {
  readonly groups: readonly VerdictGroup[];
  /** Answers that were unclear, or in which Gantry and the server do not agree. */
  readonly leftOut: number;
}

/** The groups with what these answers add to them. Prints the answers in which Gantry and the server do not agree. */
export function withAnswers(groups: readonly VerdictGroup[], answers: readonly Answer[]): Recording {
  const added = new Map(groups.map(({ base }) => [base, [] as RecordedVerdict[]]));
  const bases = [...added.keys()];
  let leftOut = 0;
  for (const answer of answers) {
    const { question, outcome } = answer;
    if (outcome !== 'agree' || answer.gantry.verdict === 'not checked') {
      leftOut++;
      if (outcome !== 'unclear' && outcome !== 'agree') {
        console.log(`left out, ${outcome}: ${JSON.stringify(exampleOf(answer)).slice(0, 600)}`);
      }
      continue;
    }
    const text = textOf(question);
    const base = nearest(text, bases);
    const verdict = verdictOf(answer, text);
    if (printVerdict(base, verdict).length <= LONGEST_LINE) {
      added.get(base)!.push(verdict);
    }
  }
  return {
    groups: groups.map(({ base, verdicts }) => ({ base, verdicts: [...verdicts, ...added.get(base)!] })),
    leftOut,
  };
}

export function countOf(groups: readonly VerdictGroup[]): number {
  return groups.reduce((sum, { verdicts }) => sum + verdicts.length, 0);
}

/** The manifest that has most of its text in common. */
function nearest(text: string, bases: readonly string[]): string {
  const common = (base: string): number => {
    let start = 0;
    while (start < base.length && base[start] === text[start]) {
      start++;
    }
    let end = 0;
    while (end < base.length - start && base[base.length - 1 - end] === text[text.length - 1 - end]) {
      end++;
    }
    return start + end - Math.abs(base.length - text.length) / 2;
  };
  return bases.reduce((best, base) => (common(base) > common(best) ? base : best));
}

function verdictOf({ question, server, gantry }: Answer, text: string): RecordedVerdict {
  const form = question.text === undefined ? 'object' : 'text';
  if (server.verdict === 'accepted') {
    return { text, form, verdict: 'accepted', fields: [] };
  }
  const paths = gantry.findings.map(({ path }) => path);
  const unknown = [...server.message.matchAll(/(?:unknown|duplicate) field "([^"]*)"/g)].map(([, field]) => field);
  const fields = [...new Set([...server.causes.map(({ field }) => field), ...unknown])].filter(
    (field) => field !== '' && field !== '<nil>',
  );
  return {
    text,
    form,
    verdict: 'rejected',
    fields: fields.map((field) => ({ field, named: names(paths, field) })),
  };
}
