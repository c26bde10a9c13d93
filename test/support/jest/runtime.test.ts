/**
 * Suites of one worker share what contains no tests, and nothing that a suite changes: here Jest runs suites one after another in one process.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../../..');

/** A module of src/ that counts how often it was evaluated, and one that tests import as their helper. */
const COUNTER = `export let count = 0;
export function increment(): number {
  if (count > 0) {
    throw new Error('counted before');
  }
  return ++count;
}
export const list: readonly number[] = [];
`;
const OWN_CONTEXT = '/** @jest-environment node */\n';

mkdirSync(join(ROOT, '.cache'), { recursive: true });
const folder = mkdtempSync(join(ROOT, '.cache/jest-runtime-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What Jest prints about suites, which run in the order of their names. */
function runSuites(name: string, suites: Readonly<Record<string, string>>, ...args: readonly string[]): string {
  const project = join(folder, name);
  mkdirSync(join(project, 'src'), { recursive: true });
  mkdirSync(join(project, 'test'));
  writeFileSync(join(project, 'src/counter.ts'), COUNTER);
  writeFileSync(join(project, 'src/index.ts'), "export * from './counter';");
  writeFileSync(join(project, 'test/helper.ts'), COUNTER);
  for (const [suite, code] of Object.entries(suites)) {
    writeFileSync(join(project, `test/${suite}.test.ts`), code);
  }
  writeFileSync(
    join(project, 'by-name.js'),
    `const { default: Sequencer } = require('${join(ROOT, 'node_modules/@jest/test-sequencer')}');
    module.exports = class extends Sequencer { sort(tests) { return tests.toSorted((a, b) => (a.path < b.path ? -1 : 1)); } };`,
  );
  const config = {
    rootDir: project,
    runtime: join(__dirname, 'runtime.cjs'),
    testEnvironment: join(__dirname, 'environment.cjs'),
    testSequencer: join(project, 'by-name.js'),
    transform: { '\\.ts$': join(ROOT, 'node_modules/@swc/jest') },
  };
  const { stderr } = spawnSync(
    'node',
    [join(ROOT, 'node_modules/jest/bin/jest.js'), '-i', '--config', JSON.stringify(config), ...args],
    { encoding: 'utf8', cwd: project, env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' } },
  );
  return stderr;
}

test('suites share the modules of src/, and have those of tests for themselves', () => {
  const suite = (counts: string): string => `
    import { increment, list } from '../src/counter';
    import { count, increment as incrementHelper } from './helper';
    test('shares', () => ${counts});
    test('does not share', () => { incrementHelper(); expect(count).toBe(1); });
    test('has the classes of the modules', () => expect(list instanceof Array).toBe(true));
  `;
  const stderr = runSuites('sharing', {
    one: suite('expect(increment()).toBe(1)'),
    two: suite("expect(() => increment()).toThrow('counted before')"),
    own: OWN_CONTEXT + suite('expect(increment()).toBe(1)'),
  });
  expect(stderr).toContain('Tests:       9 passed, 9 total');
});

test('a failure has its position, in a shared module too', () => {
  const suite = `import { increment } from '../src/counter';
test('says where an error is', () => {
  increment();
  increment();
});
`;
  const stderr = runSuites('positions', { one: suite, two: suite });
  expect(stderr).toContain('Tests:       2 failed, 2 total');
  expect(stderr.match(/increment \(src\/counter\.ts:4:11\)/g)).toHaveLength(2);
  expect(stderr).toMatch(/ \(test\/one\.test\.ts:4:12\)/);
  expect(stderr).toMatch(/ \(test\/two\.test\.ts:3:12\)/);
});

test('an assertion that passes is counted, and one that fails says why and where', () => {
  const suite = `
test('counts', async () => {
  expect.assertions(14);
  expect(1).toBe(1);
  expect({ a: [1], b: undefined }).toEqual({ a: [1] });
  expect(new Set([1])).toEqual(new Set([1]));
  expect({ a: 1 }).toEqual({ a: expect.any(Number) });
  expect('ab').toHaveLength(2); expect('ab').toContain('b'); expect([1, NaN]).toContain(1);
  expect(undefined).toBeUndefined();
  expect(2).toBeGreaterThan(1); expect(1).toBeGreaterThanOrEqual(1); expect(1).toBeLessThan(2); expect(1).toBeLessThanOrEqual(1);
  expect(0).not.toBe(-0);
  await expect(Promise.resolve(1)).resolves.not.toBe(2);
});
expect.extend({ toBeSeven: (actual) => ({ pass: actual === 7, message: () => 'it is not 7' }) });
const helper = (value) => {
  expect(value).toBe(1);
};
test.each([
  [() => helper(2)],
  [() => expect([1]).toEqual([2])],
  [() => expect([new Set([1])]).toEqual([new Set([2])])],
  [() => expect([1]).toHaveLength(2)],
  [() => expect(1).toHaveLength(2)],
  [() => expect(undefined).toHaveLength(undefined)],
  [() => expect(1).toBeUndefined()],
  [() => expect(undefined).toBeUndefined(1)],
  [() => expect(1).not.toBe(1)],
  [() => expect([NaN]).toContain(NaN)],
  [() => expect('a1').toContain(1)],
  [() => expect(8).toBeSeven()],
  [() => expect(1).toBe()],
  [() => expect(1).toBeGreaterThan(1)],
  [() => expect(1).toBeGreaterThanOrEqual(1.5)],
  [() => expect(1).toBeLessThan(1)],
  [() => expect('1').toBeLessThanOrEqual(2)],
  [() => expect(Promise.reject(new Error('no'))).resolves.toBe(1)],
  [() => expect(Promise.resolve(1)).rejects.toThrow()],
  [() => expect(Promise.resolve(1)).resolves.toBe(2)],
])('fails', async (fail) => {
  await fail();
});
test('expects one more', () => {
  expect.assertions(2);
  expect(1).toBe(1);
});
`;
  const said = (name: string, text: string): readonly string[] => {
    const stderr = runSuites(name, { one: text });
    expect(stderr).toContain('Tests:       21 failed, 1 passed, 22 total');
    expect(stderr).not.toContain('expect.cjs');
    const places = [...stderr.matchAll(/ \(?test\/one\.test\.ts:(\d+):\d+\)?/g)].map(([, line]) => Number(line));
    expect(new Set(places)).toEqual(new Set([16, ...Array.from({ length: 20 }, (_, i) => 19 + i), 40, 43]));
    return stderr.split('\n').filter((line) => !/^ +at |^Time:|^(?:PASS|FAIL) |^ +[✓✕] |^ +\| +\^$/.test(line));
  };
  // A context of its own has Jest's expect.
  expect(said('assertions', suite)).toEqual(said('assertions-of-jest', OWN_CONTEXT.trim() + suite));
});

test('what a suite changes in the process is as before in the next suite', () => {
  const leaves = `
    import { AsyncLocalStorage } from 'node:async_hooks';
    test('leaves things behind', () => {
      const storage = new AsyncLocalStorage();
      storage.disable = () => process.stderr.write('storage disabled');
      storage.enterWith(7);
      Object.assign(globalThis, { left: 1, setTimeout: () => undefined });
      process.env = { ...process.env, LEFT: '1' };
      process.argv = [];
      process.exitCode = 7;
      process.chdir('src');
      process.on('exit', () => console.error('left'));
      Error.prepareStackTrace = () => 'left';
      Error.stackTraceLimit = 1;
      jest.useFakeTimers({ now: 0 });
      jest.spyOn(Math, 'random').mockReturnValue(7);
    });
  `;
  const finds = `
    const find = (): readonly unknown[] => [
      Reflect.get(globalThis, 'left'), process.env.LEFT, process.exitCode, process.argv.length > 1, process.cwd().endsWith('src'),
      process.listeners('exit').some((listener) => listener.toString().includes('left')), new Error('none').stack === 'left',
      Date.now() > 1e12, Math.random() < 1, Error.stackTraceLimit,
    ];
    test('finds nothing', async () => {
      await new Promise((done) => setTimeout(done, 1));
      expect(find()).toEqual([undefined, undefined, undefined, true, false, false, false, true, true, 20]);
    });
  `;
  const stderr = runSuites('leaving', { one: leaves, two: finds });
  expect(stderr).toContain('Tests:       2 passed, 2 total');
  expect(stderr).toContain('storage disabled');
});

test('a suite that replaces modules says what it needs, and then has it', () => {
  const suite = `
    import { count } from '../src/counter';
    jest.mock('../src/counter', () => ({ count: 7 }));
    test('sees the replacement', () => expect(count).toBe(7));
  `;
  const stderr = runSuites('mocks', { one: suite, two: OWN_CONTEXT + suite });
  expect(stderr).toContain('Tests:       1 passed, 1 total');
  expect(stderr).toContain('jest.mock needs a context of its own: begin the suite with /** @jest-environment node */');
});

test('no suite shares modules where coverage is collected', () => {
  const suite = `
    import { increment } from '../src/counter';
    test('starts from nothing', () => expect(increment()).toBe(1));
  `;
  const stderr = runSuites('coverage', { one: suite, two: suite }, '--coverage', '--coverageReporters=json');
  expect(stderr).toContain('Tests:       2 passed, 2 total');
});
