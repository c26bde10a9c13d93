import { nodeImage, type NodeImageOptions } from '../bundled/node-image';
import { publicClass } from '../resources/public-class';

/**
 * SchedulerImage: what the scheduler runs in. A stock Node image that gets the program from ConfigMaps, or an image that has it.
 */

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
    return new SchedulerImage(nodeImage(options), false);
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
