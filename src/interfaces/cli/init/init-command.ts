/**
 * `gantry init`: writes a project that works into an empty folder.
 */
import { basename, resolve } from 'node:path';
import { oneOf } from '../check/check-options';
import { UsageError, type Terminal } from '../terminal';
import { ProjectFolder } from './project-folder';
import { nameFrom, TEMPLATES, templateFiles } from './templates';

export interface InitFlags {
  readonly template?: string;
  readonly name?: string;
}

/** What to run in the new project. */
const NEXT = 'npm install && npm test';

/**
 * @param folder the folder to write to, which may exist if nothing in it would be replaced
 * @returns the exit status
 * @throws UsageError if the folder has files that the project needs, or the name is not valid; nothing is written then
 */
export function initCommand(folder: string, flags: InitFlags, terminal: Terminal): number {
  const template = flags.template === undefined ? 'cdk8s' : oneOf('--template', flags.template, TEMPLATES, 'template');
  const target = resolve(terminal.cwd, folder);
  const name = flags.name ?? nameFrom(basename(target));
  if (name !== nameFrom(name)) {
    throw new UsageError(
      `--name ${name}: must consist of lowercase letters, digits, "-", "_", and ".", and start with a letter or digit`,
    );
  }
  const { written, kept } = new ProjectFolder(target, folder).write(templateFiles(template, name));
  const go = target === terminal.cwd ? '' : `cd ${/^[\w./-]+$/.test(folder) ? folder : JSON.stringify(folder)} && `;
  terminal.out(
    [
      `${folder}: created project "${name}" from template ${template}`,
      ...written.map((path) => `  ${path}`),
      ...kept.map((path) => `  ${path} (exists; not changed)`),
      `\nNext:\n  ${go}${NEXT}\n`,
    ].join('\n'),
  );
  return 0;
}
