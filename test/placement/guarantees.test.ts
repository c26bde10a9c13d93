import { checkGuarantees } from './guarantees';

describe('every decision', () => {
  it('keeps capacity, gangs, topology, minimum runtimes and the non-preemptible, evicts only what it must, and comes to rest', () => {
    checkGuarantees(Number(process.env.GANTRY_PROPERTY_RUNS ?? 100), 20_261_120);
  }, 600_000);
});
