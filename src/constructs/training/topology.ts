/**
 * How close the nodes of a training must be.
 */
import { type Affinity, type PodAffinityTerm } from '../../facts/api/types/core/v1';
import { GANTRY_TRAINING_LABEL } from '../../facts/catalog';
import { type SchedulingEngine, type TopologyChoice } from '../pods';
import { publicClass } from '../resources/public-class';
import { shown } from '../resources/quantities';

/** Label by which pods of one training find each other. */
export const TRAINING_LABEL = GANTRY_TRAINING_LABEL;

/** A level is a node label (`topology.kubernetes.io/zone`, a rack label), or with Volcano the number of a tier of hyper nodes. */
export type TopologyLevel = string | number;

/**
 * Where the nodes of a training have to be, relative to each other.
 *
 * @example
 * new DistributedTraining(chart, 'llama', {
 *   framework: 'pytorch',
 *   nodes: 8,
 *   image,
 *   accelerators: Accelerator.nvidia({ count: 8 }),
 *   topology: TrainingTopology.preferred('topology.kubernetes.io/zone'),
 * }).submitTo(GantryQueue.fromName('research'));
 */
@publicClass('TrainingTopology')
export class TrainingTopology {
  /** All nodes within one domain, or training waits. @throws if the level is empty, or no tier */
  static required(level: TopologyLevel): TrainingTopology {
    return new TrainingTopology(level, true);
  }

  /** All nodes within one domain if there is room. @throws if the level is empty, or no tier */
  static preferred(level: TopologyLevel): TrainingTopology {
    return new TrainingTopology(level, false);
  }

  private constructor(
    /** The level: a node label, or a tier of hyper nodes. */
    readonly level: TopologyLevel,
    /** Whether the training waits until all nodes fit in one domain. */
    readonly isRequired: boolean,
  ) {
    const isTier = typeof level === 'number' && Number.isInteger(level) && level >= 1;
    if (!isTier && (typeof level !== 'string' || level === '')) {
      throw new Error(
        `level must be a node label, such as "topology.kubernetes.io/zone", or the tier of a HyperNode, a whole number greater than or equal to 1, not ${shown(level)}.`,
      );
    }
  }

  /** Returns the level as a node label. @throws if the level is a tier of hyper nodes */
  toLabel(engine: string): string {
    if (typeof this.level === 'string') {
      return this.level;
    }
    throw new Error(
      `topology level ${this.level} is a tier of Volcano's HyperNodes, which ${engine} does not support. Use a node label.`,
    );
  }

  /** Whether a scheduler has words of its own for it, so that pods need no affinity to each other. */
  isKnownTo(scheduler: SchedulingEngine, kind: string): boolean {
    switch (scheduler) {
      case 'kueue':
      case 'gantry':
        this.toLabel(scheduler);
        return true;
      case 'pod-group':
        return this.isRequired && typeof this.level === 'string';
      case 'volcano':
        return typeof this.level === 'number' && ['Volcano Job', 'JobSet'].includes(kind);
      case 'default':
      case 'kai':
      case 'scheduler-plugins':
        return false;
    }
  }

  /** Returns the level as the options of a scheduling engine have it. */
  toChoice(): TopologyChoice<TopologyLevel> {
    return this.isRequired ? { required: this.level } : { preferred: this.level };
  }

  /** Pods that keep to each other, for every scheduler. */
  toAffinity(training: string, engine: string, affinity: Affinity = {}): Affinity {
    const term: PodAffinityTerm = {
      topologyKey: this.toLabel(engine),
      labelSelector: { matchLabels: { [TRAINING_LABEL]: training } },
    };
    const { podAffinity = {} } = affinity;
    const required = podAffinity.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const preferred = podAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    return {
      ...affinity,
      podAffinity: this.isRequired
        ? { ...podAffinity, requiredDuringSchedulingIgnoredDuringExecution: [...required, term] }
        : {
            ...podAffinity,
            preferredDuringSchedulingIgnoredDuringExecution: [...preferred, { weight: 100, podAffinityTerm: term }],
          },
    };
  }
}
