/**
 * Decisions about one host. The placement core has tests of its own: these say that tasks reach it as what they are.
 */
import { outlookOf, outlooksOf, Scheduling } from '../../../src/runtime/docker/scheduling/scheduling';
import { type World } from '../../../src/runtime/docker/scheduling/question';
import { next } from '../../../src/runtime/docker/task/life';
import { type Task } from '../../../src/runtime/docker/task/task';
import { randomNumbers } from '../../../bench/machine';
import { ask, FOUR, gpus, host, running, startedAt, world } from './hosts';
import { queued } from './tasks';

/** `task: devices` of what starts, and the tasks that are stopped. */
function decided(asked: World): { starts: Record<string, readonly (readonly number[])[]>; stops: readonly string[] } {
  const { starts, stops } = new Scheduling().decide(asked);
  return {
    starts: Object.fromEntries(
      starts.map(({ task, placements }) => [task.id, placements.map(({ devices }) => devices)]),
    ),
    stops: stops.map(({ task }) => task.id),
  };
}

test('tasks get different devices, in the order of submission', () => {
  expect(decided(world([ask(1, 1), ask(2, 2), ask(3, 2), ask(4, 1)]))).toEqual({
    starts: { 1: [[expect.any(Number)]], 2: [[expect.any(Number), expect.any(Number)]], 4: [[expect.any(Number)]] },
    stops: [],
  });
});

test('a later task passes the head of the queue only if it ends before the head can start', () => {
  const active = running([ask(1, 3, { timeLimitSeconds: 3600 })]);
  const head = ask(2, 4);
  const [short, long, endless] = [
    ask(3, 1, { timeLimitSeconds: 600 }),
    ask(4, 1, { timeLimitSeconds: 7200 }),
    ask(5, 1),
  ];
  expect(decided(world([head, long], { active })).starts).toEqual({});
  expect(decided(world([head, endless], { active })).starts).toEqual({});
  expect(Object.keys(decided(world([head, long, endless, short], { active })).starts)).toEqual(['3']);
});

test('a higher priority stops only what may be stopped', () => {
  const active = running([ask(1, 2, { priority: 'low', preemptible: true }), ask(2, 2, { priority: 'low' })]);
  const high = (id: number, count: number): Task => ask(id, count, { priority: 'high' });
  expect(decided(world([high(3, 2)], { active })).stops).toEqual(['1']);
  expect(decided(world([high(3, 3)], { active })).stops).toEqual([]);
});

test('containers of a gang start together or not at all', () => {
  expect(decided(world([ask(1, 2, { replicas: 2 })])).starts[1]).toHaveLength(2);
  expect(decided(world([ask(1, 2, { replicas: 3 })])).starts).toEqual({});
});

test('models, drained devices, devices of others, and devices where it failed are kept out', () => {
  const model = queued(1, { devices: { kind: 'whole', count: 1, models: ['L40S'] } });
  expect(decided(world([model])).starts).toEqual({ 1: [[3]] });
  expect(decided(world([model], { outOfService: new Set(['gpu-3']) })).starts).toEqual({});
  expect(decided(world([ask(1, 4)], { foreign: new Set(['gpu-0']) })).starts).toEqual({});
  const avoid = { ...ask(2, 3), avoid: ['gpu-1'] };
  expect(decided(world([avoid])).starts).toEqual({ 2: [[0, 2, 3]] });
  expect(decided(world([{ ...ask(2, 4), avoid: ['gpu-1'] }])).starts).toEqual({});
});

test('a word of the model is enough to ask for it', () => {
  const inventory = host([
    { id: 'a', model: 'L40S' },
    { id: 'b', model: 'H100 80GB HBM3' },
    { id: 'c', model: 'H100 PCIe' },
  ]);
  const asked = (model: string, count: number): Task =>
    queued(1, { devices: { kind: 'whole', count, models: [model] } });
  expect(decided(world([asked('H100', 2)], { inventory })).starts).toEqual({ 1: [[1, 2]] });
  expect(decided(world([asked('h100 80gb', 1)], { inventory })).starts).toEqual({ 1: [[1]] });
  expect(decided(world([asked('H200', 1)], { inventory })).starts).toEqual({});
  const failed = { ...asked('H100', 1), avoid: ['b'] };
  expect(decided(world([failed], { inventory })).starts).toEqual({ 1: [[2]] });
});

test('a share of memory is taken from one device up to what it has', () => {
  const part = (id: number): Task => queued(id, { devices: { kind: 'memory', mebibytes: 40_960 } });
  const one = { inventory: host([{ id: 'a', memoryMiB: 81_920 }]) };
  expect(decided(world([part(1), part(2), part(3)], one)).starts).toEqual({ 1: [[0]], 2: [[0]] });
});

test('each MIG instance is given to one task', () => {
  const mig = [
    { id: 'MIG-a', profile: '1g.10gb' },
    { id: 'MIG-b', profile: '1g.10gb' },
    { id: 'MIG-c', profile: '2g.20gb' },
  ];
  const inventory = host([{ id: 'gpu-0', mig }]);
  const part = (id: number): Task => queued(id, { devices: { kind: 'mig', profile: '1g.10gb', count: 1 } });
  const { starts } = new Scheduling().decide(world([part(1), part(2), part(3)], { inventory }));
  expect(starts.map(({ task, placements }) => [task.id, placements[0].mig])).toEqual([
    ['1', ['MIG-a']],
    ['2', ['MIG-b']],
  ]);
});

test('CPUs come from the memory node of the devices, and no CPU is given twice', () => {
  const { starts } = new Scheduling().decide(
    world([
      queued(1, { devices: { kind: 'whole', count: 1, models: ['L40S'] }, cpus: 6 }),
      queued(2, { cpus: 6 }),
      queued(3, { cpus: 4 }),
      queued(4, { cpus: 1 }),
    ]),
  );
  const places = starts.map(({ placements }) => placements[0]);
  expect(places.map(({ memoryNodes }) => memoryNodes)).toEqual([[1], [0], [0, 1]]);
  const cpus = places.flatMap((place) => place.cpus);
  expect(new Set(cpus).size).toBe(cpus.length);
  expect(cpus).toHaveLength(16);
});

test('a task that takes nothing that is counted waits for no reservation', () => {
  const active = running([ask(1, 3, { timeLimitSeconds: 3600 })]);
  const waiting = [ask(2, 4), queued(3), queued(4, { cpus: 1 })];
  expect(Object.keys(decided(world(waiting, { active })).starts)).toEqual(['3']);
});

test('a tenant stays below its limit', () => {
  const tenants = [{ name: 'default', weight: 1, limit: { gpus: 2 } }];
  expect(Object.keys(decided(world([ask(1, 1), ask(2, 2), ask(3, 1)], { tenants })).starts)).toEqual(['1', '3']);
});

test('the outlook says why a task waits and when it can start', () => {
  const active = running([ask(1, 4, { timeLimitSeconds: 3600 })]);
  const head = ask(2, 2);
  expect(outlookOf(world([head], { active }), head)).toMatchObject({
    waits: { kind: 'no-fit', message: expect.stringContaining('gpu') as string },
    startAt: 900_000 + 3_600_000,
  });
  expect(outlookOf(world([head]), head).placements).toHaveLength(1);
});

test('a kept session decides like a new one', () => {
  const kept = new Scheduling();
  let active: Task[] = [];
  let waiting = Array.from({ length: 12 }, (_, index) => ask(index + 1, (index % 3) + 1));
  for (let round = 0; round < 40; round++) {
    const asked = world(waiting, { active, now: 1_000_000 + round });
    const plan = kept.decide(asked);
    expect(plan).toEqual(new Scheduling().decide(asked));
    const started = plan.starts.map(({ task, placements }) => next(task, { kind: 'place', at: round, placements }));
    waiting = waiting.filter(({ id }) => !started.some((task) => task.id === id));
    active = [...active.slice(1), ...started];
  }
  expect(waiting).toEqual([]);
});

test.each([
  [1, 0.5],
  [2, 0.5],
  [3, 0.5],
  [4, 0],
  [5, 0],
])('a kept session decides like a new one whatever happens, seed %i, preemptible %f', (seed, preemptible) => {
  const random = randomNumbers(seed);
  const oneOf = <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)];
  const tenants = ['a', 'b', 'c'].map((name) => ({ name, weight: 1 }));
  const kept = new Scheduling();
  let count = 0;
  const submitted = (): Task =>
    queued(++count, {
      tenant: oneOf('a', 'b', 'c'),
      priority: oneOf('low', 'normal', 'normal', 'high'),
      preemptible: random() < preemptible,
      devices: oneOf(gpus(1), gpus(2), { kind: 'memory', mebibytes: 30_000 }, { kind: 'none' }),
      replicas: oneOf(1, 1, 2),
      ...(random() < 0.5 ? { timeLimitSeconds: oneOf(60, 3600) } : {}),
      ...(random() < 0.5 ? { cpus: oneOf(1, 4) } : {}),
    });
  let active: Task[] = [];
  let waiting = Array.from({ length: 10 }, submitted);
  let [foreign, outOfService] = [new Set<string>(), new Set<string>()];
  let decisions = 0;
  for (let round = 0; round < 40; round++) {
    const asked = world(waiting, { active, tenants, foreign, outOfService, now: 1_000_000 + round * 1000 });
    const plan = kept.decide(asked);
    expect(plan).toEqual(new Scheduling().decide(asked));
    if (preemptible === 0 && round % 4 === 0) {
      // The outlook looks for tasks to stop, even if there are none.
      expect(startsOf(plan)).toEqual(startsOf(outlookedAt(asked)));
      expect(plan.stops).toEqual([]);
    }
    decisions += plan.starts.length + plan.stops.length;
    const placed = plan.starts.map((start) => startedAt(start, asked.now));
    const stopped = new Map(plan.stops.map(({ task }) => [task.id, stoppedTask(task, asked.now)]));
    waiting = [
      ...waiting.filter(({ id }) => !placed.some((task) => task.id === id)),
      ...(random() < 0.6 ? [submitted()] : []),
    ];
    active = [...active.map((task) => stopped.get(task.id) ?? task), ...placed];
    // Some end, and one of these is queued again, perhaps without the device where it failed.
    const [ended] = random() < 0.6 ? active.splice(Math.floor(random() * active.length), 1) : [];
    if (ended !== undefined && random() < 0.3) {
      const avoid = random() < 0.3 ? { avoid: [oneOf(...FOUR.devices).id] } : {};
      waiting = [...waiting, { ...ended, state: 'queued', members: [], ...avoid }];
    }
    waiting = waiting.map((task) => (task.avoid !== undefined && random() < 0.5 ? { ...task, avoid: [] } : task));
    foreign = random() < 0.1 ? new Set([oneOf(...FOUR.devices).id]) : random() < 0.3 ? new Set() : foreign;
    outOfService = random() < 0.1 ? new Set([oneOf(...FOUR.devices).id]) : random() < 0.3 ? new Set() : outOfService;
  }
  expect(decisions).toBeGreaterThan(10);
});

type Starts = readonly { readonly task: Task; readonly placements: unknown }[];

function outlookedAt(asked: World): { readonly starts: Starts } {
  const outlooks = outlooksOf(
    asked,
    asked.waiting.map(({ id }) => id),
  );
  return {
    starts: asked.waiting.flatMap((task) => {
      const { placements } = outlooks.get(task.id)!;
      return placements === undefined ? [] : [{ task, placements }];
    }),
  };
}

function startsOf({ starts }: { readonly starts: Starts }): ReadonlyMap<string, unknown> {
  return new Map(starts.map(({ task, placements }) => [task.id, placements]));
}

function stoppedTask(task: Task, at: number): Task {
  return next(task, { kind: 'stop', reason: 'preempt', at });
}
