/**
 * One command of Pulumi with one program, in a process of its own: the SDK reports what a program rejects through handlers of the whole
 * process, some of it after the command has ended, and in a suite these are Jest's.
 *
 * Arguments: the folder of the workspace, its project, the port of the provider, `preview` or `up`, the program, and what the run changes
 * of it, as JSON. Writes a `Result` into the folder.
 */
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Change, type ProgramName, PROGRAMS } from './programs';
import { workspace } from './workspace';

/** What a command came to. */
export interface Result {
  /** Number of resources by what is done to them, such as `create`. */
  readonly changes?: Readonly<Record<string, number>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** What Pulumi printed. */
  readonly said: string;
  readonly failed: boolean;
}

export interface Place {
  readonly folder: string;
  readonly project: string;
  readonly port: number;
}

const RESULT = 'result.json';

/**
 * Runs a command beside the suite.
 *
 * @throws if the process ends without a result, with what it printed
 */
export async function runProgram(
  { folder, project, port }: Place,
  command: 'preview' | 'up',
  program: ProgramName,
  change: Change = {},
): Promise<Result> {
  const file = join(folder, RESULT);
  rmSync(file, { force: true });
  await promisify(execFile)(
    process.execPath,
    [
      '--require',
      require.resolve('tsx/cjs'),
      __filename,
      folder,
      project,
      String(port),
      command,
      program,
      JSON.stringify(change),
    ],
    {
      maxBuffer: 1 << 26,
      env: { ...process.env, TSX_TSCONFIG_PATH: resolve(__dirname, '../../../tsconfig.dev.json') },
    },
  );
  return JSON.parse(readFileSync(file, 'utf8')) as Result;
}

async function run(words: readonly string[]): Promise<Result> {
  const [folder = '', project = '', port = '', command = '', program = '', change = '{}'] = words;
  const space = await workspace(project, Number(port), folder);
  const { stack } = space;
  space.use(() => Promise.resolve(PROGRAMS[program as ProgramName](JSON.parse(change) as Change) as never));
  try {
    if (command === 'preview') {
      const { changeSummary, stdout } = await stack.preview();
      return { changes: changeSummary, said: stdout, failed: false };
    }
    const { summary, outputs, stdout } = await stack.up();
    const values = Object.entries(outputs).map(([name, { value }]) => [name, value as unknown] as const);
    return { changes: summary.resourceChanges ?? {}, outputs: Object.fromEntries(values), said: stdout, failed: false };
  } catch (error) {
    return { said: (error as Error).message, failed: true };
  }
}

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  writeFileSync(join(words[0] ?? '', RESULT), JSON.stringify(await run(words)));
  process.exit(0);
}

if (require.main === module) {
  void main();
}
