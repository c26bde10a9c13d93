/**
 * What one replication simulates: the work that arrives and the spot nodes that are interrupted, drawn by seed.
 *
 * The same replication of two mixes gets the same work, and a spot node the same interruptions, so that mixes are compared under equal
 * conditions.
 */
import { type ScenarioGang } from '../simulation';
import { momentsOf, randomNumbers } from '../simulation/arrivals';
import { arrivalsOf, type GangKind } from '../simulation/read-gangs';
import { seedOf } from '../simulation/spot';
import { type Sizing } from './sizing';

export interface DrawnWork {
  /** In the order of their arrival. */
  readonly gangs: readonly ScenarioGang[];
  /** By the name of a gang: the entry of `gangs`, or the job of the history, that it comes from. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Standard normal deviation of the 95th percentile. */
const Z95 = 1.644_853_626_951_472;

/** Whether replications differ from each other on some mix. */
export function isRandom({ kinds, history, run, pools }: Sizing): boolean {
  return (
    kinds.some(({ arrivals, p95Seconds }) => arrivals.kind === 'poisson' || p95Seconds !== undefined) ||
    (history.length > 0 && run.blockSeconds !== undefined) ||
    pools.some(({ spot }) => (spot?.interruptionsPerHour ?? 0) > 0)
  );
}

export function drawWork(sizing: Sizing, replication: number): DrawnWork {
  const { kinds, search, run } = sizing;
  const sources = new Map<string, string>();
  const drawn = kinds.flatMap((kind) => {
    const gangs = ofKind(kind, seedOf(search.seed, replication, kind.gang.name));
    gangs.forEach(({ gang }) => sources.set(gang.name, kind.gang.name));
    return gangs;
  });
  const replayed = historyOf(sizing, replication, sources);
  const gangs = [...drawn, ...replayed].filter(({ arrivesAt }) => arrivesAt < run.seconds);
  return { gangs: gangs.sort((a, b) => a.arrivesAt - b.arrivesAt), sources };
}

function ofKind(kind: GangKind, seed: number): readonly ScenarioGang[] {
  const { arrivals, p95Seconds, timing } = kind;
  const moments = momentsOf(arrivals.kind === 'poisson' ? { ...arrivals, seed } : arrivals);
  const gangs = arrivalsOf(kind, moments);
  if (p95Seconds === undefined) {
    return gangs;
  }
  const random = randomNumbers(seed + 1);
  const sigma = Math.log(p95Seconds / timing.durationSeconds) / Z95;
  return gangs.map((gang) => ({
    ...gang,
    durationSeconds: Math.max(1, Math.round(timing.durationSeconds * Math.exp(sigma * normal(random)))),
  }));
}

/** The history as it was, or whole blocks of it, drawn with replacement. */
function historyOf(
  { history, run, search }: Sizing,
  replication: number,
  sources: Map<string, string>,
): readonly ScenarioGang[] {
  const { blockSeconds, seconds } = run;
  if (history.length === 0 || blockSeconds === undefined) {
    history.forEach(({ gang }) => sources.set(gang.name, gang.name));
    return history;
  }
  const blocks = blocksOf(history, blockSeconds);
  const random = randomNumbers(seedOf(search.seed, replication, 'history'));
  return Array.from({ length: Math.ceil(seconds / blockSeconds) }, (_, place) => {
    const from = Math.floor(random() * blocks.length);
    return blocks[from].map((job) => {
      const name = `${job.gang.name}@${place + 1}`;
      sources.set(name, job.gang.name);
      const arrivesAt = job.arrivesAt + (place - from) * blockSeconds;
      return { ...job, gang: { ...job.gang, name }, arrivesAt };
    });
  }).flat();
}

/** Whole blocks of the history: its length is rounded to blocks, so that a last one that is mostly empty does not count. */
export function blockCount(history: readonly ScenarioGang[], blockSeconds: number): number {
  return Math.max(1, Math.round((history.at(-1)?.arrivesAt ?? 0) / blockSeconds));
}

function blocksOf(history: readonly ScenarioGang[], blockSeconds: number): readonly (readonly ScenarioGang[])[] {
  const blocks: ScenarioGang[][] = Array.from({ length: blockCount(history, blockSeconds) }, () => []);
  for (const job of history) {
    blocks[Math.floor(job.arrivesAt / blockSeconds)]?.push(job);
  }
  return blocks;
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
