/**
 * The configuration file of a running scheduler: it is read before anything else, and again after each change.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Configuration, DEFAULT_CONFIGURATION } from '../../../src/planning/scheduler-settings/configuration';
import { ConfigurationFile } from '../../../src/runtime/kubernetes/configuration-file';

const enqueues = ({ enqueueVolcanoPodGroups }: Configuration): boolean => enqueueVolcanoPodGroups;
const text = (value: boolean): string => `enqueueVolcanoPodGroups: ${value}\n`;

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gantry-configuration-'));
  path = join(folder, 'configuration.yaml');
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
});
afterEach(async () => {
  jest.useRealTimers();
  await rm(folder, { recursive: true });
});

/** Lets periods go by until it holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) {
    await jest.advanceTimersByTimeAsync(500);
    await setImmediate();
  }
}

const watching = (of: string | undefined): { file: ConfigurationFile; changes: boolean[]; faults: string[] } => {
  const changes: boolean[] = [];
  const faults: string[] = [];
  const file = new ConfigurationFile({
    path: of,
    onChange: (configuration) => void changes.push(enqueues(configuration)),
    onFault: (message) => void faults.push(message),
  });
  return { file, changes, faults };
};

test('a file is read at the start', async () => {
  await writeFile(path, text(!enqueues(DEFAULT_CONFIGURATION)));
  const { file, changes } = watching(path);
  await file.open();
  expect(enqueues(file.current)).toBe(!enqueues(DEFAULT_CONFIGURATION));
  expect(changes).toEqual([]);
});

test('a file that is missing or invalid at the start is an error', async () => {
  await expect(watching(path).file.open()).rejects.toThrow('ENOENT');
  await writeFile(path, 'enqueueVolcanoPodGroup: true\n');
  await expect(watching(path).file.open()).rejects.toThrow(path);
});

test('without a file, the defaults apply and nothing is read', async () => {
  const { file, changes, faults } = watching(undefined);
  await file.open();
  await file.run();
  expect([file.current, changes, faults]).toEqual([DEFAULT_CONFIGURATION, [], []]);
});

test('each change is applied once; an invalid file or none is reported, and changes nothing', async () => {
  await writeFile(path, text(true));
  const { file, changes, faults } = watching(path);
  await file.open();
  const run = file.run();
  await writeFile(path, text(false));
  await until(() => changes.length > 0);
  expect([changes, enqueues(file.current), faults]).toEqual([[false], false, []]);
  await writeFile(path, 'enqueueVolcanoPodGroups: 7\n');
  await until(() => faults.length > 0);
  expect(enqueues(file.current)).toBe(false);
  await rm(path);
  await until(() => faults.some((fault) => fault.includes('ENOENT')));
  expect(enqueues(file.current)).toBe(false);
  await writeFile(path, text(true));
  await until(() => changes.length > 1);
  expect([changes, enqueues(file.current)]).toEqual([[false, true], true]);
  file.stop();
  await until(() => jest.getTimerCount() === 0);
  await run;
});
