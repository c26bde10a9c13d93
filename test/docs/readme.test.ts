import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

test('the README begins with installing and checking, in two lines, and ends with the commands of contributors', () => {
  const commands = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text.trim().split('\n'));
  expect(commands[0]).toEqual([
    'npm install cdk8s-gantry cdk8s constructs',
    'npx -p cdk8s-gantry gantry check manifests/',
  ]);
  expect(commands.at(-1)!.map((line) => line.replace(/\s+#.*/, ''))).toEqual([
    'npm ci && npm start',
    'npm ci && npm test',
  ]);
  expect(readme.indexOf('```ts')).toBeGreaterThan(readme.indexOf('```sh'));
});

test('no page calls npx gantry, which may be a package of another project', () => {
  const pages = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)].filter((page) =>
    page.endsWith('.md'),
  );
  expect(pages.filter((page) => /npx (--yes |-y )?gantry\b/.test(readFileSync(join(ROOT, page), 'utf8')))).toEqual([]);
});
