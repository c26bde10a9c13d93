/**
 * Mistakes in what constructs are given: each is recorded at its construct and reported at synth together with all others, so that
 * one run of an app shows all of them.
 */
import { type IConstruct } from 'constructs';
import { inertConstruct, inertIn, inertReads, inertValue } from './inert';
import { checkOnSynth } from './on-synth';
import { type Claim, isClaimed, runningCall, withClaims, withinPackage } from './open-call';
import { type Mistake, mistakeTexts, rememberMistake } from './pending-mistakes';
import { placeOfCall } from './program-place';
import { recordMistake } from './synth-state';
import { printWithoutTrace } from './uncaught';

/** Set by `cdk8s synth` and `gantry synth` for the app that they run. */
const SYNTH_VARIABLE = 'CDK8S_OUTDIR';

function isSynthesizing(): boolean {
  return (process.env[SYNTH_VARIABLE] ?? '') !== '';
}

const reported = new WeakMap<IConstruct, Set<string>>();

/** A call whose mistakes are collected. */
export interface CollectedCall {
  /** What the program passed. */
  readonly args: readonly unknown[];
  /** What is wrong with it, before anything is built. @default - nothing is known to be wrong */
  readonly problems?: () => readonly string[];
  /** Values of a wrong kind in it, for those that the call accepts, or fails on without a message. @default - none are known */
  readonly kindProblems?: () => readonly string[];
  /** The path of the construct, for errors that are thrown. @default - the message has none */
  readonly path?: () => string | undefined;
  /** The function as a program writes it, for mistakes that belong to no construct. @default - the message has none */
  readonly name?: string;
  /** The construct that a mistake belongs to. @default - the first construct that is given what the call returns */
  readonly construct?: () => IConstruct | undefined;
  /** Builds what the call returns. */
  readonly run: () => unknown;
}

/**
 * Makes a call of the program into the package.
 *
 * Under a command that synthesizes, a mistake is recorded, and the call returns an inert value; what fails because of an inert value is not
 * another mistake. In any other program, such as a test, the error is thrown, and printed without a trace if nothing catches it.
 *
 * @throws what the call throws, unless it is recorded
 */
export function collectCall(call: CollectedCall): unknown {
  return runningCall() === undefined
    ? withinPackage(() => (isSynthesizing() ? collected(call) : thrown(call)), call.args)
    : call.run();
}

function thrown(call: CollectedCall): unknown {
  try {
    throwProblems(call, problemsOf(call));
    return call.run();
  } catch (error) {
    if (isMistake(error)) {
      const place = placeOfCall();
      printWithoutTrace(error, place === undefined ? error.message : `${error.message} (${place})`);
    }
    throw error;
  }
}

/** What is known to be wrong with the values of a call before it is run. */
function problemsOf({ problems, kindProblems }: CollectedCall): readonly string[] {
  return [...(problems?.() ?? []), ...(kindProblems?.() ?? [])];
}

function throwProblems(call: CollectedCall, problems: readonly string[]): void {
  if (problems.length > 0) {
    const place = call.path?.() ?? call.name;
    throw new Error(`${place === undefined ? '' : `${place}: `}${problems.join('; ')}.`);
  }
}

function collected(call: CollectedCall): unknown {
  const known = problemsOf(call);
  let result: unknown;
  try {
    result = withClaims(known.map(claimOf), () => call.run());
  } catch (error) {
    if (!isMistake(error) && known.length === 0 && !isConsequence()) {
      throw error;
    }
    const own = isMistake(error) && !isConsequence() ? [error.message] : [];
    return standIn(call, known.length > 0 ? sentences(call, known) : own);
  }
  const problems = sentences(call, known);
  const construct = call.construct?.();
  if (construct === undefined) {
    return problems.length === 0 ? result : standIn(call, problems);
  }
  reportUsed(construct, call.args);
  problems.forEach((problem) => reportMistake(construct, problem));
  return result;
}

/** Clauses as sentences that name the function, unless a construct is known to which they belong. */
function sentences({ name, path }: CollectedCall, clauses: readonly string[]): readonly string[] {
  const prefix = name === undefined || path?.() !== undefined ? '' : `${name}: `;
  return clauses.map((clause) => `${prefix}${clause}.`);
}

/** The fields that a clause is about: `nodes` of `nodes is required`, and of `nodes 4: must be …`. */
function claimOf(text: string): Claim {
  const [, fields = ''] =
    /^([\w.[\]]+(?:, (?:and )?[\w.[\]]+)*)(?: [^:]*:)? (?:must\b|is required$|are required$)/.exec(text) ?? [];
  return { text, fields: fields.split(/, (?:and )?/).filter((field) => field !== '') };
}

/** Records the mistakes of a call, and makes what it returns. */
function standIn(call: CollectedCall, texts: readonly string[]): object {
  const construct = call.construct?.();
  if (construct !== undefined) {
    reportUsed(construct, call.args);
    texts.forEach((text) => reportMistake(construct, text));
    return inertConstruct(construct);
  }
  const place = placeOfCall();
  const mistakes = texts.map((text) => rememberMistake({ text, place }));
  return inertValue({
    usedBy: (user) =>
      mistakes.filter((mistake) => mistake.path === undefined).forEach((mistake) => attach(user, mistake)),
  });
}

function reportUsed(construct: IConstruct, args: readonly unknown[]): void {
  inertIn(args).forEach(({ usedBy }) => usedBy?.(construct));
}

/** Whether what just failed was given, or has read, an inert value. */
function isConsequence(): boolean {
  const call = runningCall();
  return call !== undefined && (inertReads() > call.readsBefore || inertIn(call.args).length > 0);
}

/** Errors of the language are mistakes of this package, or of the program, and keep their trace. */
export function isMistake(error: unknown): error is Error {
  return (
    error instanceof Error &&
    ![TypeError, ReferenceError, RangeError, SyntaxError].some((kind) => error instanceof kind)
  );
}

/**
 * Runs a part of a constructor, or of a method that completes a construct, that throws for what it is given.
 *
 * Under a command that synthesizes, the error is recorded and the program goes on, so that one run reports all mistakes of the app. In any
 * other program, such as a test, it is thrown where it is made.
 *
 * @param scope the construct that was given it
 * @param args what the method was given
 * @throws what `action` throws, unless it is recorded
 */
export function collectMistakes(scope: IConstruct, action: () => void, ...args: readonly unknown[]): void {
  try {
    action();
  } catch (error) {
    const consequence = isConsequence() || inertIn(args).length > 0;
    if (!isSynthesizing() || !(consequence || isMistake(error))) {
      throw error;
    }
    reportUsed(scope, args);
    if (!consequence && error instanceof Error) {
      reportMistake(scope, error.message);
    }
  }
}

/**
 * Records that a construct was given what it cannot be built from. The app does not synthesize; the error lists every recorded mistake
 * with the path of its construct and the line of the program that wrote it.
 *
 * @param scope the construct that was given it
 * @param message what was given and what to write
 */
export function reportMistake(scope: IConstruct, message: string): void {
  const { path } = scope.node;
  const own = [`${path}: `, `${path}/`].find((prefix) => message.startsWith(prefix)) ?? '';
  const text = message.slice(own.length);
  const known = reported.get(scope) ?? new Set();
  if (known.has(text) || isClaimed(text)) {
    return;
  }
  reported.set(scope, known.add(text));
  attach(scope, rememberMistake({ text, place: placeOfCall() }));
}

function attach(scope: IConstruct, mistake: Mistake): void {
  mistake.path = scope.node.path;
  checkOnSynth(scope);
  recordMistake(scope);
  scope.node.addValidation({ validate: () => mistakeTexts([mistake]) });
}
