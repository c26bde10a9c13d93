/**
 * One message of a scheduler, a controller, or the kubelet, and what to do about it.
 */

/** A message that Gantry knows. */
export interface KnownMessage {
  /** Stable name: `program/what`. */
  readonly id: string;
  /** The text in the source of the program, with Go's verbs for what varies; `%w` may be any text, other verbs one word. */
  readonly format: string;
  /** Texts that mean the same: of other versions, or of other places of the program. @default - none */
  readonly also?: readonly string[];
  /** The texts to look for where `format` says too little; placeholders as in `MessagePattern`. @default - `format` and `also` */
  readonly matches?: readonly string[];
  readonly cause: string;
  readonly verify: string;
  readonly remedy: string;
  /** The project with its version, and the file that contains the text. */
  readonly source: string;
}

/** The messages of one project, each with the file that contains its text. */
export function messagesOf(
  project: string,
  messages: readonly (Omit<KnownMessage, 'source'> & { readonly file: string })[],
): readonly KnownMessage[] {
  return messages.map(({ file, ...message }) => ({ ...message, source: `${project}, ${file}` }));
}
