/**
 * Mistakes in what constructs are given: each is recorded at its construct and reported at synth together with all others, so that
 * one run of an app shows all of them.
 */
import { relative } from 'node:path';
import { type IConstruct } from 'constructs';
import { checkOnSynth } from './on-synth';
import { recordMistake } from './synth-state';

/** Set by `cdk8s synth` and `gantry synth` for the app that they run. */
const SYNTH_VARIABLE = 'CDK8S_OUTDIR';

const reported = new WeakMap<IConstruct, Set<string>>();

/**
 * Runs a part of a constructor, or of a method that completes a construct, that throws for what it is given.
 *
 * Under a command that synthesizes, the error is recorded and the program goes on, so that one run reports all mistakes of the app. In any
 * other program, such as a test, it is thrown where it is made.
 *
 * @param scope the construct that was given it
 * @throws what `action` throws, unless it is recorded
 */
export function collectMistakes(scope: IConstruct, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof Error) || (process.env[SYNTH_VARIABLE] ?? '') === '') {
      throw error;
    }
    const prefix = `${scope.node.path}: `;
    reportMistake(scope, error.message.startsWith(prefix) ? error.message.slice(prefix.length) : error.message);
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
  const known = reported.get(scope) ?? new Set();
  if (known.has(message)) {
    return;
  }
  reported.set(scope, known.add(message));
  checkOnSynth(scope);
  recordMistake(scope);
  const place = callerOf(new Error().stack ?? '');
  const text = place === undefined ? message : `${message} (${place})`;
  scope.node.addValidation({ validate: () => [text] });
}

/** The program's own line: the first that lies neither in this package, nor in another one, nor in Node. */
function callerOf(stack: string): string | undefined {
  const own = __dirname.replace(/[\\/]checks$/, '');
  for (const line of stack.split('\n').slice(1)) {
    const place = /\(?((?:file:\/\/)?[^\s()]+):(\d+):\d+\)?$/.exec(line.trim());
    if (place === null) {
      continue;
    }
    const file = place[1].replace(/^file:\/\//, '');
    if (file.startsWith(own) || file.startsWith('node:') || /[\\/]node_modules[\\/]/.test(file)) {
      continue;
    }
    return `${relative(process.cwd(), file)}:${place[2]}`;
  }
  return undefined;
}
