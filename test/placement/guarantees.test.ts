import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_POLICY, type Policy } from '../../src/placement';
import { samples } from '../support/samples';
import { checkGuarantees, keepsGuarantees } from './guarantees';
import { type World } from './worlds';

/** Worlds in which a guarantee was once broken, as the search for a smaller world left them. */
const broken = JSON.parse(readFileSync(join(__dirname, '../fixtures/placement-worlds.json'), 'utf8')) as readonly {
  readonly name: string;
  readonly world: World;
  readonly policy: Partial<Policy>;
  readonly shuffle: number;
  /** Milliseconds from one cycle to the next. @default - a minute */
  readonly step?: number;
}[];

describe('every decision', () => {
  it('keeps capacity, gangs, topology, minimum runtimes and the non-preemptible, evicts only what it must, and comes to rest', () => {
    checkGuarantees(samples(300), 20_261_120);
  }, 600_000);

  it.each(broken)('does so with $name', ({ world, policy, shuffle, step }) => {
    const all = { ...DEFAULT_POLICY, staleGangSeconds: 0, ...policy };
    expect(() => keepsGuarantees(world, all, shuffle, step)).not.toThrow();
  });
});
