/**
 * What is wrong with an input, for the person who named it.
 */

/**
 * Thrown when an input cannot be read: the message names the path and, where there is one, the line.
 *
 * @example
 * try {
 *   readManifestFiles('dist/');
 * } catch (error) {
 *   if (error instanceof InputError) {
 *     console.error(error.message);
 *   }
 * }
 */
export class InputError extends Error {
  /** Always `InputError`. */
  override readonly name: string = 'InputError';

  constructor(
    message: string,
    /** The message without the path. */
    readonly reason: string = message,
  ) {
    super(message);
  }
}

/** Runs a file operation; what goes wrong is said of the path as the caller wrote it. */
export function attempt<T>(path: string, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    const reason = reasonOf(error);
    throw new InputError(`${path}: ${reason}`, reason);
  }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file or folder'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EISDIR', 'is a folder'],
  ['ENOTDIR', 'part of the path is not a folder'],
  ['ELOOP', 'too many levels of symbolic links'],
  ['ENOSPC', 'no space left on the device'],
  ['EROFS', 'read-only file system'],
  ['ERR_FS_FILE_TOO_LARGE', 'the file is larger than 2 GiB'],
  ['ERR_STRING_TOO_LONG', 'the file is too large'],
]);

export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code === undefined ? undefined : REASONS.get(code)) ?? message;
}
