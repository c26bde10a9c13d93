/**
 * How an error looks if the program does not catch it: its message says what to change in the program, and a trace through this package and
 * cdk8s adds nothing.
 */
import { setImmediate } from 'node:timers';
import { unreportedMistakes } from './pending-mistakes';
import { unknownMember } from './unknown-member';

/** The errors of this turn of the event loop, with what is printed of them. */
let quiet = new Map<unknown, string>();
/** Whether a validation of this turn has found errors, of which cdk8s then makes one error. */
let isInvalid = false;

/**
 * Makes Node print a text alone if nothing catches this error, and exit with status 1. The error itself stays as it is, for programs
 * and tests that catch it. Programs with a handler of their own for uncaught errors keep it.
 */
export function printWithoutTrace(error: Error, text = error.message): void {
  if (listenInThisTurn()) {
    quiet.set(error, quiet.get(error) ?? text);
  }
}

/** The same of the error that cdk8s makes, where it is about to throw it, of what validations return. */
export function printValidationWithoutTrace(): void {
  isInvalid = listenInThisTurn();
}

/** Errors of cdk8s name the construct of each text in brackets. What belongs to no construct is at the app, whose path is empty. */
export function withoutEmptyPath(message: string): string {
  return message.replaceAll('\n  [] ', '\n  ');
}

/** @returns false where the program handles uncaught errors itself */
function listenInThisTurn(): boolean {
  if (quiet.size > 0 || isInvalid) {
    return true;
  }
  if (isHandledByProgram()) {
    return false;
  }
  const stop = (): void => {
    process.removeListener('uncaughtException', onUncaught);
    quiet = new Map();
    isInvalid = false;
  };
  const onUncaught = (thrown: unknown): void => {
    const printed = quiet.get(thrown) ?? (isInvalid ? textOfValidation(thrown) : undefined);
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
  return true;
}

function textOfValidation(thrown: unknown): string | undefined {
  const isOfValidation = thrown instanceof Error && thrown.message.startsWith('Validation failed with the following ');
  return isOfValidation ? withoutEmptyPath(thrown.message) : undefined;
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
