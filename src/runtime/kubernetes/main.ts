/**
 * Entry of the scheduler program: reads the command line, starts, and stops on a signal.
 */
import { messageOf } from '../api/api-error';
import { readOptions, USAGE } from './options';
import { Program } from './program';

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === undefined) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const program = await Program.start(options);
  const stop = (signal: string): void => {
    void program.stop(signal).then(() => process.exit());
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 2;
});
