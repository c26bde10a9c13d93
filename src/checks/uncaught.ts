/**
 * How an error looks if the program does not catch it: its message says what to change in the program, and a trace through this package and
 * cdk8s adds nothing.
 */
import { setImmediate } from 'node:timers';
import { unreportedMistakes } from './pending-mistakes';

/** The errors of this turn of the event loop, with what is printed of them. */
let quiet = new Map<unknown, string>();

/**
 * Makes Node print a text alone if nothing catches this error, and exit with status 1. The error itself stays as it is, for programs
 * and tests that catch it. Programs with a handler of their own for uncaught errors keep it.
 */
export function printWithoutTrace(error: Error, text = error.message): void {
  if (quiet.size > 0) {
    quiet.set(error, quiet.get(error) ?? text);
    return;
  }
  if (process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback()) {
    return;
  }
  quiet.set(error, text);
  const stop = (): void => {
    process.removeListener('uncaughtException', onUncaught);
    quiet = new Map();
  };
  const onUncaught = (thrown: unknown): void => {
    const printed = quiet.get(thrown);
    stop();
    if (printed === undefined) {
      // Another error: Node reports it as if this handler had never been there.
      process.nextTick(() => {
        throw thrown;
      });
      return;
    }
    process.stderr.write(`${unreportedMistakes() ?? ''}${printed}\n`);
    process.exit(1);
  };
  process.on('uncaughtException', onUncaught);
  // An error that nothing catches arrives before the next turn of the event loop.
  setImmediate(stop).unref();
}
