/**
 * Mistakes in what constructs are given: each is recorded at its construct and reported at synth together with all others, so that
 * one run of an app shows all of them.
 */
import { relative } from 'node:path';
import { type IConstruct } from 'constructs';
import { checkOnSynth } from './on-synth';
import { recordMistake } from './synth-state';

/**
 * Records that a construct was given what it cannot be built from. The app does not synthesize; the error lists every recorded mistake
 * with the path of its construct and the line of the program that wrote it.
 *
 * @param scope the construct that was given it
 * @param message what was given and what to write, as one clause
 */
export function reportMistake(scope: IConstruct, message: string): void {
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
