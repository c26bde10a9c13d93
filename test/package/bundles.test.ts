/**
 * The programs that run in a cluster: one file each, on an image that has Node and nothing else.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

const PACKAGE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
  'dependencies' | 'devDependencies' | 'peerDependencies',
  Readonly<Record<string, string>>
>;

const NAMES = Object.keys({ ...PACKAGE.dependencies, ...PACKAGE.devDependencies, ...PACKAGE.peerDependencies });

/** What a program loads by the name of a package: a call with that name, or a file of that package, alone. */
function packagesOf(text: string): readonly string[] {
  return NAMES.filter((name) => new RegExp(`(?<!Symbol\\.for)\\(["'\`]${name}(?:/[^"'\`]*)?["'\`]\\)`).test(text));
}

test.each(['scheduler', 'node-agent', 'remediation'])('%s loads no package', (name) => {
  expect(packagesOf(readFileSync(join(ROOT, 'lib/bundles', `${name}.js`), 'utf8'))).toEqual([]);
});

test('a load that a bundler does not follow is noticed', () => {
  expect(packagesOf('function f(){return load("@bufbuild/re2").RE2JS}')).toEqual(['@bufbuild/re2']);
  expect(packagesOf('require("node:module")')).toEqual([]);
});
