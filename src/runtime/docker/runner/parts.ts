/**
 * What the parts of the runner share.
 */
import { type Background } from './background';
import { type Deadlines } from './deadlines';
import { type EngineLink } from './engine-link';
import { type Ledger } from './ledger';
import { type OutOfService } from './out-of-service';
import { type OutputFolder } from './output';
import { type RunnerOptions } from './runner-types';

export interface Parts {
  readonly options: RunnerOptions;
  readonly ledger: Ledger;
  readonly output: OutputFolder;
  readonly deadlines: Deadlines;
  readonly background: Background;
  readonly link: EngineLink;
  readonly outOfService: OutOfService;
  /** Something happened that a decision may depend on. */
  readonly changed: () => void;
  /** Something failed that may work later: nothing more is started for a moment. */
  readonly troubled: (error: unknown) => void;
  /** Compares everything with the engine again, soon. */
  readonly lookAgain: () => void;
}

/** Keys of work that goes on in the background. */
export const launching = (task: string): string => `launch ${task}`;
export const halting = (task: string): string => `halt ${task}`;
export const cleaning = (container: string): string => `clean ${container}`;
