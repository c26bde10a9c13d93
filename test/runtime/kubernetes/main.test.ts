/** @jest-environment node */
/**
 * The entry of the scheduler program, which runs when it is loaded.
 */
const MAIN = '../../../src/runtime/kubernetes/main';
const written: string[] = [];

async function run(...args: readonly string[]): Promise<void> {
  process.argv = ['node', 'scheduler', ...args];
  jest.resetModules();
  await import(MAIN);
  await new Promise((resolve) => setImmediate(resolve));
}

beforeEach(() => {
  written.length = 0;
  process.exitCode = undefined;
  for (const stream of [process.stdout, process.stderr]) {
    jest.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  }
});
afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = undefined;
});

test('an option that does not exist ends it with the code 2 and the usage', async () => {
  await run('--nowhere');
  expect(process.exitCode).toBe(2);
  const [first, ...usage] = written.join('').split('\n');
  expect(first).toContain('--nowhere');
  expect(usage.join('\n')).toContain('--kubeconfig');
});

test('--help prints the usage and starts nothing', async () => {
  await run('--help');
  expect(process.exitCode).toBeUndefined();
  expect(written.join('')).toContain('--kubeconfig');
});
