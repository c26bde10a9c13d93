import { checkGuarantees } from './guarantees';
import { samples } from '../support/samples';

describe('every decision', () => {
  it('keeps capacity, gangs, topology, minimum runtimes and the non-preemptible, evicts only what it must, and comes to rest', () => {
    checkGuarantees(samples(100), 20_261_120);
  }, 600_000);
});
