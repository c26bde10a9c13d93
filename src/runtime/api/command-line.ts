/**
 * What the command lines of the programs share: flags that are read, and whole numbers within bounds.
 */
import { parseArgs, type ParseArgsConfig } from 'node:util';

/** The command line makes no sense. The message says what would. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

type Flags = NonNullable<ParseArgsConfig['options']>;

/** @throws UsageError with the usage, where a flag is unknown or has no value */
export function flagsOf<T extends Flags>(
  args: readonly string[],
  flags: T,
  usage: string,
): ReturnType<typeof parseArgs<{ options: T }>>['values'] {
  try {
    return parseArgs({ args: [...args], options: flags, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}

/** @throws UsageError */
export function wholeNumber(text: string, flag: string, least: number, most: number): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isInteger(number) || number < least || number > most) {
    throw new UsageError(`${flag} is ${text}; it must be a whole number from ${least} to ${most}.`);
  }
  return number;
}
