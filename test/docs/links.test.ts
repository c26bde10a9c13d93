/**
 * What pages point to is there: files, headings, and scripts of the project.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

const pages = [
  ...['.', 'docs', 'vendor', 'test/fixtures', 'examples'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((file) => file.endsWith('.md'))
      .map((file) => join(folder, file)),
  ),
];
const texts = new Map(pages.map((page) => [page, readFileSync(join(ROOT, page), 'utf8')]));

/** Code is not read: what looks like a link there is none. */
function prose(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
}

/** The anchors of a page, as GitHub and npm make them of its headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)];
  return new Set(
    headings.map(([, heading]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-'),
    ),
  );
}

test.each(pages)('the links of %s lead somewhere', (page) => {
  const links = [...prose(texts.get(page)!).matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)].map(([, target]) => target);
  const broken = links.filter((link) => {
    const [path, anchor] = link.split('#');
    const file = path === '' ? page : relative(ROOT, resolve(ROOT, dirname(page), path));
    if (!existsSync(join(ROOT, file))) {
      return true;
    }
    const text = texts.get(file);
    return anchor !== undefined && text !== undefined && !anchorsOf(text).has(anchor);
  });
  expect(broken).toEqual([]);
});

const REPOSITORY = 'https://github.com/gantry-dev/gantry/blob/main/';

test('pages of the package link to files of the package, or to files of the repository by their address', () => {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: readonly string[] };
  const isPacked = (file: string): boolean =>
    ['README.md', 'LICENSE', 'package.json', ...files].some(
      (packed) => file === packed || file.startsWith(`${packed}/`),
    );
  const wrong = [...texts].flatMap(([page, text]) => {
    const links = [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target.split('#')[0]);
    const inRepository = links
      .filter((link) => link.startsWith(REPOSITORY))
      .map((link) => link.slice(REPOSITORY.length));
    const relatives = links
      .filter((link) => link !== '' && !/^[a-z]+:/.test(link))
      .map((link) => relative(ROOT, resolve(ROOT, dirname(page), link)));
    return [
      ...inRepository.filter((file) => !existsSync(join(ROOT, file))),
      ...(isPacked(page) ? relatives.filter((file) => !isPacked(file)) : []),
    ].map((file) => `${page}: ${file}`);
  });
  expect(wrong).toEqual([]);
  expect(isPacked('examples/keda/main.ts')).toBe(false);
});

test('the scripts that pages name exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  const named = [...texts].flatMap(([page, text]) =>
    [...text.matchAll(/npm run ([a-z][a-z0-9:-]*[a-z0-9])/g)].map(([, script]) => `${page}: ${script}`),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !Object.hasOwn(scripts, name.slice(name.indexOf(': ') + 2)))).toEqual([]);
});
