/**
 * `gantry adopt`: existing manifests become a TypeScript stack.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type * as TsMorph from 'ts-morph';
import { readManifests } from '../inputs';
import { Progress, type Terminal, UsageError, wantsColor } from '../terminal';
import { writeWhole } from '../whole-file';
import { adopt, type Adoption } from './adopt';
import { adoptionText } from './report';

export interface AdoptFlags {
  readonly out?: string;
  readonly class?: string;
  readonly force?: boolean;
  readonly secrets?: boolean;
  readonly color?: boolean;
}

/**
 * @returns the exit status: 1 where something cannot be carried over
 * @throws UsageError if ts-morph is not installed, the file exists, or there is nothing to adopt; nothing is written then
 */
export async function adoptCommand(paths: readonly string[], flags: AdoptFlags, terminal: Terminal): Promise<number> {
  const { out } = flags;
  const className = flags.class ?? 'Stack';
  if (!/^[A-Z]\w*$/.test(className)) {
    throw new UsageError(`--class ${className}: must be the name of a class, such as Platform`);
  }
  if (out !== undefined && flags.force !== true && existsSync(resolve(terminal.cwd, out))) {
    throw new UsageError(`--out ${out}: exists already; pass --force to replace it`);
  }
  const tsMorph = loadTsMorph(terminal.cwd);
  const progress = new Progress(terminal);
  let adoption: Adoption;
  try {
    const set = await readManifests(paths, terminal, { progress });
    if (set.manifests.length === 0 && set.problems.length === 0) {
      throw new UsageError(`${paths.join(', ')}: contains no Kubernetes object`);
    }
    progress.say(`adopting ${set.manifests.length} objects`);
    adoption = adopt(set, { secrets: flags.secrets === true, className }, tsMorph);
  } finally {
    progress.done();
  }
  const report = adoptionText(adoption, {
    out,
    className,
    paths,
    color: wantsColor(terminal, flags.color),
    width: terminal.columns,
  });
  if (adoption.source === '') {
    terminal.err(report);
    throw new UsageError(`${paths.join(', ')}: contains no object that a stack can declare; nothing was written`);
  }
  if (out === undefined) {
    terminal.out(adoption.source);
    terminal.err(report);
  } else {
    writeWhole(out, adoption.source, terminal.cwd);
    terminal.out(report);
  }
  return adoption.notCarried.length > 0 || adoption.problems.length > 0 ? 1 : 0;
}

/**
 * An optional peer, which no other command needs: beside this package, or in the folder that the command runs in, where `npx -p` does not
 * install this package.
 */
function loadTsMorph(cwd: string): typeof TsMorph {
  const require = createRequire(__filename);
  let file: string;
  try {
    file = require.resolve('ts-morph', { paths: [__dirname, cwd] });
  } catch {
    throw new UsageError('adopt requires the package ts-morph. Install it: npm install --save-dev ts-morph');
  }
  return require(file) as typeof TsMorph;
}
