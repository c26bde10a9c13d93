/**
 * Asks the validators of a project and Gantry the same questions, and compares the answers.
 */
import { DEFAULT_MINOR } from '../../../src/facts/api/kinds';
import { type JsonObject } from '../../../src/facts/api/schema';
import { kindOf } from '../agreement/mutants';
import { type Operator } from '../agreement/mutation';
import { Random } from '../../support/random';
import { sitesOf } from '../agreement/sites';
import { type WebhookBase } from './bases';
import { withDefaults } from './defaults';
import { gantryAsWebhook, type GantryWebhookVerdict } from './gantry-verdict';
import { askProgram, type ProjectVerdict } from './programs';
import { type WebhookProject } from './projects';

export interface WebhookAnswer {
  /** `apiVersion Kind`, with the type of the trigger for scalers. */
  readonly kind: string;
  /** `none` for a valid object as it is. */
  readonly operator: string;
  readonly what: string;
  readonly base: WebhookBase;
  readonly object: JsonObject;
  readonly project: ProjectVerdict;
  readonly gantry: GantryWebhookVerdict;
  readonly outcome: 'agree' | 'false accept' | 'false reject' | 'unclear';
}

interface Candidate {
  readonly kind: string;
  readonly operator: string;
  readonly what: string;
  readonly base: WebhookBase;
  readonly object: JsonObject;
  readonly gantry: GantryWebhookVerdict;
}

export interface Extent {
  /** How many mutants that a bare API server accepts. */
  readonly mutants: number;
  readonly seed: number;
  readonly operators: readonly Operator[];
  readonly kindOf?: (object: JsonObject) => string;
}

/** The bases as they are, and mutants of them, the kinds in turn. */
export async function askAboutProject(
  project: WebhookProject,
  program: string,
  bases: readonly WebhookBase[],
  extent: Extent,
): Promise<readonly WebhookAnswer[]> {
  const candidates = candidatesOf(project, bases, extent);
  const verdicts = await askProgram(
    program,
    candidates.map(({ object, base }) => ({
      object: withDefaults(object, DEFAULT_MINOR),
      beside: base.beside.map((other) => withDefaults(other, DEFAULT_MINOR)),
    })),
  );
  return candidates.map((candidate, index) => ({
    ...candidate,
    project: verdicts[index],
    outcome: outcomeOf(verdicts[index], candidate.gantry, project.absent),
  }));
}

function candidatesOf(
  project: WebhookProject,
  bases: readonly WebhookBase[],
  { mutants, seed, operators, kindOf: sortOf = kindOf }: Extent,
): readonly Candidate[] {
  const asks = new Map(bases.map((base) => [base, gantryAsWebhook(project, base.beside, DEFAULT_MINOR)]));
  const ask = (object: JsonObject, base: WebhookBase): GantryWebhookVerdict => asks.get(base)!(object);
  const valid = bases
    .map((base) => ({
      ...{ kind: sortOf(base.object), operator: 'none', what: 'as it is', base },
      object: base.object,
    }))
    .map((candidate) => ({ ...candidate, gantry: ask(candidate.object, candidate.base) }))
    .filter(({ gantry }) => gantry.verdict !== 'not counted');
  const byKind = new Map<string, WebhookBase[]>();
  for (const { kind, base } of valid) {
    byKind.set(kind, [...(byKind.get(kind) ?? []), base]);
  }
  const kinds = [...byKind.keys()].sort();
  const random = new Random(seed);
  const found: Candidate[] = [];
  // Where nearly nothing that the operators make is accepted by a bare server, the search ends.
  for (let turn = 0; found.length < mutants && kinds.length > 0 && turn < mutants * 40; turn++) {
    const kind = kinds[turn % kinds.length];
    const base = random.pick(byKind.get(kind) ?? []);
    const mutant = mutantOf(base.object, operators, random);
    if (mutant === undefined || project.judges?.(mutant.object) === false) {
      continue;
    }
    const gantry = ask(mutant.object, base);
    if (gantry.verdict !== 'not counted') {
      found.push({ kind, ...mutant, base, gantry });
    }
  }
  return [...valid, ...found];
}

function mutantOf(
  object: JsonObject,
  operators: readonly Operator[],
  random: Random,
): Pick<Candidate, 'operator' | 'what' | 'object'> | undefined {
  const operator = random.pick(operators);
  const first = operator.apply(object, sitesOf(object, DEFAULT_MINOR), random);
  if (first === undefined || first.text !== undefined) {
    return undefined;
  }
  if (!random.chance(0.25)) {
    return { operator: operator.name, what: first.what, object: first.object };
  }
  const again = random.pick(operators);
  const second = again.apply(first.object, sitesOf(first.object, DEFAULT_MINOR), random);
  return second === undefined || second.text !== undefined
    ? { operator: operator.name, what: first.what, object: first.object }
    : { operator: 'two changes', what: `${first.what}; ${second.what}`, object: second.object };
}

function outcomeOf(
  { verdict, message }: ProjectVerdict,
  gantry: GantryWebhookVerdict,
  absent: RegExp | undefined,
): WebhookAnswer['outcome'] {
  if (verdict === 'unclear' || (verdict === 'refused' && absent?.test(message) === true)) {
    return 'unclear';
  }
  if (verdict === gantry.verdict || (verdict === 'refused' && gantry.hasOther)) {
    return 'agree';
  }
  return verdict === 'accepted' ? 'false reject' : 'false accept';
}
