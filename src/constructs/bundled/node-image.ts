/**
 * The stock Node image that runs the programs of this package.
 */

/** Options of the Node image. */
export interface NodeImageOptions {
  /** Where the image is, for a mirror of one's own. @default node */
  readonly repository?: string;
  /** Tag of the image. @default 24.11.0-bookworm-slim */
  readonly tag?: string;
  /**
   * `sha256:…` of the image, after which the tag is only for people.
   * @default - the tag decides
   */
  readonly digest?: string;
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/**
 * Reference of the image, as a container names it.
 *
 * @throws if the digest is none
 */
export function nodeImage(options: NodeImageOptions = {}): string {
  const { repository = 'node', tag = '24.11.0-bookworm-slim', digest } = options;
  if (digest !== undefined && !DIGEST.test(digest)) {
    throw new Error(
      `digest "${digest}": must be sha256: and 64 hexadecimal digits, as \`docker buildx imagetools inspect ${repository}:${tag}\` prints it.`,
    );
  }
  return `${repository}:${tag}${digest === undefined ? '' : `@${digest}`}`;
}
