/**
 * GantryQueue: a queue of a scheduler that runs in the cluster already, or is deployed by another app.
 */
import { type GantryQueueReference } from '../resources/queue-references';
import { publicClass } from '../resources/public-class';

/** Options of `GantryQueue.fromName`. */
export interface GantryQueueOptions {
  /** `schedulerName` in the scheduler's configuration. @default gantry */
  readonly schedulerName?: string;
}

/**
 * A queue of Gantry's scheduler by its name. For a scheduler of the same app, `gantryScheduler.queue(name)` checks the name.
 *
 * @example
 * job.submitTo(GantryQueue.fromName('research'));
 */
@publicClass('GantryQueue')
export class GantryQueue implements GantryQueueReference {
  /** A queue of the scheduler that runs in the cluster: of its configuration, or a Queue of Volcano that it reads. */
  static fromName(name: string, { schedulerName }: GantryQueueOptions = {}): GantryQueueReference {
    return new GantryQueue(name, schedulerName);
  }

  readonly engine = 'gantry';

  /** @default - gantry */
  declare readonly schedulerName?: string;

  private constructor(
    readonly name: string,
    schedulerName: string | undefined,
  ) {
    if (schedulerName !== undefined) {
      this.schedulerName = schedulerName;
    }
  }
}
