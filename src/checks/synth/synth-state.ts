/**
 * What is remembered of a construct tree between the calls in which cdk8s synthesizes it.
 */
import { type IConstruct } from 'constructs';

const STATE = Symbol.for('gantry.synth-state');

export interface SynthState {
  /** `checkOnSynth` has added its validation. */
  listening: boolean;
  /** `outside` of a synth each validation checks; in one, the first does and the others know its answer. `off` checks nothing. */
  phase: 'outside' | 'due' | 'done' | 'off';
  /** A construct was given what it cannot be built from. */
  hasMistakes: boolean;
  /** The app is built by a front end that installs charts itself. */
  installsCharts: boolean;
  /** Texts on standard error that the last check of the tree came to. They are not printed again as long as they stay. */
  printed: ReadonlySet<string>;
}

/** The state of the tree that a construct belongs to. */
export function synthState(scope: IConstruct): SynthState {
  const root = scope.node.root as IConstruct & { [STATE]?: SynthState };
  if (root[STATE] === undefined) {
    const state: SynthState = {
      listening: false,
      phase: 'outside',
      hasMistakes: false,
      installsCharts: false,
      printed: new Set(),
    };
    Object.defineProperty(root, STATE, { value: state });
  }
  return root[STATE]!;
}

export function recordMistake(scope: IConstruct): void {
  synthState(scope).hasMistakes = true;
}
