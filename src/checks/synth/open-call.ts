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

let claims: readonly Claim[] = [];

/** What is known to be wrong with a value before the call judges it. */
export interface Claim {
  /** The clause that is reported. */
  readonly text: string;
  /** The fields that it is about. */
  readonly fields: readonly string[];
}

/** Runs a call whose values are known to be wrong in these places. */
export function withClaims<T>(known: readonly Claim[], run: () => T): T {
  const before = claims;
  claims = known;
  try {
    return run();
  } finally {
    claims = before;
  }
}

/** Whether a message repeats what is known of the running call. */
export function isClaimed(message: string): boolean {
  return claims.some(
    ({ text, fields }) =>
      fields.some((field) => message.startsWith(`${field} `)) ||
      /\bundefined\b/.test(message) ||
      message.includes(text.replace(/^[\w.[\]]+\./, '')),
  );
}
