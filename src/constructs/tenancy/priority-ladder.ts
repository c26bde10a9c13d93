/**
 * A ladder of priority classes: say who is above whom, and the values follow.
 */
import { Construct } from 'constructs';
import { type PriorityClass as PriorityClassKind } from '../../facts/api/types/scheduling.k8s.io/v1';
import { type Overridable } from '../resources/object-props';
import { type PreemptionPolicy, PriorityClass } from './priority-class';
import { publicClass } from '../resources/public-class';
import { oneOf } from '../../facts/words';

/** Above this, values belong to the system. */
const HIGHEST = 1_000_000_000;

/** One rung of a ladder, where its name alone does not say enough. */
export interface Rung<Name extends string> extends Overridable<PriorityClassKind> {
  /** Name of the PriorityClass. */
  readonly name: Name;
  /** What the class is for. @default - none */
  readonly description?: string;
  /** Whether pods of the class preempt others. @default 'PreemptLowerPriority' */
  readonly preemptionPolicy?: PreemptionPolicy;
}

/** Props of a PriorityLadder. */
export interface PriorityLadderProps<Name extends string> {
  /** From the lowest to the highest. */
  readonly rungs: readonly (Name | Rung<Name>)[];
  /**
   * Put in front of each name, for example `ai-`: class names are shared by the whole cluster.
   * @default '' - the rung's name is the class's name
   */
  readonly prefix?: string;
  /**
   * Value of the lowest rung.
   * @default - the step
   */
  readonly lowest?: number;
  /**
   * Distance between rungs. A class's value can never change, so leave room for rungs that are thought of later.
   * @default 1000
   */
  readonly step?: number;
  /**
   * The rung of every pod of the cluster that names no class, and why. See `PriorityClassProps.globalDefaultBecause`.
   * @default - none: pods that name no class are below the ladder, at 0
   */
  readonly globalDefault?: {
    /** Name of the class. */
    readonly rung: NoInfer<Name>;
    /** Why pods without a class get this one. */
    readonly because: string;
  };
}

/**
 * Several PriorityClasses in one order, so that their values follow from it.
 *
 * @example
 * const ladder = new PriorityLadder(chart, 'priorities', { rungs: ['scavenger', 'development', 'production'] });
 * ladder.at('production').value; // 3000
 */
@publicClass('PriorityLadder')
export class PriorityLadder<const Name extends string> extends Construct {
  private readonly classes: ReadonlyMap<string, PriorityClass>;

  /** @throws if there are no rungs, two rungs have the same name, the global default is not a rung, or a value is outside the range that Kubernetes allows */
  constructor(scope: Construct, id: string, props: PriorityLadderProps<Name>) {
    super(scope, id);
    const step = props.step ?? 1000;
    const lowest = props.lowest ?? step;
    const rungs: readonly Rung<Name>[] = props.rungs.map((rung) => (typeof rung === 'string' ? { name: rung } : rung));
    if (step < 1 || !Number.isInteger(step)) {
      throw new Error(`${this.node.path}: step must be a whole number greater than 0, not ${step}.`);
    }
    if (rungs.length === 0) {
      throw new Error(`${this.node.path}: rungs must contain at least one name, from the lowest to the highest.`);
    }
    const highest = lowest + step * (rungs.length - 1);
    if (highest > HIGHEST) {
      throw new Error(
        `${this.node.path}: the value of the highest rung (${highest}) must be less than or equal to ${HIGHEST}. Lower lowest or step.`,
      );
    }
    const names = rungs.map((rung) => rung.name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) {
      throw new Error(`${this.node.path}: duplicate rung "${twice}". Give each rung a unique name.`);
    }
    const { globalDefault } = props;
    if (globalDefault !== undefined && !names.includes(globalDefault.rung)) {
      throw new Error(`${this.node.path}: globalDefault: unknown rung "${globalDefault.rung}". Use ${oneOf(names)}.`);
    }
    if (globalDefault?.because.trim() === '') {
      throw new Error(
        `${this.node.path}: globalDefault.because must not be empty. Set the reason for which pods without a class get this rung.`,
      );
    }
    this.classes = new Map(
      rungs.map(({ name, ...rung }, index) => [
        name,
        new PriorityClass(this, name, {
          ...rung,
          name: `${props.prefix ?? ''}${name}`,
          value: lowest + step * index,
          globalDefaultBecause: globalDefault?.rung === name ? globalDefault.because : undefined,
        }),
      ]),
    );
  }

  /** The class of a rung. @throws if there is none of this name */
  at(rung: Name): PriorityClass {
    const found = this.classes.get(rung);
    if (found === undefined) {
      throw new Error(`${this.node.path}: unknown rung "${rung}". Use ${oneOf([...this.classes.keys()])}.`);
    }
    return found;
  }

  /** All classes, from the lowest to the highest. */
  get rungs(): readonly PriorityClass[] {
    return [...this.classes.values()];
  }
}
