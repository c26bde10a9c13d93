/**
 * Suites whose times are not known yet run in the order of the list, before all others.
 */
import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../../..');

interface Suite {
  readonly path: string;
  readonly context: object;
  duration?: number;
}

const { default: LongestFirst, LONGEST } = createRequire(__filename)('./sequencer.cjs') as {
  readonly default: new (options: object) => { sort(tests: readonly Suite[]): Promise<readonly Suite[]> };
  readonly LONGEST: readonly string[];
};

/** @param times of the last run, by the path of the suite */
async function orderOf(
  paths: readonly string[],
  times: Readonly<Record<string, number>> = {},
): Promise<readonly string[]> {
  const sequencer = new LongestFirst({ contexts: [], globalConfig: {} });
  const known = Object.fromEntries(Object.entries(times).map(([path, time]) => [join(ROOT, path), [1, time]]));
  Object.assign(sequencer, { _getCache: () => known });
  const context = { config: { rootDir: ROOT }, hasteFS: { getSize: (path: string) => statSync(path).size } };
  const sorted = await sequencer.sort(paths.map((path) => ({ path: join(ROOT, path), context })));
  return sorted.map(({ path }) => path.slice(ROOT.length + 1));
}

const SHORT_FILE = 'test/surface/surface.test.ts';
const LONG_FILE = 'test/placement/evictions.test.ts';

test('every suite of the list exists', () => {
  expect(LONGEST.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('where no time is known, long suites come first, however small their files are', async () => {
  const [first, second] = LONGEST;
  expect(await orderOf([LONG_FILE, second, first])).toEqual([first, second, LONG_FILE]);
});

test('a time that is known counts instead of the list', async () => {
  expect(await orderOf([SHORT_FILE, LONG_FILE], { [SHORT_FILE]: 10, [LONG_FILE]: 20 })).toEqual([
    LONG_FILE,
    SHORT_FILE,
  ]);
});
