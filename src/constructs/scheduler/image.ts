import { publicClass } from '../resources/public-class';

/**
 * SchedulerImage: what the scheduler runs in. A stock Node image that gets the program from ConfigMaps, or an image that has it.
 */

/** Options of `SchedulerImage.node`. */
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
 * The image that the scheduler runs in: a stock Node.js image with the program in ConfigMaps, or an image with the
 * program.
 *
 * @example
 * new GantryScheduler(chart, 'scheduler', { image: SchedulerImage.prebuilt('registry.example.com/gantry-scheduler:1') });
 */
@publicClass('SchedulerImage')
export class SchedulerImage {
  /**
   * Node of 20 or newer, as it is published; the program comes from ConfigMaps, and nothing has to be built.
   *
   * @throws if the digest is none
   */
  static node(options: NodeImageOptions = {}): SchedulerImage {
    const { repository = 'node', tag = '24.11.0-bookworm-slim', digest } = options;
    if (digest !== undefined && !DIGEST.test(digest)) {
      throw new Error(
        `digest "${digest}": must be sha256: and 64 hexadecimal digits, as \`docker buildx imagetools inspect ${repository}:${tag}\` prints it.`,
      );
    }
    return new SchedulerImage(`${repository}:${tag}${digest === undefined ? '' : `@${digest}`}`, false);
  }

  /** An image that has the program, built with the Dockerfile that comes with this package. Its tag or digest says which one it is. */
  static prebuilt(reference: string): SchedulerImage {
    return new SchedulerImage(reference, true);
  }

  private constructor(
    /** As a container names it. */
    readonly reference: string,
    /** Whether the image contains the program. */
    readonly hasProgram: boolean,
  ) {}
}
