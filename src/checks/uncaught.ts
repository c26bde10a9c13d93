/**
 * How the error of a synth looks if the program does not catch it: its message is the report, and a trace through cdk8s adds nothing.
 */
import { setImmediate } from 'node:timers';

/**
 * Makes Node print the message alone if nothing catches this error, and exit with status 1. The error itself stays as it is, for programs
 * and tests that catch it. Programs with a handler of their own for uncaught errors keep it.
 */
export function printWithoutTrace(error: Error): void {
  if (process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback()) {
    return;
  }
  const stop = (): void => void process.removeListener('uncaughtException', onUncaught);
  const onUncaught = (thrown: unknown): void => {
    stop();
    if (thrown !== error) {
      // Another error: Node reports it as if this handler had never been there.
      process.nextTick(() => {
        throw thrown;
      });
      return;
    }
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  };
  process.on('uncaughtException', onUncaught);
  // An error that nothing catches arrives before the next turn of the event loop.
  setImmediate(stop).unref();
}
