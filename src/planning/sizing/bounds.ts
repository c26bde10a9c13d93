/**
 * How much a sizing may simulate: work, interruptions, and replications are held in memory.
 */
import { type Fields } from '../cluster/files/fields';
import { type Sizing } from './sizing';
import { longestRun } from './world';

/** Gangs of one replication. */
const MOST_GANGS = 100_000;
/** Gangs of all replications. */
const MOST_DRAWN = 2_000_000;
/** Interruptions of all spot nodes in one replication. */
const MOST_INTERRUPTIONS = 200_000;

/** Reports a sizing that is too large, with what makes it so. */
export function checkBounds(fields: Fields, sizing: Sizing): void {
  const gangs = Math.round(expectedGangs(sizing));
  const { replications } = sizing.search;
  if (gangs > MOST_GANGS) {
    fields.wrongAt('run.for', `gives about ${gangs} gangs in each replication; at most ${MOST_GANGS} are simulated`);
  } else if (gangs * replications > MOST_DRAWN) {
    fields.wrongAt(
      'search.replications',
      `must be at most ${Math.floor(MOST_DRAWN / gangs)} for about ${gangs} gangs in each, not ${replications}`,
    );
  }
  const interruptions = Math.round(expectedInterruptions(sizing));
  if (interruptions > MOST_INTERRUPTIONS) {
    fields.wrongAt(
      'pools',
      `have about ${interruptions} interruptions in each replication; at most ${MOST_INTERRUPTIONS} are simulated`,
    );
  }
}

function expectedGangs({ kinds, history, run }: Sizing): number {
  const arriving = kinds.reduce((sum, { arrivals }) => {
    switch (arrivals.kind) {
      case 'once':
        return sum + 1;
      case 'every':
        return sum + arrivals.count;
      case 'poisson':
        return sum + Math.min(arrivals.count, (arrivals.perHour * Math.max(0, run.seconds - arrivals.from)) / 3600);
    }
  }, 0);
  const length = Math.max(run.blockSeconds ?? run.seconds, (history.at(-1)?.arrivesAt ?? 0) + 1);
  const times = run.blockSeconds === undefined ? 1 : Math.max(1, run.seconds / length);
  return arriving + history.length * times;
}

function expectedInterruptions(sizing: Sizing): number {
  const hours = longestRun(sizing) / 3600;
  return sizing.pools.reduce(
    (sum, { nodes, spot }) => sum + nodes.length * hours * (spot?.interruptionsPerHour ?? 0),
    0,
  );
}
