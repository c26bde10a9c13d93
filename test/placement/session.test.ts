import { checkHistories } from './histories';

describe('a session that follows the world', () => {
  it('has the books of a session built from scratch, and decides the same, after every step of a random history', () => {
    checkHistories(Number(process.env.GANTRY_PROPERTY_RUNS ?? 300), 20_261_122);
  }, 600_000);
});
