/**
 * What people read about a task that waits, from decisions of the placement core.
 */
import { planAnswer, type PlanAnswer } from '../../../src/runtime/docker/service/answers';
import { outlookOf } from '../../../src/runtime/docker/scheduling/scheduling';
import { type World } from '../../../src/runtime/docker/scheduling/question';
import { type DeviceRequest, type Task, type TaskSpec } from '../../../src/runtime/docker/task/task';
import { ask, FOUR, gpus, host, running, world } from './hosts';
import { queued } from './tasks';

function answer(task: Task, changes: Partial<World> = {}, others: readonly Task[] = []): PlanAnswer {
  const asked = world([...others, task], changes);
  const { inventory, reserved } = asked;
  return planAnswer({ outlook: outlookOf(asked, task), spec: task.spec, inventory, reserved });
}

const want = (changes: Partial<TaskSpec>): Task => queued(9, changes);
const memory = (gibibytes: number): DeviceRequest => ({ kind: 'memory', mebibytes: gibibytes * 1024 });
const mig = (profile: string, count = 1): DeviceRequest => ({ kind: 'mig', profile, count });
const whole = (count: number, model: string): DeviceRequest => ({ kind: 'whole', count, models: [model] });

const divided = host([{ id: 'a', mig: [{ id: 'm', profile: '3g.40gb' }] }]);
const unknown = host([{ id: 'a' }]);

test.each<[string, Partial<TaskSpec>, Partial<World>, string]>([
  ['devices', { devices: gpus(5) }, {}, 'it needs 5 GPUs; the host has 4'],
  ['devices of all containers', { devices: gpus(2), replicas: 3 }, {}, 'it needs 6 GPUs; the host has 4'],
  ['devices of a model', { devices: whole(2, 'L40S') }, {}, 'it needs 2 GPUs of the model L40S; the host has 1'],
  ['a model', { devices: whole(1, 'B200') }, {}, 'the host has no device of the model B200, only H100, L40S'],
  ['a model, without devices', { devices: whole(1, 'B200') }, { inventory: host([]) }, 'the host has no devices'],
  [
    'a model, of devices without one',
    { devices: whole(1, 'B200') },
    { inventory: unknown },
    'the models of its devices are unknown: state them as "model" under "devices" in runner.yaml',
  ],
  ['memory of a device', { devices: memory(96) }, {}, 'it needs 96Gi of one device; the largest has 80Gi'],
  ['memory, without devices', { devices: memory(1) }, { inventory: host([]) }, 'the host has no devices'],
  [
    'memory that nobody stated',
    { devices: memory(1) },
    { inventory: unknown },
    'the memory of its devices is unknown: state it as "memory" under "devices" in runner.yaml',
  ],
  [
    'a MIG profile',
    { devices: mig('1g.10gb') },
    { inventory: divided },
    'it needs 1 MIG instance 1g.10gb; the host has 3g.40gb',
  ],
  [
    'MIG instances',
    { devices: mig('3g.40gb', 2) },
    { inventory: divided },
    'it needs 2 MIG instances 3g.40gb; the host has 1',
  ],
  ['MIG without instances', { devices: mig('1g.10gb') }, {}, 'it needs 1 MIG instance 1g.10gb; the host has 0'],
  ['whole devices that are divided', { devices: gpus(1) }, { inventory: divided }, 'it needs 1 GPU; the host has 0'],
  ['CPUs', { cpus: 17 }, {}, 'it needs 17 CPUs; tasks may use 16 on this host'],
  [
    'CPUs that are not reserved',
    { cpus: 15 },
    { reserved: { cpus: 2, memoryBytes: 0 } },
    'it needs 15 CPUs; tasks may use 14 on this host',
  ],
  ['memory', { memoryBytes: 2 ** 40 }, {}, 'it needs 1Ti of memory; tasks may use 64Gi on this host'],
])('a task that asks for more %s than there are waits for no other task', (_, spec, changes, expected) => {
  expect(answer(want(spec), changes)).toEqual({
    waits: `cannot start on this host: ${expected}`,
    wouldHelp: [],
    stops: [],
  });
});

test.each<[string, Task, Partial<World>, Partial<PlanAnswer>]>([
  [
    'too few devices, until when, and how many more',
    ask(9, 2),
    { active: running([ask(1, 3, { timeLimitSeconds: 3600 })]) },
    {
      waits: 'too few devices are free; it needs 1 more',
      wouldHelp: ['Starts when running tasks have reached their time limits.'],
      startAt: '1970-01-01T01:15:00.000Z',
    },
  ],
  [
    'a gang of which a part fits',
    ask(9, 1, { replicas: 3 }),
    { active: running([ask(1, 2)]) },
    { waits: 'only 2 of 3 containers fit: too few devices are free; it needs 1 more' },
  ],
  [
    'CPUs',
    want({ cpus: 12 }),
    { active: running([queued(1, { cpus: 6 })]) },
    { waits: 'too few CPUs are free; it needs 2 more', wouldHelp: ['Fits with 2 more CPUs.'] },
  ],
  [
    'the limit of a tenant',
    ask(9, 3),
    { tenants: [{ name: 'default', weight: 1, limit: { gpus: 2 } }] },
    {
      waits: 'it would exceed the limit of tenant default by 1 GPU',
      wouldHelp: ['Fits if the limit of tenant default is raised by 1 GPU.'],
    },
  ],
  ['a tenant that was removed', ask(9, 1), { tenants: [] }, { waits: 'tenant default is no longer in runner.yaml' }],
])('%s', (_, task, changes, expected) => expect(answer(task, changes)).toMatchObject(expected));

test('a task that would delay the one before it waits for that one, and no cluster words reach the reader', () => {
  const head = ask(8, 4);
  const found = answer(ask(9, 1), { active: running([ask(1, 3, { timeLimitSeconds: 3600 })]) }, [head]);
  expect(found.waits).toBe('it fits, but would delay task 8, for which devices are reserved');
  const texts = [gpus(9), gpus(3), memory(70), whole(2, 'H100')].flatMap((devices) => {
    const { waits = '', wouldHelp } = answer(want({ devices }), { active: running([ask(1, 3)]), inventory: FOUR });
    return [waits, ...wouldHelp];
  });
  expect(texts.join('\n')).not.toMatch(/\b(node|pod|gang|queue|cluster|capability)s?\b/i);
});
