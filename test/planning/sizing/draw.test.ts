/**
 * What replications draw: arrivals, durations, blocks of history, interruptions of spot nodes.
 */
import { drawOutages, seedOf } from '../../../src/planning/simulation/spot';
import { drawWork, isRandom } from '../../../src/planning/sizing/draw';
import { sizing } from './support';

const DAYS = 6;
/** One job at noon of each day, named after its day. */
const HISTORY = `submitted,duration,devices,name\n${Array.from(
  { length: DAYS },
  (_, day) => `${day * 24 + (day === 0 ? 0 : 12)}h,1h,1,day-${day}`,
).join('\n')}\n`;

function ofHistory(run = {}): ReturnType<typeof sizing> {
  return sizing({ gangs: undefined, jobs: 'h.csv', run }, { text: (file) => ({ text: HISTORY, file }) });
}

test('blocks of a history keep their time of day, and jobs know where they come from', () => {
  const read = ofHistory();
  const { gangs, sources } = drawWork(read, 0);
  expect(gangs).toHaveLength(DAYS);
  gangs.forEach(({ gang, arrivesAt }, place) => {
    const source = sources.get(gang.name)!;
    expect(arrivesAt).toBe(place * 86_400 + (source === 'day-0' ? 0 : 43_200));
    expect(gang.name).toBe(`${source}@${place + 1}`);
  });
  const drawn = new Set([0, 1, 2, 3].map((replication) => [...drawWork(read, replication).sources.values()].join()));
  expect(drawn.size).toBe(4);
});

test('a history that is replayed is the same in each replication', () => {
  const read = ofHistory({ replay: true });
  expect(isRandom(read)).toBe(false);
  expect(drawWork(read, 0)).toEqual(drawWork(read, 1));
  expect(drawWork(read, 0).gangs.map(({ gang }) => gang.name)).toEqual([...read.history.map(({ gang }) => gang.name)]);
});

test('rates and durations are those of the file', () => {
  const read = sizing({
    gangs: [{ name: 'a', queue: 'q', gpus: 1, duration: { median: '1h', p95: '4h' }, repeat: { perHour: 30 } }],
    run: { for: '100h' },
  });
  const { gangs } = drawWork(read, 0);
  const durations = gangs.map(({ durationSeconds }) => durationSeconds).sort((a, b) => a - b);
  // 3,000 arrivals with a standard deviation of 55; the median and the percentile within a tenth.
  expect(Math.abs(gangs.length - 3000)).toBeLessThan(165);
  expect(Math.abs(durations[gangs.length >> 1] / 3600 - 1)).toBeLessThan(0.1);
  expect(Math.abs(durations[Math.floor(gangs.length * 0.95)] / 14_400 - 1)).toBeLessThan(0.1);
  expect(new Set(gangs.map(({ expectedSeconds }) => expectedSeconds))).toEqual(new Set([3600]));
  expect(drawWork(read, 0)).toEqual(drawWork(read, 0));
  expect(drawWork(read, 1).gangs[0].arrivesAt).not.toBe(gangs[0].arrivesAt);
});

test('spot nodes run for the mean time between interruptions, then for the notice, and return', () => {
  const terms = { interruptionsPerHour: 0.5, noticeSeconds: 120, replacedAfterSeconds: 600 };
  const until = 10_000 * 3600;
  const outages = drawOutages(terms, seedOf('spot'), until);
  // A cycle is two hours and the twelve minutes of notice and replacement.
  expect(Math.abs(outages.length / (until / 7920) - 1)).toBeLessThan(0.05);
  outages.forEach(({ notice, from, to }, index) => {
    expect([from - notice, to! - from]).toEqual([120, 600]);
    expect(notice).toBeGreaterThanOrEqual(outages[index - 1]?.to ?? 0);
  });
  expect(drawOutages({ ...terms, interruptionsPerHour: 0 }, 1, until)).toEqual([]);
});
