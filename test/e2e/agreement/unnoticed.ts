/**
 * Questions for mutants: which changes of the server tier's code no recorded verdict notices, and which documents would notice them.
 */
import { type JsonObject, type KubernetesMinor } from '../../../src/facts/api/schema';
import { agrees, type RecordedVerdict } from '../../support/recorded-verdicts';
import { askGantry, askGantryAboutText, type GantryVerdict } from './gantry-verdict';
import { mutatedServer, serverMutants } from './mutated-server';
import { type Question } from './mutants';
import { Random } from '../../support/random';
import { gantryOn } from './recording';

/** Of the documents that meet a mutant, how many are asked whether they notice it. */
const RECORDED_EACH = 30;
const CANDIDATES_EACH = 20;

/** Ids of the mutants that no recorded verdict notices. What code does while it is loaded is not looked at. */
export function unnoticedMutants(recorded: readonly RecordedVerdict[], minor: KubernetesMinor): ReadonlySet<number> {
  const holds = (verdict: RecordedVerdict): boolean => agrees(verdict, answerTo(verdict, minor));
  const meetings = new Meetings<RecordedVerdict>(RECORDED_EACH, () => true);
  recorded.forEach((verdict) => meetings.add(verdict, mutatedServer.meet(() => holds(verdict)).met));
  const unnoticed = new Set<number>();
  for (const { id } of serverMutants) {
    if (!meetings.of(id).some((verdict) => mutatedServer.changes(id, () => holds(verdict)))) {
      unnoticed.add(id);
    }
  }
  return unnoticed;
}

/** Of the candidates, those that Gantry answers otherwise with one of the mutants; one for each mutant. */
export function noticing(
  unnoticed: ReadonlySet<number>,
  candidates: readonly Question[],
  minor: KubernetesMinor,
): readonly Question[] {
  const answer = (question: Question): string => shortened(gantryOn(question, minor));
  const meetings = new Meetings<{ question: Question; usual: string }>(CANDIDATES_EACH, (id) => unnoticed.has(id));
  for (const question of candidates) {
    const { result: usual, met } = mutatedServer.meet(() => answer(question));
    meetings.add({ question, usual }, met);
  }
  const chosen = new Set<Question>();
  for (const id of unnoticed) {
    const documents = meetings.of(id);
    const notices = ({ question, usual }: (typeof documents)[number]): boolean =>
      mutatedServer.changes(id, () => answer(question) === usual);
    const known = documents.some((document) => chosen.has(document.question) && notices(document));
    const found = known ? undefined : documents.find(notices);
    if (found !== undefined) {
      chosen.add(found.question);
    }
  }
  return [...chosen];
}

function answerTo({ text, form }: RecordedVerdict, minor: KubernetesMinor): GantryVerdict {
  return form === 'text' ? askGantryAboutText(text, minor) : askGantry(JSON.parse(text) as JsonObject, minor);
}

/** What a verdict of a server can be compared with. */
function shortened({ verdict, findings }: GantryVerdict): string {
  return [verdict, ...new Set(findings.map(({ path }) => path))].join('\n');
}

/** For each mutant a sample of the documents that meet it, each with the same chance. */
class Meetings<T> {
  private readonly random = new Random(1);
  private readonly byMutant = new Map<number, { met: number; kept: T[] }>();

  constructor(
    private readonly most: number,
    private readonly wants: (id: number) => boolean,
  ) {}

  add(document: T, mutants: readonly number[]): void {
    for (const id of mutants.filter(this.wants)) {
      const entry = this.byMutant.get(id) ?? { met: 0, kept: [] };
      this.byMutant.set(id, entry);
      entry.met++;
      if (entry.kept.length < this.most) {
        entry.kept.push(document);
        continue;
      }
      const place = this.random.below(entry.met);
      if (place < this.most) {
        entry.kept[place] = document;
      }
    }
  }

  of(id: number): readonly T[] {
    return this.byMutant.get(id)?.kept ?? [];
  }
}
