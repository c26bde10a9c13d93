/**
 * An older build of the scheduler program: from the commit before the last one that changed it.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { SCHEDULER_BUNDLE, writeBundle } from '../../../projen/runtime/bundle';

const ROOT = resolve(__dirname, '../../..');
/** What the program is made of. */
const SOURCES = ['src', 'package.json', 'tsconfig.json'];
const PROGRAM = ['src/runtime/kubernetes', 'src/runtime/api', 'src/placement'];

export interface OldBundle {
  readonly path: string;
  /** What it was built from, for messages. */
  readonly from: string;
  remove(): void;
}

/** Where the checkout has no such commit, the same sources with another version: the processes still differ, and so does their build. */
export async function oldBundle(): Promise<OldBundle> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-old-'));
  const path = join(folder, SCHEDULER_BUNDLE.output);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const commit = olderCommit();
  if (commit === undefined) {
    await writeBundle(SCHEDULER_BUNDLE, ROOT, folder);
    writeFileSync(path, `globalThis.gantryBuild = 'old';\n${readFileSync(path, 'utf8')}`);
    return { path, from: 'the same sources', remove };
  }
  const root = join(folder, 'sources');
  mkdirSync(dirname(join(root, 'x')), { recursive: true });
  const archive = execFileSync('git', ['-C', ROOT, 'archive', commit, ...SOURCES], { maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', root], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  await writeBundle(SCHEDULER_BUNDLE, root, folder);
  rmSync(root, { recursive: true, force: true });
  return { path, from: commit.slice(0, 8), remove };
}

function olderCommit(): string | undefined {
  try {
    const format = ['log', '-n', '2', '--no-merges', '--format=%H', '--', ...PROGRAM];
    const [, older] = execFileSync('git', ['-C', ROOT, ...format], { encoding: 'utf8', stdio: 'pipe' })
      .trim()
      .split('\n');
    return older;
  } catch {
    return undefined;
  }
}
