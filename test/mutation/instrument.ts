/**
 * Writes all mutants into the code at once, each behind a question that is asked when the code runs: is this one active?
 *
 * So a file is compiled once for all its mutants. In a replacement nothing else is asked, because one mutant at most is active.
 */
import { type Mutant } from './mutants';

/** A function of the test environment: `(id: number) => boolean`. */
export const IS_ACTIVE = '__gantryMutant';

interface Place {
  readonly start: number;
  readonly end: number;
  readonly mutants: Mutant[];
  readonly inside: Place[];
}

/** The code with its mutants, which are those of one file. */
export function instrumented(code: string, mutants: readonly Mutant[]): string {
  const whole: Place = { start: 0, end: code.length, mutants: [], inside: [] };
  // The wider first, so that what surrounds a place is there before it.
  for (const mutant of [...mutants].sort((a, b) => a.start - b.start || b.end - a.end || a.id - b.id)) {
    place(whole, mutant);
  }
  return rendered(code, whole);
}

function place(around: Place, mutant: Mutant): void {
  const inner = around.inside.find(({ start, end }) => start <= mutant.start && mutant.end <= end);
  if (inner === undefined) {
    around.inside.push({ start: mutant.start, end: mutant.end, mutants: [mutant], inside: [] });
  } else if (inner.start === mutant.start && inner.end === mutant.end && sameShape(inner.mutants[0], mutant)) {
    inner.mutants.push(mutant);
  } else {
    place(inner, mutant);
  }
}

function sameShape(one: Mutant, other: Mutant): boolean {
  return one.shape === other.shape;
}

function rendered(code: string, { start, end, mutants, inside }: Place): string {
  let text = '';
  let position = start;
  for (const inner of inside) {
    text += code.slice(position, inner.start) + rendered(code, inner);
    position = inner.end;
  }
  text += code.slice(position, end);
  if (mutants.length === 0) {
    return text;
  }
  const active = ({ id }: Mutant): string => `${IS_ACTIVE}(${id})`;
  switch (mutants[0].shape) {
    case 'block':
      return `{ if (!(${mutants.map(active).join(' || ')})) ${text} }`;
    case 'statement':
      return `{ if (!(${mutants.map(active).join(' || ')})) { ${text} } }`;
    case 'expression':
      return `(${mutants.map((mutant) => `${active(mutant)} ? (${mutant.text}) : `).join('')}(${text}))`;
  }
}
