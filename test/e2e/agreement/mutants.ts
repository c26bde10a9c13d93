/**
 * Questions to ask: the valid manifests, and as many mutants of them as wanted. The same seed gives the same questions.
 */
import { type JsonObject, type KubernetesMinor } from '../../../src/facts/api/schema';
import { idOf } from '../../../src/manifests/identity';
import { type BaseManifest } from './corpus';
import { label, metadata, name, scope, version } from './identity-operators';
import { type Mutation, type Operator } from './mutation';
import { Random } from '../../support/random';
import { type Site, sitesOf } from './sites';
import { addedField, cel, duplicateEntry, duplicateItem, madeAnew, union, unknownField } from './structure-operators';
import { duplicateKey, numberForm } from './text-operators';
import { missing, nothing, number, quantity, text, word, wrongType } from './value-operators';

export interface Question {
  /** Counts from 0. */
  readonly index: number;
  /** `apiVersion Kind` of the valid manifest. */
  readonly kind: string;
  /** Name of the operator; `none` for the valid manifest itself. */
  readonly operator: string;
  readonly what: string;
  readonly object: JsonObject;
  /** The manifest as JSON text, where the object does not say it all. */
  readonly text?: string;
}

export const OPERATORS: readonly Operator[] = [
  // What the suite is for.
  ...[
    unknownField,
    wrongType,
    number,
    word,
    quantity,
    missing,
    duplicateEntry,
    duplicateItem,
    scope,
    name,
    label,
    cel,
    union,
  ],
  // What else a live server has opinions on.
  ...[addedField, madeAnew, nothing, text, metadata, version, numberForm, duplicateKey],
];

/** The kinds take turns, so that each is asked about as often as any other. */
export function questions(
  bases: readonly BaseManifest[],
  mutants: number,
  seed: number,
  minor: KubernetesMinor,
  operators: readonly Operator[] = OPERATORS,
): readonly Question[] {
  const byKind = new Map<string, { readonly object: JsonObject; readonly sites: readonly Site[] }[]>();
  const asked: Question[] = [];
  for (const { object } of bases) {
    const kind = kindOf(object);
    const list = byKind.get(kind) ?? [];
    byKind.set(kind, [...list, { object, sites: sitesOf(object, minor) }]);
    asked.push({ index: asked.length, kind, operator: 'none', what: 'as it is', object });
  }
  const random = new Random(seed);
  const kinds = [...byKind.keys()].sort();
  // Few mutants, as in the suite, shall still meet kinds from all over the alphabet.
  const start = random.below(kinds.length);
  for (let turn = 0; turn < mutants; turn++) {
    const kind = kinds[(start + turn * stride(kinds.length)) % kinds.length];
    const { object, sites } = random.pick(byKind.get(kind) ?? []);
    const first = mutated(object, sites, random, operators);
    asked.push({ index: asked.length, kind, ...first });
    // Now and then two changes at once: who answers first on the server's side decides what else is looked at.
    if (first.text === undefined && random.chance(0.15)) {
      const second = mutated(first.object, sitesOf(first.object, minor), random, operators);
      asked[asked.length - 1] = {
        index: asked.length - 1,
        kind,
        ...second,
        operator: 'two changes',
        what: `${first.what}; ${second.what}`,
      };
    }
  }
  return asked;
}

function mutated(
  object: JsonObject,
  sites: readonly Site[],
  random: Random,
  operators: readonly Operator[],
): { readonly operator: string } & Mutation {
  for (;;) {
    const operator = random.pick(operators);
    const mutation = operator.apply(object, sites, random);
    if (mutation !== undefined) {
      return { operator: operator.name, ...mutation };
    }
  }
}

/** `apiVersion Kind` */
export function kindOf(object: JsonObject): string {
  const { apiVersion, kind } = idOf(object);
  return `${apiVersion} ${kind}`;
}

/** A step that meets every one of `count` places before it meets one again. */
function stride(count: number): number {
  let step = Math.max(1, Math.floor(count * 0.38));
  while (gcd(step, count) !== 1) {
    step++;
  }
  return step;
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
