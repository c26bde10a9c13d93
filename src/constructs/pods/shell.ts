/**
 * Words of a shell command.
 */

/** A word as a POSIX shell reads it back: quoted where it has a character that means something to the shell. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
