/**
 * What the runner is made of, and what it answers.
 */
import { type RunnerConfiguration } from '../../../planning/runner-settings/settings';
import { type Engine } from '../engine/engine';
import { type HostProcesses } from '../engine/processes';
import { type Inventory } from '../devices/inventory';
import { type Outlook } from '../scheduling/scheduling';
import { type TaskStore } from '../store/store';
import { type TaskSpec } from '../task/task';
import { type Clock } from './clock';

export type EngineCalls = Pick<
  Engine,
  | 'name'
  | 'ping'
  | 'containers'
  | 'inspect'
  | 'create'
  | 'start'
  | 'stop'
  | 'remove'
  | 'image'
  | 'pull'
  | 'volume'
  | 'logs'
  | 'remembersCreation'
  | 'events'
>;

export interface RunnerOptions {
  readonly engine: EngineCalls;
  readonly store: TaskStore;
  readonly configuration: RunnerConfiguration;
  /** The devices as they are now; tasks name them by index, so their order stays. */
  readonly inventory: () => Inventory;
  /** CDI names that the engine has discovered. */
  readonly cdi: () => ReadonlySet<string>;
  /** Processes of the engine's host. */
  readonly processes: HostProcesses;
  readonly clock: Clock;
  /** From 0 up to, but not including, 1. */
  readonly random: () => number;
  readonly log: (line: string) => void;
}

export interface Submission {
  readonly spec: TaskSpec;
  /** Indices of an array. @default - one task */
  readonly array?: readonly number[];
}

export type OutlookOfTask =
  /** It waits for something that is not on the host. */
  | { readonly held: string }
  | {
      readonly outlook: Outlook;
      readonly spec: TaskSpec;
      readonly inventory: Inventory;
      readonly reserved: RunnerConfiguration['reserved'];
    };

export interface RunnerStatus {
  readonly engine: string;
  readonly isConnected: boolean;
  /** Tasks that have not ended. */
  readonly open: number;
  /** What the runner cannot do now, for example write its store. */
  readonly problem?: string;
  readonly inventory: Inventory;
  readonly drained: readonly string[];
  /** Devices on which a process may run that the ledger does not know of, with the reason. */
  readonly quarantined: ReadonlyMap<string, string>;
  readonly foreign: readonly string[];
}
