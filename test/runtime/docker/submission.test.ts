/**
 * What clients submit: options of the command line on one side, text of strangers on the other.
 */
import { requestOf, type TaskFlags } from '../../../src/interfaces/cli/docker/request-of-flags';
import { type JsonValue } from '../../../src/facts/api/schema';
import { configurationOf, defaultConfiguration } from '../../../src/runtime/docker/configuration';
import { type RunnerError } from '../../../src/runtime/docker/runner-error';
import { cpuList, cpuListText } from '../../../src/runtime/docker/devices/cpus';
import { framesOf } from '../../../src/runtime/docker/engine/frames';
import { LineReader } from '../../../src/runtime/docker/engine/lines';
import { submissionOf } from '../../../src/runtime/docker/service/submission';

const TERMINAL = { cwd: '/home/a', env: { TOKEN: 'secret' } };
const request = (flags: TaskFlags): Readonly<Record<string, unknown>> => requestOf('image', ['x'], flags, TERMINAL);

test('options become what the runner reads', () => {
  const flags: TaskFlags = {
    gpus: '2',
    gpu: ['H100'],
    cpus: '16',
    memory: '64g',
    shmSize: '8Gi',
    replicas: '2',
    array: '0-2,9',
    retries: '3',
    retryOn: 'oom,infra',
    timeout: '12h',
    volume: ['./data:/data:ro', 'named:/n'],
    env: ['A=b=c', 'TOKEN', 'UNSET'],
  };
  const { spec, array } = submissionOf(request(flags) as JsonValue);
  expect(array).toEqual([0, 1, 2, 9]);
  expect(spec).toMatchObject({
    devices: { kind: 'whole', count: 2, models: ['H100'] },
    cpus: 16,
    memoryBytes: 64 * 2 ** 30,
    shmBytes: 8 * 2 ** 30,
    replicas: 2,
    retries: 3,
    retryOn: ['oom', 'device', 'image', 'engine', 'lost'],
    timeLimitSeconds: 43_200,
    volumes: ['/home/a/data:/data:ro', 'named:/n'],
    env: ['A=b=c', 'TOKEN=secret'],
  });
  expect(request({ gpuMemory: '20Gi' }).devices).toEqual({ kind: 'memory', mebibytes: 20_480 });
  expect(request({ mig: '1g.10gb' }).devices).toEqual({ kind: 'mig', profile: '1g.10gb' });
  expect(request({ gpus: '0' }).devices).toBeUndefined();
});

test.each<[TaskFlags, string]>([
  [{ gpus: 'all' }, '--gpus all: must be a number'],
  [{ gpus: '-1' }, '--gpus -1: must be a whole number'],
  [{ gpus: '1', mig: '1g.10gb' }, '--gpus and --mig: only one of them can be set'],
  [{ memory: 'much' }, '--memory much: must be a quantity'],
  [{ timeout: '0s' }, '--timeout 0s: must be a duration'],
  [{ array: '5-1' }, '--array 5-1: must be'],
  [{ array: '0-99999' }, '--array 0-99999: must be at most 10000 indices'],
])('options that mean nothing are refused: %j', (flags, message) => {
  expect(() => request(flags)).toThrow(message);
});

test.each<[object, string]>([
  [{}, 'image: must be the name of an image'],
  [{ image: '--privileged' }, 'image: must be'],
  [{ image: 'a', comand: [] }, 'unknown field "comand" (did you mean "command"?)'],
  [{ image: 'a', name: '17' }, 'name: must'],
  [{ image: 'a', tenant: '../x' }, 'tenant: must'],
  [{ image: 'a', replicas: 65 }, 'replicas: must be a whole number from 1 to 64'],
  [{ image: 'a', cpus: '2' }, 'cpus: must be a number'],
  [{ image: 'a', volumes: ['../etc:/x'] }, 'volumes: must be'],
  [{ image: 'a', env: ['A'] }, 'env: must be NAME=value'],
  [{ image: 'a', retryOn: ['constructor'] }, 'retryOn: unknown class "constructor"'],
  [{ image: 'a', devices: { kind: 'whole', count: -1 } }, 'count: must be'],
  [{ image: 'a', devices: { kind: '__proto__' } }, 'devices.kind: must be'],
  [{ image: 'a', array: [1, 1] }, 'array: must not contain an index twice'],
  [{ image: 'a', command: [1] }, 'command: must contain strings'],
])('what strangers submit is refused with its field: %j', (value, message) => {
  expect(() => submissionOf(value as JsonValue)).toThrow(message);
});

test('members of the prototype are not fields', () => {
  const value = JSON.parse('{"image":"a","__proto__":{"tenant":"root"}}') as JsonValue;
  expect(() => submissionOf(value)).toThrow('unknown field "__proto__"');
});

test('a configuration is read, and each mistake names its field', () => {
  const defaults = defaultConfiguration({}, true);
  const read = (value: object) => configurationOf(value as never, '/etc/gantry/runner.yaml', defaults);
  const tenants = { alice: { weight: 2, limit: { gpus: 2, memory: '64Gi' } } };
  const devices = [{ cdi: 'vendor.com/gpu=0', memory: '80Gi', numa: 1 }];
  expect(read({ tenants, devices, state: 'tasks' })).toMatchObject({
    state: '/etc/gantry/tasks',
    tenants: [{ name: 'alice', weight: 2, limit: { gpus: 2, memoryBytes: 64 * 2 ** 30 } }],
    devices: [{ id: 'vendor.com/gpu=0', cdi: 'vendor.com/gpu=0', memoryMiB: 81_920, numa: 1 }],
  });
  const mig = [{ uuid: 'MIG-1', profile: '1g.10gb' }];
  expect(read({ devices: [{ uuid: 'GPU-1', mig }] }).devices).toEqual([
    { id: 'GPU-1', mig: [{ id: 'MIG-1', profile: '1g.10gb' }] },
  ]);
  expect(() => read({ devices: [{ uuid: 'GPU-1', mig: [{}] }] })).toThrow('devices[0].mig[0]: must have');
  expect(() => read({ devices: [{ uuid: 'GPU-1', model: 'L40S', mig }] })).toThrow('an L40S does not support MIG');
  expect(() => read({ tenant: {} })).toThrow('runner.yaml: unknown field "tenant" (did you mean "tenants"?)');
  expect(() => read({ tenants: { alice: { limit: { gpus: 1.5 } } } })).toThrow(
    'tenants.alice.limit.gpus: must be a whole',
  );
  expect(() => read({ priorities: { urgent: 5 } })).toThrow('priorities: must include "normal"');
  expect(() => read({ devices: [{ model: 'x' }] })).toThrow('devices[0]: must have "cdi"');
  expect(() => read({ devices: [...devices, ...devices] })).toThrow('devices[1]: duplicate device');
  const line = (value: object): string => {
    try {
      read(value);
    } catch (error) {
      return (error as RunnerError).line;
    }
    return 'read';
  };
  expect(line({ tenant: {}, keepDays: -1 })).toBe(
    '/etc/gantry/runner.yaml: unknown field "tenant" (did you mean "tenants"?). `gantry check /etc/gantry/runner.yaml` lists all 2 mistakes',
  );
  expect(line({ keepDays: -1 })).toBe('/etc/gantry/runner.yaml: keepDays: must be a number greater than or equal to 0');
});

test('lists of CPUs are read and written in the shortest form', () => {
  expect(cpuList('0-3,8,10-11\n')).toEqual([0, 1, 2, 3, 8, 10, 11]);
  expect(cpuListText([11, 3, 2, 1, 0, 8, 10])).toBe('0-3,8,10-11');
});

test('frames and lines are the same however the stream is cut', async () => {
  const frame = (kind: number, text: string): Buffer => {
    const header = Buffer.alloc(8);
    header[0] = kind;
    header.writeUInt32BE(Buffer.byteLength(text), 4);
    return Buffer.concat([header, Buffer.from(text)]);
  };
  const all = Buffer.concat([frame(1, 'one\n'), frame(2, 'two ü\n'), frame(1, '')]);
  const cut = (size: number): Buffer[] =>
    Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.subarray(index * size, (index + 1) * size));
  for (const size of [1, 3, 9, all.length]) {
    const found: string[] = [];
    for await (const { stream, data } of framesOf(cut(size) as never)) {
      found.push(`${stream}:${data.toString()}`);
    }
    expect(found).toEqual(['stdout:one\n', 'stderr:two ü\n', 'stdout:']);
  }
  const lines: string[] = [];
  for await (const line of new LineReader([Buffer.from('{"a"'), Buffer.from(':"ü"}\n\n{}')] as never)) {
    lines.push(line);
  }
  expect(lines).toEqual(['{"a":"ü"}', '{}']);
});
