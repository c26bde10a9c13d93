/**
 * The round trip of `gantry adopt` over everything there is: examples, fixtures, the manifests of the end-to-end suite, and the official
 * examples of the covered projects. Each stack compiles under `strict`, and renders what was adopted.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { whySkipped } from '../../projen/api/drift';
import { UnavailableSource } from '../../projen/api/lock';
import { INVERSES } from '../../src/interfaces/cli/adopt/kinds';
import { examplesOf, moduleFolder } from '../corpus/official/examples';
import { EXAMPLE_SOURCES, type ExampleSource } from '../corpus/official/sources';
import { skippedLine } from '../support/skipped';
import { exampleInputs, fileInputs, type Input, ROOT } from './inputs';
import { roundTrip } from './round-trip';

const FOLDER = join(ROOT, '.cache/adopt');
/** The least share of objects of covered kinds that become constructs. */
const LEAST_SHARE = 0.6;
/** The fewest official objects of covered kinds, so that the share is one of something. */
const LEAST_OFFICIAL = 200;

interface Count {
  constructs: number;
  objects: number;
}

const counts = { own: new Map<string, Count>(), official: new Map<string, Count>() };
const skipped: Record<string, string> = {};
const noGo = whySkipped();
let files = 0;

beforeAll(() => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
});

function adoptAll(inputs: readonly Input[], into: Map<string, Count>): void {
  for (const { name, read } of inputs) {
    const { adoption, differing } = roundTrip(read());
    expect([name, ...differing]).toEqual([name]);
    for (const { manifest, form, covers } of adoption.declarations) {
      for (const { id } of [manifest, ...covers]) {
        const key = `${id.apiVersion}/${id.kind}`;
        if (!Object.hasOwn(INVERSES, key)) {
          continue;
        }
        const count = into.get(key) ?? { constructs: 0, objects: 0 };
        count.objects += 1;
        count.constructs += form === 'construct' ? 1 : 0;
        into.set(key, count);
      }
    }
    if (adoption.source !== '') {
      files += 1;
      writeFileSync(join(FOLDER, `${String(files).padStart(4, '0')}.ts`), `// ${name}\n${adoption.source}`);
    }
  }
}

test.each(exampleInputs().map((input) => ({ input, name: input.name })))('$name', ({ input }) => {
  adoptAll([input], counts.own);
});

test.each(['test/fixtures/manifests', 'test/e2e/corpus'])('the manifests of %s', (folder) => {
  adoptAll(fileInputs(folder), counts.own);
});

/** The module's folder, unless it cannot be fetched here and now. */
function folderOf(source: ExampleSource): string | undefined {
  if (noGo !== undefined) {
    skipped[source.project] = noGo;
    return undefined;
  }
  try {
    return moduleFolder(source);
  } catch (error) {
    if (!(error instanceof UnavailableSource)) {
      throw error;
    }
    skipped[source.project] = error.message;
    return undefined;
  }
}

test.each(EXAMPLE_SOURCES.map((source) => ({ source, name: source.project })))(
  'the official examples of $name',
  ({ source }) => {
    const root = folderOf(source);
    if (root !== undefined) {
      const examples = examplesOf(source, root);
      adoptAll(
        examples.map(({ file, set }) => ({ name: `${source.project}/${file}`, read: () => set })),
        counts.official,
      );
    }
  },
);

test('every stack compiles under strict', () => {
  writeFileSync(
    join(FOLDER, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../tsconfig.json',
      compilerOptions: { rootDir: '.', noEmit: true, declaration: false, types: ['node'] },
      include: ['*.ts'],
    }),
  );
  const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc');
  const { stdout, stderr, status } = spawnSync(compiler, ['-p', FOLDER], { encoding: 'utf8', cwd: ROOT });
  expect({ stdout, stderr, status }).toMatchObject({ stdout: '', status: 0 });
});

function share(of: ReadonlyMap<string, Count>): Count {
  const sum = (member: keyof Count): number => [...of.values()].reduce((total, count) => total + count[member], 0);
  return { constructs: sum('constructs'), objects: sum('objects') };
}

test('most objects of each covered kind become constructs', () => {
  const kinds = new Set([...counts.own.keys(), ...counts.official.keys()]);
  const shares = [...kinds].map((kind): readonly [string, number] => {
    const { constructs, objects } = share(
      new Map(Object.entries(counts).flatMap(([name, of]) => (of.has(kind) ? [[name, of.get(kind) as Count]] : []))),
    );
    return [kind, constructs / objects];
  });
  expect(shares.filter(([, part]) => part < LEAST_SHARE)).toEqual([]);
});

test('most objects of covered kinds become constructs', () => {
  for (const [name, of] of Object.entries(counts)) {
    const { constructs, objects } = share(of);
    if (objects > 0) {
      expect([name, constructs / objects >= LEAST_SHARE]).toEqual([name, true]);
    }
  }
});

afterAll(() => {
  const kinds = [...new Set([...counts.own.keys(), ...counts.official.keys()])].sort();
  const text = (count: Count | undefined): string =>
    count === undefined ? '-' : `${count.constructs} of ${count.objects}`;
  const rows = kinds.map(
    (kind) => `${kind}: ${text(counts.own.get(kind))}, official ${text(counts.official.get(kind))}`,
  );
  const all = `all: ${text(share(counts.own))}, official ${text(share(counts.official))}`;
  writeSync(2, `${[...rows, all].join('\n')}\n`);
  const line = skippedLine('official examples', skipped);
  if (line === undefined) {
    expect(share(counts.official).objects).toBeGreaterThan(LEAST_OFFICIAL);
  } else {
    writeSync(2, line);
  }
});
