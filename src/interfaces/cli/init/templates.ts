/**
 * The projects that `gantry init` writes, one folder for each in `templates`.
 *
 * They are files of a project called `my-platform` whose dependencies have the version `*`: the name becomes that of the new project, and the
 * versions those that Gantry is built and tested with.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

export const TEMPLATES = ['cdk8s', 'pulumi', 'yaml'] as const;
export type TemplateName = (typeof TEMPLATES)[number];

export interface TemplateFile {
  /** From the folder of the project, with `/`. */
  readonly path: string;
  readonly text: string;
}

const PACKAGE = join(__dirname, '../../../../package.json');
const FOLDER = join(__dirname, '../../../../src/interfaces/cli/init/templates');
/** npm does not publish a file with the name .gitignore, but reads it. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore' };
const SAMPLE_NAME = /\bmy-platform\b/g;

interface PackageFile {
  readonly name: string;
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** The files of a template, in the order of their paths. */
export function templateFiles(template: TemplateName, name: string): readonly TemplateFile[] {
  const folder = join(FOLDER, template);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => {
      const path = relative(folder, file).split(sep).join('/');
      const text = readFileSync(file, 'utf8').replace(SAMPLE_NAME, name);
      return { path: RENAMED[path] ?? path, text: path === 'package.json' ? packageFile(text, name) : text };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A valid package name that is near `text`. */
export function nameFrom(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '');
  return name === '' ? 'my-platform' : name.slice(0, 214);
}

/** Templates have no name of their own, or tools that read this repository would find several packages of one name. */
function packageFile(text: string, name: string): string {
  const own = JSON.parse(readFileSync(PACKAGE, 'utf8')) as PackageFile;
  return text
    .replace('{\n', `{\n  "name": ${JSON.stringify(name)},\n`)
    .replace(/"(.+)": "\*"/g, (_, dependency: string) => {
      const version = dependency === own.name ? own.version : own.devDependencies[dependency];
      return `"${dependency}": "${version.startsWith('^') ? '' : '^'}${version}"`;
    });
}
