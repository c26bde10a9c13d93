/**
 * What docs/constructs.md lists as beta is what the API report has as beta, and nothing else.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const report = readFileSync(resolve(ROOT, 'api/cdk8s-gantry.api.md'), 'utf8');
const page = readFileSync(resolve(ROOT, 'docs/constructs.md'), 'utf8');
const section = page.slice(page.indexOf('\n## Stability\n'));

/** Beta declarations by their bare names; a name that two namespaces have ends in `_2` in the report. */
const beta = [...report.matchAll(/^\/\/ @beta.*\n(?:export )?(class|interface) (\w+)/gm)].map(([, kind, name]) => ({
  kind,
  name: name.replace(/_\d$/, ''),
}));
const listed = [...section.matchAll(/`(?:\w+\.)?([A-Z]\w+)`/g)].map(([, name]) => name);

test('every beta class is listed, and everything listed is beta', () => {
  // An abstract class is written down in the classes that extend it.
  const classes = beta.filter(({ kind }) => kind === 'class').map(({ name }) => name);
  expect([...classes, 'ClusterView'].sort()).toEqual([...new Set(listed)].sort());
  expect(beta.map(({ name }) => name)).toContain('ClusterView');
});

test('the props of a beta class are beta', () => {
  const names = new Set(beta.map(({ name }) => name));
  const props = listed.map((name) => `${name}Props`).filter((name) => report.includes(`interface ${name} `));
  expect(props.filter((name) => !names.has(name))).toEqual([]);
});
