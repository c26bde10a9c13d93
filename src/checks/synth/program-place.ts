/**
 * The line of the program that runs: neither of this package, nor of another one, nor of Node.
 */
import { relative } from 'node:path';

/** A place in a file of the program. Lines and columns begin at 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

const OWN = __dirname.replace(/[\\/]checks[\\/]synth$/, '');

/** The line of the program that made the call that runs; `undefined` if there is none. */
export function placeOfCall(): string | undefined {
  const { stackTraceLimit } = Error;
  // A platform is many calls deep, and the line of the program is below all of them.
  Error.stackTraceLimit = 200;
  const stack = new Error().stack ?? '';
  Error.stackTraceLimit = stackTraceLimit;
  const place = placesOf(stack).find(isOfProgram);
  return place === undefined ? undefined : placeText(place);
}

/** Where the program itself made an error; `undefined` if a function that it called made it. */
export function placeOfError(error: Error): Place | undefined {
  const [place] = placesOf(error.stack ?? '');
  return place !== undefined && isOfProgram(place) ? place : undefined;
}

/** `main.ts:6`, relative to the working directory. */
export function placeText({ file, line }: Place): string {
  return `${relative(process.cwd(), file)}:${line}`;
}

function placesOf(stack: string): readonly Place[] {
  return stack.split('\n').flatMap((text): readonly Place[] => {
    const [, file, line, column] = /^\s+at .*?\(?((?:file:\/\/)?[^\s()]+):(\d+):(\d+)\)?$/.exec(text) ?? [];
    return file === undefined
      ? []
      : [{ file: file.replace(/^file:\/\//, ''), line: Number(line), column: Number(column) }];
  });
}

function isOfProgram({ file }: Place): boolean {
  return !file.startsWith(OWN) && !file.startsWith('node:') && !/[\\/]node_modules[\\/]/.test(file);
}
