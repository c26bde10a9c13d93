/**
 * Costs by pool, queue, team, and gang, compared with sums by hand.
 */
import { size } from '../../../src/planning/sizing';
import { costPerHour } from '../../../src/planning/sizing/sizing';
import { mixText } from '../../../src/planning/sizing/words';
import { sizing } from './support';

test('gangs pay for the devices that they hold, and the rest is idle', () => {
  const { best } = size(
    sizing({
      pools: [{ name: 'h100', accelerator: 'H100-SXM-80GB', min: 1, max: 1, pricePerHour: 80 }],
      queues: [{ name: 'team' }, { name: 'a', parent: 'team' }, { name: 'b', parent: 'team' }, { name: 'alone' }],
      gangs: [
        { name: 'half', queue: 'a', gpus: 4, duration: '2h' },
        { name: 'two', queue: 'b', pods: 2, gpus: 1, duration: '1h' },
        { name: 'part', queue: 'alone', gpus: 0.5, duration: '4h' },
      ],
    }),
  );
  // Of four hours: half a node for two, a quarter for one, a sixteenth for four.
  expect(best).toMatchObject({
    costPerHour: 80,
    queues: [
      { name: 'team', costPerHour: 0 },
      { name: 'a', costPerHour: 20 },
      { name: 'b', costPerHour: 5 },
      { name: 'alone', costPerHour: 5 },
    ],
    teams: [
      { name: 'team', costPerHour: 25 },
      { name: 'alone', costPerHour: 5 },
    ],
    pools: [{ name: 'h100', nodes: 1, costPerHour: 80, idlePerHour: 50 }],
  });
  expect(best!.idle).toBeCloseTo(50 / 80, 9);
});

test('on nodes without devices, gangs pay for the CPU that they request', () => {
  const { best } = size(
    sizing({
      pools: [{ name: 'cpu', cpu: 16, min: 1, max: 1, pricePerHour: 4 }],
      gangs: [{ name: 'load', queue: 'q', cpu: 4, duration: '4h' }],
    }),
  );
  expect(best!.gangs).toEqual([{ name: 'load', costPerHour: 1 }]);
});

test('the warm-up is not paid for, and a spot node not while it is replaced', () => {
  const spot = { interruptionsPerHour: 1, notice: 0, replacedAfter: '1h' };
  const read = sizing({
    pools: [
      { name: 'spot', accelerator: 'H100-SXM-80GB', min: 2, max: 2, pricePerHour: 30, purchase: 'spot', spot },
      { name: 'h100', accelerator: 'H100-SXM-80GB', min: 1, max: 1, pricePerHour: 80 },
    ],
    gangs: [{ name: 'service', queue: 'q', gpus: 8, duration: 'forever', repeat: { every: '1h', count: 3 } }],
    targets: [{ wait: '2h' }],
    run: { for: '10h', warmup: '5h' },
  });
  // One hour up, one hour down, on average.
  expect(costPerHour(read.pools, [2, 1])).toBeCloseTo(2 * 15 + 80, 9);
  const { best } = size(read);
  const parts = [...best!.pools.map(({ costPerHour: cost }) => cost)];
  expect(parts.reduce((sum, cost) => sum + cost, 0)).toBeCloseTo(best!.costPerHour, 9);
  const used = best!.gangs.reduce((sum, { costPerHour: cost }) => sum + cost, 0);
  expect(used + best!.idle * best!.costPerHour).toBeCloseTo(best!.costPerHour, 6);
});

test('nodes of a pool that scales are paid for from their request until they end', () => {
  const read = sizing({
    pools: [
      {
        name: 'burst',
        accelerator: 'H100-SXM-80GB',
        min: 3,
        max: 3,
        pricePerHour: 60,
        autoscale: { min: 1, delay: '10m', idle: '20m' },
      },
    ],
    gangs: [{ name: 'train', queue: 'q', pods: 2, gpus: 8, arrives: '1h', duration: '1h' }],
    targets: [{ wait: '10m' }],
    run: { for: '6h' },
  });
  const { best } = size(read);
  // One node stays for six hours. A second one is requested at 1h, joins at 1h 10m, works until 2h 10m, and ends at 2h 30m.
  const pool = best!.pools[0];
  expect(pool).toMatchObject({ name: 'burst', nodes: 3 });
  expect(mixText(best!)).toBe('up to 3 burst');
  expect(pool.meanNodes).toBeCloseTo((6 + 1.5) / 6, 9);
  expect(pool.costPerHour).toBeCloseTo((60 * 7.5) / 6, 9);
  expect(pool.idlePerHour).toBeCloseTo((60 * 5.5) / 6, 9);
  expect(best!.costPerHour).toBe(pool.costPerHour);
  expect(best!.targets[0].wait.mean).toBe(600);
});

test('the warm-up of a pool that scales is not paid for', () => {
  const read = sizing({
    pools: [
      { name: 'burst', accelerator: 'H100-SXM-80GB', min: 1, max: 1, pricePerHour: 60, autoscale: { delay: '1m' } },
    ],
    gangs: [{ name: 'train', queue: 'q', gpus: 8, duration: '1h', repeat: { every: '4h', count: 2 } }],
    targets: [{ wait: '1m' }],
    run: { for: '4h30m', warmup: '2h' },
  });
  // The first node ends before the warm-up does. The second is requested at 4h, and runs beyond the end of the run.
  expect(size(read).best!.costPerHour).toBeCloseTo((60 * 0.5) / 2.5, 9);
});
