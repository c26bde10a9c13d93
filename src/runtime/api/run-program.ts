/**
 * Runs a program from its command line until a signal stops it.
 */
import { messageOf } from './api-error';

export interface RunningProgram {
  stop(why: string): Promise<void>;
}

export interface ProgramEntry<Options> {
  /** @returns `undefined` where only help is asked for */
  readonly readOptions: (
    args: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
  ) => Options | undefined;
  readonly usage: string;
  readonly start: (options: Options) => Promise<RunningProgram>;
}

/** An error of the command line or of the start is one line, and exit status 2. */
export function runProgram<Options>(entry: ProgramEntry<Options>): void {
  run(entry).catch((error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 2;
  });
}

async function run<Options>({ readOptions, usage, start }: ProgramEntry<Options>): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === undefined) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const program = await start(options);
  const stop = (signal: string): void => {
    void program.stop(signal).then(() => process.exit());
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}
