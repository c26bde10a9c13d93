/**
 * Bundles are built again if, and only if, something that they are made of has changed.
 */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BuildRecord } from '../../projen/runtime/build-record';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gantry-build-'));
  mkdirSync(join(root, 'src/deep'), { recursive: true });
  write('src/a.ts', 'a');
  write('src/deep/b.ts', 'b');
  write('lock.json', '{}');
  write('out.js', 'ab');
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (path: string, text: string): void => writeFileSync(join(root, path), text);
const record = (): BuildRecord => new BuildRecord(join(root, '.cache/built.json'), root, ['src', 'lock.json']);

test('what was never built is not current, and what was built is', () => {
  expect(record().isCurrent()).toBe(false);
  record().write(['out.js']);
  expect(record().isCurrent()).toBe(true);
});

test.each<[what: string, change: () => void, isCurrent: boolean]>([
  ['another source', () => write('src/deep/b.ts', 'c'), false],
  ['a new source', () => write('src/deep/c.ts', ''), false],
  ['a source that is gone', () => rmSync(join(root, 'src/a.ts')), false],
  ['text that moved from one source to another', () => (write('src/a.ts', ''), write('src/deep/b.ts', 'ab')), false],
  ['another file among the sources', () => write('lock.json', '{ }'), false],
  ['another output', () => write('out.js', 'ba'), false],
  ['an output that is gone', () => rmSync(join(root, 'out.js')), false],
  ['a broken record', () => write('.cache/built.json', '{'), false],
  ['another time', () => utimesSync(join(root, 'src/a.ts'), 1, 1), true],
  ['a file beside the sources', () => write('other.ts', 'x'), true],
])('after %s', (_, change, isCurrent) => {
  record().write(['out.js']);
  change();
  expect(record().isCurrent()).toBe(isCurrent);
});

test('a source that changes while it is built is built by the next run', () => {
  const running = record();
  write('src/a.ts', 'changed');
  running.write(['out.js']);
  expect(record().isCurrent()).toBe(false);
});
