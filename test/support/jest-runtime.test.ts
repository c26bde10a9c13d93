/**
 * Suites of one worker share compiled code, and nothing else: here Jest runs two suites that import the same file.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

const COUNTER = `export let count = 0;
export function increment(): number {
  if (count > 0) {
    throw new Error('counted before');
  }
  return ++count;
}
export const list: readonly number[] = [];
`;
const SUITE = `import { increment, list } from './counter';
test('starts from nothing', () => expect(increment()).toBe(1));
test('has the globals of its own', () => expect(list instanceof Array).toBe(true));
test('says where an error is', () => {
  increment();
});
`;

mkdirSync(join(ROOT, '.cache'), { recursive: true });
const folder = mkdtempSync(join(ROOT, '.cache/jest-runtime-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a suite has modules, globals, and positions of errors of its own', () => {
  writeFileSync(join(folder, 'counter.ts'), COUNTER);
  for (const name of ['one', 'two']) {
    writeFileSync(join(folder, `${name}.test.ts`), SUITE);
  }
  const config = {
    rootDir: folder,
    runtime: join(__dirname, 'jest-runtime.cjs'),
    transform: { '\\.ts$': join(ROOT, 'node_modules/@swc/jest') },
  };
  const { stderr } = spawnSync(
    'node',
    [join(ROOT, 'node_modules/jest/bin/jest.js'), '-i', '--config', JSON.stringify(config)],
    {
      encoding: 'utf8',
      cwd: folder,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
    },
  );
  expect(stderr).toContain('Tests:       2 failed, 4 passed, 6 total');
  expect(stderr.match(/increment \(counter\.ts:4:11\)/g)).toHaveLength(2);
  expect(stderr.match(/ \((?:one|two)\.test\.ts:5:12\)/g)).toHaveLength(2);
});
