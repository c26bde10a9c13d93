/** The call from the program into the package that runs now; what it calls in turn is part of it. */
import { inertReads } from './inert';

/** A call from the program into the package. */
export interface OpenCall {
  readonly args: readonly unknown[];
  readonly readsBefore: number;
}

let openCall: OpenCall | undefined;

/** The call that runs now; `undefined` while only the program runs. */
export function runningCall(): OpenCall | undefined {
  return openCall;
}

/** Runs a call of the program, or what the package does by itself, such as rendering and checking: nothing in it is a call of the program. */
export function withinPackage<T>(run: () => T, args: readonly unknown[] = []): T {
  const before = openCall;
  openCall ??= { args, readsBefore: inertReads() };
  try {
    return run();
  } finally {
    openCall = before;
  }
}
