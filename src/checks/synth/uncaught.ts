/**
 * How an error looks if the program does not catch it: its message says what to change in the program, and a trace through this package and
 * cdk8s adds nothing.
 */
import { setImmediate } from 'node:timers';
import { unreportedMistakes } from './pending-mistakes';
import { unknownMember } from './unknown-member';

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
  if (isHandledByProgram()) {
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
    exitWith(printed);
  };
  process.on('uncaughtException', onUncaught);
  // An error that nothing catches arrives before the next turn of the event loop.
  setImmediate(stop).unref();
}

/** Whether a validation of this turn of the event loop has found errors. */
let isInvalid = false;

/** The same of the error that cdk8s is going to throw for what validations of this turn return. */
export function printValidationWithoutTrace(): void {
  if (isInvalid || (quiet.size === 0 && isHandledByProgram())) {
    return;
  }
  isInvalid = true;
  const onUncaught = (thrown: unknown): void => {
    if (thrown instanceof Error && thrown.message.startsWith('Validation failed with the following ')) {
      exitWith(withoutEmptyPath(thrown.message));
    }
  };
  process.on('uncaughtExceptionMonitor', onUncaught);
  setImmediate(() => {
    process.removeListener('uncaughtExceptionMonitor', onUncaught);
    isInvalid = false;
  }).unref();
}

/** Errors of cdk8s have the path of a construct in brackets before each text. What belongs to no construct is at the app, whose path is empty. */
export function withoutEmptyPath(message: string): string {
  return message.replaceAll('\n  [] ', '\n  ');
}

let listens = false;

/**
 * Makes Node print one line, and exit with status 1, if nothing catches the error of a program that uses a member that this package does
 * not have. Every other error is printed as before.
 */
export function printUnknownMembers(): void {
  if (listens) {
    return;
  }
  listens = true;
  process.on('uncaughtExceptionMonitor', (error) => {
    const text = isHandledByProgram() ? undefined : unknownMember(error);
    if (text !== undefined) {
      exitWith(text);
    }
  });
}

function isHandledByProgram(): boolean {
  return process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback();
}

function exitWith(text: string): never {
  process.stderr.write(`${unreportedMistakes() ?? ''}${text}\n`);
  process.exit(1);
}
