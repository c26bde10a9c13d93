/**
 * `npm run upgrade -- PROJECT VERSION [--from DIR] [--dry-run]`: says what changes with another release of an upstream project, writes its
 * version into the table, and regenerates schemas, types, and docs. Exit status 1 where the version cannot be had, 2 for wrong arguments.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { nearestNames } from '../../src/facts/spelling';
import { type Upstream, UPSTREAM } from '../../src/facts/upstream';
import { goModule, moduleTexts, PROJECT_ROOT, UnavailableSource } from '../api/lock';
import { vendoredText } from '../api/vendored';
import { kindsIn, readmeWith, tableWith } from './edit';
import { currentVersion, schemaSource, type Target, UpgradeError, upgradePlan } from './plan';
import { planText } from './report';

const USAGE = 'usage: npm run upgrade -- PROJECT VERSION [--from DIR] [--dry-run]';
const TABLE = join(PROJECT_ROOT, 'src/facts/upstream/releases.ts');
const VENDOR = join(PROJECT_ROOT, 'vendor');

interface Request {
  readonly target: Target;
  readonly to: string;
  /** Folder with the definitions of the new release. */
  readonly from?: string;
  readonly dryRun: boolean;
}

/** Wrong arguments. */
class UsageError extends Error {}

/** @throws UsageError where the arguments are wrong */
export function requestIn(args: readonly string[]): Request {
  const { values, positionals } = parsed(args);
  const [target, to, ...rest] = positionals;
  if (target === undefined || to === undefined || rest.length > 0) {
    throw new UsageError(USAGE);
  }
  const targets = [...Object.keys(UPSTREAM), 'kubernetes'];
  if (!targets.includes(target)) {
    const near = nearestNames(target, targets, 3);
    const meant = near.length === 0 ? '' : ` (did you mean ${near.map((name) => `"${name}"`).join(' or ')}?)`;
    throw new UsageError(`unknown project "${target}"${meant}\nprojects: ${targets.sort().join(', ')}`);
  }
  const example = target === 'kubernetes' ? 'v1.36.3' : UPSTREAM[target as Upstream].version;
  const isTagged = example.startsWith('v') || !example.includes('.');
  if (!(isTagged ? /^v\d+\.\d+\.\d+(-[\w.]+)?$|^[0-9a-f]{8,40}$/ : /^\d+\.\d+\.\d+(-[\w.]+)?$/).test(to)) {
    throw new UsageError(
      `"${to}" is not a version of ${target}: it must be like ${example}${isTagged ? ', or a commit' : ''}`,
    );
  }
  return { target: target as Target, to, from: values.from, dryRun: values['dry-run'] };
}

function parsed(args: readonly string[]): {
  readonly values: { readonly from?: string; readonly 'dry-run': boolean };
  readonly positionals: readonly string[];
} {
  try {
    return parseArgs({
      args: [...args],
      options: { from: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } },
      allowPositionals: true,
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${USAGE}`);
  }
}

/** The files with the definitions of the new release; `undefined` where no schema is taken from the project. */
function newDefinitions({ target, to, from }: Request): ReadonlyMap<string, string> | undefined {
  const source = schemaSource(target)?.source;
  if (source === undefined) {
    if (target === 'kubernetes') {
      goModule('k8s.io/kubernetes', to);
    }
    return undefined;
  }
  if (!('module' in source)) {
    if (from === undefined) {
      throw new UpgradeError(
        `the definitions of ${target} cannot be fetched: ${source.note}.\n` +
          `Download release ${to} and run again with --from and the folder that has its CustomResourceDefinitions.`,
      );
    }
    return definitionFiles(from);
  }
  if (from !== undefined) {
    throw new UpgradeError(
      `--from must not be set for ${target}: its definitions come from the module ${source.module}`,
    );
  }
  return moduleTexts(goModule(source.module, to).dir, source);
}

function definitionFiles(folder: string): ReadonlyMap<string, string> {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new UpgradeError(`${folder} is not a folder`);
  }
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ya?ml|json)$/.test(file))
    .sort()
    .map((file): [string, string] => [file, readFileSync(join(folder, file), 'utf8')])
    .filter(([, text]) => text.includes('CustomResourceDefinition'));
  if (files.length === 0) {
    throw new UpgradeError(`${folder} has no file with a CustomResourceDefinition`);
  }
  return new Map(files);
}

function run(request: Request): void {
  const { target, to, from, dryRun } = request;
  const current = currentVersion(target, to);
  if (current === to) {
    console.log(`${target} is ${to} already`);
    return;
  }
  const definitions = newDefinitions(request);
  console.log(planText(upgradePlan(target, to, definitions)));
  if (dryRun) {
    return;
  }
  const edits = new Map([[TABLE, tableWith(readFileSync(TABLE, 'utf8'), target, current, to)]]);
  if (from !== undefined && definitions !== undefined) {
    const readme = join(VENDOR, 'README.md');
    edits.set(join(VENDOR, `${target}.json`), vendoredText(target, to, kindsIn(definitions)));
    edits.set(readme, readmeWith(readFileSync(readme, 'utf8'), target, current, to));
  }
  edits.set(join(PROJECT_ROOT, 'projen/api/sources.lock.json'), '');
  writeAndRegenerate(edits);
  console.log(
    'Regenerated src/facts/api and the tables of docs/. Read the rules above against the new release, then run npm test.',
  );
}

/** Writes the edits and runs the generators; puts everything back where a generator fails. */
function writeAndRegenerate(edits: ReadonlyMap<string, string>): void {
  const before = [...edits.keys()].map((file) => [file, readFileSync(file)] as const);
  try {
    for (const [file, text] of edits) {
      if (text !== '') {
        writeFileSync(file, text);
      }
    }
    for (const script of [
      ['projen/api/generate.ts', '--update'],
      ['projen/docs/rule-tables.ts'],
      ['projen/docs/scheduling-table.ts'],
    ]) {
      execFileSync(process.execPath, ['--import', 'tsx', ...script], {
        cwd: PROJECT_ROOT,
        stdio: ['ignore', 'inherit', 'inherit'],
      });
    }
  } catch (error) {
    before.forEach(([file, content]) => writeFileSync(file, content));
    throw new UpgradeError(`a generator failed, and the table is as it was before: ${(error as Error).message}`);
  }
}

/** Runs the command, and returns its exit status. */
export function main(args: readonly string[]): number {
  try {
    run(requestIn(args));
    return 0;
  } catch (error) {
    if (error instanceof UpgradeError || error instanceof UnavailableSource) {
      console.error(error.message);
      return 1;
    }
    if (error instanceof UsageError) {
      console.error(error.message);
      return 2;
    }
    throw error;
  }
}

if (require.main === module) {
  process.exitCode = main(process.argv.slice(2));
}
