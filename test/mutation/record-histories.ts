/**
 * Records what happens in random worlds (`test/support/recorded-histories.ts`), and selects the worlds: those in which a mutant of the code changes
 * something.
 *
 * `[--mutants N] [--seed S] [--worlds N] [--from SEED] [--seconds S]`: the worlds of the fixture are recorded again. With `--mutants`, prints how many of a
 * sample of mutants, which `--seed` selects, they notice, and which ones they do not. With `--worlds` too, of so many further worlds, from the seed
 * `--from`, those are added that notice one of the others. `--seconds` limits the search.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { printHistories, readHistories } from '../support/recorded-histories';
import { type MutatedCode } from './in-process';
import { type Mutant, sampled } from './mutants';
import { described } from './report';

export interface Recording {
  readonly fixture: string;
  /** First line of the fixture. */
  readonly head: string;
  readonly code: MutatedCode;
  readonly mutants: readonly Mutant[];
  readonly historyOf: (seed: number) => readonly string[];
}

interface World {
  readonly seed: number;
  readonly lines: readonly string[];
  readonly met: ReadonlySet<number>;
  /** How much is computed for it. */
  readonly steps: number;
}

/** How many further worlds are asked about a mutant. */
const TRIES = 12;

export function recordHistories(recording: Recording, args: readonly string[]): void {
  const { values } = parseArgs({
    args: [...args],
    options: {
      worlds: { type: 'string', default: '0' },
      from: { type: 'string', default: '1' },
      mutants: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
      seconds: { type: 'string', default: 'Infinity' },
    },
  });
  const [worlds, from, size, seed, seconds] = [
    values.worlds,
    values.from,
    values.mutants,
    values.seed,
    values.seconds,
  ].map(Number);
  const deadline = performance.now() + 1000 * seconds;
  const selection = new Selection(recording, worlds, from);
  if (size > 0) {
    const { asked, unnoticed } = selection.extend(sampled(recording.mutants, size, seed), deadline);
    unnoticed.forEach((mutant) => console.log(described(mutant)));
    console.log(`${selection.kept.length} worlds notice ${asked - unnoticed.length} of ${asked} mutants`);
  }
  const kept = [...selection.kept].sort((a, b) => a.seed - b.seed);
  const histories = new Map(kept.map((world) => [world.seed, world.lines]));
  writeFileSync(recording.fixture, printHistories(recording.head, histories));
}

class Selection {
  /** Worlds of the fixture, the cheapest first. */
  readonly kept: World[];
  private readonly further: readonly World[];

  constructor(
    private readonly recording: Recording,
    worlds: number,
    from: number,
  ) {
    const { fixture } = recording;
    const listed = existsSync(fixture) ? [...readHistories(fixture).keys()] : [];
    const seeds = Array.from({ length: worlds }, (_, index) => from + index).filter((one) => !listed.includes(one));
    [this.kept, this.further] = [listed, seeds].map((list) => list.map((seed) => this.world(seed)).sort(cheapestFirst));
  }

  /** Adds worlds that notice mutants which none of the fixture notices. Mutants that few worlds meet select first; their worlds notice many others. */
  extend(
    mutants: readonly Mutant[],
    deadline: number,
  ): { readonly asked: number; readonly unnoticed: readonly Mutant[] } {
    const rarity = ({ id }: Mutant): number => this.further.filter(({ met }) => met.has(id)).length;
    const rareFirst = mutants.map((mutant) => ({ mutant, rarity: rarity(mutant) })).sort((a, b) => a.rarity - b.rarity);
    const unnoticed: Mutant[] = [];
    let asked = 0;
    for (const { mutant } of rareFirst) {
      if (performance.now() > deadline) {
        break;
      }
      asked++;
      if (!this.isNoticed(mutant.id)) {
        unnoticed.push(mutant);
      }
    }
    return { asked, unnoticed };
  }

  private isNoticed(mutant: number): boolean {
    const meets = ({ met }: World): boolean => met.has(mutant);
    if (this.kept.some((world) => meets(world) && this.notices(world, mutant))) {
      return true;
    }
    const found = this.further
      .filter((world) => meets(world) && !this.kept.includes(world))
      .slice(0, TRIES)
      .find((world) => this.notices(world, mutant));
    if (found !== undefined) {
      this.kept.push(found);
      this.kept.sort(cheapestFirst);
    }
    return found !== undefined;
  }

  private world(seed: number): World {
    const { result: lines, met, steps } = this.recording.code.meet(() => this.recording.historyOf(seed));
    return { seed, lines, met: new Set(met), steps };
  }

  private notices({ seed, lines }: World, mutant: number): boolean {
    const { code, historyOf } = this.recording;
    return code.changes(mutant, () => historyOf(seed).join('\n') === lines.join('\n'));
  }
}

function cheapestFirst(a: World, b: World): number {
  return a.steps - b.steps;
}
