/** @jest-environment node */
/**
 * The entry of the node agent, which runs when it is loaded.
 */
const MAIN = '../../../src/runtime/agent/main';

test('an option that does not exist ends it with the code 2 and the usage', async () => {
  const { argv } = process;
  const written: string[] = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  process.argv = ['node', 'node-agent', '--nowhere'];
  await import(MAIN);
  await new Promise((resolve) => setImmediate(resolve));
  expect(process.exitCode).toBe(2);
  expect(written.join('')).toMatch(/--nowhere[^]*gantry-node-agent \[flags\]/);
  process.argv = argv;
  process.exitCode = undefined;
  jest.restoreAllMocks();
});
